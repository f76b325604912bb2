// Every program of tests/lang/programs without collectives, which a pass replaces, and pipes runs as it is
// read, on random inputs, with poison in whatever it must not read; distributed ones on four ranks.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/frontend.h"
#include "harness.h"
#include "interp/op_table.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/evaluate.h"

namespace tilewire::interp::test {
namespace {

namespace fs = std::filesystem;
constexpr int ranks = 4;

// What the text does not say about how to run a program.
struct Settings {
  std::map<std::string, int64_t> symbols;  // other than 64
  std::map<std::string, double> numbers;   // scalars by name; others are 2, or 0.5
};

const std::map<std::string, Settings>& settings() {
  static const std::map<std::string, Settings> all = {
      {"dynamic_shapes", {{{"B", 2}, {"S", 32}, {"two words", 15}}, {}}},
  };
  return all;
}

// Programs that reading alone is the point of: no input gives them a meaning.
const std::map<std::string, std::string>& not_run() {
  static const std::map<std::string, std::string> all = {
      {"explicit_constants", "raises an integer to the power -1, and stops there"},
  };
  return all;
}

struct Ops : ir::Visitor<Ops> {
  std::set<const ir::Op*> found;
  void visit(const ir::Call& call) {
    found.insert(call.op);
    walk_children(call);
  }
};

// Collectives, pipes and ops that are expanded.
bool is_for_passes(const ir::ProgramRef& program) {
  Ops ops;
  ops.walk(program);
  return std::any_of(ops.found.begin(), ops.found.end(), [](const ir::Op* op) {
    if (op_entries().find(*op)) return false;
    EXPECT_TRUE(op->expansion || !op->no_rule.empty()) << op->qualified();
    return true;
  });
}

std::vector<ir::FunctionRef> entries(const ir::ProgramRef& program) {
  std::vector<ir::FunctionRef> hosts, tops, kernels;
  for (const ir::FunctionRef& f : program->functions) {
    bool kernel = f->type == ir::FunctionType::InCore, host = f->type == ir::FunctionType::Host;
    (kernel ? kernels : host ? hosts : tops).push_back(f);
  }
  return !hosts.empty() ? hosts : tops.empty() ? kernels : tops;
}

// Arguments made from the types of the parameters.
struct Inputs {
  std::vector<Data> data;
  std::vector<Argument> args;

  Inputs(const ir::Function& f, const Settings& s, uint64_t seed) {
    data.reserve(f.params.size());
    for (const auto& param : f.params) {
      if (auto dtype = ir::scalar_dtype(param->type)) {
        auto given = s.numbers.find(param->name);
        bool real = ir::is_float(*dtype);
        double value = given != s.numbers.end() ? given->second : real ? 0.5 : *dtype == DType::Bool ? 1 : 2;
        args.push_back(real ? Number::of(*dtype, value) : Number::of(*dtype, static_cast<int64_t>(value)));
        continue;
      }
      const auto* type = ir::as<ir::TensorType>(param->type);
      EXPECT_TRUE(type) << param->name;
      if (!type) return;
      std::vector<int64_t> shape;
      for (const ir::ExprRef& dim : type->shape) {
        auto extent = ops::evaluate_integer(*dim, [&](std::string_view name) -> std::optional<int64_t> {
          auto found = s.symbols.find(std::string(name));
          return found != s.symbols.end() ? found->second : name == "NR" ? ranks : 64;
        });
        EXPECT_TRUE(extent) << param->name;
        shape.push_back(extent.value_or(1));
      }
      data.push_back(Data::random(type->dtype, shape, seed++));
      args.push_back(data.back().array());
    }
  }
};

// A program with a command line of its own is read as that command printed it.
std::string text_of(const fs::path& path) {
  auto content = [](const fs::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  std::string text = content(path);
  return text.starts_with("# run:") ? content(fs::path(path).replace_extension(".expected")) : text;
}

TEST(Programs, Run) {
  int ran = 0, skipped = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TILEWIRE_SOURCE_DIR "/tests/lang/programs")) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.filename().string());
    auto found = settings().find(path.stem().string());
    Settings s = found == settings().end() ? Settings{} : found->second;
    Diagnostics diags;
    auto source = frontend::make_source(path.filename().string(), text_of(path));
    auto program = frontend::read_program(source, {}, diags);
    if (not_run().count(path.stem().string())) continue;
    if (!program) {
      ADD_FAILURE() << diags.text();
      continue;
    }
    if (is_for_passes(program)) {
      ++skipped;
      continue;
    }
    for (const ir::FunctionRef& f : entries(program)) {
      SCOPED_TRACE(f->name);
      Inputs inputs(*f, s, 1);
      RunOptions run_options;
      run_options.poison = true;
      run_options.ranks = f->type == ir::FunctionType::Host ? ranks : 1;
      for (const auto& [name, value] : s.symbols) run_options.symbols[name] = value;
      Outcome out = run(program, inputs.args, run_options, f->name);
      EXPECT_EQ(out.error(), "");
      ++ran;
    }
  }
  EXPECT_GT(ran, 40);
  EXPECT_LT(skipped, 20);
  std::printf("%d entries ran, %d programs left to passes\n", ran, skipped);
}

}  // namespace
}  // namespace tilewire::interp::test
