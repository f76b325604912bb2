// Calls of ops made from Python.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "python/convert.h"

namespace tilewire::python {

// `ir.Call(op, args, attrs, type)`: one entry of `args` per operand, as in Call::args. The op's type rule is
// run; raises ProgramError when it is violated.
nb::object construct_call(const std::vector<nb::object>& bound, const Span& span);

// `pl.add(a, b)`: of the candidates, the first whose operands accept what is given.
nb::object call_op(std::span<const ir::Op* const> candidates, const std::string& shown, const nb::args& args,
                   const nb::kwargs& kwargs);

// `a + b` and `-a` (b invalid) on expressions; NotImplemented when no op has that sign for them.
nb::object apply_infix(std::string_view infix, nb::handle left, nb::handle right);

}  // namespace tilewire::python
