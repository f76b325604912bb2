#include "ops/shape.h"

#include "ir/printer.h"
#include "ops/registry.h"

namespace tilewire::ops {

using namespace ir;

namespace {

const Op& scalar_op(const char* name) {
  const Op* op = registry().find(name);
  TW_CHECK(op != nullptr, std::string("no op ") + name);
  return *op;
}

ExprRef call_scalar(const Op& op, ExprList args, AttrList attrs, const Span& span) {
  Diagnostics unused;
  ExprRef call = create_call(op, std::move(args), std::move(attrs), span, unused);
  TW_CHECK(call != nullptr, "cannot build " + op.qualified() + ": " + unused.text());
  return call;
}

// Deeper expressions count as unknown: shared subterms would make the walk exponential.
constexpr int compare_depth = 12;

Known compare_to(const ExprRef& a, const ExprRef& b, int depth) {
  if (a == b) return Known::Equal;
  if (a->kind() != b->kind()) return Known::Unknown;
  if (const auto* x = as<ConstInt>(a)) {
    return x->value == as<ConstInt>(b)->value ? Known::Equal : Known::Different;
  }
  if (const auto* x = as<DimSymbol>(a)) {
    return x->name == as<DimSymbol>(b)->name ? Known::Equal : Known::Unknown;
  }
  const auto* x = as<Call>(a);
  const auto* y = as<Call>(b);
  if (!x || depth == 0 || x->op != y->op || x->attrs != y->attrs || x->args.size() != y->args.size()) {
    return Known::Unknown;
  }
  for (size_t i = 0; i < x->args.size(); ++i) {
    const ExprRef& p = x->args[i];
    const ExprRef& q = y->args[i];
    if (!p || !q ? p != q : compare_to(p, q, depth - 1) != Known::Equal) return Known::Unknown;
  }
  return Known::Equal;
}

}  // namespace

Known compare(const ExprRef& a, const ExprRef& b) {
  return compare_to(a, b, compare_depth);
}

bool may_equal(const ExprList& a, const ExprList& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!may_equal(a[i], b[i])) return false;
  }
  return true;
}

std::string shape_text(const ExprList& shape) {
  std::string out = "[";
  for (const ExprRef& dim : shape) out += (out.size() > 1 ? ", " : "") + to_string(dim);
  return out + "]";
}

std::optional<int64_t> element_count(const ExprList& shape) {
  int64_t count = 1;
  for (const ExprRef& dim : shape) {
    auto extent = constant_value(dim);
    if (!extent || __builtin_mul_overflow(count, *extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<int64_t> byte_count(int64_t elements, DType dtype) {
  int64_t total = 0;
  if (__builtin_mul_overflow(elements, static_cast<int64_t>(bits(dtype)), &total)) return std::nullopt;
  return total / 8 + (total % 8 != 0);
}

ExprRef product(const ExprRef& a, const ExprRef& b) {
  auto x = constant_value(a);
  auto y = constant_value(b);
  int64_t folded = 0;
  if (x && y && !__builtin_mul_overflow(*x, *y, &folded)) return const_index(folded);
  if (x == 1) return b;
  if (y == 1) return a;
  static const Op& mul = scalar_op("pl.scalar.mul");
  return call_scalar(mul, {a, b}, {}, a->span);
}

ExprRef sum(const ExprRef& a, const ExprRef& b) {
  auto x = constant_value(a);
  auto y = constant_value(b);
  int64_t folded = 0;
  if (x && y && !__builtin_add_overflow(*x, *y, &folded)) return const_index(folded);
  if (x == 0) return b;
  if (y == 0) return a;
  static const Op& add = scalar_op("pl.scalar.add");
  return call_scalar(add, {a, b}, {}, a->span);
}

ExprRef scalar_cast(const ExprRef& x, DType dtype) {
  if (scalar_dtype(x->type) == dtype) return x;
  static const Op& cast = scalar_op("pl.scalar.cast");
  return call_scalar(cast, {x}, {{"target_type", {dtype}}}, x->span);
}

std::optional<Shaped> shaped(const ExprRef& expr) {
  if (!expr) return std::nullopt;
  if (const auto* tile = as<TileType>(expr->type)) return Shaped{&tile->shape, tile->dtype, true};
  if (const auto* tensor = as<TensorType>(expr->type)) return Shaped{&tensor->shape, tensor->dtype, false};
  return std::nullopt;
}

TypeRef tile_type(int64_t rows, int64_t cols, DType dtype, std::optional<MemorySpace> memory) {
  return make<TileType>(Span{}, ExprList{const_index(rows), const_index(cols)}, dtype, memory);
}

TypeRef tensor_type(ExprList shape, DType dtype) {
  return make<TensorType>(Span{}, std::move(shape), dtype);
}

TypeRef value_type(bool is_tile, ExprList shape, DType dtype) {
  if (is_tile) return make<TileType>(Span{}, std::move(shape), dtype);
  return tensor_type(std::move(shape), dtype);
}

TypeRef computed_type(const TypeRef& type) {
  if (const auto* tile = as<TileType>(type)) {
    if (!tile->memory || *tile->memory == MemorySpace::Vec) return type;
    return value_type(true, tile->shape, tile->dtype);
  }
  const auto* tensor = as<TensorType>(type);
  TW_CHECK(tensor != nullptr, "only tiles and tensors are computed with");
  if (tensor->kind() == kind_of<TensorType> && !tensor->view) return type;
  return tensor_type(tensor->shape, tensor->dtype);
}

TypeRef view_type(const TensorType& source, ExprList shape, TensorViewRef view) {
  if (const auto* window = as<DistributedTensorType>(&source)) {
    return make<DistributedTensorType>(Span{}, std::move(shape), source.dtype, std::move(view),
                                       window->window_buffer);
  }
  return make<TensorType>(Span{}, std::move(shape), source.dtype, std::move(view));
}

ExprList strides_of(const TensorType& type) {
  if (type.view && !type.view->stride.empty()) return type.view->stride;
  size_t rank = type.shape.size();
  std::vector<size_t> order(rank);  // from the slowest dimension to the fastest
  for (size_t i = 0; i < rank; ++i) order[i] = i;
  if (type.view && type.view->layout == Layout::DN && rank >= 2) std::swap(order[rank - 1], order[rank - 2]);
  ExprList strides(rank);
  ExprRef stride = const_index(1);
  for (size_t i = rank; i-- > 0;) {
    strides[order[i]] = stride;
    if (i > 0) stride = product(stride, type.shape[order[i]]);
  }
  return strides;
}

}  // namespace tilewire::ops
