// Which live tasks of a rank touch which bytes: what a new task has to wait for.
//
// Accesses are kept in three lists (writers, readers, and holders, which only keep storage alive), each
// sorted by address within classes of similar length, so that looking up an interval costs a binary search
// per class plus the accesses near it. Accesses of ended tasks are dropped when they are met, and all of them
// whenever a class has doubled. Used by the rank's submitter alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/box.h"
#include "runtime/task.h"

namespace tilewire::runtime {

class AccessIndex {
 public:
  enum class Role : uint8_t { Write, Read, Hold, Await };

  // Calls found(Task&) for every live task that a task with this access has to follow: writers of an
  // overlapping box, and its readers if it writes. A writer makes the accesses it covers superfluous (whoever
  // conflicts with them conflicts with it), so it must be added afterwards; Role::Await finds the same tasks
  // and changes nothing. Role::Hold finds every live task that touches the hull. Tasks of rounds independent
  // of `rounds` are passed over.
  template <class Found>
  void conflicts(const Box& box, Role role, const Rounds& rounds, Found found) {
    Hull hull = hull_of(box);
    if (hull.empty()) return;
    visit(writers_, box, hull, role, rounds, found);
    if (role != Role::Read) visit(readers_, box, hull, role, rounds, found);
    if (role == Role::Hold) visit(holders_, box, hull, role, rounds, found);
  }

  // `box` points into the words of `task`.
  void add(Task& task, const Box& box, Role role) {
    Hull hull = hull_of(box);
    if (!hull.empty()) insert(list(role), {hull.lo, hull.hi, &task, task.generation, box, hull.dense});
  }

  // The order of tasks that share something without bytes of its own, known by an address.
  template <class Found>
  void conflicts(const void* thing, bool exclusive, Found found) {
    Hull hull = hull_of_thing(thing);
    Role role = exclusive ? Role::Write : Role::Read;
    visit(writers_, {}, hull, role, {}, found);
    if (exclusive) visit(readers_, {}, hull, role, {}, found);
  }
  void add(Task& task, const void* thing, bool exclusive) {
    Hull hull = hull_of_thing(thing);
    insert(list(exclusive ? Role::Write : Role::Read), {hull.lo, hull.hi, &task, task.generation, {}, true});
  }

  void clear();
  size_t size() const;  // with those of ended tasks not met yet

 private:
  struct Access {
    uint64_t lo, hi;
    Task* task;
    uint32_t generation;
    Box box;  // words: null for a thing
    bool dense;

    bool live() const { return task->generation == generation && !task->ended(); }
  };

  struct Class {
    std::vector<Access> items;  // by `lo`
    size_t compact_at = 64;
  };
  struct List {
    std::array<Class, 64> classes;  // class k: lengths in [2^k, 2^(k+1))
    uint64_t used = 0;              // bit k: class k is not empty
  };

  static Hull hull_of_thing(const void* thing) {
    auto address = reinterpret_cast<uint64_t>(thing);
    return {address, address + 1, true};
  }
  static bool meet(const Access& access, const Box& box, const Hull& hull, Role role) {
    if (access.lo >= hull.hi || access.hi <= hull.lo) return false;
    return role == Role::Hold || (access.dense && hull.dense) || overlap(access.box, box);
  }
  static bool covers(const Access& access, const Box& box, const Hull& hull) {
    if (hull.dense && hull.lo <= access.lo && access.hi <= hull.hi) return true;
    return !hull.dense && !access.dense && access.lo == hull.lo && same(access.box, box);
  }

  template <class Found>
  static void visit(List& list, const Box& box, const Hull& hull, Role role, const Rounds& rounds,
                    Found found) {
    for (uint64_t rest = list.used; rest != 0; rest &= rest - 1) {
      int k = __builtin_ctzll(rest);
      std::vector<Access>& items = list.classes[k].items;
      uint64_t longest = k >= 63 ? ~uint64_t{0} : (uint64_t{2} << k) - 1;
      size_t at = first_at(items, hull.lo > longest ? hull.lo - longest : 0);
      size_t kept = at;
      for (; at < items.size() && items[at].lo < hull.hi; ++at) {
        bool keep = items[at].live();
        if (keep && meet(items[at], box, hull, role) && !rounds.independent(items[at].task->rounds)) {
          found(*items[at].task);
          // Whoever follows the covering task follows this one through it, unless it is independent of it.
          keep =
              role != Role::Write || !covers(items[at], box, hull) || !rounds.contain(items[at].task->rounds);
        }
        if (keep) {
          if (kept != at) items[kept] = items[at];
          ++kept;
        }
      }
      if (kept != at) items.erase(items.begin() + kept, items.begin() + at);
      if (items.empty()) list.used &= ~(uint64_t{1} << k);
    }
  }

  List& list(Role role) { return role == Role::Write ? writers_ : role == Role::Read ? readers_ : holders_; }
  static size_t first_at(const std::vector<Access>& items, uint64_t lo);
  static void insert(List& list, const Access& access);

  List writers_, readers_, holders_;
};

}  // namespace tilewire::runtime
