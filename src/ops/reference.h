// The description of an op for people, generated from its record: `tilewire ops`, docs/ops.md and Python
// docstrings print the same words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace tilewire::ops {

// `pl.tile.load(t, offsets, shape, valid_shape=None, *, target_memory=None)`.
std::string signature(const ir::Op& op);

// What a parameter takes, with its default: "a tensor", "a list of integers, optional",
// "pld.NotifyOp, default pld.NotifyOp.AtomicAdd".
std::string describe(const ir::OpParam& param);

// The type of an attribute: "int", "dtype", "pld.NotifyOp".
std::string attribute_type(const ir::OpParam& param);

// One effect as a sentence without full stop: "writes `t` from `offsets` over `shape`".
std::string describe(const ir::Op& op, const ir::Effect& effect);

// The first sentence of the op's documentation, without its full stop.
std::string_view summary(const ir::Op& op);

// `pl.tile`, `pld.system`, `pl`: the module and the part of the name before the last dot.
std::string family(const ir::Op& op);
struct Family {
  std::string name;
  std::vector<const ir::Op*> ops;  // by name
};
// All ops of a table by family: those of `pl` first, then those of `pld`, each in alphabetic order.
std::vector<Family> families(const ir::OpTable& table);

// The ops that a name may mean: `pl.tile.add`, `tile.add`, `pl.add` or plain `add`. Empty if there is none.
std::vector<const ir::Op*> named(const ir::OpTable& table, std::string_view name);
// Qualified names that look like `name`, the nearest first, at most `limit`.
std::vector<std::string> similar(const ir::OpTable& table, std::string_view name, size_t limit = 3);

}  // namespace tilewire::ops
