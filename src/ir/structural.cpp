// One walk compares two trees, one walk hashes a tree; both see nothing but field lists.
#include "ir/structural.h"

#include <bit>
#include <cstring>
#include <set>

#include "ir/dump.h"
#include "ir/fields.h"
#include "ir/op.h"
#include "ir/pointer_map.h"

namespace tilewire::ir {
namespace {

// --- values of fields -------------------------------------------------------------------------------------

bool same_value(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool same_value(const AttrValue& a, const AttrValue& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const double* x = a.get<double>()) return same_value(*x, *b.get<double>());
  const auto* list = a.get<AttrValueList>();
  if (!list) return a.value == b.value;
  const auto& other = *b.get<AttrValueList>();
  if (list->size() != other.size()) return false;
  for (size_t i = 0; i < list->size(); ++i) {
    if (!same_value((*list)[i], other[i])) return false;
  }
  return true;
}

bool same_value(const AttrList& a, const AttrList& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first || !same_value(a[i].second, b[i].second)) return false;
  }
  return true;
}

// Ops of two tables (such as a test's and the registry's) are the same op by name.
bool same_value(const Op* a, const Op* b) {
  if (a == b || !a || !b) return a == b;
  return a->module == b->module && a->name == b->name;
}

template <class V>
bool same_value(const V& a, const V& b) {
  return a == b;
}

// --- equality ---------------------------------------------------------------------------------------------

enum class FreeVars { Correspond, Identical };

class Comparer {
 public:
  explicit Comparer(FreeVars free) : free_(free) {}

  bool equal(const Node* a, const Node* b, FieldRole role = FieldRole::Use) {
    if (!a || !b || a->kind() != b->kind()) return (a == nullptr && b == nullptr) || differ(a, b);
    if (isa<Var>(*a)) return equal_vars(*a, *b, role);
    if (isa<Type>(*a)) return equal_types(*a, *b);
    return equal_fields(*a, *b);
  }

  std::string difference() const {
    std::string path;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (!path.empty()) path += ".";
      path += step->field;
      if (step->index >= 0) path += "[" + std::to_string(step->index) + "]";
    }
    if (path.empty()) path = "the root";
    return path + ": " + text(left_) + " vs " + text(right_);
  }

 private:
  struct Step {
    const char* field;
    ptrdiff_t index;  // -1: not in a list
  };

  static std::string text(const Node* node) { return node ? repr(ref(node)) : "null"; }

  bool differ(const Node* a, const Node* b) {
    left_ = a;
    right_ = b;
    return false;
  }

  bool equal_vars(const Node& a, const Node& b, FieldRole role) {
    const Node* const* to = right_of_.find(&a);
    const Node* const* from = left_of_.find(&b);
    if (to || from) return (to && from && *to == &b && *from == &a) || differ(&a, &b);
    bool definition = role == FieldRole::Def || role == FieldRole::Bind;
    if (free_ == FreeVars::Identical && !definition && &a != &b) return differ(&a, &b);
    right_of_.insert(&a, &b);
    left_of_.insert(&b, &a);
    return equal_fields(a, b);
  }

  // Correspondences are only ever added, so what was equal once stays so.
  bool equal_types(const Node& a, const Node& b) {
    const Node** last = equal_type_.find(&a);
    if (last && *last == &b) return true;
    if (last && further_equal_types_.contains({&a, &b})) return true;
    if (!equal_fields(a, b)) return false;
    if (!equal_type_.insert(&a, &b).second) further_equal_types_.insert({&a, &b});
    return true;
  }

  bool equal_fields(const Node& a, const Node& b) {
    return dispatch(a, [&](const auto& left) {
      using T = std::remove_cvref_t<decltype(left)>;
      const T& right = static_cast<const T&>(b);
      return all_fields(left, [&](const auto& field, const auto& value) {
        if (field.role == FieldRole::Ignored) return true;
        const auto& other = right.*field.member;
        using V = std::remove_cvref_t<decltype(value)>;
        if constexpr (is_node_ref<V>) {
          if (equal(value.get(), other.get(), field.role)) return true;
        } else if constexpr (is_node_list<V>) {
          return equal_lists(value, other, field, a, b);
        } else {
          if (same_value(value, other)) return true;
          differ(&a, &b);
        }
        steps_.push_back({field.name, -1});
        return false;
      });
    });
  }

  template <class V, class F>
  bool equal_lists(const V& a, const V& b, const F& field, const Node& left, const Node& right) {
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (equal(a[i].get(), b[i].get(), field.role)) continue;
      steps_.push_back({field.name, static_cast<ptrdiff_t>(i)});
      return false;
    }
    if (a.size() == b.size()) return true;
    steps_.push_back({field.name, -1});
    return differ(&left, &right);
  }

  FreeVars free_;
  PointerMap<const Node*> right_of_, left_of_;
  PointerMap<const Node*> equal_type_;
  std::set<std::pair<const Node*, const Node*>> further_equal_types_;  // beyond one partner per type
  std::vector<Step> steps_;  // of the first difference, innermost first
  const Node* left_ = nullptr;
  const Node* right_ = nullptr;
};

// --- hash -------------------------------------------------------------------------------------------------

// Feeds a state in field order. A variable's or type's own hash is made once per function and fed at every
// place: it does not depend on where it stands, only on which variables were met before it.
class Hasher {
 public:
  void feed(const Node* node) {
    if (!node) return feed(uint64_t{0x6e756c6c});
    dispatch(*node, [&](const auto& typed) {
      using T = std::remove_cvref_t<decltype(typed)>;
      if constexpr (std::is_base_of_v<Var, T> || std::is_base_of_v<Type, T>) {
        feed(own_hash(typed));
      } else if constexpr (std::is_same_v<T, Function>) {
        forget();  // variables do not leave their function
        feed_fields(typed);
        forget();
      } else {
        feed_fields(typed);
      }
    });
  }

  uint64_t result() const {
    uint64_t h = state_;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
  }

 private:
  void feed(uint64_t value) {
    // One-to-one in `value` for a given state and vice versa.
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
  }
  void feed(std::string_view text) {
    feed(uint64_t{text.size()});
    for (; text.size() >= 8; text.remove_prefix(8)) {
      uint64_t chunk;
      std::memcpy(&chunk, text.data(), 8);
      feed(chunk);
    }
    uint64_t rest = 0;
    for (unsigned char c : text) rest = rest << 8 | c;
    if (!text.empty()) feed(rest);
  }
  void feed(const std::string& text) { feed(std::string_view(text)); }
  void feed(bool value) { feed(uint64_t{value}); }
  void feed(int64_t value) { feed(static_cast<uint64_t>(value)); }
  void feed(double value) { feed(std::bit_cast<uint64_t>(value)); }
  template <class E>
  requires std::is_enum_v<E>
  void feed(E value) { feed(static_cast<uint64_t>(value)); }
  void feed(const EnumValue& value) { feed(uint64_t{static_cast<uint8_t>(value.id)} << 8 | value.value); }
  template <class V>
  void feed(const std::optional<V>& value) {
    feed(value.has_value());
    if (value) feed(*value);
  }
  template <class V>
  void feed(const std::vector<V>& list) {
    feed(uint64_t{list.size()});
    for (const V& element : list) feed(element);
  }
  template <class T>
  void feed(const Ref<const T>& node) {
    feed(static_cast<const Node*>(node.get()));
  }
  void feed(const std::pair<std::string, AttrValue>& attr) {
    feed(attr.first);
    feed(attr.second);
  }
  void feed(const AttrValue& attr) {
    feed(uint64_t{attr.value.index()});
    std::visit([&](const auto& value) { feed(value); }, attr.value);
  }
  void feed(const Op* op) {
    uint64_t* known = ops_.find(op);
    if (!known) known = ops_.insert(op, apart([&] { feed(op ? op->qualified() : std::string()); })).first;
    feed(*known);
  }

  template <class T>
  void feed_fields(const T& node) {
    feed(uint64_t{kind_of<T>});
    for_each_field(node, [&](const auto& field, const auto& value) {
      if (field.role != FieldRole::Ignored) feed(value);
    });
  }

  template <class T>
  uint64_t own_hash(const T& node) {
    if (const uint64_t* known = own_.find(&node)) return *known;
    uint64_t hash = apart([&] {
      if constexpr (std::is_base_of_v<Var, T>) feed(++variables_);
      feed_fields(node);
    });
    own_.insert(&node, hash);
    return hash;
  }

  // What `f` feeds, by itself.
  template <class F>
  uint64_t apart(F&& f) {
    uint64_t outer = std::exchange(state_, initial);
    f();
    return std::exchange(state_, outer);
  }

  void forget() {
    own_.clear();
    variables_ = 0;
  }

  static constexpr uint64_t initial = 0x54696c6577697265ULL;
  uint64_t state_ = initial;
  uint64_t variables_ = 0;
  PointerMap<uint64_t> own_;
  PointerMap<uint64_t> ops_;
};

// --- compatibility of types -------------------------------------------------------------------------------

bool mentions_symbol(const Node& node) {
  bool found = isa<DimSymbol>(node);
  if (!found && !isa<Var>(node)) {
    for_each_child(node, [&](const auto& child, FieldRole) {
      using C = NodeClassOf<std::remove_cvref_t<decltype(child)>>;
      if constexpr (!std::is_base_of_v<Type, C>) found = found || (child && mentions_symbol(*child));
    });
  }
  return found;
}

class Unifier {
 public:
  // Without bindings, dynamic dimensions are equal only to themselves.
  explicit Unifier(DimBindings* bindings) : bindings_(bindings) {}

  bool types(const TypeRef& wanted, const TypeRef& actual) {
    if (wanted == actual && !bindings_) return true;
    if (!wanted || !actual) return wanted == actual;
    if (const auto* tensor = as<TensorType>(wanted)) return tensors(*tensor, as<TensorType>(actual));
    if (wanted->kind() != actual->kind()) return false;
    if (const auto* tile = as<TileType>(wanted)) return tiles(*tile, *as<TileType>(actual));
    if (const auto* tuple = as<TupleType>(wanted)) return tuples(*tuple, *as<TupleType>(actual));
    return structurally_equal(wanted, actual);
  }

 private:
  bool tensors(const TensorType& wanted, const TensorType* actual) {
    if (!actual || wanted.dtype != actual->dtype || !dims(wanted.shape, actual->shape)) return false;
    if (!views(wanted, *actual)) return false;
    const auto* window = as<DistributedTensorType>(&wanted);
    if (!window) return true;
    const auto* other = as<DistributedTensorType>(actual);
    if (!other) return false;
    const WindowBufferRef &mine = window->window_buffer, &theirs = other->window_buffer;
    return !mine || !theirs || mine == theirs || identical_but_for_definitions(mine, theirs);
  }

  bool tiles(const TileType& wanted, const TileType& actual) {
    bool memory = !wanted.memory || !actual.memory || wanted.memory == actual.memory;
    return memory && wanted.dtype == actual.dtype && dims(wanted.shape, actual.shape);
  }

  bool tuples(const TupleType& wanted, const TupleType& actual) {
    if (wanted.types.size() != actual.types.size()) return false;
    for (size_t i = 0; i < wanted.types.size(); ++i) {
      if (!types(wanted.types[i], actual.types[i])) return false;
    }
    return true;
  }

  bool dims(const ExprList& wanted, const ExprList& actual) {
    if (wanted.size() != actual.size()) return false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!dim(wanted[i], actual[i])) return false;
    }
    return true;
  }

  bool dim(const ExprRef& wanted, const ExprRef& actual) {
    auto value = constant_value(wanted);
    if (auto other = constant_value(actual); value && other) return *value == *other;
    if (bindings_) {
      if (const auto* symbol = as<DimSymbol>(wanted)) return bindings_->unify(*symbol, actual);
      if (mentions_symbol(*wanted)) return true;
    }
    return wanted == actual || identical_but_for_definitions(wanted, actual);
  }

  bool views(const TensorType& wanted, const TensorType& actual) {
    auto layout = [](const TensorType& type) { return type.view ? type.view->layout : Layout::ND; };
    if (layout(wanted) != layout(actual)) return false;
    if (!wanted.view || wanted.view->stride.empty()) return true;
    if (actual.view && !actual.view->stride.empty()) return dims(wanted.view->stride, actual.view->stride);
    return dense_strides_fit(wanted.view->stride, actual.shape);
  }

  // Whether strides that are constants are those of a dense tensor, as far as its shape is known.
  static bool dense_strides_fit(const ExprList& strides, const ExprList& shape) {
    std::optional<uint64_t> expected = 1;
    for (size_t i = shape.size(); i-- > 0 && expected;) {
      auto stride = constant_value(strides[i]);
      if (stride && static_cast<uint64_t>(*stride) != *expected) return false;
      auto extent = constant_value(shape[i]);
      expected = extent ? std::optional(*expected * static_cast<uint64_t>(*extent)) : std::nullopt;
    }
    return true;
  }

  DimBindings* bindings_;
};

}  // namespace

bool structurally_equal(const NodeRef& left, const NodeRef& right) {
  return Comparer(FreeVars::Correspond).equal(left.get(), right.get());
}

bool identical_but_for_definitions(const NodeRef& left, const NodeRef& right) {
  return Comparer(FreeVars::Identical).equal(left.get(), right.get());
}

uint64_t structural_hash(const NodeRef& node) {
  Hasher hasher;
  hasher.feed(node.get());
  return hasher.result();
}

std::string first_difference(const NodeRef& left, const NodeRef& right) {
  Comparer comparer(FreeVars::Correspond);
  return comparer.equal(left.get(), right.get()) ? std::string() : comparer.difference();
}

bool DimBindings::unify(const DimSymbol& symbol, const ExprRef& dim) {
  if (const ExprRef* bound = find(symbol.name)) {
    auto value = constant_value(*bound);
    // Two different expressions may still be equal when the program runs: that is checked then.
    auto other = constant_value(dim);
    return !value || !other || *value == *other;
  }
  bindings_.emplace_back(ref(&symbol), dim);
  return true;
}

const ExprRef* DimBindings::find(std::string_view name) const {
  for (const auto& [symbol, dim] : bindings_) {
    if (symbol->name == name) return &dim;
  }
  return nullptr;
}

bool compatible(const TypeRef& annotation, const TypeRef& actual) {
  DimBindings bindings;
  return compatible(annotation, actual, bindings);
}

bool compatible(const TypeRef& annotation, const TypeRef& actual, DimBindings& bindings) {
  return Unifier(&bindings).types(annotation, actual);
}

bool assignable(const TypeRef& declared, const TypeRef& actual) {
  return Unifier(nullptr).types(declared, actual);
}

}  // namespace tilewire::ir
