// Rank i of each host has share i of the array. Host 0 adds up its rows of a segment of the share and sends
// the sum to rank i of the next host, which adds its own rows to it, and so on. What the last host has is the
// sum of all in rank order. It goes back the same way, and on each host from rank i to its neighbours. So
// each byte travels twice between two hosts, however many ranks they have.
//
// A sum that arrives needs a place. Only rank i reads share i of its own window, so it keeps a copy of its
// row and tells the host before that the segment is free. Two segments are under way at a time: host h hands
// back segment t - 2 * (hosts behind it) while it handles segment t. Rank i of two hosts next to each other
// share a cell in each direction. Towards the host before go, in this order, in round t: "segment t + 2 is
// free", "result t - 2 * (hosts behind)". That host takes them in the same order two rounds later. So neither
// can be taken for the other.
#include "passes/host_chain.h"

#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_type.h"

namespace tilewire::passes {
namespace {

using namespace ir;

constexpr int64_t under_way = 2;

class Chain {
 public:
  Chain(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b)
      : b_(b),
        how_(how),
        units_(units),
        team_(team),
        at_(b.placement(team)),
        previous_(b.let("previous", b.sub(team.rank, at_.each))),
        next_(b.let("next", b.add(team.rank, at_.each))),
        behind_(b.let("behind", b.sub(b.sub(team.hosts, b.number(1)), at_.host))),
        size_(b.traits.segment_bytes / bytes(tensor_type_of(units.window).dtype)),
        alone_(constant_value(team.blocks) == 1) {
    const ExprRef index = b.add(b.mul(at_.place, team.blocks), team.block);
    share_ = b.part(units, units.count, index, b.mul(at_.each, team.blocks), b.traits.share_bytes);
    segments_ = b.div(b.add(b.sub(share_.stop, share_.start), b.number(size_ - 1)), b.number(size_));
    if (constant_value(units.count).value_or(0) < 1) {
      // Of an array without elements the first share has one segment all the same, so that nobody returns
      // before all have come.
      const ExprRef least = b.sub(b.number(1), b.smaller(index, b.number(1)));
      segments_ = b.sub(b.add(segments_, least), b.smaller(segments_, least));
    }
    segments_ = b.let("segments", segments_);
  }

  void write() {
    make_room();
    // With one block the own row is complete, and neighbours can be told of it later. Between hosts a notify
    // of a neighbour waits until what was sent has landed; the first sum that arrives says so of all of it.
    if (alone_) {
      free_first_segments();
      const ExprRef receives =
          b_.let("receives", b_.mul(b_.smaller(at_.host, b_.number(1)), b_.smaller(segments_, b_.number(1))));
      b_.when(b_.equal(receives, b_.number(0)), [&] { b_.arrive(team_, at_); });
    } else {
      b_.arrive(team_, at_);
      b_.await_host(team_, at_, b_.int32(1), "near");
      free_first_segments();
    }
    const ExprRef lag = b_.let("lag", b_.mul(behind_, b_.number(under_way)));
    b_.repeat("t", b_.number(0), b_.add(segments_, lag), b_.number(1), [&](const VarRef& t) {
      b_.when(b_.less(t, segments_), [&] { forward(t); });
      b_.when(b_.less(lag, b_.add(t, b_.number(1))), [&] { back(b_.let("back", b_.sub(t, lag))); });
    });
    // A notify of a neighbour would wait until the last segment has landed, so it goes first. Not with
    // several blocks: those of this rank go on to write what the segment is read from.
    if (!alone_) send_last_back();
    b_.arrive(team_, at_);
    if (alone_) send_last_back();
    // A rank without a segment has not waited for the rows of its neighbours.
    const ExprRef open = b_.sub(b_.number(2), b_.smaller(segments_, b_.number(1)));
    const ExprRef times = alone_ ? ops::scalar_cast(b_.let("open", open), DType::Int32) : b_.int32(1);
    b_.await_host(team_, at_, times, "near");
    b_.run(ops::pl::tensor::release, {kept_.window});
  }

 private:
  ExprRef has_previous() { return b_.less(b_.number(0), at_.host); }
  ExprRef has_next() { return b_.less(b_.number(0), behind_); }

  Part segment(const ExprRef& number) {
    const ExprRef start = b_.let("from", b_.add(share_.start, b_.mul(number, b_.number(size_))));
    return {start, b_.let("to", b_.smaller(b_.add(start, b_.number(size_)), share_.stop))};
  }

  // --- the own row of the segments under way

  void make_room() {
    const ExprRef most = b_.smaller(b_.number(under_way * size_), b_.sub(share_.stop, share_.start));
    const ExprRef length = b_.let("room", b_.mul(b_.smaller(at_.host, b_.number(1)), most));
    const DType dtype = tensor_type_of(units_.window).dtype;
    const ExprRef kept = b_.op(ops::pl::tensor::create, {b_.list({length})}, {{"dtype", AttrValue{dtype}}});
    kept_ = {b_.let("kept", kept), length, nullptr};
  }

  // Where a chunk of segment `number`, which starts at `start`, is kept.
  Chunk kept(const Chunk& chunk, const ExprRef& number, const ExprRef& start) {
    const ExprRef slot = b_.mul(b_.mod(number, b_.number(under_way)), b_.number(size_));
    return {{b_.let("place", b_.add(slot, b_.sub(chunk.offsets[0], start)))}, chunk.size, chunk.valid};
  }

  void free_segment(const ExprRef& number) {
    const Part part = segment(number);
    b_.each_chunk(units_, part, [&](const Chunk& chunk) {
      b_.store(b_.load(units_, chunk), kept_, kept(chunk, number, part.start));
    });
    b_.notify(team_, previous_, team_.block, b_.int32(1));
  }

  void free_first_segments() {
    b_.when(has_previous(), [&] {
      b_.repeat("t", b_.number(0), b_.smaller(segments_, b_.number(under_way)), b_.number(1),
                [&](const VarRef& t) { free_segment(t); });
    });
  }

  // --- sums, from host to host

  void forward(const ExprRef& number) {
    const Part part = segment(number);
    combine(number, part);
    // Before the sum goes on: between hosts a notify waits until what was sent to another host has landed,
    // and the sum is large.
    const ExprRef later = b_.let("later", b_.add(number, b_.number(under_way)));
    b_.when(has_previous(), [&] { b_.when(b_.less(later, segments_), [&] { free_segment(later); }); });
    b_.when(has_next(), [&] {
      b_.take(team_, next_, b_.int32(1));
      send(next_, part);
    });
  }

  ExprRef with_row(const ExprRef& sum, const ExprRef& rank, const Chunk& chunk) {
    return b_.combine(how_, sum, b_.widened(b_.load(team_, units_, chunk, rank)));
  }
  ExprRef with_rows(const ExprRef& sum, const ExprRef& first, const ExprRef& end, const Chunk& chunk) {
    return b_.reduce("s", first, end, b_.number(1), {sum},
                     [&](const VarRef& s, const ExprList& so_far) -> ExprList {
                       return {with_row(so_far[0], s, chunk)};
                     })[0];
  }

  // The sum stays in the own window, except on the last host, where it is the result.
  void combine(const ExprRef& number, const Part& part) {
    const ExprRef end = b_.let("end", b_.add(at_.first, at_.each));
    const ExprRef inner = b_.let("inner", b_.smaller(behind_, b_.number(1)));
    const ExprRef lowest = b_.let("lowest", b_.add(at_.first, b_.mul(inner, at_.place)));
    const ExprRef highest =
        b_.let("highest", b_.add(lowest, b_.add(at_.each, b_.mul(inner, b_.sub(b_.number(1), at_.each)))));
    auto of_first_host = [&](const Chunk& chunk) {
      const ExprRef row = b_.widened(b_.load(team_, units_, chunk, b_.number(0)));
      b_.store(b_.narrowed(with_rows(row, b_.number(1), end, chunk), units_), units_, chunk);
    };
    auto of_others = [&](const Chunk& chunk) {
      const ExprRef before = with_rows(b_.widened(b_.load(units_, chunk)), at_.first, team_.rank, chunk);
      const ExprRef own = b_.widened(b_.load(kept_, kept(chunk, number, part.start)));
      const ExprRef with_own = b_.combine(how_, before, own);
      const ExprRef after = b_.let("after", b_.add(team_.rank, b_.number(1)));
      const ExprRef sum = b_.narrowed(with_rows(with_own, after, end, chunk), units_);
      b_.repeat("s", lowest, highest, b_.number(1),
                [&](const VarRef& s) { b_.store(team_, sum, units_, chunk, s); });
    };
    b_.choose(
        has_previous(),
        [&]() -> ExprList {
          b_.take(team_, previous_, b_.int32(1));
          if (alone_) {
            b_.when(b_.equal(number, b_.number(0)), [&] {
              b_.arrive(team_, at_);
              b_.await_host(team_, at_, b_.int32(1), "near");
            });
          }
          b_.each_chunk(units_, part, of_others);
          return {};
        },
        [&]() -> ExprList {
          if (alone_) {
            b_.when(b_.equal(number, b_.number(0)),
                    [&] { b_.await_host(team_, at_, b_.int32(1), "of_first"); });
          }
          b_.each_chunk(units_, part, of_first_host);
          return {};
        });
  }

  // A part of the own window, to the one of another host, with a signal.
  void send(const ExprRef& rank, const Part& part) {
    const ExprRef from = b_.list({part.start});
    const ExprRef length = b_.list({b_.let("length", b_.sub(part.stop, part.start))});
    b_.put_with_notify(team_, units_.window, rank, from, length);
  }

  // --- results, back to the first host

  void back(const ExprRef& number) {
    const Part part = segment(number);
    b_.when(has_next(), [&] {
      b_.take(team_, next_, b_.int32(1));
      b_.each_chunk(units_, part, [&](const Chunk& chunk) {
        const ExprRef result = b_.load(units_, chunk);
        b_.each_neighbour(at_, "near",
                          [&](const ExprRef& near) { b_.store(team_, result, units_, chunk, near); });
      });
    });
    const ExprRef later = b_.let("later", b_.add(number, b_.number(1)));
    b_.when(has_previous(), [&] { b_.when(b_.less(later, segments_), [&] { send(previous_, part); }); });
  }

  void send_last_back() {
    b_.when(has_previous(), [&] {
      const ExprRef last = b_.let("last", b_.sub(segments_, b_.smaller(segments_, b_.number(1))));
      b_.repeat("t", last, segments_, b_.number(1), [&](const VarRef& t) { send(previous_, segment(t)); });
    });
  }

  CollectiveBuilder& b_;
  const ReduceOp how_;
  const Units& units_;
  const Team& team_;
  const Placement at_;
  const ExprRef previous_, next_;  // the ranks that this one exchanges sums with
  const ExprRef behind_;           // hosts behind this one
  const int64_t size_;             // elements of a segment
  const bool alone_;               // there is one block
  Part share_;
  ExprRef segments_;
  Units kept_;
};

}  // namespace

bool has_chain(ReduceOp how, const Units& units) {
  const bool rounds = bytes(tensor_type_of(units.window).dtype) == 2;
  return !units.length && (!rounds || how == ReduceOp::Max || how == ReduceOp::Min);
}

void host_chain(ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b) {
  Chain(how, units, team, b).write();
}

}  // namespace tilewire::passes
