#include "ops/reference.h"

#include <algorithm>
#include <map>

#include "support/near.h"

namespace tilewire::ops {
namespace {

using ir::AttrKind;
using ir::Op;
using ir::OpParam;

std::string_view verb(ir::Access access) {
  switch (access) {
    case ir::Access::Read:
      return "reads";
    case ir::Access::Write:
      return "writes";
    case ir::Access::ReadWrite:
      return "reads and writes";
    case ir::Access::Atomic:
      return "atomically updates";
    case ir::Access::Signal:
      return "signals";
    case ir::Access::Wait:
      return "waits on";
    case ir::Access::Update:
      return "atomically reads and updates";
  }
  return "uses";
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace

std::string attribute_type(const OpParam& param) {
  switch (param.attr_kind) {
    case AttrKind::Bool:
      return "bool";
    case AttrKind::Int:
      return "int";
    case AttrKind::Float:
      return "float";
    case AttrKind::String:
      return "str";
    case AttrKind::DType:
      return "dtype";
    case AttrKind::Enum: {
      const ir::EnumInfo& e = ir::info(param.enum_id);
      return std::string(e.module.empty() ? "pl" : e.module) + "." + std::string(e.name);
    }
  }
  return "value";
}

std::string signature(const Op& op) {
  std::string out = op.qualified() + "(";
  bool first = true, keyword_only = false, after_optional = false;
  auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  for (const OpParam& param : op.params) {
    // As in Python: a parameter that must be given, after one that may be left out, is named.
    const bool optional = param.optional || param.default_value;
    after_optional = after_optional || optional;
    if ((param.keyword_only || (after_optional && !optional)) && !keyword_only) {
      separate();
      out += "*";
      keyword_only = true;
    }
    separate();
    out += param.name;
    if (param.default_value) {
      out += "=" + to_string(*param.default_value);
    } else if (param.optional) {
      out += "=None";
    }
  }
  return out + ")";
}

std::string describe(const OpParam& param) {
  std::string out;
  switch (param.kind) {
    case OpParam::Operand:
      out = ir::describe(param.accepts);
      break;
    case OpParam::ListOperand:
      out = "a list, each " + ir::describe(param.accepts);
      break;
    case OpParam::Attribute:
      out = attribute_type(param);
      break;
  }
  if (param.default_value) return out + ", default " + to_string(*param.default_value);
  return param.optional ? out + ", optional" : out;
}

std::string describe(const Op& op, const ir::Effect& effect) {
  std::string out(verb(effect.access));
  out += " " + code(op.params.at(effect.param).name);
  if (effect.offsets_param >= 0) out += " from " + code(op.params.at(effect.offsets_param).name);
  if (effect.extent_param >= 0) {
    const OpParam& extent = op.params.at(effect.extent_param);
    out += extent.kind == OpParam::ListOperand ? " over " : " over the shape of ";
    out += code(extent.name);
  }
  if (effect.all_peers) {
    out += " in the memory of every rank of the group";
  } else if (effect.peer_param >= 0) {
    out += " in the memory of rank " + code(op.params.at(effect.peer_param).name);
  }
  if (!effect.when_attr.empty()) {
    out += ", when " + code(effect.when_attr) + (effect.when_equal ? " is " : " is not ") +
           code(to_string(effect.when_value));
  }
  return out;
}

std::string_view summary(const Op& op) {
  std::string_view doc = op.doc;
  size_t end = doc.find(". ");
  end = std::min({end, doc.find(".\n"), doc.find("\n")});
  doc = doc.substr(0, end);
  if (doc.ends_with('.')) doc.remove_suffix(1);
  return doc;
}

std::string family(const Op& op) {
  size_t dot = op.name.rfind('.');
  return dot == std::string::npos ? op.module : op.module + "." + op.name.substr(0, dot);
}

std::vector<Family> families(const ir::OpTable& table) {
  std::map<std::string, std::vector<const Op*>> by_name;
  for (const Op& op : table.all()) by_name[family(op)].push_back(&op);
  std::vector<Family> result;
  for (auto& [name, list] : by_name) {
    std::sort(list.begin(), list.end(), [](const Op* a, const Op* b) { return a->name < b->name; });
    result.push_back({name, std::move(list)});
  }
  return result;
}

std::vector<const Op*> named(const ir::OpTable& table, std::string_view name) {
  if (const Op* op = table.find(name)) return {op};
  std::vector<const Op*> result;
  for (std::string_view module : {"pl", "pld"}) {
    std::string_view rest = name;
    if (rest.size() > module.size() && rest.starts_with(module) && rest[module.size()] == '.') {
      rest.remove_prefix(module.size() + 1);
    }
    for (const Op* op : table.candidates(module, rest)) {
      // `pl.put` means nothing although `put` does.
      if (rest.size() != name.size() && op->module != module) continue;
      if (std::find(result.begin(), result.end(), op) == result.end()) result.push_back(op);
    }
  }
  if (!result.empty() || name.empty()) return result;
  // Programs must write `pld.system.notify`; people may ask for `notify`.
  for (const Op& op : table.all()) {
    if (last_part(op.name) == name) result.push_back(&op);
  }
  return result;
}

std::vector<std::string> similar(const ir::OpTable& table, std::string_view name, size_t limit) {
  std::string_view wanted = last_part(name);
  std::vector<std::string> short_names, result;
  for (const Op& op : table.all()) {
    short_names.emplace_back(last_part(op.name));
    for (const std::string& alias : op.aliases) short_names.emplace_back(last_part(alias));
  }
  auto add = [&](const Op& op) {
    std::string full = op.qualified();
    bool known = std::find(result.begin(), result.end(), full) != result.end();
    if (!known && result.size() < limit) result.push_back(std::move(full));
  };
  if (std::optional<std::string> slip = nearest(wanted, short_names)) {
    for (const Op& op : table.all()) {
      if (last_part(op.name) == *slip) add(op);
    }
    for (const Op* op : named(table, *slip)) add(*op);
  }
  for (const Op& op : table.all()) {
    if (wanted.size() >= 3 && op.name.find(wanted) != std::string::npos) add(op);
  }
  return result;
}

}  // namespace tilewire::ops
