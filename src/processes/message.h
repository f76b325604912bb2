// What the processes of a world tell each other: everybody the leader, and the leader everybody.
//
// Process 0 is the leader. The others never talk to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/failure.h"
#include "runtime/world.h"

namespace tilewire::processes {

using runtime::Blocked;
using runtime::Failure;
using runtime::Term;

struct Message {
  enum class Kind : uint8_t {
    // To the leader.
    Hello,   // the first: `number` is the process, `text` how many there are; answered when all are there
    Gather,  // `text` for everybody, as the gathering `number` of all; `terms` are the same in all processes
    Begin,   // ready to start the call `number`, under `terms`
    Failed,  // the call cannot go on: `failure`
    Ended,   // nothing runs here any more; `failure` is what stopped it, if anything
    Quiet,   // nothing can happen here, since turn `turns`
    Answer,  // to Ask: whether that is so, the turn, and `under_way`
    Waits,   // to Tell: `waits`; none: this process was throttled and goes on
    Cut,     // nothing reaches process `number` from here any more; `text` says how
    Alive,   // to Ping
    Bye,     // this process takes part in nothing any more
    // From the leader.
    Gathered,  // `parts`, by process; or `failure`
    Begun,     // all are ready
    Stop,      // the call has failed: `failure`
    Ask,       // is nothing happening?
    Tell,      // it is a deadlock: who waits for what?
    GoOn,      // it is not: a throttled process goes on
    Outcome,   // nothing runs anywhere any more; `failure` is what all report
    Lost,      // the world has lost a process; no call is possible any more: `failure`
    Ping,
  };
  Kind kind = Kind::Ping;
  uint64_t number = 0;  // of a call or a gathering; Ask, Answer, Tell, Waits: of a wave
  uint64_t call = 0;    // Gather: for which call
  uint64_t turns = 0;
  uint64_t under_way = 0;  // messages to other processes that this one has sent, less those it has handled
  bool quiet = false;
  std::string text{};
  std::vector<Term> terms{};
  std::vector<std::string> parts{};
  std::optional<Failure> failure{};
  std::optional<std::vector<Blocked>> waits{};
};

std::string encode(const Message& message);
// Nothing when the bytes are no message.
std::optional<Message> decode(std::string_view bytes);

}  // namespace tilewire::processes
