// Sources flow from operands to results and to the memory that is written. Only roles say that something is
// decided: every role but Data does, since what it stands for can make the run fail, or do something else,
// right there.
#include "check/flow.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <tuple>

#include "check/regions.h"
#include "interp/op_table.h"
#include "ops/evaluate.h"
#include "ops/roles.h"

namespace tilewire::check {
namespace {

using interp::Code;
using interp::Form;
using interp::Instr;
using interp::Opcode;
using interp::Slot;
using Kind = Origin::Kind;

// Origins, by kind: a share of the bits for each; those past the last of a share have that one in common.
constexpr size_t share = 64;
using Sources = std::bitset<3 * share>;
// Storages: the arguments, then windows and created tensors as they are found. Those past the last share it.
constexpr size_t most_roots = 128;
using Roots = std::bitset<most_roots>;

Sources of_schedule() {
  static const Sources all = ~Sources() << share;
  return all;
}

class Follower {
 public:
  Follower(const Unsettled* unsettled, const Ignored& ignored) : unsettled_(unsettled), ignored_(ignored) {}

  Flow follow(const Code& entry) {
    entry_ = &entry;
    reach(entry);
    State& start = codes_.front();
    for (size_t i = 0; i < entry.params.size(); ++i) {
      const ir::TypeRef type = entry.function ? entry.function->params[i]->type : nullptr;
      if (type && ir::scalar_dtype(type)) {
        start.facts[entry.params[i]].values |= bit(origin({Kind::Argument, i, nullptr}));
      }
      if (!type || !ir::isa<ir::TensorType>(type)) continue;
      Roots root;
      root.set(std::min(i, most_roots - 1));
      start.facts[entry.params[i]].roots |= root;
      results_ |= root;
      remember(root, bit(origin({Kind::Argument, i, nullptr})));
    }
    next_root_ = std::min(entry.params.size(), most_roots - 1);
    do {
      changed_ = false;
      for (State& state : codes_) step(state);
    } while (changed_);
    telling_ = true;
    for (State& state : codes_) step(state);
    return std::move(flow_);
  }

 private:
  // What is known of a register. The value of a tensor is the place it names, of a tile its elements and
  // its extent.
  struct Facts {
    Sources values;
    Roots roots;
    Facts& operator|=(const Facts& more) {
      values |= more.values;
      roots |= more.roots;
      return *this;
    }
    bool operator==(const Facts&) const = default;
  };
  struct State {
    const Code* code = nullptr;
    std::vector<Facts> facts;
    Facts result;
    std::vector<Sources> control;  // per instruction: what decides whether it runs
    Sources called;                // whether the function runs at all
  };

  void reach(const Code& code) {
    if (!numbers_.emplace(&code, codes_.size()).second) return;
    codes_.push_back(
        {&code, std::vector<Facts>(code.initial.size()), {}, std::vector<Sources>(code.instrs.size()), {}});
    for (const auto& site : code.sites) reach(*site->callee);
  }

  // --- origins

  static Sources bit(size_t index) {
    Sources one;
    one.set(index);
    return one;
  }
  size_t origin(const Origin& origin) {
    const auto kind = static_cast<size_t>(origin.kind);
    const std::tuple key(origin.kind, origin.parameter, origin.where);
    auto known = indices_.find(key);
    if (known != indices_.end()) return known->second;
    const size_t index = kind * share + std::min(counts_[kind]++, share - 1);
    indices_.emplace(key, index);
    if (!origins_[index]) origins_[index] = origin;
    return index;
  }
  bool is_unsettled(const Instr& instr) const { return !unsettled_ || unsettled_->count(instr.node) != 0; }

  // --- what is joined

  template <class T>
  void join(T& to, const T& more) {
    T both = to;
    both |= more;
    if (both == to) return;
    to = both;
    changed_ = true;
  }
  void give(State& state, Slot slot, const Facts& facts) {
    if (slot == interp::no_slot) return;
    join(state.facts[slot], Facts{facts.values | running_, facts.roots});
  }
  void remember(const Roots& roots, const Sources& sources) {
    for (size_t i = 0; i < most_roots; ++i) {
      if (roots[i]) join(memory_[i], sources);
    }
  }
  Sources memory(const Roots& roots) const {
    Sources sources;
    for (size_t i = 0; i < most_roots; ++i) {
      if (roots[i]) sources |= memory_[i];
    }
    return sources;
  }
  Roots new_root(const Instr& instr) {
    auto [found, fresh] = made_.emplace(&instr, next_root_);
    if (fresh) next_root_ = std::min(next_root_ + 1, most_roots - 1);
    Roots root;
    root.set(found->second);
    return root;
  }
  static Facts all(const State& state, uint32_t first, uint32_t count) {
    Facts facts;
    for (uint32_t i = 0; i < count; ++i) facts |= state.facts[state.code->slots[first + i]];
    return facts;
  }

  // --- results

  void decide(const Sources& sources, const char* what, const Instr& instr) {
    if (!telling_ || !what || sources.none()) return;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i]) continue;
      const bool data = i < share;
      if (data && !told_parameters_.insert(i).second) continue;
      if (data && ir::scalar_dtype(entry_->function->params[origins_[i]->parameter]->type)) {
        flow_.scalars.push_back(origins_[i]->parameter);
        continue;
      }
      (data ? flow_.data : flow_.schedule).push_back({what, instr.node, *origins_[i]});
    }
  }
  // A form decides by its role as an operand does. Returns what it carries.
  Facts use(Form form, const Facts& facts, const Instr& instr) {
    if (ignored_.form == form) return {};
    decide(facts.values, interp::info(form).decides, instr);
    return facts;
  }
  Facts use(Form form, const State& state, Slot slot, const Instr& instr) {
    return slot == interp::no_slot ? Facts{} : use(form, state.facts[slot], instr);
  }
  void store(const State& state, const Instr& instr, const Roots& roots, const Sources& sources) {
    const Sources told = sources & of_schedule();
    if (!telling_ || told.none()) return;
    const Roots results = roots & results_;
    for (size_t r = 0; r < most_roots; ++r) {
      if (results[r]) add_stored(name_of_root(r), state, instr, told);
    }
  }
  void add_stored(const std::string& result, const State& state, const Instr& instr, const Sources& told) {
    for (Kind kind : {Kind::Look, Kind::Sum}) {  // one of each is enough
      const size_t first = static_cast<size_t>(kind) * share;
      for (size_t i = first; i < first + share; ++i) {
        if (!told[i]) continue;
        flow_.results.push_back({result, instr.node, state.code, *origins_[i]});
        break;
      }
    }
  }
  std::string name_of_root(size_t root) const {
    if (root < entry_->params.size() && entry_->function) {
      return "`" + entry_->function->params[root]->name + "`";
    }
    auto window = stored_to_.find(root);
    if (window != stored_to_.end()) return name_of_root(window->second);
    return "what is returned";
  }

  // --- instructions

  void step(State& state) {
    for (uint32_t pc = 0; pc < state.code->instrs.size(); ++pc) {
      running_ = (state.called | state.control[pc]) & of_schedule();
      follow(state, pc, state.code->instrs[pc]);
    }
  }

  void follow(State& state, uint32_t pc, const Instr& instr) {
    switch (instr.code) {
      case Opcode::Op:
        return follow_op(state, instr);
      case Opcode::Move:
      case Opcode::Get:
        return give(state, instr.dst, state.facts[instr.a]);
      case Opcode::Jump:
      case Opcode::Parallel:
      case Opcode::Round:
      case Opcode::ForNext:  // reported at its test
        return;
      case Opcode::JumpIfNot:
        return control(state, pc, use(Form::Condition, state.facts[instr.a], instr).values);
      case Opcode::ForTest: {
        Facts bounds = state.facts[instr.a];
        bounds |= state.facts[instr.b];
        bounds |= state.facts[instr.c];
        return control(state, pc, use(Form::LoopBound, bounds, instr).values);
      }
      case Opcode::Tuple:
        return give(state, instr.dst, all(state, instr.first, instr.count));
      case Opcode::Return:
        return follow_return(state, instr);
      case Opcode::Call:
        return follow_call(state, instr);
    }
  }

  void control(State& state, uint32_t pc, const Sources& sources) {
    if (sources.none()) return;
    const auto [begin, end] = decided_region(*state.code, pc);
    for (uint32_t i = begin; i < end; ++i) join(state.control[i], sources);
  }

  void follow_return(State& state, const Instr& instr) {
    Facts returned = use(Form::Result, all(state, instr.first, instr.count), instr);
    returned.values |= running_;
    join(state.result, returned);
    if (state.code != entry_) return;
    join(results_, returned.roots);
    if (telling_) add_stored("what is returned", state, instr, returned.values);
  }

  void follow_call(State& state, const Instr& instr) {
    const interp::Site& site = *instr.site;
    State& callee = codes_[numbers_.at(site.callee)];
    for (size_t i = 0; i < site.args.size(); ++i) {
      const Facts argument = use(Form::Argument, state.facts[site.args[i]], instr);
      join(callee.facts[site.callee->params[i]], argument);
    }
    for (const auto& [name, slot] : site.callee->symbols) {
      join(callee.facts[slot], use(Form::Dimension, dimension(state, site, name), instr));
    }
    join(callee.called, running_);
    join(callee.called, use(Form::Device, state, site.device, instr).values);
    join(callee.called, use(Form::BlockCount, state, site.blocks, instr).values);
    for (Slot slot : site.deps) use(Form::Dependency, state, slot, instr);
    give(state, instr.dst, callee.result);
    for (Slot slot : site.results) give(state, slot, callee.result);
  }

  // A dimension of the callee follows from arguments whose shape has it, else from the caller's own. A scope
  // is given them as arguments.
  static Facts dimension(const State& state, const interp::Site& site, std::string_view name) {
    Facts facts;
    if (!site.callee->function) return facts;
    auto others = [&](std::string_view symbol) -> std::optional<int64_t> {
      return symbol == name ? std::nullopt : std::optional<int64_t>(1);
    };
    for (size_t i = 0; i < site.args.size(); ++i) {
      const auto* type = ir::as<ir::TensorType>(site.callee->function->params[i]->type);
      if (!type) continue;
      const bool has = std::any_of(type->shape.begin(), type->shape.end(), [&](const ir::ExprRef& extent) {
        return !ops::missing_symbol(*extent, others).empty();
      });
      if (has) facts.values |= state.facts[site.args[i]].values;
    }
    auto own = state.code->symbols.find(name);
    if (own != state.code->symbols.end()) facts.values |= state.facts[own->second].values;
    return facts;
  }

  // --- ops

  // What an op does to the memory that an operand names; signal cells are not followed as memory.
  struct Touched {
    bool any = false, reads = false, writes = false, adds_floats = false;
  };
  static Touched touched(const ir::Call& call, size_t param) {
    Touched t;
    for (const ir::Effect& effect : call.op->effects) {
      if (effect.param != static_cast<int>(param) || !happens(effect, call)) continue;
      t.any = true;
      const bool both = effect.access == ir::Access::ReadWrite || effect.access == ir::Access::Update;
      t.reads |= both || effect.access == ir::Access::Read;
      t.writes |= both || effect.access == ir::Access::Write || effect.access == ir::Access::Atomic;
      const ir::ExprRef& arg = call.args[static_cast<size_t>(call.op->operand_slots[param])];
      const auto* tensor = ir::as<ir::TensorType>(arg->type);
      t.adds_floats |= effect.access == ir::Access::Atomic && tensor && is_float(tensor->dtype);
    }
    return t;
  }

  void follow_op(State& state, const Instr& instr) {
    const auto& call = static_cast<const ir::Call&>(*instr.node);
    const ir::Op& op = *call.op;
    Sources carried;  // by operands: values, elements that are read
    Sources places;   // what the places and extents of tensors depend on
    Roots written, named;
    Facts alias;
    bool touches = false;
    for (size_t p = 0; p < op.params.size(); ++p) {
      const int slot = op.operand_slots[p];
      if (slot < 0 || static_cast<uint32_t>(slot) >= instr.count) continue;
      const interp::Operand& operand = state.code->operands[instr.first + static_cast<uint32_t>(slot)];
      if (!operand.given) continue;
      const Facts facts = all(state, operand.first, operand.count);
      named |= facts.roots;
      if (op.result_alias == static_cast<int>(p)) alias = facts;
      const Touched t = touched(call, p);
      touches |= t.any;
      Sources own = facts.values;
      const bool tensor = facts.roots.any();
      if (t.any && tensor) {
        places |= use(Form::Place, facts, instr).values;
        own = t.reads ? memory(facts.roots) : Sources();
      }
      if (ignored_.op == &op && ignored_.param == p) own.reset();
      const ir::OperandRole role = ops::role_in(call, p);
      decide(own, interp::decided_by(role), instr);
      carried |= own;
      if (role != ir::OperandRole::Data || (tensor && !t.any)) places |= own;
      if (t.writes) written |= facts.roots;
      if (t.adds_floats && is_unsettled(instr)) carried |= bit(origin({Kind::Sum, 0, instr.node}));
    }
    Sources seen = carried;
    if (looks(instr, call, named)) seen |= bit(origin({Kind::Look, 0, instr.node}));
    // Whether a compare-and-exchange succeeds depends on the value found.
    const Sources stored = (instr.entry->compares ? seen : carried) | places | running_;
    remember(written, stored);
    store(state, instr, written, stored);
    if (op.result_alias >= 0) {
      // The same part of the same storage, unless it is a view: what lies there is followed as memory.
      return give(state, instr.dst, {touches ? alias.values : seen, alias.roots});
    }
    give_result(state, instr, call, {seen, named}, touches, places, written);
  }

  // Whether the op sees cells that may hold something else in another schedule.
  bool looks(const Instr& instr, const ir::Call& call, const Roots& named) const {
    const bool awaits = instr.entry->ready || instr.entry->polls || instr.entry->updates;
    if (!awaits && !instr.entry->reads_cells) return false;
    if (unsettled_ || awaits) return is_unsettled(instr);
    const auto* tensor = ir::as<ir::TensorType>(call.args[0]->type);
    return tensor && tensor->dtype == ir::DType::Int32 && (named & windows_).any();
  }

  void give_result(State& state, const Instr& instr, const ir::Call& call, const Facts& facts, bool touches,
                   const Sources& places, const Roots& written) {
    const bool tuple = ir::isa<ir::TupleType>(call.type);
    const bool window = ir::isa<ir::PtrType>(call.type);
    const bool storage =
        window || ir::isa<ir::TensorType>(call.type) || ir::isa<ir::WindowBufferType>(call.type);
    if (!storage && !tuple) return give(state, instr.dst, {facts.values, {}});
    if (facts.roots.any() && !touches) return give(state, instr.dst, facts);  // a view
    const Roots root = new_root(instr);
    if (window) windows_ |= root;
    remember(root, facts.values);
    give(state, instr.dst, {tuple ? facts.values : places, root});
    if (!window || written.none()) return;
    // What the window holds when all is done is copied there.
    remember(written, memory(root));
    if ((written & results_).any()) join(results_, root);
    for (size_t w = 0; w < most_roots; ++w) {
      for (size_t r = 0; r < most_roots && written[w]; ++r) {
        if (root[r]) stored_to_.emplace(r, w);
      }
    }
  }

  const Unsettled* unsettled_;
  const Ignored& ignored_;
  const Code* entry_ = nullptr;
  std::map<const Code*, size_t> numbers_;
  std::vector<State> codes_;
  std::array<Sources, most_roots> memory_{};
  Roots results_, windows_;
  std::map<const Instr*, size_t> made_;
  std::map<size_t, size_t> stored_to_;  // windows, by the argument they are copied into
  size_t next_root_ = 0;
  std::map<std::tuple<Kind, size_t, const ir::Node*>, size_t> indices_;
  std::array<std::optional<Origin>, 3 * share> origins_;
  std::array<size_t, 3> counts_{};
  Sources running_;  // what decides whether the present instruction runs
  std::set<size_t> told_parameters_;
  Flow flow_;
  bool changed_ = false, telling_ = false;
};

}  // namespace

bool Flow::decides(Origin::Kind kind) const {
  return std::any_of(schedule.begin(), schedule.end(),
                     [&](const Decision& decision) { return decision.origin.kind == kind; });
}

Flow flow_of(const interp::Code& entry, const Unsettled* unsettled, const Ignored& ignored) {
  return Follower(unsettled, ignored).follow(entry);
}

}  // namespace tilewire::check
