#include "passes/captures.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

using namespace ir;

namespace {

class Finder {
 public:
  Captures found;

  void walk(const Node& node) {
    dispatch(node, [&](const auto& typed) { fields(typed); });
  }

 private:
  template <class T>
  void fields(const T& node) {
    if constexpr (std::is_same_v<T, DimSymbol>) {
      if (std::find(found.dims.begin(), found.dims.end(), node.name) == found.dims.end()) {
        found.dims.push_back(node.name);
      }
    }
    for_each_child(node, [&](const auto& child, FieldRole role) {
      using C = NodeClassOf<std::remove_cvref_t<decltype(child)>>;
      if (!child) return;
      if constexpr (std::is_base_of_v<Var, C>) {
        variable(*child, role == FieldRole::Def || role == FieldRole::Bind);
      } else if constexpr (std::is_base_of_v<Type, C>) {
        type(*child);
      } else {
        if (const auto* var = as<Var>(child)) return variable(*var, false);
        walk(*child);
      }
    });
  }

  // Variables in types do not count: types are derived anew from the operands when the code moves.
  void variable(const Var& var, bool defined) {
    if (in_type_ || isa<WindowBuffer>(var) || !seen_.insert(&var, 1).second) return;
    type(*var.type);
    if (!defined) found.vars.push_back(ref(&var));
  }

  void type(const Type& type) {
    if (!types_.insert(&type, 1).second) return;
    bool outer = std::exchange(in_type_, true);
    walk(type);
    in_type_ = outer;
  }

  PointerMap<uint8_t> seen_;
  PointerMap<uint8_t> types_;
  bool in_type_ = false;
};

}  // namespace

Captures captures_of(const Block& body) {
  Finder finder;
  finder.walk(body);
  return std::move(finder.found);
}

}  // namespace tilewire::passes
