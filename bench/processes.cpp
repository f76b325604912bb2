// Ranks in several processes of one host beside Open MPI, all in one run.
//
//     build/release/bench/processes [--quick]
//
// - signals: one-way notify to wait between two processes, beside a number that two processes pass on in
//   shared memory; and how fast each reads the other's memory, both at once;
// - the sum of an array over 2 ranks in 2 processes, and over 4 ranks in 2 processes, beside MPI_Allreduce in
//   as many processes as ranks, on 2 cores. Both sides write the operand and read the result in every round;
// - calls: what one takes from entry to return, in every process.
//
// The program starts itself with mpirun. Our turns and the peer's take a few milliseconds each and follow
// each other; what is shown is the best turn of either side, because other programs of the machine only ever
// add time.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef TILEWIRE_BENCH_MPI
#include "world_side.h"
#endif

#ifndef TILEWIRE_BENCH_MPI

int main() {
  printf("there was no MPI when this was built\n");
}

#else

namespace {

using namespace bench;
using tilewire::Array;
using tilewire::Executable;

constexpr int processes = 2;  // of our world

const Row signal_row{"one-way signal", "raw store", 1.15, true};
const Row read_row{"reading 64 MB of the other process", "", 0, false};
const Row call_rows[] = {{"call, empty kernels", "", 0, false},
                         {"call, a window", "", 0, false},
                         {"call, windows and an array of 4 B a rank", "", 0, false},
                         {"call, windows and an array of 1 MB a rank", "", 0, false}};

struct Size {
  int64_t bytes;
  double goal[2];  // for 2 and 4 ranks
};
const Size sizes[] = {{4, {1.5, 2}},         {1 << 10, {0, 2}}, {16 << 10, {5, 2}},
                      {256 << 10, {2.5, 2}}, {4 << 20, {2, 2}}, {64 << 20, {2.5, 2}}};

// The forms of a sum: the collective, and for more than the caches hold, by pieces
// (bench/collectives/rounds.py); and written in the language (bench/comm/allreduce.py).
const Form forms[] = {{"collective", "collectives/rounds.py", "allreduce", 0, 64 << 20},
                      {"by pieces", "collectives/rounds.py", "allreduce_by_pieces", 16 << 20, 64 << 20},
                      {"one-shot", "comm/allreduce.py", "by_one_shot", 0, 16 << 10},
                      {"two-shot", "comm/allreduce.py", "by_two_shot", 256 << 10, 64 << 20},
                      {"streamed", "comm/allreduce.py", "by_stream", 16 << 20, 64 << 20}};

// --- in the processes that mpirun has started

// Memory of both processes of our world.
std::byte* shared_memory(size_t bytes) {
  int id = getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const std::string name = "/tilewire-bench-memory-" + std::to_string(id);
  int file = -1;
  if (place.rank == 0) file = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
  if (place.rank == 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) perror(name.c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  if (place.rank != 0) file = shm_open(name.c_str(), O_RDWR, 0);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (place.rank == 0) shm_unlink(name.c_str());
  return static_cast<std::byte*>(memory);
}

void signals() {
  Executable set = compile("comm/pingpong.py", "pingpong");
  auto* cells = reinterpret_cast<Cell*>(shared_memory(2 * sizeof(Cell)));
  int64_t base = 0;
  auto raw = [&](int rounds) {
    for (int64_t i = base + 1; i <= base + rounds; ++i) {
      if (place.rank == 0) cells[1].value.store(i, std::memory_order_release);
      while (cells[place.rank].value.load(std::memory_order_acquire) < i) {
      }
      if (place.rank == 1) cells[0].value.store(i, std::memory_order_release);
    }
    base += rounds;
  };
  Turns turns([&](int rounds) { set({int64_t{rounds}}, on(2)); }, raw);
  turns.measure(repetitions(4));
  if (place.rank == 0) say("signal", turns.ours() / 2, turns.theirs() / 2);
}

void reads() {
  constexpr int64_t count = (64 << 20) / sizeof(uint64_t);
  auto* memory = reinterpret_cast<uint64_t*>(shared_memory(2 * count * sizeof(uint64_t)));
  std::fill_n(memory + place.rank * count, count, 1);
  const uint64_t* other = memory + (1 - place.rank) * count;
  volatile uint64_t seen = 0;
  Turns turns({}, [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      uint64_t sum = 0;
      for (int64_t k = 0; k < count; ++k) sum += other[k];
      seen = seen + sum;
    }
  });
  turns.measure(repetitions(count * sizeof(uint64_t)));
  if (place.rank == 0) say("read", turns.theirs(), 0);
}

void sums() {
  for (const Size& size : sizes) {
    if (quick && size.bytes > 4 << 20) continue;
    const int64_t elements = size.bytes / 4;
    Pages operand_pages(size.bytes), result_pages(size.bytes);
    MpiSum apart{operand_pages.floats(), result_pages.floats(), elements};
    MpiSum in_place{result_pages.floats(), result_pages.floats(), elements};
    for (size_t k = 0; k < std::size(forms); ++k) {
      const Form& form = forms[k];
      if (size.bytes < form.least || size.bytes > form.most) continue;
      std::function<void(int)> run = [](int) {};
      if (place.ours()) run = our_sum(form, place.ranks, elements);
      double ours = INFINITY, theirs = INFINITY;
      for (MpiSum* sum : {&apart, &in_place}) {
        Turns turns(run, [&](int rounds) { sum->run(rounds, place.rank); });
        turns.measure(repetitions(size.bytes));
        ours = std::min(ours, turns.ours());
        theirs = std::min(theirs, turns.theirs());
      }
      if (place.rank == 0) say("sum" + std::to_string(k) + "-" + std::to_string(size.bytes), ours, theirs);
    }
  }
}

void calls() {
  Executable plain = compile("comm/empty.py", "plain"), windowed = compile("comm/empty.py", "windowed");
  Executable small = compile("processes/rows.py", "double_rows", 2, 1);
  Executable large = compile("processes/rows.py", "double_rows", 2, 1 << 18);
  std::vector<float> x(2 << 18), y(2 << 18);
  const std::function<void()> each[] = {
      [&] { plain({}, on(2)); }, [&] { windowed({}, on(2)); },
      [&] {
        small({Array::of(x.data(), {2, 1}), Array::of(y.data(), {2, 1})}, on(2));
      },
      [&] {
        large({Array::of(x.data(), {2, 1 << 18}), Array::of(y.data(), {2, 1 << 18})}, on(2));
      }};
  for (size_t i = 0; i < std::size(each); ++i) {
    Turns turns(
        [&](int rounds) {
          for (int k = 0; k < rounds; ++k) each[i]();
        },
        {});
    turns.measure(repetitions(4));
    if (place.rank == 0) say("call" + std::to_string(i), turns.ours(), 0);
  }
}

void process(int argc, char** argv) {
  join_mpi(argc, argv, MPI_THREAD_SINGLE);
  std::optional<Pinned> pinned;
  if (place.ours()) {
    // With 4 ranks the first two processes are a world of their own; MPI has a process for each.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
      setenv(name, std::to_string(processes).c_str(), 1);
    }
    if (place.ranks == processes) pinned.emplace(place.rank);
    tilewire::init();
  } else {
    tilewire::init("local");
  }
  if (place.ranks == processes) {
    signals();
    reads();
    calls();
  }
  sums();
  MPI_Finalize();
}

// --- in the one that was started

void beside_mpi(const std::string& program) {
  for (int ranks : {2, 4}) {
    BestTimes found;
    for (int i = 0; i < (quick ? 1 : 3); ++i) {
      launch(program, ranks, "", [&](const char* line) { collect(line, found); });
    }
    if (ranks == processes) {
      show(signal_row, found["signal"]);
      const Best read = found["read"];
      show(read_row, read, "  " + std::to_string(static_cast<int>((64 << 20) / read.ours * 1e-9)) + " GB/s");
      for (size_t i = 0; i < std::size(call_rows); ++i) {
        show(call_rows[i], found["call" + std::to_string(i)]);
      }
    }
    for (const Size& size : sizes) {
      Best best;
      std::vector<std::pair<const Form*, double> > times;
      for (size_t k = 0; k < std::size(forms); ++k) {
        const auto one = found.find("sum" + std::to_string(k) + "-" + std::to_string(size.bytes));
        if (one == found.end()) continue;
        times.emplace_back(&forms[k], one->second.ours);
        best.take(one->second);
      }
      for (const auto& [form, time] : times) {
        const std::string name = "sum of " + show_size(size.bytes) + ", " + std::to_string(ranks) +
                                 " ranks in 2 processes, " + form->name;
        const double goal = time == best.ours ? size.goal[ranks == 4] : 0;  // for the best form
        show({name.c_str(), "MPI_Allreduce", goal, false}, {time, best.theirs});
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_beside_mpi(argc, argv, process, beside_mpi);
}

#endif
