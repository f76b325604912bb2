// A process in miniature, with channels to others of its kind, for tests of channels over any engine.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "abi/abi.h"
#include "processes/messages/channels.h"
#include "runtime/cells.h"

namespace tilewire::processes {

using runtime::Copy;
using runtime::FarDone;
using runtime::FarPlace;

constexpr uint64_t region_bytes = 20 << 20;
// Whoever gives its turn away beside busy programs gets it back late.
constexpr auto pause = std::chrono::microseconds(20);

class NodeGroup final : public NumberedMemory {
 public:
  void clear(size_t) override {}
};

// One region, and channels to those of others.
struct Node {
  runtime::Bell bell;
  std::unique_ptr<void, decltype(&std::free)> memory{std::calloc(region_bytes, 1), std::free};
  uint32_t waiters = 0;
  std::shared_ptr<LocalRegions> regions = std::make_shared<LocalRegions>();
  NodeGroup group;
  std::unique_ptr<Channels> channels;
  std::atomic<int> alarms{0}, busies{0};

  void open(std::unique_ptr<Engine> engine, int32_t process, int32_t processes) {
    group.number = 7;
    for (int32_t p = 0; p < processes; ++p) group.processes.push_back(p);
    regions->add(7, process, {base(), region_bytes, &waiters});
    channels = std::make_unique<Channels>(
        std::move(engine), processes, bell, regions, [this] { ++alarms; }, [this] { ++busies; });
  }
  std::byte* base() { return static_cast<std::byte*>(memory.get()); }
  int32_t* cell(uint64_t offset) { return reinterpret_cast<int32_t*>(base() + offset); }
  FarPlace at(int32_t process, uint64_t offset) const { return {&group, process, offset}; }

  void put(int32_t process, uint64_t offset, const void* bytes, int64_t count) {
    const int64_t stride = 1;
    channels->put(at(process, offset),
                  {nullptr, static_cast<const std::byte*>(bytes), &count, &stride, &stride, 1, 1}, 0, 0);
  }
  void start_get(int32_t process, uint64_t offset, void* to, int64_t count, FarDone& done) {
    const int64_t stride = 1;
    channels->get(at(process, offset), {static_cast<std::byte*>(to), nullptr, &count, &stride, &stride, 1, 1},
                  done);
  }
  void await(FarDone& done) {
    while (__atomic_load_n(&done.cell, __ATOMIC_SEQ_CST) == 0) {
      if (!channels->poll()) std::this_thread::sleep_for(pause);
    }
  }
  void get(int32_t process, uint64_t offset, void* to, int64_t count) {
    FarDone done;
    start_get(process, offset, to, count, done);
    await(done);
  }
  void await_cell(uint64_t offset, int32_t value) {
    while (runtime::cell_value(cell(offset)) < value) {
      if (!channels->poll()) std::this_thread::sleep_for(pause);
    }
  }
  void flush(int32_t process) {
    FarDone done;
    if (!channels->flush(process, done)) await(done);
  }
  // As a program does that releases.
  void notify(int32_t process, uint64_t offset, int32_t value = 1) {
    flush(process);
    channels->notify(at(process, offset), value, static_cast<uint32_t>(abi::NotifyKind::Add));
  }
};

// Each puts blocks of random size to every other one, and checks those that it gets.
inline void exchange_blocks(Node& node, int32_t me, int32_t processes, int rounds) {
  constexpr uint64_t slot = 1 << 20, inbox = 4096;
  std::mt19937 random(static_cast<uint32_t>(me));
  std::vector<int32_t> out(slot / 4);
  for (int round = 1; round <= rounds; ++round) {
    for (int32_t p = 0; p < processes; ++p) {
      if (p == me) continue;
      node.await_cell(1024 + 64 * p, round - 1);  // it has read the last one
      const uint32_t most = round % 16 == 0 ? slot / 4 : round % 4 == 0 ? 40'000 : 500;
      const uint32_t count = 1 + random() % most;
      std::fill_n(out.begin(), count, round * 8 + me);
      out[0] = static_cast<int32_t>(count);
      node.put(p, inbox + me * slot, out.data(), count * 4);
      node.notify(p, 64 * me);
    }
    for (int32_t p = 0; p < processes; ++p) {
      if (p == me) continue;
      node.await_cell(64 * p, round);
      const int32_t* in = node.cell(inbox + p * slot);
      ASSERT_TRUE(in[0] >= 1 && in[0] <= static_cast<int32_t>(slot / 4));
      for (int32_t i = 1; i < in[0]; ++i) ASSERT_EQ(in[i], round * 8 + p) << i;
      node.channels->notify(node.at(p, 1024 + 64 * me), 1, 0);
    }
  }
}

// Two put much to each other at the same time, and read it back.
inline void exchange_much(Node& node, int32_t me, int rounds) {
  constexpr int64_t bytes = 16 << 20;
  std::vector<char> out(bytes);
  for (int round = 1; round <= rounds; ++round) {
    std::fill(out.begin(), out.end(), static_cast<char>(round * 2 + me));
    node.put(1 - me, 4096, out.data(), bytes);
    node.notify(1 - me, 2048);
    node.await_cell(2048, round);
    const std::vector<char> expected(bytes, static_cast<char>(round * 2 + 1 - me));
    ASSERT_EQ(std::memcmp(node.base() + 4096, expected.data(), bytes), 0);
    std::vector<char> back(bytes);
    node.get(1 - me, 4096, back.data(), bytes);
    ASSERT_TRUE(back == out);
    node.notify(1 - me, 2112);
    node.await_cell(2112, round);
  }
}

}  // namespace tilewire::processes
