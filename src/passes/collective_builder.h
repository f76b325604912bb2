// What the rules of collectives are written with: the ranks and blocks that take part, their barrier, and the
// elements of a window handed out in parts.
#pragma once

#include <span>

#include "passes/structured_builder.h"
#include "passes/traits.h"

namespace tilewire::passes {

// The participants of one call, as seen by the block that runs the code. INDEX scalars. Ranks are
// counted in the sub-group of the call, if any; peers of ops and cells in the window's group.
struct Team {
  ir::ExprRef signal;
  ir::ExprRef rank, ranks;
  ir::ExprRef block, blocks;  // of this rank
  ir::ExprRef first, stride;  // of the sub-group, in the window's group
  ir::ExprRef cells;          // per block: the ranks of the window's group
  ir::ExprRef hosts;          // that the ranks are spread over evenly; 1 also where it does not matter
};

// Where a rank of the team is, when it is on several hosts.
struct Placement {
  ir::ExprRef each;   // ranks of a host; they follow each other
  ir::ExprRef host;   // the number of its host
  ir::ExprRef first;  // the first rank of that host
  ir::ExprRef place;  // its number on that host
};

// The elements of a window as units that can be handed out: single elements of a dense window, seen as one
// line, or the lines of its last dimension of one with strides.
struct Units {
  ir::ExprRef window;  // of one dimension when dense
  ir::ExprRef count;
  ir::ExprRef length;  // of a line; null: units are elements
};

struct Part {
  ir::ExprRef start, stop;  // units
};

// Consecutive elements of one line: where they start and how many there are.
struct Chunk {
  ir::ExprList offsets;
  int64_t size = 0;
  ir::ExprRef valid;  // null: all of it
};

class CollectiveBuilder : public StructuredBuilder {
 public:
  CollectiveBuilder(const Traits& t, Diagnostics& diags) : StructuredBuilder(diags), traits(t) {}

  const Traits& traits;

  // `group`: null for all of the signal's group. `single`: the kernel is never launched with more than one
  // block.
  Team team(const ir::ExprRef& signal, const ir::ExprRef& group, bool single);
  // What the window's group calls a rank of the team.
  ir::ExprRef peer_of(const Team& team, const ir::ExprRef& rank);

  // Emits `work` once for each of the usual rank counts, as a constant, and once for all others.
  // With a constant count, a loop over ranks is unrolled and its ops share one pass over memory.
  void by_rank_count(const Team& team, const std::function<void(const Team&)>& work);
  // For every rank of the team; this rank first, unless the number is a constant.
  void each_rank(const Team& team, const std::function<void(const ir::ExprRef&)>& body);

  // For all other ranks of this host, starting with the next one; each is called `name`.
  void each_neighbour(const Placement& at, const char* name,
                      const std::function<void(const ir::ExprRef&)>& body);
  Placement placement(const Team& team);

  // Returns when all blocks of all ranks have arrived.
  void barrier(const Team& team);
  // The same for the blocks of the ranks of a host, in two halves: announce the arrival, and wait until all
  // have arrived, or `times` times.
  void arrive(const Team& team, const Placement& at);
  void await_host(const Team& team, const Placement& at, const ir::ExprRef& times, const char* name);
  // When all blocks of the rank have arrived, the first runs `alone` and the others wait for it.
  void together(const Team& team, const std::function<void()>& alone);
  // The neighbour `distance` ranks on.
  ir::ExprRef neighbour(const Team& team, const ir::ExprRef& distance);
  // Adds `value` to the cell that block `block` of `rank` has for this rank, waits for `value` in this rank's
  // cell for `source`, and subtracts it again. Returns the value seen.
  void notify(const Team& team, const ir::ExprRef& rank, const ir::ExprRef& block, const ir::ExprRef& value);
  void take(const Team& team, const ir::ExprRef& source, const ir::ExprRef& value);
  // Copies a region of this rank's window to that of `rank`, and notifies as above.
  void put_with_notify(const Team& team, const ir::ExprRef& window, const ir::ExprRef& rank,
                       const ir::ExprRef& offsets, const ir::ExprRef& shape);
  ir::ExprRef wait(const Team& team, const ir::ExprRef& source, const ir::ExprRef& value);
  void consume(const Team& team, const ir::ExprRef& source, const ir::ExprRef& value);

  Units units(const ir::ExprRef& window);
  // Part `index` of `count` equal parts, clipped to the data; parts of dense windows start at their own cache
  // lines, and at multiples of `least_bytes`.
  Part part(const Units& units, const ir::ExprRef& all, const ir::ExprRef& index, const ir::ExprRef& count,
            int64_t least_bytes = 0);
  // The elements of a part, chunk by chunk. The last chunk of a line may be short.
  void each_chunk(const Units& units, const Part& part, const std::function<void(const Chunk&)>& body);
  // One chunk of at most `size` elements of a dense window.
  Chunk chunk_at(const ir::ExprRef& start, const ir::ExprRef& stop, int64_t size);
  int64_t chunk_size(const Units& units) const;

  // Of this rank's copy, and of the copy of another rank of the team.
  ir::ExprRef load(const Units& units, const Chunk& chunk);
  ir::ExprRef load(const Team& team, const Units& units, const Chunk& chunk, const ir::ExprRef& rank);
  void store(const Team& team, const ir::ExprRef& tile, const Units& units, const Chunk& chunk,
             const ir::ExprRef& rank);
  void store(const ir::ExprRef& tile, const Units& units, const Chunk& chunk);
  // Floats of 16 bits are combined in FP32.
  ir::ExprRef widened(const ir::ExprRef& tile);
  ir::ExprRef narrowed(const ir::ExprRef& tile, const Units& units);
  ir::ExprRef combine(ir::ReduceOp how, const ir::ExprRef& a, const ir::ExprRef& b);
  // The chunk of all ranks combined in rank order.
  ir::ExprRef combined(ir::ReduceOp how, const Units& units, const Chunk& chunk, const Team& team);

 private:
  ir::ExprRef cell(const Team& team, const ir::ExprRef& block, const ir::ExprRef& rank);
  ir::ExprList index_of(const ir::ExprList& shape, ir::ExprRef position);
  void meet_ranks(const Team& team);
  void meet_through_leaders(const Team& team);
  void chunks_of_line(const ir::ExprList& lead, const ir::ExprRef& start, const ir::ExprRef& stop,
                      int64_t size, const std::function<void(const Chunk&)>& body);
};

}  // namespace tilewire::passes
