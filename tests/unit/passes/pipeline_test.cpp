// Every program of tests/lang/programs and examples goes through every pass: the verifier accepts what each
// gives, and its text reads back to the same program.
#include "passes/pipeline.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ir/printer.h"
#include "ir/structural.h"
#include "passes_test.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {
namespace {

class EveryProgram : public testing::TestWithParam<std::string> {};

TEST_P(EveryProgram, GoesThroughEveryPass) {
  ir::ProgramRef program = read_text(file_text(GetParam()));
  ASSERT_TRUE(program);
  Diagnostics diags;
  ir::ProgramRef lowered =
      lower(program, target::cpu::traits, diags, [&](const Pass& pass, const ir::ProgramRef& after) {
        std::string text = ir::as_python(after);
        ir::ProgramRef back = read_text(text);
        ASSERT_TRUE(back) << "after " << pass.name << "\n" << text;
        EXPECT_EQ(ir::first_difference(after, back), "") << "after " << pass.name << "\n" << text;
      });
  EXPECT_TRUE(lowered) << diags.text();
}

INSTANTIATE_TEST_SUITE_P(Files, EveryProgram, testing::ValuesIn(program_files()), [](const auto& info) {
  std::filesystem::path path = info.param;
  return path.parent_path().filename().string() + "_" + path.stem().string();
});

}  // namespace
}  // namespace tilewire::passes
