// One lowering per collective: everyone arrives, the work, everyone is done.
#include "passes/lower_composite_ops.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/collective_builder.h"
#include "passes/host_chain.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {
namespace {

using namespace ir;

// Emits the call, whose operands are `args`; returns the replacement of its value.
using Rule = ExprRef (*)(const Call& call, const ExprList& args, const Team& team, CollectiveBuilder& b);

template <class E>
E choice(const Call& call, const char* name, E by_default) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value ? static_cast<E>(value->get<EnumValue>()->value) : by_default;
}

ReduceOp reduce_op(const Call& call) {
  return choice(call, "op", ReduceOp::Sum);
}

// --- allreduce

// Every rank combines all of it. Nobody may overwrite a chunk that another still reads, so there is a barrier
// before each store; blocks have equally many of those.
void mesh(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b) {
  int64_t size = b.chunk_size(units);
  ExprRef share = b.let("share", b.div(b.add(units.count, b.sub(team.blocks, b.number(1))), team.blocks));
  ExprRef start = b.let("start", b.mul(team.block, share));
  ExprRef stop = b.let("stop", b.smaller(b.add(start, share), units.count));
  b.repeat("c", b.number(0), share, b.number(size), [&](const VarRef& c) {
    Chunk chunk = b.chunk_at(b.add(start, c), stop, size);
    ExprRef sum = b.combined(how, units, chunk, team);
    b.barrier(team);
    b.store(sum, units, chunk);
  });
  b.together(team, [] {});  // blocks then read what the others of their rank have stored
}

// Every block of every rank combines a part of its own and hands it to all. Nobody else touches that part.
void two_shot(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b) {
  ExprRef index = b.add(b.mul(team.rank, team.blocks), team.block);
  Part own = b.part(units, units.count, index, b.mul(team.ranks, team.blocks));
  b.by_rank_count(team, [&](const Team& team) {
    b.each_chunk(units, own, [&](const Chunk& chunk) {
      ExprRef sum = b.combined(how, units, chunk, team);
      b.each_rank(team, [&](const ExprRef& rank) { b.store(team, sum, units, chunk, rank); });
    });
  });
  b.barrier(team);
}

// Parts travel from neighbour to neighbour: once round to be combined, once more to be handed out. A rank
// works on a part when its left neighbour has; by then its right neighbour has read what is overwritten.
void ring(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b) {
  ExprRef last = b.let("last", b.sub(team.ranks, b.number(1)));
  ExprRef left = b.neighbour(team, last), right = b.neighbour(team, b.number(1));
  auto part = [&](const ExprRef& steps_back) {
    ExprRef which = b.mod(b.sub(b.add(team.rank, team.ranks), steps_back), team.ranks);
    ExprRef index = b.add(b.mul(b.let("part", which), team.blocks), team.block);
    return b.part(units, units.count, index, b.mul(team.ranks, team.blocks));
  };
  b.repeat("k", b.number(0), last, b.number(1), [&](const VarRef& k) {
    b.when(b.less(b.number(0), k), [&] { b.take(team, left, b.int32(1)); });
    b.each_chunk(units, part(b.add(k, b.number(1))), [&](const Chunk& chunk) {
      ExprRef theirs = b.widened(b.load(team, units, chunk, left));
      ExprRef own = b.widened(b.load(team, units, chunk, team.rank));
      b.store(b.narrowed(b.combine(how, theirs, own), units), units, chunk);
    });
    b.notify(team, right, team.block, b.int32(1));
  });
  b.repeat("k", b.number(0), last, b.number(1), [&](const VarRef& k) {
    b.take(team, left, b.int32(1));
    b.each_chunk(units, part(k),
                 [&](const Chunk& chunk) { b.store(b.load(team, units, chunk, left), units, chunk); });
    b.when(b.less(b.add(k, b.number(1)), last), [&] { b.notify(team, right, team.block, b.int32(1)); });
  });
  b.barrier(team);
}

// The rows of the table that this operand can meet, with modes that it can have: a window with strides has no
// mesh, and sums of 16 bits that go round a ring are rounded once a hop.
std::vector<ModeRow> rows_for(const Units& units, std::span<const ModeRow> modes) {
  int64_t element = bytes(tensor_type_of(units.window).dtype);
  auto count = units.length ? std::nullopt : constant_value(units.count);
  std::vector<ModeRow> result;
  for (ModeRow row : modes) {
    bool done = !result.empty() && result.back().ranks == row.ranks;
    if (count && (done || row.bytes < *count * element)) continue;
    bool fits = row.mode == AllreduceMode::Mesh ? !units.length : element == 4;
    if (!fits) row.mode = AllreduceMode::TwoShot;
    if (count) row.bytes = any;
    result.push_back(row);
  }
  return result;
}

bool one_mode(std::span<const ModeRow> rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const ModeRow& row) { return row.mode == rows[0].mode; });
}

// The number of the mode in the rows: a constant if they agree.
ExprRef fastest_mode(std::span<const ModeRow> rows, const Units& units, const Team& team,
                     CollectiveBuilder& b) {
  auto number = [&] { return b.number(static_cast<int64_t>(rows[0].mode)); };
  if (one_mode(rows)) return number();
  size_t same = 1;
  while (same < rows.size() && rows[same].ranks == rows[0].ranks) ++same;
  auto from = [&](std::span<const ModeRow> some) {
    return [&, some]() -> ExprList { return {fastest_mode(some, units, team, b)}; };
  };
  if (same < rows.size()) {
    ExprRef few = b.less(team.ranks, b.number(rows[0].ranks + 1));
    return b.choose(few, from(rows.subspan(0, same)), from(rows.subspan(same)))[0];
  }
  ExprRef elements = units.length ? b.mul(units.count, units.length) : units.count;
  int64_t most = rows[0].bytes / bytes(tensor_type_of(units.window).dtype);
  return b.choose(
      b.less(elements, b.number(most + 1)), [&]() -> ExprList { return {number()}; },
      from(rows.subspan(1)))[0];
}

void allreduce_by(AllreduceMode mode, ReduceOp how, const Units& units, const Team& team,
                  CollectiveBuilder& b) {
  if (mode == AllreduceMode::Ring) return ring(how, units, team, b);
  if (mode == AllreduceMode::Mesh && !units.length) return mesh(how, units, team, b);
  two_shot(how, units, team, b);
}

// mode="auto" on one host, or as if it were one.
void allreduce_on_one(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b) {
  b.barrier(team);
  std::vector<ModeRow> rows = rows_for(units, b.traits.allreduce_modes);
  ExprRef fastest = b.let("mode", fastest_mode(rows, units, team, b));
  std::set<AllreduceMode> modes;
  for (const ModeRow& row : rows) modes.insert(row.mode);
  std::function<void()> next = [&] {
    AllreduceMode each = *modes.begin();
    modes.erase(modes.begin());
    if (modes.empty()) return allreduce_by(each, how, units, team, b);
    b.choose(
        b.equal(fastest, b.number(static_cast<int64_t>(each))),
        [&]() -> ExprList {
          allreduce_by(each, how, units, team, b);
          return {};
        },
        [&]() -> ExprList {
          next();
          return {};
        });
  };
  next();
}

// Whether the table for several hosts selects Chain, as a condition; constant if all of its rows agree.
ExprRef goes_by_chain(std::span<const HostRow> rows, const Units& units, const Team& team,
                      CollectiveBuilder& b) {
  auto is_chain = [](const HostRow& row) { return row.form == HostRow::Form::Chain; };
  const bool first = is_chain(rows[0]);
  const bool agree =
      std::all_of(rows.begin(), rows.end(), [&](const HostRow& row) { return is_chain(row) == first; });
  const ExprRef answer = b.number(first ? 1 : 0);
  if (agree) return answer;
  const ExprRef each = b.div(team.ranks, team.hosts);
  const int64_t element = bytes(tensor_type_of(units.window).dtype);
  const std::pair<ExprRef, int64_t> limits[] = {
      {team.hosts, rows[0].hosts}, {each, rows[0].ranks}, {units.count, rows[0].bytes / element}};
  std::function<ExprRef(size_t)> from = [&](size_t i) -> ExprRef {
    if (i == std::size(limits)) return answer;
    if (limits[i].second >= any / element) return from(i + 1);
    return b.choose(
        b.less(limits[i].first, b.number(limits[i].second + 1)), [&]() -> ExprList { return {from(i + 1)}; },
        [&]() -> ExprList { return {goes_by_chain(rows.subspan(1), units, team, b)}; })[0];
  };
  return from(0);
}

ExprRef allreduce(const Call& call, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  ReduceOp how = reduce_op(call);
  Units units = b.units(args[0]);
  AllreduceMode mode = choice(call, "mode", AllreduceMode::Auto);
  if (mode != AllreduceMode::Auto) {
    b.barrier(team);
    allreduce_by(mode, how, units, team, b);
    return args[0];
  }
  if (constant_value(team.hosts) == 1 || !has_chain(how, units)) {
    allreduce_on_one(how, units, team, b);
    return args[0];
  }
  Team one = team;
  one.hosts = b.number(1);
  b.choose(
      b.less(b.number(1), team.hosts),
      [&]() -> ExprList {
        b.choose(
            b.equal(b.let("chain", goes_by_chain(b.traits.allreduce_on_hosts, units, team, b)), b.number(1)),
            [&]() -> ExprList {
              host_chain(how, units, team, b);
              return {};
            },
            [&]() -> ExprList {
              allreduce_on_one(how, units, team, b);
              return {};
            });
        return {};
      },
      [&]() -> ExprList {
        allreduce_on_one(how, units, one, b);
        return {};
      });
  return args[0];
}

ExprRef reduce_scatter(const Call& call, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  Units units = b.units(args[0]);
  const ExprRef& rows = tensor_type_of(args[0]).shape[0];
  b.check(ops::pld::system::check_extent, {rows, b.mul(b.div(rows, team.ranks), team.ranks)});
  ExprRef own = b.let("own", b.div(units.count, team.ranks));
  Part part = b.part(units, own, team.block, team.blocks);
  ExprRef first = b.let("first", b.mul(team.rank, own));
  part.start = b.let("start", b.add(first, part.start));
  part.stop = b.let("stop", b.add(first, part.stop));
  b.barrier(team);
  b.by_rank_count(team, [&](const Team& team) {
    b.each_chunk(units, part, [&](const Chunk& chunk) {
      b.store(b.combined(reduce_op(call), units, chunk, team), units, chunk);
    });
  });
  b.barrier(team);
  return args[0];
}

// --- copies

// Rows that this block moves of `count`.
struct Rows {
  ExprRef start, count;
};

Rows own_rows(const ExprRef& count, const Team& team, CollectiveBuilder& b) {
  if (constant_value(team.blocks) == 1) return {b.number(0), count};
  ExprRef share = b.let("share", b.div(b.add(count, b.sub(team.blocks, b.number(1))), team.blocks));
  ExprRef start = b.let("start", b.smaller(b.mul(team.block, share), count));
  return {start, b.let("rows", b.smaller(share, b.sub(count, start)))};
}

// Copies rows of `source` to rows of the target of a rank of the team.
void put_rows(const Team& team, const ExprRef& target, const ExprRef& to, const ExprRef& rank,
              const ExprRef& source, const ExprRef& from, const ExprRef& count, CollectiveBuilder& b) {
  const ExprList& shape = tensor_type_of(source).shape;
  ExprList target_at(shape.size(), b.number(0)), source_at = target_at, extents = shape;
  target_at[0] = to;
  source_at[0] = from;
  extents[0] = count;
  b.run(ops::pld::tensor::put,
        {target, b.peer_of(team, rank), source, b.list(target_at), b.list(source_at), b.list(extents)});
}

ExprRef broadcast(const Call&, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  const ExprRef& target = args[0];
  ExprRef root = b.let("root", ops::scalar_cast(args[2], DType::Index));
  b.barrier(team);
  b.when(b.equal(team.rank, root), [&] {
    const ExprList& shape = tensor_type_of(target).shape;
    Rows rows = own_rows(shape[0], team, b);
    b.repeat("k", b.number(1), team.ranks, b.number(1), [&](const VarRef& k) {
      put_rows(team, target, rows.start, b.neighbour(team, k), target, rows.start, rows.count, b);
    });
  });
  b.barrier(team);
  return target;
}

ExprRef allgather(const Call&, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  const ExprRef &local = args[0], &target = args[1];
  const ExprRef& block = tensor_type_of(local).shape[0];
  const ExprRef& all = tensor_type_of(target).shape[0];
  b.check(ops::pld::system::check_extent, {all, b.mul(team.ranks, block)});
  Rows rows = own_rows(block, team, b);
  ExprRef to = b.let("to", b.add(b.mul(team.rank, block), rows.start));
  b.barrier(team);
  b.repeat("k", b.number(0), team.ranks, b.number(1), [&](const VarRef& k) {
    put_rows(team, target, to, b.neighbour(team, k), local, rows.start, rows.count, b);
  });
  b.barrier(team);
  return target;
}

// Rows that go to, and come from, each rank.
ExprRef rows_per_rank(const ExprRef& target, const Team& team, CollectiveBuilder& b) {
  const ExprRef& all = tensor_type_of(target).shape[0];
  ExprRef rows = b.let("block_rows", b.div(all, team.ranks));
  b.check(ops::pld::system::check_extent, {all, b.mul(rows, team.ranks)});
  return rows;
}

ExprRef all_to_all(const Call&, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  const ExprRef &input = args[0], &target = args[1];
  ExprRef block = rows_per_rank(target, team, b);
  Rows rows = own_rows(block, team, b);
  ExprRef to = b.let("to", b.add(b.mul(team.rank, block), rows.start));
  b.barrier(team);
  b.repeat("k", b.number(0), team.ranks, b.number(1), [&](const VarRef& k) {
    ExprRef peer = b.neighbour(team, k);
    put_rows(team, target, to, peer, input, b.let("from", b.add(b.mul(peer, block), rows.start)), rows.count,
             b);
  });
  b.barrier(team);
  return target;
}

// The number of rows for a rank in a list of counts, as an INT32.
ExprRef read_count(const ExprRef& counts, const ExprRef& rank, CollectiveBuilder& b) {
  return b.let("count", b.op(ops::pl::tensor::read, {counts, b.list({rank})}));
}

// The first blocks meet, and tell each other how many rows they sent: 2 * (count + 1) is added to the cell,
// so that the 1 of the next barrier, which may come before anyone has looked, is told apart from it.
void exchange_counts(const ExprRef& sent, const ExprRef& received, const Team& team, CollectiveBuilder& b) {
  auto code = [&](const ExprRef& count) { return b.mul(b.add(count, b.number(1)), b.number(2)); };
  b.run(ops::pl::tensor::write, {received, b.list({team.rank}), read_count(sent, team.rank, b)});
  b.repeat("k", b.number(1), team.ranks, b.number(1), [&](const VarRef& k) {
    ExprRef peer = b.neighbour(team, k);
    ExprRef count = b.let("count", ops::scalar_cast(read_count(sent, peer, b), DType::Index));
    b.notify(team, peer, b.number(0), code(count));
  });
  b.repeat("k", b.number(1), team.ranks, b.number(1), [&](const VarRef& k) {
    ExprRef source = b.neighbour(team, k);
    ExprRef seen = b.let("seen", ops::scalar_cast(b.wait(team, source, b.int32(2)), DType::Index));
    ExprRef count = b.let("count", b.sub(b.div(seen, b.number(2)), b.number(1)));
    b.consume(team, source, code(count));
    b.run(ops::pl::tensor::write, {received, b.list({source}), ops::scalar_cast(count, DType::Int32)});
  });
}

ExprRef all_to_all_v(const Call&, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  const ExprRef &input = args[0], &target = args[1], &sent = args[3], &received = args[4];
  ExprRef block = rows_per_rank(target, team, b);
  ExprRef to = b.let("to", b.mul(team.rank, block));
  b.barrier(team);
  b.repeat("k", b.number(0), team.ranks, b.number(1), [&](const VarRef& k) {
    ExprRef peer = b.neighbour(team, k);
    ExprRef count = b.let("count", ops::scalar_cast(read_count(sent, peer, b), DType::Index));
    b.check(ops::pld::system::check_count, {count, block});
    Rows rows = own_rows(count, team, b);
    ExprRef from = b.let("from", b.add(b.mul(peer, block), rows.start));
    put_rows(team, target, b.let("at", b.add(to, rows.start)), peer, input, from, rows.count, b);
  });
  b.together(team, [&] { exchange_counts(sent, received, team, b); });
  return target;
}

ExprRef barrier(const Call&, const ExprList& args, const Team& team, CollectiveBuilder& b) {
  b.barrier(team);
  return args[0];
}

// --- the pass

const std::map<const Op*, Rule>& rules() {
  static const std::map<const Op*, Rule> table = {
      {&*ops::pld::tensor::allreduce, allreduce},   {&*ops::pld::tensor::reduce_scatter, reduce_scatter},
      {&*ops::pld::tensor::broadcast, broadcast},   {&*ops::pld::tensor::allgather, allgather},
      {&*ops::pld::tensor::all_to_all, all_to_all}, {&*ops::pld::tensor::all_to_all_v, all_to_all_v},
      {&*ops::pld::tensor::barrier, barrier},
  };
  return table;
}

class Lowering final : public CollectiveBuilder {
 public:
  Lowering(const Traits& traits, Diagnostics& diags, bool single)
      : CollectiveBuilder(traits, diags), single_(single) {}

  void assign(const Assign& assign) override {
    ExprRef result = lowered(assign.value);
    if (!result) return CollectiveBuilder::assign(assign);
    bind(*assign.var, result);
  }
  void eval(const Eval& eval) override {
    if (!lowered(eval.value)) CollectiveBuilder::eval(eval);
  }

 private:
  ExprRef lowered(const ExprRef& value) {
    const auto* call = as<Call>(value);
    auto found = call ? rules().find(call->op) : rules().end();
    if (found == rules().end()) return nullptr;
    at(*call);
    ExprList args = use(call->args);
    note_effects(*call->op, args);
    return found->second(*call, args,
                         team(args[signal_slot(*call->op)], args[group_slot(*call->op)], single_), *this);
  }

  // What the collective declares of this rank's memory. The ops that it becomes do not show it: they reach
  // the own copy as a peer's, or leave it to other ranks, whose writes are complete when the collective is.
  void note_effects(const Op& op, const ExprList& args) {
    for (const Effect& effect : op.effects) {
      if (effect.peer_param >= 0 || effect.all_peers) continue;
      const bool reads = effect.access == Access::Read || effect.access == Access::ReadWrite;
      const bool writes = effect.access == Access::Write || effect.access == Access::ReadWrite;
      const ExprRef& memory = args[static_cast<size_t>(op.operand_slots[static_cast<size_t>(effect.param)])];
      if (!reads && !writes) continue;
      run(ops::pld::system::collective_effects, {reads ? memory : nullptr, writes ? memory : nullptr});
    }
  }

  bool single_;
};

// Kernels that some launch runs with several blocks.
struct SpmdKernels : Visitor<SpmdKernels> {
  std::set<std::string, std::less<>> names;
  bool inside = false;

  void visit(const SpmdScope& scope) {
    bool outer = std::exchange(inside, true);
    walk_children(scope);
    inside = outer;
  }
  void visit(const FunctionCall& call) {
    if (inside || call.blocks) names.insert(call.callee);
    walk_children(call);
  }
};

}  // namespace

bool is_composite(const Op& op) {
  return rules().contains(&op);
}

size_t signal_slot(const Op& op) {
  return static_cast<size_t>(op.operand_slots[static_cast<size_t>(op.param_index("signal"))]);
}

size_t group_slot(const Op& op) {
  return static_cast<size_t>(op.operand_slots[static_cast<size_t>(op.group_param)]);
}

bool has_composite_ops(const Program& program) {
  struct Find : Visitor<Find> {
    bool found = false;
    void visit(const Call& call) {
      found = found || is_composite(*call.op);
      walk_children(call);
    }
  } find;
  find.walk(program);
  return find.found;
}

ProgramRef lower_composite_ops(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  SpmdKernels spmd;
  spmd.walk(*program);
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    if (!is_kernel(function->type)) continue;
    Lowering lowering(traits, diags, !spmd.names.contains(function->name));
    function = with_body(*function, lowering.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
