// The peer's side of benchmarks beside Open MPI. A benchmark starts itself with mpirun; every process runs
// the peer, and rank 0 runs all ranks of our program while the others sleep. So both sides are measured in
// one run, in turns.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "cores.h"
#include "timing.h"

namespace bench {

// A barrier in memory of all processes; not in a window of MPI, so that MPI runs as in a program without any.
inline pthread_barrier_t* shared_barrier() {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string name = "/tilewire-bench-" + std::to_string(id);
  size_t bytes = sizeof(pthread_barrier_t);
  int file = -1;
  if (rank == 0) {
    file = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) perror(name.c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) file = shm_open(name.c_str(), O_RDWR, 0);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(file);
  auto* barrier = static_cast<pthread_barrier_t*>(memory);
  if (rank == 0) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &attributes, static_cast<unsigned>(ranks));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) shm_unlink(name.c_str());
  return barrier;
}

// Until all have called it. Who waits sleeps until the last one wakes it: looking for a message now and then
// would take time from whoever works.
inline void meet_asleep() {
  static pthread_barrier_t* barrier = shared_barrier();
  pthread_barrier_wait(barrier);
}

// One repetition: `ours` on rank 0 with every core, then `theirs` on all, with a core each where there are
// enough.
inline void in_turns(int rank, int ranks, const std::function<void()>& ours,
                     const std::function<void()>& theirs) {
  meet_asleep();
  if (rank == 0) ours();
  meet_asleep();
  std::optional<Pinned> pinned;
  if (ranks <= 2) pinned.emplace(rank);
  theirs();
}

// Seconds a round, of the slowest process.
inline double slowest_round(int rounds, const std::function<void(int)>& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  double mine = seconds([&] { run(rounds); }) / rounds, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

// What is read at a time.
inline int64_t chunk_of(int64_t elements) {
  return std::min<int64_t>(elements, 2048);
}

// The rounds of bench/comm/allreduce.py by MPI: operand written, summed, result read. `operand` may be the
// result, which is then summed in place.
struct MpiSum {
  float* operand;
  float* result;
  int64_t elements;
  float seen = 0;

  void run(int rounds, int rank) {
    int64_t chunk = chunk_of(elements);
    for (int i = 0; i < rounds; ++i) {
      std::fill(operand, operand + elements, static_cast<float>(i % 8 + rank));
      MPI_Allreduce(operand == result ? MPI_IN_PLACE : operand, result, static_cast<int>(elements), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
      for (int64_t first = 0; first < elements; first += chunk) seen += average(result + first, chunk);
    }
  }
  double once(int rounds, int rank) {
    return slowest_round(rounds, [&](int n) { run(n, rank); });
  }
};

// Runs a command and hands each line that it prints to `line`.
inline void run_lines(const std::string& command, const std::function<void(const char*)>& line) {
  FILE* pipe = popen(command.c_str(), "r");
  char text[256];
  while (pipe && fgets(text, sizeof text, pipe)) line(text);
  if (pipe && pclose(pipe) == 0) return;
  fprintf(stderr, "failed: %s\n", command.c_str());
  exit(1);
}

// Starts `program` in `ranks` processes. More ranks than cores give way to each other.
inline void launch(const std::string& program, int ranks, const std::string& options,
                   const std::function<void(const char*)>& line) {
  const std::string yields = ranks > 2 ? " --mca mpi_yield_when_idle 1" : "";
  run_lines("mpirun --allow-run-as-root --oversubscribe --bind-to none" + yields + " -n " +
                std::to_string(ranks) + " '" + program + "' --mpi" + (quick ? " --quick" : "") +
                (best ? " --best" : "") + options,
            line);
}

}  // namespace bench
