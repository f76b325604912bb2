// Bodies that were skipped and read later are what they are when all is read at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

struct Result {
  std::string text;
  std::string errors;
  bool misread = false;
};

Result read(const std::string& text, ParseMode mode, Bodies bodies) {
  Diagnostics diags;
  Ref<const SourceFile> file(new SourceFile("test.py", text));
  auto tree = parse(file, mode, diags, bodies);
  Result result;
  result.text = dump(*tree);
  result.errors = diags.text();
  result.misread = tree->misread;
  return result;
}

size_t skipped(const std::string& text) {
  Diagnostics diags;
  auto tree = parse(Ref<const SourceFile>(new SourceFile("test.py", text)), ParseMode::Strict, diags,
                    Bodies::Skipped);
  size_t count = 0;
  for (const Stmt* stmt : tree->body) count += stmt->function && stmt->function->place;
  return count;
}

std::string with_body(std::string_view body) {
  return "@pl.jit\ndef f(x):\n" + std::string(body) + "\n@pl.jit\ndef g(y):\n    pass\n";
}

// A file of tests/lang/errors holds several programs, each below a line `# --- name`.
std::vector<std::string> programs(const std::string& text) {
  constexpr std::string_view marker = "# --- ";
  std::vector<std::string> result(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(marker) && !result.back().empty()) result.emplace_back();
    result.back() += line + "\n";
  }
  return result;
}

TEST(SkippedBody, EveryProgramReadsAlike) {
  size_t texts = 0, read_later = 0;
  for (std::string folder : {"tests/lang/programs", "tests/lang/errors", "examples"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TILEWIRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".py") continue;
      std::ifstream file(entry.path());
      std::stringstream content;
      content << file.rdbuf();
      for (const std::string& program : programs(content.str())) {
        ++texts;
        for (ParseMode mode : {ParseMode::Strict, ParseMode::Module}) {
          Result whole = read(program, mode, Bodies::Read);
          Result later = read(program, mode, Bodies::Skipped);
          EXPECT_EQ(whole.errors.empty(), later.errors.empty()) << program << "\n" << later.errors;
          if (!whole.errors.empty() || later.misread) continue;
          EXPECT_EQ(whole.text, later.text) << program;
          ++read_later;
        }
      }
    }
  }
  EXPECT_GT(texts, 700u);
  EXPECT_GT(read_later, 1000u);
}

TEST(SkippedBody, FindsTheEndInAnyPlainText) {
  for (std::string_view body : {
           "    return x",
           "    # a comment\n\n    y = (x,\n1,  # in column 1\n  [2])\n    return y\n# behind it",
           "    \"\"\"One\nline ( in column 1\n\"\"\"\n    return '\\'(' + \"#\"",
           "    y = 1 + \\\n2\n    if y:\n        return x\n\n\n    return r'\\\\'",
           "        y = {1: '''a\n'''}\n        return y",
       }) {
    std::string text = with_body(body);
    EXPECT_EQ(skipped(text), 2u) << text;
    Result whole = read(text, ParseMode::Strict, Bodies::Read);
    Result later = read(text, ParseMode::Strict, Bodies::Skipped);
    EXPECT_FALSE(later.misread) << text;
    EXPECT_EQ(whole.text, later.text) << text;
    EXPECT_EQ(whole.errors, later.errors) << text;
  }
}

TEST(SkippedBody, IsReadAtOnceWhenItIsNotPlain) {
  for (std::string_view body : {
           "\treturn x",
           "    y = f\"{'('}\"",
           "    y = (x",
           "    y = x)",
           "    y = 'never closed\n    z = x",
           "    y = \\ x",
       }) {
    std::string text = with_body(body);
    EXPECT_LT(skipped(text), 2u) << text;
    EXPECT_EQ(read(text, ParseMode::Strict, Bodies::Read).errors,
              read(text, ParseMode::Strict, Bodies::Skipped).errors)
        << text;
  }
  EXPECT_EQ(skipped("def f(x): return x\n"), 0u);
}

TEST(SkippedBody, ErrorsAreFoundWhenItIsRead) {
  std::string text = with_body("    y = 1 +\n    return y");
  EXPECT_EQ(skipped(text), 2u);
  Result later = read(text, ParseMode::Strict, Bodies::Skipped);
  EXPECT_NE(later.errors.find("expected"), std::string::npos) << later.errors;
}

TEST(SkippedBody, BodiesNest) {
  std::string text = "def f(x):\n    a = 1\n    return a\ndef g(x):\n    b = 2\n    return b\n";
  Diagnostics diags;
  auto tree = parse(Ref<const SourceFile>(new SourceFile("test.py", text)), ParseMode::Strict, diags,
                    Bodies::Skipped);
  FunctionBody outer(*tree, *tree->body[0]->function);
  {
    FunctionBody inner(*tree, *tree->body[1]->function);
    EXPECT_EQ(tree->name(inner.stmts()[0]->targets[0]->name), "b");
  }
  FunctionBody again(*tree, *tree->body[1]->function);
  EXPECT_EQ(tree->name(outer.stmts()[0]->targets[0]->name), "a");
  EXPECT_EQ(again.stmts().size(), 2u);
}

}  // namespace
}  // namespace tilewire::frontend
