// Text of C++ for the host side: types, constants and scalar expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/names.h"
#include "support/diagnostics.h"

namespace tilewire::target::pto {

// How a value is written.
struct HostValue {
  std::string text = {};              // an expression; a variable's name
  bool later = false;                 // a scalar that a task returns: `text` is a Later
  std::vector<HostValue> parts = {};  // of a tuple
};

// "Type::FP32", "float", "std::array<TaskId, 4>".
std::string element_name(ir::DType dtype);
std::string scalar_type_name(ir::DType dtype);
std::string type_name(const ir::TypeRef& type);
// "softmax.py:12", quoted.
std::string place(const Span& span);
std::string quoted(const std::string& text);
std::string joined(const std::vector<std::string>& parts);

// Names that are taken by C++ and by the interface.
passes::Names host_names();

// Variables, dimensions and scalar expressions of one function.
class HostExpressions {
 public:
  explicit HostExpressions(Diagnostics& diags) : diags_(diags) {}

  void define(const ir::Var& var, HostValue value);
  void define(const std::string& symbol, std::string text) { symbols_[symbol] = std::move(text); }
  const HostValue& value(const ir::Var& var) const;
  bool knows(const std::string& symbol) const { return symbols_.contains(symbol); }
  const std::map<std::string, std::string, std::less<>>& symbols() const { return symbols_; }

  // Of any expression that is not a call of a function.
  std::string text(const ir::ExprRef& expr) const;
  // The same with other values for some dimensions.
  std::string text(const ir::ExprRef& expr, const std::map<std::string, std::string>& symbols);
  // Of the elements of a list operand: "{a, b}".
  std::string list(const ir::ExprRef& tuple) const;
  std::string list(const ir::ExprList& elements) const;

 private:
  std::string call(const ir::Call& call) const;
  std::string arithmetic(const ir::Call& call) const;
  std::string cast(const ir::Call& call) const;

  Diagnostics& diags_;
  ir::PointerMap<HostValue> values_;
  std::map<std::string, std::string, std::less<>> symbols_;
};

}  // namespace tilewire::target::pto
