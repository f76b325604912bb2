// Every built-in collective is proved, called once and three times back to back with its result read and its
// operand written in between: for all dtypes, ways to combine and modes, at all numbers of ranks up to 8 on
// all numbers of hosts that divide them, sums and barriers also at 16 and 32. A part of that in every run,
// all of it with TILEWIRE_COLLECTIVES=all.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check/check.h"
#include "passes/pipeline.h"
#include "protocols.h"
#include "target/cpu/traits.h"

namespace tilewire::check::test {
namespace {

bool everything() {
  const char* asked = std::getenv("TILEWIRE_COLLECTIVES");
  return asked && std::string(asked) == "all";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// `call` rebinds `operand` or reads it; `result` is what it gives.
struct Case {
  std::string call, operand, result;
  std::string dtype = "FP32";
  int columns = 5;

  std::string text(int calls) const {
    std::string program = R"(
NR = pl.dynamic("NR")

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self,
        w: pl.InOut[pld.DistributedTensor[[3, COLUMNS], pl.DTYPE]],
        wide: pl.InOut[pld.DistributedTensor[[NR * 3, COLUMNS], pl.DTYPE]],
        other: pl.InOut[pld.DistributedTensor[[NR * 3, COLUMNS], pl.DTYPE]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sent: pl.InOut[pl.Tensor[[NR], pl.INT32]],
        received: pl.InOut[pl.Tensor[[NR], pl.INT32]],
        y: pl.InOut[pl.Tensor[[3, COLUMNS], pl.DTYPE]],
    ):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        for p in pl.range(n):
            sent = pl.write(sent, [p], pl.cast((me + p) % 4, pl.INT32))
            wide = pl.store(pl.full([3, COLUMNS], dtype=pl.DTYPE, value=ONE), [p * 3, 0], wide)
            other = pl.store(pl.full([3, COLUMNS], dtype=pl.DTYPE, value=ONE), [p * 3, 0], other)
        w = pl.store(pl.full([3, COLUMNS], dtype=pl.DTYPE, value=ONE), [0, 0], w)
        for i in pl.range(CALLS):
            CALL
            for p in pl.range(ROWS):
                y = pl.store(pl.load(RESULT, [p * 3, 0], [3, COLUMNS]), [0, 0], y)
            OPERAND = pl.store(pl.load(y, [0, 0], [3, COLUMNS]), [0, 0], OPERAND)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        w: pl.InOut[pld.DistributedTensor[[3, COLUMNS], pl.DTYPE]],
        wide: pl.InOut[pld.DistributedTensor[[NR * 3, COLUMNS], pl.DTYPE]],
        other: pl.InOut[pld.DistributedTensor[[NR * 3, COLUMNS], pl.DTYPE]],
        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ):
        n = pld.nranks(pld.get_comm_ctx(w))
        sent = pl.create_tensor([n], dtype=pl.INT32)
        received = pl.create_tensor([n], dtype=pl.INT32)
        y = pl.create_tensor([3, COLUMNS], dtype=pl.DTYPE)
        self.k(w, wide, other, s, sent, received, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        n = pld.world_size()
        w = pld.alloc_window([3, COLUMNS], dtype=pl.DTYPE)
        wide = pld.alloc_window([n * 3, COLUMNS], dtype=pl.DTYPE)
        other = pld.alloc_window([n * 3, COLUMNS], dtype=pl.DTYPE)
        s = pld.alloc_signal(n)
        for r in pl.range(n):
            self.chip(w, wide, other, s, device=r)
)";
    program = replaced(program, "CALLS", std::to_string(calls));
    program = replaced(program, "CALL", call);
    program = replaced(program, "RESULT", result);
    program = replaced(program, "OPERAND", operand);
    program = replaced(program, "ROWS", result == "w" ? "1" : "n");
    program = replaced(program, "COLUMNS", std::to_string(columns));
    program = replaced(program, "DTYPE", dtype);
    return replaced(program, "ONE", dtype == "INT32" ? "1" : "1.0");
  }
};

// Hosts for so many ranks: one, and up to four.
std::vector<int> hosts_of(int ranks) {
  std::vector<int> all;
  for (int hosts : {1, 2, 3, 4}) {
    if (hosts <= ranks && ranks % hosts == 0) all.push_back(hosts);
  }
  if (everything() && ranks <= 8 && ranks > 4) all.push_back(ranks);
  return all;
}

void prove(const Case& of, const std::vector<int>& ranks,
           const passes::Traits& traits = target::cpu::traits) {
  for (int calls : {1, 3}) {
    const std::string text = of.text(calls);
    ir::ProgramRef program = read(text);
    ASSERT_TRUE(program);
    Diagnostics diags;
    program = passes::lower(program, passes::for_checking(traits), diags);
    ASSERT_TRUE(program) << diags.text() << text;
    for (int count : ranks) {
      for (int hosts : hosts_of(count)) {
        Report report = check(program, "main", {}, {.ranks = count, .hosts = hosts});
        ASSERT_EQ(report.verdict, Verdict::Proved)
            << of.call << " of " << of.dtype << ", " << calls << " calls\n"
            << text_of(report);
        ASSERT_EQ(report.method.substr(0, 5), "exact") << report.method;
      }
    }
  }
}

std::vector<int> up_to_8() {
  return everything() ? std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8} : std::vector<int>{1, 2, 3, 4, 8};
}

std::vector<int> and_more() {
  std::vector<int> ranks = up_to_8();
  if (everything()) ranks.insert(ranks.end(), {16, 32});
  return ranks;
}

std::vector<std::string> dtypes(const std::string& of_part) {
  return everything() ? std::vector<std::string>{"FP32", "FP16", "BF16", "INT32"}
                      : std::vector<std::string>{of_part};
}

std::vector<std::string> ops(const std::string& of_part) {
  return everything() ? std::vector<std::string>{"sum", "max", "min", "prod"}
                      : std::vector<std::string>{of_part};
}

class AllreduceIsProved : public testing::TestWithParam<const char*> {};

TEST_P(AllreduceIsProved, InAllForms) {
  const std::string mode = GetParam();
  for (const std::string& dtype : dtypes("BF16")) {
    for (const std::string& op : ops("sum")) {
      const std::string call = "w = pld.tensor.allreduce(w, s, op=\"" + op + "\", mode=\"" + mode + "\")";
      prove({call, "w", "w", dtype}, and_more());
    }
  }
  // More than one chunk to each rank.
  prove({"w = pld.tensor.allreduce(w, s, mode=\"" + mode + "\")", "w", "w", "FP32", 1400}, {1, 2, 3});
}

INSTANTIATE_TEST_SUITE_P(Modes, AllreduceIsProved, testing::Values("auto", "mesh", "two_shot", "ring"),
                         [](const auto& info) { return std::string(info.param); });

// Segments of 16 elements: more of them than are under way, and shares of several lengths.
TEST(CollectivesAreProved, AllreduceOverHostsInSegments) {
  passes::Traits traits = target::cpu::traits;
  traits.segment_bytes = traits.chunk_bytes = traits.share_bytes = 64;
  for (const std::string& dtype : dtypes("FP32")) {
    for (const std::string& op : ops("sum")) {
      const std::string call = "w = pld.tensor.allreduce(w, s, op=\"" + op + "\")";
      for (int columns : {1, 6, 43}) prove({call, "w", "w", dtype, columns}, {2, 3, 4, 6, 8}, traits);
    }
  }
}

TEST(CollectivesAreProved, Barrier) {
  prove({"pld.tensor.barrier(s)", "w", "w"}, and_more());
  prove({"pld.tensor.barrier(s)", "w", "w"}, {32});
}

TEST(CollectivesAreProved, ReduceScatter) {
  for (const std::string& dtype : dtypes("INT32")) {
    for (const std::string& op : ops("max")) {
      prove({"wide = pld.tensor.reduce_scatter(wide, s, op=\"" + op + "\")", "wide", "wide", dtype},
            up_to_8());
    }
  }
}

TEST(CollectivesAreProved, Moves) {
  for (const std::string& dtype : dtypes("FP16")) {
    prove({"w = pld.tensor.broadcast(w, s, root=n - 1)", "w", "w", dtype}, up_to_8());
    prove({"wide = pld.tensor.allgather(w, wide, s)", "w", "wide", dtype}, up_to_8());
    prove({"other = pld.tensor.all_to_all(wide, other, s)", "wide", "other", dtype}, up_to_8());
    prove({"other = pld.tensor.all_to_all_v(wide, other, s, sent, received)", "wide", "other", dtype},
          up_to_8());
  }
}

TEST(CollectivesAreProved, AllreduceOf32Ranks) {
  prove({"w = pld.tensor.allreduce(w, s, mode=\"mesh\")", "w", "w"}, {32});
}

}  // namespace
}  // namespace tilewire::check::test
