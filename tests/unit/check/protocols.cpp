#include "protocols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "frontend/frontend.h"

namespace tilewire::check::test {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Protocol make() {
    ranks_ = 2 + pick(2);
    cells_ = 1 + pick(2);
    rounds_.assign(static_cast<size_t>(ranks_ * ranks_), 0);
    style_ = pick(9);
    std::vector<std::vector<std::string>> statements(static_cast<size_t>(ranks_));
    const std::string indent = "            ";
    for (int rank = 0; rank < ranks_; ++rank) {
      const int count = 2 + pick(ranks_ == 2 ? 4 : 3);
      for (int i = 0; i < count; ++i)
        statements[static_cast<size_t>(rank)].push_back(statement(rank, indent));
    }
    // Most waits get a notify somewhere, or nearly every protocol would deadlock at once.
    for (const auto& [rank, cell] : awaited_) {
      if (chance(15)) continue;
      auto& there = statements[static_cast<size_t>((rank + 1 + pick(ranks_ - 1)) % ranks_)];
      const auto at = static_cast<ptrdiff_t>(pick(static_cast<int>(there.size()) / 2 + 1));
      there.insert(there.begin() + at,
                   indent + "pld.system.notify(s, " + std::to_string(rank) + ", " + cell + ", 1)\n");
    }
    std::string body;
    for (int rank = 0; rank < ranks_; ++rank) {
      body += "        if me == " + std::to_string(rank) + ":\n";
      for (const std::string& line : statements[static_cast<size_t>(rank)]) body += line;
    }
    std::string text = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[2], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        t = pl.full([1, 1], dtype=pl.FP32, value=1.0)
)" + body + R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([2], dtype=pl.FP32)
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.k(w, s, device=r)
)";
    return {text, ranks_, has_};
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  bool chance(int percent) { return pick(100) < percent; }
  std::string peer(int rank) {
    int other = pick(ranks_);
    return std::to_string(chance(80) && other == rank ? (rank + 1) % ranks_ : other);
  }

  // Styles: 0 monotone, 1 credits, 2 sets and comparisons of all kinds, 3 with tests, 4 with values that are
  // seen and used, 5 rounds that one rank sets, 6 with polls, 7 and 8 with updates that return what was
  // there.
  std::string statement(int rank, const std::string& indent) {
    const int what = pick(10);
    const std::string element = std::to_string(pick(2)), cell = "[" + std::to_string(pick(cells_)) + ", 0]";
    if (what < 1) return indent + "w = pl.store(t, [" + element + "], w)\n";
    if (what < 2) return indent + "pld.tile.remote_store(t, w, " + peer(rank) + ", [" + element + "])\n";
    if (what < 4) return indent + "u = pld.tile.remote_load(w, " + peer(rank) + ", [" + element + "], [1])\n";
    if (style_ == 5) return indent + round(rank, what < 7);
    if (what < 7 && ranks_ == 3 && chance(15)) {
      has_.insert("all");
      return indent + "pld.system.notify_all(s, 1)\n";
    }
    if (what < 7) return indent + notify(rank, cell);
    if (style_ == 3 && what < 8) {
      return indent + "if pld.system.test(s, " + cell + ", " + condition("test") + "):\n" + indent + "    " +
             (chance(50) ? notify(rank, cell) : "w = pl.store(t, [" + element + "], w)\n");
    }
    if (style_ == 4 && chance(60)) return value(rank, cell, element, indent);
    if (style_ == 6 && chance(60)) return poll(rank, cell, element, indent);
    if (style_ >= 7 && chance(75)) return update(rank, cell, element, indent);
    awaited_.emplace_back(rank, cell);
    if (style_ == 1 && chance(50)) {
      has_.insert("take");
      return indent + "pld.system.wait(s, " + cell + ", 1)\n" + indent + "pld.system.notify(s, " +
             std::to_string(rank) + ", " + cell + ", -1)\n";
    }
    return indent + "pld.system.wait(s, " + cell + ", " + condition("wait") + ")\n";
  }

  // What a wait, or a look, has seen decides a write, an address or what others are told.
  std::string value(int rank, const std::string& cell, const std::string& element,
                    const std::string& indent) {
    const std::string name = "v" + std::to_string(names_++);
    has_.insert("value");
    std::string text;
    if (chance(30)) {
      has_.insert("read");
      text = indent + name + " = pl.read(s, " + cell + ")\n";
    } else {
      awaited_.emplace_back(rank, cell);
      text = indent + name + " = pld.system.wait(s, " + cell + ", " + condition("wait") + ")\n";
    }
    switch (pick(4)) {
      case 0:
        return text + indent + "if " + name + (chance(50) ? " > 1" : " // 2 == 0") + ":\n" + indent +
               "    w = pl.store(t, [" + element + "], w)\n";
      case 1:
        return text + indent + "u" + name + " = pl.load(w, [" + name + " % 2], [1])\n";
      case 2:
        return text + indent + "pld.system.notify(s, " + peer(rank) + ", " + cell + ", " + name +
               " // 2 + 1)\n";
      default:
        return text + indent + "pld.system.notify(s, " + peer(rank) + ", " + cell + ", " + name + ")\n";
    }
  }

  // Questions that are asked again: until they are answered, a number of times, or in other words.
  std::string poll(int rank, const std::string& cell, const std::string& element, const std::string& indent) {
    const std::string name = "p" + std::to_string(names_++), in = indent + "    ";
    const std::string test = "pld.system.test(s, " + cell + ", ";
    awaited_.emplace_back(rank, cell);
    switch (pick(9)) {
      case 6: {  // the same question, mostly: a test that is a wait
        has_.insert("test or wait");
        const std::string asked = condition("wait");
        return indent + "if not pld.system.test(s, " + cell + ", " + asked + "):\n" + in +
               "pld.system.wait(s, " + cell + ", " + (chance(80) ? asked : condition("wait")) + ")\n" +
               (chance(20) ? in + "w = pl.store(t, [" + element + "], w)\n" : "");
      }
      case 7:
        has_.insert("bare poll");
        return indent + "while not pld.system.test(s, " + cell + ", " + condition("wait") + "):\n" + in +
               "pass\n";
      case 8: {  // either way it goes on in the same place, but not always with the same values
        has_.insert("answer kept");
        const std::string asked = "s, " + cell + ", 1)";
        return indent + name + " = pld.system.test(" + asked + "\n" + indent + "if " + name + ":\n" + in +
               (chance(50) ? "me = me + 0\n" : "u" + name + " = pl.load(w, [" + element + "], [1])\n") +
               indent + "else:\n" + in + "pld.system.wait(" + asked + "\n" + indent +
               (chance(50) ? "if " + name + ":\n" + in : "") + "w = pl.store(t, [" + element + "], w)\n";
      }
      case 0:
        has_.insert("poll test");
        return indent + "while not pld.system.test(s, " + cell + ", " + condition("test") + "):\n" + in +
               "me = me + 0\n";
      case 1:
        has_.insert("poll read");
        return indent + name + " = pl.const(0, pl.INT32)\n" + indent + "while " + name + " < 1:\n" + in +
               name + " = pl.read(s, " + cell + ")\n";
      case 2: {  // two cells, in either order
        has_.insert("poll two");
        const std::string other = "[" + std::to_string(pick(cells_)) + ", 0]";
        return indent + name + " = pl.const(0, pl.INT32)\n" + indent + "while " + name + " < 1:\n" + in +
               name + " = pl.read(s, " + cell + ") + pl.read(s, " + other + ")\n";
      }
      case 3:
        has_.insert("poll writes");
        return indent + "while not " + test + "1):\n" + in + "w = pl.store(t, [" + element + "], w)\n" + in +
               "pld.system.wait(s, " + cell + ", 1)\n";
      case 4:
        has_.insert("tries");
        return indent + name + " = pl.const(0, pl.INT32)\n" + indent + "for i in pl.range(2):\n" + in +
               "if " + name + " == 0:\n" + in + "    if " + test + "1):\n" + in + "        " + name + " = " +
               name + " + 1\n" + indent + "if " + name + " == 0:\n" + in + "w = pl.store(t, [" + element +
               "], w)\n";
      default:
        has_.insert("two questions");
        return indent + "if not pld.system.test(s, " + cell + ", " + condition("test") + "):\n" + in +
               "if pld.system.test(s, " + cell + ", " + condition("test") + "):\n" + in +
               "    w = pl.store(t, [" + element + "], w)\n";
    }
  }

  // Atomic updates: whose result is used or not, that try once, or again and again.
  std::string update(int rank, const std::string& cell, const std::string& element,
                     const std::string& indent) {
    const std::string name = "a" + std::to_string(names_++), in = indent + "    ";
    const bool own = chance(30);
    const std::string there = style_ == 8 ? "0" : peer(rank);
    auto add = [&](int amount) {
      const std::string value = std::to_string(amount);
      return own ? "pl.atomic_add(s, " + cell + ", " + value + ")"
                 : "pld.system.fetch_add(s, " + there + ", " + cell + ", " + value + ")";
    };
    auto replace = [&](int from, int to) {
      const std::string values = std::to_string(from) + ", " + std::to_string(to) + ")";
      return own ? "pl.atomic_cas(s, " + cell + ", " + values
                 : "pld.system.compare_exchange(s, " + there + ", " + cell + ", " + values;
    };
    const std::string act = chance(60) ? "w = pl.store(t, [" + element + "], w)\n"
                                       : "u" + name + " = pl.load(w, [" + element + "], [1])\n";
    switch (pick(7)) {
      case 0:
        has_.insert("fetch unused");
        return indent + add(1) + "\n";
      case 1:
        has_.insert("fetch");
        return indent + name + " = " + add(1) + "\n" + indent + "if " + name +
               (chance(50) ? " == 0:\n" : " > 0:\n") + in + act;
      case 2:
        has_.insert("compare");
        return indent + name + " = " + replace(pick(2), 1 + pick(2)) + "\n" + indent + "if " + name +
               (chance(70) ? " == 0:\n" : " == 1:\n") + in + act;
      case 3: {  // a lock, most often
        has_.insert("lock");
        const std::string free = chance(40) ? replace(1, 0) + "\n"
                                 : chance(50)
                                     ? add(-1) + "\n"
                                     : "pld.system.notify(s, " + (own ? std::to_string(rank) : there) + ", " +
                                           cell + ", 0, op=\"set\")\n";
        return indent + "while " + replace(0, 1) + " != 0:\n" + in + "pass\n" + indent + act +
               (chance(85) ? indent + free : "");
      }
      case 4:
        has_.insert("spin");
        awaited_.emplace_back(own ? rank : std::stoi(there), cell);
        return indent + "while " + replace(1, 2) + " != 1:\n" + in + "pass\n" + indent + act;
      case 5:
        has_.insert("fetch zero");
        awaited_.emplace_back(own ? rank : std::stoi(there), cell);
        return indent + "while " + add(0) + " < 1:\n" + in + "pass\n" + indent + act;
      default:
        has_.insert("fetch told");
        return indent + name + " = " + add(1) + "\n" + indent + "pld.system.notify(s, " + peer(rank) + ", " +
               cell + ", " + name + ")\n";
    }
  }

  // Cell `rank` of a peer holds how often this rank has told it to go on.
  std::string round(int rank, bool tells) {
    const int other = (rank + 1 + pick(ranks_ - 1)) % ranks_;
    auto& told = rounds_[static_cast<size_t>(tells ? rank * ranks_ + other : other * ranks_ + rank)];
    if (tells) {
      has_.insert("set");
      told += chance(90) ? 1 : -1;
      return "pld.system.notify(s, " + std::to_string(other) + ", [" + std::to_string(rank) + ", 0], " +
             std::to_string(told) + ", op=\"set\")\n";
    }
    has_.insert("wait ge");
    return "pld.system.wait(s, [" + std::to_string(other) + ", 0], " +
           std::to_string(chance(80) ? std::max(1, told) : 1 + pick(2)) + ")\n";
  }

  std::string notify(int rank, const std::string& cell) {
    std::string value = std::to_string(chance(80) ? 1 : style_ == 2 ? pick(4) - 1 : pick(3));
    const bool sets = (style_ == 2 || style_ == 3) && chance(30);
    has_.insert(sets ? "set" : "add");
    return "pld.system.notify(s, " + peer(rank) + ", " + cell + ", " + value + (sets ? ", op=\"set\"" : "") +
           ")\n";
  }

  std::string condition(const char* of) {
    static constexpr const char* all[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    const bool plain = style_ < 2 || style_ == 4;
    std::string value = std::to_string(chance(plain ? 75 : 70) ? 1 : pick(3));
    const bool test = std::string_view(of) == "test";
    const std::string cmp = plain || chance(test ? 15 : 50) ? "ge" : all[pick(6)];
    has_.insert(std::string(of) + " " + cmp);
    return plain ? value : value + ", cmp=\"" + cmp + "\"";
  }

  std::mt19937_64 random_;
  int ranks_ = 2, cells_ = 1, style_ = 0, names_ = 0;
  std::vector<int> rounds_;
  std::set<std::string> has_;
  std::vector<std::pair<int, std::string>> awaited_;
};

}  // namespace

std::string ranked(const std::string& body) {
  std::string program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        t = pl.full([1, 4], dtype=pl.FP32, value=1.0)
)";
  std::string line;
  for (char c : body + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    program += "        " + line + "\n";
    line.clear();
  }
  return program + R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([4], dtype=pl.FP32)
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.k(w, s, device=r)
)";
}

Protocol make_protocol(uint64_t seed) {
  return Generator(seed).make();
}

ir::ProgramRef read(const std::string& text) {
  Diagnostics diags;
  auto file = frontend::make_source(
      "test.py", "import tilewire.language as pl\nimport tilewire.language.distributed as pld\n" + text);
  ir::ProgramRef program = frontend::read_program(file, {}, diags);
  if (!program) ADD_FAILURE() << diags.text() << text;
  return program;
}

}  // namespace tilewire::check::test
