// Numbers are worked out where a context is made, so that loops around its uses do not repeat them. Where a
// context arrives as a value (a parameter, a value carried by a loop or a branch), the size and the stride
// arrive behind the other values.
#include "passes/lower_subgroups.h"

#include "ir/op.h"
#include "ir/pointer_map.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/structured_builder.h"

namespace tilewire::passes {
namespace {

using namespace ir;

// A context, as INDEX scalars in ranks of the window's group.
struct Division {
  ExprRef context;  // of that group
  ExprRef size, stride;
  ExprRef first;   // of the sub-group that this rank is in
  ExprRef number;  // of this rank in it
};

bool is_context(const ExprRef& expr) {
  return isa<CommCtxType>(expr->type);
}

bool divides(const Op* op) {
  return op == &*ops::pld::subgroup || op == &*ops::pld::mesh_axis;
}

bool has_subgroups(const Program& program) {
  struct Find : Visitor<Find> {
    bool found = false;
    void visit(const Call& call) {
      const int group = call.op->group_param;
      found = found || divides(call.op) || call.op == ops::pld::member_rank ||
              call.op == ops::pld::system::member_stride ||
              (group >= 0 && call.args[call.op->operand_slots[group]]);
      walk_children(call);
    }
  } find;
  find.walk(program);
  return find.found;
}

// The operand that names the peer.
int peer_slot_of(const Op& op) {
  int param = op.result_peer;
  for (const Effect& effect : op.effects) {
    if (effect.peer_param >= 0) param = effect.peer_param;
  }
  return param < 0 ? -1 : op.operand_slots[param];
}

class Lowering final : public StructuredBuilder {
 public:
  using StructuredBuilder::StructuredBuilder;

  FunctionRef run_on(const Function& function) {
    Ref<Function> now = copy(function);
    now->body = collect(function.body->span, [&] {
      for (const auto& param : function.params) {
        if (!is_context(param)) continue;
        at(param->span);
        auto number = [&](const char* name) {
          now->params.push_back(
              make<Parameter>(param->span, param->name + name, scalar_type(DType::Index), Direction::In));
          return now->params.back();
        };
        ExprRef size = number("_size");
        note(*param, located({param, size, number("_stride"), nullptr, nullptr}));
      }
      statements(*function.body);
    });
    return finish_node(std::move(now));
  }

  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    if (!call || !divides(call->op)) return StructuredBuilder::assign(assign);
    note(*assign.var, located(divided(*call)));
  }
  void eval(const Eval& eval) override {
    const auto* call = as<Call>(eval.value);
    if (call && divides(call->op)) {
      divided(*call);
      return;
    }
    StructuredBuilder::eval(eval);
  }

  void give(const Yield& yield) override { emit(make<Yield>(yield.span, handed_on(use(yield.values)))); }
  void branch(const If& branch) override {
    Ref<If> now = copy(branch);
    widen(now->results, branch.results);
    StructuredBuilder::branch(*finish_node(std::move(now)));
  }
  void loop(const For& loop) override { StructuredBuilder::loop(*widened(loop)); }
  void loop(const While& loop) override { StructuredBuilder::loop(*widened(loop)); }

  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    if (!call) return use(expr);
    Ref<FunctionCall> now = copy(*call);
    now->args = handed_on(call->args);
    return use(ExprRef(finish_node(std::move(now))));
  }

  // In any position: numbers of contexts are parts of other expressions, too.
  ExprRef fold(const ExprRef& expr) override {
    const auto& call = static_cast<const Call&>(*expr);
    at(call);
    const bool divided = !call.args.empty() && call.args[0] && places_.find(call.args[0].get());
    if (divided && call.op == ops::pld::rank) {
      return ops::scalar_cast(division(call.args[0]).number, DType::Int32);
    }
    if (divided && call.op == ops::pld::nranks) {
      return ops::scalar_cast(division(call.args[0]).size, DType::Int32);
    }
    if (divided && call.op == ops::pld::nhosts) return hosts(division(call.args[0]));
    if (call.op == ops::pld::system::member_stride) return division(call.args[0]).stride;
    if (call.op == ops::pld::member_rank) return member(division(call.args[0]), call.args[1]);
    const int group = call.op->group_param;
    if (group >= 0 && call.args[call.op->operand_slots[group]]) return in_group(call);
    if (call.op == ops::pld::system::check_group) {
      return op(*call.op, {call.args[0], division(call.args[1]).context}, call.attrs);
    }
    return expr;
  }

 private:
  // --- contexts

  void note(const Var& context, Division division) {
    auto [place, added] = places_.insert(&context, static_cast<uint32_t>(known_.size()));
    TW_CHECK(added, "a context is defined twice");
    known_.emplace_back(VarRef(&context), std::move(division));
  }

  // One that nothing divided is all of the group.
  Division division(const ExprRef& context) {
    const uint32_t* place = places_.find(context.get());
    if (place) return located(known_[*place].second);
    return located({context, all_ranks(context), number(1), number(0), nullptr});
  }

  ExprRef scalar_of(const char* name, const Op& of, const ExprRef& context) {
    return let(name, ops::scalar_cast(let(name, op(of, {context})), DType::Index));
  }
  ExprRef all_ranks(const ExprRef& context) { return scalar_of("ranks", ops::pld::nranks, context); }

  // All of the group again, or ranks that count as one host.
  ExprRef hosts(const Division& of) {
    ExprRef some = choose(
        equal(of.size, all_ranks(of.context)),
        [&]() -> ExprList { return {scalar_of("hosts", ops::pld::nhosts, of.context)}; },
        [&]() -> ExprList { return {number(1)}; })[0];
    return ops::scalar_cast(some, DType::Int32);
  }

  // Where this rank is, unless that is known.
  Division located(Division division) {
    if (division.number) return division;
    ExprRef own = scalar_of("rank", ops::pld::rank, division.context);
    if (division.first) {
      division.number = own;
      return division;
    }
    division.number = let("number", mod(div(own, division.stride), division.size));
    division.first = let("first", sub(own, let("behind", mul(division.number, division.stride))));
    return division;
  }

  // The numbers that the op makes, checked against the ranks there are.
  Division divided(const Call& call) {
    const Division outer = division(call.args[0]);
    auto index = [&](const char* name, const ExprRef& value) {
      ExprRef number = use(value);
      at(call);
      return let(name, ops::scalar_cast(number, DType::Index));
    };
    at(call);
    if (call.op == ops::pld::subgroup) {
      ExprRef size = index("size", call.args[1]);
      ExprRef stride = call.args[2] ? index("stride", call.args[2]) : number(1);
      check(ops::pld::system::check_subgroup, {outer.size, size, stride});
      return {outer.context, size, let("stride", mul(stride, outer.stride)), nullptr, nullptr};
    }
    const ExprList& extents = static_cast<const MakeTuple&>(*call.args[1]).elements;
    int64_t axis = *find_attr(call.attrs, "axis")->get<int64_t>();
    if (axis < 0) axis += static_cast<int64_t>(extents.size());
    ExprList shape;
    for (const ExprRef& extent : extents) shape.push_back(index("extent", extent));
    check(ops::pld::system::check_mesh, {outer.size, list(shape)});
    ExprRef stride = outer.stride;
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) {
      stride = let("stride", mul(stride, shape[i]));
    }
    return {outer.context, shape[static_cast<size_t>(axis)], stride, nullptr, nullptr};
  }

  // --- where contexts are handed on

  // Values with each context as that of a window, and its numbers after all of them.
  ExprList handed_on(ExprList values) {
    for (size_t i = 0, count = values.size(); i < count; ++i) {
      if (!is_context(values[i])) continue;
      const Division known = division(values[i]);
      values[i] = known.context;
      values.push_back(known.size);
      values.push_back(known.stride);
    }
    return values;
  }

  VarRef index_var(const Var& context, const char* name) {
    return make<Var>(context.span, name, scalar_type(DType::Index));
  }

  // Variables for the numbers of those that are contexts.
  void widen(std::vector<VarRef>& vars, const std::vector<VarRef>& old) {
    for (const VarRef& var : old) {
      if (!isa<CommCtxType>(var->type)) continue;
      VarRef size = index_var(*var, "size"), stride = index_var(*var, "stride");
      vars.push_back(size);
      vars.push_back(stride);
      note(*var, {var, size, stride, nullptr, nullptr});
    }
  }

  template <class T>
  Ref<const T> widened(const T& loop) {
    Ref<T> now = copy(loop);
    now->init_values = handed_on(use(loop.init_values));
    widen(now->iter_args, loop.iter_args);
    widen(now->results, loop.results);
    return finish_node(std::move(now));
  }

  // --- ops

  // The rank of the window's group that `number` is, once it is known to be in the sub-group.
  ExprRef member(const Division& of, const ExprRef& number) {
    ExprRef index = let("number", ops::scalar_cast(number, DType::Index));
    auto known = constant_value(index), size = constant_value(of.size);
    const bool inside = known && (*known == 0 || (size && *known > 0 && *known < *size));
    if (!inside) check(ops::pld::system::check_member, {index, of.size});
    return let("member", add(of.first, mul(index, of.stride)));
  }

  ExprRef in_group(const Call& call) {
    const Op& op = *call.op;
    ExprList args = call.args;
    ExprRef& group = args[op.operand_slots[op.group_param]];
    const Division of = division(group);
    check(ops::pld::system::check_group, {window_of(call), of.context});
    const int members = op.param_index("members");
    if (members >= 0) {
      args[op.operand_slots[members]] = list({of.first, of.stride, of.size});
    } else {
      ExprRef& peer = args[peer_slot_of(op)];
      peer = member(of, peer);
    }
    group = nullptr;
    return make<Call>(call.span, &op, std::move(args), call.attrs, call.type);
  }

  // The window whose group is divided.
  ExprRef window_of(const Call& call) {
    for (const ExprRef& arg : call.args) {
      if (arg && isa<DistributedTensorType>(arg->type)) return arg;
    }
    internal_error(__FILE__, __LINE__, "an op with a group and without a window: " + call.op->qualified());
  }

  PointerMap<uint32_t> places_;
  std::vector<std::pair<VarRef, Division>> known_;  // by old context
};

}  // namespace

ProgramRef lower_subgroups(const ProgramRef& program, Diagnostics& diags) {
  if (!has_subgroups(*program)) return program;
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    if (function->type == FunctionType::Host) continue;
    function = Lowering(diags).run_on(*function);
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
