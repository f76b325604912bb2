// One schedule as data for a picture: each agent's steps, in time order, and which step enabled which.
//
// Shown are signals, waits, submissions and starts of tasks, uses of windows, and whatever went wrong. Uses
// of other memory are left out unless they are what went wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace tilewire::check {

struct Run;
struct Conflict;

// An agent with its own program order: the host, an orchestration function, a block of a task.
struct Lane {
  int rank = -1;  // -1: the host
  std::string function;
  int64_t task = -1;  // of its rank, in the order of submission; -1: what the host dispatched, or the host
  int64_t block = 0, blocks = 1;
  int64_t lanes = 1;  // blocks that work as one (support/block_text)
};

// One step of an agent, or the event at which it is blocked.
struct Beat {
  enum class Kind : uint8_t {
    Start,   // of a block
    Submit,  // of a task
    Join,    // waited for the end of a task
    Add,
    Set,
    Wait,
    Test,
    Look,  // an element read of a signal cell
    Read,
    Write,
    Update,   // atomic
    Blocked,  // blocked here
    Failed,   // an access that is refused
  };
  Kind kind = Kind::Start;
  uint32_t lane = 0;  // position in Timeline::lanes
  Span span;
  std::string text;    // "adds 1 to `s[0]` on rank 1, which is 2 now"
  std::string brief;   // "s[0]@1 += 1 (2)"
  std::string cell;    // "s[0]@1"; empty: it uses none
  int64_t value = 0;   // of the cell: after a notify, seen by a wait, at the end for one that is blocked
  uint32_t times = 1;  // number of equal uses in a row
  bool wrong = false;  // part of what went wrong
};
std::string_view name(Beat::Kind kind);

struct Link {
  enum class Kind : uint8_t {
    Signal,   // the notify that made the condition of the wait true
    Part,     // one that the sum it waited for was made of
    Task,     // a submission and a start, or the end of a task and a successor
    Missing,  // two uses that need an order and have none
  };
  Kind kind = Kind::Signal;
  uint32_t from = 0, to = 0;  // positions in Timeline::beats
};
std::string_view name(Link::Kind kind);

struct Timeline {
  std::vector<Lane> lanes;  // by rank, the host first, then in the order of submission
  std::vector<Beat> beats;
  std::vector<Link> links;
  size_t before = 0, after = 0;  // beats that were left out at either end

  bool empty() const { return beats.empty(); }
};

// "the host", "rank 1 `k`, block 2 of 4"
std::string title(const Lane& lane);

// The actions of the run in the order given. `conflict`: two of them, or two uses that come last when they
// are not among them. Without one: the blocked agents, or the access that failed, if the run ended that way.
// A run with an error is cut to its last `most` beats, another to its first.
Timeline timeline_of(Run& run, std::span<const uint32_t> order, const Conflict* conflict, size_t most = 2000);
// As it happened.
Timeline timeline_of(Run& run, const Conflict* conflict, size_t most = 2000);

}  // namespace tilewire::check
