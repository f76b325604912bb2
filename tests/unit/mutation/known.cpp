#include "known.h"

#include <string_view>

namespace tilewire::mutation {
namespace {

constexpr Known table[] = {
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

const Known* find_known(const Mutant& mutant) {
  for (const Known& known : table) {
    if (mutant.change == known.change && matches(mutant.where, known.where)) return &known;
  }
  return nullptr;
}

std::span<const Known> all_known() {
  return table;
}

}  // namespace tilewire::mutation
