// Ops that work element by element.
//
// The vector unit computes with i16, i32, f16 and f32, each op with some of them. Others are converted: bf16
// to f32, bytes through f16 to i16, where results wrap as those of bytes do. Columns are worked on as rows of
// the same bytes.
#include "ops/handles.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

void add(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Tile tiles[] = {e.tile(call.args[0]), e.tile(call.args[1])};
  auto [rows, cols] = e.common_extent(tiles);
  Tile all[] = {tiles[0], tiles[1], e.destination(*result, rows, cols)};
  e.agree(all);
  e.op("tadd", {all[0], all[1]}, all[2]);
}

}  // namespace

void add_elementwise_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  table.add(tile::add, {add, floats, "tadd", {ResultMemory::InPlace, -1}});
}

}  // namespace tilewire::target::pto
