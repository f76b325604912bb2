// The position of a kernel in a launch: SPMD blocks, and the vector lanes of a split kernel; and printing.
#include "ops/define.h"
#include "ops/families.h"

namespace tilewire::ops {

using namespace ir;

void define_block(std::vector<Op>& ops) {
  struct Entry {
    const char* name;
    const char* doc;
    bool vector_only = false;
  };
  const Entry entries[] = {
      {"tile.get_block_idx", "The number of this SPMD block, from 0; 0 outside `pl.spmd`."},
      {"tile.get_block_num", "How many SPMD blocks this launch has; 1 outside `pl.spmd`."},
      {"tile.get_subblock_idx",
       "The number of this vector lane, from 0, in an AIV function whose pipes are split over two lanes.",
       true},
      {"tile.get_subblock_num",
       "How many vector lanes run this AIV function for each block: 1, or 2 when split.", true},
  };
  for (const Entry& entry : entries) {
    Define def(ops, "pl", entry.name, entry.doc);
    def.result("An INDEX scalar.").rule([](OpCheck&) { return scalar_type(DType::Index); });
    if (!entry.vector_only) continue;
    def.no_rule("The pass lower_pipes replaces it by a part of the number of the block.");
    def.op().functions = function_bit(FunctionType::AIV);
  }
  Define(
      ops, "pl", "print",
      "Prints a scalar or the corner of a tile, with rank, block, line and a label, to standard output. The "
      "lines of one print stay together, and those of a block keep their order. The result of the program "
      "is the same without it.")
      .operand("x", AcceptScalar | AcceptTile, Data,
               "What to print. Of a tile, at most 4 rows and 8 columns of its valid part.")
      .attr("label", AttrKind::String, "Text to find the line by.")
      .by_default(AttrValue{std::string()})
      .keeps()
      .result("Nothing.")
      .rule([](OpCheck&) { return unit_type(); });
}

}  // namespace tilewire::ops
