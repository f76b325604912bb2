// Whole kernels: every case of kernels/*.py, the functions of tests/lang/programs that run on one rank, and
// the programs of several ranks of tests/conformance.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace tilewire::target::cpu {
namespace {

std::vector<std::string> files(const char* folder) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TILEWIRE_SOURCE_DIR) + folder)) {
    if (entry.path().extension() == ".py") result.push_back(entry.path().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Those with a line `# run:`; the others are for collectives, which the interpreter knows lowered only.
std::vector<std::string> programs_to_run() {
  std::vector<std::string> result = files("/tests/conformance/programs");
  std::erase_if(result, [](const std::string& file) { return cases_of(file).empty(); });
  return result;
}

std::string title(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}

class Kernels : public testing::TestWithParam<std::string> {};
TEST_P(Kernels, CompiledLikeInterpreted) {
  auto cases = cases_of(GetParam());
  EXPECT_FALSE(cases.empty());
  for (const FileCase& c : cases) EXPECT_EQ(problem(c), "") << c.title;
}
INSTANTIATE_TEST_SUITE_P(Files, Kernels, testing::ValuesIn(files("/tests/unit/cpu/kernels")), title);
INSTANTIATE_TEST_SUITE_P(Ranked, Kernels, testing::ValuesIn(programs_to_run()), title);

// Where ranks are on several hosts, too.
class FarKernels : public testing::TestWithParam<std::string> {};
TEST_P(FarKernels, LikeNear) {
  for (FileCase& c : cases_of(GetParam())) {
    c.c.threads = {2};
    EXPECT_EQ(far_difference(c.c, c.options), "") << c.title;
  }
}
INSTANTIATE_TEST_SUITE_P(Ranked, FarKernels, testing::ValuesIn(programs_to_run()), title);

// Programs of one rank that are whole without arguments of the command.
const char* const programs[] = {
    "arrays",
    "at_scopes",
    "atomic_store",
    "branches",
    "break_continue",
    "broadcasts",
    "casts",
    "dtypes",
    "early_returns",
    "elementwise_binary",
    "elementwise_unary",
    "explicit_ssa",
    "fill_and_count",
    "flash_attention",
    "fp8_quantise",
    "functions",
    "gemm_tiled",
    "gemm_variants",
    "layernorm",
    "loop_kinds",
    "nested_loops",
    "numpy_indexing",
    "opaque_layers",
    "ragged_tail",
    "rank_three",
    "reductions",
    "rotary_embedding",
    "scalars",
    "softmax",
    "task_graph",
    "tensor_concat",
    "tensor_elementwise",
    "tensor_reductions",
    "tile_subscripts",
    "topk_sort",
    "tuples",
    "vector_add",
    "while_loops",
};

class Programs : public testing::TestWithParam<const char*> {};
TEST_P(Programs, CompiledLikeInterpreted) {
  std::ifstream file(std::string(TILEWIRE_SOURCE_DIR) + "/tests/lang/programs/" + GetParam() + ".py");
  std::stringstream text;
  text << file.rdbuf();
  ir::ProgramRef source = read(text.str(), false);
  ASSERT_TRUE(source);
  int run = 0;
  for (const ir::FunctionRef& function : source->functions) {
    if (function->type == ir::FunctionType::Inline) continue;
    Case c{text.str(), function->name};
    EXPECT_EQ(difference(c), "") << function->name;
    ++run;
  }
  EXPECT_GT(run, 0);
}
INSTANTIATE_TEST_SUITE_P(Lang, Programs, testing::ValuesIn(programs));

}  // namespace
}  // namespace tilewire::target::cpu
