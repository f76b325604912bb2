// What the Python function of an op looks like, as text, from the op's declaration. Shared by the bindings
// and the stub writer; knows nothing of Python's C interface.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"
#include "ops/reference.h"

namespace tilewire::ops {

struct OpParamText {
  std::string name;
  std::string annotation;
  std::string default_text;  // empty: must be given
  bool keyword_only = false;
  bool operator==(const OpParamText&) const = default;
};

inline std::string attribute_annotation(const ir::OpParam& param) {
  if (param.attr_kind == ir::AttrKind::DType) return "pl.DType";
  return attribute_type(param) + (param.attr_kind == ir::AttrKind::Enum ? " | str" : "");
}

// A parameter as Python can declare it: one that must be given but follows an optional one is named.
inline std::vector<OpParamText> op_params(const ir::Op& op) {
  std::vector<OpParamText> result;
  bool after_optional = false, after_keyword = false;
  for (const ir::OpParam& param : op.params) {
    bool attribute = param.kind == ir::OpParam::Attribute;
    OpParamText text{param.name, attribute ? attribute_annotation(param) : "Any", "", param.keyword_only};
    if (param.optional || param.default_value) {
      text.default_text = param.default_value ? to_string(*param.default_value) : "None";
      if (!param.default_value && attribute) text.annotation += " | None";
      after_optional = true;
    } else if (after_optional) {
      text.keyword_only = true;
    }
    after_keyword = after_keyword || text.keyword_only;
    text.keyword_only = after_keyword;
    result.push_back(std::move(text));
  }
  return result;
}

// Whether every call that `less` accepts is one of `more`.
inline bool covers(const std::vector<OpParamText>& more, const std::vector<OpParamText>& less) {
  return more.size() >= less.size() && std::equal(less.begin(), less.end(), more.begin()) &&
         std::all_of(more.begin() + static_cast<ptrdiff_t>(less.size()), more.end(),
                     [](const OpParamText& param) { return !param.default_text.empty(); });
}

// Of the candidates of a short name those with parameters that no other one covers, in their order: one, or
// as many as there are ways to call it.
inline std::vector<const ir::Op*> distinct_forms(std::span<const ir::Op* const> candidates) {
  std::vector<const ir::Op*> forms;
  for (const ir::Op* op : candidates) {
    const auto params = op_params(*op);
    auto covered = [&](const ir::Op* form) { return covers(op_params(*form), params); };
    if (std::any_of(forms.begin(), forms.end(), covered)) continue;
    std::erase_if(forms, [&](const ir::Op* form) { return covers(params, op_params(*form)); });
    forms.push_back(op);
  }
  return forms;
}

// A name under `pl` or `pld` and the ops it may mean. A name with a family means one op.
struct OpName {
  std::string family;  // "tile"; empty: directly under the module
  std::string name;    // "add"
  std::vector<const ir::Op*> candidates;
};

// Every name of the module that Python can spell, each once, in the order of the registry. Names without
// their family are there for the families that have a short form.
inline std::vector<OpName> op_names(const ir::OpTable& table, std::string_view module) {
  std::vector<OpName> result;
  std::set<std::string> done;
  auto add = [&](std::string family, std::string name, std::span<const ir::Op* const> candidates) {
    if (candidates.empty() || name == "and" || name == "or" || name == "not") return;
    if (!done.insert(family + "." + name).second) return;
    result.push_back({std::move(family), std::move(name), {candidates.begin(), candidates.end()}});
  };
  for (const ir::Op& op : table.all()) {
    if (op.module != module) continue;
    std::vector<std::string> names = op.aliases;
    names.push_back(op.name);
    for (const std::string& name : names) {
      size_t dot = name.find('.');
      std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
      const ir::Op* only = &op;
      if (dot != std::string::npos) add(name.substr(0, dot), last, {&only, 1});
      add("", last, table.candidates(module, last));
    }
  }
  return result;
}

// One op for help(): its sentence, its parameters, where it may be used.
inline std::string op_doc(const ir::Op& op) {
  std::string text = op.doc;
  if (!op.params.empty()) text += "\n";
  for (const ir::OpParam& param : op.params) text += "\n" + param.name + ": " + param.doc;
  if (!op.result_doc.empty()) text += "\n\nReturns: " + op.result_doc;
  return text + "\n\nUsed at: " + ir::describe_levels(op.levels) + ".";
}

inline std::string ops_doc(std::span<const ir::Op* const> candidates) {
  if (candidates.size() == 1) return op_doc(*candidates.front());
  std::string text = candidates.front()->doc + "\n\nChosen by the operands:";
  for (const ir::Op* op : candidates) {
    text += "\n\n" + signature(*op) + "\n" + op_doc(*op);
  }
  return text;
}

}  // namespace tilewire::ops
