#include "passes/collect_comm_groups.h"

#include <algorithm>

#include "ir/comm_groups.h"
#include "ir/printer.h"
#include "ops/affine.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "ops/windows.h"
#include "passes/signal_needs.h"
#include "passes/tensor_type.h"
#include "passes/window_uses.h"
#include "support/diagnostics/ops.h"
#include "support/diagnostics/passes.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// A window buffer of the host function and the ranks that share it.
struct Shared {
  WindowBufferRef buffer;
  DeviceSet devices;                   // of the group; empty until a dispatch is seen
  const CommGroup* written = nullptr;  // the group the program writes out
};

class HostGroups {
 public:
  HostGroups(const Program& program, const Function& host, const SignalNeeds& needs,
             const HostScalars::Known& known, Diagnostics& diags)
      : program_(program),
        scalars_(host, known),
        uses_(WindowUses::of(host, scalars_)),
        needs_(needs),
        diags_(diags) {
    if (known) {
      ExprRef count = known(*world_size_call());
      ranks_ = count ? constant_value(count) : std::nullopt;
    }
    list_buffers();
  }

  void run(std::vector<Ref<const CommGroup>>& groups) {
    check_views();
    check_devices();
    collect_dispatches();
    join_collectives();
    check_dispatched();
    if (diags_.has_errors()) return;
    check_loops();
    check_written();
    check_signals();
    if (!diags_.has_errors()) add_groups(groups);
  }

 private:
  static const Call* world_size_call() {
    static const ExprRef call =
        make<Call>(Span{}, &*ops::pld::world_size, ExprList{}, AttrList{}, scalar_type(DType::Int64));
    return as<Call>(call);
  }

  void list_buffers() {
    for (const Assign* assign : uses_.allocations) {
      Shared shared;
      for (const Call* view : uses_.views) {
        const WindowBuffer* buffer = buffer_of(ref(view));
        if (buffer->base == assign->var) shared.buffer = ref(buffer);
      }
      if (!shared.buffer) {
        shared.buffer = ops::make_window_buffer(assign->var, static_cast<const Call&>(*assign->value));
      }
      shared.written = group_of(program_.comm_groups, assign->var.get());
      buffers_.push_back(std::move(shared));
    }
  }

  Shared* find(const WindowBuffer* buffer) {
    for (Shared& shared : buffers_) {
      if (buffer && shared.buffer->base == buffer->base) return &shared;
    }
    return nullptr;
  }

  // What a group is called in messages.
  DeviceSet set_of(const Shared& shared) const {
    return shared.written ? in_run(DeviceSet::of(shared.written->devices)) : shared.devices;
  }

  // --- which ranks have it

  // Each buffer once, and each argument's view.
  template <class F>
  void for_each_buffer(const ExprList& args, F&& f) {
    std::vector<const Shared*> seen;
    for (const ExprRef& arg : args) {
      Shared* shared = find(buffer_of(arg));
      if (!shared || std::find(seen.begin(), seen.end(), shared) != seen.end()) continue;
      seen.push_back(shared);
      f(*shared);
    }
  }

  DeviceSet in_run(const DeviceSet& devices) const { return ranks_ ? devices.in_run_of(*ranks_) : devices; }

  void collect_dispatches() {
    for (WindowUses::Dispatch& dispatch : uses_.dispatches) {
      for_each_buffer(dispatch.call->args, [&](Shared& shared) { shared.devices.add(dispatch.devices); });
    }
    for (Shared& shared : buffers_) {
      if (!shared.devices.empty()) shared.devices = in_run(shared.devices);
    }
  }

  // A collective is a dispatch to the group of its windows: buffers that nothing else gives to a rank get it
  // from the others, and all ranks if none of them has any.
  void join_collectives() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Call* call : uses_.collectives) changed = join(*call) || changed;
    }
    for (const Call* call : uses_.collectives) {
      for_each_buffer(call->args, [&](Shared& shared) {
        if (shared.devices.empty()) shared.devices = DeviceSet::from(0);
      });
    }
    for (const Call* call : uses_.collectives) check_one_group(*call);
  }

  bool join(const Call& call) {
    const Shared* first = nullptr;
    for_each_buffer(call.args, [&](Shared& shared) {
      if (!first && !shared.devices.empty()) first = &shared;
    });
    bool changed = false;
    for_each_buffer(call.args, [&](Shared& shared) {
      if (!first || !shared.devices.empty()) return;
      shared.devices = set_of(*first);
      changed = true;
    });
    return changed;
  }

  void check_one_group(const Call& call) {
    const Shared* first = nullptr;
    for_each_buffer(call.args, [&](Shared& shared) {
      if (!first) first = &shared;
      if (!ranks_ && !set_of(shared).is_group()) {
        diags_
            .report(diag::collective_open_group, call.span,
                    {call.op->qualified(), shared.buffer->name, set_of(shared).text()})
            .with_help("call it in a kernel, or give the window to all ranks or to constant ones");
        return;
      }
      DeviceSet a = set_of(*first), b = set_of(shared);
      if (a == b || !a.known() || !b.known()) return;
      diags_
          .report(diag::collective_groups, call.span,
                  {call.op->qualified(), first->buffer->name, a.text(), shared.buffer->name, b.text()})
          .with_help("pass both windows to the same ranks");
    });
  }

  // In one run, the loops that dispatch a buffer may have no iterations; it exists all the same.
  void check_dispatched() {
    for (Shared& shared : buffers_) {
      if (!shared.devices.empty()) continue;
      if (ranks_) {
        shared.devices = DeviceSet::from(0);
        continue;
      }
      diags_.report(diag::window_not_dispatched, shared.buffer->base->span, {shared.buffer->name})
          .with_help("pass a view of it to a function called with device=, or remove it");
    }
  }

  // --- how dispatches fit

  void check_devices() {
    for (const WindowUses::Dispatch& dispatch : uses_.dispatches) {
      const std::set<int64_t>& devices = dispatch.devices.devices();
      if (!ranks_ || !dispatch.certain || devices.empty() || *devices.rbegin() < *ranks_) continue;
      diags_.report(
          diag::run_device, dispatch.call->span,
          {dispatch.call->callee, std::to_string(*devices.lower_bound(*ranks_)), std::to_string(*ranks_)});
    }
  }

  // Ranks are given a buffer by loops over all of its ranks, and beside these by dispatches that together
  // reach all of them again (rank 0 does one thing, the others another), or to single ranks.
  void check_loops() {
    for (Shared& shared : buffers_) {
      const DeviceSet all = set_of(shared);
      DeviceSet partial;
      std::vector<const WindowUses::Dispatch*> loops;
      for (const WindowUses::Dispatch& dispatch : uses_.dispatches) {
        bool takes = false;
        for_each_buffer(dispatch.call->args, [&](Shared& other) { takes = takes || &other == &shared; });
        const DeviceSet devices = in_run(dispatch.devices);
        if (!takes || devices.empty() || devices == all) continue;
        partial.add(dispatch.devices);
        if (dispatch.loop) loops.push_back(&dispatch);
      }
      if (!all.known() || !partial.known() || loops.empty() || in_run(partial) == all) continue;
      for (const WindowUses::Dispatch* dispatch : loops) {
        diags_
            .report(diag::loop_not_devices, dispatch->loop->span,
                    {dispatch->devices.text(), shared.buffer->name, all.text()})
            .with_note("`" + shared.buffer->name + "` goes to `" + dispatch->call->callee + "` here",
                       dispatch->call->span)
            .with_help("loop over exactly the ranks of the group");
      }
    }
  }

  // Groups of the program: no rank outside them, none left out.
  void check_written() {
    for (Shared& shared : buffers_) {
      if (!shared.written || shared.written->devices.empty()) continue;
      const DeviceSet group = DeviceSet::of(shared.written->devices);
      for (const WindowUses::Dispatch& dispatch : uses_.dispatches) {
        if (dispatch.loop || !dispatch.devices.constant()) continue;
        int64_t device = *dispatch.devices.devices().begin();
        if (group.devices().contains(device)) continue;
        for_each_buffer(dispatch.call->args, [&](Shared& other) {
          if (&other != &shared) return;
          diags_
              .report(diag::device_outside_group, dispatch.call->span,
                      {dispatch.call->callee, std::to_string(device), shared.buffer->name, group.text()})
              .with_note("the group is written here", shared.written->span);
        });
      }
      if (diags_.has_errors() || !shared.devices.constant()) continue;
      for (int64_t device : group.devices()) {
        if (shared.devices.devices().contains(device)) continue;
        diags_
            .report(diag::group_rank_missed, shared.written->span,
                    {std::to_string(device), shared.buffer->name})
            .with_note("`" + shared.buffer->name + "` is allocated here", shared.buffer->base->span);
      }
    }
  }

  // --- sizes

  ExprRef folded_product(const ExprList& extents) const {
    ExprRef count = const_index(1);
    for (const ExprRef& extent : extents) count = ops::product(count, scalars_.fold(extent));
    return count;
  }

  // a - b, where that is the same for every call.
  static std::optional<int64_t> difference(const ExprRef& a, const ExprRef& b) {
    return constant_value(ops::affine_sum(a, 1, b, -1));
  }

  void check_views() {
    for (const Call* view : uses_.views) {
      const auto& type = static_cast<const DistributedTensorType&>(*view->type);
      const WindowBuffer& buffer = *type.window_buffer;
      if (bits(type.dtype) < 8) continue;
      ExprRef size = scalars_.fold(buffer.size);
      ExprRef bytes = ops::product(folded_product(type.shape), const_index(ir::bytes(type.dtype)));
      auto excess = difference(bytes, size);
      if (!excess || *excess <= 0) continue;
      auto text = [](const ExprRef& expr) {
        auto value = constant_value(expr);
        return value ? std::to_string(*value) : "`" + to_string(expr) + "`";
      };
      diags_.report(diag::window_too_large, view->span, {text(bytes), buffer.name, text(size)})
          .with_label(ops::shape_text(type.shape) + " of pl." + std::string(info(type.dtype).name))
          .with_note("`" + buffer.name + "` is allocated here", buffer.base->span);
    }
  }

  void check_signals() {
    for (const Call* call : uses_.collectives) {
      int64_t cells = 0;
      if (const ExprRef* signal = signal_operand(*call, cells)) {
        check_signal(*signal, call->span, {cells, call, nullptr});
      }
    }
    for (const WindowUses::Dispatch& dispatch : uses_.dispatches) {
      auto needs = needs_.find(dispatch.call->callee);
      if (needs == needs_.end()) continue;
      for (size_t i = 0; i < dispatch.call->args.size(); ++i) {
        const SignalNeed& need = needs->second[i];
        if (need.cells_per_rank > 0) check_signal(dispatch.call->args[i], dispatch.call->span, need);
      }
    }
  }

  void check_signal(const ExprRef& signal, const Span& at, const SignalNeed& need) {
    const Shared* shared = find(buffer_of(signal));
    if (!shared) return;
    const DeviceSet group = set_of(*shared);
    if (!group.known()) return;
    ExprRef ranks;
    if (group.constant()) ranks = const_index(static_cast<int64_t>(group.devices().size()));
    if (group.all()) ranks = ranks_ ? ExprRef(const_index(*ranks_)) : scalars_.fold(ref(world_size_call()));
    if (!ranks) return;
    ExprRef needed = ops::product(ranks, const_index(need.cells_per_rank));
    ExprRef cells = folded_product(tensor_type_of(signal).shape);
    auto missing = difference(needed, cells);
    if (!missing || *missing <= 0) return;
    Diagnostic& said = diags_.report(diag::signal_uncovered, at,
                                     {shared->buffer->name, to_string(cells), need.where->op->qualified(),
                                      to_string(needed), group.text()});
    if (need.in) said.with_note("`" + need.in->name + "` signals every rank here", need.where->span);
    said.with_help("allocate a larger signal: pld.alloc_signal(n)");
  }

  // --- the result

  void add_groups(std::vector<Ref<const CommGroup>>& groups) {
    std::vector<std::pair<DeviceSet, std::vector<WindowBufferRef>>> made;
    for (const Shared& shared : buffers_) {
      // Ranks that go round a loop as a value are not followed, not even in one run: the run will see that
      // they are all.
      const DeviceSet devices = ranks_ && !shared.devices.is_group() ? DeviceSet::from(0) : shared.devices;
      if (shared.written || !devices.is_group()) continue;
      auto found =
          std::find_if(made.begin(), made.end(), [&](const auto& group) { return group.first == devices; });
      if (found == made.end()) found = made.insert(made.end(), {devices, {}});
      found->second.push_back(shared.buffer);
    }
    for (auto& [devices, slots] : made) {
      Span at = slots[0]->base->span;
      groups.push_back(make<CommGroup>(at, devices.group_devices(), std::move(slots)));
    }
  }

  const Program& program_;
  HostScalars scalars_;
  WindowUses uses_;
  const SignalNeeds& needs_;
  Diagnostics& diags_;
  std::optional<int64_t> ranks_;
  std::vector<Shared> buffers_;
};

}  // namespace

ProgramRef collect_comm_groups(const ProgramRef& program, const HostScalars::Known& known,
                               Diagnostics& diags) {
  bool any_host = std::any_of(program->functions.begin(), program->functions.end(),
                              [](const FunctionRef& f) { return f->type == FunctionType::Host; });
  if (!any_host) return program;
  SignalNeeds needs = signal_needs(*program);
  std::vector<Ref<const CommGroup>> groups = program->comm_groups;
  for (const FunctionRef& function : program->functions) {
    if (function->type != FunctionType::Host) continue;
    Diagnostics found;
    HostGroups(*program, *function, needs, known, found).run(groups);
    diags.append(found);
  }
  if (diags.has_errors()) return nullptr;
  if (groups.size() == program->comm_groups.size()) return program;
  return make<Program>(program->span, program->name_hint, program->functions, std::move(groups));
}

ProgramRef collect_comm_groups(const ProgramRef& program, Diagnostics& diags) {
  return collect_comm_groups(program, {}, diags);
}

ProgramRef collect_comm_groups(const ProgramRef& written, const ProgramRef& lowered,
                               const HostScalars::Known& known, Diagnostics& diags) {
  return collect_comm_groups(written, known, diags) ? collect_comm_groups(lowered, known, diags) : nullptr;
}

bool lacks_comm_groups(const Program& program, const Function& host) {
  HostScalars scalars(host);
  for (const Assign* allocation : WindowUses::of(host, scalars).allocations) {
    if (!group_of(program.comm_groups, allocation->var.get())) return true;
  }
  return false;
}

}  // namespace tilewire::passes
