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
//
// Times of loops inside one dispatch are differences between many rounds and few, so that starting costs
// nothing. Medians of repetitions taken in turns, or with --best the least times, for a machine that others
// use too.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tilewire/tilewire.h"
#ifdef TILEWIRE_BENCH_MPI
#include <mpi.h>
#endif

namespace {

using tilewire::Array;
using tilewire::Executable;
using tilewire::Program;

const std::string programs = TILEWIRE_SOURCE_DIR "/bench/comm/";
bool quick = false, best = false;

double seconds(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double typical(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[best ? 0 : values.size() / 2];
}

// A loop whose length is an argument. A repetition times few rounds and many; what more rounds take longer is
// the time of a round.
struct Loop {
  std::function<void(int)> run = {};
  int rounds = 0;
  std::vector<double> few = {}, many = {};

  void repeat() {
    run(1);  // windows are mapped and touched before anything is timed, whatever ran before
    few.push_back(seconds([&] { run(1); }));
    many.push_back(seconds([&] { run(1 + rounds); }));
  }
  double round() const { return std::max(typical(many) - typical(few), 0.0) / rounds; }
};

// Takes the loops in turns, so that a busy moment hits all of them.
std::vector<double> measure(std::vector<Loop> loops, int repetitions) {
  for (Loop& loop : loops) loop.run(2);
  for (int i = 0; i < repetitions; ++i) {
    for (Loop& loop : loops) loop.repeat();
  }
  std::vector<double> result;
  for (const Loop& loop : loops) result.push_back(loop.round());
  return result;
}

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

std::string show_time(double s) {
  char text[32];
  if (s < 1e-6) {
    snprintf(text, sizeof text, "%.1f ns", s * 1e9);
  } else if (s < 1e-3) {
    snprintf(text, sizeof text, "%.2f us", s * 1e6);
  } else {
    snprintf(text, sizeof text, "%.2f ms", s * 1e3);
  }
  return text;
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

struct alignas(128) Cell {
  std::atomic<int32_t> value{0};
};

// The second player; it lives through all rounds, as a worker does.
template <class Send>
void rally(int rounds, const Send& send) {
  Cell cells[2];
  auto play = [&](int me) {
    for (int i = 0; i < rounds; ++i) {
      auto wait = [&] {
        while (cells[me].value.load(std::memory_order_acquire) < i + 1) {
        }
      };
      if (me == 1) wait();
      send(cells[1 - me].value, i + 1);
      if (me == 0) wait();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
}

void signals() {
  Executable set = compile("pingpong.py", "pingpong"),
             add = compile("pingpong.py", "pingpong", {{"ADD", "True"}});
  auto ours = [](const Executable& exe) { return [&exe](int rounds) { exe({int64_t{rounds}}, on(2)); }; };
  int rounds = quick ? 20'000 : 200'000;
  std::vector<double> t = measure(
      {{ours(set), rounds},
       {ours(add), rounds},
       {[](int n) { rally(n, [](auto& cell, int v) { cell.store(v, std::memory_order_release); }); }, rounds},
       {[](int n) { rally(n, [](auto& cell, int v) { cell.exchange(v); }); }, rounds}},
      quick ? 3 : 9);
  for (double& each : t) each /= 2;  // a round is there and back
  double floor = std::min(t[2], t[3]);
  row("one-way signal, set", t[0], t[2] < t[3] ? "store" : "exchange", floor, t[0] / floor, 1.15, false);
  row("one-way signal, add", t[1], t[2] < t[3] ? "store" : "exchange", floor, t[1] / floor, 0, false);
  row("raw store", t[2], "raw exchange", t[3], t[2] / t[3], 0, false);
}

// Copies.

void* pages(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  memset(memory, 1, bytes);
  return memory;
}

void copies() {
  constexpr int64_t elements = 16 << 20;
  Executable put = compile("put.py", "put");
  auto* source = static_cast<float*>(pages(elements * 4));
  auto* target = static_cast<float*>(pages(elements * 4));
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
  munmap(source, elements * 4);
  munmap(target, elements * 4);
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
  bool measured_against_goals;
};
const Form forms[] = {{"one-shot", "by_one_shot", 1, 4096, false, false},
                      {"two-shot", "by_two_shot", 1, 1 << 30, true, true},
                      {"streamed", "by_stream", 1 << 17, 1 << 30, true, false}};

std::string show_size(int64_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MB";
  if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KB";
  return std::to_string(bytes) + " B";
}

// What is written and read at a time.
int64_t chunk_of(int64_t elements) {
  return std::min<int64_t>(elements, 2048);
}

// One core for each process of the peer's side, all for the threads of ours.
void use_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (core < 0 || i == core) CPU_SET(i, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}

// Until all have called it; who waits does not use a core.
void meet_asleep() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The rounds of bench/comm/allreduce.py by MPI: operand written, summed, result read. `operand` may be the
// result, which is then summed in place.
struct MpiSum {
  float* operand;
  float* result;
  int64_t elements;
  std::vector<float> seen = std::vector<float>(chunk_of(elements));

  void run(int rounds, int rank) {
    int64_t chunk = chunk_of(elements);
    for (int i = 0; i < rounds; ++i) {
      std::fill(operand, operand + elements, static_cast<float>(i % 8 + rank));
      MPI_Allreduce(operand == result ? MPI_IN_PLACE : operand, result, static_cast<int>(elements), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
      for (int64_t first = 0; first < elements; first += chunk) {
        for (int64_t j = 0; j < chunk; ++j) seen[j] += result[first + j];
      }
    }
  }
  // Seconds a round, of the slowest process.
  double once(int rounds, int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    double mine = seconds([&] { run(rounds, rank); }) / rounds, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
  }
};

// A form of ours, checked, ready to be timed. `y` is where it puts what it read.
std::function<void(int)> our_sum(const Form& form, int ranks, int64_t elements, std::vector<float>& y) {
  Executable exe = compile("allreduce.py", form.entry,
                           {{"RANKS", std::to_string(ranks)}, {"ELEMENTS", std::to_string(elements)}});
  int64_t share = std::max(elements / ranks, std::min<int64_t>(elements, 16));
  int64_t chunk = chunk_of(form.by_shares ? share : elements);
  y.assign(ranks * chunk, 0);
  Array out = Array::of(y.data(), {ranks, 1, chunk});
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

// For a measurement of about 20 ms.
int rounds_for(double round) {
  return static_cast<int>(std::clamp(0.02 / std::max(round, 1e-9), 3.0, 20000.0));
}

struct Result {
  int form;
  long long elements;
  double ours, theirs;
};

// All forms and the peer in turns for one size; a line of Result for each form, from rank 0.
void sums_of(int64_t n, int rank, int ranks) {
  auto* operand = static_cast<float*>(pages(n * 4));
  auto* result = static_cast<float*>(pages(n * 4));
  MpiSum apart{operand, result, n}, in_place{result, result, n};
  std::vector<double> theirs, theirs_in_place;
  std::vector<float> y[std::size(forms)];
  std::vector<Loop> ours(std::size(forms));
  for (size_t k = 0; k < std::size(forms); ++k) {
    if (rank != 0 || n < forms[k].least || n > forms[k].most) continue;
    ours[k] = Loop{our_sum(forms[k], ranks, n, y[k]), 10};
    ours[k].repeat();
    ours[k] = Loop{ours[k].run, rounds_for(ours[k].round())};
  }
  for (int i = 0; i < (quick ? 3 : 7); ++i) {
    meet_asleep();
    if (rank == 0) use_core(-1);
    for (Loop& loop : ours) {
      if (loop.run) loop.repeat();
    }
    meet_asleep();
    if (ranks == 2) use_core(rank);
    int rounds = rounds_for(apart.once(10, rank));
    theirs.push_back(apart.once(rounds, rank));
    theirs_in_place.push_back(in_place.once(rounds, rank));
  }
  for (size_t k = 0; k < std::size(forms); ++k) {
    if (!ours[k].run) continue;
    printf("%zu %lld %g %g\n", k, static_cast<long long>(n), ours[k].round(),
           std::min(typical(theirs), typical(theirs_in_place)));
    fflush(stdout);
  }
  munmap(operand, n * 4);
  munmap(result, n * 4);
}

// What every process started by mpirun does.
void sums_by_mpi(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const Size& size : sizes) {
    if (!quick || size.elements <= 1 << 20) sums_of(size.elements, rank, ranks);
  }
  MPI_Finalize();
}

void launch(const std::string& command, std::map<std::pair<long long, int>, std::vector<Result>>& found) {
  FILE* pipe = popen(command.c_str(), "r");
  Result each;
  while (pipe && fscanf(pipe, "%d %lld %lg %lg", &each.form, &each.elements, &each.ours, &each.theirs) == 4) {
    found[{each.elements, each.form}].push_back(each);
  }
  if (pipe && pclose(pipe) == 0) return;
  fprintf(stderr, "failed: %s\n", command.c_str());
  exit(1);
}

void sums(const std::string& program) {
  for (int ranks : {2, 4}) {
    std::string command = "mpirun --allow-run-as-root --oversubscribe --bind-to none" +
                          std::string(ranks > 2 ? " --mca mpi_yield_when_idle 1" : "") + " -n " +
                          std::to_string(ranks) + " '" + program + "' --mpi" + (quick ? " --quick" : "") +
                          (best ? " --best" : "");
    std::map<std::pair<long long, int>, std::vector<Result>> found;
    for (int i = 0; i < (quick ? 1 : 5); ++i) launch(command, found);
    for (auto& [key, all] : found) {
      const Form& form = forms[key.second];
      const Size* size =
          std::find_if(sizes, std::end(sizes), [&](auto& s) { return s.elements == key.first; });
      std::sort(all.begin(), all.end(),
                [](const Result& a, const Result& b) { return a.theirs / a.ours > b.theirs / b.ours; });
      const Result& third = all[all.size() / 2];
      row("sum over " + std::to_string(ranks) + " ranks, " + show_size(key.first * 4) + ", " + form.name,
          third.ours, "MPI_Allreduce", third.theirs, third.theirs / third.ours,
          form.measured_against_goals ? size->goal[ranks == 4] : 0, true);
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
