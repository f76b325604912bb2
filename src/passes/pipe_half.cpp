#include "passes/pipe_half.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/structured_builder.h"

namespace tilewire::passes {
namespace {

using namespace ir;
using ops::Pipe;
using ops::PipeUse;
using ops::Ring;

// What is counted: pushes, pops and frees of a ring.
struct Counter {
  int64_t id;
  Ring ring;
  PipeUse::Kind kind;
  auto operator<=>(const Counter&) const = default;
};
using Counters = std::set<Counter>;

Counters counters_of(const Node& node) {
  struct Find : Visitor<Find> {
    Counters found;
    void visit(const Call& call) {
      if (auto use = ops::pipe_use(call)) found.insert({use->id, use->ring, use->kind});
    }
  } find;
  find.walk(node);
  return std::move(find.found);
}

const char* name_of(PipeUse::Kind kind) {
  return kind == PipeUse::Kind::Push ? "pushed" : kind == PipeUse::Kind::Pop ? "popped" : "freed";
}

BlockRef with_yield(const BlockRef& body, const Span& span) {
  if (body && !body->stmts.empty() && isa<Yield>(body->stmts.back())) return body;
  std::vector<StmtRef> stmts = body ? body->stmts : std::vector<StmtRef>{};
  stmts.push_back(make<Yield>(span, ExprList{}));
  return make<Block>(span, std::move(stmts));
}

class Half final : public StructuredBuilder {
 public:
  Half(const Function& half, const std::vector<Pipe>& pipes, int64_t lanes, bool early, Diagnostics& diags)
      : StructuredBuilder(diags), half_(half), pipes_(pipes), lanes_(lanes), early_(early) {
    for (const Counter& counter : counters_of(*half.body)) count_[counter] = number(0);
  }

  FunctionRef lowered() {
    at(half_.span);
    auto param = [&](const char* name, TypeRef type, Direction direction) {
      return make<Parameter>(half_.span, name, std::move(type), direction);
    };
    ExprRef count = make<DimSymbol>(half_.span, "pipe_cells");
    auto cells = param("__pipe_cells",
                       make<TensorType>(half_.span, ExprList{count, number(ops::cell_line)}, DType::Int32),
                       Direction::InOut);
    auto scalar = [&](const char* name) { return param(name, scalar_type(DType::Index), Direction::In); };
    auto shard = scalar("__shard"), block = scalar("__block"), blocks = scalar("__blocks"),
         lane = scalar("__lane");
    place_ = {cells, shard, block, blocks, lane};
    Ref<Function> now = copy(half_);
    for (const auto& each : half_.params) {
      if (each->name == ops::workspace_name) workspace_ = each;
    }
    for (const auto& each : {cells, shard, block, blocks, lane}) now->params.push_back(each);
    now->body = StructuredBuilder::block(*half_.body);
    return finish_node(std::move(now));
  }

  void statements(const Block& body) override {
    for (size_t i = 0; i < body.stmts.size(); ++i) {
      if (early_) await_slot_of(body, i);
      statement(*body.stmts[i]);
    }
  }

  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    if (call && names_buffer(*call)) return bind(*assign.var, int32(0));
    auto use = call ? ops::pipe_use(*call) : std::nullopt;
    if (!use) return StructuredBuilder::assign(assign);
    at(call->span);
    ExprRef tile = pop(*use, static_cast<const TileType&>(*call->type));
    emit(make<Assign>(assign.span, tile, assign.var));
  }

  void eval(const Eval& eval) override {
    const auto* call = as<Call>(eval.value);
    if (call && (names_buffer(*call) || ops::pipe_of(*call))) return;
    auto use = call ? ops::pipe_use(*call) : std::nullopt;
    if (!use) return StructuredBuilder::eval(eval);
    at(call->span);
    if (use->kind == PipeUse::Kind::Push) push(*use, this->use(call->args[0]));
    if (use->kind == PipeUse::Kind::Free) free(*use);
    // A pop whose value is unused still takes its tile.
    if (use->kind == PipeUse::Kind::Pop) await(*use, next(*use));
  }

  ExprRef fold(const ExprRef& expr) override {
    const Op* op = static_cast<const Call&>(*expr).op;
    if (op == ops::pl::tile::get_block_idx) return place_.block;
    if (op == ops::pl::tile::get_block_num) return place_.blocks;
    if (op == ops::pl::tile::get_subblock_idx) return place_.lane;
    if (op == ops::pl::tile::get_subblock_num) return number(lanes_);
    return expr;
  }

  // --- counters through loops and branches

  void give(const Yield& yield) override {
    ExprList values = use(yield.values);
    for (const Counter& counter : carried_.back()) values.push_back(count_.at(counter));
    if (!values.empty()) emit(make<Yield>(yield.span, std::move(values)));
  }

  void loop(const For& loop) override { carry(loop); }
  void loop(const While& loop) override { carry(loop); }

  void branch(const If& branch) override {
    const Counters used = counters_of(branch);
    const std::map<Counter, ExprRef> start = count_;
    Ref<If> now = copy(branch);
    now->condition = use(branch.condition);
    auto side = [&](const BlockRef& body) -> BlockRef {
      if (!body && used.empty()) return nullptr;
      count_ = start;
      return inside(used, used.empty() ? body : with_yield(body, branch.span));
    };
    now->then_body = side(branch.then_body);
    now->else_body = side(branch.else_body);
    count_ = start;
    for (const Counter& counter : used) {
      now->results.push_back(new_count(counter));
      count_[counter] = now->results.back();
    }
    emit(finish_node(std::move(now)));
  }

 private:
  // The statements of a body that yields these counts after its other values.
  BlockRef inside(const Counters& used, const BlockRef& body) {
    carried_.push_back(used);
    BlockRef result = block(*body);
    carried_.pop_back();
    return result;
  }

  template <class T>
  void carry(const T& loop) {
    const Counters used = counters_of(loop);
    carried_.push_back(used);
    Ref<T> now = copy(loop);
    if (!used.empty()) now->body = with_yield(loop.body, loop.span);
    std::map<Counter, ExprRef> after = count_;
    for (const Counter& counter : used) {
      now->init_values.push_back(count_.at(counter));
      now->iter_args.push_back(new_count(counter));
      now->results.push_back(new_count(counter));
      count_[counter] = now->iter_args.back();
      after[counter] = now->results.back();
    }
    StructuredBuilder::loop(*finish_node(std::move(now)));
    count_ = std::move(after);
    carried_.pop_back();
  }

  // --- slots and cells

  const Pipe& pipe(const PipeUse& use) const {
    return *std::find_if(pipes_.begin(), pipes_.end(), [&](const Pipe& p) { return p.id == use.id; });
  }

  // How many of them there were, one more from now on.
  ExprRef next(const PipeUse& use) {
    ExprRef& count = count_.at({use.id, use.ring, use.kind});
    ExprRef now = count;
    count = let(name_of(use.kind), add(now, number(1)));
    return now;
  }

  // Rings of the pipes before this one, and the other direction of it where that comes first.
  int64_t rings_before(const PipeUse& use, const std::function<int64_t(const Pipe&)>& size) const {
    int64_t sum = 0;
    for (const Pipe& each : pipes_) {
      for (Ring ring : ops::all_rings) {
        if (each.id == use.id && ring == use.ring) return sum;
        if (each.has(ring)) sum += size(each);
      }
    }
    internal_error(__FILE__, __LINE__, "a pipe that is not initialised");
  }

  ExprRef slot_number(const PipeUse& use, const ExprRef& count) {
    const int64_t slots = pipe(use).slots;
    if (auto known = constant_value(count)) return number(*known % slots);
    return let("slot", mod(count, number(slots)));
  }
  ExprRef round_number(const PipeUse& use, const ExprRef& count) {
    const int64_t slots = pipe(use).slots;
    if (auto known = constant_value(count)) return number(*known / slots);
    return let("round", div(count, number(slots)));
  }

  enum class Cell { Filled, Emptied };
  ExprRef cell(const PipeUse& use, const ExprRef& slot, Cell which) {
    const int64_t first = rings_before(use, [](const Pipe& p) { return 2 * p.slots; });
    ExprRef of_block = mul(place_.block, number(ops::cell_count(pipes_)));
    ExprRef of_slot = add(mul(slot, number(2)), number(first + (which == Cell::Filled ? 0 : 1)));
    return list({let("cell", add(of_block, of_slot)), number(0)});
  }

  // How many fill a slot, and how many empty it.
  int64_t fillers(const PipeUse& use) const { return use.ring == Ring::CubeToVector ? 1 : lanes_; }
  int64_t emptiers(const PipeUse& use) const { return use.ring == Ring::CubeToVector ? lanes_ : 1; }

  void wait(const PipeUse& use, const ExprRef& slot, Cell which, const ExprRef& rounds, int64_t each) {
    const auto known = constant_value(rounds);
    if (known == 0) return;  // the first pass through the ring
    const bool fills = which == Cell::Filled;
    const std::string what = (fills ? "a tile from " : "a free slot of ") + pipe_text(use);
    ExprRef expected = known ? int32(*known * each)
                             : let("expected", ops::scalar_cast(mul(rounds, number(each)), DType::Int32));
    run(ops::pl::pipe::wait, {place_.cells, cell(use, slot, which), expected}, {{"what", AttrValue{what}}});
  }
  static std::string pipe_text(const PipeUse& use) {
    return "pipe " + std::to_string(use.id) + ", " + ops::text_of(use.ring);
  }
  void notify(const PipeUse& use, const ExprRef& slot, Cell which) {
    const std::string what = (which == Cell::Filled ? "push to " : "free of ") + pipe_text(use);
    run(ops::pl::pipe::notify, {place_.cells, cell(use, slot, which), int32(1)}, {{"what", AttrValue{what}}});
  }

  // The slot as a tensor of the whole tile, and where in it the tile of this lane starts.
  struct Part {
    ExprRef slot, offsets;
  };
  Part part(const PipeUse& use, const ExprRef& slot, const TileType& tile) {
    const bool is_lane = half_.type == FunctionType::AIV;
    const bool rows = is_lane && use.split == SplitMode::UP_DOWN,
               cols = is_lane && use.split == SplitMode::LEFT_RIGHT;
    const int64_t ring = rings_before(use, [](const Pipe& p) { return p.slots * p.slot_size; });
    ExprRef start = add(add(place_.shard, mul(slot, number(pipe(use).slot_size))), number(ring));
    ExprRef shape = list({number(tile.rows() * (rows ? 2 : 1)), number(tile.cols() * (cols ? 2 : 1))});
    ExprRef view = let("slot", op(ops::pl::pipe::slot, {workspace_, let("start", start), shape},
                                  {{"dtype", AttrValue{tile.dtype}}}));
    ExprRef row = rows ? let("row", mul(place_.lane, number(tile.rows()))) : number(0);
    ExprRef col = cols ? let("column", mul(place_.lane, number(tile.cols()))) : number(0);
    return {view, list({row, col})};
  }

  // Waits for the slot of a push before the statements that make its tile. With one slot that would leave
  // nothing to do while the other half works.
  void await_slot_of(const Block& body, size_t from) {
    if (free_slot_) return;
    size_t at = from;
    while (at < body.stmts.size() && makes_values(*body.stmts[at])) ++at;
    const auto* eval = at == from || at == body.stmts.size() ? nullptr : as<Eval>(body.stmts[at]);
    const auto* call = eval ? as<Call>(eval->value) : nullptr;
    const auto use = call ? ops::pipe_use(*call) : std::nullopt;
    if (!use || use->kind != PipeUse::Kind::Push || pipe(*use).slots == 1) return;
    this->at(call->span);
    free_slot_ = free_slot(*use);
  }

  // Whether a statement makes tiles and scalars and does nothing else: loads may be among it, since whoever
  // writes what they load comes after the next notify.
  static bool makes_values(const Stmt& stmt) {
    const auto* assign = as<Assign>(&stmt);
    const auto* call = assign ? as<Call>(assign->value) : nullptr;
    if (!call) return assign && !isa<FunctionCall>(assign->value);
    const Op& op = *call->op;
    const bool reads = std::all_of(op.effects.begin(), op.effects.end(), [](const Effect& effect) {
      return effect.access == Access::Read && effect.peer_param < 0 && !effect.all_peers;
    });
    const bool is_tile = isa<TileType>(call->type);
    return reads && (is_tile || op.effects.empty()) && !op.synchronizes && !op.keeps &&
           !ops::pipe_use(*call) && !isa<TensorType>(call->type);
  }

  ExprRef free_slot(const PipeUse& use) {
    const ExprRef count = next(use);
    ExprRef slot = slot_number(use, count);
    wait(use, slot, Cell::Emptied, round_number(use, count), emptiers(use));
    return slot;
  }

  void push(const PipeUse& use, const ExprRef& tile) {
    const ExprRef early = std::exchange(free_slot_, nullptr);
    const ExprRef slot = early ? early : free_slot(use);
    const Part to = part(use, slot, static_cast<const TileType&>(*tile->type));
    run(ops::pl::tile::store, {tile, to.offsets, to.slot});
    notify(use, slot, Cell::Filled);
  }

  ExprRef await(const PipeUse& use, const ExprRef& count) {
    const ExprRef slot = slot_number(use, count);
    wait(use, slot, Cell::Filled, add(round_number(use, count), number(1)), fillers(use));
    return slot;
  }

  ExprRef pop(const PipeUse& use, const TileType& tile) {
    const Part from = part(use, await(use, next(use)), tile);
    AttrList attrs;
    if (tile.memory) attrs.push_back({"target_memory", AttrValue{enum_value(*tile.memory)}});
    return op(ops::pl::tile::load,
              {from.slot, from.offsets, list({number(tile.rows()), number(tile.cols())}), nullptr},
              std::move(attrs));
  }

  void free(const PipeUse& use) { notify(use, slot_number(use, next(use)), Cell::Emptied); }

  bool names_buffer(const Call& call) const {
    return call.op == ops::pl::reserve_buffer || call.op == ops::pl::import_peer_buffer;
  }

  VarRef new_count(const Counter& counter) {
    return make<Var>(half_.span, name_of(counter.kind), scalar_type(DType::Index));
  }

  const Function& half_;
  const std::vector<Pipe>& pipes_;
  const int64_t lanes_;
  const bool early_;
  ExprRef free_slot_;  // of the next push, waited for already
  PipePlace place_;
  VarRef workspace_;
  std::map<Counter, ExprRef> count_;
  std::vector<Counters> carried_{Counters{}};
};

}  // namespace

FunctionRef lower_half(const Function& half, const std::vector<Pipe>& pipes, int64_t lanes, bool early,
                       Diagnostics& diags) {
  return Half(half, pipes, lanes, early, diags).lowered();
}

}  // namespace tilewire::passes
