#include "support/ref.h"

#include <gtest/gtest.h>

#include <thread>
#include <unordered_set>
#include <vector>

namespace tilewire {
namespace {

struct Counted : RefCounted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  Counted(const Counted& other) : RefCounted(other), alive(other.alive) { ++alive; }
  ~Counted() override { --alive; }
  int& alive;
};
struct Derived final : Counted {
  using Counted::Counted;
};

TEST(Ref, DestroysWithTheLastReference) {
  int alive = 0;
  {
    Ref<Counted> first(new Counted(alive));
    Ref<const Counted> second = first;
    first = nullptr;
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(first);
    EXPECT_TRUE(second);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ref, MoveLeavesTheSourceEmptyAndCountsNothing) {
  int alive = 0;
  Ref<Derived> derived(new Derived(alive));
  Derived* object = derived.get();
  Ref<Counted> base = std::move(derived);
  EXPECT_EQ(derived.get(), nullptr);
  EXPECT_EQ(base.get(), object);
  base = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(Ref, AssignmentToItselfKeepsTheObject) {
  int alive = 0;
  Ref<Counted> ref(new Counted(alive));
  Ref<Counted>& same = ref;
  ref = same;
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(ref);
}

TEST(Ref, ACopiedObjectStartsWithItsOwnCount) {
  int alive = 0;
  Ref<Counted> original(new Counted(alive));
  Ref<Counted> again = original;
  Ref<Counted> copy(new Counted(*original));
  EXPECT_EQ(alive, 2);
  copy = nullptr;
  EXPECT_EQ(alive, 1);
  original = nullptr;
  EXPECT_EQ(alive, 1);
  again = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(Ref, ComparesAndHashesByIdentity) {
  int alive = 0;
  Ref<Counted> a(new Counted(alive)), b(new Counted(alive));
  Ref<const Counted> same = a;
  EXPECT_EQ(a, same);
  EXPECT_NE(a, b);
  EXPECT_EQ(Ref<Counted>(), nullptr);
  std::unordered_set<Ref<Counted>> set{a, b, a};
  EXPECT_EQ(set.size(), 2u);
}

TEST(Ref, CountsAreRightWhenManyThreadsShareAnObject) {
  int alive = 0;
  Ref<const Counted> shared(new Counted(alive));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([shared] {
      for (int i = 0; i < 20000; ++i) Ref<const Counted> copy = shared;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alive, 1);
  shared = nullptr;
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace tilewire
