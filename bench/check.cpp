// How long proofs take, and what they are made of.
//
//     build/release/bench/check [--quick]
//
// Each row is a process of its own: wall-clock time of driver::check_program, without reading the program,
// and the most memory the process had. `--quick` leaves out what takes longer than a second.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "driver/checking.h"
#include "driver/inputs/npy.h"
#include "frontend/frontend.h"

namespace {

using namespace tilewire;

struct Case {
  const char* name;
  const char* file;
  int ranks;
  double goal;  // seconds; 0: none
  bool general = false, reduce = true, quick = true;
};

constexpr Case cases[] = {
    {"mesh sum, 3 calls", "bench/check/mesh.py", 4, 1},
    {"mesh sum, 3 calls", "bench/check/mesh.py", 8, 0},
    {"mesh sum, 3 calls", "bench/check/mesh.py", 32, 1},
    {"mesh sum by hand", "examples/mesh_allreduce.py", 32, 1},
    {"ring sum, 3 calls", "bench/check/ring.py", 4, 3},
    {"ring sum, 3 calls", "bench/check/ring.py", 32, 0},
    {"ring sum by hand", "examples/ring_allreduce.py", 4, 3},
    {"experts", "examples/moe_dispatch.py", 3, 20, false, true, false},
    {"looks", "bench/check/poll.py", 2, 0},
    {"looks", "bench/check/poll.py", 3, 0},
    {"looks", "bench/check/poll.py", 4, 0},
    {"looks, no reduction", "bench/check/poll.py", 2, 0, false, false},
    {"looks, no reduction", "bench/check/poll.py", 3, 0, false, false, false},
    {"looks that are kept", "bench/check/early.py", 2, 0},
    {"looks that are kept", "bench/check/early.py", 3, 0},
    {"looks that are kept", "bench/check/early.py", 4, 0},
    {"the same, no reduction", "bench/check/early.py", 2, 0, false, false},
    {"ring sum by hand, searched", "examples/ring_allreduce.py", 3, 0, true, true},
    {"the same, no reduction", "examples/ring_allreduce.py", 3, 0, true, false, false},
};

struct Outcome {
  char verdict[16];
  double seconds;
  size_t events, schedules, states;
};

ir::ProgramRef read_program(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(frontend::make_source(path, text), {}, diags);
  if (!program) std::fputs(diags.text().c_str(), stderr);
  return program;
}

// Six different experts for each of 128 tokens, drawn at random.
driver::OwnedArray chosen_experts(int ranks) {
  constexpr int tokens = 128, choices = 6, experts = 16;
  driver::OwnedArray array(ir::DType::Int32, {ranks, tokens, choices});
  auto* element = static_cast<int32_t*>(array.array().data);
  std::mt19937 random(1);
  std::vector<int32_t> all(static_cast<size_t>(ranks * experts));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  for (int token = 0; token < ranks * tokens; ++token) {
    std::shuffle(all.begin(), all.end(), random);
    element = std::copy_n(all.begin(), choices, element);
  }
  return array;
}

Outcome measure(const Case& of) {
  ir::ProgramRef program = read_program(std::string(TILEWIRE_SOURCE_DIR "/") + of.file);
  if (!program) std::_Exit(1);
  driver::CheckOptions options;
  options.ranks = {of.ranks};
  options.general = of.general;
  options.reduce = of.reduce;
  options.schedules = 100'000;
  driver::OwnedArray chosen = chosen_experts(of.ranks);
  if (std::strstr(of.file, "moe")) options.given["chosen"] = chosen.array();
  Diagnostics diags;
  const auto begin = std::chrono::steady_clock::now();
  auto reports = driver::check_program(program, options, diags);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (reports.empty()) {
    std::fputs(diags.text().c_str(), stderr);
    std::_Exit(1);
  }
  const check::Report& report = reports.front();
  Outcome outcome{{}, taken.count(), report.events, report.states ? report.schedules : 0, report.states};
  std::string(check::name(report.verdict)).copy(outcome.verdict, sizeof outcome.verdict - 1);
  return outcome;
}

// False when the row did not come out as it should.
bool row(const Case& of) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Outcome outcome = measure(of);
    std::_Exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
  }
  close(ends[1]);
  Outcome outcome{};
  const bool came = read(ends[0], &outcome, sizeof outcome) == sizeof outcome;
  close(ends[0]);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (!came) {
    std::printf("%-28s %5d  failed\n", of.name, of.ranks);
    return false;
  }
  const double megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  const bool good = (of.goal == 0 || outcome.seconds <= of.goal) && megabytes <= 1024;
  std::printf("%-28s %5d  %-8s %8zu %9zu %9zu %9.3f s %7.0f MB  ", of.name, of.ranks, outcome.verdict,
              outcome.events, outcome.schedules, outcome.states, outcome.seconds, megabytes);
  if (of.goal > 0) std::printf("<= %g s ", of.goal);
  std::printf("%s\n", of.goal == 0 ? "" : good ? "ok" : "ABOVE");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  std::printf("%-28s %5s  %-8s %8s %9s %9s %11s %10s  goal\n", "program", "ranks", "verdict", "events",
              "schedules", "states", "time", "memory");
  bool good = true;
  for (const Case& of : cases) {
    if (!quick || of.quick) good = row(of) && good;
  }
  return good ? 0 : 1;
}
