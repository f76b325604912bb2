#include "ir/uses.h"

#include "ir/visitor.h"

namespace tilewire::ir {

bool uses(const Node& node, const Var& var) {
  struct Find : Visitor<Find> {
    const Var* wanted = nullptr;
    bool found = false;
    void visit(const Var& each) { found = found || &each == wanted; }
  } find;
  find.wanted = &var;
  find.walk(node);
  return find.found;
}

}  // namespace tilewire::ir
