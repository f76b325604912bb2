#include "frontend/value.h"

#include "frontend/scope.h"
#include "ir/printer.h"

namespace tilewire::frontend {

Value make_list(std::vector<Value> items, bool is_tuple) {
  return ListValue{std::make_shared<const std::vector<Value>>(std::move(items)), is_tuple};
}

namespace {

std::string describe_type(const ir::TypeRef& type) {
  if (ir::isa<ir::ScalarType>(type)) return "a scalar";
  if (ir::isa<ir::DistributedTensorType>(type)) return "a window";
  if (ir::isa<ir::TensorType>(type)) return "a tensor";
  if (ir::isa<ir::TileType>(type)) return "a tile";
  if (ir::isa<ir::ArrayType>(type)) return "an array";
  if (ir::isa<ir::TupleType>(type)) return "a tuple";
  if (ir::isa<ir::TaskIdType>(type)) return "a task id";
  if (ir::isa<ir::CommCtxType>(type)) return "a communication context";
  if (ir::isa<ir::WindowBufferType>(type)) return "a window buffer";
  return "a pointer";
}

struct Describe {
  std::string operator()(const UnboundValue&) const { return "nothing"; }
  std::string operator()(const ErrorValue&) const { return "an unknown value"; }
  std::string operator()(const UnusableValue&) const { return "an undefined value"; }
  std::string operator()(const NoneValue&) const { return "None"; }
  std::string operator()(bool) const { return "a bool"; }
  std::string operator()(int64_t) const { return "an int"; }
  std::string operator()(double) const { return "a float"; }
  std::string operator()(const std::string&) const { return "a string"; }
  std::string operator()(ir::DType) const { return "a dtype"; }
  std::string operator()(ir::EnumValue e) const { return "a " + std::string(info(e.id).name); }
  std::string operator()(const ir::ExprRef& e) const { return describe_type(e->type); }
  std::string operator()(const ListValue& l) const { return l.is_tuple ? "a tuple" : "a list"; }
  std::string operator()(const DictValue&) const { return "a dict"; }
  std::string operator()(const TypeValue&) const { return "a type"; }
  std::string operator()(const ModuleValue& m) const { return "the module `" + std::string(m.path) + "`"; }
  std::string operator()(const OpValue& op) const { return "the op `" + op.candidates[0]->qualified() + "`"; }
  std::string operator()(const FormValue&) const { return "a language form"; }
  std::string operator()(const BuiltinValue&) const { return "a function"; }
  std::string operator()(const FunctionValue& f) const { return "the function `" + f.function->name + "`"; }
  std::string operator()(const SelfValue&) const { return "`self`"; }
  std::string operator()(const HostObjectValue& o) const {
    return "a Python object of type `" + o.type_name + "`";
  }
};

}  // namespace

std::string describe(const Value& value) {
  return std::visit(Describe{}, value.v);
}

std::string to_text(const Value& value) {
  if (value.is<NoneValue>()) return "None";
  if (const auto* b = value.get<bool>()) return *b ? "True" : "False";
  if (const auto* i = value.get<int64_t>()) return std::to_string(*i);
  if (const auto* d = value.get<double>()) return ir::float_text(*d);
  if (const auto* s = value.get<std::string>()) return ir::quote(*s);
  if (const auto* t = value.get<ir::DType>()) return "pl." + std::string(info(*t).name);
  if (const auto* e = value.get<ir::EnumValue>()) return to_string(*e);
  if (const auto* e = value.get<ir::ExprRef>()) return ir::to_string((*e)->type);
  if (const auto* t = value.get<TypeValue>(); t && t->type) return ir::to_string(t->type);
  if (const auto* l = value.get<ListValue>()) {
    std::string out = l->is_tuple ? "(" : "[";
    for (size_t i = 0; i < l->items->size(); ++i) {
      if (i == 8) return out + ", ...]";
      const Value& item = (*l->items)[i];
      out += (i ? ", " : "") + (item.expr() ? ir::to_string(*item.get<ir::ExprRef>()) : to_text(item));
    }
    return out + (l->is_tuple ? ")" : "]");
  }
  return describe(value);
}

bool is_known(const Value& value) {
  if (const auto* l = value.get<ListValue>()) {
    for (const Value& item : *l->items) {
      if (!is_known(item)) return false;
    }
    return true;
  }
  return !value.is<UnboundValue>() && !value.is<ErrorValue>() && !value.is<UnusableValue>() &&
         !value.is<ir::ExprRef>();
}

bool known_equal(const Value& a, const Value& b) {
  auto number = [](const Value& v) -> std::optional<double> {
    if (const auto* i = v.get<int64_t>()) return static_cast<double>(*i);
    if (const auto* d = v.get<double>()) return *d;
    if (const auto* t = v.get<bool>()) return *t;
    return std::nullopt;
  };
  if (const auto* i = a.get<int64_t>(), *j = b.get<int64_t>(); i && j) return *i == *j;
  if (auto x = number(a), y = number(b); x && y) return *x == *y;
  if (a.is<NoneValue>() && b.is<NoneValue>()) return true;
  if (const auto* s = a.get<std::string>(), *t = b.get<std::string>(); s && t) return *s == *t;
  if (const auto* s = a.get<ir::DType>(), *t = b.get<ir::DType>(); s && t) return *s == *t;
  if (const auto* s = a.get<ir::EnumValue>(), *t = b.get<ir::EnumValue>(); s && t) return *s == *t;
  if (const auto* s = a.get<ListValue>(), *t = b.get<ListValue>(); s && t) {
    if (s->is_tuple != t->is_tuple || s->items->size() != t->items->size()) return false;
    for (size_t i = 0; i < s->items->size(); ++i) {
      if (!known_equal((*s->items)[i], (*t->items)[i])) return false;
    }
    return true;
  }
  if (const auto* s = a.get<FunctionValue>(), *t = b.get<FunctionValue>(); s && t)
    return s->function == t->function;
  return false;
}

}  // namespace tilewire::frontend
