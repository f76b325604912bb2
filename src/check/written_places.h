// What the source of a program has where: passes write loops, branches and accesses of their own, which mean
// nothing to its author.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "ir/nodes.h"

namespace tilewire::check {

using SourcePlace = std::tuple<const SourceFile*, uint32_t, uint32_t>;

inline SourcePlace place_of(const ir::Node& node) {
  return {node.span.file.get(), node.span.line, node.span.column};
}

struct WrittenPlaces {
  std::set<SourcePlace> statements;  // functions, launches, loops, branches
  std::set<std::pair<SourcePlace, const ir::Op*>> ops;

  bool has(const ir::Node& statement) const { return statements.count(place_of(statement)) != 0; }
  // Ops that an op was made into have its place.
  bool has(const ir::Call& call) const { return ops.count({place_of(call), call.op}) != 0; }
};

WrittenPlaces written_places(const ir::Program& written);

}  // namespace tilewire::check
