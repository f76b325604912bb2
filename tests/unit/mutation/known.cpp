#include "known.h"

#include <string_view>

namespace tilewire::mutation {
namespace {

// Of a barrier through the first ranks of hosts.
constexpr const char* hand_in_hand = "nobody arrives again before being let go, so the cell is 0 or 1";

// There a count may be in the cell as well.
constexpr const char* counts = "all_to_all_v";
constexpr const char* count_follows = "the count that follows satisfies the wait, too, and waits for nobody";

// In a ring, ranks next to each other signal through the same cells, and nobody gets far ahead of the others.
constexpr const char* ring_orders = "neighbours on the ring wait for each other as well";

constexpr Known table[] = {
    {"exactly", "pld.system.wait(*, [*first, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"more", "pld.system.wait(*, [*first, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [*first, 0], 1)", Fate::Either, ring_orders,
     "ring"},
    {"exactly", "pld.system.wait(*, [0, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"more", "pld.system.wait(*, [0, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [0, 0], 1)", Fate::Either, ring_orders,
     "ring"},
    {"exactly", "pld.system.wait(*, [block * ranks, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"more", "pld.system.wait(*, [block * ranks, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [block * ranks, 0], 1)", Fate::Either,
     ring_orders, "ring"},
    {"set", "pld.system.notify(*, first, [rank, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"set", "pld.system.notify(*, 0, [rank, 0], 1)", Fate::Either, ring_orders, "ring"},
    {"early", "for k in pl.range(1, each): before for leader in *", Fate::Either, ring_orders, "ring"},
    {"early", "if host == 0: before for k in pl.range(1, each):", Fate::Either, ring_orders, "ring"},
    {"exactly", "pld.system.wait(*, [block * ranks + rank, 0], *)", Fate::Equal,
     "blocks of a rank take turns: the cell never holds more than is waited for"},
    {"set", "pld.system.notify(*, rank, [j * ranks + rank, 0], 1)", Fate::Equal,
     "the cell is zero when its block is let go"},
    {"early", "* before pld.system.notify(*, rank, *, -*)", Fate::Equal,
     "credits may be taken at any time before the next wait for them"},
    {"early", "* before pld.system.notify(*, rank, *, pl.scalar.cast(-*", Fate::Equal,
     "credits may be taken at any time before the next wait for them"},
    {"early", "for k in pl.range(1, ranks): before pl.tensor.write(*, [rank], count)", Fate::Equal,
     "the own count is no concern of other ranks"},
    {"early", "* before pld.system.collective_effects(*", Fate::Equal, "nothing happens at a note"},
    {"always", "if hosts == 1:", Fate::Equal, "the form for one host is right on several, only slower"},
    {"never", "if hosts == 1:", Fate::Equal, "the form for several hosts is right on one"},
    {"never", "if 1 < hosts:", Fate::Equal, "the form for one host is right on several, only slower"},
    {"early", "if 0 < host: before if 0 < host:", Fate::Results,
     "the own row of a later segment takes the place of one that has not been added"},
    {"always", "if whole < to:", Fate::Equal, "the last chunk is empty then"},
    {"exactly", "pld.system.wait(*, [*member, 0], 1)", Fate::Equal, hand_in_hand},
    {"exactly", "pld.system.wait(*, [*leader, 0], 1)", Fate::Equal, hand_in_hand},
    {"exactly", "pld.system.wait(*, [*first, 0], 1)", Fate::Equal, hand_in_hand, "", counts},
    {"exactly", "pld.system.wait(*, [*of_first, 0], 1)", Fate::Equal,
     "neighbours on the first host go on when all hosts have the sums of all of them"},
    {"exactly", "pld.system.wait(*, [0, 0], 1)", Fate::Equal, hand_in_hand, "", counts},
    {"exactly", "pld.system.wait(*, [block * ranks, 0], 1)", Fate::Equal, hand_in_hand, "", counts},
    {"set", "pld.system.notify(*, member, [rank, 0], 1)", Fate::Equal, hand_in_hand},
    {"set", "pld.system.notify(*, first, [rank, 0], 1)", Fate::Equal, hand_in_hand, "", counts},
    {"set", "pld.system.notify(*, 0, [rank, 0], 1)", Fate::Equal, hand_in_hand, "", counts},
    {"more", "pld.system.wait(*, [*first, 0], 1)", Fate::Equal, count_follows, counts},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [*first, 0], 1)", Fate::Equal,
     count_follows, counts},
    {"more", "pld.system.wait(*, [0, 0], 1)", Fate::Equal, count_follows, counts},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [0, 0], 1)", Fate::Equal, count_follows,
     counts},
    {"more", "pld.system.wait(*, [block * ranks, 0], 1)", Fate::Equal, count_follows, counts},
    {"early", "pld.system.notify(*, -1) before pld.system.wait(*, [block * ranks, 0], 1)", Fate::Equal,
     count_follows, counts},
    {"early", "pld.system.notify_all(*) before for k in pl.range(1, each):", Fate::Equal,
     "the own host and the others are let go in any order"},
    {"early", "if receives == 0: before if 0 < host:", Fate::Equal,
     "neighbours and the host before are told in any order"},
    {"early", "for k in pl.range(1, each): before if 0 < host:", Fate::Equal,
     "neighbours and the host before are told in any order"},
    {"early", "if 0 < host: before for k in pl.range(1, each):", Fate::Equal,
     "neighbours and the host before are told in any order"},
    {"early", "if 0 < behind: before if 0 < host:", Fate::Equal,
     "the hosts before and behind are waited for, and told, in any order"},
    {"drop", "pl.tensor.release(kept)", Fate::Equal, "the kernel gives it back when it ends"},
    {"early", "pl.tensor.release(kept) before *", Fate::Equal, "nothing reads it any more"},
    {"always", "if whole < stop:", Fate::Equal, "the last chunk is empty then"},
    {"never", "if ranks == *:", Fate::Equal, "the code for any number of ranks does the same"},
    {"weaken", "seen = pld.system.wait(*, 2)", Fate::Equal, "a count adds at least 2"},
    {"twice", "pld.system.notify(*, pl.scalar.cast((count + 1) * 2, target_type=pl.INT32))", Fate::Results,
     "another count, which the receiver takes as it is"},
};

bool matches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*') {
    return !text.empty() && text[0] == pattern[0] && matches(text.substr(1), pattern.substr(1));
  }
  for (size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(text.substr(skipped), pattern.substr(1))) return true;
  }
  return false;
}

}  // namespace

const Known* find_known(const Mutant& mutant, std::string_view program) {
  for (const Known& known : table) {
    const bool about = program.starts_with(known.only) && !program.starts_with(known.except);
    if (about && mutant.change == known.change && matches(mutant.where, known.where)) return &known;
  }
  return nullptr;
}

std::span<const Known> all_known() {
  return table;
}

}  // namespace tilewire::mutation
