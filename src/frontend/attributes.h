// Attr fields of IR nodes by name: a keyword of `pl.at(...)` or an entry of `attrs={...}` finds its field in
// the node's own list, so a new Attr field can be written in programs without a change here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "frontend/value.h"
#include "ir/node.h"

namespace tilewire::frontend {

enum class AttributeResult { Set, NoSuchField, WrongType };

template <class T>
bool assign_attribute(T& field, const Value& value) {
  if constexpr (std::is_enum_v<T> && !std::is_same_v<T, ir::DType>) {
    ir::EnumId id = ir::EnumIdOf<T>::id;
    const auto* member = value.get<ir::EnumValue>();
    const auto* text = value.get<std::string>();
    auto given = member && member->id == id ? std::optional(*member)
                 : text                     ? ir::enum_from_text(id, *text)
                                            : std::nullopt;
    if (given) field = static_cast<T>(given->value);
    return given.has_value();
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, double> ||
                       std::is_same_v<T, std::string> || std::is_same_v<T, ir::DType>) {
    const T* given = value.get<T>();
    if (given) field = *given;
    return given != nullptr;
  } else {
    return false;
  }
}

template <class Node>
AttributeResult set_attribute_field(Node& node, std::string_view name, const Value& value) {
  AttributeResult result = AttributeResult::NoSuchField;
  auto try_field = [&](const auto& field) {
    if (field.role != ir::FieldRole::Attr || field.name != name) return;
    result = assign_attribute(node.*field.member, value) ? AttributeResult::Set : AttributeResult::WrongType;
  };
  std::apply([&](const auto&... field) { (try_field(field), ...); }, Node::fields());
  return result;
}

// What to write for an attribute that got a value of another type; empty if the node has no such attribute.
template <class Node>
std::string attribute_help(std::string_view name) {
  std::string help;
  auto try_field = [&]<class T>(const ir::Field<Node, T>& field) {
    if (field.role != ir::FieldRole::Attr || field.name != name) return;
    std::string key = std::string(name) + "=";
    if constexpr (std::is_same_v<T, bool>) {
      help = "write `" + key + "True` or `" + key + "False`";
    } else if constexpr (std::is_same_v<T, std::string>) {
      help = "write a string: `" + key + "\"copy\"`";
    } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, ir::DType>) {
      const ir::EnumInfo& info = ir::info(ir::EnumIdOf<T>::id);
      for (const ir::EnumMember& member : info.members) {
        help += (help.empty() ? "write `" : ", `") + (help.empty() ? key : std::string()) +
                std::string(info.module) + "." + std::string(info.name) + "." + std::string(member.name) +
                "`";
      }
    } else {
      help = "write a constant: `" + key + "2`";
    }
  };
  std::apply([&](const auto&... field) { (try_field(field), ...); }, Node::fields());
  return help;
}

// The keywords that the form of this node accepts: "it takes `deps=`, `level=`, ...". `others`: keywords that
// are not attributes.
template <class Node>
std::string keywords_help(std::initializer_list<const char*> others) {
  std::string list;
  auto add = [&](const char* name) {
    list += (list.empty() ? "it takes `" : ", `") + std::string(name) + "=`";
  };
  for (const char* name : others) add(name);
  auto try_field = [&](const auto& field) {
    if (field.role == ir::FieldRole::Attr) add(field.name);
  };
  std::apply([&](const auto&... field) { (try_field(field), ...); }, Node::fields());
  return list;
}

}  // namespace tilewire::frontend
