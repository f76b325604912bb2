#include "passes/collective_builder.h"

#include <algorithm>

#include "ir/op.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {

using namespace ir;

namespace {

constexpr int64_t cache_line = 64;
constexpr int64_t usual_rank_counts[] = {2, 4};

bool is_dense(const TensorType& type) {
  return !type.view || type.view->stride.empty();
}

}  // namespace

Team CollectiveBuilder::team(const ExprRef& signal, const ExprRef& group, bool single) {
  Team team;
  team.signal = signal;
  ExprRef context = let("ctx", op(ops::pld::get_comm_ctx, {signal}));
  auto index = [&](const char* name, const Op& from, const ExprRef& of) {
    return let(name, ops::scalar_cast(let(name, op(from, {of})), DType::Index));
  };
  if (group) {
    team.cells = index("ranks", ops::pld::nranks, context);
    check(ops::pld::system::check_group, {signal, group});
    team.rank = index("rank", ops::pld::rank, group);
    team.ranks = index("ranks", ops::pld::nranks, group);
    team.first = let("first", op(ops::pld::member_rank, {group, number(0)}));
    team.stride = let("stride", op(ops::pld::system::member_stride, {group}));
    team.hosts = number(1);
  } else {
    team.rank = index("rank", ops::pld::rank, context);
    team.ranks = index("ranks", ops::pld::nranks, context);
    team.cells = team.ranks;
    team.first = number(0);
    team.stride = number(1);
    team.hosts = traits.allreduce_on_hosts.empty() ? number(1) : index("hosts", ops::pld::nhosts, context);
  }
  team.block = single ? number(0) : let("block", op(ops::pl::tile::get_block_idx, {}));
  team.blocks = single ? number(1) : let("blocks", op(ops::pl::tile::get_block_num, {}));
  return team;
}

ExprRef CollectiveBuilder::peer_of(const Team& team, const ExprRef& rank) {
  return add(team.first, mul(rank, team.stride));
}

void CollectiveBuilder::by_rank_count(const Team& team, const std::function<void(const Team&)>& work) {
  std::function<void(const int64_t*)> from = [&](const int64_t* usual) {
    if (usual == std::end(usual_rank_counts)) return work(team);
    Team known = team;
    known.ranks = number(*usual);
    choose(
        equal(team.ranks, known.ranks),
        [&]() -> ExprList {
          work(known);
          return {};
        },
        [&]() -> ExprList {
          from(usual + 1);
          return {};
        });
  };
  from(std::begin(usual_rank_counts));
}

void CollectiveBuilder::each_rank(const Team& team, const std::function<void(const ExprRef&)>& body) {
  if (auto known = constant_value(team.ranks)) {
    for (int64_t rank = 0; rank < *known; ++rank) body(number(rank));
    return;
  }
  repeat("k", number(0), team.ranks, number(1), [&](const VarRef& k) { body(neighbour(team, k)); });
}

Placement CollectiveBuilder::placement(const Team& team) {
  Placement at;
  at.each = let("each", div(team.ranks, team.hosts));
  at.host = let("host", div(team.rank, at.each));
  at.first = let("first", mul(at.host, at.each));
  at.place = let("place", sub(team.rank, at.first));
  return at;
}

void CollectiveBuilder::each_neighbour(const Placement& at, const char* name,
                                       const std::function<void(const ExprRef&)>& body) {
  repeat("k", number(1), at.each, number(1),
         [&](const VarRef& k) { body(let(name, add(at.first, mod(add(at.place, k), at.each)))); });
}

// Position `position` in row-major order as an index in each dimension.
ExprList CollectiveBuilder::index_of(const ExprList& shape, ExprRef position) {
  ExprList index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    bool one = constant_value(shape[i]) == 1;
    bool outermost = std::all_of(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(i),
                                 [](const ExprRef& extent) { return constant_value(extent) == 1; });
    index[i] = one ? number(0) : outermost ? position : mod(position, shape[i]);
    if (!one && outermost) position = number(0);
    if (!one && !outermost) position = div(position, shape[i]);
  }
  return index;
}

// Every block has a cell for each rank of the window's group, so that one signal serves all sub-groups.
ExprRef CollectiveBuilder::cell(const Team& team, const ExprRef& block, const ExprRef& rank) {
  return list(index_of(tensor_type_of(team.signal).shape, add(mul(block, team.cells), peer_of(team, rank))));
}

ExprRef CollectiveBuilder::neighbour(const Team& team, const ExprRef& distance) {
  return let("peer", mod(add(team.rank, distance), team.ranks));
}

void CollectiveBuilder::notify(const Team& team, const ExprRef& rank, const ExprRef& block,
                               const ExprRef& value) {
  run(ops::pld::system::notify, {team.signal, peer_of(team, rank), cell(team, block, team.rank), value});
}

void CollectiveBuilder::put_with_notify(const Team& team, const ExprRef& window, const ExprRef& rank,
                                        const ExprRef& offsets, const ExprRef& shape) {
  run(ops::pld::tensor::put, {window, peer_of(team, rank), window, offsets, offsets, shape, team.signal,
                              cell(team, team.block, team.rank), int32(1)});
}

ExprRef CollectiveBuilder::wait(const Team& team, const ExprRef& source, const ExprRef& value) {
  return let("seen", op(ops::pld::system::wait, {team.signal, cell(team, team.block, source), value}));
}

void CollectiveBuilder::consume(const Team& team, const ExprRef& source, const ExprRef& value) {
  ExprRef taken = constant_value(value) ? int32(-*constant_value(value)) : op(ops::pl::scalar::neg, {value});
  run(ops::pld::system::notify,
      {team.signal, peer_of(team, team.rank), cell(team, team.block, source), taken});
}

void CollectiveBuilder::take(const Team& team, const ExprRef& source, const ExprRef& value) {
  run(ops::pld::system::wait, {team.signal, cell(team, team.block, source), value});
  consume(team, source, value);
}

// The first blocks of all ranks: each notifies the others, then waits for each.
void CollectiveBuilder::meet_ranks(const Team& team) {
  choose(
      equal(team.hosts, number(1)),
      [&]() -> ExprList {
        repeat("k", number(1), team.ranks, number(1),
               [&](const VarRef& k) { notify(team, neighbour(team, k), number(0), int32(1)); });
        repeat("k", number(1), team.ranks, number(1),
               [&](const VarRef& k) { take(team, neighbour(team, k), int32(1)); });
        return {};
      },
      [&]() -> ExprList {
        meet_through_leaders(team);
        return {};
      });
}

// The first rank of each host collects those of its host, and rank 0 the first ones. It lets them go with
// one release: between hosts a notify waits until what was sent to other hosts before has landed. For the
// same reason each leader lets its own host go before it sends anything on, and there are no rounds in which
// leaders meet in pairs: each would wait for the one before to be acknowledged.
void CollectiveBuilder::meet_through_leaders(const Team& team) {
  const Placement at = placement(team);
  auto release_host = [&] {
    each_neighbour(at, "member", [&](const ExprRef& member) { notify(team, member, number(0), int32(1)); });
  };
  auto root = [&]() -> ExprList {
    repeat("leader", at.each, team.ranks, at.each,
           [&](const VarRef& leader) { take(team, leader, int32(1)); });
    release_host();
    run(ops::pld::system::notify_all,
        {team.signal, int32(1), nullptr, list({number(0), at.each, team.hosts})});
    return {};
  };
  auto leader = [&]() -> ExprList {
    notify(team, number(0), number(0), int32(1));
    take(team, number(0), int32(1));
    release_host();
    return {};
  };
  choose(
      equal(at.place, number(0)),
      [&]() -> ExprList {
        each_neighbour(at, "member", [&](const ExprRef& member) { take(team, member, int32(1)); });
        return choose(equal(at.host, number(0)), root, leader);
      },
      [&]() -> ExprList {
        notify(team, at.first, number(0), int32(1));
        take(team, at.first, int32(1));
        return {};
      });
}

void CollectiveBuilder::arrive(const Team& team, const Placement& at) {
  auto first_block = [&]() -> ExprList {
    if (constant_value(team.blocks) != 1) {
      take(team, team.rank, ops::scalar_cast(sub(team.blocks, number(1)), DType::Int32));
    }
    each_neighbour(at, "near", [&](const ExprRef& near) { notify(team, near, number(0), int32(1)); });
    return {};
  };
  choose(equal(team.block, number(0)), first_block, [&]() -> ExprList {
    notify(team, team.rank, number(0), int32(1));
    return {};
  });
}

void CollectiveBuilder::await_host(const Team& team, const Placement& at, const ExprRef& times,
                                   const char* name) {
  auto first_block = [&]() -> ExprList {
    each_neighbour(at, name, [&](const ExprRef& near) { take(team, near, times); });
    if (constant_value(team.blocks) != 1) {
      repeat("j", number(1), team.blocks, number(1),
             [&](const VarRef& j) { notify(team, team.rank, j, int32(1)); });
    }
    return {};
  };
  choose(equal(team.block, number(0)), first_block, [&]() -> ExprList {
    take(team, team.rank, int32(1));
    return {};
  });
}

// Each cell has one block that adds to it, except the first block's own, which nobody adds to a second time
// before being let go.
void CollectiveBuilder::together(const Team& team, const std::function<void()>& alone) {
  if (constant_value(team.blocks) == 1) return alone();
  choose(
      equal(team.block, number(0)),
      [&]() -> ExprList {
        take(team, team.rank, ops::scalar_cast(sub(team.blocks, number(1)), DType::Int32));
        alone();
        repeat("j", number(1), team.blocks, number(1),
               [&](const VarRef& j) { notify(team, team.rank, j, int32(1)); });
        return {};
      },
      [&]() -> ExprList {
        notify(team, team.rank, number(0), int32(1));
        take(team, team.rank, int32(1));
        return {};
      });
}

void CollectiveBuilder::barrier(const Team& team) {
  together(team, [&] { meet_ranks(team); });
}

Units CollectiveBuilder::units(const ExprRef& window) {
  const TensorType& type = tensor_type_of(window);
  if (is_dense(type)) {
    ExprRef count = number(1);
    for (const ExprRef& extent : type.shape) count = mul(count, extent);
    ExprRef flat = window;
    if (type.shape.size() != 1) flat = let("flat", op(ops::pl::tensor::reshape, {window, list({count})}));
    return {flat, let("count", count), nullptr};
  }
  ExprRef lines = number(1);
  for (size_t i = 0; i + 1 < type.shape.size(); ++i) lines = mul(lines, type.shape[i]);
  return {window, let("lines", lines), type.shape.back()};
}

Part CollectiveBuilder::part(const Units& units, const ExprRef& all, const ExprRef& index,
                             const ExprRef& count, int64_t least_bytes) {
  int64_t grain =
      units.length ? 1 : std::max(cache_line, least_bytes) / bytes(tensor_type_of(units.window).dtype);
  ExprRef grains = mul(count, number(grain));
  ExprRef share = let("share", mul(div(add(all, sub(grains, number(1))), grains), number(grain)));
  ExprRef start = let("start", smaller(mul(index, share), all));
  return {start, let("stop", smaller(add(start, share), all))};
}

int64_t CollectiveBuilder::chunk_size(const Units& units) const {
  int64_t most = traits.chunk_bytes / bytes(tensor_type_of(units.window).dtype);
  auto known = constant_value(units.length ? units.length : units.count);
  return known ? std::max<int64_t>(1, std::min(*known, most)) : most;
}

Chunk CollectiveBuilder::chunk_at(const ExprRef& start, const ExprRef& stop, int64_t size) {
  ExprRef at = let("at", smaller(start, stop));
  return {{at}, size, let("valid", smaller(sub(stop, at), number(size)))};
}

// Whole chunks first, in a separate loop: their width is a constant.
void CollectiveBuilder::chunks_of_line(const ExprList& lead, const ExprRef& start, const ExprRef& stop,
                                       int64_t size, const std::function<void(const Chunk&)>& body) {
  auto at = [&](const ExprRef& position) {
    ExprList offsets = lead;
    offsets.push_back(position);
    return offsets;
  };
  ExprRef whole = let("whole", sub(stop, mod(sub(stop, start), number(size))));
  repeat("c", start, whole, number(size), [&](const VarRef& c) { body({at(c), size, nullptr}); });
  when(less(whole, stop), [&] { body({at(whole), size, let("valid", sub(stop, whole))}); });
}

void CollectiveBuilder::each_chunk(const Units& units, const Part& part,
                                   const std::function<void(const Chunk&)>& body) {
  int64_t size = chunk_size(units);
  if (!units.length) return chunks_of_line({}, part.start, part.stop, size, body);
  const ExprList& shape = tensor_type_of(units.window).shape;
  repeat("line", part.start, part.stop, number(1), [&](const VarRef& line) {
    ExprList lead = index_of(ExprList(shape.begin(), shape.end() - 1), line);
    chunks_of_line(lead, number(0), units.length, size, body);
  });
}

ExprRef CollectiveBuilder::load(const Units& units, const Chunk& chunk) {
  ExprList shape(chunk.offsets.size(), number(1));
  ExprList valid = shape;
  shape.back() = number(chunk.size);
  valid.back() = chunk.valid;
  return let("t", op(ops::pl::tile::load,
                     {units.window, list(chunk.offsets), list(shape), chunk.valid ? list(valid) : nullptr}));
}

ExprRef CollectiveBuilder::load(const Team& team, const Units& units, const Chunk& chunk,
                                const ExprRef& rank) {
  ExprList shape(chunk.offsets.size(), number(1));
  ExprList valid = shape;
  shape.back() = number(chunk.size);
  valid.back() = chunk.valid;
  return let("t", op(ops::pld::tile::remote_load, {units.window, peer_of(team, rank), list(chunk.offsets),
                                                   list(shape), chunk.valid ? list(valid) : nullptr}));
}

void CollectiveBuilder::store(const Team& team, const ExprRef& tile, const Units& units, const Chunk& chunk,
                              const ExprRef& rank) {
  run(ops::pld::tile::remote_store, {tile, units.window, peer_of(team, rank), list(chunk.offsets)});
}

void CollectiveBuilder::store(const ExprRef& tile, const Units& units, const Chunk& chunk) {
  run(ops::pl::tile::store, {tile, list(chunk.offsets), units.window});
}

ExprRef CollectiveBuilder::widened(const ExprRef& tile) {
  DType dtype = static_cast<const TileType&>(*tile->type).dtype;
  if (dtype == DType::FP32 || dtype == DType::Int32) return tile;
  return let("wide", op(ops::pl::tile::cast, {tile}, {{"target_type", AttrValue{DType::FP32}}}));
}

ExprRef CollectiveBuilder::narrowed(const ExprRef& tile, const Units& units) {
  DType wanted = tensor_type_of(units.window).dtype;
  if (static_cast<const TileType&>(*tile->type).dtype == wanted) return tile;
  return let("t", op(ops::pl::tile::cast, {tile}, {{"target_type", AttrValue{wanted}}}));
}

ExprRef CollectiveBuilder::combine(ReduceOp how, const ExprRef& a, const ExprRef& b) {
  using namespace ops::pl;
  static const Op* const joins[] = {&*tile::add, &*tile::maximum, &*tile::minimum, &*tile::mul};
  return let("sum", op(*joins[static_cast<int>(how)], {a, b}));
}

ExprRef CollectiveBuilder::combined(ReduceOp how, const Units& units, const Chunk& chunk, const Team& team) {
  ExprRef first = widened(load(team, units, chunk, number(0)));
  auto with = [&](const ExprRef& so_far, const ExprRef& rank) {
    return combine(how, so_far, widened(load(team, units, chunk, rank)));
  };
  if (auto known = constant_value(team.ranks)) {
    for (int64_t rank = 1; rank < *known; ++rank) first = with(first, number(rank));
    return narrowed(first, units);
  }
  ExprList sums =
      reduce("s", number(1), team.ranks, number(1), {first},
             [&](const VarRef& s, const ExprList& so_far) -> ExprList { return {with(so_far[0], s)}; });
  return narrowed(sums[0], units);
}

}  // namespace tilewire::passes
