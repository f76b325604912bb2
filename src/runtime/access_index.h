// Indexes the arguments of a rank's live tasks: finds the tasks that a new one may have to wait for.
//
// The index only finds candidates; abi/task_order.h decides. Arguments are kept in lists (writers, readers,
// takers of windows, and holders, which only keep storage alive), each sorted by address within classes of
// similar length, so that looking up an interval costs a binary search per class plus the arguments near it.
// Those of ended tasks are dropped when they are met, and all of them whenever a class has doubled. Used by
// the rank's submitter only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "abi/task_order.h"
#include "runtime/box.h"
#include "runtime/task.h"

namespace tilewire::runtime {

class AccessIndex {
 public:
  // Calls found(Task&) for every live task that one with this argument follows by data order. `enters`: the
  // task is added afterwards; if it writes, the arguments it covers become superfluous, because whatever
  // conflicts with them conflicts with it.
  template <class Found>
  void by_data(const Box& box, const abi::Use& use, const abi::Rounds& rounds, bool enters, Found found) {
    const Hull hull = hull_of(box);
    if (hull.empty()) return;
    const bool writes = use.access & abi::Writes;
    auto decide = [&](const Access& access) {
      if (!abi::ordered_by_data(access.use, use) || rounds.independent(access.task->rounds)) return Keep::Yes;
      if (!meet(access, box, hull)) return Keep::Yes;
      found(*access.task);
      // What follows the covering task follows this one through it, unless it is independent of it.
      const bool superfluous = enters && writes && covers(access, box, hull);
      return superfluous && rounds.contain(access.task->rounds) ? Keep::No : Keep::Yes;
    };
    visit(writers_, hull, decide);
    if (writes) visit(readers_, hull, decide);
  }

  // The same for communication order. What follows a task in the order of a group follows one that
  // communicates after it, so what came before that is superfluous.
  template <class Found>
  void by_communication(const abi::Use& use, Found found) {
    const Hull hull = hull_of_group(use.group);
    const bool communicates = use.access & abi::Communicates;
    auto decide = [&](const Access& access) {
      if (!abi::ordered_by_communication(access.use, use)) return Keep::Yes;
      found(*access.task);
      return communicates ? Keep::No : Keep::Yes;
    };
    visit(communicators_, hull, decide);
    if (communicates) visit(takers_, hull, decide);
  }

  // Calls found(Task&) for every live task with an argument in the box, however it is used.
  template <class Found>
  void in_use(const Box& box, Found found) {
    const Hull hull = hull_of(box);
    if (hull.empty()) return;
    auto decide = [&](const Access& access) {
      if (access.lo < hull.hi && access.hi > hull.lo) found(*access.task);
      return Keep::Yes;
    };
    for (List* list : {&writers_, &readers_, &holders_}) visit(*list, hull, decide);
  }

  // Adds an argument. `box` points into the words of `task`. `holds`: also if nothing is ordered by
  // it, so that `in_use` finds it.
  void add(Task& task, const Box& box, const abi::Use& use, bool holds) {
    const Hull hull = hull_of(box);
    const bool data = use.tracked && (use.access & (abi::Reads | abi::Writes));
    if (!hull.empty() && (data || holds)) {
      List& list = !data ? holders_ : use.access & abi::Writes ? writers_ : readers_;
      insert(list, {hull.lo, hull.hi, &task, task.generation, box, hull.dense, use});
    }
    if (!abi::in_communication_order(use)) return;
    const Hull group = hull_of_group(use.group);
    List& list = use.access & abi::Communicates ? communicators_ : takers_;
    insert(list, {group.lo, group.hi, &task, task.generation, {}, true, use});
  }

  void clear();
  size_t size() const;  // with those of ended tasks not met yet

 private:
  struct Access {
    uint64_t lo, hi;
    Task* task;
    uint32_t generation;
    Box box;  // words: null for a group
    bool dense;
    abi::Use use;

    bool live() const { return task->generation == generation && !task->ended(); }
  };
  enum class Keep : uint8_t { No, Yes };

  struct Class {
    std::vector<Access> items;  // by `lo`
    size_t compact_at = 64;
  };
  struct List {
    std::array<Class, 64> classes;  // class k: lengths in [2^k, 2^(k+1))
    uint64_t used = 0;              // bit k: class k is not empty
  };

  static Hull hull_of_group(uintptr_t group) { return {group, group + 1, true}; }
  static bool meet(const Access& access, const Box& box, const Hull& hull) {
    if (access.lo >= hull.hi || access.hi <= hull.lo) return false;
    return (access.dense && hull.dense) || overlap(access.box, box);
  }
  static bool covers(const Access& access, const Box& box, const Hull& hull) {
    if (hull.dense && hull.lo <= access.lo && access.hi <= hull.hi) return true;
    return !hull.dense && !access.dense && access.lo == hull.lo && same(access.box, box);
  }

  // Calls `decide` for every live item near the hull.
  template <class Decide>
  static void visit(List& list, const Hull& hull, Decide decide) {
    for (uint64_t rest = list.used; rest != 0; rest &= rest - 1) {
      int k = __builtin_ctzll(rest);
      std::vector<Access>& items = list.classes[k].items;
      uint64_t longest = k >= 63 ? ~uint64_t{0} : (uint64_t{2} << k) - 1;
      size_t at = first_at(items, hull.lo > longest ? hull.lo - longest : 0);
      size_t kept = at;
      for (; at < items.size() && items[at].lo < hull.hi; ++at) {
        if (!items[at].live() || decide(items[at]) == Keep::No) continue;
        if (kept != at) items[kept] = items[at];
        ++kept;
      }
      if (kept != at) items.erase(items.begin() + kept, items.begin() + at);
      if (items.empty()) list.used &= ~(uint64_t{1} << k);
    }
  }

  static size_t first_at(const std::vector<Access>& items, uint64_t lo);
  void insert(List& list, const Access& access);
  std::array<List*, 5> lists() { return {&writers_, &readers_, &holders_, &communicators_, &takers_}; }

  // Since it was cleared. Every run clears the index of every rank, and the lists are far apart in memory.
  bool filled_ = false;
  List writers_, readers_, holders_, communicators_, takers_;
};

}  // namespace tilewire::runtime
