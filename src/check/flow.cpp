#include "check/flow.h"

#include <algorithm>
#include <array>
#include <map>

#include "interp/op_table.h"

namespace tilewire::check {
namespace {

using interp::Code;
using interp::Instr;
using interp::Opcode;
using interp::Slot;

// Bit 0: the schedule; bit 1 + i: elements of parameter i. Those past the last bit share it.
using Sources = uint64_t;
constexpr Sources from_schedule = 1;
// Storages: the arguments, then windows and created tensors as they are found. Those past the last share it.
using Roots = uint64_t;
constexpr size_t bits = 64;

class Follower {
 public:
  explicit Follower(const std::set<const ir::Node*>* unsettled) : unsettled_(unsettled) {}

  Flow follow(const Code& entry) {
    reach(entry);
    State& start = codes_.at(&entry);
    parameters_ = std::min(entry.params.size(), bits - 2);
    for (size_t i = 0; i < entry.params.size(); ++i) {
      if (!entry.function || !ir::isa<ir::TensorType>(entry.function->params[i]->type)) continue;
      const Roots root = Roots{1} << std::min(i, bits - 2);
      start.roots[entry.params[i]] |= root;
      remember(root, Sources{1} << (1 + std::min(i, bits - 2)));
    }
    do {
      changed_ = false;
      for (auto& [code, state] : codes_) {
        for (const Instr& instr : code->instrs) follow(*code, state, instr);
      }
    } while (changed_);
    return result();
  }

 private:
  struct State {
    std::vector<Sources> values;
    std::vector<Roots> roots;
    Sources result = 0;
    Roots result_roots = 0;
  };

  void reach(const Code& code) {
    State fresh{std::vector<Sources>(code.initial.size()), std::vector<Roots>(code.initial.size())};
    if (!codes_.emplace(&code, std::move(fresh)).second) return;
    for (const auto& site : code.sites) reach(*site->callee);
  }

  Flow result() const {
    Flow flow;
    flow.schedule = deciders_[0];
    for (size_t i = 0; i + 1 < bits; ++i) {
      if (deciders_[1 + i].where) flow.data.push_back({i, deciders_[1 + i]});
    }
    return flow;
  }

  void join(uint64_t& to, uint64_t more) {
    if ((to | more) == to) return;
    to |= more;
    changed_ = true;
  }
  void give(State& state, Slot slot, Sources values, Roots roots) {
    if (slot == interp::no_slot) return;
    join(state.values[slot], values);
    join(state.roots[slot], roots);
  }
  void remember(Roots roots, Sources sources) {
    for (size_t i = 0; i < bits; ++i) {
      if (roots >> i & 1) join(memory_[i], sources);
    }
  }
  Sources memory(Roots roots) const {
    Sources sources = 0;
    for (size_t i = 0; i < bits; ++i) {
      if (roots >> i & 1) sources |= memory_[i];
    }
    return sources;
  }
  Roots new_root(const Instr& instr) {
    auto [found, fresh] = made_.emplace(&instr, std::min(parameters_ + made_.size(), bits - 1));
    return Roots{1} << found->second;
  }

  struct Both {
    Sources values = 0;
    Roots roots = 0;
  };
  static Both all(const Code& code, const State& state, uint32_t first, uint32_t count) {
    Both both;
    for (uint32_t i = 0; i < count; ++i) {
      both.values |= state.values[code.slots[first + i]];
      both.roots |= state.roots[code.slots[first + i]];
    }
    return both;
  }

  void decide(Sources sources, const char* what, const Instr& instr) {
    for (size_t i = 0; i < bits; ++i) {
      if ((sources >> i & 1) && !deciders_[i].where) deciders_[i] = {what, instr.node};
    }
  }

  void follow(const Code& code, State& state, const Instr& instr) {
    switch (instr.code) {
      case Opcode::Op:
        return follow_op(code, state, instr);
      case Opcode::Move:
      case Opcode::Get:
        return give(state, instr.dst, state.values[instr.a], state.roots[instr.a]);
      case Opcode::Jump:
      case Opcode::Parallel:
      case Opcode::ForNext:  // its test says it
        return;
      case Opcode::JumpIfNot:
        return decide(state.values[instr.a], "a branch", instr);
      case Opcode::ForTest:
        return decide(state.values[instr.a] | state.values[instr.b] | state.values[instr.c], "a loop", instr);
      case Opcode::Tuple: {
        const Both both = all(code, state, instr.first, instr.count);
        return give(state, instr.dst, both.values, both.roots);
      }
      case Opcode::Return: {
        const Both both = all(code, state, instr.first, instr.count);
        join(state.result, both.values);
        join(state.result_roots, both.roots);
        return;
      }
      case Opcode::Call:
        return follow_call(state, instr);
    }
  }

  void follow_call(State& state, const Instr& instr) {
    const interp::Site& site = *instr.site;
    State& callee = codes_.at(site.callee);
    for (size_t i = 0; i < site.args.size(); ++i) {
      give(callee, site.callee->params[i], state.values[site.args[i]], state.roots[site.args[i]]);
    }
    for (Slot slot : {site.device, site.blocks}) {
      if (slot != interp::no_slot) decide(state.values[slot], "a launch", instr);
    }
    give(state, instr.dst, callee.result, callee.result_roots);
    for (Slot slot : site.results) give(state, slot, callee.result, callee.result_roots);
  }

  void follow_op(const Code& code, State& state, const Instr& instr) {
    const interp::OpEntry& entry = *instr.entry;
    const auto& call = static_cast<const ir::Call&>(*instr.node);
    const ir::Op& op = *call.op;
    // Tests, and reads of cells, are not followed: a cell with one that is not the same in every schedule is
    // a general cell.
    const bool looks = entry.ready && !entry.polls;
    Sources values = looks && (!unsettled_ || unsettled_->count(instr.node)) ? from_schedule : 0;
    Sources written = 0, read = 0;
    Both of_alias;
    Roots operands = 0;
    for (uint32_t i = 0; i < instr.count; ++i) {
      const interp::Operand& operand = code.operands[instr.first + i];
      const Both both = all(code, state, operand.first, operand.count);
      operands |= both.roots;
      if (op.result_alias >= 0 && op.operand_slots[op.result_alias] == static_cast<int>(i)) of_alias = both;
      if (entry.cells) decide(both.values, "a signal", instr);
      if (entry.accesses && places(op, call, i)) {
        decide(both.values, "an address", instr);
      } else {
        written |= both.values;
      }
      values |= both.values;
    }
    const Roots writes = effect_roots(code, state, instr, op, false);
    if (entry.accesses) read = memory(effect_roots(code, state, instr, op, true));
    remember(writes, written | read);
    if (op.result_alias >= 0) {
      // The same part of the same storage, unless it is a view: what lies there is followed as memory.
      return give(state, instr.dst, entry.accesses ? of_alias.values : values, of_alias.roots);
    }
    const bool tuple = ir::isa<ir::TupleType>(call.type);
    const bool storage = ir::isa<ir::TensorType>(call.type) || ir::isa<ir::PtrType>(call.type) ||
                         ir::isa<ir::WindowBufferType>(call.type);
    if (!storage && !tuple) return give(state, instr.dst, values | read, 0);
    if (operands != 0 && !entry.accesses) return give(state, instr.dst, values, operands);
    const Roots root = new_root(instr);  // tensors, or a window, of its own
    remember(root, values | read | memory(operands));
    give(state, instr.dst, tuple ? values | read : 0, root);
  }

  // The storages that the op reads, or writes; signal cells are not followed as memory.
  static Roots effect_roots(const Code& code, const State& state, const Instr& instr, const ir::Op& op,
                            bool reads) {
    Roots roots = 0;
    for (const ir::Effect& effect : op.effects) {
      const bool write = effect.access == ir::Access::Write || effect.access == ir::Access::ReadWrite ||
                         effect.access == ir::Access::Atomic;
      const bool read = effect.access == ir::Access::Read || effect.access == ir::Access::ReadWrite;
      if (reads ? !read : !write) continue;
      const auto slot = static_cast<uint32_t>(op.operand_slots[static_cast<size_t>(effect.param)]);
      const interp::Operand& operand = code.operands[instr.first + slot];
      roots |= all(code, state, operand.first, operand.count).roots;
    }
    return roots;
  }

  // Whether the operand says where an op with effects works, not what it writes.
  static bool places(const ir::Op& op, const ir::Call& call, uint32_t operand) {
    for (size_t i = 0; i < op.params.size(); ++i) {
      if (op.operand_slots[i] != static_cast<int>(operand)) continue;
      if (op.params[i].kind == ir::OpParam::ListOperand) return true;
      for (const ir::Effect& effect : op.effects) {
        if (effect.peer_param == static_cast<int>(i)) return true;
      }
    }
    return call.args[operand] && ir::isa<ir::TensorType>(call.args[operand]->type);
  }

  const std::set<const ir::Node*>* unsettled_;
  std::map<const Code*, State> codes_;
  std::array<Sources, bits> memory_{};
  std::map<const Instr*, size_t> made_;
  size_t parameters_ = 0;
  std::array<Decider, bits> deciders_{};
  bool changed_ = false;
};

}  // namespace

Flow flow_of(const interp::Code& entry, const std::set<const ir::Node*>* unsettled) {
  return Follower(unsettled).follow(entry);
}

}  // namespace tilewire::check
