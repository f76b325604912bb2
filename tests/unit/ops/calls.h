// Calls of ops as a test writes them: arguments by value, results and errors as text.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ir/op.h"
#include "ops/registry.h"

namespace tilewire::ops::test {

struct Arg {
  ir::OpArgument value;

  Arg() = default;  // None
  Arg(ir::ExprRef expr) { value.value = std::move(expr); }
  template <class T>
  requires std::is_convertible_v<const T*, const ir::Expr*> Arg(const Ref<const T>& expr)
      : Arg(ir::ExprRef(expr)) {}
  Arg(int number) { value.value = ir::AttrValue{int64_t{number}}; }
  Arg(int64_t number) { value.value = ir::AttrValue{number}; }
  Arg(double number) { value.value = ir::AttrValue{number}; }
  Arg(bool flag) { value.value = ir::AttrValue{flag}; }
  Arg(const char* text) { value.value = ir::AttrValue{std::string(text)}; }
  Arg(ir::DType dtype) { value.value = ir::AttrValue{dtype}; }
  template <class E>
  requires requires { ir::EnumIdOf<E>::id; }
  Arg(E member) { value.value = ir::AttrValue{ir::enum_value(member)}; }
  Arg(std::initializer_list<Arg> list) {
    std::vector<ir::OpArgument> items;
    for (const Arg& item : list) items.push_back(item.value);
    value.value = std::move(items);
  }
};

using Args = std::vector<Arg>;
using Keywords = std::vector<std::pair<const char*, Arg>>;

// A variable of a type.
ir::VarRef var(const char* name, ir::TypeRef type);
ir::VarRef tile(const char* name, int64_t rows, int64_t cols, ir::DType dtype = ir::DType::FP32);
ir::VarRef tensor(const char* name, std::vector<int64_t> shape, ir::DType dtype = ir::DType::FP32);
ir::VarRef window(const char* name, std::vector<int64_t> shape, ir::DType dtype = ir::DType::FP32);
ir::VarRef scalar(const char* name, ir::DType dtype);
ir::ExprList extents(const std::vector<int64_t>& shape);

Ref<const ir::Call> call(const char* op, Args args, Keywords keywords, Diagnostics& diags,
                         ir::TypeRef annotated = nullptr);
// The type of the call as text, or all of its diagnostics.
std::string typed(const char* op, Args args, Keywords keywords = {}, ir::TypeRef annotated = nullptr);
// The call itself; the test fails when there is an error.
Ref<const ir::Call> good(const char* op, Args args, Keywords keywords = {});
// Code and message of the first error, `TW0320: ...`, or "no error".
std::string error(const char* op, Args args, Keywords keywords = {}, ir::TypeRef annotated = nullptr);

}  // namespace tilewire::ops::test
