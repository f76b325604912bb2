// Arithmetic on values known while a program is read, with Python's meaning.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/value.h"

namespace tilewire::frontend {

// The result, or an error text: "integer division by zero". Empty if these operands do not fold (the caller
// reports wrong types).
using Folded = std::optional<std::variant<Value, std::string>>;

Folded fold_binary(Operator op, const Value& a, const Value& b);
Folded fold_unary(Operator op, const Value& a);
Folded fold_builtin(Builtin builtin, const std::vector<Value>& args);
// Python's truth value of a known value; empty for values without one here.
std::optional<bool> truth(const Value& value);

}  // namespace tilewire::frontend
