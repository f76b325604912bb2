#include "interp/polls.h"

#include <algorithm>
#include <cstring>

#include "interp/world.h"

namespace tilewire::interp {
namespace {

bool same(const Value& a, const Value& b);

bool same(const Tile& a, const Tile& b) {
  if (a.dtype != b.dtype || a.rows != b.rows || a.cols != b.cols || a.valid_rows != b.valid_rows ||
      a.valid_cols != b.valid_cols) {
    return false;
  }
  const size_t bytes = static_cast<size_t>(a.rows * a.cols * ir::bytes(a.dtype));
  return a.data == b.data || std::memcmp(a.data->data(), b.data->data(), bytes) == 0;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.storage == b.storage && a.dtype == b.dtype && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides && a.window == b.window && a.untracked == b.untracked;
}

bool same(const TupleValue& a, const TupleValue& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Value& x, const Value& y) { return same(x, y); });
}

bool same(const Value& a, const Value& b) {
  if (a.v.index() != b.v.index()) return false;
  if (a.scalar()) return a.scalar()->dtype == b.scalar()->dtype && a.scalar()->i == b.scalar()->i;
  if (a.tensor()) return same(*a.tensor(), *b.tensor());
  if (a.tile()) return same(*a.tile(), *b.tile());
  if (a.array()) return a.array()->elements == b.array()->elements;
  if (a.tuple()) return same(*a.tuple(), *b.tuple());
  if (a.task()) return a.task()->task == b.task()->task;
  if (a.comm_ctx()) return a.comm_ctx()->window == b.comm_ctx()->window;
  if (a.window()) return a.window()->window == b.window()->window;
  if (a.future()) return a.future()->task == b.future()->task && a.future()->index == b.future()->index;
  return a.empty();
}

uint64_t mix(uint64_t sum, uint64_t more) {
  sum = (sum ^ more) * 0x9E3779B97F4A7C15u;
  return sum ^ (sum >> 29);
}

}  // namespace

bool AgentState::operator==(const AgentState& other) const {
  return hash == other.hash && points == other.points && same(live, other.live);
}

AgentState state_of(const Agent& agent) {
  AgentState state;
  for (size_t i = 0; i < agent.frames.size(); ++i) {
    const Frame& frame = agent.frames[i];
    state.points.push_back({frame.code, frame.pc});
    state.hash = mix(state.hash, frame.pc);
    // What a call returns is not there yet.
    const Slot result = i + 1 < agent.frames.size() ? agent.frames[i + 1].dst : no_slot;
    const std::vector<bool>& live = frame.code->liveness().at(frame.pc);
    for (size_t r = 0; r < frame.registers.size(); ++r) {
      if (!live[r] || r == result) continue;
      const Value& value = state.live.emplace_back(frame.registers[r]);
      state.hash =
          mix(state.hash, value.scalar() ? static_cast<uint64_t>(value.scalar()->i) : value.v.index());
    }
  }
  return state;
}

void Polls::arrive(const Agent& agent) {
  if (!round_begins) return;
  round_begins = false;
  AgentState state = state_of(agent);
  for (size_t i = rounds.size(); i-- > 0;) {
    if (!(rounds[i].state == state)) continue;
    repeated = static_cast<int32_t>(i);
    return;
  }
  rounds.push_back({std::move(state), looks.size()});
}

void Polls::leave() {
  if (repeated < 0) return;
  const size_t round = static_cast<size_t>(repeated);
  looks.resize(rounds[round].first_look);
  rounds.resize(round + 1);
  repeated = -1;
}

void Polls::forget() {
  rounds.clear();
  looks.clear();
  repeated = -1;
}

}  // namespace tilewire::interp
