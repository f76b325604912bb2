// The values no node may hold, and the members that follow from the others.
#include "ir/nodes.h"

#include <unordered_set>

namespace tilewire::ir {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw InvalidNode(what);
}

template <class T>
void require_all(const std::vector<Ref<const T>>& list, const char* what) {
  for (const auto& element : list) require(element != nullptr, what);
}

template <class T>
TypeRef singleton() {
  return make<T>(Span{});
}

bool is_integer_scalar(const ExprRef& expr) {
  auto dtype = scalar_dtype(expr->type);
  return dtype && is_integer(*dtype);
}

}  // namespace

const TypeRef& scalar_type(DType dtype) {
  static const std::vector<TypeRef> types = [] {
    std::vector<TypeRef> all;
    for (const DTypeInfo& entry : all_dtypes()) all.push_back(make<ScalarType>(Span{}, entry.dtype));
    return all;
  }();
  return types[static_cast<size_t>(dtype)];
}

const TypeRef& ptr_type() {
  static const TypeRef type = singleton<PtrType>();
  return type;
}
const TypeRef& task_id_type() {
  static const TypeRef type = singleton<TaskIdType>();
  return type;
}
const TypeRef& comm_ctx_type() {
  static const TypeRef type = singleton<CommCtxType>();
  return type;
}
const TypeRef& window_buffer_type() {
  static const TypeRef type = singleton<WindowBufferType>();
  return type;
}
const TypeRef& unit_type() {
  static const TypeRef type = singleton<TupleType>();
  return type;
}

void TensorView::finish() {
  require_all(stride, "a stride of a tensor view is missing");
}

void TensorType::finish() {
  require_all(shape, "a dimension of a tensor is missing");
  for (const ExprRef& dim : shape) {
    require(is_integer_scalar(dim), "a dimension of a tensor must be an integer");
    auto value = constant_value(dim);
    require(!value || *value >= 0, "a dimension of a tensor must not be negative");
  }
  require(!view || view->stride.empty() || view->stride.size() == shape.size(),
          "a tensor view needs one stride per dimension");
}

void TileType::finish() {
  require_all(shape, "a dimension of a tile is missing");
  require(shape.size() == 2, "a tile has two dimensions");
  for (const ExprRef& dim : shape) {
    auto value = constant_value(dim);
    require(value && *value > 0, "a dimension of a tile must be a positive constant");
  }
}
int64_t TileType::rows() const {
  return *constant_value(shape[0]);
}
int64_t TileType::cols() const {
  return *constant_value(shape[1]);
}

void ArrayType::finish() {
  require(extent > 0, "an array needs a positive number of elements");
  require(is_integer(dtype) || dtype == DType::TaskId || dtype == DType::Bool,
          "an array holds integers, bools or task ids");
}

void TupleType::finish() {
  require_all(types, "a type of a tuple is missing");
}

void Var::finish() {
  require(type != nullptr, "a variable needs a type");
}

void Parameter::finish() {
  require(!name.empty(), "a parameter needs a name");
  require(type != nullptr, "a parameter needs a type");
  name_hint = name;
}

void WindowBuffer::finish() {
  require(base != nullptr, "a window buffer needs a base");
  require(isa<PtrType>(base->type), "the base of a window buffer must be a Ptr");
  require(!base->name_hint.empty(), "the base of a window buffer needs a name");
  require(size != nullptr, "a window buffer needs a size");
  require(is_integer_scalar(size), "the size of a window buffer must be an integer");
  auto bytes = constant_value(size);
  require(!bytes || *bytes > 0, "the size of a window buffer must be positive");
  name = name_hint = base->name_hint;
  type = window_buffer_type();
}

void DimSymbol::finish() {
  require(!name.empty(), "a dynamic dimension needs a name");
  type = scalar_type(DType::Index);
}

void ConstInt::finish() {
  require(is_integer(dtype), "an integer constant needs an integer dtype");
  require(fits(value, dtype), "the integer constant does not fit its dtype");
  type = scalar_type(dtype);
}

void ConstFloat::finish() {
  require(is_float(dtype), "a float constant needs a float dtype");
  value = round_to(value, dtype);
  type = scalar_type(dtype);
}

void ConstBool::finish() {
  type = scalar_type(DType::Bool);
}

void Call::finish() {
  require(op != nullptr, "a call needs an op");
  require(type != nullptr, "a call needs the type of its result");
}

void FunctionCall::finish() {
  require(!callee.empty(), "a call needs the name of a function");
  require_all(args, "an argument of a call is missing");
  require_all(deps, "a dependency of a call is missing");
  if (!type) type = unit_type();
}

void MakeTuple::finish() {
  require_all(elements, "an element of a tuple is missing");
  // Offset lists are by far the most common tuples: all INDEX, all of rank 1 to 3.
  static const std::vector<TypeRef> index_tuples = [] {
    std::vector<TypeRef> all;
    for (size_t n = 0; n < 5; ++n) {
      all.push_back(make<TupleType>(Span{}, std::vector<TypeRef>(n, scalar_type(DType::Index))));
    }
    return all;
  }();
  bool all_index = elements.size() < index_tuples.size();
  for (const ExprRef& element : elements) all_index = all_index && element->type == scalar_type(DType::Index);
  if (all_index) {
    type = index_tuples[elements.size()];
    return;
  }
  std::vector<TypeRef> types;
  for (const ExprRef& element : elements) types.push_back(element->type);
  type = make<TupleType>(Span{}, std::move(types));
}

void TupleGet::finish() {
  require(tuple != nullptr, "a tuple element needs its tuple");
  const auto* tuple_type = as<TupleType>(tuple->type);
  require(tuple_type != nullptr, "only a tuple has elements");
  require(index >= 0 && static_cast<size_t>(index) < tuple_type->types.size(),
          "the tuple has no such element");
  type = tuple_type->types[index];
}

void Block::finish() {
  require_all(stmts, "a statement of a block is missing");
}

void Return::finish() {
  require_all(values, "a returned value is missing");
}

void Yield::finish() {
  require_all(values, "a yielded value is missing");
}

void Assign::finish() {
  require(var && value, "an assignment needs a variable and a value");
}

void Eval::finish() {
  require(value != nullptr, "an expression statement needs a value");
}

void If::finish() {
  require(condition && then_body, "a branch needs a condition and a body");
  require_all(results, "a result of a branch is missing");
}

void For::finish() {
  require(start && stop && step && loop_var && body, "a loop needs bounds, a variable and a body");
  require_all(init_values, "an initial value of a loop is missing");
  require_all(iter_args, "a carried variable of a loop is missing");
  require_all(results, "a result of a loop is missing");
  require(stage >= 0, "the number of pipeline stages must not be negative");
}

void While::finish() {
  require(before && condition && body, "a loop needs a condition and a body");
  require_all(init_values, "an initial value of a loop is missing");
  require_all(iter_args, "a carried variable of a loop is missing");
  require_all(results, "a result of a loop is missing");
}

void AtScope::finish() {
  require(body != nullptr, "a scope needs a body");
  require_all(deps, "a dependency of a scope is missing");
  require_all(results, "a result of a scope is missing");
}

void SpmdScope::finish() {
  require(block_count && body, "an SPMD scope needs a block count and a body");
  auto count = constant_value(block_count);
  require(!count || *count > 0, "the block count must be positive");
  require_all(deps, "a dependency of a scope is missing");
  require_all(results, "a result of a scope is missing");
}

void WithScope::finish() {
  require(body != nullptr, "a scope needs a body");
}

void Function::finish() {
  require(!name.empty(), "a function needs a name");
  require(body != nullptr, "a function needs a body");
  require_all(params, "a parameter of a function is missing");
  require_all(return_types, "a return type of a function is missing");
}

void CommGroup::finish() {
  require_all(slots, "a slot is missing");
  std::unordered_set<int64_t> seen;
  for (int64_t device : devices) {
    require(device >= 0, "a device must not be negative");
    require(seen.insert(device).second, "a device is listed twice");
  }
}

void Program::finish() {
  require_all(functions, "a function of the program is missing");
  require_all(comm_groups, "a communication group of the program is missing");
}

FunctionRef Program::find(std::string_view function_name) const {
  for (const FunctionRef& function : functions) {
    if (function->name == function_name) return function;
  }
  return nullptr;
}

Ref<const ConstInt> const_index(int64_t value, Span span) {
  return make<ConstInt>(std::move(span), value);
}

std::optional<int64_t> constant_value(const ExprRef& expr) {
  const auto* constant = as<ConstInt>(expr);
  return constant ? std::optional(constant->value) : std::nullopt;
}

}  // namespace tilewire::ir
