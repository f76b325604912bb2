#include "passes/dispatch_host_collectives.h"

#include <algorithm>
#include <map>

#include "ir/aliases.h"
#include "ir/comm_groups.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "ops/windows.h"
#include "passes/lower_composite_ops.h"
#include "passes/names.h"
#include "passes/structured_builder.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {
namespace {

using namespace ir;

int64_t core_num(const Call& call) {
  const AttrValue* value = find_attr(call.attrs, "core_num");
  return value ? *value->get<int64_t>() : 1;
}

// A context of a host function: how the group of a window is divided, outermost first. Contexts belong to a
// rank, so the host has no such value.
struct HostContext {
  ExprRef window;
  std::vector<Ref<const Call>> steps;  // subgroup, mesh_axis
};

bool makes_context(const Op* op) {
  return op == &*ops::pld::get_comm_ctx || op == &*ops::pld::subgroup || op == &*ops::pld::mesh_axis;
}

// The operands of a step with another context, and with `number(e)` in the place of each number.
template <class F>
ExprList step_with(const Call& step, const ExprRef& context, F number) {
  ExprList args{context};
  for (size_t i = 1; i < step.args.size(); ++i) {
    const auto* list = as<MakeTuple>(step.args[i]);
    if (!list) {
      args.push_back(step.args[i] ? number(step.args[i]) : nullptr);
      continue;
    }
    ExprList elements;
    for (const ExprRef& element : list->elements) elements.push_back(number(element));
    args.push_back(make<MakeTuple>(list->span, std::move(elements)));
  }
  return args;
}

// The numbers of its steps that are known only at run time: parameters of the kernel, in this order.
ExprList numbers_of(const HostContext& context) {
  ExprList numbers;
  for (const Ref<const Call>& step : context.steps) {
    step_with(*step, nullptr, [&](const ExprRef& number) {
      if (!constant_value(number)) numbers.push_back(number);
      return number;
    });
  }
  return numbers;
}

// The kernel that calls the collective with its parameters. It makes the sub-group itself.
FunctionRef kernel_of(const Call& call, const ExprList& args, const HostContext& group, std::string name,
                      Diagnostics& diags) {
  const Span& span = call.span;
  std::vector<Ref<const Parameter>> params;
  ExprList operands;
  int unknown = 0;
  for (size_t i = 0; i < call.op->params.size(); ++i) {
    const OpParam& declared = call.op->params[i];
    int slot = call.op->operand_slots[i];
    if (slot < 0) continue;
    if (static_cast<int>(i) == call.op->group_param) {
      operands.push_back(nullptr);
      continue;
    }
    TypeRef type = args[static_cast<size_t>(slot)]->type;
    Direction direction = Direction::In;
    if (const auto* tensor = as<TensorType>(type)) {
      ExprList shape;
      for (const ExprRef& extent : tensor->shape) {
        // What the host computes is a dimension that the kernel finds out when it is called.
        bool simple = isa<ConstInt>(extent) || isa<DimSymbol>(extent);
        shape.push_back(
            simple ? extent
                   : ExprRef(make<DimSymbol>(span, declared.name + "_d" + std::to_string(unknown++))));
      }
      bool window = isa<DistributedTensorType>(type);
      type = window ? TypeRef(make<DistributedTensorType>(span, std::move(shape), tensor->dtype))
                    : TypeRef(make<TensorType>(span, std::move(shape), tensor->dtype));
      for (const Effect& effect : call.op->effects) {
        if (effect.param == static_cast<int>(i) && effect.access != Access::Read)
          direction = Direction::InOut;
      }
    }
    params.push_back(make<Parameter>(span, declared.name, type, direction));
    operands.push_back(params.back());
  }
  std::vector<StmtRef> body;
  auto named = [&](const char* name, Ref<const Call> value) -> ExprRef {
    VarRef var = make<Var>(span, name, value->type);
    body.push_back(make<Assign>(span, ExprRef(std::move(value)), var));
    return var;
  };
  if (!group.steps.empty()) {
    const ExprList signal{operands[signal_slot(*call.op)]};
    ExprRef context = named("ctx", create_call(*ops::pld::get_comm_ctx, signal, {}, span, diags));
    for (const Ref<const Call>& step : group.steps) {
      ExprList made = step_with(*step, context, [&](const ExprRef& number) -> ExprRef {
        if (constant_value(number)) return number;
        params.push_back(make<Parameter>(span, "n" + std::to_string(unknown++), number->type, Direction::In));
        return params.back();
      });
      context = named("group", create_call(*step->op, std::move(made), step->attrs, step->span, diags));
    }
    operands[group_slot(*call.op)] = context;
  }
  AttrList attrs = call.attrs;
  std::erase_if(attrs, [](const auto& attr) { return attr.first == "core_num"; });
  Ref<const Call> inner = create_call(*call.op, std::move(operands), std::move(attrs), span, diags);
  if (!inner) return nullptr;
  body.push_back(make<Eval>(span, ExprRef(inner)));
  body.push_back(make<Return>(span, ExprList{}));
  return make<Function>(span, std::move(name), FunctionType::InCore, std::move(params),
                        std::vector<TypeRef>{}, make<Block>(span, std::move(body)));
}

class Dispatcher final : public StructuredBuilder {
 public:
  Dispatcher(const Program& program, Diagnostics& diags)
      : StructuredBuilder(diags), groups_(program.comm_groups) {
    for (const FunctionRef& function : program.functions) names_.take(function->name);
  }

  std::vector<FunctionRef> kernels;
  const std::vector<Ref<const CommGroup>>& groups() const { return groups_; }

  FunctionRef run_on(const FunctionRef& host) {
    signals_.clear();
    contexts_.clear();
    Collectives found;
    found.owner = this;
    found.walk(*host->body);
    if (!found.any || diags_.has_errors()) return host;
    BlockRef body = collect(host->span, [&] {
      at(host->span);
      world_size_ = let("ranks", ops::scalar_cast(let("ranks", op(ops::pld::world_size, {})), DType::Index));
      for (auto& [group, signal] : signals_) make_signal(group, signal);
      statements(*host->body);
    });
    return with_body(*host, std::move(body));
  }

  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    if (call && makes_context(call->op)) return;
    ExprRef result = dispatched(assign.value);
    if (result) return bind(*assign.var, result);
    StructuredBuilder::assign(assign);
  }
  void eval(const Eval& eval) override {
    const auto* call = as<Call>(eval.value);
    if (call && makes_context(call->op)) return;
    if (!dispatched(eval.value)) StructuredBuilder::eval(eval);
  }

 private:
  struct Signal {
    int64_t cores = 1;
    ExprRef view;
  };

  // Notes what contexts denote, which groups need a signal, and how many blocks use it.
  struct Collectives : Visitor<Collectives> {
    Dispatcher* owner = nullptr;
    bool any = false;
    void visit(const Assign& assign) {
      walk_children(assign);
      const auto* call = as<Call>(assign.value);
      if (call && makes_context(call->op)) owner->note_context(*assign.var, *call);
    }
    void visit(const FunctionCall& call) {
      walk_children(call);
      refuse(call.args, call.span);
    }
    void visit(const Yield& yield) { refuse(yield.values, yield.span); }
    // Contexts belong to a rank.
    void refuse(const ExprList& values, const Span& at) {
      for (const ExprRef& value : values) {
        if (!isa<CommCtxType>(value->type)) continue;
        owner->diags_.report(diag::host_context, at)
            .with_label("`" + to_string(value) + "` is a communication context")
            .with_help(
                "make it in the kernel: ctx = pld.get_comm_ctx(w), then pld.subgroup or pld.mesh_axis");
      }
    }
    void visit(const Call& call) {
      any = any || makes_context(call.op);
      if (is_composite(*call.op)) {
        any = true;
        if (!call.args[signal_slot(*call.op)]) {
          Signal& signal = owner->signals_[owner->group_of(call, call.args)];
          signal.cores = std::max(signal.cores, core_num(call));
        }
      }
      walk_children(call);
    }
  };

  void note_context(const Var& var, const Call& call) {
    HostContext made{call.args[0], {}};
    if (call.op != ops::pld::get_comm_ctx) {
      auto outer = contexts_.find(call.args[0].get());
      if (outer == contexts_.end()) return;  // carried by a loop: refused
      made = outer->second;
      made.steps.push_back(ref(&call));
    }
    contexts_[&var] = std::move(made);
  }
  // The same with numbers of the function being written.
  HostContext rewritten(HostContext context) {
    for (Ref<const Call>& step : context.steps) {
      ExprList args = step_with(*step, step->args[0], [&](const ExprRef& number) { return use(number); });
      step = make<Call>(step->span, step->op, std::move(args), step->attrs, step->type);
    }
    return context;
  }
  const HostContext& context(const ExprRef& expr) {
    auto found = contexts_.find(expr.get());
    TW_CHECK(found != contexts_.end(), "a context of the host that no op has made");
    return found->second;
  }

  std::optional<size_t> group_of(const DistributedTensorType& window) const {
    if (!window.window_buffer) return std::nullopt;
    const int group = group_number(groups_, window.window_buffer->base.get());
    return group < 0 ? std::nullopt : std::optional(static_cast<size_t>(group));
  }

  void check_same_group(const Call& call, size_t group, const HostContext& within) {
    const auto& window = static_cast<const DistributedTensorType&>(*within.window->type);
    if (group_of(window).value_or(group) == group) return;
    diags_.report(diag::context_other_group, call.span, {call.op->qualified(), window.window_buffer->name})
        .with_help("take the context of a window of this call: pld.get_comm_ctx(w)");
  }

  // The group of the windows of a call, else of its context; the only one when it has neither (a barrier).
  size_t group_of(const Call& call, const ExprList& args) {
    for (const ExprRef& arg : args) {
      const auto* window = arg ? as<DistributedTensorType>(arg->type) : nullptr;
      if (auto group = window ? group_of(*window) : std::nullopt) return *group;
    }
    const ExprRef& within = args[group_slot(*call.op)];
    auto known = within ? contexts_.find(within.get()) : contexts_.end();  // not there: refused
    if (known != contexts_.end()) {
      const ExprRef& window = known->second.window;
      if (auto group = group_of(static_cast<const DistributedTensorType&>(*window->type))) return *group;
    }
    TW_CHECK(!groups_.empty(), "a collective of no group: " + call.op->qualified());
    return 0;
  }

  ExprRef rank_count(const CommGroup& group) {
    return group.devices.empty() ? world_size_ : number(static_cast<int64_t>(group.devices.size()));
  }

  void make_signal(size_t group, Signal& signal) {
    ExprRef cells = mul(rank_count(*groups_[group]), number(2 * signal.cores));
    std::string name = names_.take("collective_signal");
    AttrList attrs{{"dtype", AttrValue{DType::Int32}}, {"signal", AttrValue{true}}};
    ExprRef alloc =
        op(ops::pld::alloc_window_buffer, {nullptr, list({cells, number(1)}), nullptr, nullptr}, attrs);
    VarRef base = assign_new(name, alloc, span());
    WindowBufferRef buffer = ops::make_window_buffer(base, static_cast<const Call&>(*alloc));
    signal.view = let("signal", op(ops::pld::window, {buffer, list({cells, number(1)})},
                                   {{"dtype", AttrValue{DType::Int32}}}));
    Ref<CommGroup> wider = copy(*groups_[group]);
    wider->slots.push_back(buffer);
    groups_[group] = finish_node(std::move(wider));
  }

  const std::string& kernel(const Call& call, const ExprList& args, const HostContext& group) {
    std::string key = call.op->qualified();
    for (const auto& [name, value] : call.attrs) {
      if (name != "core_num") key += "," + name + "=" + to_string(value);
    }
    for (const ExprRef& arg : args) key += "," + (arg ? to_string(arg->type) : "");
    for (const Ref<const Call>& step : group.steps) {
      key += "," + step->op->qualified();
      for (const auto& [name, value] : step->attrs) key += "," + to_string(value);
      step_with(*step, nullptr, [&](const ExprRef& number) {
        auto known = constant_value(number);
        key += "," + (known ? std::to_string(*known) : to_string(number->type));
        return number;
      });
    }
    auto [found, fresh] = made_.try_emplace(key);
    if (fresh) {
      found->second = names_.take(call.op->name.substr(call.op->name.find('.') + 1));
      if (FunctionRef made = kernel_of(call, args, group, found->second, diags_)) kernels.push_back(made);
    }
    return found->second;
  }

  ExprRef dispatched(const ExprRef& value) {
    const auto* call = as<Call>(value);
    if (!call || !is_composite(*call->op)) return nullptr;
    at(call->span);
    const ExprRef division = call->args[group_slot(*call->op)];
    ExprList args = use(call->args);
    args[group_slot(*call->op)] = nullptr;
    size_t group = group_of(*call, call->args);
    ExprRef& signal = args[signal_slot(*call->op)];
    if (!signal) signal = signals_.at(group).view;
    const HostContext within = division ? rewritten(context(division)) : HostContext{};
    if (division) check_same_group(*call, group, within);
    const std::string& callee = kernel(*call, args, within);
    ExprList passed;
    for (const ExprRef& arg : args) {
      if (arg) passed.push_back(arg);
    }
    for (const ExprRef& number : numbers_of(within)) passed.push_back(number);
    ExprRef blocks = core_num(*call) == 1 ? nullptr : number(core_num(*call));
    auto dispatch = [&](const ExprRef& device) {
      emit(make<Eval>(span(), ExprRef(make<FunctionCall>(span(), callee, passed, device, blocks, ExprList(),
                                                         unit_type()))));
    };
    const CommGroup& members = *groups_[group];
    for (int64_t device : members.devices) dispatch(number(device));
    if (members.devices.empty()) {
      repeat("r", number(0), rank_count(members), number(1), [&](const VarRef& r) { dispatch(r); });
    }
    return args[static_cast<size_t>(alias_slot(*call->op))];
  }

  std::vector<Ref<const CommGroup>> groups_;
  // Of the host function being written.
  std::map<size_t, Signal> signals_;
  ExprRef world_size_;
  std::map<std::string, std::string> made_;
  std::map<const Expr*, HostContext> contexts_;
  Names names_;
};

}  // namespace

ProgramRef dispatch_host_collectives(const ProgramRef& program, Diagnostics& diags) {
  Dispatcher dispatcher(*program, diags);
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    if (function->type == FunctionType::Host) function = dispatcher.run_on(function);
  }
  if (dispatcher.kernels.empty()) return program;
  for (FunctionRef& kernel : dispatcher.kernels) result->functions.push_back(kernel);
  result->comm_groups = dispatcher.groups();
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
