// What an expression means while a program is read: a run-time value (an IR expression) or something known
// now. Known values stay Python-like (an `int` has no dtype) until they meet a run-time value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/syntax.h"
#include "ir/nodes.h"
#include "ir/op.h"
#include "ops/forms.h"

namespace tilewire::frontend {

struct FunctionInfo;  // sema.h
struct Value;

// No value was ever bound to the name.
struct UnboundValue {};
// Reported already; every use stays silent.
struct ErrorValue {};
// Assigned on some paths only, or with different types: using it is an error. `why` completes
// the message "`x` ..."; `help` is its help.
struct UnusableValue {
  std::string why;
  std::string help;
  Span where;
};
struct NoneValue {};
struct ListValue {
  std::shared_ptr<const std::vector<Value>> items;
  bool is_tuple = false;
};
struct DictValue {
  std::shared_ptr<const std::vector<std::pair<Value, Value>>> items;
};
// An annotation: a type, a direction, or both.
struct TypeValue {
  ir::TypeRef type;  // null: the direction only
  bool has_direction = false;
  ir::Direction direction = ir::Direction::In;
  ir::TensorViewRef view;  // of `pl.TensorView(...)`, the third slot of a tensor type
};
struct ModuleValue {
  std::string_view path;  // "pl", "pl.tile", "pld", "pld.system", "math", "tilewire"
};
// Ops that `pl.add` or `pl.tile.add` may mean.
struct OpValue {
  std::span<const ir::Op* const> candidates;
};

// Names of the language that are not ops.
using ops::Form;
struct FormValue {
  Form form;
  ir::EnumId enum_id{};
};
// Python built-ins and math functions that are folded.
enum class Builtin : uint8_t {
  Min,
  Max,
  Len,
  Int,
  Float,
  Bool,
  Abs,
  Range,
  Sum,
  Round,
  Sqrt,
  Ceil,
  Floor,
  Log,
  Log2,
  Exp,
  GetByte,
  GetBit,  // methods of a dtype
};
struct BuiltinValue {
  Builtin builtin;
  ir::DType dtype{};  // of GetByte, GetBit
};
struct FunctionValue {
  FunctionInfo* function;
};
struct SelfValue {};
// An object of the enclosing Python scope that only Python can look into.
struct HostObjectValue {
  std::string type_name;
};

struct Value {
  std::variant<UnboundValue, ErrorValue, UnusableValue, NoneValue, bool, int64_t, double, std::string,
               ir::DType, ir::EnumValue, ir::ExprRef, ListValue, DictValue, TypeValue, ModuleValue, OpValue,
               FormValue, BuiltinValue, FunctionValue, SelfValue, HostObjectValue>
      v;

  Value() : v(ErrorValue{}) {}
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, Value>) Value(T&& value) {
    if constexpr (std::is_convertible_v<T, ir::ExprRef>) {
      ir::ExprRef expr(std::forward<T>(value));
      if (expr) {
        v = std::move(expr);
      } else {
        v = ErrorValue{};  // its maker has reported the error
      }
    } else {
      v = std::forward<T>(value);
    }
  }

  template <class T>
  const T* get() const {
    return std::get_if<T>(&v);
  }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v);
  }
  bool is_error() const { return is<ErrorValue>(); }
  // The IR expression, or null.
  const ir::Expr* expr() const {
    const auto* e = get<ir::ExprRef>();
    return e ? e->get() : nullptr;
  }
  bool is_number() const { return is<bool>() || is<int64_t>() || is<double>(); }
};

inline Value unbound() {
  return UnboundValue{};
}
Value make_list(std::vector<Value> items, bool is_tuple);

// "an int", "a tile", "the module `pl`": what was found, for messages.
std::string describe(const Value& value);
// The value as a program writes it, short; for labels: "3", "pl.FP32", "pl.Tensor[[1, 256], pl.FP32]".
std::string to_text(const Value& value);
// Equality of known values, as Python's `==`; false for run-time values.
bool known_equal(const Value& a, const Value& b);
// Whether the value is known while the program is read, all the way down.
bool is_known(const Value& value);

}  // namespace tilewire::frontend
