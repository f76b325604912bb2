#include "processes/process_world.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

#include "abi/abi.h"
#include "processes/bytes.h"
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

void write_name(Writer& to, const SharedFileName& name) {
  to.number(name.process);
  to.number(name.fd);
  to.number(name.check);
}
SharedFileName read_name(Reader& from) {
  SharedFileName name;
  name.process = from.number<pid_t>();
  name.fd = from.number<int>();
  name.check = from.number<uint64_t>();
  return name;
}

Failure world_failure(Diag row, std::vector<std::string> words) {
  Failure failure;
  failure.cause = runtime::Cause::World;
  failure.row = row;
  failure.words = std::move(words);
  return failure;
}

Failure interrupted_failure() {
  Failure failure;
  failure.cause = runtime::Cause::Interrupted;
  return failure;
}

}  // namespace

// A process writes its queue to the leader, the leader the one from it.
struct ProcessWorld::Desk {
  runtime::Bell bell{runtime::Bell::Within::Host};
  std::atomic<uint32_t> attended{0};  // by its process: see Mail
  alignas(SharedFile::check_offset) std::byte check[SharedFile::check_bytes];
  MailQueue to_leader, from_leader;
};

std::unique_ptr<ProcessWorld> ProcessWorld::join(Seat seat, std::optional<Failure>& problem) {
  std::unique_ptr<ProcessWorld> world(new ProcessWorld());
  world->control_ = std::make_unique<Control>(std::move(seat), *world);
  world->control_->start();
  return world->open_desks(problem) ? std::move(world) : nullptr;
}

ProcessWorld::~ProcessWorld() {
  control_.reset();
  for (Desk* desk : desks_) {
    if (desk) SharedFile::unmap(reinterpret_cast<std::byte*>(desk), sizeof(Desk));
  }
}

bool ProcessWorld::open_desks(std::optional<Failure>& problem) {
  static_assert(offsetof(Desk, check) == SharedFile::check_offset);
  std::string why;
  own_desk_ = SharedFile::make(sizeof(Desk), why);
  std::byte* own = own_desk_.open() ? own_desk_.map(0, sizeof(Desk)) : nullptr;
  if (own) new (own) Desk;  // the check stays
  const cpu_set_t cpus = runtime::allowed_cpus();
  Writer to;
  write_name(to, own ? own_desk_.name() : SharedFileName());
  to.number(cpus);
  auto all = gather(to.take(), {{"ABI", std::to_string(abi::version)}});
  if (!all) {
    problem = refusal_;
    return false;
  }
  cpu_set_t used;
  CPU_ZERO(&used);
  sharers_ = 0;
  desks_.assign(all->size(), nullptr);
  for (size_t p = 0; p < all->size() && why.empty(); ++p) {
    Reader from((*all)[p]);
    const SharedFileName name = read_name(from);
    const auto theirs = from.number<cpu_set_t>();
    cpu_set_t common;
    CPU_AND(&common, &cpus, &theirs);
    CPU_OR(&used, &used, &theirs);
    sharers_ += CPU_COUNT(&common) > 0;
    if (static_cast<int32_t>(p) == process()) {
      desks_[p] = reinterpret_cast<Desk*>(own);
      continue;
    }
    const SharedFile file = SharedFile::of(name, why);
    std::byte* desk = file.open() ? file.map(0, sizeof(Desk)) : nullptr;
    if (!desk && why.empty()) why = "no memory";
    if (desk) desks_[p] = reinterpret_cast<Desk*>(desk);
  }
  if (why.empty()) use_mail(true);
  spin_ns_ = processes() <= CPU_COUNT(&used) ? 20'000 : 0;
  // All have mapped the bells, or none goes on.
  auto answers = gather(why);
  own_desk_ = SharedFile();
  if (answers && !refused_for(*answers)) {
    use_mail(false);
    return true;
  }
  problem = refusal_;
  return false;
}

void ProcessWorld::use_mail(bool receives) {
  Lock lock(control_->mutex());
  const bool leads = process() == 0;
  for (int32_t p = 1; p < processes(); ++p) {
    if (!leads && p != process()) continue;
    Stream& stream = control_->stream(leads ? p : 0);
    Desk& desk = *desks_[p];
    if (receives) {
      stream.receive_mail(leads ? desk.to_leader : desk.from_leader);
    } else {
      stream.send_mail(leads ? desk.from_leader : desk.to_leader, desks_[leads ? p : 0]->attended);
    }
  }
  attends_ = !receives;
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
        lock, desks_[process()]->attended, [&] { return ready() || lost_; }, attend_ns, spin_ns_ == 0);
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
  return std::make_unique<SharedGroupMemory>(std::move(set), sets_);
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

// All processes make their part of the regions, tell where it is, map the others', and tell whether that
// went well. Null in all of them otherwise.
std::unique_ptr<RegionSet> ProcessWorld::make_regions(const std::vector<int32_t>& devices, uint64_t bytes,
                                                      int32_t ranks, bool has_memory) {
  auto set = std::make_unique<RegionSet>(sets_made_, devices, bytes);
  const int32_t share = ranks / processes();
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
    if (p != process()) set->map(from, number, names[p], why);
  }
  auto answers = gather(why);
  if (!answers || refused_for(*answers)) return nullptr;
  ++sets_made_;
  return set;
}

bool ProcessWorld::refused_for(const std::vector<std::string>& problems) {
  for (size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].empty()) continue;
    // The memory of a process that has died meanwhile cannot be opened: then that is what went wrong.
    if (!gather("")) return true;
    Lock lock(control_->mutex());
    refuse(world_failure(diag::run_no_shared_memory, {std::to_string(p), problems[p]}));
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

void ProcessWorld::end(Run&, std::optional<Failure>& failure) {
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
  desks_[rank / ranks_per_process_.load(std::memory_order_relaxed)]->bell.ring();
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

// Says that this process is quiet when it has been for two looks: between ranks that wait for each other all
// the time it is for moments only, and nobody needs to hear of those.
std::optional<uint64_t> ProcessWorld::look(uint64_t now_ns) {
  if (!watching_.load()) return std::nullopt;
  if (now_ns < next_look_ns_) return next_look_ns_ - now_ns;
  if (!run_ || !begun_ || ended_) {
    watching_ = false;
    return std::nullopt;
  }
  const Run::Pulse pulse = run_->pulse();
  if (pulse.quiet && pulse.turns == seen_turns_ && pulse.turns != said_turns_) {
    said_turns_ = pulse.turns;
    control_->say({.kind = Kind::Quiet, .number = call_, .turns = pulse.turns});
  } else if (pulse.turns != seen_turns_) {
    pause_ns_ = std::min(pause_ns_ * 2, longest_pause_ns);
  }
  seen_turns_ = pulse.turns;
  next_look_ns_ = now_ns + pause_ns_;
  if (pulse.quiet && pulse.turns != said_turns_) return pause_ns_;
  watching_ = false;
  // It may have come to rest once more before that.
  const Run::Pulse again = run_->pulse();
  if (!again.quiet || again.turns == said_turns_) return std::nullopt;
  watching_ = true;
  return pause_ns_;
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
      if (run_ && begun_ && !ended_) {
        const Run::Pulse pulse = run_->pulse();
        answer.turns = pulse.turns;
        answer.quiet = pulse.quiet;
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
      lose(lost_process(0, "it has left the world"));
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
  if (run_ && !over_) run_->stop(failure);
  changed_.notify_all();
}

}  // namespace tilewire::processes
