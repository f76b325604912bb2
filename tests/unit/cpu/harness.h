// Runs a function of a program twice, interpreted and compiled, on the same random data, and compares.
//
// Functions of one rank run on the smallest runtime there can be: submit runs the kernel at once. Host
// functions run on the real one, with windows laid out as the host function asks for them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "ir/nodes.h"
#include "target/cpu/compile.h"

namespace tilewire::target::cpu {

struct Range {
  double low, high;
};

struct Case {
  std::string text;                            // the program
  std::string entry;                           // a kernel or an orchestration function
  std::map<std::string, int64_t> dims = {};    // of pl.dynamic symbols
  std::map<std::string, double> scalars = {};  // of scalar parameters; 1 where left out
  std::map<std::string, Range> ranges = {};    // of the elements of parameters
  double tolerance = -1;                       // relative; below 0: by dtype, 0: the same bits
  bool lower = true;                           // run the passes first
  bool split = false;                          // and split kernels that mix products and other work
  bool same_array = false;                     // all tensor parameters of equal type are one array
  uint64_t seed = 1;
  bool interpret_lowered = false;     // collectives mean something to the interpreter once they are lowered
  std::vector<int> ranks = {};        // of host functions: run with each of these
  std::vector<int> threads = {1, 2};  // of host functions: and with each of these
};

// The cases a file asks for in comments, one a line:
//     # run: ENTRY [dim.N=48] [n=3] [range.index=0..15] [tolerance=0] [same] [strided] [unlowered] [seed=2]
// for host functions also [ranks=1,2,4] [hooks], for mixed kernels [split], with dtype=INT8 the text has it
// for DTYPE, and those that must fail:
//     # fails: ENTRY FAULT LINE [...]
// where FAULT is a number of abi::Fault, or, for a host function, the code of the message (TW2110).
struct FileCase {
  Case c;
  Options options;
  std::string fault;  // empty: it must not fail
  uint32_t line = 0;
  std::string title;
};
std::vector<FileCase> cases_of(const std::string& path);
// Empty when the case does what it should.
std::string problem(const FileCase& c);

// Empty when both runs agree, else what differs first.
std::string difference(const Case& c, const Options& options = {});

// Of a host function: empty when it gives the same bits, or fails at the same line, where some ranks or all
// are on other hosts, so that only messages reach them.
std::string far_difference(const Case& c, const Options& options = {});

// Empty when the rules that the target has for ops with an expansion give the bits of the expansion. The
// entry is a kernel from one tensor, whose bytes are `x`, to another.
std::string rule_difference(const std::string& text, const std::string& entry, std::span<const std::byte> x);

// Of a host function, compiled alone: empty when it ends well, else the message.
std::string run_compiled(const Case& c, const Options& options = {});

// The fault of a compiled run and the line of its site; none when it ends well.
struct Failure {
  abi::Fault fault;
  uint32_t line;
  std::string what;
  int64_t a, b, c, d;
};
std::optional<Failure> failure(const Case& c, const Options& options = {});

ir::ProgramRef read(const std::string& text, bool lower, bool split = false);
// With the diagnostics as text when it fails.
std::unique_ptr<Code> compiled(const std::string& text, const Options& options, std::string& errors,
                               bool lower = true);

}  // namespace tilewire::target::cpu
