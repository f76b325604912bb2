// Arithmetic on values known while a program is read, with Python's meaning.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/value.h"

namespace tilewire::frontend {

// The result, or what is wrong: "integer division by zero". Nothing when these operands do not fold
// (wrong types: the caller reports them).
using Folded = std::optional<std::variant<Value, std::string>>;

Folded fold_binary(Operator op, const Value& a, const Value& b);
Folded fold_unary(Operator op, const Value& a);
Folded fold_builtin(Builtin builtin, const std::vector<Value>& args);
// Python's truth of a known value; nothing for what has none here.
std::optional<bool> truth(const Value& value);

}  // namespace tilewire::frontend
