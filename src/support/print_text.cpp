#include "support/print_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "support/block_text.h"

namespace tilewire {
namespace {

std::string element(abi::Word word, abi::PrintFormat format) {
  switch (format) {
    case abi::PrintFormat::Bool:
      return word ? "True" : "False";
    case abi::PrintFormat::Signed:
      return std::to_string(static_cast<int64_t>(word));
    case abi::PrintFormat::Unsigned:
      return std::to_string(word);
    case abi::PrintFormat::Float:
      break;
  }
  const auto value = std::bit_cast<double>(word);
  if (std::isnan(value)) return "nan";  // whatever its sign
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string shape(int64_t rows, int64_t cols) {
  return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "]";
}

}  // namespace

std::string print_text(const abi::Print& what, const PrintPlace& place) {
  const auto format = static_cast<abi::PrintFormat>(what.format);
  const std::string half = half_text(place.block, place.lanes);
  std::string text = "rank " + std::to_string(place.rank) + ", block " +
                     std::to_string(place.block / place.lanes) + (half.empty() ? "" : ", " + half) +
                     ", line " + std::to_string(place.line) + ": ";
  if (*what.label) text += std::string(what.label) + ": ";
  text += what.dtype;
  if (what.rows == 0) return text + " " + element(what.elements[0], format) + "\n";
  text += " " + shape(what.rows, what.cols);
  const bool ragged = what.valid_rows != what.rows || what.valid_cols != what.cols;
  if (ragged) text += ", valid " + shape(what.valid_rows, what.valid_cols);
  text += "\n";
  const int64_t rows = std::min(what.valid_rows, abi::print_rows);
  const int64_t cols = std::min(what.valid_cols, abi::print_cols);
  for (int64_t r = 0; r < rows; ++r) {
    text += "  [";
    for (int64_t c = 0; c < cols; ++c) {
      text += (c == 0 ? "" : ", ") + element(what.elements[r * cols + c], format);
    }
    text += cols < what.valid_cols ? ", ...]\n" : "]\n";
  }
  if (rows < what.valid_rows) text += "  ...\n";
  return text;
}

void write_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);  // which locks the stream
  std::fflush(stdout);
}

}  // namespace tilewire
