#include "target/pto/fences.h"

#include "ir/op.h"

namespace tilewire::target::pto {

using namespace ir;

class FenceWalk {
 public:
  explicit FenceWalk(std::set<const Call*>& needed) : needed_(needed) {}

  void block(const Block& body) {
    for (const StmtRef& stmt : body.stmts) statement(*stmt);
  }

  // What earlier tasks have written counts for a first notify, too.
  bool under_way = true;

 private:
  void statement(const Stmt& stmt) {
    if (const auto* assign = as<Assign>(&stmt)) value(assign->value);
    if (const auto* eval = as<Eval>(&stmt)) value(eval->value);
    if (const auto* branch = as<If>(&stmt)) {
      const bool before = under_way;
      block(*branch->then_body);
      const bool after = under_way;
      under_way = before;
      if (branch->else_body) block(*branch->else_body);
      under_way = under_way || after;
    }
    if (const auto* loop = as<For>(&stmt)) rounds([&] { block(*loop->body); });
    if (const auto* loop = as<While>(&stmt)) {
      rounds([&] {
        block(*loop->before);
        block(*loop->body);
      });
    }
  }

  // A round may follow another one, or none may run: what is under way at the end of one is before the next.
  template <class Body>
  void rounds(const Body& body) {
    const bool before = under_way;
    body();
    if (!before && under_way) body();
    under_way = under_way || before;
  }

  void value(const ExprRef& expr) {
    const auto* call = as<Call>(expr);
    if (!call || call->op->note) return;
    bool signals = false, accesses = call->op->synchronizes;
    for (const Effect& effect : call->op->effects) {
      if (!happens(effect, *call)) continue;
      signals = signals || effect.access == Access::Signal;
      accesses = accesses || (effect.access != Access::Signal && effect.access != Access::Wait);
    }
    under_way = under_way || accesses;
    if (!signals) return;
    if (under_way) needed_.insert(call);
    under_way = false;
  }

  std::set<const Call*>& needed_;
};

Fences::Fences(const Function& function) {
  FenceWalk(needed_).block(*function.body);
}

}  // namespace tilewire::target::pto
