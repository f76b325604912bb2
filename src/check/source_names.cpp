#include "check/source_names.h"

#include <tuple>

#include "ir/visitor.h"

namespace tilewire::check {
namespace {

using Place = std::tuple<const SourceFile*, uint32_t, uint32_t>;

Place place_of(const ir::Node& node) {
  return {node.span.file.get(), node.span.line, node.span.column};
}

// Kernels, and task scopes, by their position.
struct Tasks : ir::Visitor<Tasks> {
  std::map<Place, std::string> names;
  std::string function;

  void visit(const ir::AtScope& scope) { see(scope); }
  void visit(const ir::SpmdScope& scope) { see(scope); }
  template <class Scope>
  void see(const Scope& scope) {
    names.emplace(place_of(scope), scope.name_hint.empty() ? function : scope.name_hint);
    walk_children(scope);
  }
};

}  // namespace

std::map<std::string, std::string, std::less<>> source_names(const ir::Program& written,
                                                             const ir::Program& lowered) {
  Tasks tasks;
  for (const ir::FunctionRef& function : written.functions) {
    tasks.function = function->name;
    tasks.names.emplace(place_of(*function), function->name);
    tasks.walk(*function->body);
  }
  std::map<std::string, std::string, std::less<>> names;
  for (const ir::FunctionRef& function : lowered.functions) {
    if (written.find(function->name)) continue;
    auto found = tasks.names.find(place_of(*function));
    if (found != tasks.names.end()) names.emplace(function->name, found->second);
  }
  return names;
}

}  // namespace tilewire::check
