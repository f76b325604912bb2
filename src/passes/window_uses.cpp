#include "passes/window_uses.h"

#include <algorithm>

#include "abi/numbers.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

const WindowBuffer* buffer_of(const ExprRef& expr) {
  const auto* type = expr ? as<DistributedTensorType>(expr->type) : nullptr;
  return type ? type->window_buffer.get() : nullptr;
}

namespace {

class UseWalk : public Visitor<UseWalk> {
 public:
  UseWalk(const HostScalars& scalars, WindowUses& uses) : scalars_(scalars), uses_(uses) {}

  void visit(const For& loop) {
    loops_.push_back(&loop);
    walk_children(loop);
    loops_.pop_back();
  }

  void visit(const While& loop) {
    ++open_;
    walk_children(loop);
    --open_;
  }

  void visit(const If& branch) {
    auto taken = scalars_.condition(branch.condition);
    open_ += !taken;
    if (taken.value_or(true)) walk(branch.then_body);
    if (!taken.value_or(false)) walk(branch.else_body);
    open_ -= !taken;
  }

  void visit(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (call && call->op == ops::pld::alloc_window_buffer) uses_.allocations.push_back(&assign);
    walk_children(assign);
  }

  void visit(const Call& call) {
    walk_children(call);
    if (call.op == ops::pld::window) uses_.views.push_back(&call);
    bool takes_window = std::any_of(call.args.begin(), call.args.end(), buffer_of);
    if (takes_window && call.op->result_peer < 0 && signals(call)) uses_.collectives.push_back(&call);
  }

  void visit(const FunctionCall& call) {
    walk_children(call);
    if (!call.device) return;
    WindowUses::Dispatch dispatch{&call, nullptr, DeviceSet::unknown(), open_ == 0};
    if (auto device = scalars_.integer(call.device)) {
      dispatch.devices = DeviceSet::one(*device);
    } else if ((dispatch.loop = loop_of(call.device))) {
      dispatch.devices = rounds(*dispatch.loop);
    } else if (!loops_.empty()) {
      dispatch.loop = loops_.back();
      dispatch.devices = computed(call.device);
    }
    for (const For* loop : loops_) {
      dispatch.certain = dispatch.certain && (loop == dispatch.loop || surely_runs(*loop));
    }
    uses_.dispatches.push_back(std::move(dispatch));
  }

 private:
  static bool signals(const Call& call) {
    return std::any_of(call.op->effects.begin(), call.op->effects.end(),
                       [](const Effect& effect) { return effect.access == Access::Signal; });
  }

  const For* loop_of(const ExprRef& device) const {
    const ExprRef& variable = without_casts(device);
    for (const For* loop : loops_) {
      if (loop->loop_var == variable) return loop;
    }
    return nullptr;
  }

  bool surely_runs(const For& loop) const {
    auto start = scalars_.integer(loop.start), stop = scalars_.integer(loop.stop),
         step = scalars_.integer(loop.step);
    return start && stop && step && (*step > 0 ? *start < *stop : *start > *stop);
  }

  DeviceSet rounds(const For& loop) const {
    auto start = scalars_.integer(loop.start), stop = scalars_.integer(loop.stop),
         step = scalars_.integer(loop.step);
    if (!start || !step) return DeviceSet::unknown();
    if (stop) return DeviceSet::range(*start, *stop, *step);
    if (*step != 1 || *start < 0) return DeviceSet::unknown();
    ExprRef end = without_casts(scalars_.fold(loop.stop));
    if (is_world_size(*end)) return DeviceSet::from(*start);
    // A dimension that ranks are counted by is their number (driver/host/host_analysis.h holds calls to
    // that).
    if (isa<DimSymbol>(end) && *start == 0) return DeviceSet::from(0);
    return DeviceSet::unknown();
  }

  // The values of an expression of loop variables, where every loop has known bounds.
  DeviceSet computed(const ExprRef& device) const {
    DeviceSet values;
    HostScalars::Given round;
    int64_t left = abi::most_ranks;
    return collect(0, device, round, left, values) ? values : DeviceSet::unknown();
  }

  bool collect(size_t depth, const ExprRef& device, HostScalars::Given& round, int64_t& left,
               DeviceSet& values) const {
    if (depth == loops_.size()) {
      auto value = scalars_.integer(device, round);
      if (!value || *value < 0 || *value >= abi::most_ranks || --left < 0) return false;
      values.add(DeviceSet::one(*value));
      return true;
    }
    const For& loop = *loops_[depth];
    auto start = scalars_.integer(loop.start, round), stop = scalars_.integer(loop.stop, round),
         step = scalars_.integer(loop.step, round);
    if (!start || !stop || !step || *step == 0) return false;
    for (int64_t i = *start; *step > 0 ? i < *stop : i > *stop; i += *step) {
      round[loop.loop_var.get()] = i;
      if (!collect(depth + 1, device, round, left, values)) return false;
    }
    return true;
  }

  const HostScalars& scalars_;
  WindowUses& uses_;
  std::vector<const For*> loops_;
  int open_ = 0;  // conditions around that are not known
};

}  // namespace

WindowUses WindowUses::of(const Function& host, const HostScalars& scalars) {
  WindowUses uses;
  UseWalk(scalars, uses).walk(*host.body);
  return uses;
}

}  // namespace tilewire::passes
