// `pl.print`.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "interp/op_table.h"
#include "ir/abi_numbers.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "support/print_text.h"

namespace tilewire::interp {
namespace {

using namespace ir;

abi::Word word_of(DType dtype, const std::byte* element) {
  if (is_float(dtype))
    return std::bit_cast<abi::Word>(static_cast<double>(numeric::load_float(dtype, element)));
  return static_cast<abi::Word>(numeric::load_integer(dtype, element));
}

abi::Word word_of(const Scalar& scalar) {
  return scalar.is_float() ? std::bit_cast<abi::Word>(static_cast<double>(scalar.f))
                           : static_cast<abi::Word>(scalar.i);
}

void print(Context& c, int) {
  if (!c.world.options().prints) return;
  const AttrValue* label = c.attr("label");
  const DType dtype = c.value(0).tile() ? c.tile(0).dtype : c.scalar(0).dtype;
  const std::string name(info(dtype).name);
  abi::Print what{.label = label->get<std::string>()->c_str(),
                  .dtype = name.c_str(),
                  .elements = nullptr,
                  .rows = 0,
                  .cols = 0,
                  .valid_rows = 0,
                  .valid_cols = 0,
                  .site = 0,
                  .format = static_cast<uint8_t>(print_format(dtype)),
                  .reserved = {}};
  std::vector<abi::Word> elements;
  if (c.value(0).tile()) {
    const Tile& tile = c.tile(0);
    what.rows = tile.rows;
    what.cols = tile.cols;
    what.valid_rows = tile.valid_rows;
    what.valid_cols = tile.valid_cols;
    const View view = c.view(tile);
    for (int64_t r = 0; r < std::min(tile.valid_rows, abi::print_rows); ++r) {
      for (int64_t k = 0; k < std::min(tile.valid_cols, abi::print_cols); ++k) {
        const int64_t offset = r * view.strides[0] + k * view.strides[1];
        elements.push_back(word_of(dtype, view.base + offset * ir::bytes(dtype)));
      }
    }
  } else {
    elements.push_back(word_of(c.scalar(0)));
  }
  what.elements = elements.data();
  write_out(print_text(what, {c.agent().rank, c.agent().block, c.frame().code->lanes(), c.call.span.line}));
}

}  // namespace

void add_print(OpEntries& entries) {
  entries.add(ops::pl::print, print);
}

}  // namespace tilewire::interp
