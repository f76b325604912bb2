#include "passes/mixed_plan.h"

#include <algorithm>

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/uses.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/rebuild.h"

namespace tilewire::passes {

using namespace ir;

namespace {

bool is_product(const Op& op) {
  return op.form == OpForm::Matmul || op.form == OpForm::MatmulBias || op.form == OpForm::MatmulAcc;
}

const ExprRef& operand(const Call& call, int param) {
  return call.args[static_cast<size_t>(call.op->operand_slots[static_cast<size_t>(param)])];
}

bool is_tile(const Expr& expr) {
  return isa<TileType>(expr.type);
}
bool is_tensor(const Expr& expr) {
  return isa<TensorType>(expr.type);
}

bool touches_peers(const Op& op) {
  return std::any_of(op.effects.begin(), op.effects.end(), [](const Effect& effect) {
    const bool cell =
        effect.access == Access::Signal || effect.access == Access::Wait || effect.access == Access::Update;
    return cell || effect.peer_param >= 0 || effect.all_peers;
  });
}

bool is_write(Access access) {
  return access != Access::Read && access != Access::Wait && access != Access::Signal;
}

// Variables that an expression is made of, also within scalar arithmetic.
template <class F>
void for_each_var(const ExprRef& expr, F&& f) {
  if (!expr) return;
  if (const auto* var = as<Var>(expr)) return f(*var);
  if (const auto* call = as<Call>(expr)) {
    for (const ExprRef& arg : call->args) for_each_var(arg, f);
  } else if (const auto* tuple = as<MakeTuple>(expr)) {
    for (const ExprRef& element : tuple->elements) for_each_var(element, f);
  } else if (const auto* get = as<TupleGet>(expr)) {
    for_each_var(get->tuple, f);
  }
}

std::vector<const Var*> parameters(const Function& kernel) {
  std::vector<const Var*> list;
  for (const auto& param : kernel.params) list.push_back(param.get());
  return list;
}

}  // namespace

bool needs_fill(const Call& call) {
  if (call.op->form != OpForm::Fill) return call.op->form == OpForm::Count;
  const ExprRef& value = operand(call, call.op->param_index("value"));
  const auto* real = as<ConstFloat>(value);
  return !(real ? real->value == 0.0 : constant_value(value) == 0);
}

MixedPlan::MixedPlan(const Function& kernel, const ReturnRoots& returns, Sharing sharing,
                     const Traits& traits, std::map<const Var*, TileExtents> stated)
    : kernel_(kernel),
      cube_fills_(traits.cube_fills),
      roots_(parameters(kernel), *kernel.body, returns),
      sharing_(std::move(sharing)),
      valid_(kernel),
      stated_(std::move(stated)) {
  for (const auto& param : kernel.params) {
    add(param, -1);
    values_.back().parameter = true;
  }
  collect(*kernel.body, -1);
  const bool product = std::any_of(works_.begin(), works_.end(),
                                   [](const Work& w) { return w.call && is_product(*w.call->op); });
  if (!product) return;
  find_effects();
  settle_homes();
  settle_needs();
  find_crossings();
}

// --- what there is

void MixedPlan::add(const VarRef& var, int structure) {
  if (!var) return;
  numbers_.insert(var.get(), static_cast<uint32_t>(values_.size()));
  Value value;
  value.var = var;
  value.structure = structure;
  values_.push_back(std::move(value));
}

int MixedPlan::number(const Expr& expr) const {
  const uint32_t* found = numbers_.find(&expr);
  return found ? static_cast<int>(*found) : -1;
}

void MixedPlan::collect(const Block& body, int structure) {
  auto open = [&](const Stmt& stmt, int outer) {
    structure_numbers_.insert(&stmt, static_cast<uint32_t>(structures_.size()));
    structures_.push_back({&stmt, outer});
    return static_cast<int>(structures_.size()) - 1;
  };
  auto carried = [&](const VarList& args, const VarList& results, const ExprList& starts, const Block& round,
                     int inside) {
    const ExprList& yields = yielded(round);
    for (size_t i = 0; i < results.size(); ++i) {
      const int arg = number(*args[i]);
      add(results[i], structure);
      const int result = number(*results[i]);
      for (int each : {arg, result}) {
        values_[each].starts = {starts[i]};
        values_[each].yields = {yields[i]};
        values_[each].given_by = inside;
      }
      values_[arg].partner = result;
      values_[result].partner = arg;
    }
  };
  for (const StmtRef& stmt : body.stmts) {
    const auto* assign = as<Assign>(stmt);
    const auto* eval = as<Eval>(stmt);
    if (assign || eval) {
      const ExprRef& value = assign ? assign->value : eval->value;
      const auto* call = as<Call>(value);
      work_numbers_.insert(stmt.get(), static_cast<uint32_t>(works_.size()));
      works_.push_back({stmt.get(), call, assign ? assign->var : nullptr, structure});
      if (!assign) continue;
      add(assign->var, structure);
      values_.back().call = call;
      if (const auto* get = as<TupleGet>(value)) values_.back().from = get->tuple.get();
    } else if (const auto* loop = as<For>(stmt)) {
      const int inside = open(*stmt, structure);
      add(loop->loop_var, inside);
      for (const VarRef& arg : loop->iter_args) add(arg, inside);
      collect(*loop->body, inside);
      carried(loop->iter_args, loop->results, loop->init_values, *loop->body, inside);
    } else if (const auto* loop = as<While>(stmt)) {
      const int inside = open(*stmt, structure);
      for (const VarRef& arg : loop->iter_args) add(arg, inside);
      structures_.push_back({nullptr, inside, 0, true});
      collect(*loop->before, static_cast<int>(structures_.size()) - 1);
      collect(*loop->body, inside);
      carried(loop->iter_args, loop->results, loop->init_values, *loop->body, inside);
    } else if (const auto* branch = as<If>(stmt)) {
      const int inside = open(*stmt, structure);
      collect(*branch->then_body, inside);
      if (branch->else_body) collect(*branch->else_body, inside);
      for (size_t i = 0; i < branch->results.size(); ++i) {
        add(branch->results[i], structure);
        values_.back().given_by = inside;
        for (const BlockRef& side : {branch->then_body, branch->else_body}) {
          values_.back().yields.push_back(yielded(*side)[i]);
        }
      }
    }
  }
}

// --- effects

void MixedPlan::find_effects() {
  const size_t count = kernel_.params.size();
  written_.assign(count, false);
  cube_owned_.assign(count, true);
  auto each_root = [&](const ExprRef& tensor, auto&& f) {
    for (int root : roots_.of(tensor)) {
      if (root >= 0) f(memory_of(root));
    }
  };
  for (const Work& work : works_) {
    if (!work.call) continue;
    synchronizes_ = synchronizes_ || touches_peers(*work.call->op);
    for (const Effect& effect : work.call->op->effects) {
      const ExprRef& tensor = operand(*work.call, effect.param);
      if (!tensor || !is_tensor(*tensor)) continue;
      const bool store = work.call->op == ops::pl::tile::store;
      const int tile = store ? number(*work.call->args[0]) : -1;
      const bool of_product = tile >= 0 && values_[tile].call && is_product(*values_[tile].call->op);
      const auto& roots = roots_.of(tensor);
      each_root(tensor, [&](size_t root) {
        if (is_write(effect.access)) written_[root] = true;
        if (!of_product || roots.size() != 1) cube_owned_[root] = false;
      });
    }
  }
  if (synchronizes_) cube_owned_.assign(count, false);
}

// Whether the memory is not written while the kernel runs, as far as the kernel shows.
bool MixedPlan::stays_unwritten(const ExprRef& tensor) const {
  if (synchronizes_ || isa<DistributedTensorType>(tensor->type)) return false;
  const RootSet& roots = roots_.of(tensor);
  return !roots.empty() && std::all_of(roots.begin(), roots.end(),
                                       [&](int root) { return root >= 0 && !written_[memory_of(root)]; });
}

// --- homes

Halves MixedPlan::home_of(const Expr& expr) const {
  const int found = number(expr);
  return found < 0 ? Halves{0} : values_[static_cast<size_t>(found)].home;
}

Halves MixedPlan::home_of_call(const Call& call) const {
  const Op& op = *call.op;
  if (is_product(op)) return on_cube;
  if (op.keeps || op.synchronizes) {
    // Views of a peer's memory, contexts and their numbers change nothing.
    const bool pure = op.effects.empty() && !op.synchronizes && op != ops::pl::print;
    return pure ? Halves{0} : on_vector;
  }
  if (op == ops::pl::tile::store) {
    const int root = roots_.only(operand(call, op.effects.front().param));
    return root >= 0 && cube_owned_[memory_of(root)] ? on_cube : on_vector;
  }
  const bool creates_tensor = op.form == OpForm::Create && isa<TensorType>(call.type);
  if (creates_tensor) return on_vector;
  bool reads_only = true, peers = false;
  for (const Effect& effect : op.effects) {
    const ExprRef& tensor = operand(call, effect.param);
    if (!tensor || !is_tensor(*tensor)) continue;
    peers = peers || effect.peer_param >= 0;
    reads_only = reads_only && !is_write(effect.access) && stays_unwritten(tensor);
  }
  if (!reads_only || peers || touches_peers(op)) return on_vector;
  if (!cube_fills_ && needs_fill(call)) return on_vector;
  if (op.form == OpForm::Load || op.form == OpForm::Fill || op.form == OpForm::Count ||
      op.form == OpForm::Create) {
    return 0;
  }
  if (op.form == OpForm::Same || op == ops::pl::tile::move || op == ops::pl::tile::set_validshape) {
    return home_of(*call.args[0]);
  }
  const bool tiles = isa<TileType>(call.type) || isa<TupleType>(call.type) ||
                     std::any_of(call.args.begin(), call.args.end(),
                                 [](const ExprRef& arg) { return arg && is_tile(*arg); });
  return tiles ? on_vector : Halves{0};
}

// Of what a loop carries: where the rounds make it, else where it starts.
Halves MixedPlan::home_of_carried(const Value& value) const {
  auto join = [&](const std::vector<ExprRef>& list) {
    Halves home = 0;
    for (const ExprRef& each : list) home = std::max(home, home_of(*each));
    return home;
  };
  const Halves made = join(value.yields), start = join(value.starts);
  // A cube core that fills no tiles copies none: a tile that the vector half makes stays there between
  // rounds.
  if (!cube_fills_ && start == on_vector) return on_vector;
  return made != 0 ? made : start;
}

void MixedPlan::settle_homes() {
  constexpr int most_rounds = 8;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    auto settle = [&](Halves& home, Halves now) {
      if (home == now) return;
      home = now;
      changed = true;
    };
    for (Work& work : works_) {
      Halves home = work.call ? home_of_call(*work.call) : Halves{0};
      if (!work.call && work.var) {
        const auto& value = values_[static_cast<size_t>(number(*work.var))];
        if (value.from) home = home_of(*value.from);
      }
      settle(work.home, home);
      if (work.var) settle(values_[static_cast<size_t>(number(*work.var))].home, home);
    }
    for (Value& value : values_) {
      if (value.yields.empty() || !is_tile(*value.var)) continue;
      Halves home = home_of_carried(value);
      if (round > most_rounds) home = on_vector;
      settle(value.home, home);
      if (value.partner >= 0) settle(values_[static_cast<size_t>(value.partner)].home, home);
    }
    if (round > 2 * most_rounds) return stop("its loops hand tiles to and fro");
  }
}

// --- needs

bool MixedPlan::need(const ExprRef& expr, Halves halves) {
  bool changed = false;
  for_each_var(expr, [&](const Var& var) {
    const int found = number(var);
    if (found < 0) return;
    Value& value = values_[static_cast<size_t>(found)];
    if ((value.need | halves) == value.need) return;
    value.need |= halves;
    changed = true;
  });
  return changed;
}

bool MixedPlan::need_structures(int structure, Halves halves) {
  bool changed = false;
  for (int at = structure; at >= 0; at = structures_[static_cast<size_t>(at)].outer) {
    Halves& now = structures_[static_cast<size_t>(at)].halves;
    changed = changed || (now | halves) != now;
    now |= halves;
  }
  return changed;
}

bool MixedPlan::round_of_needs() {
  bool changed = false;
  auto also = [&](bool more) { changed = more || changed; };
  // Where a tile arrives, its extents are set again.
  auto need_extents = [&](const Value& value, Halves elsewhere) {
    if (elsewhere == 0) return;
    const TileExtents extent = extents(*value.var);
    also(need(extent.rows, elsewhere));
    also(need(extent.cols, elsewhere));
  };
  for (const Work& work : works_) {
    Halves halves = work.home;
    const int var = work.var ? number(*work.var) : -1;
    if (var >= 0) {
      const Value& value = values_[static_cast<size_t>(var)];
      if (work.home == 0) halves = value.need;
      const Halves elsewhere = static_cast<Halves>(value.need & ~halves);
      if (elsewhere != 0 && (is_tensor(*value.var) && work.call && aliased_operand(*work.call))) {
        // The tensor that the other half writes goes by its name before.
        also(need(ExprRef(aliased_operand(*work.call)), elsewhere));
      } else if (elsewhere != 0) {
        also(need_structures(work.structure, elsewhere));
        need_extents(value, elsewhere);
      }
    }
    if (halves == 0) continue;
    also(need_structures(work.structure, halves));
    if (work.call) {
      for (const ExprRef& arg : work.call->args) also(need(arg, halves));
    } else if (const auto* assign = as<Assign>(work.stmt)) {
      also(need(assign->value, halves));
    }
  }
  for (const Value& value : values_) {
    if (value.yields.empty()) continue;
    const Halves halves = value.home != 0 ? value.home : value.need;
    if (halves == 0) continue;
    need_extents(value, static_cast<Halves>(value.need & ~halves));
    for (const ExprRef& each : value.starts) also(need(each, halves));
    for (const ExprRef& each : value.yields) also(need(each, halves));
    if (value.home == 0 && value.partner >= 0)
      also(need(values_[static_cast<size_t>(value.partner)].var, halves));
    also(need_structures(value.given_by, halves));
    also(need_structures(value.structure, value.need));
  }
  for (const Structure& structure : structures_) {
    if (structure.halves == 0 || !structure.stmt) continue;
    if (const auto* loop = as<For>(structure.stmt)) {
      for (const ExprRef& each : {loop->start, loop->stop, loop->step}) also(need(each, structure.halves));
    } else if (const auto* loop = as<While>(structure.stmt)) {
      also(need(loop->condition, structure.halves));
    } else if (const auto* branch = as<If>(structure.stmt)) {
      also(need(branch->condition, structure.halves));
    }
  }
  return changed;
}

void MixedPlan::settle_needs() {
  while (round_of_needs()) {
  }
}

// --- crossings

// Whether the condition of a while loop needs the value. A pop would have to come before the condition, in a
// place that belongs to no round.
bool MixedPlan::decides_loop(const Value& value) const {
  for (int at = value.structure; at >= 0; at = structures_[static_cast<size_t>(at)].outer) {
    if (structures_[static_cast<size_t>(at)].condition) return true;
  }
  const auto* loop =
      value.structure < 0 ? nullptr : as<While>(structures_[static_cast<size_t>(value.structure)].stmt);
  return loop && (uses(*loop->before, *value.var) || uses(*loop->condition, *value.var));
}

void MixedPlan::find_crossings() {
  for (const Value& value : values_) {
    const Halves from = crosses_from(*value.var);
    if (from == 0) continue;
    mixed_ = true;
    senders_ |= from;
    const std::string& name = value.var->name_hint;
    if (!is_tile(*value.var) && !isa<ScalarType>(value.var->type)) {
      stop("the halves would share `" + name + "`");
      continue;
    }
    if (decides_loop(value)) stop("the condition of a while loop needs `" + name + "` on both halves");
    crossing_.push_back(value.var.get());
    if (!is_tile(*value.var) || states_extents(*value.var)) continue;
    without_extents_.push_back(value.var.get());
    stop("how much of `" + name + "` is valid is known at run time only");
  }
  for (const Returned& value : roots_.of_returns()) {
    if (value.same < 0) stop("it returns something other than its parameters");
    returned_.push_back(value.same);
  }
}

// --- answers

Halves MixedPlan::places(const Stmt& stmt) const {
  if (const uint32_t* found = work_numbers_.find(&stmt)) {
    const Work& work = works_[*found];
    if (work.home != 0) return work.home;
    return work.var ? values_[static_cast<size_t>(number(*work.var))].need : Halves{0};
  }
  const uint32_t* found = structure_numbers_.find(&stmt);
  return found ? structures_[*found].halves : Halves{0};
}

Halves MixedPlan::holds(const Var& var) const {
  const int found = number(var);
  if (found < 0) return on_both;
  const Value& value = values_[static_cast<size_t>(found)];
  if (value.parameter) return on_both;
  return value.home != 0 ? value.home : value.need;
}

Halves MixedPlan::crosses_from(const Var& var) const {
  const int found = number(var);
  if (found < 0) return 0;
  const Value& value = values_[static_cast<size_t>(found)];
  if (value.parameter || value.home == 0 || (value.need & ~value.home) == 0) return 0;
  // A tensor goes by the name it had before it was written.
  if (is_tensor(var) && value.call && aliased_operand(*value.call)) return 0;
  return value.home;
}

bool MixedPlan::writes(Halves half, size_t param) const {
  for (const Work& work : works_) {
    if (!work.call || !(places(*work.stmt) & half)) continue;
    for (const Effect& effect : work.call->op->effects) {
      const ExprRef& tensor = operand(*work.call, effect.param);
      if (!tensor || !is_tensor(*tensor) || !is_write(effect.access)) continue;
      const RootSet& roots = roots_.of(tensor);
      if (std::find(roots.begin(), roots.end(), static_cast<int>(param)) != roots.end()) return true;
    }
  }
  return false;
}

bool MixedPlan::states_extents(const Var& tile) const {
  if (stated_.contains(&tile)) return true;
  const ValidShape& shape = valid_.of(tile);
  auto stated = [&](ExtentId extent) { return extent == full_extent || valid_.expression(extent); };
  return stated(shape.rows) && stated(shape.cols);
}

TileExtents MixedPlan::extents(const Var& tile) const {
  if (!is_tile(tile)) return {};
  if (auto stated = stated_.find(&tile); stated != stated_.end()) return stated->second;
  const ValidShape& shape = valid_.of(tile);
  auto expression = [&](ExtentId extent) {
    return extent == full_extent ? nullptr : valid_.expression(extent);
  };
  return {expression(shape.rows), expression(shape.cols)};
}

PlannedKernel plan_mixed(const FunctionRef& kernel, const ReturnRoots& returns, const Sharing& sharing,
                         const Traits& traits, Diagnostics& diags) {
  MixedPlan plan(*kernel, returns, sharing, traits);
  if (!plan.mixed() || plan.without_extents().empty()) return {kernel, std::move(plan)};
  CarriedExtents carried = carry_extents(kernel, plan.without_extents(), diags);
  MixedPlan with_extents(*carried.kernel, returns, sharing, traits, std::move(carried.of));
  return {carried.kernel, std::move(with_extents)};
}

}  // namespace tilewire::passes
