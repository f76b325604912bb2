// Every program of tests/lang/programs and examples: text -> IR -> text -> IR and IR -> bytes -> IR give
// equal programs, printing is idempotent, and together the programs use every op and every kind of node there
// is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "frontend/frontend.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "ir/visitor.h"
#include "ops/registry.h"

namespace tilewire::frontend {
namespace {

namespace fs = std::filesystem;

// Paths from the root of the repository, without their suffix.
std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (std::string folder : {"tests/lang/programs", "examples"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TILEWIRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".py") names.push_back(folder + "/" + entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text(const std::string& name) {
  std::ifstream in(fs::path(TILEWIRE_SOURCE_DIR) / (name + ".py"), std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// `32x64:FP16`
ir::TypeRef tensor_type(const std::string& text) {
  size_t colon = text.find(':');
  ir::ExprList shape;
  for (size_t at = 0; at < colon;) {
    int64_t extent = 0;
    auto end = std::from_chars(text.data() + at, text.data() + colon, extent).ptr;
    shape.push_back(ir::const_index(extent));
    at = end - text.data() + 1;
  }
  return ir::make<ir::TensorType>(Span{}, std::move(shape), *ir::dtype_from_name(text.substr(colon + 1)));
}

// What a `# run:` line of the program gives the command.
Options options_of(const std::string& text) {
  Options options;
  size_t start = text.find("# run: ");
  if (start != 0) return options;
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string word;
  while (line >> word) {
    if (word != "-D" && word != "--entry" && word != "--shape") continue;
    std::string flag = word, value;
    line >> value;
    while (std::count(value.begin(), value.end(), '"') % 2 == 1 && line >> word) value += " " + word;
    std::erase(value, '"');
    size_t equals = value.find('=');
    if (flag == "-D") options.constants[value.substr(0, equals)] = value.substr(equals + 1);
    if (flag == "--entry") options.entry = value;
    if (flag == "--shape")
      options.parameter_types[value.substr(0, equals)] = tensor_type(value.substr(equals + 1));
  }
  return options;
}

ir::ProgramRef read(const std::string& name, const std::string& text, const Options& options) {
  Diagnostics diags;
  ir::ProgramRef program = read_program(make_source(name, text), options, diags);
  EXPECT_TRUE(program) << diags.text();
  return program;
}

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, TextAndBytes) {
  std::string text = read_text(GetParam());
  ir::ProgramRef program = read(GetParam() + ".py", text, options_of(text));
  ASSERT_TRUE(program);
  Diagnostics diags;
  EXPECT_TRUE(ir::verify(*program, diags)) << diags.text();

  std::string printed = ir::as_python(program);
  ir::ProgramRef again = read("printed", printed, {});
  ASSERT_TRUE(again) << printed;
  EXPECT_TRUE(ir::structurally_equal(program, again)) << ir::first_difference(program, again) << "\n"
                                                      << printed;
  EXPECT_EQ(ir::structural_hash(program), ir::structural_hash(again));
  EXPECT_EQ(ir::as_python(again), printed);

  std::string bytes = ir::to_bytes(program);
  ir::ProgramRef loaded = ir::program_from_bytes(bytes, ops::registry(), diags);
  ASSERT_TRUE(loaded) << diags.text();
  EXPECT_TRUE(ir::structurally_equal(program, loaded)) << ir::first_difference(program, loaded);
  EXPECT_EQ(ir::as_python(loaded), printed);
  EXPECT_EQ(ir::to_bytes(loaded), bytes);
}

INSTANTIATE_TEST_SUITE_P(Programs, RoundTrip, testing::ValuesIn(program_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

struct Census : ir::Visitor<Census> {
  static constexpr bool into_types = true;
  std::set<std::string> ops;
  std::set<ir::NodeKind> kinds;

  template <class T>
  void visit(const T& node) {
    kinds.insert(node.kind());
    if constexpr (std::is_base_of_v<ir::Expr, T>) kinds.insert(node.type->kind());
    if constexpr (std::is_same_v<T, ir::Call>) ops.insert(node.op->qualified());
    walk_children(node);
  }
};

class ProgramCensus : public testing::Test {
 protected:
  static const Census& census() {
    static const Census all = [] {
      Census census;
      for (const std::string& name : program_names()) {
        std::string text = read_text(name);
        census.walk(read(name + ".py", text, options_of(text)));
      }
      return census;
    }();
    return all;
  }
};

TEST_F(ProgramCensus, EveryOpIsUsed) {
  std::string missing;
  for (const ir::Op& op : ops::registry().all()) {
    if (!census().ops.contains(op.qualified())) missing += "  " + op.qualified() + "\n";
  }
  EXPECT_EQ(missing, "") << "ops that no program uses";
}

template <class... T>
std::string missing_kinds(const std::set<ir::NodeKind>& seen, ir::TypeList<T...>) {
  std::string missing;
  ((missing += seen.contains(ir::kind_of<T>) ? "" : std::string("  ") + typeid(T).name() + "\n"), ...);
  return missing;
}

TEST_F(ProgramCensus, EveryKindOfNodeIsUsed) {
  EXPECT_EQ(missing_kinds(census().kinds, ir::AllNodes{}), "") << "no program has one";
}

TEST(Programs, AreMany) {
  EXPECT_GE(program_names().size(), 60u);
}

}  // namespace
}  // namespace tilewire::frontend
