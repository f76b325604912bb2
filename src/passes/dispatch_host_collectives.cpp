#include "passes/dispatch_host_collectives.h"

#include <algorithm>
#include <map>

#include "ir/aliases.h"
#include "ir/comm_groups.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "ops/windows.h"
#include "passes/lower_composite_ops.h"
#include "passes/names.h"
#include "passes/structured_builder.h"

namespace tilewire::passes {
namespace {

using namespace ir;

int64_t core_num(const Call& call) {
  const AttrValue* value = find_attr(call.attrs, "core_num");
  return value ? *value->get<int64_t>() : 1;
}

// The kernel that calls the collective with its parameters.
FunctionRef kernel_of(const Call& call, const ExprList& args, std::string name, Diagnostics& diags) {
  const Span& span = call.span;
  std::vector<Ref<const Parameter>> params;
  ExprList operands;
  int unknown = 0;
  for (size_t i = 0; i < call.op->params.size(); ++i) {
    const OpParam& declared = call.op->params[i];
    int slot = call.op->operand_slots[i];
    if (slot < 0) continue;
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
  AttrList attrs = call.attrs;
  std::erase_if(attrs, [](const auto& attr) { return attr.first == "core_num"; });
  Ref<const Call> inner = create_call(*call.op, std::move(operands), std::move(attrs), span, diags);
  if (!inner) return nullptr;
  std::vector<StmtRef> body{make<Eval>(span, ExprRef(inner)), make<Return>(span, ExprList{})};
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
    Collectives found;
    found.owner = this;
    found.walk(*host->body);
    if (!found.any) return host;
    BlockRef body = collect(host->span, [&] {
      at(host->span);
      world_size_ = let("ranks", ops::scalar_cast(let("ranks", op(ops::pld::world_size, {})), DType::Index));
      for (auto& [group, signal] : signals_) make_signal(group, signal);
      statements(*host->body);
    });
    return with_body(*host, std::move(body));
  }

  void assign(const Assign& assign) override {
    ExprRef result = dispatched(assign.value);
    if (result) return bind(*assign.var, result);
    StructuredBuilder::assign(assign);
  }
  void eval(const Eval& eval) override {
    if (!dispatched(eval.value)) StructuredBuilder::eval(eval);
  }

 private:
  struct Signal {
    int64_t cores = 1;
    ExprRef view;
  };

  // Notes which groups need a signal, and how many blocks use it.
  struct Collectives : Visitor<Collectives> {
    Dispatcher* owner = nullptr;
    bool any = false;
    void visit(const Call& call) {
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

  // The group of the windows of a call; the only one when it has none (a barrier without a signal).
  size_t group_of(const Call& call, const ExprList& args) {
    for (const ExprRef& arg : args) {
      const auto* window = arg ? as<DistributedTensorType>(arg->type) : nullptr;
      if (!window || !window->window_buffer) continue;
      const int group = group_number(groups_, window->window_buffer->base.get());
      if (group >= 0) return static_cast<size_t>(group);
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

  const std::string& kernel(const Call& call, const ExprList& args) {
    std::string key = call.op->qualified();
    for (const auto& [name, value] : call.attrs) {
      if (name != "core_num") key += "," + name + "=" + to_string(value);
    }
    for (const ExprRef& arg : args) key += "," + to_string(arg->type);
    auto [found, fresh] = made_.try_emplace(key);
    if (fresh) {
      found->second = names_.take(call.op->name.substr(call.op->name.find('.') + 1));
      if (FunctionRef made = kernel_of(call, args, found->second, diags_)) kernels.push_back(made);
    }
    return found->second;
  }

  ExprRef dispatched(const ExprRef& value) {
    const auto* call = as<Call>(value);
    if (!call || !is_composite(*call->op)) return nullptr;
    at(call->span);
    ExprList args = use(call->args);
    size_t group = group_of(*call, call->args);
    ExprRef& signal = args[signal_slot(*call->op)];
    if (!signal) signal = signals_.at(group).view;
    const std::string& callee = kernel(*call, args);
    ExprRef blocks = core_num(*call) == 1 ? nullptr : number(core_num(*call));
    auto dispatch = [&](const ExprRef& device) {
      emit(make<Eval>(span(), ExprRef(make<FunctionCall>(span(), callee, args, device, blocks, ExprList(),
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
