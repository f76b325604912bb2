#include "check/written_places.h"

#include "ir/visitor.h"

namespace tilewire::check {
namespace {

struct Places : ir::Visitor<Places> {
  WrittenPlaces found;

  void visit(const ir::Function& node) { see(node); }
  void visit(const ir::For& node) { see(node); }
  void visit(const ir::While& node) { see(node); }
  void visit(const ir::If& node) { see(node); }
  void visit(const ir::SpmdScope& node) { see(node); }
  void visit(const ir::FunctionCall& node) { see(node); }
  void visit(const ir::Call& call) {
    found.ops.emplace(place_of(call), call.op);
    walk_children(call);
  }
  template <class T>
  void see(const T& node) {
    found.statements.insert(place_of(node));
    walk_children(node);
  }
};

}  // namespace

WrittenPlaces written_places(const ir::Program& written) {
  Places places;
  places.walk(written);
  return std::move(places.found);
}

}  // namespace tilewire::check
