#include "far_network.h"

#include <algorithm>

#include "runtime/cells.h"

namespace tilewire::runtime {
namespace {

std::vector<int64_t> dense_strides(const std::vector<int64_t>& extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i]) strides[i] = stride;
  return strides;
}

// A region with its elements one behind the other.
struct Packed {
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;  // elsewhere
  std::vector<std::byte> bytes;
  uint32_t element_bytes = 0;

  Packed(const Copy& region, const int64_t* other_strides)
      : extents(region.extents, region.extents + region.rank),
        strides(other_strides, other_strides + region.rank),
        bytes(static_cast<size_t>(element_count(region.extents, region.rank)) * region.element_bytes),
        element_bytes(region.element_bytes) {}
  void fill(const std::byte* from, const int64_t* from_strides) {
    const std::vector<int64_t> dense = dense_strides(extents);
    copy({bytes.data(), from, extents.data(), dense.data(), from_strides,
          static_cast<uint32_t>(extents.size()), element_bytes});
  }
  void put(std::byte* to, const int64_t* to_strides, uint32_t bits, uint8_t dtype) const {
    const std::vector<int64_t> dense = dense_strides(extents);
    const Copy region{to,           bytes.data(), extents.data(),
                      to_strides,   dense.data(), static_cast<uint32_t>(extents.size()),
                      element_bytes};
    if (bits & abi::AtomicAdd) return add(region, dtype);
    copy(region);
  }
};

}  // namespace

class FarNetwork::Link final : public FarLink {
 public:
  Link(FarNetwork& network, size_t part, size_t parts)
      : network_(network), part_(part), sent_(parts), landed_(parts) {}

  int32_t process_of(const GroupMemory& memory, int32_t member) const override {
    return static_cast<const PartMemory&>(memory).homes[member].part;
  }

  void put(const FarPlace& to, const Copy& region, uint32_t bits, uint8_t dtype) override {
    auto packed = std::make_shared<Packed>(region, region.target_strides);
    packed->fill(region.source, region.source_strides);
    const PartMemory::Home home = home_of(to);
    std::byte* at = home.region + to.offset;
    std::lock_guard lock(network_.mutex_);
    send(home.part, [=] { packed->put(at, packed->strides.data(), bits, dtype); });
  }

  void get(const FarPlace& from, const Copy& region, FarDone& done) override {
    auto packed = std::make_shared<Packed>(region, region.target_strides);
    const std::vector<int64_t> there(region.source_strides, region.source_strides + region.rank);
    const PartMemory::Home home = home_of(from);
    const std::byte* at = home.region + from.offset;
    std::byte* target = region.target;
    std::lock_guard lock(network_.mutex_);
    const uint64_t number = expect(done);
    network_.send(part_, home.part, [=, this] {
      packed->fill(at, there.data());
      network_.send(home.part, part_, [=, this] {
        if (expected_.contains(number)) packed->put(target, packed->strides.data(), 0, 0);
        complete(number);
      });
    });
  }

  void notify(const FarPlace& cell, int32_t value, uint32_t kind) override {
    const PartMemory::Home home = home_of(cell);
    auto* at = reinterpret_cast<int32_t*>(home.region + cell.offset);
    std::lock_guard lock(network_.mutex_);
    send(home.part, [=, this] {
      write_cell(at, value, static_cast<abi::NotifyKind>(kind));
      wake(home);
    });
  }

  void update(const FarPlace& element, int64_t expected, int64_t value, uint32_t bits, int64_t* old,
              FarDone& done) override {
    const PartMemory::Home home = home_of(element);
    void* at = home.region + element.offset;
    std::lock_guard lock(network_.mutex_);
    const uint64_t number = expect(done);
    send(home.part, [=, this] {
      const int64_t found = update_element(at, expected, value, bits);
      wake(home);
      network_.send(home.part, part_, [=, this] {
        if (expected_.contains(number)) *old = found;
        complete(number);
      });
    });
  }

  const uint32_t* unlanded() const override { return &unlanded_; }

  bool flush(int32_t process, FarDone& done) override {
    std::lock_guard lock(network_.mutex_);
    if (!network_.options_.acknowledges) return true;
    Flush flush{sent_, &done};
    if (process >= 0) flush.until[process] = 0;
    if (landed(flush)) return true;
    flushes_.push_back(std::move(flush));
    return false;
  }

  void forget(FarDone& done) override {
    std::lock_guard lock(network_.mutex_);
    std::erase_if(expected_, [&](const auto& entry) { return entry.second == &done; });
    std::erase_if(flushes_, [&](const Flush& flush) { return flush.done == &done; });
  }

  bool poll() override {
    std::unique_lock lock(network_.mutex_, std::try_to_lock);
    return lock && network_.deliver(lock);
  }

 private:
  static PartMemory::Home home_of(const FarPlace& place) {
    return static_cast<const PartMemory*>(place.memory)->homes[place.member];
  }

  // All that follows is called under the lock of the network.

  // Something that has to land: its acknowledgement comes back like a message.
  void send(int32_t to, std::function<void()> arrive) {
    ++sent_[to];
    if (network_.options_.acknowledges) __atomic_fetch_add(&unlanded_, 1, __ATOMIC_SEQ_CST);
    network_.send(part_, to, [this, to, arrive = std::move(arrive)] {
      arrive();
      network_.send(to, part_, [this, to] { acknowledged(to); });
    });
  }

  void acknowledged(int32_t from) {
    ++landed_[from];
    if (!network_.options_.acknowledges) return;
    __atomic_fetch_sub(&unlanded_, 1, __ATOMIC_SEQ_CST);
    std::erase_if(flushes_, [&](const Flush& flush) {
      if (!landed(flush)) return false;
      finish(*flush.done);
      return true;
    });
  }

  bool landed(const Flush& flush) const {
    for (size_t i = 0; i < landed_.size(); ++i) {
      if (landed_[i] < flush.until[i]) return false;
    }
    return true;
  }

  uint64_t expect(FarDone& done) {
    expected_.emplace(++requests_, &done);
    return requests_;
  }

  void complete(uint64_t number) {
    auto found = expected_.find(number);
    if (found == expected_.end()) return;
    FarDone& done = *found->second;
    expected_.erase(found);
    finish(done);
  }

  void finish(FarDone& done) {
    __atomic_store_n(&done.cell, 1, __ATOMIC_SEQ_CST);  // it may be gone from here on
    network_.bells_[part_]->ring();
  }

  void wake(const PartMemory::Home& home) {
    if (__atomic_load_n(home.waiters, __ATOMIC_SEQ_CST) != 0) network_.bells_[home.part]->ring();
  }

  FarNetwork& network_;
  const size_t part_;
  uint32_t unlanded_ = 0;
  std::vector<uint64_t> sent_, landed_;  // by part
  std::map<uint64_t, FarDone*> expected_;
  uint64_t requests_ = 0;
  std::vector<Flush> flushes_;
};

FarNetwork::FarNetwork(std::vector<Bell*> bells, const Options& options)
    : options_(options), bells_(std::move(bells)), random_(options.seed), holding_(options.holds) {
  channels_.resize(bells_.size() * bells_.size());
  for (size_t i = 0; i < bells_.size(); ++i) {
    links_.push_back(std::make_unique<Link>(*this, i, bells_.size()));
  }
  thread_ = std::thread([this] { run(); });
}

FarNetwork::~FarNetwork() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FarNetwork::send(size_t from, size_t to, std::function<void()> arrive) {
  const uint64_t kind = random_() % 32;
  uint64_t delay_us = kind < 24 ? 0 : kind < 31 ? random_() % 20 : random_() % 300;
  if (options_.slow == std::pair(from, to)) delay_us = holding_ ? 3'600'000'000 : options_.slow_us;
  channels_[from * bells_.size() + to].push_back(
      {Clock::now() + std::chrono::microseconds(delay_us), std::move(arrive)});
  ++under_way_;
  changed_.notify_all();
}

bool FarNetwork::deliver(std::unique_lock<std::mutex>&) {
  const Clock::time_point now = Clock::now();
  const size_t first = random_() % channels_.size();
  for (size_t i = 0; i < channels_.size(); ++i) {
    std::deque<Message>& channel = channels_[(first + i) % channels_.size()];
    if (channel.empty() || channel.front().due > now) continue;
    const std::function<void()> arrive = std::move(channel.front().arrive);
    channel.pop_front();
    arrive();
    --under_way_;
    // Whoever was quiet while something was under way says so again.
    if (under_way_ == 0) {
      for (Bell* bell : bells_) bell->ring();
    }
    changed_.notify_all();
    return true;
  }
  return false;
}

void FarNetwork::run() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (deliver(lock)) continue;
    if (under_way_ == 0) {
      changed_.wait(lock);
      continue;
    }
    Clock::time_point next = Clock::time_point::max();
    for (const auto& channel : channels_) {
      if (!channel.empty()) next = std::min(next, channel.front().due);
    }
    changed_.wait_until(lock, next);
  }
}

bool FarNetwork::busy() {
  std::lock_guard lock(mutex_);
  return under_way_ != 0;
}

void FarNetwork::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_ == 0; });
}

void FarNetwork::let_go() {
  std::lock_guard lock(mutex_);
  holding_ = false;
  for (auto& channel : channels_) {
    for (Message& message : channel) message.due = Clock::now();
  }
  changed_.notify_all();
}

}  // namespace tilewire::runtime
