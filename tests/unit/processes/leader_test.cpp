// The leader alone, without processes: what it tells whom, and when.
#include "processes/leader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "support/diagnostics/runtime.h"

namespace tilewire::processes {
namespace {

using Kind = Message::Kind;
constexpr uint64_t second = 1'000'000'000;

// A leader of so many processes, and what it has sent to each.
struct Led {
  explicit Led(int32_t count) : sent(count) {}
  void hear(int32_t process, Message message) { leader.hear(process, std::move(message), now); }
  void tick(uint64_t step) { leader.tick(now += step); }
  // The last message to a process but for pings; Alive if there was none.
  Message last(int32_t process) const {
    for (auto message = sent[process].rbegin(); message != sent[process].rend(); ++message) {
      if (message->kind != Kind::Ping) return *message;
    }
    return {.kind = Kind::Alive};
  }
  void begin_all() {
    for (size_t p = 0; p < sent.size(); ++p)
      hear(static_cast<int32_t>(p), {.kind = Kind::Begin, .number = 0});
  }

  uint64_t now = 1;
  std::vector<std::vector<Message>> sent;
  std::vector<std::string> notes;
  Leader leader{static_cast<int32_t>(sent.size()),
                [this](int32_t to, const Message& message) { sent[to].push_back(message); },
                [this](const std::string& note) { notes.push_back(note); },
                {}};
};

TEST(Leader, ANoteSaysWhoIsMissing) {
  Led led(4);
  led.tick(second / 4);
  led.hear(1, {.kind = Kind::Begin, .number = 0});
  for (int i = 0; i < 60; ++i) {
    led.tick(second / 4);
    for (int32_t p = 1; p < 4; ++p) led.hear(p, {.kind = Kind::Alive});
    EXPECT_EQ(led.notes.size(), i >= 39 ? 1u : 0u) << i;
  }
  ASSERT_EQ(led.notes.size(), 1u);
  EXPECT_EQ(led.notes[0], "waiting for processes 0, 2, 3 of 4 to make the same call");
}

TEST(Leader, ASilentProcessIsLostOnlyWhileOthersWait) {
  Led led(3);
  for (int i = 0; i < 40; ++i) led.tick(second / 4);  // nobody waits
  EXPECT_EQ(led.last(0).kind, Kind::Alive);
  led.hear(0, {.kind = Kind::Begin, .number = 0});
  for (int i = 0; i < 12 && led.last(0).kind != Kind::Lost; ++i) {
    led.tick(second / 4);
    led.hear(1, {.kind = Kind::Alive});
  }
  for (int32_t p = 0; p < 3; ++p) {
    ASSERT_EQ(led.last(p).kind, Kind::Lost);
    EXPECT_EQ(led.last(p).failure->words, (std::vector<std::string>{"2", "no sign of life for 2.0 s"}));
  }
}

// Once is enough; the second time would be counted as what another one says.
TEST(Leader, AProcessThatSaysTheSameTwiceIsLost) {
  for (Kind kind : {Kind::Gather, Kind::Begin, Kind::Ended}) {
    Led led(3);
    for (int i = 0; i < 3; ++i) led.hear(1, {.kind = kind, .number = 4});
    for (int32_t p = 0; p < 3; ++p) {
      ASSERT_EQ(led.last(p).kind, Kind::Lost);
      EXPECT_EQ(led.last(p).failure->words, (std::vector<std::string>{"1", "what it sent is not a message"}));
    }
  }
}

// A machine that was asleep, or a job that was stopped as a whole, has lost nobody.
TEST(Leader, TimeInWhichItDidNotRunItselfDoesNotCount) {
  Led led(2);
  led.hear(0, {.kind = Kind::Begin, .number = 0});
  led.tick(second / 4);
  led.tick(3600 * second);
  EXPECT_EQ(led.last(0).kind, Kind::Alive);
}

TEST(Leader, TwoWavesFindADeadlock) {
  Led led(2);
  led.begin_all();
  EXPECT_EQ(led.last(1).kind, Kind::Begun);
  led.hear(0, {.kind = Kind::Quiet, .number = 0, .turns = 1});
  EXPECT_EQ(led.last(1).kind, Kind::Begun);
  led.hear(1, {.kind = Kind::Quiet, .number = 0, .turns = 5});
  ASSERT_EQ(led.last(1).kind, Kind::Ask);
  for (int wave = 0; wave < 2; ++wave) {
    const uint64_t number = led.last(0).number;
    led.hear(0, {.kind = Kind::Answer, .number = number, .turns = 1, .quiet = true});
    EXPECT_EQ(led.last(1).number, number);
    led.hear(1, {.kind = Kind::Answer, .number = number, .turns = 5, .quiet = true});
  }
  ASSERT_EQ(led.last(1).kind, Kind::Tell);
  const uint64_t number = led.last(0).number;
  led.hear(0, {.kind = Kind::Waits, .number = number, .waits = {{{.rank = 0}}}});
  led.hear(1, {.kind = Kind::Waits, .number = number, .waits = {{{.rank = 2}, {.rank = 3}}}});
  ASSERT_EQ(led.last(0).kind, Kind::Stop);
  EXPECT_EQ(led.last(1).failure->cause, runtime::Cause::Deadlock);
  EXPECT_EQ(led.last(1).failure->blocked.size(), 3u);
}

// Processes that compute, come to rest, wake others and send them messages, whose messages and the leader's
// take a random time. Some end, and handle messages nevertheless. The leader finds out when all are at rest
// for good, and never says so before.
TEST(Leader, RandomRunsEndInADeadlockAndNeverBefore) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto count = static_cast<int32_t>(2 + random() % 4);
    Led led(count);
    led.begin_all();
    struct Process {
      uint64_t turns = 0;  // odd: at rest
      bool ended = false;
      uint64_t sent = 0, handled = 0;
      uint64_t said = 0;
      bool woken = false;  // its bell was rung, and it has not looked yet
      size_t heard = 1;    // of what the leader sent it
      std::deque<Message> said_messages{};
      bool at_rest() const { return turns % 2 != 0; }
      uint64_t all_turns() const { return turns + 2 * (sent + handled); }
    };
    std::vector<int32_t> under_way;  // where each is sent
    auto send = [&](Process& from) {
      ++from.sent;
      under_way.push_back(static_cast<int32_t>(random() % count));
    };
    std::vector<Process> processes(count);
    int wakes_left = static_cast<int>(random() % 40);
    auto over = [&] {
      return std::all_of(processes.begin(), processes.end(),
                         [](const Process& p) { return p.ended || (p.at_rest() && !p.woken); }) &&
             under_way.empty();
    };
    bool found = false;
    for (int step = 0; step < 100'000 && !found; ++step) {
      const auto number = static_cast<int32_t>(random() % count);
      Process& process = processes[number];
      switch (random() % 6) {
        case 0:  // runs: wakes another, sends it a message, ends, or comes to rest
          if (process.at_rest()) break;
          if (wakes_left > 0 && random() % 2 == 0) {
            --wakes_left;
            if (random() % 2 == 0) {
              processes[random() % count].woken = true;
            } else {
              send(process);
            }
          } else if (number != 0 && random() % 8 == 0) {  // not all of them
            process.ended = true;
            process.turns |= 1;
            process.woken = false;
            process.said_messages.push_back({.kind = Kind::Ended, .number = 0});
          } else if (process.woken) {
            process.woken = false;
          } else {
            ++process.turns;
          }
          break;
        case 1:  // hears its bell
          if (process.ended || !process.at_rest() || !process.woken) break;
          process.woken = false;
          ++process.turns;
          break;
        case 2:  // says that it is quiet
          if (!process.at_rest() || (process.woken && !process.ended)) break;
          if (process.said == process.all_turns()) break;
          process.said = process.all_turns();
          process.said_messages.push_back({.kind = Kind::Quiet, .number = 0, .turns = process.said});
          break;
        case 3: {  // hears the leader
          if (process.heard >= led.sent[number].size()) break;
          const Message& message = led.sent[number][process.heard++];
          if (message.kind == Kind::Tell) {
            found = true;
            EXPECT_TRUE(over()) << "seed " << seed;
          }
          if (message.kind != Kind::Ask) break;
          process.said_messages.push_back({.kind = Kind::Answer,
                                           .number = message.number,
                                           .turns = process.all_turns(),
                                           .under_way = process.sent - process.handled,
                                           .quiet = process.ended || (process.at_rest() && !process.woken)});
          break;
        }
        case 4: {  // handles a message, which wakes it, is answered, or is only stored
          // Some are under way for longer than two waves take.
          if (under_way.empty() || random() % 64 != 0) break;
          const size_t which = random() % under_way.size();
          Process& to = processes[under_way[which]];
          under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
          const uint32_t effect = random() % 3;
          if (effect == 0) to.woken = true;
          if (effect == 1 && random() % 2 == 0) send(to);
          ++to.handled;
          break;
        }
        default:  // the leader hears it
          if (process.said_messages.empty()) break;
          led.hear(number, std::move(process.said_messages.front()));
          process.said_messages.pop_front();
      }
    }
    EXPECT_TRUE(found) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tilewire::processes
