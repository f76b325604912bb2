#include "passes/expand_mixed_kernel.h"

#include <algorithm>
#include <optional>

#include "ir/aliases.h"
#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/uses.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "passes/lane_parts.h"
#include "passes/mixed_plan.h"
#include "passes/names.h"
#include "passes/structured_builder.h"

namespace tilewire::passes {
namespace {

using namespace ir;

constexpr int64_t slot_alignment = 32;

// One half of a kernel.
class HalfWriter final : public StructuredBuilder {
 public:
  // `mode`: how two vector lanes share the work; NONE: there is one.
  HalfWriter(const Function& kernel, const MixedPlan& plan, Halves half, SplitMode mode, const Traits& traits,
             Diagnostics& diags)
      : StructuredBuilder(diags, true),
        kernel_(kernel),
        plan_(plan),
        traits_(traits),
        half_(half),
        mode_(mode),
        dealt_(half == on_vector ? mode : SplitMode::NONE) {}

  FunctionRef write(const std::string& name, const std::string& other) {
    Ref<Function> now = make_empty<Function>();
    now->span = kernel_.span;
    now->name = name;
    now->type = half_ == on_cube ? FunctionType::AIC : FunctionType::AIV;
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      const Parameter& param = *kernel_.params[i];
      const Direction direction = plan_.writes(half_, i) ? param.direction : Direction::In;
      now->params.push_back(make<Parameter>(param.span, param.name, param.type, direction));
      bind(param, now->params.back());
    }
    at(kernel_.span);
    now->body = collect(kernel_.span, [&] {
      initialize(other);
      if (dealt_ != SplitMode::NONE) lane_ = let("lane", op(ops::pl::tile::get_subblock_idx, {}));
      statements(*kernel_.body);
    });
    return finish_node(std::move(now));
  }

 protected:
  void statements(const Block& body) override {
    const VarList* handed = std::exchange(handed_, nullptr);
    pops_.emplace_back();
    BlockRef written = collect(body.span, [&] {
      block_ = &body;
      index_ = before_all;
      // The initial values of a loop may cross first.
      for (size_t i = 0; handed && i < handed->size(); ++i) exchange(*(*handed)[i]);
      for (size_t i = 0; i < body.stmts.size(); ++i) {
        block_ = &body;
        index_ = i;
        statement(*body.stmts[i]);
      }
    });
    const std::vector<Popped> pops = std::move(pops_.back());
    pops_.pop_back();
    // A slot is freed after the last use of its tile.
    std::vector<std::vector<VarRef>> behind(written->stmts.size());
    for (const auto& [slot, tile] : pops) {
      size_t last = 0;
      for (size_t i = 0; i < written->stmts.size(); ++i) {
        if (uses(*written->stmts[i], *slot) || uses(*written->stmts[i], *tile)) last = i;
      }
      behind[last].push_back(slot);
    }
    for (size_t i = 0; i < written->stmts.size(); ++i) {
      emit(written->stmts[i]);
      for (const VarRef& tile : behind[i]) free(tile);
    }
  }

  void assign(const Assign& assign) override {
    const Var& var = *assign.var;
    // A tensor that is written elsewhere keeps its previous name.
    const auto* call = as<Call>(assign.value);
    const Expr* written = call && isa<TensorType>(var.type) ? aliased_operand(*call) : nullptr;
    if (plan_.places(assign) & half_) {
      if (stores_once(assign.value)) return bind(var, use(ExprRef(written)));
      StructuredBuilder::assign(assign);
      return send(var);
    }
    if (receive(var, index_ + 1)) return;
    if (written) bind(var, use(ExprRef(written)));
  }
  void eval(const Eval& eval) override {
    if ((plan_.places(eval) & half_) && !stores_once(eval.value)) StructuredBuilder::eval(eval);
  }

  // Calls, as the lane makes them.
  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<Call>(expr);
    return call && dealt_ != SplitMode::NONE ? use(ExprRef(lane_call(*call))) : use(expr);
  }
  void give(const Return&) override {}
  void give(const Yield& yield) override {
    ExprList values;
    for (size_t i = 0; i < yield.values.size(); ++i) {
      if (kept_.back()[i]) values.push_back(use(yield.values[i]));
    }
    if (!values.empty()) emit(make<Yield>(yield.span, std::move(values)));
  }

  void loop(const For& loop) override { carry(loop); }
  void loop(const While& loop) override { carry(loop); }
  void branch(const If& branch) override {
    const Block* block = block_;
    const size_t index = index_;
    if (plan_.places(branch) & half_) {
      Ref<If> now = copy(branch);
      const std::vector<bool> kept = held(branch.results);
      now->condition = use(branch.condition);
      now->results.clear();
      auto side = [&](const BlockRef& body) {
        kept_.push_back(kept);
        BlockRef result = this->block(*body);
        kept_.pop_back();
        return result;
      };
      now->then_body = side(branch.then_body);
      if (branch.else_body) now->else_body = side(branch.else_body);
      const ExprList& values = yielded(*now->then_body);
      for (size_t i = 0, k = 0; i < branch.results.size(); ++i) {
        if (kept[i]) now->results.push_back(define(branch.results[i], values[k++]->type));
      }
      if (now->else_body && now->else_body->stmts.empty()) now->else_body = nullptr;
      emit(finish_node(std::move(now)));
    }
    block_ = block;
    index_ = index;
    for (const VarRef& result : branch.results) exchange(*result);
  }

 private:
  // --- the pipe

  bool has(ops::Ring ring) const {
    return plan_.senders() & (ring == ops::Ring::CubeToVector ? on_cube : on_vector);
  }

  void initialize(const std::string& other) {
    const bool cube = half_ == on_cube;
    const int64_t mask = (has(ops::Ring::CubeToVector) ? 1 : 0) | (has(ops::Ring::VectorToCube) ? 2 : 0);
    const int64_t slot = (largest() + slot_alignment - 1) / slot_alignment * slot_alignment;
    const int64_t slots = mask == 3 ? 4 : 8;
    auto buffer = [&](ops::Ring ring) -> ExprRef {
      if (!has(ring)) return int32(0);
      const char* name = ring == ops::Ring::CubeToVector ? "c2v" : "v2c";
      const bool pops = cube == (ring == ops::Ring::VectorToCube);
      if (pops) {
        return let(name, op(ops::pl::reserve_buffer, {},
                            {{"name", AttrValue{std::string(name)}},
                             {"size", AttrValue{slot * slots}},
                             {"base", AttrValue{int64_t{-1}}}}));
      }
      return let(name, op(ops::pl::import_peer_buffer, {},
                          {{"name", AttrValue{std::string(name)}}, {"peer_func", AttrValue{other}}}));
    };
    ExprRef to_vector = buffer(ops::Ring::CubeToVector), to_cube = buffer(ops::Ring::VectorToCube);
    const Op& init = cube ? *ops::pl::aic_initialize_pipe : *ops::pl::aiv_initialize_pipe;
    run(init, {to_vector, to_cube},
        {{"dir_mask", AttrValue{mask}}, {"slot_size", AttrValue{slot}}, {"id", AttrValue{int64_t{0}}}});
  }

  // Bytes of the largest value that crosses, from either half.
  int64_t largest() const {
    constexpr int64_t of_scalar = 64;
    int64_t most = of_scalar;
    for (const Var* var : plan_.crossing()) {
      const auto* tile = as<TileType>(var->type);
      const int64_t elements = tile ? tile->rows() * tile->cols() * bytes(tile->dtype) : of_scalar;
      const bool from_cube = plan_.crosses_from(*var) == on_cube;
      most = std::max(most, traits_.slot_bytes ? traits_.slot_bytes(tile, from_cube) : elements);
    }
    return most;
  }

  AttrList split() const { return {{"split", AttrValue{enum_value(mode_)}}, {"id", AttrValue{int64_t{0}}}}; }

  void push(const ExprRef& tile) {
    run(half_ == on_cube ? *ops::pl::tpush_to_aiv : *ops::pl::tpush_to_aic, {tile}, split());
  }
  VarRef pop(const TypeRef& type) {
    const Op& op = half_ == on_cube ? *ops::pl::tpop_from_aiv : *ops::pl::tpop_from_aic;
    Diagnostics problems;
    Ref<const Call> call = create_call(op, {}, split(), span(), problems, type);
    TW_CHECK(call, "a pop that its rule refuses\n" + problems.text());
    return assign_new("popped", call, span());
  }
  void free(const VarRef& tile) {
    run(half_ == on_cube ? *ops::pl::tfree_to_aiv : *ops::pl::tfree_to_aic, {tile},
        {{"id", AttrValue{int64_t{0}}}});
  }

  // --- two vector lanes

  // Where the part of this lane starts, of what has `type` as a whole, or for a lane of it.
  ExprRef lane_start(const TypeRef& lane_tile) {
    const auto& tile = static_cast<const TileType&>(*lane_tile);
    return let("start", mul(lane_, number(split_dimension(dealt_) == 0 ? tile.rows() : tile.cols())));
  }
  // The same where so much of the whole is valid: a part without anything valid starts at its end.
  ExprRef valid_start(const ExprRef& whole, const TypeRef& lane_tile) {
    ExprRef start = lane_start(lane_tile);
    return whole ? let("start", smaller(start, whole)) : start;
  }
  // How much of it is valid: what follows the start of the part.
  ExprRef lane_extent(const ExprRef& whole, const TypeRef& lane_tile) {
    const auto& tile = static_cast<const TileType&>(*lane_tile);
    const int64_t most = split_dimension(dealt_) == 0 ? tile.rows() : tile.cols();
    ExprRef rest = let("rest", sub(whole, lane_start(lane_tile)));
    ExprRef some = let("some", op(ops::pl::scalar::max, {rest, number(0)}));
    return let("valid", smaller(some, number(most)));
  }

  // The call with shapes, offsets and extents of the lane; operands are still those of the kernel.
  Ref<const Call> lane_call(const Call& call) {
    const bool store = call.op == ops::pl::tile::store;
    const TypeRef& whole = store ? call.args[0]->type : call.type;
    if (!isa<TileType>(whole) || !is_dealt(whole, dealt_)) return ref(&call);
    const TypeRef part = lane_type(whole, dealt_);
    const int dimension = split_dimension(dealt_);
    Ref<Call> now = copy(call);
    auto change = [&](const char* name, const std::function<ExprRef(const ExprRef&)>& f) {
      const int param = call.op->param_index(name);
      if (param < 0) return;
      ExprRef& list = now->args[static_cast<size_t>(call.op->operand_slots[static_cast<size_t>(param)])];
      const auto* elements = as<MakeTuple>(list);
      if (!elements) return;
      ExprList changed = elements->elements;
      const size_t rank = changed.size();
      if (rank == 1 && dimension == 0) return;
      ExprRef& at = changed[rank == 1 ? 0 : rank - 2 + static_cast<size_t>(dimension)];
      at = f(at);
      list = make<MakeTuple>(list->span, std::move(changed));
    };
    at(call.span);
    change("shape", [&](const ExprRef&) {
      return static_cast<const TileType&>(*part).shape[static_cast<size_t>(dimension)];
    });
    change("valid_shape", [&](const ExprRef& extent) { return lane_extent(use(extent), part); });
    ExprRef valid = valid_extent(call, store, dimension);
    change("offsets", [&](const ExprRef& offset) { return add(use(offset), valid_start(valid, part)); });
    if (!store) now->type = part;
    return finish_node(std::move(now));
  }

  // How much of the whole a load reads or a store writes in the dimension that is dealt out; null: all of it.
  ExprRef valid_extent(const Call& call, bool store, int dimension) {
    if (store) {
      const TileExtents valid = plan_.extents(static_cast<const Var&>(*call.args[0]));
      return use(dimension == 0 ? valid.rows : valid.cols);
    }
    const int param = call.op->param_index("valid_shape");
    const auto* list =
        param < 0 ? nullptr
                  : as<MakeTuple>(
                        call.args[static_cast<size_t>(call.op->operand_slots[static_cast<size_t>(param)])]);
    if (!list) return nullptr;
    const size_t rank = list->elements.size();
    if (rank == 1 && dimension == 0) return nullptr;
    return use(list->elements[rank == 1 ? 0 : rank - 2 + static_cast<size_t>(dimension)]);
  }

  // A store of a tile that all lanes have is made by the first.
  bool stores_once(const ExprRef& value) {
    const auto* call = as<Call>(value);
    if (dealt_ == SplitMode::NONE || !call || call->op != ops::pl::tile::store) return false;
    if (is_dealt(call->args[0]->type, dealt_)) return false;
    at(call->span);
    when(equal(lane_, number(0)), [&] { emit(make<Eval>(call->span, use(value))); });
    return true;
  }

  // --- what crosses

  // A scalar goes as a tile of one row; what has no tile of its dtype as another one.
  static DType sent_as(DType dtype) {
    return dtype == DType::Bool ? DType::Int32 : dtype == DType::Index ? DType::Int64 : dtype;
  }
  static TypeRef row_of(DType dtype) {
    return make<TileType>(Span{}, ExprList{const_index(1), const_index(slot_alignment / bytes(dtype))},
                          dtype);
  }

  void send(const Var& var) {
    if (plan_.crosses_from(var) != half_) return;
    at(var.span);
    ExprRef value = use(ExprRef(&var));
    if (isa<TileType>(var.type)) return push(value);
    const DType dtype = sent_as(static_cast<const ScalarType&>(*var.type).dtype);
    const TypeRef type = row_of(dtype);
    const auto& row = static_cast<const TileType&>(*type);
    ExprRef given = let("sent", ops::scalar_cast(value, dtype));
    push(let("row", op(ops::pl::tile::full, {list(row.shape), given}, {{"dtype", AttrValue{dtype}}})));
  }

  // Returns true if the variable has come from the other half. `next`: the statement after its definition.
  bool receive(const Var& var, size_t next) {
    if (plan_.crosses_from(var) != other_half(half_)) return false;
    at(var.span);
    if (const auto* scalar = as<ScalarType>(var.type)) {
      VarRef row = pop(row_of(sent_as(scalar->dtype)));
      ExprRef value = let("received", op(ops::pl::tile::read, {row, list({number(0), number(0)})}));
      free(row);
      bind(var, let("received", ops::scalar_cast(value, scalar->dtype)));
      return true;
    }
    // The extents first: a target that copies what is valid out of a slot knows them when it pops.
    const TypeRef type = lane_type(var.type, dealt_);
    const TileExtents valid = plan_.extents(var);
    ExprList shape;
    if (valid.rows || valid.cols) {
      const ExprList& full = static_cast<const TileType&>(*type).shape;
      shape = {valid.rows ? let("rows", use(valid.rows)) : full[0],
               valid.cols ? let("columns", use(valid.cols)) : full[1]};
      const auto dimension = static_cast<size_t>(split_dimension(dealt_));
      const bool stated = dimension == 0 ? valid.rows != nullptr : valid.cols != nullptr;
      if (stated && is_dealt(var.type, dealt_)) shape[dimension] = lane_extent(shape[dimension], type);
    }
    const VarRef slot = pop(type);
    ExprRef tile = slot;
    if (!shape.empty())
      tile = let("valid", op(ops::pl::tile::set_validshape, {tile, list(std::move(shape))}));
    if (holds_slot_too_long(var, next)) {
      tile = let("kept", op(ops::pl::tile::move, {tile}, moved_to(var.type)));
      free(slot);
    } else {
      pops_.back().push_back({slot, ref(as<Var>(tile))});
    }
    bind(var, tile);
    return true;
  }

  static AttrList moved_to(const TypeRef& type) {
    const auto& memory = static_cast<const TileType&>(*type).memory;
    return {{"target_memory", AttrValue{enum_value(memory.value_or(MemorySpace::Vec))}}};
  }

  void exchange(const Var& var) {
    if (plan_.holds(var) & half_) return send(var);
    receive(var, index_ + 1);
  }

  // Whether another tile is popped before the last use of this one, or a loop or branch hands it on: its slot
  // would be missing on the other half for longer than it should.
  bool holds_slot_too_long(const Var& var, size_t next) const {
    size_t last = 0;
    bool used = false;
    for (size_t i = next; i < block_->stmts.size(); ++i) {
      if (!uses(*block_->stmts[i], var)) continue;
      last = i;
      used = true;
    }
    if (!used) return false;
    for (size_t i = next; i <= last; ++i) {
      if (isa<Yield>(block_->stmts[i]) || pops_in(*block_->stmts[i])) return true;
    }
    return false;
  }
  bool pops_in(const Stmt& stmt) const {
    struct Find : Visitor<Find> {
      const MixedPlan* plan;
      Halves from;
      bool found = false;
      void visit(const Var& var) { found = found || plan->crosses_from(var) == from; }
      void visit(const Assign& assign) { visit(*assign.var); }
      void visit(const Eval&) {}
    } find;
    find.plan = &plan_;
    find.from = other_half(half_);
    find.walk(stmt);
    return find.found;
  }

  // --- loops

  std::vector<bool> held(const VarList& vars) const {
    std::vector<bool> result;
    for (const VarRef& var : vars) result.push_back(plan_.holds(*var) & half_);
    return result;
  }

  template <class T>
  void carry(const T& loop) {
    const Block* block = block_;
    const size_t index = index_;
    if (plan_.places(loop) & half_) {
      // A value may be needed only in the iterations, or only after them.
      std::vector<bool> kept = held(loop.iter_args);
      const std::vector<bool> after = held(loop.results);
      for (size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] || after[i];
      Ref<T> now = copy(loop);
      now->init_values.clear();
      now->iter_args.clear();
      now->results.clear();
      for (size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i]) continue;
        now->init_values.push_back(use(loop.init_values[i]));
        now->iter_args.push_back(define(loop.iter_args[i], now->init_values.back()->type));
      }
      if constexpr (requires { loop.loop_var; }) {
        now->start = use(loop.start);
        now->stop = use(loop.stop);
        now->step = use(loop.step);
        now->loop_var = define(loop.loop_var, loop.loop_var->type);
      } else {
        now->before = this->block(*loop.before);
        now->condition = use(loop.condition);
      }
      kept_.push_back(kept);
      handed_ = &loop.iter_args;
      now->body = this->block(*loop.body);
      kept_.pop_back();
      for (size_t i = 0, k = 0; i < kept.size(); ++i) {
        if (kept[i]) now->results.push_back(define(loop.results[i], now->iter_args[k++]->type));
      }
      emit(finish_node(std::move(now)));
    }
    block_ = block;
    index_ = index;
    for (const VarRef& result : loop.results) exchange(*result);
  }

  // A tile whose slot is to be handed back, and its name with the valid extent it has.
  struct Popped {
    VarRef slot, tile;
  };
  static constexpr size_t before_all = ~size_t{0};

  const Function& kernel_;
  const MixedPlan& plan_;
  const Traits& traits_;
  const Halves half_;
  const SplitMode mode_;   // of the pipe
  const SplitMode dealt_;  // of this half
  ExprRef lane_;
  std::vector<std::vector<Popped>> pops_;  // of the blocks being written
  std::vector<std::vector<bool>> kept_;    // of the values that loops and branches around carry
  const VarList* handed_ = nullptr;        // by a loop to the body that is written next
  const Block* block_ = nullptr;           // the statement being written
  size_t index_ = 0;
};

// The function that starts both, under the kernel's name.
FunctionRef group_of(const Function& kernel, const MixedPlan& plan, const Function& cube,
                     const Function& vector) {
  Ref<Function> group = copy(kernel);
  group->type = FunctionType::Group;
  group->split = SplitMode::NONE;
  std::vector<StmtRef> body;
  for (const Function* half : {&cube, &vector}) {
    Ref<FunctionCall> call = make_empty<FunctionCall>();
    call->span = kernel.span;
    call->callee = half->name;
    call->args.assign(kernel.params.begin(), kernel.params.end());
    call->type = unit_type();
    body.push_back(make<Eval>(kernel.span, ExprRef(finish_node(std::move(call)))));
  }
  ExprList results;
  for (int param : plan.returned()) results.push_back(kernel.params[static_cast<size_t>(param)]);
  if (!results.empty()) body.push_back(make<Return>(kernel.span, std::move(results)));
  group->body = make<Block>(kernel.span, std::move(body));
  return finish_node(std::move(group));
}

// Whether tiles are only loaded, moved, multiplied and stored, and no rank meets another.
bool only_products(const Function& kernel, const Traits& traits) {
  struct Work : Visitor<Work> {
    const bool cube_fills;
    bool other = false;
    explicit Work(bool fills) : cube_fills(fills) {}
    void visit(const Call& call) {
      walk_children(call);
      const Op& op = *call.op;
      bool tiles = isa<TileType>(call.type);
      for (const ExprRef& arg : call.args) tiles = tiles || (arg && isa<TileType>(arg->type));
      const bool product =
          op.form == OpForm::Matmul || op.form == OpForm::MatmulAcc || op.form == OpForm::MatmulBias;
      const bool memory = op.form == OpForm::Load || op.form == OpForm::Fill || op.form == OpForm::Create ||
                          op == ops::pl::tile::store || op == ops::pl::tile::move ||
                          op == ops::pl::tile::set_validshape;
      other = other || op.module == "pld" || (tiles && !product && !memory);
      other = other || (!cube_fills && needs_fill(call));
    }
  };
  Work work(traits.cube_fills);
  work.walk(*kernel.body);
  return !work.other;
}

}  // namespace

ProgramRef expand_mixed_kernel(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  const ReturnRoots returns = return_roots(*program);
  const SharedParameters shared(*program, returns);
  Names names;
  for (const FunctionRef& function : program->functions) names.take(function->name);
  Ref<Program> result = copy(*program);
  result->functions.clear();
  for (const FunctionRef& function : program->functions) {
    const bool whole = traits.stores_products && only_products(*function, traits);
    std::optional<PlannedKernel> planned;
    if (function->type == FunctionType::InCore && !whole)
      planned.emplace(plan_mixed(function, returns, shared.of(*function), traits, diags));
    if (!planned || !planned->plan.mixed() || !planned->plan.obstacle().empty()) {
      result->functions.push_back(function);
      continue;
    }
    const Function& kernel = *planned->kernel;
    const MixedPlan& plan = planned->plan;
    const std::string cube = names.take(function->name + "_aic"),
                      vector = names.take(function->name + "_aiv");
    const SplitMode mode = lane_split(kernel, plan, function->split, traits);
    FunctionRef aic = HalfWriter(kernel, plan, on_cube, mode, traits, diags).write(cube, vector);
    FunctionRef aiv = HalfWriter(kernel, plan, on_vector, mode, traits, diags).write(vector, cube);
    result->functions.push_back(aic);
    result->functions.push_back(aiv);
    result->functions.push_back(group_of(kernel, plan, *aic, *aiv));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
