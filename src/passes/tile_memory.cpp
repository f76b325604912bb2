#include "passes/tile_memory.h"

#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/tensor_forms.h"

namespace tilewire::passes {

using namespace ir;

namespace {

bool is_product(const Op& op) {
  return op.form == OpForm::Matmul || op.form == OpForm::MatmulAcc || op.form == OpForm::MatmulBias;
}

// Whether the op brings a tile into the core and may put it anywhere.
bool brings_in(const Op& op) {
  return op.form == OpForm::Load || op.needs_annotation;
}

// Variables that loops and branches connect live in one place: union-find, and votes for each class.
class Voter : public Visitor<Voter> {
 public:
  explicit Voter(const Function& kernel) { walk(*kernel.body); }

  void settle(PointerMap<MemorySpace>& spaces) {
    for (size_t i = 0; i < vars_.size(); ++i) {
      const Votes& votes = votes_[find(i)];
      MemorySpace space = MemorySpace::Vec;
      if (votes.stated) {
        space = *votes.stated;
      } else if (votes.accumulates) {
        space = MemorySpace::Acc;
      } else if (votes.staged && !votes.computed && !votes.used_elsewhere) {
        space = MemorySpace::Mat;
      }
      spaces.insert(vars_[i], space);
    }
  }

  void visit(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (const auto* tile = as<TileType>(assign.var->type)) {
      Votes& votes = of(*assign.var);
      if (tile->memory) votes.stated = tile->memory;
      if (call && is_product(*call->op)) {
        votes.accumulates = true;
      } else if (!call || !brings_in(*call->op)) {
        votes.computed = true;
      }
    }
    walk(assign.value);
  }

  void visit(const Call& call) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (call.args[i] && isa<TileType>(call.args[i]->type)) {
        auto wanted = required_memory(call, i);
        Votes& votes = of(*call.args[i]);
        bool into_product = wanted && *wanted != MemorySpace::Vec;
        if (wanted == MemorySpace::Acc) votes.accumulates = true;
        (into_product ? votes.staged : votes.used_elsewhere) = true;
      } else if (call.args[i]) {
        walk(call.args[i]);
      }
    }
  }

  void visit(const Var& var) {
    if (isa<TileType>(var.type)) of(var).used_elsewhere = true;
  }

  void visit(const Yield&) {}

  void visit(const If& branch) {
    for (const BlockRef& body : {branch.then_body, branch.else_body}) {
      if (!body) continue;
      walk(*body);
      hand_on(*body, branch.results);
    }
  }
  void visit(const For& loop) { carried(loop); }
  void visit(const While& loop) {
    walk(*loop.before);
    carried(loop);
  }

 private:
  struct Votes {
    std::optional<MemorySpace> stated;
    bool accumulates = false;
    bool computed = false;  // by a vector op
    bool staged = false;    // a product takes it
    bool used_elsewhere = false;
  };

  template <class T>
  void carried(const T& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      unite(loop.init_values[i], loop.iter_args[i]);
      unite(loop.results[i], loop.iter_args[i]);
    }
    walk(*loop.body);
    hand_on(*loop.body, loop.iter_args);
  }

  void hand_on(const Block& body, const VarList& to) {
    const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
    for (size_t i = 0; yield && i < to.size(); ++i) unite(yield->values[i], to[i]);
  }

  size_t number(const Expr& var) {
    auto [place, added] = places_.insert(&var, static_cast<uint32_t>(vars_.size()));
    if (added) {
      parent_.push_back(vars_.size());
      vars_.push_back(&var);
      votes_.emplace_back();
    }
    return *place;
  }

  Votes& of(const Expr& var) { return votes_[find(number(var))]; }

  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(const ExprRef& x, const ExprRef& y) {
    if (!isa<TileType>(y->type)) return;
    size_t first = number(*x), second = number(*y);  // both before either is looked up: the tables may grow
    size_t a = find(first), b = find(second);
    if (a == b) return;
    parent_[b] = a;
    Votes& votes = votes_[a];
    const Votes& other = votes_[b];
    if (!votes.stated) votes.stated = other.stated;
    votes.accumulates |= other.accumulates;
    votes.computed |= other.computed;
    votes.staged |= other.staged;
    votes.used_elsewhere |= other.used_elsewhere;
  }

  PointerMap<uint32_t> places_;
  std::vector<const Expr*> vars_;
  std::vector<size_t> parent_;
  std::vector<Votes> votes_;
};

}  // namespace

std::optional<MemorySpace> required_memory(const Call& call, size_t operand) {
  const OpForm form = call.op->form;
  if (form == OpForm::Store || form == OpForm::Same || call.op->functions != 0) return std::nullopt;
  if (!is_product(*call.op)) return MemorySpace::Vec;
  bool acc = form == OpForm::MatmulAcc;
  if (acc && operand == 0) return MemorySpace::Acc;
  size_t place = operand - (acc ? 1 : 0);
  return place == 0 ? MemorySpace::Left : place == 1 ? MemorySpace::Right : MemorySpace::Bias;
}

TileMemory::TileMemory(const Function& kernel) {
  Voter(kernel).settle(spaces_);
}

MemorySpace TileMemory::of(const Expr& tile) const {
  const MemorySpace* space = spaces_.find(&tile);
  return space ? *space : MemorySpace::Vec;
}

}  // namespace tilewire::passes
