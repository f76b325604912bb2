#include "processes/process_world.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "abi/abi.h"
#include "processes/bytes.h"
#include "processes/desk.h"
#include "runtime/regions.h"
#include "runtime/run_state.h"
#include "runtime/windows.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::processes {
namespace {

using Kind = Message::Kind;

constexpr auto interrupt_pause = std::chrono::milliseconds(20);
constexpr uint64_t shortest_pause_ns = 50'000, longest_pause_ns = 20'000'000;
// Of the memory for what calls have written.
constexpr uint64_t least_exchange_bytes = uint64_t{1} << 16, most_kept_bytes = uint64_t{1} << 24;
// So long an idle worker lets other threads run before it sleeps, and so long a call looks for the others'
// messages.
constexpr uint64_t yield_ns = 200'000, attend_ns = 200'000;
constexpr uint64_t serve_pause_ns = 100'000, longest_serve_pause_ns = 2'000'000, cut_pause_ns = 50'000'000;
// Workers that have polled so often while the control thread slept are busy with messages.
constexpr uint64_t polls_of_busy_workers = 64, busy_pause_ns = 500'000;

Failure interrupted_failure() {
  Failure failure;
  failure.cause = runtime::Cause::Interrupted;
  return failure;
}

}  // namespace

ProcessWorld::~ProcessWorld() {
  // What a child of fork has of the channels may be locked forever.
  if (control_->forked()) static_cast<void>(channels_.release());
  control_->leave();  // its thread uses all of this, and the pointer to it
  channels_.reset();
  for (Desk* desk : desks_) {
    if (desk) SharedFile::unmap(reinterpret_cast<std::byte*>(desk), sizeof(Desk));
  }
}

bool ProcessWorld::has_lost_one() const {
  if (control_->forked()) return false;  // the mutex may be locked forever
  Lock lock(control_->mutex());
  return lost_ && lost_->words.back() != has_left;
}

std::unique_lock<std::mutex> ProcessWorld::admit(std::vector<Term> terms) {
  std::unique_lock lock(calls_);
  terms_ = std::move(terms);
  refusal_.reset();
  return lock;
}

runtime::World::Part ProcessWorld::part(int32_t ranks) const {
  TW_CHECK(ranks % processes() == 0, "ranks that cannot be shared among the processes");
  const int32_t count = ranks / processes();
  return {.first = process() * count,
          .count = count,
          .bell = &desks_[process()]->bell,
          .sharers = std::max(sharers_, 1),
          .spin_ns = spin_ns_,
          .yield_ns = yield_ns};
}

template <class Ready>
void ProcessWorld::await(Lock& lock, Ready ready) {
  const uint64_t requests = runtime::abort_requests();
  bool heard = false;
  if (attends_ && !ready() && !lost_) {
    control_->attend(
        lock, desks_[process()]->attended, [&] { return ready() || lost_; }, attend_ns,
        spin_ns_ == 0 || some_are_far_);
  }
  while (!ready() && !lost_) {
    changed_.wait_for(lock, interrupt_pause);
    if (heard || runtime::abort_requests() == requests) continue;
    heard = true;
    interrupt();
  }
}

std::optional<std::vector<std::string>> ProcessWorld::gather(std::string text, std::vector<Term> terms) {
  Lock lock(control_->mutex());
  if (control_->forked() && !lost_) lose(lost_process(process(), "this is a child of it, made by fork"));
  gathered_.reset();
  if (!lost_) {
    waiting_ = true;
    terms.insert(terms.begin(), terms_.begin(), terms_.end());
    control_->say({.kind = Kind::Gather,
                   .number = gathering_,
                   .call = call_,
                   .text = std::move(text),
                   .terms = std::move(terms)});
    await(lock, [&] { return gathered_.has_value(); });
    waiting_ = false;
    ++gathering_;
  }
  if (!gathered_ || gathered_->failure) {
    refuse(gathered_ ? *gathered_->failure : *lost_);
    return std::nullopt;
  }
  return std::move(gathered_->parts);
}

void ProcessWorld::refuse(const Failure& failure) {
  refusal_ = failure;
  if (!lost_) control_->say({.kind = Kind::Ended, .number = call_});
  ++call_;
}

std::unique_ptr<runtime::GroupMemory> ProcessWorld::map(const runtime::GroupLayout& layout, int32_t ranks) {
  std::string devices;
  for (int32_t rank : layout.devices) devices += " " + std::to_string(rank);
  // A program that asks for more than the machine has is told so; the system would kill it later.
  const bool has_memory =
      layout.bytes <= runtime::physical_bytes() / std::max<size_t>(layout.devices.size(), 1);
  std::vector<uint64_t> free = sets_->free(layout.devices, layout.bytes);
  Writer to;
  to.list(free, [&](uint64_t id) { to.number(id); });
  auto all = gather(to.take(), {{"windows", std::to_string(layout.bytes) + " bytes on ranks" + devices}});
  if (!all) return nullptr;
  for (const std::string& theirs : *all) {
    std::vector<uint64_t> both;
    Reader from(theirs);
    from.list([&] {
      const auto id = from.number<uint64_t>();
      if (std::find(free.begin(), free.end(), id) != free.end()) both.push_back(id);
    });
    free = std::move(both);
  }
  std::unique_ptr<RegionSet> set;
  if (!free.empty()) {
    set = sets_->take(free.front());
    set->clear_own();
  } else {
    set = make_regions(layout.devices, layout.bytes, ranks, has_memory);
    if (!set) return nullptr;
  }
  auto memory = std::make_unique<SharedGroupMemory>(std::move(set), sets_);
  for (int32_t home : memory->processes) memory->hosts.push_back(hosts_[home]);
  return memory;
}

std::shared_ptr<runtime::GroupMemory> ProcessWorld::exchange_memory(uint64_t bytes) {
  if (exchange_ && exchange_->mapped_bytes >= bytes) return exchange_;
  runtime::GroupLayout layout;
  for (int32_t p = 0; p < processes(); ++p) layout.devices.push_back(p);
  const bool keep = bytes <= most_kept_bytes;
  layout.bytes = keep ? std::bit_ceil(std::max(bytes, least_exchange_bytes)) : bytes;
  std::shared_ptr<runtime::GroupMemory> memory = map(layout, processes());
  if (memory && keep) exchange_ = memory;
  return memory;
}

const std::byte* ProcessWorld::read(const runtime::GroupMemory& memory, int32_t process, uint64_t bytes,
                                    std::vector<std::byte>& copy) {
  if (!far_[process]) return memory.regions[process];
  copy.resize(bytes);
  const auto count = static_cast<int64_t>(bytes);
  const int64_t stride = 1;
  runtime::FarDone done;
  channels_->get({&memory, process, 0},
                 {.target = copy.data(),
                  .source = nullptr,
                  .extents = &count,
                  .target_strides = &stride,
                  .source_strides = &stride,
                  .rank = 1,
                  .element_bytes = 1},
                 done);
  await(done);
  return copy.data();
}

// All processes make their part of the regions, tell where it is, map the others', and tell whether that
// went well. Null in all of them otherwise.
std::unique_ptr<RegionSet> ProcessWorld::make_regions(const std::vector<int32_t>& devices, uint64_t bytes,
                                                      int32_t ranks, bool has_memory) {
  const int32_t share = ranks / processes();
  std::vector<int32_t> homes;
  for (int32_t rank : devices) homes.push_back(rank / share);
  auto set = std::make_unique<RegionSet>(sets_made_, devices, std::move(homes), bytes);
  auto members = [&](int32_t process) {
    auto at = [&](int32_t rank) {
      return static_cast<size_t>(std::lower_bound(devices.begin(), devices.end(), rank) - devices.begin());
    };
    const size_t first = at(process * share);
    return std::pair(first, at((process + 1) * share) - first);
  };
  std::string why;
  const auto [first, count] = members(process());
  if (has_memory) set->make(first, count, why);
  Writer to;
  to.number(static_cast<uint8_t>(has_memory));
  to.text(why);
  write_name(to, set->name());
  auto all = gather(to.take());
  if (!all) return nullptr;
  std::vector<SharedFileName> names;
  std::vector<std::string> problems;
  bool all_have_memory = true;
  for (const std::string& theirs : *all) {
    Reader from(theirs);
    all_have_memory &= from.number<uint8_t>() != 0;
    problems.push_back(from.text());
    names.push_back(read_name(from));
  }
  if (!all_have_memory || refused_for(problems)) return nullptr;
  for (int32_t p = 0; p < processes() && why.empty(); ++p) {
    const auto [from, number] = members(p);
    if (far_[p]) {
      set->reserve(from, number, why);
    } else if (p != process()) {
      set->map(from, number, names[p], why);
    }
  }
  if (channels_) set->publish(local_regions_);
  auto answers = gather(why);
  if (!answers || refused_for(*answers)) return nullptr;
  ++sets_made_;
  return set;
}

bool ProcessWorld::refused_for(const std::vector<std::string>& problems, Diag row) {
  for (size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].empty()) continue;
    // The memory of a process that has died meanwhile cannot be opened: then that is what went wrong.
    if (!gather("")) return true;
    Lock lock(control_->mutex());
    refuse(world_failure(row, {std::to_string(p), problems[p]}));
    return true;
  }
  return false;
}

bool ProcessWorld::begin(Run& run, std::span<const Term> terms) {
  Lock lock(control_->mutex());
  run_ = &run;
  ranks_per_process_ = run.part.count;
  begun_ = ended_ = over_ = false;
  said_turns_ = seen_turns_ = next_look_ns_ = 0;
  pause_ns_ = shortest_pause_ns;
  waiting_ = true;
  if (control_->forked() && !lost_) lose(lost_process(process(), "this is a child of it, made by fork"));
  if (!lost_) {
    std::vector<Term> all = terms_;
    all.insert(all.end(), terms.begin(), terms.end());
    control_->say({.kind = Kind::Begin, .number = call_, .terms = std::move(all)});
    if (run.aborted()) interrupt();  // the others need not wait for it; after a failure that says nothing new
    await(lock, [&] { return begun_ || failure_; });
  }
  if (lost_) run.stop(*lost_);
  return begun_ && !failure_ && !lost_ && !run.aborted();
}

void ProcessWorld::interrupt() {
  control_->say({.kind = Kind::Failed, .number = call_, .failure = interrupted_failure()});
}

void ProcessWorld::await(const runtime::FarDone& done) {
  while (__atomic_load_n(&done.cell, __ATOMIC_ACQUIRE) == 0) {
    if (!channels_->poll()) sched_yield();
  }
}

void ProcessWorld::land_all() {
  runtime::FarDone done;
  if (!channels_) return;
  if (!channels_->flush(-1, done)) await(done);
  while (!channels_->settled()) {  // replies that nobody waits for any more
    if (!channels_->poll()) sched_yield();
  }
}

void ProcessWorld::end(Run&, std::optional<Failure>& failure) {
  land_all();  // when all have ended, nothing reaches memory that may be used for something else
  Lock lock(control_->mutex());
  ended_ = true;
  if (!lost_) {
    control_->say({.kind = Kind::Ended, .number = call_, .failure = failure});
    if (begun_) await(lock, [&] { return over_; });
  }
  if (over_ || (!begun_ && failure_)) {
    failure = failure_;
  } else if (begun_ || !failure) {  // what went wrong here before is still what this process reports
    failure = lost_;
  }
  run_ = nullptr;
  waiting_ = false;
  failure_.reset();
  tell_.reset();
  told_ = false;
  ++call_;
}

void ProcessWorld::wake(int32_t rank) {
  const int32_t process = rank / ranks_per_process_.load(std::memory_order_relaxed);
  TW_CHECK(!far_[process], "a rank of another host is woken");
  ring(process);
}

// Few watch the cells of others, so who does is not noted.
void ProcessWorld::ring(int32_t process) {
  desks_[process]->bell.ring();
  if (desks_[process]->watchers.load() == 0) return;
  for (int32_t p = 0; p < processes(); ++p) {
    if (p != process && !far_[p]) desks_[p]->bell.ring();
  }
}

void ProcessWorld::watch(int32_t rank, int32_t change) {
  const int32_t process = rank / ranks_per_process_.load(std::memory_order_relaxed);
  desks_[process]->watchers.fetch_add(change);
}

bool ProcessWorld::is_watched() const {
  return desks_[process()]->watchers.load() != 0;
}

void ProcessWorld::failed(Run&, const Failure& failure) {
  Lock lock(control_->mutex());
  if (!lost_) control_->say({.kind = Kind::Failed, .number = call_, .failure = failure});
}

void ProcessWorld::quiet(Run& run) {
  if (told_.load()) {
    Lock lock(control_->mutex());
    if (tell_ && !lost_) {
      const uint64_t wave = *tell_;
      tell_.reset();
      told_ = false;
      control_->say({.kind = Kind::Waits, .number = wave, .waits = run.waits()});
    }
  }
  if (!watching_.exchange(true)) control_->poke();
}

ProcessWorld::Pulse ProcessWorld::pulse() const {
  const Run::Pulse own = run_->pulse();
  Pulse pulse{own.turns, own.quiet};
  if (ended_) pulse = {own.turns | 1, true};
  if (channels_) {
    const Channels::Traffic traffic = channels_->traffic();
    pulse.turns += 2 * (traffic.sent + traffic.handled);
  }
  return pulse;
}

std::optional<uint64_t> ProcessWorld::look(uint64_t now_ns) {
  const std::optional<uint64_t> quiet = look_quiet(now_ns), cut = look_cut(now_ns);
  return quiet && cut ? std::min(quiet, cut) : quiet ? quiet : cut;
}

// A process that ends closes its channels, too: the leader has the first word on what has become of it.
std::optional<uint64_t> ProcessWorld::look_cut(uint64_t now_ns) {
  if (!cut_ || lost_ || !run_ || !begun_ || over_) return std::nullopt;
  if (cut_ns_ == 0) cut_ns_ = now_ns;
  if (now_ns - cut_ns_ < cut_pause_ns) return cut_pause_ns - (now_ns - cut_ns_);
  cut_ = false;
  const auto broken = channels_->broken();
  control_->say({.kind = Kind::Cut, .number = static_cast<uint64_t>(broken->process), .text = broken->how});
  return std::nullopt;
}

// Says that this process is quiet when it has been for two looks: between ranks that wait for each other all
// the time it is for moments only, and nobody needs to hear of those.
std::optional<uint64_t> ProcessWorld::look_quiet(uint64_t now_ns) {
  if (!watching_.load()) return std::nullopt;
  if (now_ns < next_look_ns_) return next_look_ns_ - now_ns;
  if (!run_ || !begun_ || over_) {
    watching_ = false;
    return std::nullopt;
  }
  const Pulse now = pulse();
  if (now.quiet && now.turns == seen_turns_ && now.turns != said_turns_) {
    said_turns_ = now.turns;
    control_->say({.kind = Kind::Quiet, .number = call_, .turns = now.turns});
  } else if (now.turns != seen_turns_) {
    pause_ns_ = std::min(pause_ns_ * 2, longest_pause_ns);
  }
  seen_turns_ = now.turns;
  next_look_ns_ = now_ns + pause_ns_;
  if (now.quiet && now.turns != said_turns_) return pause_ns_;
  watching_ = false;
  // It may have come to rest once more before that.
  const Pulse again = pulse();
  if (!again.quiet || again.turns == said_turns_) return std::nullopt;
  watching_ = true;
  return pause_ns_;
}

// While workers look for messages, the control thread does so as well, in case they stop; rarely if it finds
// nothing, because it takes the core from them. Otherwise the system tells it when some arrive, until workers
// are busy again: it would wake for each message that they take. MPI has no way of telling: then it looks
// again and again, but never after more than a small part of the time for which nothing has come.
Listener::Service ProcessWorld::serve(bool ready) {
  Channels* channels = served_.load();
  if (!channels) return {};
  const bool any = channels->serve();
  if (any) watching_ = true;  // a part that was quiet is at another turn
  const uint64_t polls = channels->polls();
  const bool others = polls != seen_polls_ || (ready && !any);
  seen_polls_ = polls;
  const int descriptor = channels->descriptor();
  if (descriptor >= 0) {
    if (others) return {.pause_ns = any ? serve_pause_ns : busy_pause_ns};
    channels->call_when_busy(polls_of_busy_workers);
    return {.descriptor = descriptor};
  }
  const uint64_t now_ns = runtime::now_ns();
  if (any || others || moved_ns_ == 0) moved_ns_ = now_ns;
  return {.pause_ns = std::clamp((now_ns - moved_ns_) / 16, serve_pause_ns, longest_serve_pause_ns)};
}

void ProcessWorld::hear(Message&& message) {
  switch (message.kind) {
    case Kind::Gathered:
      if (message.number == gathering_) gathered_ = std::move(message);
      break;
    case Kind::Begun:
      begun_ = begun_ || message.number == call_;
      break;
    case Kind::Stop:
      if (message.number != call_) break;
      failure_ = std::move(message.failure);
      if (run_ && failure_) run_->stop(*failure_);
      break;
    case Kind::Ask: {
      Message answer{.kind = Kind::Answer, .number = message.number};
      if (run_ && begun_) {
        if (channels_) {
          const Channels::Traffic traffic = channels_->traffic();
          answer.under_way = traffic.sent - traffic.handled;
        }
        const Pulse now = pulse();
        answer.turns = now.turns;
        answer.quiet = now.quiet;
      }
      control_->say(std::move(answer));
      break;
    }
    case Kind::Tell:
      tell_ = message.number;
      told_ = true;
      desks_[process()]->bell.ring();
      break;
    case Kind::GoOn:
      tell_.reset();
      told_ = false;
      break;
    case Kind::Outcome:
      if (message.number != call_) break;
      over_ = true;
      failure_ = std::move(message.failure);
      break;
    case Kind::Lost:
      if (message.failure) lose(*message.failure);
      break;
    case Kind::Ping:
      control_->say({.kind = Kind::Alive});
      break;
    case Kind::Bye:
      lose(lost_process(0, has_left));
      break;
    default:
      break;
  }
  changed_.notify_all();
}

void ProcessWorld::leader_gone(const std::string& how) {
  lose(lost_process(0, how));
}

void ProcessWorld::lose(const Failure& failure) {
  if (lost_) return;
  lost_ = failure;
  if (channels_ && !control_->forked()) channels_->close();
  if (run_ && !over_) run_->stop(failure);
  changed_.notify_all();
}

}  // namespace tilewire::processes
