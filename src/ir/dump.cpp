#include "ir/dump.h"

#include "ir/fields.h"
#include "ir/op.h"
#include "ir/pointer_map.h"
#include "support/unicode.h"

namespace tilewire::ir {
namespace {

std::string shown(bool value) {
  return value ? "True" : "False";
}
std::string shown(int64_t value) {
  return std::to_string(value);
}
std::string shown(double value) {
  return float_text(value);
}
std::string shown(const std::string& value) {
  return quote(value);
}
std::string shown(DType value) {
  return "pl." + std::string(info(value).name);
}
template <LanguageEnum E>
std::string shown(E value) {
  return std::string(info(EnumIdOf<E>::id).name) + "." + std::string(member_name(enum_value(value)));
}
std::string shown(const Op* op) {
  return op ? op->qualified() : "None";
}
template <class V>
std::string shown(const std::optional<V>& value) {
  return value ? shown(*value) : "None";
}
std::string shown(const AttrList& attrs) {
  std::string out = "{";
  for (const auto& [name, value] : attrs) out += (out.size() > 1 ? ", " : "") + name + "=" + to_string(value);
  return out + "}";
}
std::string shown(const std::vector<int64_t>& values) {
  std::string out = "[";
  for (int64_t value : values) out += (out.size() > 1 ? ", " : "") + std::to_string(value);
  return out + "]";
}

// One node on one line.
class Line {
 public:
  struct Limits {
    int depth;
    size_t list;  // elements of a list
    size_t text;  // characters of a value
  };

  Line(Limits limits, PointerMap<uint32_t>* numbers) : limits_(limits), numbers_(numbers) {}

  void node(const Node* node, int depth, bool definition) {
    if (!node) {
      out_ += "None";
      return;
    }
    dispatch(*node, [&](const auto& typed) { this->typed(typed, depth, definition); });
  }

  template <class V>
  void value(const V& v, int depth, bool definition) {
    if constexpr (is_node_ref<V>) {
      node(v.get(), depth, definition);
    } else if constexpr (is_node_list<V>) {
      list(v, depth, definition);
    } else {
      std::string text = shown(v);
      if (text.size() > limits_.text) {
        text.resize(first_bytes(text, limits_.text).size());
        text += "...";
      }
      out_ += text;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  template <class V>
  void list(const V& values, int depth, bool definition) {
    out_ += "[";
    for (size_t i = 0; i < values.size(); ++i) {
      if (i) out_ += ", ";
      if (i == limits_.list || (depth <= 0 && i == 0)) {
        out_ += "... " + std::to_string(values.size() - i) + (i ? " more" : "");
        break;
      }
      node(values[i].get(), depth, definition);
    }
    out_ += "]";
  }

  template <class T>
  void typed(const T& node, int depth, bool definition) {
    if constexpr (std::is_base_of_v<Var, T>) {
      if (numbers_) {
        bool seen = !numbers_->insert(&node, static_cast<uint32_t>(numbers_->size())).second;
        out_ += "%" + std::to_string(*numbers_->find(&node)) + ":";
        if (seen && !definition) {
          out_ += node.name_hint;
          return;
        }
      }
    }
    out_ += class_name<T>;
    if (depth <= 0 && field_count < T >> 0) {
      out_ += "(...)";
      return;
    }
    out_ += "(";
    bool first = true;
    for_each_field(node, [&](const auto& field, const auto& v) {
      if (!std::exchange(first, false)) out_ += ", ";
      out_ += field.name;
      out_ += "=";
      value(v, depth - 1, field.role == FieldRole::Def || field.role == FieldRole::Bind);
    });
    out_ += ")";
  }

  Limits limits_;
  PointerMap<uint32_t>* numbers_;  // null: variables are not numbered
  std::string out_;
};

class Dumper {
 public:
  void node(const Node& node, int indent) {
    dispatch(node, [&](const auto& typed) { this->typed(typed, indent); });
  }
  std::string take() { return std::move(out_); }

 private:
  // Types and expressions are one line; what holds statements is one line per field.
  static bool one_line(const Node* node) {
    return !node || isa<Type>(*node) || isa<Expr>(*node) || isa<TensorView>(*node);
  }

  template <class T>
  void typed(const T& node, int indent) {
    if (one_line(&node)) {
      out_ += line(&node, false) + "\n";
      return;
    }
    out_ += class_name<T>;
    if (node.span) out_ += "  @ " + to_string(node.span);
    out_ += "\n";
    for_each_field(node, [&](const auto& field, const auto& value) {
      bool definition = field.role == FieldRole::Def || field.role == FieldRole::Bind;
      using V = std::remove_cvref_t<decltype(value)>;
      if constexpr (is_node_ref<V>) {
        child(field.name, value.get(), indent + 1, definition);
      } else if constexpr (is_node_list<V>) {
        for (size_t i = 0; i < value.size(); ++i) {
          std::string label = std::string(field.name) + "[" + std::to_string(i) + "]";
          child(label, value[i].get(), indent + 1, definition);
        }
      } else {
        Line text(unlimited, &numbers_);
        text.value(value, max_depth, definition);
        start(field.name, indent + 1);
        out_ += text.take() + "\n";
      }
    });
  }

  void child(std::string_view label, const Node* node, int indent, bool definition) {
    start(label, indent);
    if (one_line(node)) {
      out_ += line(node, definition) + "\n";
    } else {
      this->node(*node, indent);
    }
  }

  void start(std::string_view label, int indent) {
    out_.append(static_cast<size_t>(indent) * 2, ' ');
    out_ += label;
    out_ += ": ";
  }

  std::string line(const Node* node, bool definition) {
    Line text(unlimited, &numbers_);
    text.node(node, max_depth, definition);
    return text.take();
  }

  static constexpr Line::Limits unlimited{max_depth, SIZE_MAX, SIZE_MAX};
  PointerMap<uint32_t> numbers_;
  std::string out_;
};

}  // namespace

std::string dump(const NodeRef& node) {
  if (!node) return "None\n";
  Dumper dumper;
  dumper.node(*node, 0);
  return dumper.take();
}

std::string repr(const NodeRef& node) {
  Line line({3, 4, 60}, nullptr);
  line.node(node.get(), 3, true);
  return line.take();
}

}  // namespace tilewire::ir
