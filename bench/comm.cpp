// Communication between ranks beside the same in raw C++ and in Open MPI, all in one run.
//
//     build/release/bench/comm [--quick] [--best]
//
// - signals: one-way notify to wait between two workers, beside two threads that pass a number on;
// - put of 64 MB beside memcpy;
// - dispatch of an empty program to 4 ranks;
// - the sum of an array over 2 and 4 ranks, written in the language (bench/comm/allreduce.py), beside
//   MPI_Allreduce. Both sides write the operand and read the result in every round, 2 ranks on 2 cores, 4
//   ranks on 2 cores. Processes are started by mpirun; while rank 0 runs all ranks of the program, the others
//   sleep. Five launches: `ratio` is the third best, so what it says holds in three of five.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cores.h"
#include "tilewire/tilewire.h"
#include "timing.h"
#ifdef TILEWIRE_BENCH_MPI
#include "mpi_side.h"
#endif

namespace {

using namespace bench;
using tilewire::Array;
using tilewire::Executable;
using tilewire::Program;

const std::string programs = TILEWIRE_SOURCE_DIR "/bench/comm/";

Executable compile(const std::string& file, const std::string& entry,
                   const std::vector<std::pair<std::string, std::string>>& constants = {}) {
  return Program::load(programs + file, constants).compile({.entry = entry});
}

tilewire::RunOptions on(int ranks, int threads = 2) {
  tilewire::RunOptions options;
  options.ranks = ranks;
  options.threads = threads;
  return options;
}

void heading() {
  printf("%-42s %10s  %-24s %10s %7s %8s\n", "", "ours", "beside", "theirs", "ratio", "goal");
}

// `faster`: theirs over ours is to be at least the goal; otherwise ours over theirs at most.
void row(const std::string& name, double ours, const char* peer, double theirs, double ratio, double goal,
         bool faster) {
  bool met = goal == 0 || (faster ? ratio >= goal : ratio <= goal);
  std::string wanted;
  if (goal != 0) {
    char text[32];
    snprintf(text, sizeof text, "%s %.2f", faster ? ">=" : "<=", goal);
    wanted = text;
  }
  printf("%-42s %10s  %-24s %10s %7.2f %8s%s\n", name.c_str(), show_time(ours).c_str(), peer,
         show_time(theirs).c_str(), ratio, wanted.c_str(),
         !(ours > 0) ? "  not measured"
         : met       ? ""
                     : "  missed");
  fflush(stdout);
}

// Signals.

void signals() {
  Executable set = compile("pingpong.py", "pingpong"),
             add = compile("pingpong.py", "pingpong", {{"ADD", "True"}});
  auto ours = [](const Executable& exe) { return [&exe](int rounds) { exe({int64_t{rounds}}, on(2)); }; };
  int rounds = quick ? 20'000 : 200'000;
  std::vector<double> t = measure({{ours(set), rounds},
                                   {ours(add), rounds},
                                   {[](int n) { raw_signal(false, n); }, rounds},
                                   {[](int n) { raw_signal(true, n); }, rounds}},
                                  quick ? 3 : 9);
  for (double& each : t) each /= 2;  // a round is there and back
  double floor = std::min(t[2], t[3]);
  row("one-way signal, set", t[0], t[2] < t[3] ? "store" : "exchange", floor, t[0] / floor, 1.15, false);
  row("one-way signal, add", t[1], t[2] < t[3] ? "store" : "exchange", floor, t[1] / floor, 0, false);
  row("raw store", t[2], "raw exchange", t[3], t[2] / t[3], 0, false);
}

// Copies.

void copies() {
  constexpr int64_t elements = 16 << 20;
  Executable put = compile("put.py", "put");
  Pages source_pages(elements * 4), target_pages(elements * 4);
  float *source = source_pages.floats(), *target = target_pages.floats();
  Array x = Array::of(source, {1, elements});
  std::vector<double> t = measure({{[&](int n) {
                                      put({x, int64_t{n}}, on(2));
                                    },
                                    6},
                                   {[&](int n) {
                                      for (int i = 0; i < n; ++i) {
                                        memcpy(target, source, elements * 4);
                                        asm volatile("" ::"r"(target) : "memory");
                                      }
                                    },
                                    6}},
                                  quick ? 3 : 9);
  row("put of 64 MB", t[0], "memcpy", t[1], t[1] / t[0], 0.95, true);
}

// Dispatch.

void dispatches() {
  Executable plain = compile("empty.py", "plain"), windowed = compile("empty.py", "windowed");
  auto many = [](const Executable& exe) {
    return Loop{[&exe](int n) {
                  for (int i = 0; i < n; ++i) exe({}, on(4, 0));
                },
                quick ? 200 : 2000};
  };
  std::vector<double> t = measure({many(plain), many(windowed)}, quick ? 3 : 9);
  row("dispatch, empty program of 4 ranks", t[0], "60 us", 60e-6, t[0] / 60e-6, 1, false);
  row("dispatch, 4 ranks and a window", t[1], "60 us", 60e-6, t[1] / 60e-6, 0, false);
}

#ifdef TILEWIRE_BENCH_MPI

// Sums over all ranks.

struct Size {
  int64_t elements;
  double goal[2];  // for 2 and 4 ranks
};
const Size sizes[] = {{1, {0.9, 1.5}}, {16, {0, 1.5}},    {256, {1.5, 1.5}}, {4096, {4, 5}},
                      {65536, {4, 5}}, {1 << 20, {4, 5}}, {16 << 20, {4, 5}}};

// The forms of bench/comm/allreduce.py.
struct Form {
  const char* name;
  const char* entry;
  int64_t least, most;  // elements it is measured with
  bool by_shares;       // works on one share after the other
};
const Form forms[] = {{"one-shot", "by_one_shot", 1, 4096, false},
                      {"two-shot", "by_two_shot", 1, 1 << 30, true},
                      {"streamed", "by_stream", 1 << 17, 1 << 30, true}};

// Goals are for two-shot sums; by pieces where the whole would go through memory three times.
bool has_goal(const Form& form, int64_t elements) {
  return form.name == std::string(elements > 4 << 20 ? "streamed" : "two-shot");
}

// A form of ours, checked, ready to be timed. `y` is where it puts what it read.
std::function<void(int)> our_sum(const Form& form, int ranks, int64_t elements, std::vector<float>& y) {
  Executable exe = compile("allreduce.py", form.entry,
                           {{"RANKS", std::to_string(ranks)}, {"ELEMENTS", std::to_string(elements)}});
  int64_t share = std::max(elements / ranks, std::min<int64_t>(elements, 16));
  int64_t chunk = chunk_of(form.by_shares ? share : elements);
  y.assign(ranks, 0);
  Array out = Array::of(y.data(), {ranks, 1, 1});
  auto run = [exe, out, ranks](int k) { exe({int64_t{k}, out}, on(ranks)); };
  constexpr int rounds = 11;
  run(rounds);
  double want = 0;  // small integers: exact
  for (int i = 0; i < rounds; ++i) want += i % 8 * ranks + ranks * (ranks - 1) / 2;
  want *= static_cast<double>(elements / chunk);
  for (float each : y) {
    if (each == want) continue;
    fprintf(stderr, "wrong sum of %s: %g in place of %g\n", form.name, static_cast<double>(each), want);
    exit(1);
  }
  return run;
}

struct Result {
  int form;
  long long elements;
  double ours, theirs;
};

// All forms and the peer in turns for one size; a line of Result for each form, from rank 0.
void sums_of(int64_t n, int rank, int ranks) {
  Pages operand_pages(n * 4), result_pages(n * 4);
  float *operand = operand_pages.floats(), *result = result_pages.floats();
  MpiSum apart{operand, result, n}, in_place{result, result, n};
  std::vector<double> theirs, theirs_in_place;
  std::vector<float> y[std::size(forms)];
  std::vector<Loop> ours(std::size(forms));
  for (size_t k = 0; k < std::size(forms); ++k) {
    if (rank != 0 || n < forms[k].least || n > forms[k].most) continue;
    ours[k] = timed_loop(our_sum(forms[k], ranks, n, y[k]));
  }
  for (int i = 0; i < (quick ? 3 : 7); ++i) {
    auto our_turn = [&] {
      for (Loop& loop : ours) {
        if (loop.run) loop.repeat();
      }
    };
    in_turns(rank, ranks, our_turn, [&] {
      int rounds = rounds_for(apart.once(10, rank));
      theirs.push_back(apart.once(rounds, rank));
      theirs_in_place.push_back(in_place.once(rounds, rank));
    });
  }
  for (size_t k = 0; k < std::size(forms); ++k) {
    if (!ours[k].run) continue;
    printf("%zu %lld %g %g\n", k, static_cast<long long>(n), ours[k].round(),
           std::min(typical(theirs), typical(theirs_in_place)));
    fflush(stdout);
  }
}

// What every process started by mpirun does.
void sums_by_mpi(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tilewire::init("local");  // rank 0 runs all ranks of a program
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Size& size : sizes) {
    if (!quick || size.elements <= 1 << 20) sums_of(size.elements, rank, ranks);
  }
  MPI_Finalize();
}

void sums(const std::string& program) {
  for (int ranks : {2, 4}) {
    std::map<std::pair<long long, int>, std::vector<Result>> found;
    for (int i = 0; i < (quick ? 1 : 5); ++i) {
      launch(program, ranks, "", [&](const char* line) {
        Result each;
        if (sscanf(line, "%d %lld %lg %lg", &each.form, &each.elements, &each.ours, &each.theirs) != 4)
          return;
        found[{each.elements, each.form}].push_back(each);
      });
    }
    for (auto& [key, all] : found) {
      const Form& form = forms[key.second];
      const Size* size =
          std::find_if(sizes, std::end(sizes), [&](auto& s) { return s.elements == key.first; });
      std::sort(all.begin(), all.end(),
                [](const Result& a, const Result& b) { return a.theirs / a.ours > b.theirs / b.ours; });
      const Result& third = all[all.size() / 2];
      row("sum over " + std::to_string(ranks) + " ranks, " + show_size(key.first * 4) + ", " + form.name,
          third.ours, "MPI_Allreduce", third.theirs, third.theirs / third.ours,
          has_goal(form, key.first) ? size->goal[ranks == 4] : 0, true);
    }
  }
}

#endif

}  // namespace

int main(int argc, char** argv) {
  [[maybe_unused]] bool by_mpi = false;
  for (int i = 1; i < argc; ++i) {
    quick |= argv[i] == std::string("--quick");
    best |= argv[i] == std::string("--best");
    by_mpi |= argv[i] == std::string("--mpi");
  }
  try {
#ifdef TILEWIRE_BENCH_MPI
    if (by_mpi) {
      sums_by_mpi(argc, argv);
      return 0;
    }
#endif
    heading();
    signals();
    copies();
    dispatches();
#ifdef TILEWIRE_BENCH_MPI
    sums(argv[0]);
#else
    printf("sums over ranks are left out: there was no MPI when this was built\n");
#endif
  } catch (const tilewire::Error& error) {
    fputs(error.what(), stderr);
    return 1;
  }
}
