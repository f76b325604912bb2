#include "processes/leader.h"

#include <algorithm>
#include <cstdio>

#include "support/diagnostics/runtime.h"

namespace tilewire::processes {
namespace {

using Kind = Message::Kind;

// A loop that is asleep for longer than this was kept from running, with all others of the machine or alone:
// what it has not heard in that time says nothing.
constexpr uint64_t own_sleep_ns = 1'000'000'000;

}  // namespace

std::string Limits::silence() const {
  char text[64];
  std::snprintf(text, sizeof text, "no sign of life for %.1f s", static_cast<double>(silence_ns) * 1e-9);
  return text;
}

std::string Limits::join_text() const {
  return std::to_string(join_ns / 1'000'000'000) + " s";
}

std::string Limits::absence() const {
  return "it has not joined within " + join_text();
}

std::string names_of(const std::vector<int32_t>& processes) {
  std::string text = processes.size() == 1 ? "process " : "processes ";
  constexpr size_t shown = 8;
  for (size_t i = 0; i < processes.size() && i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(processes[i]);
  }
  if (processes.size() > shown) text += " and " + std::to_string(processes.size() - shown) + " more";
  return text;
}

Failure world_failure(Diag row, std::vector<std::string> words) {
  Failure failure;
  failure.cause = runtime::Cause::World;
  failure.row = row;
  failure.words = std::move(words);
  return failure;
}

Failure lost_process(int32_t process, const std::string& how) {
  return world_failure(diag::run_process_lost, {std::to_string(process), how});
}

Leader::Leader(int32_t processes, Send send, Note note, Limits limits)
    : count_(processes),
      send_(std::move(send)),
      note_(std::move(note)),
      limits_(limits),
      members_(static_cast<size_t>(processes)) {}

void Leader::hear(int32_t process, Message&& message, uint64_t now_ns) {
  now_ns_ = now_ns;
  Member& member = members_[process];
  if (member.lost) return;
  member.heard_ns = now_ns_;
  if (lost_) return;  // they all know
  switch (message.kind) {
    case Kind::Gather:
      return gather(process, std::move(message));
    case Kind::Begin:
      return begin(process, std::move(message));
    case Kind::Failed:
      return failed(process, message);
    case Kind::Ended:
      return ended(process, std::move(message));
    case Kind::Quiet:
      return quiet(process, message);
    case Kind::Answer:
      return answer(process, message);
    case Kind::Waits:
      return waits(process, std::move(message));
    case Kind::Cut:
      // After a call it is of no importance: that process may have left.
      if (message.number < members_.size() &&
          std::any_of(calls_.begin(), calls_.end(), [](const auto& call) { return call.second.running; })) {
        lose(static_cast<int32_t>(message.number), message.text);
      }
      return;
    case Kind::Bye:
      member.left = true;
      return lose_left();
    default:
      return;
  }
}

void Leader::gone(int32_t process, const std::string& how) {
  Member& member = members_[process];
  if (member.lost) return;
  if (member.left) {
    member.lost = true;
    return;
  }
  lose(process, how);
}

bool Leader::busy() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const auto& call) { return call.second.running || !call.second.failure; }) ||
         std::any_of(gatherings_.begin(), gatherings_.end(),
                     [](const auto& gathering) { return !gathering.second.failure; });
}

void Leader::lose_left() {
  auto awaited = [&](int32_t p) {
    for (const auto& [number, call] : calls_) {
      if (call.running ? !call.parts[p].ended : !call.failure && !call.parts[p].begun) return true;
    }
    for (const auto& [number, gathering] : gatherings_) {
      if (!gathering.failure && !gathering.parts[p]) return true;
    }
    return false;
  };
  for (int32_t p = 0; p < count_ && !lost_; ++p) {
    if (members_[p].left && awaited(p)) lose(p, has_left);
  }
}

void Leader::lose(int32_t process, const std::string& how) {
  members_[process].lost = true;
  if (lost_) return;
  lost_ = lost_process(process, how);
  calls_.clear();
  gatherings_.clear();
  Message message{.kind = Kind::Lost, .failure = lost_};
  send_all(message);  // also to the one that is lost, in case it comes back
}

void Leader::send_all(const Message& message) {
  for (int32_t p = 0; p < count_; ++p) send_(p, message);
}

void Leader::send_running(const Call& call, const Message& message) {
  for (int32_t p = 0; p < count_; ++p) {
    if (!call.parts[p].ended) send_(p, message);
  }
}

std::map<uint64_t, Leader::Call>::iterator Leader::call_of(uint64_t number) {
  auto [call, fresh] = calls_.try_emplace(number);
  if (fresh) {
    call->second.parts.resize(static_cast<size_t>(count_));
    call->second.since_ns = now_ns_;
  }
  return call;
}

std::optional<Failure> Leader::first_difference(const std::vector<const std::vector<Term>*>& terms) const {
  const std::vector<Term>& first = *terms[0];
  for (int32_t p = 1; p < count_; ++p) {
    const std::vector<Term>& other = *terms[p];
    for (size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
      static const Term none{"", "not there"};
      const Term &a = i < first.size() ? first[i] : none, &b = i < other.size() ? other[i] : none;
      if (a.name == b.name && a.value == b.value) continue;
      const bool same_name = a.name == b.name;
      return world_failure(diag::run_calls_differ,
                           {same_name ? a.name : "call", same_name ? b.value : b.name + " " + b.value,
                            std::to_string(p), same_name ? a.value : a.name + " " + a.value});
    }
  }
  return std::nullopt;
}

void Leader::gather(int32_t process, Message&& message) {
  const uint64_t number = message.number;
  auto [found, fresh] = gatherings_.try_emplace(number);
  Gathering& gathering = found->second;
  if (fresh) {
    gathering.parts.resize(static_cast<size_t>(count_));
    gathering.call = message.call;
    gathering.since_ns = now_ns_;
    // A call that has failed already gathers nothing more.
    auto call = calls_.find(message.call);
    if (call != calls_.end()) gathering.failure = call->second.failure;
  }
  if (gathering.parts[process]) return lose(process, makes_no_sense);  // once is enough
  gathering.parts[process] = std::move(message);
  const bool all = ++gathering.count == static_cast<size_t>(count_);
  Message reply{.kind = Kind::Gathered, .number = number, .failure = gathering.failure};
  if (gathering.failure) {
    send_(process, reply);
  } else if (all) {
    std::vector<const std::vector<Term>*> terms;
    for (const auto& part : gathering.parts) {
      reply.parts.push_back(part->text);
      terms.push_back(&part->terms);
    }
    const uint64_t call = gathering.call;
    reply.failure = first_difference(terms);
    gatherings_.erase(number);
    send_all(reply);
    if (reply.failure) fail(call, call_of(call)->second, *reply.failure);
    return lose_left();
  }
  if (all) gatherings_.erase(number);
  lose_left();
}

void Leader::begin(int32_t process, Message&& message) {
  const uint64_t number = message.number;
  Call& call = call_of(number)->second;
  if (call.parts[process].begun) return lose(process, makes_no_sense);
  call.parts[process].begun = true;
  call.parts[process].terms = std::move(message.terms);
  if (call.failure) {
    send_(process, {.kind = Kind::Stop, .number = number, .failure = call.failure});
    return lose_left();
  }
  std::vector<const std::vector<Term>*> terms;
  for (const Part& part : call.parts) {
    if (!part.begun) return lose_left();
    terms.push_back(&part.terms);
  }
  if (auto difference = first_difference(terms)) return fail(number, call, *difference);
  call.running = true;
  send_all({.kind = Kind::Begun, .number = number});
}

void Leader::failed(int32_t process, const Message& message) {
  // Of a call that is over: it was interrupted when it had nothing to do any more.
  const bool over = message.number < members_[process].next_call && !calls_.contains(message.number);
  if (over || !message.failure) return;
  fail(message.number, call_of(message.number)->second, *message.failure);
  lose_left();
}

// The first failure is the one that all report.
void Leader::fail(uint64_t number, Call& call, const Failure& failure) {
  if (call.failure) return;
  call.failure = failure;
  call.wave = Call::Wave::None;
  for (int32_t p = 0; p < count_; ++p) {
    if (call.parts[p].begun) send_(p, {.kind = Kind::Stop, .number = number, .failure = failure});
  }
  for (auto& [of, gathering] : gatherings_) {
    if (gathering.call != number || gathering.failure) continue;
    gathering.failure = failure;
    for (int32_t p = 0; p < count_; ++p) {
      if (gathering.parts[p]) send_(p, {.kind = Kind::Gathered, .number = of, .failure = failure});
    }
  }
}

void Leader::ended(int32_t process, Message&& message) {
  auto found = call_of(message.number);
  Call& call = found->second;
  if (call.parts[process].ended) return lose(process, makes_no_sense);
  call.parts[process].ended = true;
  members_[process].next_call = message.number + 1;
  if (message.failure) fail(message.number, call, *message.failure);
  const bool all =
      std::all_of(call.parts.begin(), call.parts.end(), [](const Part& part) { return part.ended; });
  if (!all) {
    call.wave = Call::Wave::None;
    consider(call);
    return lose_left();
  }
  const Message outcome{.kind = Kind::Outcome, .number = message.number, .failure = call.failure};
  const bool ran = call.running;
  calls_.erase(found);
  if (ran) send_all(outcome);
}

void Leader::quiet(int32_t process, const Message& message) {
  auto found = calls_.find(message.number);
  if (found == calls_.end()) return;
  found->second.parts[process].quiet = true;
  found->second.parts[process].turns = message.turns;
  consider(found->second);
}

void Leader::consider(Call& call) {
  if (!call.running || call.failure || call.wave != Call::Wave::None) return;
  bool any = false;
  for (const Part& part : call.parts) {
    if (!part.ended && !part.quiet) return;
    any |= !part.ended;
  }
  if (any) start_wave(call, Call::Wave::First);
}

void Leader::start_wave(Call& call, Call::Wave wave) {
  call.wave = wave;
  ++wave_;
  for (Part& part : call.parts) {
    part.answered = false;
    part.waits.reset();
    // Whoever is told to list its waits moves for it, and says anew when it is quiet.
    if (wave == Call::Wave::Waits) part.quiet = false;
  }
  if (wave == Call::Wave::Waits) {
    send_running(call, {.kind = Kind::Tell, .number = wave_});
  } else {
    send_all({.kind = Kind::Ask, .number = wave_});
  }
}

void Leader::answer(int32_t process, const Message& message) {
  if (message.number != wave_) return;
  for (auto& entry : calls_) {
    Call& call = entry.second;
    const bool asked = call.wave == Call::Wave::First || call.wave == Call::Wave::Second;
    Part& part = call.parts[process];
    if (!asked || part.answered) continue;
    const bool moved = call.wave == Call::Wave::Second && part.first_turns != message.turns;
    part.answered = true;
    part.first_turns = message.turns;
    part.under_way = message.under_way;
    if (!message.quiet || moved) {
      // It will say when it is quiet again, unless it has done so before it answered.
      part.quiet = message.quiet && part.turns == message.turns;
      call.wave = Call::Wave::None;
      return consider(call);
    }
    return answered_all(call);
  }
}

void Leader::answered_all(Call& call) {
  uint64_t under_way = 0;
  bool handled = false;  // somebody has since said that it is quiet at a later turn
  for (const Part& part : call.parts) {
    if (!part.answered) return;
    under_way += part.under_way;
    handled |= part.turns > part.first_turns;
  }
  if (under_way != 0) {
    call.wave = Call::Wave::None;
    if (handled) consider(call);
    return;
  }
  start_wave(call, call.wave == Call::Wave::First ? Call::Wave::Second : Call::Wave::Waits);
}

void Leader::waits(int32_t process, Message&& message) {
  if (message.number != wave_) return;
  for (auto& [number, call] : calls_) {
    if (call.wave != Call::Wave::Waits || call.parts[process].ended) continue;
    if (!message.waits) {
      call.wave = Call::Wave::None;
      send_running(call, {.kind = Kind::GoOn, .number = wave_});
      return consider(call);
    }
    call.parts[process].waits = std::move(message.waits);
    std::vector<Blocked> all;
    for (const Part& part : call.parts) {
      if (part.ended) continue;
      if (!part.waits) return;
      all.insert(all.end(), part.waits->begin(), part.waits->end());
    }
    return fail(number, call, runtime::deadlock_of(std::move(all)));
  }
}

void Leader::tick(uint64_t now_ns) {
  const bool slept = now_ns - ticked_ns_ > own_sleep_ns;
  now_ns_ = ticked_ns_ = now_ns;
  for (int32_t p = 0; p < count_ && !lost_; ++p) {
    Member& member = members_[p];
    if (slept || !busy()) member.heard_ns = now_ns;
    const uint64_t silence = now_ns - member.heard_ns;
    if (p != 0 && silence > limits_.silence_ns) lose(p, limits_.silence());
  }
  if (!busy() || lost_) return;
  for (int32_t p = 1; p < count_; ++p) send_(p, {.kind = Kind::Ping});
  for (auto& [number, call] : calls_) {
    if (call.running || call.failure) continue;
    std::vector<int32_t> missing;
    for (int32_t p = 0; p < count_; ++p) {
      if (!call.parts[p].begun) missing.push_back(p);
    }
    remind(call.noted, call.since_ns, missing);
  }
  for (auto& [number, gathering] : gatherings_) {
    if (gathering.failure) continue;
    std::vector<int32_t> missing;
    for (int32_t p = 0; p < count_; ++p) {
      if (!gathering.parts[p]) missing.push_back(p);
    }
    remind(gathering.noted, gathering.since_ns, missing);
  }
}

void Leader::remind(bool& noted, uint64_t since_ns, const std::vector<int32_t>& missing) {
  if (noted || missing.empty() || now_ns_ - since_ns < limits_.note_ns) return;
  noted = true;
  note_("waiting for " + names_of(missing) + " of " + std::to_string(count_) + " to make the same call");
}

}  // namespace tilewire::processes
