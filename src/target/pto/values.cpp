#include "target/pto/values.h"

#include <array>

#include "support/diagnostics.h"

namespace tilewire::target::pto {

using namespace ir;

std::string element_text(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::Int8:
      return "i8";
    case DType::Int16:
      return "i16";
    case DType::Int32:
      return "i32";
    case DType::Int64:
    case DType::UInt64:  // moved, never computed with
      return "i64";
    case DType::UInt8:
      return "ui8";
    case DType::UInt16:
      return "ui16";
    case DType::UInt32:
      return "ui32";
    case DType::FP16:
      return "f16";
    case DType::BF16:
      return "bf16";
    case DType::FP32:
      return "f32";
    default:
      return "";
  }
}

std::string scalar_text(DType dtype) {
  if (dtype == DType::Bool) return "i1";
  if (dtype == DType::Index) return "index";
  std::string text = element_text(dtype);
  return text.starts_with("u") ? text.substr(1) : text;
}

int64_t element_bytes(const std::string& element) {
  const size_t digits = element.find_first_of("0123456789");
  TW_CHECK(digits != std::string::npos, "no element type: " + element);
  return std::stoi(element.substr(digits)) / 8;
}

int64_t TileForm::bytes() const {
  return rows * cols * element_bytes(element);
}

namespace {

const char* space_text(MemorySpace space) {
  static constexpr std::array names = {"gm", "vec", "mat", "left", "right", "acc", "bias"};
  return names[static_cast<size_t>(space)];
}

std::string extent_text(const Extent& extent, bool dynamic) {
  return dynamic || !extent.integer ? "?" : std::to_string(*extent.integer);
}

}  // namespace

std::string tile_type(const TileForm& form, const Extent& rows, const Extent& cols, bool dynamic) {
  std::string text = std::string("!pto.tile_buf<") + space_text(form.space) + ", " +
                     std::to_string(form.rows) + "x" + std::to_string(form.cols) + "x" + form.element;
  if (dynamic || rows.integer != form.rows || cols.integer != form.cols) {
    text += ", valid=" + extent_text(rows, dynamic) + "x" + extent_text(cols, dynamic);
  }
  if (form.boxes != Boxes::None) {
    text += form.col_major ? ", blayout=col_major" : ", blayout=row_major";
    text += form.boxes == Boxes::Rows ? ", slayout=row_major" : ", slayout=col_major";
  } else if (form.col_major) {
    text += ", blayout=col_major";
  }
  if (form.fractal != 512) text += ", fractal=" + std::to_string(form.fractal);
  if (form.pad != 0) text += ", pad=" + std::to_string(form.pad);
  return text + ">";
}

std::string Tile::type() const {
  return tile_type(form, rows, cols, dynamic);
}

}  // namespace tilewire::target::pto
