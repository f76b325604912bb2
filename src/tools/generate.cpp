// tilewire-generate: writes the files that are made from the op registry, the diagnostics table, the enums
// and the field lists, so that no list is kept twice.
//
//     tilewire-generate ops-md        one text to standard output
//     tilewire-generate --write DIR   every file, below the source tree DIR; files that are right stay
//     untouched tilewire-generate --check DIR   names the files that are not what --write would make, and
//     fails if any
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "tools/generators.h"

namespace {

namespace fs = std::filesystem;
using namespace tilewire::tools;

struct Output {
  std::string_view name;
  std::string_view path;
  std::string (*text)();
};

constexpr Output outputs[] = {
    {"handles", "src/ops/handles.h", op_handles},
    {"ops-md", "docs/ops.md", ops_reference},
    {"pto-ops-md", "docs/pto-ops.md", pto_reference},
    {"diagnostics-md", "docs/diagnostics.md", diagnostics_reference},
    {"pl-pyi", "python/tilewire/language/__init__.pyi", language_stub},
    {"pld-pyi", "python/tilewire/language/distributed.pyi", distributed_stub},
    {"ir-pyi", "python/tilewire/ir.pyi", ir_stub},
};

bool holds(const fs::path& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

int usage() {
  std::fputs("usage: tilewire-generate (--write DIR | --check DIR | NAME)\nNAME is one of:", stderr);
  for (const Output& output : outputs) std::fprintf(stderr, " %s", std::string(output.name).c_str());
  std::fputs("\n", stderr);
  return 2;
}

int write_all(const fs::path& root) {
  for (const Output& output : outputs) {
    fs::path path = root / output.path;
    std::string text = output.text();
    if (holds(path, text)) continue;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      return 1;
    }
    std::printf("wrote %s\n", path.c_str());
  }
  return 0;
}

int check_all(const fs::path& root) {
  int stale = 0;
  for (const Output& output : outputs) {
    if (holds(root / output.path, output.text())) continue;
    std::printf("%s is not up to date; run: build/release/tilewire-generate --write .\n",
                std::string(output.path).c_str());
    ++stale;
  }
  if (stale == 0) std::printf("%zu generated files are up to date\n", std::size(outputs));
  return stale == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--write" && argc == 3) return write_all(argv[2]);
  if (first == "--check" && argc == 3) return check_all(argv[2]);
  if (argc != 2) return usage();
  for (const Output& output : outputs) {
    if (output.name != first) continue;
    std::string text = output.text();
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  }
  return usage();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tilewire-generate: %s\n", e.what());
    return 1;
  }
}
