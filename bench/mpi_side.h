// The peer's side of benchmarks beside Open MPI. A benchmark starts itself with mpirun; every process runs
// the peer, and rank 0 runs all ranks of our program while the others sleep. So both sides are measured in
// one run, in turns.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "timing.h"

namespace bench {

// One core for each process of the peer's side, all (-1) for the threads of ours.
inline void use_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (core < 0 || i == core) CPU_SET(i, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}

// Until all have called it; who waits does not use a core.
inline void meet_asleep() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// One repetition: `ours` on rank 0 with every core, then `theirs` on all, with a core each where there are
// enough.
inline void in_turns(int rank, int ranks, const std::function<void()>& ours,
                     const std::function<void()>& theirs) {
  meet_asleep();
  if (rank == 0) {
    use_core(-1);
    ours();
  }
  meet_asleep();
  if (ranks <= 2) use_core(rank);
  theirs();
}

// Seconds a round, of the slowest process.
inline double slowest_round(int rounds, const std::function<void(int)>& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  double mine = seconds([&] { run(rounds); }) / rounds, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

// Starts `program` in `ranks` processes and hands each line that they print to `line`. More ranks than cores
// give way to each other.
inline void launch(const std::string& program, int ranks, const std::string& options,
                   const std::function<void(const char*)>& line) {
  std::string command = "mpirun --allow-run-as-root --oversubscribe --bind-to none" +
                        std::string(ranks > 2 ? " --mca mpi_yield_when_idle 1" : "") + " -n " +
                        std::to_string(ranks) + " '" + program + "' --mpi" + (quick ? " --quick" : "") +
                        (best ? " --best" : "") + options;
  FILE* pipe = popen(command.c_str(), "r");
  char text[256];
  while (pipe && fgets(text, sizeof text, pipe)) line(text);
  if (pipe && pclose(pipe) == 0) return;
  fprintf(stderr, "failed: %s\n", command.c_str());
  exit(1);
}

}  // namespace bench
