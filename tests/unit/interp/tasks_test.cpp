// Tasks: what orders them, what they give back, every schedule the same result; worlds that are copied.
#include <algorithm>
#include <cstring>

#include "harness.h"

namespace tilewire::interp::test {
namespace {

struct Recorder : EventSink {
  std::vector<std::pair<Event, std::vector<TaskNo>>> events;
  void on(const Event& event) override {
    events.emplace_back(event, std::vector<TaskNo>(event.after.begin(), event.after.end()));
  }
  // What each task was ordered after, by submission.
  std::vector<std::vector<TaskNo>> order() const {
    std::vector<std::vector<TaskNo>> all;
    for (const auto& [event, after] : events) {
      if (event.kind == Event::Kind::Submit) all.push_back(after);
    }
    return all;
  }
  size_t count(Event::Kind kind) const {
    return static_cast<size_t>(
        std::count_if(events.begin(), events.end(), [&](const auto& e) { return e.first.kind == kind; }));
  }
};

// Functions that submit tasks run as far ahead as they can.
struct SubmittersFirst : Scheduler {
  size_t pick(const World& world, std::span<const AgentId> runnable) override {
    for (size_t i = 0; i < runnable.size(); ++i) {
      if (world.agent(runnable[i]).level != CodeLevel::Kernel) return i;
    }
    return runnable.size() - 1;
  }
};

std::string orchestration(const std::string& body) {
  std::string program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        return pl.store(pl.load(x) + 1.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def total(self, x: pl.Tensor[[4, 8], pl.FP32]):
        t = pl.load(x)
        return t[0, 0] + t[3, 7]

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.InOut[pl.Tensor[[16, 8], pl.FP32]], y: pl.InOut[pl.Tensor[[16, 8], pl.FP32]]):
)";
  program += indented(body);
  return program + "        return x, y\n";
}

std::vector<std::vector<TaskNo>> order(const std::string& body, Scheduler* scheduler = nullptr) {
  Data x(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
  Recorder recorder;
  RunOptions options;
  options.sink = &recorder;
  options.full_order = true;
  options.scheduler = scheduler;
  Outcome out = run(orchestration(body), {x.array(), y.array()}, options);
  EXPECT_EQ(out.error(), "");
  return recorder.order();
}

using Order = std::vector<std::vector<TaskNo>>;

TEST(TaskOrder, FollowsFromFootprints) {
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(x[4:8, :], y[4:8, :])"), (Order{{}, {}}));
  // read after write, write after write, write after read
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(y[0:4, :], x[8:12, :])"), (Order{{}, {0}}));
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(x[4:8, :], y[3:7, :])"), (Order{{}, {0}}));
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(y[8:12, :], x[2:6, :])"), (Order{{}, {0}}));
  // two readers
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(x[0:4, :], y[4:8, :])"), (Order{{}, {}}));
}

TEST(TaskOrder, DoesNotDependOnTheSchedule) {
  const std::string body =
      "for i in pl.range(3):\n    self.copy(x[0:4, :], y[i * 4:i * 4 + 4, :])\nself.copy(y[4:8, :], x[0:4, "
      ":])";
  SubmittersFirst ahead;
  Order expected{{}, {}, {}, {0, 1, 2}};
  EXPECT_EQ(order(body), expected);
  EXPECT_EQ(order(body, &ahead), expected);
}

TEST(TaskOrder, ExplicitAndLifted) {
  const std::string two = R"(with pl.at(level=pl.Level.CORE_GROUP) as first:
    y[0:4, :] = pl.load(x, [0, 0], [4, 8])
)";
  EXPECT_EQ(order(two + "with pl.at(level=pl.Level.CORE_GROUP, deps=[first]):\n"
                        "    x[8:12, :] = pl.full([4, 8], dtype=pl.FP32, value=0.0)"),
            (Order{{}, {0}}));
  // A scope takes all of a tensor it captures.
  EXPECT_EQ(order(two + "with pl.at(level=pl.Level.CORE_GROUP):\n"
                        "    y[8:12, :] = pl.full([4, 8], dtype=pl.FP32, value=0.0)"),
            (Order{{}, {0}}));
  EXPECT_EQ(order(two + "with pl.at(level=pl.Level.CORE_GROUP):\n"
                        "    pl.store(pl.full([4, 8], dtype=pl.FP32, value=0.0), [8, 0], pl.no_dep(y))"),
            (Order{{}, {}}));
  EXPECT_EQ(order("self.copy(x[0:4, :], y[0:4, :])\nself.copy(y[8:12, :], pl.no_dep(y[0:4, :]))"),
            (Order{{}, {}}));
  EXPECT_EQ(order("ids = pl.array.create(2, pl.TASK_ID)\n" + two +
                  "ids[1] = first\nself.copy(x[8:12, :], x[4:8, :], deps=[ids])"),
            (Order{{}, {0}}));
}

TEST(TaskOrder, ManualScopes) {
  const std::string fill = "self.copy(x[0:4, :], y[0:4, :])\n", take = "self.copy(y[0:4, :], x[8:12, :])\n";
  const std::string manual = "with pl.manual_scope():\n";
  EXPECT_EQ(order(manual + indented(fill + take) + take), (Order{{}, {}, {0, 1}}));
  EXPECT_EQ(order(manual + indented(fill) + manual + indented(take)), (Order{{}, {0}}));
  EXPECT_EQ(order("for i in pl.range(2):\n" + indented(manual + indented(fill + take))),
            (Order{{}, {}, {0, 1}, {0, 1}}));
  EXPECT_EQ(order(manual + indented(manual + indented(fill) + "for i in pl.parallel(1):\n" + indented(take))),
            (Order{{}, {}}));
}

TEST(TaskOrder, JoinsAreTasks) {
  const std::string two = R"(a = x[0:4, :]
b = y[0:4, :]
with pl.spmd(1) as first:
    self.copy(a, b)
ids = pl.array.create(3, pl.TASK_ID)
ids[2] = first
)";
  EXPECT_EQ(order(two + "both = pl.task_join(deps=[ids, pl.no_task()])\n"
                        "self.copy(x[8:12, :], x[4:8, :], deps=[both])"),
            (Order{{}, {0}, {1}}));
}

// What each round creates is freed when the tasks that use it have ended: three rounds' worth is enough.
TEST(Tasks, ScopesFreeWhatTheyCreate) {
  const std::string rounds =
      "for i in pl.range(1000):\n    with pl.scope():\n"
      "        t = pl.create_tensor([64, 64], dtype=pl.FP32)\n"
      "        self.copy(x[0:4, :], t[0:4, 0:8])\n        self.copy(t[0:4, 0:8], y[0:4, :])";
  for (const std::string& body : {rounds, "with pl.scope():\n" + indented(rounds)}) {
    const bool nested = body != rounds;
    for (int64_t tensors : {4, 1001}) {
      Data x = Data::count(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
      RunOptions options;
      options.memory_limit = tensors * 64 * 64 * 4;
      EXPECT_EQ(run(orchestration(body), {x.array(), y.array()}, options).error(), "") << nested << tensors;
      EXPECT_EQ(y.at(31), 33);
    }
  }
  const std::string kept = "t = x\nfor i in pl.range(10):\n    t = pl.create_tensor([16, 8], dtype=pl.FP32)";
  Data x(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
  RunOptions options;
  options.memory_limit = 2 * 16 * 8 * 4;
  EXPECT_NE(run(orchestration(kept), {x.array(), y.array()}, options).error(), "");
}

TEST(Tasks, EveryScheduleGivesTheSameResult) {
  const std::string body =
      "for i in pl.range(4):\n    self.copy(x[i * 4:i * 4 + 4, :], y[i * 4:i * 4 + 4, :])\n"
      "for i in pl.range(3):\n    self.copy(y[i * 4:i * 4 + 4, :], x[i * 4 + 4:i * 4 + 8, :])\n"
      "    self.copy(x[i * 4 + 4:i * 4 + 8, :], y[i * 4 + 2:i * 4 + 6, :])\n"
      "for b in pl.spmd(4):\n    y = pl.store(pl.load(x, [b * 4, 0], [4, 8]) * 2.0, [b * 4, 0], y)";
  ir::ProgramRef program = read(orchestration(body));
  std::vector<double> expected;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Data x = Data::count(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
    Random random(seed);
    SubmittersFirst ahead;
    RunOptions options;
    options.granularity = seed % 2 ? Granularity::Access : Granularity::Sync;
    if (seed > 0) options.scheduler = &random;
    if (seed == 1) options.scheduler = &ahead;
    Outcome out = run(program, {x.array(), y.array()}, options);
    ASSERT_EQ(out.error(), "");
    std::vector<double> found = x.values();
    for (double v : y.values()) found.push_back(v);
    if (seed == 0) expected = found;
    EXPECT_TRUE(same(found, expected)) << "seed " << seed;
  }
}

TEST(Tasks, ValuesAreWaitedFor) {
  const std::string body =
      "self.copy(x[0:4, :], y[0:4, :])\ns = self.total(y[0:4, :])\nif s > 10.0:\n    x[0, 0] = s\n"
      "y[15, 7] = y[3, 7] * 2.0";
  for (int i = 0; i < 2; ++i) {
    Data x = Data::count(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
    SubmittersFirst ahead;
    RunOptions options;
    if (i == 1) options.scheduler = &ahead;
    Outcome out = run(orchestration(body), {x.array(), y.array()}, options);
    ASSERT_EQ(out.error(), "");
    EXPECT_EQ(x.at(0), 33);  // 0 + 1 and 31 + 1
    EXPECT_EQ(y.at(15 * 8 + 7), 64);
  }
}

TEST(Tasks, BlockCounts) {
  const char* program = R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[1], pl.INT32]]):
        for b in pl.spmd(n):
            t = pl.full([1, 1], dtype=pl.INT32, value=1)
            y = pl.store(t, [0], y, atomic=pld.AtomicType.Add)
        return y
)";
  ir::ProgramRef parsed = read(program);
  for (int64_t n : {0, 1, 7, 5000}) {
    Data y(DType::Int32, {1});
    Outcome out = run(parsed, {Number::of(DType::Int64, n), y.array()});
    EXPECT_EQ(out.error(), "");
    EXPECT_EQ(y.at(0), static_cast<double>(n));
  }
  Data y(DType::Int32, {1});
  EXPECT_EQ(run(parsed, {Number::of(DType::Int64, int64_t{-1}), y.array()}).message(),
            "TW2105: invalid launch: it cannot have -1 blocks");
}

TEST(Tasks, EventsComeFromDeclaredEffects) {
  Data x(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
  Recorder recorder;
  RunOptions options;
  options.sink = &recorder;
  ir::ProgramRef program = read(orchestration("self.copy(x[4:8, :], y[0:4, :])"));  // events point into it
  run(program, {x.array(), y.array()}, options);
  EXPECT_EQ(recorder.count(Event::Kind::TaskStart), 1u);
  EXPECT_EQ(recorder.count(Event::Kind::TaskEnd), 1u);
  EXPECT_EQ(recorder.count(Event::Kind::Start), 2u);  // main too
  std::vector<Event> accesses;
  for (const auto& [event, after] : recorder.events) {
    if (event.kind == Event::Kind::Access) accesses.push_back(event);
  }
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].access, ir::Access::Read);
  EXPECT_EQ(accesses[0].box, (Box{128, 128, {}}));
  EXPECT_EQ(accesses[1].access, ir::Access::Write);
  EXPECT_EQ(accesses[1].box, (Box{0, 128, {}}));
  EXPECT_NE(accesses[0].storage, accesses[1].storage);
  EXPECT_EQ(accesses[1].where->span.line, 8u);
}

TEST(World, CopiesRunOnTheirOwn) {
  const std::string body =
      "for i in pl.range(4):\n    self.copy(x[i * 4:i * 4 + 4, :], y[i * 4:i * 4 + 4, :])\n"
      "t = pl.create_tensor([4, 8], dtype=pl.FP32)\nself.copy(y[4:8, :], t)\nself.copy(t, x[0:4, :])";
  ir::ProgramRef program = read(orchestration(body));
  Diagnostics diags;
  auto image = Image::make(program, "main", diags);
  ASSERT_TRUE(image);
  Options options;
  options.detach = true;
  options.granularity = Granularity::Access;
  World world(image, options);
  Data x = Data::count(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
  auto tensor = [&](Data& data) {
    Tensor t;
    t.storage = world.add_array(data.bytes.data(), static_cast<int64_t>(data.bytes.size()));
    t.shape = data.shape;
    t.strides = dense_strides(data.shape);
    return Value(t);
  };
  world.start({tensor(x), tensor(y)});
  auto result = [](const World& w) {
    std::vector<float> all(128);
    std::memcpy(all.data(), w.bytes(0), 512);
    return all;
  };
  std::vector<World> copies;
  Random random(5);
  while (!world.finished() && !world.error()) {
    copies.push_back(world);
    world.step(world.runnable()[random.pick(world, world.runnable())], nullptr);
  }
  ASSERT_FALSE(world.error());
  std::vector<float> expected = result(world);
  EXPECT_EQ(expected[0], 32 + 3);  // through three copies
  EXPECT_GT(copies.size(), 20u);
  for (World& copy : copies) {
    InOrder in_order;
    run(copy, in_order);
    ASSERT_FALSE(copy.error());
    EXPECT_EQ(result(copy), expected);
  }
  EXPECT_TRUE(same(x.values(), Data::count(DType::FP32, {16, 8}).values()));
}

TEST(World, ReplaysASchedule) {
  const std::string body =
      "for i in pl.range(4):\n    self.copy(x[i * 4:i * 4 + 4, :], y[i * 4:i * 4 + 4, :])";
  struct Record : Scheduler {
    Random random{9};
    std::vector<AgentId> taken;
    size_t pick(const World& world, std::span<const AgentId> runnable) override {
      size_t chosen = random.pick(world, runnable);
      taken.push_back(runnable[chosen]);
      return chosen;
    }
  } record;
  Data x(DType::FP32, {16, 8}), y(DType::FP32, {16, 8});
  ir::ProgramRef program = read(orchestration(body));
  RunOptions options;
  options.scheduler = &record;
  EXPECT_EQ(run(program, {x.array(), y.array()}, options).error(), "");
  Replay replay(record.taken);
  options.scheduler = &replay;
  EXPECT_EQ(run(program, {x.array(), y.array()}, options).error(), "");
  EXPECT_TRUE(replay.followed());
}

}  // namespace
}  // namespace tilewire::interp::test
