// Expressions and types as program text, appended to one growing string.
//
// The writer decides what a reader would otherwise decide differently: which constants need their dtype
// spelled out, and where parentheses are needed. Names come from a NameSource.
#pragma once

#include <string>
#include <string_view>

#include "ir/nodes.h"

namespace tilewire::ir {

class NameSource {
 public:
  virtual ~NameSource() = default;
  // Good until the next call of either.
  virtual std::string_view name(const Var& var) = 0;
  virtual std::string_view name(const DimSymbol& symbol) = 0;
};

enum class Constants : uint8_t {
  Exact,  // read back to the same node: `pl.const(5, pl.INT32)`
  Plain,  // for people: `5`
};

class ExprWriter {
 public:
  ExprWriter(std::string& out, NameSource& names, Constants constants = Constants::Exact)
      : out_(out), names_(names), constants_(constants) {}

  void expr(const ExprRef& expr) { write(expr, Precedence::Lowest, Literal::Default); }
  // Where the reader would treat a known value differently: it would prune a branch on a literal, or
  // bind a name to an assigned literal. A constant is written with its dtype, which prevents both.
  void runtime_expr(const ExprRef& expr) { write(expr, Precedence::Lowest, Literal::Typed); }
  // `a, b`
  void comma_separated(const ExprList& elements);
  // `[a, b]`
  void list(const ExprList& elements);
  // `(a, b)`, `(a,)`, `()`
  void tuple(const ExprList& elements);
  void type(const TypeRef& type);
  // The third slot of a tensor type: `pl.DN`, `pl.TensorView(stride=[...])`.
  void tensor_view(const TensorView& view);
  void attr(const AttrValue& value);
  void name(const Var& var) { out_ += names_.name(var); }
  void integer(int64_t value);

  // Whether anything written so far needs the `pld` module.
  bool uses_distributed() const { return uses_distributed_; }
  void set_uses_distributed() { uses_distributed_ = true; }

 private:
  // Python's, loosest first.
  enum class Precedence : uint8_t {
    Lowest,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Power,
    Atom
  };
  enum class Literal : uint8_t {
    Default,  // bare when a bare literal has that dtype anyway
    Bare,     // the context determines the dtype
    Typed,    // always pl.const
  };
  struct Infix;

  static Infix infix_form(std::string_view spelling);
  void write(const ExprRef& expr, Precedence at_least, Literal literal);
  void const_int(const ConstInt& constant, Precedence at_least, Literal literal);
  void const_float(const ConstFloat& constant, Precedence at_least, Literal literal);
  void const_bool(bool value, Literal literal);
  void literal_text(std::string_view text, DType dtype, Precedence at_least, bool bare);
  void call(const Call& call, Precedence at_least);
  void infix_call(const Call& call, Precedence at_least);
  void named_call(const Call& call);
  static Literal literal_for(const Call& call, size_t param, const ExprRef& value);
  void operand(const Call& call, size_t param, const ExprRef& arg);
  void function_call(const FunctionCall& call);
  void tensor_type(const TensorType& type);

  std::string& out_;
  NameSource& names_;
  Constants constants_;
  bool uses_distributed_ = false;
};

}  // namespace tilewire::ir
