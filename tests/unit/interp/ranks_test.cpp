// Several ranks: windows, groups, signals, remote memory, deadlocks.
#include "harness.h"

namespace tilewire::interp::test {
namespace {

// Every rank gives its row to the next one and waits for the one before.
const char* const ring = R"(
NR = pl.dynamic("NR")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def shift(self, x: pl.Tensor[[8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], y: pl.Out[pl.Tensor[[8], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        peer = (me + 1) % pld.nranks(ctx)
        pld.tile.remote_store(pl.load(x), w, peer, [0])
        pld.system.notify(s, peer, [0, 0], 1)
        pld.system.wait(s, [0, 0], 1)
        return pl.store(pl.load(w), [0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
        w = pld.alloc_window([8], dtype=pl.FP32)
        s = pld.alloc_signal(1)
        for r in pl.range(pld.world_size()):
            self.shift(x[r], w, s, y[r], device=r)
)";

TEST(Ranks, RemoteStoresAndSignals) {
  ir::ProgramRef program = read(ring);
  for (int ranks : {1, 2, 5}) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      Data x = Data::count(DType::FP32, {ranks, 8}), y(DType::FP32, {ranks, 8});
      Random random(seed);
      RunOptions options;
      options.ranks = ranks;
      options.granularity = Granularity::Access;
      if (seed) options.scheduler = &random;
      Outcome out = run(program, {x.array(), y.array()}, options);
      ASSERT_EQ(out.error(), "");
      for (int r = 0; r < ranks; ++r) {
        for (int i = 0; i < 8; ++i) EXPECT_EQ(y.at(r * 8 + i), (r + ranks - 1) % ranks * 8 + i);
      }
    }
  }
}

std::string two_ranks(const std::string& body, const std::string& window = "[4]") {
  std::string program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[WINDOW, pl.INT32]], y: pl.InOut[pl.Tensor[[8], pl.INT32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        other = 1 - me
)";
  program.replace(program.find("WINDOW"), 6, window);
  program += indented(body);
  program += "        return y\n" + std::string(R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, y: pl.InOut[pl.Tensor[[2, 8], pl.INT32]]):
        w = pld.alloc_window()") +
             window + R"(, dtype=pl.INT32)
        for r in pl.range(2):
            self.k(w, y[r], device=r)
)";
  return program;
}

Outcome run_two(const std::string& body, Data& y, const std::string& window = "[4]") {
  y = Data(DType::Int32, {2, 8});
  RunOptions options;
  options.ranks = 2;
  return run(two_ranks(body, window), {y.array()}, options);
}

TEST(Ranks, NotifiesWaitsAndTests) {
  Data y;
  Outcome out = run_two(
      "pld.system.notify(w, other, [0], 5, op=pld.NotifyOp.Set)\n"
      "pld.system.notify(w, other, [1], -3)\n"
      "y[0] = pld.system.wait(w, [0], 5, cmp=\"eq\")\n"
      "y[1] = pld.system.wait(w, [1], 0, cmp=\"lt\")\n"
      "pld.system.notify(w, other, [2], 1)\n"
      "n = pl.const(0, pl.INT32)\n"
      "while not pld.system.test(w, [2], 1):\n"
      "    n = n + 1\n"
      "if pld.system.test(w, [3], 1):\n"
      "    y[2] = 1\n"
      "y[3] = n",
      y);
  ASSERT_EQ(out.error(), "");
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(y.at(r * 8), 5);
    EXPECT_EQ(y.at(r * 8 + 1), -3);
    EXPECT_EQ(y.at(r * 8 + 2), 0);
  }
}

TEST(Ranks, SpinningOnACellLetsOthersRun) {
  Data y;
  Outcome out = run_two(
      "pld.system.notify(w, other, [0], 1)\nwhile pl.read(w, [0]) == 0:\n    me = me + 0\ny[0] = pl.read(w, "
      "[0])",
      y);
  ASSERT_EQ(out.error(), "");
  EXPECT_EQ(y.at(0), 1);
  EXPECT_EQ(y.at(8), 1);
}

TEST(Ranks, APollThatNobodyAnswersIsADeadlock) {
  Data y;
  Outcome out = run_two("n = pl.const(0, pl.INT32)\nwhile n < 1:\n    n = pl.read(w, [2])\ny[0] = n", y);
  EXPECT_NE(out.error().find("rank 1, in `k`: reads `w[2]` on rank 1, which is 0"), std::string::npos)
      << out.error();
  out = run_two("while not pld.system.test(w, [1], 1):\n    me = me + 0", y);
  EXPECT_NE(out.error().find("rank 0, in `k`: tests `w[1]` on rank 0, which is 0"), std::string::npos)
      << out.error();
  // It tries so often, and then goes on without.
  out = run_two(
      "n = pl.const(0, pl.INT32)\nd = 0\nwhile d == 0:\n    n = n + 1\n    if n == 20000:\n        d = 1\n"
      "    if pld.system.test(w, [1], 1):\n        d = 1\ny[0] = n",
      y);
  EXPECT_EQ(out.error(), "");
  EXPECT_EQ(y.at(8), 20000);
}

TEST(Ranks, AllForms) {
  Data y;
  Outcome out = run_two(
      "pld.system.notify_all(w, 2)\npld.system.wait_all(w, 2)\ny[0] = pl.read(w, [0])\ny[1] = pl.read(w, "
      "[1])\n"
      "slot = pld.peer_slot(w, other, [3])\npl.tile.comm_notify(slot, 7, op=\"set\")\n"
      "y[2] = pl.tile.comm_wait(w[3:4], 7)\nif pl.tile.comm_test(w[3:4], 8):\n    y[3] = 1",
      y);
  ASSERT_EQ(out.error(), "");
  EXPECT_TRUE(same(y.values(), {0, 2, 7, 0, 0, 0, 0, 0, 2, 0, 7, 0, 0, 0, 0, 0}));
}

TEST(Ranks, PutAndGet) {
  Data y;
  Outcome out = run_two(
      "t = pl.create_tensor([8], dtype=pl.INT32)\nfor i in pl.range(8):\n    t[i] = pl.cast(i, pl.INT32) + "
      "me * 100\n"
      "pld.tensor.put(w, other, t, [0], [0], [8], signal=w, at=[15], value=1)\npld.system.wait(w, [15], 1)\n"
      "pld.tensor.get(y, other, w, [0], [0], [4])\n"
      "pld.tensor.put(w, me, t, [8], [0], [4], atomic=pld.AtomicType.Add)\ny[4] = w[9]\ny[5] = w[2]",
      y, "[16]");
  ASSERT_EQ(out.error(), "");
  EXPECT_TRUE(same(y.values(), {0, 1, 2, 3, 1, 102, 0, 0, 100, 101, 102, 103, 101, 2, 0, 0}));
}

TEST(Ranks, DeadlocksAreTold) {
  Data y;
  Outcome out =
      run_two("if me == 0:\n    pld.system.notify(w, other, [0], 1)\npld.system.wait(w, [0], 1)", y);
  EXPECT_EQ(out.message(), "TW2121: deadlock: 1 task is blocked and nothing can wake it");
  EXPECT_NE(out.error().find("rank 0, in `k`: waits for `w[0]` on rank 0 >= 1, which is 0"),
            std::string::npos)
      << out.error();
  EXPECT_EQ(out.result.error->kind, RunError::Kind::Deadlock);
  out = run_two("while not pld.system.test(w, [0], 1):\n    me = me + 0", y);
  EXPECT_EQ(out.message(), "TW2121: deadlock: 2 tasks are blocked and nothing can wake them");
}

TEST(Ranks, PeersAndDevicesThatDoNotExist) {
  Data y;
  EXPECT_EQ(run_two("pld.system.notify(w, me + 1, [0], 1)", y).message(),
            "TW2110: invalid rank: rank 2 does not exist: there are 2");
  Data one(DType::Int32, {2, 8});
  RunOptions options;
  options.ranks = 1;
  EXPECT_EQ(run(two_ranks("y[0] = 1"), {one.array()}, options).message(),
            "TW2127: invalid rank: `k` is dispatched to rank 1, but there are 1");
  EXPECT_EQ(run_two("y[0] = w[me + 8]", y).message(),
            "TW2101: out of bounds: index 8 is outside dimension 0, which has extent 4");
}

TEST(Ranks, WindowsAreZeroedStagedAndChecked) {
  const char* program = R"(
NR = pl.dynamic("NR")
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[4], pl.INT32]], z: pl.InOut[pld.DistributedTensor[[4], pl.INT32]]):
        t = pl.load(w) + pl.load(z) + 1
        pl.store(t, [0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[NR, 4], pl.INT32], y: pl.Out[pl.Tensor[[NR, 4], pl.INT32]], n: pl.Scalar[pl.INT64]):
        buf = pld.alloc_window_buffer([4], dtype=pl.INT32, load_from_host=x, store_to_host=y)
        w = pld.window(buf, [4], dtype=pl.INT32)
        other = pld.alloc_window_buffer(n)
        z = pld.window(other, [4], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.k(w, z, device=r)
)";
  Data x = Data::count(DType::Int32, {3, 4}), y(DType::Int32, {3, 4});
  RunOptions options;
  options.ranks = 3;
  options.poison = true;
  auto with = [&](int64_t n) {
    return run(program, {x.array(), y.array(), Number::of(DType::Int64, n)}, options).message();
  };
  EXPECT_EQ(with(16), "");
  EXPECT_TRUE(same(y.values(), Data::count(DType::Int32, {3, 4}, 1).values()));
  EXPECT_EQ(with(0), "TW2128: a window buffer cannot have 0 bytes");
  EXPECT_EQ(
      with(12),
      "TW2129: window too small: a view of 16 bytes does not fit the window buffer `other` of 12 bytes");
}

TEST(Ranks, CommunicationOrderAndDeferredWaits) {
  struct Recorder : EventSink {
    std::vector<std::vector<TaskNo>> after;
    void on(const Event& event) override {
      if (event.kind == Event::Kind::Submit && event.agent != 0) {
        after.emplace_back(event.after.begin(), event.after.end());
      }
    }
  } recorder;
  const char* program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, s: pl.InOut[pld.DistributedTensor[[4], pl.INT32]], y: pl.InOut[pl.Tensor[[8], pl.INT32]]):
        with pl.at(level=pl.Level.CORE_GROUP) as tid:
            pld.system.defer_wait(s, [0], 1)
        with pl.at(level=pl.Level.CORE_GROUP):
            pld.system.notify(s, 0, [0], 1)
        with pl.at(level=pl.Level.CORE_GROUP):
            pld.system.wait(s, [0], 1)
        with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
            pld.system.wait(s, [0], 1)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[tid]):
            y[0:4] = pl.full([1, 4], dtype=pl.INT32, value=1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, y: pl.InOut[pl.Tensor[[8], pl.INT32]]):
        s = pld.alloc_window([4], dtype=pl.INT32)
        self.chip(s, y, device=0)
)";
  Data y(DType::Int32, {8});
  RunOptions options;
  options.sink = &recorder;
  options.full_order = true;
  Outcome out = run(program, {y.array()}, options);
  ASSERT_EQ(out.error(), "");
  // Task 0 is the dispatch. The deferred wait orders only the task that names it; `ordered=False` is ordered
  // with nothing.
  EXPECT_EQ(recorder.after, (std::vector<std::vector<TaskNo>>{{}, {}, {2}, {}, {1}}));
  EXPECT_EQ(y.at(0), 1);
}

}  // namespace
}  // namespace tilewire::interp::test
