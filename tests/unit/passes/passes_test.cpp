#include "passes_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/frontend.h"
#include "ir/printer.h"
#include "passes/pipeline.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {

std::vector<std::string> program_files() {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  auto add = [&](const char* folder, const char* extension) {
    for (const auto& entry : fs::directory_iterator(fs::path(TILEWIRE_SOURCE_DIR) / folder)) {
      fs::path refused = entry.path();  // a program that a pass says no to
      if (fs::exists(refused.replace_extension(".err"))) continue;
      if (entry.path().extension() == extension) files.push_back(entry.path().string());
    }
  };
  add("tests/lang/programs", ".expected");
  add("tests/lang/passes", ".py");
  add("examples", ".py");
  std::sort(files.begin(), files.end());
  return files;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

ir::ProgramRef read_text(const std::string& text) {
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(frontend::make_source("test.py", text), {}, diags);
  if (!program) ADD_FAILURE() << diags.text() << "\n" << text;
  return program;
}

std::string after(const std::string& pass, const std::string& text) {
  ir::ProgramRef program = read_text(text);
  if (!program) return "";
  Diagnostics diags;
  std::string found;
  ir::ProgramRef lowered =
      lower(program, target::cpu::traits, diags, [&](const Pass& done, const ir::ProgramRef& now) {
        if (pass.empty() || pass == done.name) found = ir::as_python(now);
      });
  if (!lowered) ADD_FAILURE() << diags.text();
  return found;
}

std::string errors_of(const std::string& text) {
  ir::ProgramRef program = read_text(text);
  if (!program) return "";
  Diagnostics diags;
  lower(program, target::cpu::traits, diags);
  return diags.text();
}

}  // namespace tilewire::passes
