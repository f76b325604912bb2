// The built-in collectives beside those of Open MPI, all in one run.
//
//     build/release/bench/collectives [--quick] [--best] [--only allreduce,4MB,2ranks] [--launches N]
//
// Both sides write the operand and read the result in every round; ours are looped inside one dispatch,
// operands in windows (bench/collectives/rounds.py). A size is that of the larger buffer of a rank. 2 ranks
// on 2 cores, 4 ranks on 2 cores. Five launches of mpirun: `ratio` is the third best, so what it says holds
// in three of five. `signal` is what one took from core to core meanwhile, in plain C++: a guest is moved
// about by its host, and its cores are now near, now far apart. `floor` is the same by hand on two threads
// (two_shot.h).
//
// `by pieces`: the program calls the collective for each piece of 512 KB as soon as that is written, and
// reads it while it is in the cache. That pays where the two cores share one; elsewhere the whole is faster,
// so a goal is met where either form meets it. The peer is one MPI_Allreduce of the whole array, as for the
// other rows; `both`: one for each piece.
//
// build/release/bench/collectives --table measures the modes of allreduce and writes the table behind
// mode="auto", src/target/cpu/allreduce_modes.def.
//
// Behind that: mode="auto" of allreduce beside its best mode; two calls beside one; whether the bits of sums
// are equal on all ranks and over 100 runs.
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "cores.h"
#include "tilewire/tilewire.h"
#include "timing.h"
#include "two_shot.h"
#ifdef TILEWIRE_BENCH_MPI
#include "mpi_side.h"
#endif

namespace {

using namespace bench;
using tilewire::Array;
using tilewire::Executable;
using tilewire::Program;

// --- what is measured

enum class Kind {
  Allreduce,
  SumByPieces,   // beside one call of the peer
  BothByPieces,  // beside one for each piece
  Broadcast,
  Allgather,
  ReduceScatter,
  AllToAll,
  AllToAllV,
  Barrier
};

struct Case {
  Kind kind;
  const char* name;
  const char* mode;  // of allreduce
  int64_t most;      // bytes it is measured with
};
const Case cases[] = {
    {Kind::Allreduce, "allreduce", "auto", 64 << 20},
    {Kind::Allreduce, "allreduce", "mesh", 1 << 20},
    {Kind::Allreduce, "allreduce", "two_shot", 64 << 20},
    {Kind::Allreduce, "allreduce", "ring", 64 << 20},
    {Kind::SumByPieces, "allreduce_by_pieces", "", 64 << 20},
    {Kind::BothByPieces, "allreduce_by_pieces", "", 64 << 20},
    {Kind::ReduceScatter, "reduce_scatter", "", 16 << 20},
    {Kind::Allgather, "allgather", "", 16 << 20},
    {Kind::AllToAll, "all_to_all", "", 16 << 20},
    {Kind::AllToAllV, "all_to_all_v", "", 16 << 20},
    {Kind::Broadcast, "broadcast", "", 16 << 20},
    {Kind::Barrier, "barrier", "", 4},
};
const int64_t sizes[] = {4, 64, 1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};

int repetitions() {
  return quick ? 3 : 7;
}

constexpr int64_t piece_bytes = 512 << 10;   // as in rounds.py
constexpr int64_t beyond_caches = 16 << 20;  // from here on sums by pieces are measured
constexpr int64_t floor_from = 256 << 10;    // with less to do, starting the threads is what would be seen

bool by_pieces(Kind kind) {
  return kind == Kind::SumByPieces || kind == Kind::BothByPieces;
}
bool is_sum(Kind kind) {
  return kind == Kind::Allreduce || by_pieces(kind);
}
bool has_blocks(Kind kind) {
  return !is_sum(kind) && kind != Kind::Broadcast && kind != Kind::Barrier;
}

// The ratio to reach; 0: none.
double goal(Kind kind, int64_t bytes, int ranks) {
  switch (kind) {
    case Kind::Allreduce:
    case Kind::SumByPieces:
      if (ranks == 2) return bytes <= 64 ? 0.9 : bytes <= 1 << 10 ? 1.5 : 4;
      return bytes <= 1 << 10 ? 1.5 : 5;
    case Kind::ReduceScatter:
      return bytes >= 16 << 10 ? 2 : 0;
    case Kind::Allgather:
    case Kind::AllToAll:
      if (bytes == 16 << 10) return 2;
      return ranks == 2 && bytes >= 256 << 10 && bytes <= 4 << 20 ? 1.2 : 0.7;
    default:
      return 0;
  }
}

// What the command line asks for; empty: all.
struct Choice {
  std::set<std::string> names, sizes, ranks;

  void add(const std::string& word) {
    auto end = [&](const char* text) { return word.size() > strlen(text) && word.ends_with(text); };
    (end("ranks") ? ranks : isdigit(word[0]) != 0 ? sizes : names).insert(word);
  }
  bool has(int n) const { return ranks.empty() || ranks.contains(std::to_string(n) + "ranks"); }
  bool has(const Case& c, int64_t bytes) const {
    std::string size = show_size(bytes);
    size.erase(size.find(' '), 1);
    return (sizes.empty() || sizes.contains(size)) &&
           (names.empty() || names.contains(c.name) || (*c.mode != 0 && names.contains(c.mode)));
  }
  std::string option() const {
    std::string text;
    for (const auto* each : {&names, &sizes, &ranks}) {
      for (const std::string& word : *each) text += (text.empty() ? " --only " : ",") + word;
    }
    return text;
  }
};
Choice choice;

bool measured(const Case& c, int64_t bytes, int ranks) {
  if (by_pieces(c.kind) && bytes < beyond_caches) return false;
  if (bytes > (quick ? std::min<int64_t>(c.most, 1 << 20) : c.most)) return false;
  return !(has_blocks(c.kind) && bytes < int64_t{4} * ranks) && choice.has(c, bytes);
}

tilewire::RunOptions on(int ranks) {
  tilewire::RunOptions options;
  options.ranks = ranks;
  options.threads = 2;
  return options;
}

Executable compile(const std::string& file, const std::string& entry, int ranks, int64_t elements,
                   const std::string& mode, int calls = 1) {
  return Program::load(TILEWIRE_SOURCE_DIR "/bench/collectives/" + file,
                       {{"RANKS", std::to_string(ranks)},
                        {"ELEMENTS", std::to_string(elements)},
                        {"MODE", "'" + (mode.empty() ? "auto" : mode) + "'"},
                        {"CALLS", std::to_string(calls)}})
      .compile({.entry = entry});
}

// What both sides read at a time.
int64_t tile_of(Kind kind, int64_t elements, int ranks) {
  if (kind == Kind::Barrier) return 1;
  return std::min<int64_t>(has_blocks(kind) ? elements / ranks : elements, 2048);
}

// The sum of all averages after `rounds` rounds of rounds.py. Small integers: exact.
double expected(const Case& c, int64_t elements, int ranks, int rounds) {
  double tiles = static_cast<double>(elements / tile_of(c.kind, elements, ranks)), sum = 0;
  for (int i = 0; i < rounds; ++i) {
    double of_all = i % 8 * ranks + ranks * (ranks - 1) / 2;
    if (c.kind == Kind::Broadcast) sum += i % 8 * tiles;
    if (is_sum(c.kind)) sum += of_all * tiles;
    if (has_blocks(c.kind)) sum += of_all * tiles / ranks;
    if (c.kind == Kind::Barrier) sum += 1;
  }
  return sum;
}

// Ours, ready to be timed. `checked`: against what it has to give.
std::function<void(int)> our_rounds(const Case& c, int64_t bytes, int ranks, int calls = 1,
                                    bool checked = true) {
  int64_t elements = bytes / 4;
  Executable exe = compile("rounds.py", c.name, ranks, elements, c.mode, calls);
  auto y = std::make_shared<std::vector<float>>(ranks);
  auto run = [exe, y, ranks](int rounds) {
    exe({int64_t{rounds}, Array::of(y->data(), {ranks, 1, 1})}, on(ranks));
  };
  run(11);
  double want = expected(c, elements, ranks, 11);
  for (float each : *y) {
    if (!checked || each == want) continue;
    fprintf(stderr, "%s %s of %s over %d ranks gave %g in place of %g\n", c.name, c.mode,
            show_size(bytes).c_str(), ranks, static_cast<double>(each), want);
    exit(1);
  }
  return run;
}

// --- tables

void heading() {
  printf("%-46s %10s %10s %10s %8s %7s %8s\n", "", "ours", "Open MPI", "floor", "signal", "ratio", "goal");
}

// At least, or with `most` at most.
const char* verdict(double value, double wanted, bool most = false) {
  return wanted == 0 ? "" : (most ? value <= wanted : value >= wanted) ? "  ok" : "  BELOW";
}

void compared(const std::string& name, double value, double wanted) {
  printf("%-87s %7.2f  <= %.2f%s\n", name.c_str(), value, wanted, verdict(value, wanted, true));
  fflush(stdout);
}

std::string title(const Case& c, int64_t bytes, int ranks) {
  return std::string(c.name) + (*c.mode != 0 ? " " : "") + c.mode +
         (c.kind == Kind::Barrier ? "" : ", " + show_size(bytes)) + ", " + std::to_string(ranks) + " ranks" +
         (c.kind == Kind::BothByPieces ? ", both" : "");
}

#ifdef TILEWIRE_BENCH_MPI

// --- the peer

// The rounds of rounds.py by MPI. `in_place`: where MPI can do with one buffer, it gets one.
class Peer {
 public:
  Peer(Kind kind, int64_t bytes, int rank, int ranks)
      : kind_(kind),
        rank_(rank),
        ranks_(ranks),
        elements_(bytes / 4),
        block_(has_blocks(kind) ? elements_ / ranks : elements_),
        piece_(kind == Kind::BothByPieces ? piece_bytes / 4 : elements_),
        tile_(tile_of(kind, elements_, ranks)),
        operand_(static_cast<size_t>(bytes)),
        result_(static_cast<size_t>(bytes)) {
    for (int r = 0; r < ranks; ++r) {
      counts_.push_back(static_cast<int>(block_));
      places_.push_back(static_cast<int>(block_) * r);
    }
  }

  // One more repetition of each way.
  void repeat() {
    auto rounds_of = [&](bool in_place) { return [this, in_place](int n) { run(n, in_place); }; };
    if (rounds_ == 0) rounds_ = rounds_for(slowest_round(10, rounds_of(false)));
    apart_.push_back(slowest_round(rounds_, rounds_of(false)));
    if (kind_ == Kind::Broadcast || kind_ == Kind::Barrier) return;
    in_place_.push_back(slowest_round(rounds_, rounds_of(true)));
  }
  // Seconds a round, of the slowest process, in the better way.
  double round() const {
    return in_place_.empty() ? typical(apart_) : std::min(typical(apart_), typical(in_place_));
  }

 private:
  void run(int rounds, bool in_place) {
    for (int i = 0; i < rounds && kind_ == Kind::Barrier; ++i) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds && kind_ != Kind::Barrier; ++i) {
      for (int64_t at = 0; at < elements_; at += piece_)
        round(static_cast<float>(i % 8 + rank_), at, in_place);
    }
  }

  void round(float value, int64_t at, bool in_place) {
    float *operand = operand_.floats() + at, *result = result_.floats() + at;
    bool gathers = kind_ == Kind::Allgather;
    if (in_place) operand = result + (gathers ? block_ * rank_ : 0);
    if (kind_ == Kind::Broadcast) result = operand;
    if (kind_ != Kind::Broadcast || rank_ == 0) std::fill_n(operand, gathers ? block_ : piece_, value);
    call(in_place ? MPI_IN_PLACE : operand, result);
    int64_t end = kind_ == Kind::ReduceScatter ? block_ : piece_;
    for (int64_t first = 0; first < end; first += tile_) seen_ += average(result + first, tile_);
    asm volatile("" ::"m"(seen_));
  }

  void call(void* operand, float* result) {
    int all = static_cast<int>(piece_), block = static_cast<int>(block_);
    switch (kind_) {
      case Kind::Allreduce:
      case Kind::SumByPieces:
      case Kind::BothByPieces:
        MPI_Allreduce(operand, result, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return;
      case Kind::Broadcast:
        MPI_Bcast(result, all, MPI_FLOAT, 0, MPI_COMM_WORLD);
        return;
      case Kind::Allgather:
        MPI_Allgather(operand, block, MPI_FLOAT, result, block, MPI_FLOAT, MPI_COMM_WORLD);
        return;
      case Kind::ReduceScatter:
        MPI_Reduce_scatter_block(operand, result, block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        return;
      case Kind::AllToAll:
        MPI_Alltoall(operand, block, MPI_FLOAT, result, block, MPI_FLOAT, MPI_COMM_WORLD);
        return;
      case Kind::AllToAllV:
        MPI_Alltoallv(operand, counts_.data(), places_.data(), MPI_FLOAT, result, counts_.data(),
                      places_.data(), MPI_FLOAT, MPI_COMM_WORLD);
        return;
      case Kind::Barrier:
        return;
    }
  }

  Kind kind_;
  int rank_, ranks_;
  int rounds_ = 0;  // that take 20 ms; 0: not known yet
  int64_t elements_, block_, piece_, tile_;
  Pages operand_, result_;
  float seen_ = 0;
  std::vector<int> counts_, places_;
  std::vector<double> apart_, in_place_;  // what repetitions took
};

// --- in every process that mpirun starts

// All cases of one kind and size and the peer in turns; a line for each case, from rank 0.
void measure_size(Kind kind, int64_t bytes, int rank, int ranks) {
  std::vector<std::pair<size_t, Loop>> ours;
  bool any = false;
  for (size_t k = 0; k < std::size(cases); ++k) {
    if (cases[k].kind != kind || !measured(cases[k], bytes, ranks)) continue;
    any = true;
    if (rank == 0) ours.emplace_back(k, timed_loop(our_rounds(cases[k], bytes, ranks)));
  }
  if (!any) return;
  Peer peer(kind, bytes, rank, ranks);
  std::optional<Loop> floor;
  if (rank == 0 && ranks == 2 && kind == Kind::Allreduce && bytes >= floor_from) {
    auto by_hand = std::make_shared<TwoShotByHand>(bytes / 4);
    floor = timed_loop([by_hand](int rounds) { by_hand->run(rounds); });
  }
  std::vector<double> signals;
  for (int i = 0; i < repetitions(); ++i) {
    auto our_turn = [&] {
      signals.push_back(raw_signal(true, 1000));
      for (auto& [k, loop] : ours) loop.repeat();
      if (floor) floor->repeat();
    };
    in_turns(rank, ranks, our_turn, [&] { peer.repeat(); });
  }
  for (const auto& [k, loop] : ours) {
    printf("%zu %lld %g %g %g %g\n", k, static_cast<long long>(bytes), loop.round(), peer.round(),
           floor ? floor->round() : 0, typical(signals));
    fflush(stdout);
  }
}

void process(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tilewire::init("local");  // rank 0 runs all ranks of a program
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::optional<Kind> last;
  for (const Case& c : cases) {
    if (last == c.kind) continue;
    last = c.kind;
    for (int64_t bytes : sizes) measure_size(c.kind, bytes, rank, ranks);
  }
  MPI_Finalize();
}

// --- in the one that was started

struct Result {
  double ours, theirs, floor, signal;

  double ratio() const { return theirs / ours; }
};

using Key = std::pair<size_t, int64_t>;  // of a case, bytes

// mode="auto" is to be as good as the best mode there is. Times of one launch are compared: the next one may
// find the cores elsewhere.
void compare_modes(const std::vector<std::map<Key, Result>>& launches, int ranks) {
  double sum = 0, worst = 0;
  int count = 0;
  for (int64_t bytes : sizes) {
    std::vector<double> slower;
    for (const auto& launch : launches) {
      double automatic = 0, least = INFINITY;
      for (size_t k = 0; k < std::size(cases); ++k) {
        auto found = launch.find({k, bytes});
        if (cases[k].kind != Kind::Allreduce || found == launch.end()) continue;
        double time = found->second.ours;
        if (cases[k].mode == std::string("auto")) {
          automatic = time;
        } else {
          least = std::min(least, time);
        }
      }
      if (automatic > 0 && least < INFINITY) slower.push_back(automatic / std::min(automatic, least));
    }
    if (slower.empty()) continue;
    double middle = median(slower);
    sum += std::log(middle);
    worst = std::max(worst, middle);
    ++count;
  }
  if (count == 0) return;
  std::string over = ", " + std::to_string(ranks) + " ranks";
  compared("auto beside the best mode" + over + ", geometric mean", std::exp(sum / count), 1.1);
  compared("auto beside the best mode" + over + ", worst", worst, 1.25);
}

void beside_mpi(const std::string& program, int ranks, int launches) {
  std::vector<std::map<Key, Result>> found(static_cast<size_t>(launches));
  for (auto& each : found) {
    launch(program, ranks, choice.option(), [&](const char* line) {
      size_t k;
      long long bytes;
      Result result;
      if (sscanf(line, "%zu %lld %lg %lg %lg %lg", &k, &bytes, &result.ours, &result.theirs, &result.floor,
                 &result.signal) != 6)
        return;
      each[{k, bytes}] = result;
    });
  }
  for (const auto& [key, any] : found[0]) {
    std::vector<Result> all;
    for (const auto& each : found) all.push_back(each.at(key));
    std::sort(all.begin(), all.end(), [](const Result& a, const Result& b) { return a.ratio() > b.ratio(); });
    const Result& r = all[all.size() / 2];
    const Case& c = cases[key.first];
    double wanted = *c.mode == 0 || c.mode == std::string("auto") ? goal(c.kind, key.second, ranks) : 0;
    char text[16] = "";
    if (wanted != 0) snprintf(text, sizeof text, ">= %.1f", wanted);
    printf("%-46s %10s %10s %10s %8s %7.2f %8s%s\n", title(c, key.second, ranks).c_str(),
           show_time(r.ours).c_str(), show_time(r.theirs).c_str(),
           r.floor > 0 ? show_time(r.floor).c_str() : "", show_time(r.signal).c_str(), r.ratio(), text,
           verdict(r.ratio(), wanted));
  }
  fflush(stdout);
  compare_modes(found, ranks);
}

#endif

// Two calls in a round beside one. Repetitions are compared each by itself: the cores may be elsewhere in the
// next.
void back_to_back(int ranks) {
  for (const Case& c : cases) {
    for (int64_t bytes : {int64_t{1 << 10}, int64_t{256 << 10}, int64_t{4 << 20}}) {
      if (c.mode == std::string("auto") || !measured(c, c.kind == Kind::Barrier ? 4 : bytes, ranks)) continue;
      if (c.kind == Kind::Barrier && bytes != 1 << 10) continue;
      Loop one = timed_loop(our_rounds(c, bytes, ranks));
      Loop two = timed_loop(our_rounds(c, bytes, ranks, 2, false));
      std::vector<double> ratios;
      for (int i = 0; i < repetitions(); ++i) {
        one.repeat();
        two.repeat();
        ratios.push_back(two.last_round() / one.last_round());
      }
      compared("two calls beside one: " + title(c, bytes, ranks), median(ratios), 2.1);
    }
  }
}

// Sums of random numbers have the same bits on every rank and in every run.
void equal_bits(int ranks) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int64_t elements : {1, 1000, 30000}) {
    std::vector<float> x(ranks * ranks * elements), y(x.size()), first;
    for (float& each : x) each = normal(random);
    for (const char* mode : {"mesh", "two_shot", "ring", "scattered"}) {
      Executable exe = compile("equal.py", "sums", ranks, elements, mode);
      bool equal = true;
      first.clear();
      for (int run = 0; run < 100; ++run) {
        exe({Array::of(x.data(), {ranks, ranks, elements}), Array::of(y.data(), {ranks, ranks, elements})},
            on(ranks));
        if (first.empty()) first.assign(y.begin(), y.begin() + ranks * elements);
        for (int r = 0; r < ranks; ++r) {
          equal &= memcmp(first.data(), y.data() + r * ranks * elements, first.size() * sizeof(float)) == 0;
        }
      }
      printf("%-58s %s\n",
             ("bits of 100 sums, " + std::string(mode) + ", " + std::to_string(ranks * elements) +
              " elements, " + std::to_string(ranks) + " ranks")
                 .c_str(),
             equal ? "equal  ok" : "DIFFERENT");
    }
  }
}

// --- the table behind mode="auto"

// Times of the modes in turns; the fastest of them, or two-shot if it is as fast within 5 %.
const Case& fastest_once(const std::vector<const Case*>& modes, int64_t bytes, int ranks) {
  std::vector<Loop> loops;
  for (const Case* c : modes) loops.push_back(timed_loop(our_rounds(*c, bytes, ranks)));
  std::vector<double> times = measure(std::move(loops), 7);
  printf("%3d ranks %8s", ranks, show_size(bytes).c_str());
  size_t two_shot = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    printf("  %s %s", modes[i]->mode, show_time(times[i]).c_str());
    if (modes[i]->mode == std::string("two_shot")) two_shot = i;
  }
  printf("\n");
  fflush(stdout);
  size_t least = std::min_element(times.begin(), times.end()) - times.begin();
  return *modes[times[least] * 1.05 < times[two_shot] ? least : two_shot];
}

// Another mode than two-shot has to be the fastest three times, so that noise leaves no rows.
const Case& fastest(int64_t bytes, int ranks) {
  std::vector<const Case*> modes;
  for (const Case& c : cases) {
    bool one = c.kind == Kind::Allreduce && c.mode != std::string("auto");
    if (one && bytes <= c.most) modes.push_back(&c);
  }
  const Case* chosen = &fastest_once(modes, bytes, ranks);
  for (int again = 0; again < 2 && chosen->mode != std::string("two_shot"); ++again) {
    const Case* other = &fastest_once(modes, bytes, ranks);
    if (other != chosen)
      chosen = *std::find_if(modes.begin(), modes.end(),
                             [](const Case* c) { return c->mode == std::string("two_shot"); });
  }
  return *chosen;
}

void write_table() {
  const std::map<std::string, const char*> names = {
      {"mesh", "Mesh"}, {"two_shot", "TwoShot"}, {"ring", "Ring"}};
  std::string path = TILEWIRE_SOURCE_DIR "/src/target/cpu/allreduce_modes.def";
  std::string text =
      "// Ranks at most, bytes at most, mode. Written by `bench/collectives --table`; do not edit.\n";
  best = true;
  for (int ranks : {2, 4, 8}) {
    std::string group = ranks == 8 ? "any" : std::to_string(ranks);
    std::string so_far;
    int64_t last = 0;
    auto row = [&](const std::string& limit) {
      text += "{" + group + ", " + limit + ", ir::AllreduceMode::" + names.at(so_far) + "},\n";
    };
    for (int64_t bytes = 4; bytes <= 64 << 20; bytes *= 4) {
      std::string mode = fastest(bytes, ranks).mode;
      if (!so_far.empty() && mode != so_far) row(std::to_string(2 * last));
      so_far = mode;
      last = bytes;
    }
    row("any");
  }
  FILE* file = fopen(path.c_str(), "w");
  if (!file || fputs(text.c_str(), file) < 0 || fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", path.c_str());
    exit(1);
  }
  fputs(text.c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  [[maybe_unused]] bool by_mpi = false;
  bool table = false;
  int launches = 5;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--quick") {
      quick = true;
    } else if (word == "--best") {
      best = true;
    } else if (word == "--mpi") {
      by_mpi = true;
    } else if (word == "--table") {
      table = true;
    } else if (word == "--launches" && i + 1 < argc) {
      launches = std::max(atoi(argv[++i]), 1);
    } else if (word == "--only" && i + 1 < argc) {
      std::istringstream words(argv[++i]);
      while (std::getline(words, word, ',')) choice.add(word);
    } else {
      fprintf(stderr, "usage: %s [--quick] [--best] [--only allreduce,4MB,2ranks] [--launches N] | --table\n",
              argv[0]);
      return word == "--help" ? 0 : 2;
    }
  }
  if (quick) launches = 1;
  try {
#ifdef TILEWIRE_BENCH_MPI
    if (by_mpi) {
      process(argc, argv);
      return 0;
    }
#endif
    if (table) {
      write_table();
      return 0;
    }
    heading();
    for (int ranks : {2, 4}) {
      if (!choice.has(ranks)) continue;
#ifdef TILEWIRE_BENCH_MPI
      beside_mpi(argv[0], ranks, launches);
#else
      printf("figures beside Open MPI are left out: there was none when this was built\n");
#endif
      back_to_back(ranks);
      if (choice.names.empty() || choice.names.contains("bits")) equal_bits(ranks);
    }
  } catch (const tilewire::Error& error) {
    fputs(error.what(), stderr);
    return 1;
  }
}
