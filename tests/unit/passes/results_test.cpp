// The interpreter finds the same results, bit for bit, before and after the pipeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "interp/interp.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "numeric/numeric.h"
#include "ops/evaluate.h"
#include "passes/expand_ops.h"
#include "passes/pipeline.h"
#include "passes_test.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {
namespace {

struct NeedsMoreThanOneRank : ir::Visitor<NeedsMoreThanOneRank> {
  bool found = false;
  void visit(const ir::Call& call) {
    found = found || call.op->module == "pld" || call.op->synchronizes || call.op->functions != 0;
    walk_children(call);
  }
  void visit(const ir::Parameter& param) { found = found || ir::isa<ir::DistributedTensorType>(param.type); }
};

// Arrays for the tensor parameters of a function, the same for the same seed.
struct Inputs {
  std::vector<std::vector<std::byte>> storage;
  std::vector<interp::Argument> args;

  Inputs(const ir::Function& function, const std::map<std::string, int64_t>& symbols) {
    std::mt19937_64 random(7);
    for (const auto& param : function.params) {
      if (auto dtype = ir::scalar_dtype(param->type)) {
        args.push_back(ir::is_float(*dtype)
                           ? interp::Number::of(*dtype, 0.5)
                           : interp::Number::of(*dtype, int64_t{*dtype != ir::DType::Bool} + 1));
        continue;
      }
      const auto& type = static_cast<const ir::TensorType&>(*param->type);
      interp::Array array;
      array.dtype = type.dtype;
      size_t count = 1;
      for (const ir::ExprRef& dim : type.shape) {
        auto extent = ops::evaluate_integer(*dim, [&](std::string_view name) -> std::optional<int64_t> {
          auto found = symbols.find(std::string(name));
          return found == symbols.end() ? 64 : found->second;
        });
        array.shape.push_back(extent.value_or(1));
        count *= extent.value_or(1);
      }
      storage.emplace_back(count * ir::bytes(type.dtype));
      for (size_t i = 0; i < count; ++i) {
        void* at = storage.back().data() + i * ir::bytes(type.dtype);
        if (ir::is_float(type.dtype)) {
          numeric::store_float(type.dtype, at, static_cast<double>(random() % 2048) / 1024 - 1);
        } else {
          numeric::store_integer(type.dtype, at, static_cast<int64_t>(random() % 4));
        }
      }
      array.data = storage.back().data();
      args.push_back(array);
    }
  }
};

std::map<std::string, int64_t> symbols_of(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  if (name == "dynamic_shapes") return {{"B", 2}, {"S", 32}, {"two words", 15}};
  if (path.find("/passes/") != std::string::npos) return {{"N", 1037}, {"M", 1100}, {"K", 150}};
  return {};
}

// These stop with every input: reading and folding them is their point.
std::string expected_error(const std::string& path) {
  const auto name = std::filesystem::path(path).stem();
  if (name == "explicit_constants") return "negative exponent: an integer raised to the power -1";
  if (name == "step_folds_to_zero") return "the step of a loop must not be 0";
  return "";
}

class EveryResult : public testing::TestWithParam<std::string> {};

TEST_P(EveryResult, StaysTheSame) {
  ir::ProgramRef program = read_text(file_text(GetParam()));
  ASSERT_TRUE(program);
  NeedsMoreThanOneRank distributed;
  distributed.walk(program);
  if (distributed.found) GTEST_SKIP() << "runs on several ranks, or uses pipes";
  Diagnostics diags;
  // The interpreter has no rules for ops that are made of others.
  Traits traits = target::cpu::traits;
  traits.has_rule = nullptr;
  ir::ProgramRef lowered = lower(program, traits, diags);
  ASSERT_TRUE(lowered) << diags.text();
  ir::ProgramRef written = expand_ops(program, traits, diags);
  std::map<std::string, int64_t> symbols = symbols_of(GetParam());
  for (const ir::FunctionRef& function : program->functions) {
    ir::FunctionRef now = lowered->find(function->name);
    if (function->type == ir::FunctionType::Inline || now->params.size() != function->params.size()) continue;
    SCOPED_TRACE(function->name);
    interp::RunOptions options;
    options.poison = true;
    for (const auto& [name, value] : symbols) options.symbols[name] = value;
    Inputs before(*function, symbols), after(*function, symbols);
    interp::RunResult first = interp::run(written, function->name, before.args, options);
    interp::RunResult second = interp::run(lowered, function->name, after.args, options);
    std::string stopped = first.error ? first.error->diagnostic.message : "";
    ASSERT_EQ(stopped, second.error ? second.error->diagnostic.message : "");
    EXPECT_EQ(stopped, expected_error(GetParam()));
    for (size_t i = 0; i < before.storage.size(); ++i)
      EXPECT_EQ(before.storage[i] == after.storage[i], true) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryResult, testing::ValuesIn(program_files()), [](const auto& info) {
  std::filesystem::path path = info.param;
  return path.parent_path().filename().string() + "_" + path.stem().string();
});

}  // namespace
}  // namespace tilewire::passes
