// What every interleaving of each program says, for tests that write programs to files:
//
//     explore LIMIT RANKS FILE [RANKS FILE ...]
//
// prints a line per file: "incomplete" past LIMIT states, else the kinds of errors there are, or "nothing".
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../check/explorer.h"
#include "frontend/frontend.h"
#include "passes/pipeline.h"
#include "target/cpu/traits.h"

int main(int argc, char** argv) {
  if (argc < 4 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: explore LIMIT RANKS FILE [RANKS FILE ...]\n");
    return 2;
  }
  const auto limit = std::strtoull(argv[1], nullptr, 10);
  for (int i = 2; i < argc; i += 2) {
    std::ifstream in(argv[i + 1]);
    std::stringstream text;
    text << in.rdbuf();
    tilewire::Diagnostics diags;
    auto file = tilewire::frontend::make_source(argv[i + 1], text.str());
    tilewire::ir::ProgramRef program = tilewire::frontend::read_program(file, {}, diags);
    if (program)
      program = tilewire::passes::lower(program,
                                        tilewire::passes::for_checking(tilewire::target::cpu::traits), diags);
    if (!program) {
      std::fprintf(stderr, "%s", diags.text().c_str());
      return 3;
    }
    const auto found = tilewire::check::test::explore(program, "main", std::atoi(argv[i]), limit);
    const bool known = found.complete || found.wrong();  // what was found was found
    std::printf("%s%s\n", found.complete ? "" : "incomplete", known ? found.text().c_str() : "");
    std::fflush(stdout);
  }
  return 0;
}
