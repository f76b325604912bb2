#include "split_world.h"

#include <algorithm>

#include "runtime/reserved_range.h"
#include "runtime/windows.h"

namespace tilewire::runtime {
namespace {

// The same regions for all parts, as far as they are on the same host.
class SharedMemory final : public PartMemory {
 public:
  // `parts` and `part_hosts`: of each member.
  SharedMemory(std::shared_ptr<GroupMemory> memory, const std::vector<int32_t>& parts,
               std::vector<int32_t> part_hosts, int32_t own_host)
      : memory_(std::move(memory)), reserved_(memory_->mapped_bytes * parts.size()) {
    mapped_bytes = memory_->mapped_bytes;
    hosts = std::move(part_hosts);
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool near = hosts[i] == own_host;
      homes.push_back({memory_->regions[i], memory_->waiters[i], parts[i]});
      regions.push_back(near ? memory_->regions[i] : reserved_.data() + i * mapped_bytes);
      waiters.push_back(near ? memory_->waiters[i] : nullptr);
    }
  }
  void clear(size_t member) override { memory_->clear(member); }

 private:
  std::shared_ptr<GroupMemory> memory_;
  ReservedRange reserved_;
};

}  // namespace

SplitWorld::SplitWorld(std::vector<int32_t> counts, uint64_t spin_ns, std::vector<int32_t> hosts,
                       const FarNetwork::Options& network) {
  std::vector<Bell*> bells;
  for (size_t i = 0; i < counts.size(); ++i) {
    Part& part = *parts_.emplace_back(std::make_unique<Part>(*this, i));
    part.place = {
        .first = ranks_, .count = counts[i], .bell = &part.bell, .spin_ns = spin_ns, .yield_ns = 10'000};
    part.host = hosts.empty() ? 0 : hosts[i];
    ranks_ += counts[i];
    bells.push_back(&part.bell);
  }
  if (!hosts.empty()) network_ = std::make_unique<FarNetwork>(std::move(bells), network);
}

World::Part SplitWorld::Part::part(int32_t ranks) const {
  TW_CHECK(ranks == all.ranks_, "a call on another number of ranks");
  return place;
}

std::unique_ptr<GroupMemory> SplitWorld::Part::map(const GroupLayout& layout, int32_t ranks) {
  std::lock_guard lock(all.mutex_);
  if (mapped == all.memories_.size()) all.memories_.push_back(local_world().map(layout, ranks));
  std::shared_ptr<GroupMemory> memory = all.memories_[mapped++];
  if (!memory) return nullptr;
  std::vector<int32_t> owners, hosts;
  for (int32_t device : layout.devices) {
    for (const auto& part : all.parts_) {
      if (!part->place.has(device)) continue;
      owners.push_back(static_cast<int32_t>(part->index));
      hosts.push_back(part->host);
    }
  }
  return std::make_unique<SharedMemory>(memory, owners, hosts, host);
}

template <class Ready>
void SplitWorld::Part::await(std::unique_lock<std::mutex>& lock, const Run& run, Ready ready) {
  while (!ready() && !run.aborted()) {
    const uint32_t rings = bell.rings();
    lock.unlock();
    bell.announce();
    if (!run.aborted()) bell.sleep(rings);
    bell.stay_awake();
    lock.lock();
  }
}

bool SplitWorld::Part::begin(Run& run, std::span<const Term> terms) {
  std::unique_lock lock(all.mutex_);
  Call& now = all.call_of(*this);
  now.runs[index] = &run;
  now.terms[index].assign(terms.begin(), terms.end());
  if (now.failure) run.stop(*now.failure);
  if (++now.begun == all.size()) {
    for (size_t part = 1; part < all.size() && !now.failure; ++part) {
      for (size_t i = 0; i < now.terms[0].size() && !now.failure; ++i) {
        if (now.terms[part][i].value == now.terms[0][i].value) continue;
        Failure failure;
        failure.text = "`" + now.terms[0][i].name + "` is " + now.terms[part][i].value + " in part " +
                       std::to_string(part) + " and " + now.terms[0][i].value + " in part 0";
        all.stop(now, failure, all.size());
      }
    }
    all.ring_all();
  }
  await(lock, run, [&] { return now.begun == all.size() || now.failure; });
  return !now.failure && !run.aborted();
}

void SplitWorld::Part::end(Run& run, std::optional<Failure>& failure) {
  std::unique_lock lock(all.mutex_);
  Call& now = all.call_of(*this);
  now.ended[index] = true;
  if (failure) all.stop(now, *failure, index);
  all.find_deadlock(now);
  all.ring_all();
  auto all_ended = [&] {
    return std::count(now.ended.begin(), now.ended.end(), true) == ssize_t(all.size());
  };
  await(lock, run, all_ended);
  if (!all_ended() && !now.failure) {  // interrupted while it waited for the others
    Failure interrupted;
    interrupted.cause = Cause::Interrupted;
    all.stop(now, interrupted, index);
  }
  while (!all_ended()) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  failure = now.failure;
  now.runs[index] = nullptr;
  ++call;
  lock.unlock();
  // What a run that failed has sent must not arrive in the next one. Others have waited for it.
  if (all.network_ && (failure || !all.network_->options().acknowledges)) all.network_->drain();
}

void SplitWorld::Part::wake(int32_t rank) {
  for (auto& part : all.parts_) {
    if (part->place.has(rank) || all.watchers_ != 0) part->bell.ring();
  }
}

void SplitWorld::Part::watch(int32_t, int32_t change) {
  all.watchers_ += change;
}

void SplitWorld::Part::failed(Run&, const Failure& failure) {
  std::lock_guard lock(all.mutex_);
  all.stop(all.call_of(*this), failure, index);
}

void SplitWorld::Part::quiet(Run& run) {
  std::lock_guard lock(all.mutex_);
  Call& now = all.call_of(*this);
  all.find_deadlock(now);
  if (!now.stuck || now.lists[index]) return;
  now.lists[index] = run.waits();
  if (!now.lists[index]) return all.resume(now);
  all.complete_deadlock(now);
}

SplitWorld::Call& SplitWorld::call_of(const Part& part) {
  while (part.call >= calls_.size()) calls_.emplace_back(size());
  return calls_[part.call];
}

void SplitWorld::ring_all() {
  for (auto& part : parts_) part->bell.ring();
}

// The first failure counts, everywhere.
void SplitWorld::stop(Call& call, const Failure& failure, size_t except) {
  if (call.failure) return;
  call.failure = failure;
  for (size_t i = 0; i < size(); ++i) {
    if (i != except && call.runs[i]) call.runs[i]->stop(failure);
  }
}

// Nobody did anything from the end of the first look to the beginning of the second, and nothing was under
// way.
bool SplitWorld::all_quiet(const Call& call) const {
  if (network_ && network_->busy()) return false;
  std::vector<uint64_t> turns(size());
  for (int look = 0; look < 2; ++look) {
    for (size_t i = 0; i < size(); ++i) {
      if (call.ended[i]) continue;
      if (!call.runs[i]) return false;
      const Run::Pulse pulse = call.runs[i]->pulse();
      if (!pulse.quiet || (look == 1 && pulse.turns != turns[i])) return false;
      turns[i] = pulse.turns;
    }
  }
  return !network_ || !network_->busy();
}

void SplitWorld::find_deadlock(Call& call) {
  const bool any_left = std::find(call.ended.begin(), call.ended.end(), false) != call.ended.end();
  if (call.stuck || call.failure || !any_left || call.begun < size() || !all_quiet(call)) return;
  call.stuck = true;
  ring_all();  // everybody tells what it waits for
}

// A part goes on after all: the others tell again when they are stuck once more.
void SplitWorld::resume(Call& call) {
  call.stuck = false;
  call.lists.assign(size(), std::nullopt);
}

void SplitWorld::complete_deadlock(Call& call) {
  std::vector<Blocked> all;
  for (size_t i = 0; i < size(); ++i) {
    if (call.ended[i]) continue;
    if (!call.lists[i]) return;
    all.insert(all.end(), call.lists[i]->begin(), call.lists[i]->end());
  }
  if (!all.empty()) stop(call, deadlock_of(std::move(all)), size());
}

}  // namespace tilewire::runtime
