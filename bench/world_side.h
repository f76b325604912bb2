// Benchmarks of a world of processes beside MPI. A benchmark starts itself with mpirun; in each process our
// turns and those of MPI follow each other, and what process 0 says is collected by the one that was started.
#pragma once

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpi_side.h"
#include "tilewire/tilewire.h"
#include "timing.h"

namespace bench {

// --- rows: printed by process 0 of each launch, collected by the one that was started

struct Row {
  const char* name;
  const char* peer;
  double goal;  // ours over theirs at most for `least`, else theirs over ours at least; 0: none
  bool least;
};

struct Best {
  double ours = INFINITY, theirs = INFINITY;

  void take(const Best& other) {
    ours = std::min(ours, other.ours);
    theirs = std::min(theirs, other.theirs);
  }
};
using BestTimes = std::map<std::string, Best>;

inline void say(const std::string& key, double ours, double theirs) {
  printf("%s %.9g %.9g\n", key.c_str(), ours, theirs);
  fflush(stdout);
}

// A line that was said.
inline void collect(const char* line, BestTimes& found) {
  char key[64];
  double ours, theirs;
  if (sscanf(line, "%63s %lg %lg", key, &ours, &theirs) == 3) found[key].take({ours, theirs});
}

// `more`: behind the rest.
inline void show(const Row& row, const Best& best, const std::string& more = "") {
  const double ratio = row.least ? best.ours / best.theirs : best.theirs / best.ours;
  const bool compared = *row.peer != 0;
  printf("%-52s %10s", row.name, show_time(best.ours).c_str());
  if (compared) printf("  %-14s %10s %7.2f", row.peer, show_time(best.theirs).c_str(), ratio);
  if (row.goal != 0) {
    const bool met = row.least ? ratio <= row.goal : ratio >= row.goal;
    printf("  %s %.2f%s", row.least ? "<=" : ">=", row.goal, met ? "" : "  missed");
  }
  printf("%s\n", more.c_str());
  fflush(stdout);
}

// --- in the processes that mpirun has started

struct Place {
  int rank = 0, ranks = 1;  // of MPI
  int processes = 2;        // of our world: the first ones
  bool ours() const { return rank < processes; }
};
inline Place place;

// Finds our place among the processes. `level`: what MPI is asked for, of its levels of threads.
inline void join_mpi(int argc, char** argv, int level) {
  int granted;
  MPI_Init_thread(&argc, &argv, level, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
}

// As often as it takes to see the machine at its best, in turns: ours in the processes of our world, theirs
// in all. The number of rounds is what process 0 found out to take a few milliseconds.
class Turns {
 public:
  // Both run so many rounds.
  Turns(std::function<void(int)> ours, std::function<void(int)> theirs, double length = 0.0015)
      : ours_{std::move(ours)}, theirs_{std::move(theirs)}, length_(length) {}

  void measure(int repetitions) {
    for (int i = 0; i < repetitions; ++i) {
      turn(ours_, place.ours());
      turn(theirs_, true);
    }
  }
  // Seconds a round, the time to start them taken off.
  double ours() const { return ours_.round(); }
  double theirs() const { return theirs_.round(); }

 private:
  struct Side {
    std::function<void(int)> run;
    int rounds = 0;
    double few = INFINITY, many = INFINITY;  // the least time of one round, and of one more than `rounds`
    double round() const { return run ? std::max(many - few, 0.0) / rounds : INFINITY; }
  };

  void turn(Side& side, bool takes_part) const {
    meet_asleep();
    if (!side.run) return;
    for (int probe = 8; side.rounds == 0; probe *= 8) {
      double few = INFINITY, many = INFINITY;
      for (int i = 0; i < 3 && takes_part; ++i) {
        few = std::min(few, seconds([&] { side.run(1); }));
        many = std::min(many, seconds([&] { side.run(1 + probe); }));
      }
      // A probe in which the start counts would leave too few rounds to take it off.
      if (place.rank == 0 && (many > 5 * few || many > 0.1)) {
        side.rounds = rounds_for(std::max(many - few, 1e-9) / probe, 2, length_);
      }
      MPI_Bcast(&side.rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    meet_asleep();
    if (!takes_part) return;
    side.few = std::min(side.few, seconds([&] { side.run(1); }));
    side.many = std::min(side.many, seconds([&] { side.run(1 + side.rounds); }));
  }

  Side ours_, theirs_;
  double length_;
};

inline int repetitions(int64_t bytes) {
  if (bytes > 1 << 20) return quick ? 3 : 15;
  return quick ? 20 : 100;
}

inline tilewire::RunOptions on(int ranks) {
  tilewire::RunOptions options;
  options.ranks = ranks;
  return options;
}

// `constants`: more that the file has.
using Constants = std::vector<std::pair<std::string, std::string>>;
inline tilewire::Executable compile(const std::string& file, const std::string& entry, int ranks = 2,
                                    int64_t elements = 1, Constants constants = {}) {
  constants.emplace_back("RANKS", std::to_string(ranks));
  constants.emplace_back("ELEMENTS", std::to_string(elements));
  return tilewire::Program::load(TILEWIRE_SOURCE_DIR "/bench/" + file, constants).compile({.entry = entry});
}

// A sum in a file, looped inside one dispatch.
struct Form {
  const char* name;
  const char* file;
  const char* entry;
  int64_t least, most;  // bytes
};

// A form of ours, checked.
inline std::function<void(int)> our_sum(const Form& form, int ranks, int64_t elements) {
  tilewire::Executable exe = compile(form.file, form.entry, ranks, elements);
  auto y = std::make_shared<std::vector<float>>(ranks);
  auto run = [exe, y, ranks](int rounds) {
    exe({int64_t{rounds}, tilewire::Array::of(y->data(), {ranks, 1, 1})}, on(ranks));
  };
  constexpr int rounds = 11;
  run(rounds);
  double want = 0;  // small integers: exact
  for (int i = 0; i < rounds; ++i) want += i % 8 * ranks + ranks * (ranks - 1) / 2;
  const bool by_shares = form.entry == std::string("by_two_shot");
  want *= static_cast<double>(elements / chunk_of(by_shares ? elements / ranks : elements));
  for (float each : *y) {
    if (each == want) continue;
    fprintf(stderr, "wrong sum of %s: %g in place of %g\n", form.name, static_cast<double>(each), want);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return run;
}

// --- both

// What main does: `process` in the processes that mpirun has started, `beside_mpi` in the one that was
// started. `option` takes the options that only this benchmark has.
inline int run_beside_mpi(
    int argc, char** argv, const std::function<void(int, char**)>& process,
    const std::function<void(const std::string&)>& beside_mpi,
    const std::function<void(const std::string&)>& option = [](const std::string&) {}) {
  bool by_mpi = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    quick |= word == "--quick";
    by_mpi |= word == "--mpi";
    option(word);
  }
  try {
    if (by_mpi) {
      process(argc, argv);
    } else {
      beside_mpi(argv[0]);
    }
    return 0;
  } catch (const tilewire::Error& error) {
    fputs(error.what(), stderr);
    return 1;
  }
}

}  // namespace bench
