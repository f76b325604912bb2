// Where a program as it was written has functions, launches, loops and branches: passes write others of their
// own, which mean nothing to its author.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include "ir/nodes.h"

namespace tilewire::check {

using SourcePlace = std::tuple<const SourceFile*, uint32_t, uint32_t>;

inline SourcePlace place_of(const ir::Node& node) {
  return {node.span.file.get(), node.span.line, node.span.column};
}

std::set<SourcePlace> written_places(const ir::Program& written);

}  // namespace tilewire::check
