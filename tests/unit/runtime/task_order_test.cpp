// The rule of what orders two tasks, and that the index of the runtime finds exactly what the rule says.
#include "abi/task_order.h"

#include <gtest/gtest.h>

#include <bitset>
#include <deque>
#include <random>

#include "program.h"
#include "runtime/task_order.h"

namespace tilewire::runtime {
namespace {

constexpr uint8_t none = 0, reads = abi::Reads, writes = abi::Writes, both = abi::Reads | abi::Writes,
                  talks = abi::Communicates, adds = abi::Reads | abi::Writes | abi::Atomic;

struct Case {
  const char* what;
  abi::Use earlier, later;
  bool by_data, by_communication;
};

// One row per sentence of "Order and visibility" in the semantics.
constexpr Case cases[] = {
    {"read after write", {writes}, {reads}, true, false},
    {"write after read", {reads}, {writes}, true, false},
    {"write after write", {writes}, {writes}, true, false},
    {"read after read", {reads}, {reads}, false, false},
    {"an atomic update is a write", {adds}, {adds}, true, false},
    {"an argument that is not used", {none}, {writes}, false, false},
    {"no_dep of the earlier", {writes, false}, {both}, false, false},
    {"no_dep of the later", {both}, {writes, false}, false, false},
    {"signal cells make no data edges", {talks, true, true, 1}, {writes, true, true, 1}, false, true},
    {"both communicate", {talks, true, true, 1}, {talks, true, true, 1}, false, true},
    {"takes a window after one that communicates",
     {talks, true, true, 1},
     {none, true, true, 1},
     false,
     true},
    {"communicates after one that takes a window",
     {none, true, true, 1},
     {talks, true, true, 1},
     false,
     true},
    {"both only take windows", {reads, true, true, 1}, {none, true, true, 1}, false, false},
    {"other groups", {talks, true, true, 1}, {talks, true, true, 2}, false, false},
    {"a plain tensor that is no window", {talks, true, true, 1}, {reads}, false, false},
    {"no_dep lifts communication order", {talks, false, true, 1}, {talks, true, true, 1}, false, false},
    {"ordered=False of the earlier", {talks, true, false, 1}, {talks, true, true, 1}, false, false},
    {"ordered=False of the later", {talks, true, true, 1}, {talks, true, false, 1}, false, false},
    {"ordered=False keeps data order", {both, true, false, 1}, {writes, true, true, 1}, true, false},
};

TEST(TaskOrderRule, HasARowPerSentence) {
  for (const Case& c : cases) {
    EXPECT_EQ(abi::ordered_by_data(c.earlier, c.later), c.by_data) << c.what;
    EXPECT_EQ(abi::ordered_by_communication(c.earlier, c.later), c.by_communication) << c.what;
  }
}

struct Argument {
  abi::Use use;
  int64_t begin = 0, end = 0;
};
struct Submitted {
  abi::Rounds rounds;
  std::vector<Argument> arguments;
};
bool share_bytes(const Argument& a, const Argument& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

TEST(TaskOrderRule, RoundsLiftDataOrderOnly) {
  abi::CurrentRounds rounds;
  rounds.step(abi::ParallelStep::Enter);
  rounds.step(abi::ParallelStep::Round);
  const abi::Rounds first = rounds;
  rounds.step(abi::ParallelStep::Round);
  const abi::Rounds second = rounds;
  rounds.step(abi::ParallelStep::Leave);
  const abi::Rounds after = rounds;
  const Argument data{{writes}, 0, 8}, window{{talks, true, true, 1}, 0, 8};
  EXPECT_FALSE(abi::must_follow(Submitted{second, {data}}, Submitted{first, {data}}, share_bytes));
  EXPECT_TRUE(abi::must_follow(Submitted{first, {data}}, Submitted{first, {data}}, share_bytes));
  EXPECT_TRUE(abi::must_follow(Submitted{after, {data}}, Submitted{first, {data}}, share_bytes));
  EXPECT_TRUE(abi::must_follow(Submitted{second, {window}}, Submitted{first, {window}}, share_bytes));
}

TEST(TaskOrderRule, ManualScopesLiftDataOrderInside) {
  abi::CurrentRounds rounds;
  auto step = [&](abi::ParallelStep what) {
    rounds.step(what);
    return static_cast<abi::Rounds>(rounds);
  };
  const abi::Rounds before = rounds;
  const abi::Rounds outer = step(abi::ParallelStep::EnterManual);
  const abi::Rounds inner = step(abi::ParallelStep::EnterManual);
  step(abi::ParallelStep::LeaveManual);
  step(abi::ParallelStep::Enter);
  const abi::Rounds round = step(abi::ParallelStep::Round);
  step(abi::ParallelStep::Leave);
  const abi::Rounds after = step(abi::ParallelStep::LeaveManual);
  const abi::Rounds next = step(abi::ParallelStep::EnterManual);  // another entry
  const Argument data{{writes}, 0, 8}, window{{talks, true, true, 1}, 0, 8};
  auto ordered = [&](const abi::Rounds& earlier, const abi::Rounds& later, const Argument& argument) {
    return abi::must_follow(Submitted{later, {argument}}, Submitted{earlier, {argument}}, share_bytes);
  };
  for (const abi::Rounds& a : {outer, inner, round}) {
    for (const abi::Rounds& b : {outer, inner, round}) {
      EXPECT_FALSE(ordered(a, b, data));
      EXPECT_TRUE(ordered(a, b, window));
    }
    for (const abi::Rounds& b : {before, after, next}) {
      EXPECT_TRUE(ordered(a, b, data));
      EXPECT_TRUE(ordered(b, a, data));
      EXPECT_FALSE(a.contain(b));
    }
  }
  EXPECT_TRUE(before.contain(outer));
}

// Random launches: what the index finds, closed under "follows", is what the rule says of all pairs, closed.
class RandomLaunches {
 public:
  static constexpr size_t count = 40;
  using Row = std::bitset<count>;

  explicit RandomLaunches(uint32_t seed) : random_(seed) {
    GroupLayout layout{.devices = {}, .bytes = 256, .slots = {{"w", 0, 256}}};
    windows_ = Windows::make(1, {layout, layout});
    order_.begin(windows_.get(), 0);
    for (size_t g = 0; g < 2; ++g) {
      base_[g] = reinterpret_cast<int64_t>(windows_->data(g, 0, 0));
      groups_[g] = reinterpret_cast<uintptr_t>(windows_->group(g, 0));
    }
  }

  void submit(size_t i) {
    move_rounds();
    Submitted& mine = submitted_.emplace_back();
    mine.rounds = rounds_;
    const bool ordered = !one_in(4);
    std::vector<abi::Param>& params = params_.emplace_back();
    std::vector<Word>& words = words_.emplace_back();
    uint64_t untracked = 0;
    const int arguments = static_cast<int>(random_() % 3) + 1;
    for (int k = 0; k < arguments; ++k) {
      const size_t where = random_() % 3;  // memory that is no window, or a window of a group
      const int64_t base = where == 2 ? reinterpret_cast<int64_t>(plain_) : base_[where];
      const bool as_window = where < 2 && one_in(2);
      constexpr uint8_t kinds[] = {none, reads, reads, writes, both, adds};
      uint8_t access = kinds[random_() % 6];
      if (as_window && one_in(3)) access |= talks;
      const int64_t at = base + static_cast<int64_t>(random_() % 6) * 4, extent = random_() % 4;
      params.push_back(as_window ? window_param(access) : tensor(access));
      words.insert(words.end(), {static_cast<Word>(at), static_cast<Word>(extent), 1});
      if (as_window) words.push_back(reinterpret_cast<Word>(windows_->window(where, 0, 0)));
      const bool tracked = !one_in(6);
      if (!tracked) untracked |= uint64_t{1} << k;
      mine.arguments.push_back(
          {{access, tracked, ordered, where == 2 ? 0 : groups_[where]}, at, at + 4 * extent});
    }
    functions_.push_back(
        {"k", nullptr, params.data(), nullptr, static_cast<uint32_t>(params.size()), 0, 0, 0, 0});
    abi::Launch launch{
        &functions_.back(), words.data(), nullptr, &untracked, 1, 0, ordered ? 0u : abi::Unordered, 0, 0};
    Row found;
    order_.predecessors(launch, rounds_, [&](Task& task) { found.set(static_cast<size_t>(task.site)); });
    tasks_[i].reset(TaskKind::Kernel);
    tasks_[i].site = static_cast<uint32_t>(i);
    tasks_[i].rounds = rounds_;
    tasks_[i].copy_args(words.data(), static_cast<uint32_t>(words.size()));
    order_.enter(tasks_[i], launch, true);
    Row wanted;
    for (size_t k = 0; k < i; ++k) {
      if (abi::must_follow(submitted_[i], submitted_[k], share_bytes)) wanted.set(k);
    }
    EXPECT_EQ(found & ~wanted, Row()) << "an edge that the rule does not know";
    found_[i] = closed(found, found_);
    wanted_[i] = closed(wanted, wanted_);
    EXPECT_EQ(found_[i], wanted_[i]) << "task " << i << describe();
  }

 private:
  bool one_in(uint32_t n) { return random_() % n == 0; }
  void move_rounds() {
    if (scopes_ < 2 && one_in(8)) {
      rounds_.step(abi::ParallelStep::EnterManual);
      ++scopes_;
    } else if (scopes_ > 0 && one_in(4)) {
      rounds_.step(abi::ParallelStep::LeaveManual);
      --scopes_;
    } else if (depth_ < 2 && one_in(6)) {
      rounds_.step(abi::ParallelStep::Enter);
      rounds_.step(abi::ParallelStep::Round);
      ++depth_;
    } else if (depth_ > 0 && one_in(2)) {
      rounds_.step(abi::ParallelStep::Round);
    } else if (depth_ > 0 && one_in(4)) {
      rounds_.step(abi::ParallelStep::Leave);
      --depth_;
    }
  }
  std::string describe() const {
    std::string text;
    for (const Submitted& task : submitted_) {
      text += "\n ";
      for (const Argument& a : task.arguments) {
        text += " [" + std::to_string(a.begin % 65536) + ", " + std::to_string(a.end % 65536) + ") access " +
                std::to_string(a.use.access) + (a.use.tracked ? "" : " no_dep") +
                (a.use.ordered ? "" : " unordered") + " group " + std::to_string(a.use.group % 65536);
      }
    }
    return text;
  }
  static Row closed(Row row, const Row* rows) {
    for (size_t k = 0; k < count; ++k) {
      if (row[k]) row |= rows[k];
    }
    return row;
  }

  std::mt19937 random_;
  std::unique_ptr<Windows> windows_;
  TaskOrder order_;
  abi::CurrentRounds rounds_;
  int depth_ = 0, scopes_ = 0;
  float plain_[16];
  int64_t base_[2];
  uintptr_t groups_[2];
  std::deque<std::vector<abi::Param>> params_;
  std::deque<std::vector<Word>> words_;
  std::deque<abi::Function> functions_;
  std::vector<Submitted> submitted_;
  Task tasks_[count];
  Row found_[count], wanted_[count];
};

TEST(TaskOrder, TheIndexFindsWhatTheRuleSays) {
  for (uint32_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomLaunches launches(seed);
    for (size_t i = 0; i < RandomLaunches::count; ++i) launches.submit(i);
  }
}

}  // namespace
}  // namespace tilewire::runtime
