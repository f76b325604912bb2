// src/ops/handles.h: one handle per op, in namespaces that follow the names of the language.
#include <map>
#include <set>

#include "ops/registry.h"
#include "tools/generators.h"

namespace tilewire::tools {
namespace {

// Names that C++ has taken: `pl.scalar.and` is `pl::scalar::and_`.
std::string identifier(const std::string& name) {
  static const std::set<std::string> taken = {"and", "or", "not", "xor", "bitand", "bitor"};
  return taken.contains(name) ? name + "_" : name;
}

}  // namespace

std::string op_handles() {
  std::map<std::string, std::map<std::string, std::string>> spaces;  // namespace, identifier, op
  for (const ir::Op& op : ops::registry().all()) {
    size_t dot = op.name.rfind('.');
    std::string space = op.module + (dot == std::string::npos ? "" : "::" + op.name.substr(0, dot));
    std::string name = identifier(dot == std::string::npos ? op.name : op.name.substr(dot + 1));
    spaces[space][name] = op.qualified();
  }
  std::string out =
      "// One handle per op, for code that names ops (handle.h). Made from the op records by\n"
      "// `tilewire-generate --write .`; do not edit.\n"
      "// clang-format off\n"
      "#pragma once\n\n"
      "#include \"ops/handle.h\"\n\n"
      "namespace tilewire::ops {\n";
  for (const auto& [space, names] : spaces) {
    out += "\nnamespace " + space + " {\n";
    for (const auto& [name, op] : names)
      out += "inline constinit const Handle " + name + "{\"" + op + "\"};\n";
    out += "}\n";
  }
  return out + "\n}  // namespace tilewire::ops\n";
}

}  // namespace tilewire::tools
