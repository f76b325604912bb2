#include "calls.h"

#include <gtest/gtest.h>

namespace tilewire::ops::test {

using namespace ir;

VarRef var(const char* name, TypeRef type) {
  return make<Var>(Span{}, std::string(name), std::move(type));
}

ExprList extents(const std::vector<int64_t>& shape) {
  ExprList list;
  for (int64_t extent : shape) list.push_back(const_index(extent));
  return list;
}

VarRef tile(const char* name, int64_t rows, int64_t cols, DType dtype) {
  return var(name, make<TileType>(Span{}, extents({rows, cols}), dtype));
}

VarRef tensor(const char* name, std::vector<int64_t> shape, DType dtype) {
  return var(name, make<TensorType>(Span{}, extents(shape), dtype));
}

VarRef window(const char* name, std::vector<int64_t> shape, DType dtype) {
  return var(name, make<DistributedTensorType>(Span{}, extents(shape), dtype));
}

VarRef scalar(const char* name, DType dtype) {
  return var(name, scalar_type(dtype));
}

Ref<const Call> call(const char* name, Args args, Keywords keywords, Diagnostics& diags, TypeRef annotated) {
  const Op* op = registry().find(name);
  if (!op) {
    ADD_FAILURE() << "no op " << name;
    return nullptr;
  }
  std::vector<OpArgument> positional;
  for (Arg& arg : args) positional.push_back(std::move(arg.value));
  std::vector<OpKeyword> named;
  for (auto& [key, arg] : keywords) named.push_back({key, std::move(arg.value), {}});
  return create_call(*op, std::move(positional), std::move(named), {}, diags, std::move(annotated));
}

std::string typed(const char* op, Args args, Keywords keywords, TypeRef annotated) {
  Diagnostics diags;
  auto result = call(op, std::move(args), std::move(keywords), diags, std::move(annotated));
  EXPECT_EQ(result == nullptr, diags.has_errors()) << op;
  return result ? to_string(result->type) : diags.text();
}

Ref<const Call> good(const char* op, Args args, Keywords keywords) {
  Diagnostics diags;
  auto result = call(op, std::move(args), std::move(keywords), diags);
  EXPECT_TRUE(result) << diags.text();
  return result;
}

std::string error(const char* op, Args args, Keywords keywords, TypeRef annotated) {
  Diagnostics diags;
  auto result = call(op, std::move(args), std::move(keywords), diags, std::move(annotated));
  EXPECT_EQ(result == nullptr, diags.has_errors()) << op;
  if (diags.all().empty()) return "no error";
  const Diagnostic& d = diags.all().front();
  return "TW0" + std::to_string(diag_info(d.id).code) + ": " + d.message;
}

}  // namespace tilewire::ops::test
