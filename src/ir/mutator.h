// Rewriting IR: a new tree that shares every node that did not change.
//
//     struct DropEvals : Mutator<DropEvals> {
//       NodeRef rewrite(const Eval&) { return nullptr; }
//       NodeRef rewrite(const Call& call) {
//         auto inner = rewrite_children(call);    // Ref<const Call>, the same node if nothing changed
//         ...
//       }
//     };
//     ProgramRef after = DropEvals().mutate(before);
//
// `rewrite` is a public overload set of Derived, like `visit` of a Visitor. Its result must fit the place
// of the old node; in a list of statements a Block is replaced by its statements, and null by none.
//
// Variables (window buffers among them) and types are rewritten once and the result is used at every place
// of the old node, so definitions and uses stay one node. Replace a variable in `rewrite(const Var&)`, or
// ahead of time with `replace`.
#pragma once

#include "ir/fields.h"
#include "ir/pointer_map.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

template <class Derived>
class Mutator {
 public:
  template <class T>
  Ref<const T> mutate(const Ref<const T>& node) {
    if (!node) return nullptr;
    NodeRef result = mutate_node(*node);
    if (result == node) return node;
    TW_CHECK(!result || isa<T>(*result), std::string("a ") + std::string(kind_name(*node)) +
                                             " was rewritten to a " + std::string(kind_name(*result)) +
                                             ", which does not fit its place");
    return Ref<const T>(static_cast<const T*>(result.get()));
  }

  // The node with its children rewritten; the node itself when none of them changed.
  template <class T>
  Ref<const T> rewrite_children(const T& node) {
    if constexpr (std::is_final_v<T>) {
      return rewrite_exact(node);
    } else {
      NodeRef result = dispatch(node, [&](const auto& exact) -> NodeRef { return rewrite_exact(exact); });
      return Ref<const T>(static_cast<const T*>(result.get()));
    }
  }

  // From now on `after` replaces the variable or type wherever it occurs.
  template <class T>
  void replace(const Ref<const T>& before, NodeRef after) {
    static_assert(is_memoised<T>, "only variables and types are looked up by identity");
    remember(*before, std::move(after));
  }

 private:
  template <class T>
  static constexpr bool is_memoised = std::is_base_of_v<Var, T> || std::is_base_of_v<Type, T>;

  NodeRef mutate_node(const Node& node) {
    return dispatch(node, [&](const auto& typed) -> NodeRef {
      using T = std::remove_cvref_t<decltype(typed)>;
      if constexpr (is_memoised<T>) {
        if (const uint32_t* known = memo_.find(&typed)) return results_[*known].second;
        NodeRef result = rewrite_or_descend(typed);
        remember(typed, result);
        return result;
      } else {
        return rewrite_or_descend(typed);
      }
    });
  }

  template <class T>
  NodeRef rewrite_or_descend(const T& node) {
    if constexpr (requires(Derived & derived) { derived.rewrite(node); }) {
      return static_cast<Derived*>(this)->rewrite(node);
    } else {
      return rewrite_exact(node);
    }
  }

  template <class T>
  Ref<const T> rewrite_exact(const T& node) {
    Ref<T> changed;
    constexpr auto list = T::fields();
    std::apply([&](const auto&... field) { (rewrite_field(node, field, changed), ...); }, list);
    if (!changed) return ref(&node);
    return finish_node(std::move(changed));
  }

  // Keeps the old node alive too: its address must not be reused.
  void remember(const Node& before, NodeRef after) {
    auto [index, added] = memo_.insert(&before, static_cast<uint32_t>(results_.size()));
    if (added) {
      results_.emplace_back(ref(&before), std::move(after));
    } else {
      results_[*index].second = std::move(after);
    }
  }

  template <class T, class C, class V>
  void rewrite_field(const T& node, const Field<C, V>& field, Ref<T>& changed) {
    const V& value = node.*field.member;
    auto set = [&](V updated) {
      if (!changed) changed = copy(node);
      changed.get()->*field.member = std::move(updated);
    };
    if constexpr (is_node_ref<V>) {
      V updated = mutate(value);
      if (updated != value) set(std::move(updated));
    } else if constexpr (std::is_same_v<V, std::vector<StmtRef>>) {
      if (V updated; rewrite_statements(value, updated)) set(std::move(updated));
    } else if constexpr (is_node_list<V>) {
      if (V updated; rewrite_list(value, updated)) set(std::move(updated));
    }
  }

  // Whether anything changed; `updated` is filled only then.
  template <class V>
  bool rewrite_list(const V& list, V& updated) {
    bool any = false;
    for (size_t i = 0; i < list.size(); ++i) {
      auto element = mutate(list[i]);
      if (!any && element == list[i]) continue;
      if (!any) updated.assign(list.begin(), list.begin() + i);
      any = true;
      updated.push_back(std::move(element));
    }
    return any;
  }

  bool rewrite_statements(const std::vector<StmtRef>& list, std::vector<StmtRef>& updated) {
    bool any = false;
    for (size_t i = 0; i < list.size(); ++i) {
      NodeRef element = mutate_node(*list[i]);
      if (!any && element == list[i]) continue;
      if (!any) updated.assign(list.begin(), list.begin() + i);
      any = true;
      if (const auto* block = as<Block>(element)) {
        updated.insert(updated.end(), block->stmts.begin(), block->stmts.end());
      } else if (element) {
        TW_CHECK(isa<Stmt>(*element), "a statement was rewritten to something else");
        updated.push_back(ref(static_cast<const Stmt*>(element.get())));
      }
    }
    return any;
  }

  PointerMap<uint32_t> memo_;
  std::vector<std::pair<NodeRef, NodeRef>> results_;
};

}  // namespace tilewire::ir
