// Programs of several ranks, compiled and run on the real runtime. Most cases are files:
// tests/conformance/programs.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "harness.h"

namespace tilewire::target::cpu {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(TILEWIRE_SOURCE_DIR) + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Program {
  const char* path;
  const char* entry;
  std::vector<int> ranks;
  bool collectives = false;
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.path;
}

class RankedPrograms : public testing::TestWithParam<Program> {};
TEST_P(RankedPrograms, CompiledLikeInterpreted) {
  for (bool hooks : {false, true}) {
    Case c{text_of(GetParam().path), GetParam().entry};
    c.ranks = GetParam().ranks;
    c.interpret_lowered = GetParam().collectives;
    Options options;
    options.hooks = hooks;
    EXPECT_EQ(difference(c, options), "") << (hooks ? "with hooks" : "");
  }
}

TEST_P(RankedPrograms, FarLikeNear) {
  for (bool hooks : {false, true}) {
    Case c{text_of(GetParam().path), GetParam().entry};
    c.ranks = GetParam().ranks;
    c.threads = {2};
    Options options;
    options.hooks = hooks;
    EXPECT_EQ(far_difference(c, options), "") << (hooks ? "with hooks" : "");
  }
}

// Those whose results do not depend on the schedule.
const Program programs[] = {
    {"/examples/mesh_allreduce.py", "sum_rows", {1, 2, 3, 4, 8}},
    {"/tests/lang/programs/mesh_allreduce.py", "host", {1, 2, 3, 4, 8}},
    {"/tests/lang/programs/far_reads.py", "host", {1, 2, 3}},
    {"/tests/lang/programs/defer_wait.py", "host", {1, 2, 3, 4, 8}},
    {"/tests/lang/programs/halo_exchange.py", "host", {1, 2, 4}},
    {"/tests/lang/programs/pipeline_parallel.py", "host", {1, 2, 3, 4, 8}},
    {"/tests/lang/programs/ring_allreduce.py", "host", {1, 2, 3, 4, 8}},
    {"/tests/lang/programs/kernel_dispatch.py", "host", {1, 2, 4}},
    {"/tests/lang/programs/comm_groups.py", "host", {4}, true},
    {"/tests/lang/programs/window_views.py", "host", {1, 2, 4}},
    {"/tests/lang/programs/collectives_kernel.py", "host", {1, 2, 4}, true},
    {"/tests/lang/programs/collectives_host.py", "host", {1, 2, 4}, true},
    {"/tests/lang/programs/all_to_all_transpose.py", "host", {1, 2, 4}, true},
    {"/examples/overlapping_groups.py", "relay", {3}},
    {"/examples/ring_gather.py", "host", {1, 2, 4}},
    {"/examples/ring_shift.py", "shift_by_store", {1, 2, 4}},
    {"/examples/ring_shift.py", "shift_by_load", {1, 2, 4}},
    {"/examples/halo_exchange.py", "heat", {1, 2, 4}},
};
INSTANTIATE_TEST_SUITE_P(Files, RankedPrograms, testing::ValuesIn(programs));

const abi::Function& kernel(const abi::Module& module, std::string_view name) {
  for (uint32_t i = 0; i < module.kernel_count; ++i) {
    if (module.kernels[i].name == name) return module.kernels[i];
  }
  ADD_FAILURE() << "no kernel " << name;
  return module.kernels[0];
}

const char* const described = R"(
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class P:
    pld.comm_group(devices=[0, 1], slots=["second", "first"])

    @pl.function(type=pl.FunctionType.InCore)
    def quiet(self, w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def sends(self, w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
              s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], x: pl.Tensor[[4, 8], pl.FP32]):
        pld.tile.remote_store(pl.load(x), w, 0, [0, 0])
        pld.system.notify(s, 0, [0, 0], 1)

    @pl.function(type=pl.FunctionType.InCore)
    def waits(self, w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
              s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
        pld.system.wait(s, [0, 0], 1)
        w = pl.store(pl.load(w) + 1.0, [0, 0], w)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
             s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], x: pl.Tensor[[4, 8], pl.FP32],
             y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]) -> pl.Tensor[[4, 8], pl.FP32]:
        self.sends(w, s, x)
        self.waits(w, s)
        self.quiet(w, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[2, 4, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 4, 8], pl.FP32]]):
        first = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        second = pld.alloc_window_buffer([4, 8], dtype=pl.FP32, load_from_host=x)
        s = pld.window(first, [2, 1], dtype=pl.INT32)
        w = pld.window(second, [4, 8], dtype=pl.FP32)
        for r in pl.range(2):
            self.chip(w, s, x[r], y[r], device=r)
)";

TEST(TaskEffects, ComeFromTheOps) {
  std::string errors;
  auto module = compiled(described, {}, errors);
  ASSERT_TRUE(module) << errors;
  const abi::Module& m = *module->module();
  const abi::Function& quiet = kernel(m, "quiet");
  EXPECT_EQ(quiet.bits, 0u);
  EXPECT_EQ(quiet.params[0].access, abi::Reads);
  EXPECT_EQ(quiet.params[0].kind, abi::ParamKind::Window);
  EXPECT_EQ(quiet.params[1].access, abi::Writes);
  const abi::Function& sends = kernel(m, "sends");
  EXPECT_EQ(sends.bits, abi::MayBlockFar);
  EXPECT_EQ(sends.params[0].access, abi::Communicates);  // what is written lies at a peer
  EXPECT_EQ(sends.params[1].access, abi::Communicates);
  EXPECT_EQ(sends.params[2].access, abi::Reads);
  const abi::Function& waits = kernel(m, "waits");
  EXPECT_EQ(waits.bits, abi::MayBlock);
  EXPECT_EQ(waits.params[0].access, abi::Reads | abi::Writes);
  EXPECT_EQ(waits.params[1].access, abi::Communicates);
}

TEST(Module, DescribesHostsAndWindows) {
  std::string errors;
  auto module = compiled(described, {}, errors);
  ASSERT_TRUE(module) << errors;
  const abi::Module& m = *module->module();
  ASSERT_EQ(m.host_count, 1u);
  EXPECT_STREQ(m.hosts[0].name, "host");
  EXPECT_EQ(m.hosts[0].param_count, 2u);
  ASSERT_EQ(m.window_count, 2u);
  EXPECT_STREQ(m.windows[0].name, "second");
  EXPECT_EQ(m.windows[0].host, 0u);
  EXPECT_EQ(m.windows[0].load_from, 0);
  EXPECT_EQ(m.windows[0].store_to, -1);
  EXPECT_STREQ(m.windows[1].name, "first");
  EXPECT_EQ(m.windows[1].load_from, -1);
  EXPECT_EQ(m.sites[m.windows[1].site].line, 39u);
}

// The first round waits for the last, and all take the whole of `y`.
TEST(Parallel, RoundsAreNotOrdered) {
  Case c{R"(
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, i: pl.Scalar[pl.INDEX], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
               y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
        if i < 3:
            pld.system.wait(s, [i, 0], 1)
        if i > 0:
            pld.system.notify(s, 0, [i - 1, 0], 1)
        y = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [i, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
        for i in pl.parallel(4):
            with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
                self.kernel(i, s, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
        s = pld.alloc_signal(4)
        self.chip(s, y, device=0)
)",
         "host"};
  c.ranks = {1};
  EXPECT_EQ(run_compiled(c), "");
  size_t at = c.text.find("pl.parallel");
  c.text.replace(at, 11, "pl.range");
  EXPECT_NE(run_compiled(c).find("TW2121"), std::string::npos);
}

// Two ranks write the same elements of a third: somebody must tell the sanitizer.
TEST(ThreadSanitizer, SeesGeneratedCode) {
  if (!built_with_tsan) GTEST_SKIP() << "not built with it";
  Case c{R"(
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.InOut[pld.DistributedTensor[[64, 64], pl.FP32]]):
        for i in pl.range(2000):
            pld.tile.remote_store(pl.full([64, 64], dtype=pl.FP32, value=1.0), w, 0, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[1, 1], pl.FP32]):
        w = pld.alloc_window([64, 64], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.kernel(w, device=r)
)",
         "host"};
  c.ranks = {2};
  c.threads = {2};
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto run = [&] {
    run_compiled(c);
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(66), "data race");
}

// What stands in the way of a plain signal: one atomic update, one load.
TEST(Signals, AreInline) {
  std::string errors;
  Options options;
  options.keep_text = true;
  options.tsan = false;
  auto module = compiled(described, options, errors);
  ASSERT_TRUE(module) << errors;
  std::string text = module->text();
  EXPECT_NE(text.find("atomicrmw add ptr"), std::string::npos);
  EXPECT_NE(text.find("load atomic i32, ptr"), std::string::npos);
  options.hooks = true;
  module = compiled(described, options, errors);
  ASSERT_TRUE(module) << errors;
  EXPECT_EQ(module->text().find("atomicrmw"), std::string::npos);
  EXPECT_EQ(module->module()->bits & abi::Hooks, abi::Hooks);
}

std::string errors_of(const std::string& body) {
  std::string errors;
  compiled(R"(
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = pl.store(pl.load(x), [0, 0], y)

)" + body,
           {}, errors);
  return errors;
}

TEST(Diagnostics, HostsCreateNoTensors) {
  EXPECT_EQ(errors_of(R"(    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[4, 8], pl.FP32]):
        t = pl.create_tensor([4, 8], dtype=pl.FP32)
        self.kernel(x, t, device=0)
)"),
            R"(error[TW2306]: `pl.tensor.create` in a host function: its memory would belong to no rank
  --> test.py:14:13
   |
14 |         t = pl.create_tensor([4, 8], dtype=pl.FP32)
   |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   = help: create it in the function that is dispatched, or pass an array
)");
}

TEST(Diagnostics, HostsTakeNoScalars) {
  EXPECT_EQ(errors_of(R"(    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[4, 8], pl.FP32]) -> pl.Scalar[pl.FP32]:
        return pl.read(x, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[4, 8], pl.FP32]) -> pl.Scalar[pl.FP32]:
        v = self.chip(x, device=0)
        return v
)"),
            R"(error[TW2302]: `chip` is dispatched here, but what it returns is not one of its parameters
  --> test.py:18:13
   |
18 |         v = self.chip(x, device=0)
   |             ^^^^^^^^^^^^^^^^^^^^^^
)");
}

}  // namespace
}  // namespace tilewire::target::cpu
