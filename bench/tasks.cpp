// What tasks cost: chains, independent tasks, launches of many blocks, a whole run, how well two threads
// share compute-bound blocks, also after a pause, and what signals and transfers between ranks cost, beside
// the same loops in plain C++.
//
//     build/release/bench/tasks [--tasks N]
//
// Kernels are plain functions behind the ABI of generated code. All figures are medians of repetitions taken
// in turns in one process. `noise` is how much the slowest repetition differs from the median: above 1.5 the
// machine was busy with other things, and only ratios within a line mean something.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cores.h"
#include "runtime/run.h"
#include "runtime/windows.h"

namespace {

using namespace tilewire;
using abi::Context;
using abi::Status;
using abi::Word;

constexpr int repetitions = 9;

using bench::seconds;

struct Measured {
  double median, worst;
};

// Takes the works in turns, so that a busy moment hits all of them.
std::vector<Measured> measure(const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> times(works.size());
  for (const auto& work : works) work();
  for (int i = 0; i < repetitions; ++i) {
    for (size_t k = 0; k < works.size(); ++k) times[k].push_back(seconds(works[k]));
  }
  std::vector<Measured> result;
  for (auto& each : times) {
    std::sort(each.begin(), each.end());
    result.push_back({each[each.size() / 2], each.back()});
  }
  return result;
}

volatile uint64_t sink;

Status empty(Context*, const Word*, Word*) {
  return abi::ok;
}

// About a microsecond.
Status small(Context*, const Word*, Word*) {
  uint64_t x = 1;
  for (int i = 0; i < 700; ++i) x = x * 6364136223846793005u + 1;
  sink = x;
  return abi::ok;
}

// Eight independent chains of multiply-adds: bound by the arithmetic units.
[[gnu::noinline]] double multiply_add(int64_t rounds) {
  double a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int64_t i = 0; i < rounds; ++i) {
    for (double& each : a) each = each * 0.999999 + 0.5;
  }
  double sum = 0;
  for (double each : a) sum += each;
  return sum;
}
constexpr int64_t rounds_per_block = 20'000;
constexpr int64_t compute_blocks = 512;

Status compute(Context*, const Word*, Word*) {
  sink = static_cast<uint64_t>(multiply_add(rounds_per_block));
  return abi::ok;
}

const abi::Param one_tensor[] = {{"x", abi::ParamKind::Tensor, abi::Reads | abi::Writes, 1, 4, 0, {}}};

abi::Function kernel(const char* name, abi::Code code, bool with_tensor, uint32_t bits = 0) {
  return {name, code, one_tensor, nullptr, with_tensor ? 1u : 0u, 0, 0, bits, 0};
}
const abi::Function empty_with_tensor = kernel("empty", empty, true);
const abi::Function small_with_tensor = kernel("small", small, true);
const abi::Function waiting_with_tensor = kernel("waiting", empty, true, abi::MayBlock);
const abi::Function empty_block = kernel("empty_block", empty, false);
const abi::Function waiting_block = kernel("waiting_block", empty, false, abi::MayBlock);
const abi::Function compute_block = kernel("compute", compute, false);

struct Plan {
  const abi::Function* kernel;
  int64_t tasks;
  int64_t blocks;
  bool dependent;  // all on one tensor, or each on its own
};
float data[16 * 4096];

Status orchestrate(Context* context, const Word* args, Word*) {
  const Plan& plan = *reinterpret_cast<const Plan*>(args[0]);
  for (int64_t i = 0; i < plan.tasks; ++i) {
    Word words[] = {reinterpret_cast<Word>(data + (plan.dependent ? 0 : i % 4096 * 16)), 16, 1};
    abi::Launch launch{plan.kernel, words, nullptr, nullptr, plan.blocks, 0, 0, 0, 0};
    abi::TaskId id;
    if (Status status = context->api->submit(context, &launch, &id)) return status;
  }
  return abi::ok;
}

void run(const Plan& plan, int threads) {
  static const abi::Param plan_param[] = {{"plan", abi::ParamKind::Scalar, 0, 0, 8, 0, {}}};
  static const abi::Site nowhere{"", "", 0, 0};
  static const abi::Function entry{"main", orchestrate, plan_param, nullptr, 1, 0, 0, 0, 0};
  abi::Module module{};
  module.abi_version = abi::version;
  module.entries = &entry;
  module.sites = &nowhere;
  module.entry_count = module.site_count = 1;
  Word args[] = {reinterpret_cast<Word>(&plan)};
  runtime::Dispatch dispatch{.rank = 0, .entry = &entry, .args = args, .results = {}};
  runtime::Request request;
  request.module = &module;
  request.dispatches = {&dispatch, 1};
  request.threads = threads;
  runtime::Outcome outcome = runtime::run(request);
  if (!outcome.ok()) {
    fputs(render(*outcome.error).c_str(), stderr);
    exit(1);
  }
}

void print(const char* name, double value, const char* unit, double floor, const Measured& of,
           const char* target) {
  printf("%-44s %10.3f %-3s %10.3f %7.2f   %-9s %5.2f\n", name, value, unit, floor, value / floor, target,
         of.worst / of.median);
}

void tasks(int64_t count) {
  int64_t calls = count;
  auto direct = [calls](abi::Code code) {
    return [calls, code] {
      abi::Code volatile through = code;
      for (int64_t i = 0; i < calls; ++i) through(nullptr, nullptr, nullptr);
    };
  };
  struct Line {
    const char* name;
    Plan plan;
    int threads;
    const char* target;
  };
  const Line lines[] = {
      {"empty dependent task, 1 thread", {&empty_with_tensor, count, 1, true}, 1, "<= 1.0"},
      {"empty dependent task, 2 threads", {&empty_with_tensor, count, 1, true}, 2, "<= 1.0"},
      {"empty independent task, 1 thread", {&empty_with_tensor, count, 1, false}, 1, "<= 0.6"},
      {"empty independent task, 2 threads", {&empty_with_tensor, count, 1, false}, 2, "<= 0.6"},
      // Never run inside `submit`: every task goes through the graph and a queue, onto a fiber.
      {"dependent task that may wait, 1 thread", {&waiting_with_tensor, count, 1, true}, 1, "<= 1.0"},
      {"dependent task that may wait, 2 threads", {&waiting_with_tensor, count, 1, true}, 2, "<= 1.0"},
      {"independent task that may wait, 1 thread", {&waiting_with_tensor, count, 1, false}, 1, "<= 0.6"},
      {"independent task that may wait, 2 threads", {&waiting_with_tensor, count, 1, false}, 2, "<= 0.6"},
      {"1 us dependent task, 2 threads", {&small_with_tensor, count, 1, true}, 2, ""},
      {"1 us independent task, 2 threads", {&small_with_tensor, count, 1, false}, 2, ""},
  };
  std::vector<std::function<void()>> works{direct(empty), direct(small)};
  for (const Line& line : lines) works.push_back([&line] { run(line.plan, line.threads); });
  std::vector<Measured> measured = measure(works);
  printf("%-44s %14s %10s %7s   %-9s %5s\n", "", "us a task", "us a call", "ratio", "target", "noise");
  for (size_t i = 0; i < std::size(lines); ++i) {
    const Measured& floor = measured[lines[i].plan.kernel == &small_with_tensor];
    const Measured& each = measured[i + 2];
    print(lines[i].name, each.median / count * 1e6, "us", floor.median / count * 1e6, each, lines[i].target);
  }
}

void launches() {
  constexpr int64_t blocks = 100'000;
  static const Plan plain{&empty_block, 1, blocks, false}, fibers{&waiting_block, 1, blocks, false},
      none{&empty_block, 0, 1, false}, one{&empty_block, 1, 1, false};
  std::vector<std::function<void()>> works{[] {
                                             abi::Code volatile through = empty;
                                             for (int64_t i = 0; i < blocks; ++i)
                                               through(nullptr, nullptr, nullptr);
                                           },
                                           [] { run(plain, 1); },
                                           [] { run(plain, 2); },
                                           [] { run(fibers, 1); },
                                           [] { run(fibers, 2); },
                                           [] {
                                             for (int i = 0; i < 1000; ++i) run(none, 2);
                                           },
                                           [] {
                                             for (int i = 0; i < 1000; ++i) run(one, 2);
                                           }};
  std::vector<Measured> measured = measure(works);
  const char* names[] = {"", "empty block, 1 thread", "empty block, 2 threads",
                         "empty block that may wait, 1 thread", "empty block that may wait, 2 threads"};
  printf("\n%-44s %14s %10s %7s   %-9s %5s\n", "", "us a block", "us a call", "ratio", "target", "noise");
  for (int i = 1; i < 5; ++i) {
    print(names[i], measured[i].median / blocks * 1e6, "us", measured[0].median / blocks * 1e6, measured[i],
          "");
  }
  printf("\n%-44s %10.3f us\n%-44s %10.3f us\n", "a run without tasks", measured[5].median * 1e3,
         "a run of one task", measured[6].median * 1e3);
}

void scaling() {
  auto raw = [](int threads) {
    std::atomic<int64_t> next{0};
    auto work = [&](int core) {
      bench::Pinned pinned(core);
      while (next++ < compute_blocks) sink = static_cast<uint64_t>(multiply_add(rounds_per_block));
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& each : others) each.join();
  };
  static const Plan plan{&compute_block, 1, compute_blocks, false},
      graph{&compute_block, compute_blocks, 1, false};
  std::vector<Measured> m = measure({[&] { raw(1); }, [&] { raw(2); }, [] { run(plan, 1); },
                                     [] { run(plan, 2); }, [] { run(graph, 1); }, [] { run(graph, 2); }});
  double floor = m[0].median / m[1].median;
  printf("\n%-44s %14s %10s %7s   %-9s %5s\n", "two threads, multiply-adds", "speed-up", "raw", "ratio",
         "target", "noise");
  print("blocks of one launch", m[2].median / m[3].median, "x", floor, m[3], ">= 0.92");
  print("tasks", m[4].median / m[5].median, "x", floor, m[5], "");
  // Threads that slept a while wake where the system likes.
  auto after_pause = [](const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      times.push_back(seconds(work));
    }
    std::sort(times.begin(), times.end());
    return Measured{times[times.size() / 2], times.back()};
  };
  Measured slow = after_pause([] { run(plan, 1); }), fast = after_pause([] { run(plan, 2); });
  print("blocks of one launch, after 50 ms of sleep", slow.median / fast.median, "x", floor, fast, ">= 0.92");
}

// Signals as generated code does them.
int32_t* cell_of(const abi::Window& window, int32_t rank, int64_t index) {
  return reinterpret_cast<int32_t*>(window.group->regions[rank] + window.offset) + 32 * index;
}
void notify(Context* context, const abi::Window& window, int32_t peer, int64_t index) {
  int32_t* cell = cell_of(window, peer, index);
  __atomic_fetch_add(cell, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(window.group->waiters[peer], __ATOMIC_SEQ_CST) != 0) context->api->wake(context, cell);
}
Status wait(Context* context, const abi::Window& window, int64_t index, int32_t expected) {
  const int32_t* cell = cell_of(window, window.group->rank, index);
  if (__atomic_load_n(cell, __ATOMIC_ACQUIRE) >= expected) return abi::ok;
  int32_t seen;
  constexpr auto ge = static_cast<uint32_t>(abi::Compare::Ge);
  return context->api->wait(context, cell, expected, ge, 0, &seen);
}

// A token goes round all ranks.
Status pass_round(Context* context, const Word* args, Word*) {
  const auto& window = *reinterpret_cast<const abi::Window*>(args[0]);
  auto rounds = static_cast<int32_t>(args[1]);
  int32_t me = window.group->rank, next = (me + 1) % window.group->rank_count;
  for (int32_t i = 1; i <= rounds; ++i) {
    if (me == 0) notify(context, window, next, 0);
    if (Status status = wait(context, window, 0, i)) return status;
    if (me != 0) notify(context, window, next, 0);
  }
  return abi::ok;
}
// Every rank tells every other, and waits for all of them.
Status meet(Context* context, const Word* args, Word*) {
  const auto& window = *reinterpret_cast<const abi::Window*>(args[0]);
  auto rounds = static_cast<int32_t>(args[1]);
  int32_t ranks = window.group->rank_count;
  for (int32_t i = 1; i <= rounds; ++i) {
    for (int32_t p = 0; p < ranks; ++p) notify(context, window, p, window.group->rank);
    for (int32_t p = 0; p < ranks; ++p) {
      if (Status status = wait(context, window, p, i)) return status;
    }
  }
  return abi::ok;
}
Status one_way(Context* context, const Word* args, Word*) {
  static const abi::Param params[] = {{"w", abi::ParamKind::Scalar, 0, 0, 8, 0, {}},
                                      {"n", abi::ParamKind::Scalar, 0, 0, 8, 0, {}}};
  static const abi::Function kernels[] = {
      {"pass_round", pass_round, params, nullptr, 2, 0, 0, abi::MayBlock, 0},
      {"meet", meet, params, nullptr, 2, 0, 0, abi::MayBlock, 0},
      {"nothing", empty, params, nullptr, 2, 0, 0, abi::MayBlock, 0}};
  Word words[] = {args[3], args[5]};
  abi::Launch launch{&kernels[args[4]], words, nullptr, nullptr, 1, 0, 0, 0, 0};
  abi::TaskId id;
  return args[4] == 2 ? abi::ok : context->api->submit(context, &launch, &id);
}
const abi::Param entry_params[] = {{"w", abi::ParamKind::Window, 0, 1, 4, 3, {}},
                                   {"k", abi::ParamKind::Scalar, 0, 0, 8, 0, {}},
                                   {"n", abi::ParamKind::Scalar, 0, 0, 8, 0, {}}};
const abi::Function on_rank{"on_rank", one_way, entry_params, nullptr, 3, 0, 0, 0, 0};

Status host(Context* context, const Word* args, Word*) {
  if (Status status = context->api->window(context, 0, 1 << 17, 0)) return status;
  for (int32_t rank = 0; rank < context->rank_count; ++rank) {
    Word words[] = {0, 1 << 15, 1, 0, args[0], args[1]};
    abi::DeviceCall call{&on_rank, words, rank, 0, 0};
    if (Status status = context->api->dispatch(context, &call)) return status;
  }
  return abi::ok;
}

enum class Work : Word { PassRound, Meet, Nothing };
void run_ranks(int32_t ranks, int threads, Work work, int64_t rounds) {
  static const abi::Function host_function{"host", host, entry_params + 1, nullptr, 2, 0, 0, 0, 0};
  static const abi::HostWindow window{"cells", 0, -1, -1, 0};
  static const abi::Site nowhere{"", "", 0, 0};
  abi::Module module{};
  module.abi_version = abi::version;
  module.sites = &nowhere;
  module.windows = &window;
  module.site_count = module.window_count = 1;
  auto windows = runtime::Windows::make(ranks, {{{}, 1 << 17, {{"cells", 0, 1 << 17}}}});
  Word args[] = {static_cast<Word>(work), static_cast<Word>(rounds)};
  runtime::Request request;
  request.module = &module;
  request.host = &host_function;
  request.host_args = args;
  request.ranks = ranks;
  request.windows = windows.get();
  request.threads = threads;
  runtime::Outcome outcome = runtime::run(request);
  if (!outcome.ok()) {
    fputs(render(*outcome.error).c_str(), stderr);
    exit(1);
  }
}

void signals() {
  if (runtime::core_count() < 2) return;
  constexpr int64_t rounds = 20'000;
  std::vector<double> stored, exchanged, ours;
  for (int i = 0; i < repetitions; ++i) {
    stored.push_back(bench::raw_signal(false, rounds));
    exchanged.push_back(bench::raw_signal(true, rounds));
    ours.push_back(seconds([] { run_ranks(2, 2, Work::PassRound, rounds); }) / (2 * rounds));
  }
  auto measured = [](std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    return Measured{times[times.size() / 2], times.back()};
  };
  double floor = std::min(measured(stored).median, measured(exchanged).median) * 1e9;
  printf("\n%-44s %14s %10s %7s   %-9s %5s\n", "signals", "ns one way", "raw", "ratio", "target", "noise");
  Measured m = measured(ours);
  print("2 ranks on 2 threads", m.median * 1e9, "ns", floor, m, "<= 1.15");
  std::vector<Measured> more = measure(
      {[] { run_ranks(2, 1, Work::PassRound, rounds); }, [] { run_ranks(4, 2, Work::PassRound, rounds); },
       [] { run_ranks(4, 2, Work::Meet, rounds / 10); }, [] { run_ranks(1024, 2, Work::PassRound, 50); },
       [] {
         for (int i = 0; i < 200; ++i) run_ranks(4, 2, Work::Nothing, 0);
       }});
  print("2 ranks on 1 thread", more[0].median / (2 * rounds) * 1e9, "ns", floor, more[0], "");
  print("4 ranks on 2 threads", more[1].median / (4 * rounds) * 1e9, "ns", floor, more[1], "");
  print("barrier of 4 ranks on 2 threads", more[2].median / (rounds / 10) * 1e9, "ns", floor, more[2], "");
  print("1024 ranks on 2 threads", more[3].median / (1024 * 50) * 1e9, "ns", floor, more[3], "");
  printf("\n%-44s %10.3f us   target <= 60\n", "a run of 4 ranks without tasks, new windows",
         more[4].median / 200 * 1e6);
}

Status put(Context* context, const Word* args, Word*) {
  int64_t extents[] = {static_cast<int64_t>(args[2])}, strides[] = {1};
  for (Word i = 0; i < args[3]; ++i) {
    abi::Transfer transfer{reinterpret_cast<void*>(args[0]),
                           reinterpret_cast<const void*>(args[1]),
                           extents,
                           strides,
                           strides,
                           1,
                           abi::ToPeer,
                           0,
                           0,
                           11,
                           4,
                           {},
                           0};
    if (Status status = context->api->transfer(context, &transfer)) return status;
  }
  return abi::ok;
}

void transfers() {
  constexpr int64_t large = 16 << 20, small = 1'000'000;
  std::unique_ptr<float[]> from(new float[large]), to(new float[large]);
  std::fill_n(from.get(), large, 1.0f);
  std::fill_n(to.get(), large, 2.0f);
  static const abi::Param params[] = {{"a", abi::ParamKind::Scalar, 0, 0, 8, 0, {}}};
  static const abi::Function entry{"put", put, params, nullptr, 1, 0, 0, 0, 0};
  static const abi::Site nowhere{"", "", 0, 0};
  auto puts = [&](int64_t count, int64_t times) {
    Word args[] = {reinterpret_cast<Word>(to.get()), reinterpret_cast<Word>(from.get()),
                   static_cast<Word>(count), static_cast<Word>(times)};
    abi::Module module{};
    module.abi_version = abi::version;
    module.sites = &nowhere;
    module.site_count = 1;
    runtime::Dispatch dispatch{.rank = 0, .entry = &entry, .args = args, .results = {}};
    runtime::Request request;
    request.module = &module;
    request.dispatches = {&dispatch, 1};
    if (!runtime::run(request).ok()) exit(1);
  };
  std::vector<Measured> m = measure({[&] { std::memcpy(to.get(), from.get(), large * sizeof(float)); },
                                     [&] { puts(large, 1); }, [&] { puts(1, small); }});
  printf("\n%-44s %14s %10s %7s   %-9s %5s\n", "transfers", "ours", "memcpy", "ratio", "target", "noise");
  print("put of 64 MB", m[1].median * 1e3, "ms", m[0].median * 1e3, m[1], "<= 1.05");
  printf("%-44s %10.3f ns\n", "put of 4 bytes", m[2].median / small * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  int64_t count = 100'000;
  if (argc == 3 && std::string(argv[1]) == "--tasks") count = std::max(1ll, atoll(argv[2]));
  tasks(count);
  launches();
  scaling();
  signals();
  transfers();
}
