// What MPI does to packets when something is wrong; that they arrive is tested with the channels.
#include "processes/messages/mpi_engine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_mpi.h"

namespace tilewire::processes {
namespace {

constexpr int32_t packet_tag = 1, bulk_tag = 2;

struct Kept final : Receiver {
  bool receive(int32_t from, std::span<const std::byte> packet) override {
    packets.push_back(std::to_string(from) + ":" +
                      std::string(reinterpret_cast<const char*>(packet.data()), packet.size()));
    return packets.back().find("nonsense") == std::string::npos;
  }
  std::byte* receive_bulk(int32_t from, std::span<const std::byte> packet, uint64_t bytes) override {
    receive(from, packet);
    if (bytes > bulk.size()) return nullptr;
    return bulk.data();
  }
  void bulk_arrived(int32_t from) override { packets.push_back(std::to_string(from) + " bulk"); }
  void gone(int32_t from, const std::string& how) override {
    ends.push_back(std::to_string(from) + " " + how);
  }

  std::vector<std::string> packets, ends;
  std::vector<std::byte> bulk = std::vector<std::byte>(1 << 20);
};

// One engine, and whatever the others send to it.
struct Reached {
  FakeMpiNetwork network{3};
  MpiEngine engine{network.of(0), 3, 1000};
  Kept kept;
  std::vector<std::string> sent;  // what has to stay where it is

  void send(int32_t from, std::string bytes, int32_t tag = packet_tag) {
    TilewireMpi& mpi = network.of(from);
    sent.reserve(100);
    sent.push_back(std::move(bytes));
    TilewireMpiRequest request{};
    ASSERT_EQ(mpi.send(&mpi, sent.back().data(), static_cast<int32_t>(sent.back().size()), 0, tag, &request),
              0);
  }
  void settle() {
    for (int quiet = 0; quiet < 50; ++quiet) {
      if (engine.poll(kept)) quiet = 0;
    }
  }
};

std::string packet(std::string text, uint64_t bulk = 0) {
  text.append(reinterpret_cast<const char*>(&bulk), sizeof bulk);
  return text;
}

using Texts = std::vector<std::string>;

TEST(MpiEngine, WhatComesBehindBulkBytesWaitsForThem) {
  Reached reached;
  reached.send(1, packet("large", 2500));
  reached.send(1, packet("behind"));
  reached.send(2, packet("other"));
  reached.settle();
  EXPECT_EQ(reached.kept.packets, (Texts{"1:large", "2:other"}));
  for (int bytes : {1000, 1000, 500}) reached.send(1, std::string(bytes, 'x'), bulk_tag);
  reached.settle();
  EXPECT_EQ(reached.kept.packets, (Texts{"1:large", "2:other", "1 bulk", "1:behind"}));
  EXPECT_EQ(reached.kept.bulk[2499], std::byte{'x'});
  EXPECT_EQ(reached.kept.bulk[2500], std::byte{0});
  EXPECT_EQ(reached.kept.ends, Texts{});
}

TEST(MpiEngine, WhatMakesNoSenseEndsTheChannel) {
  const std::pair<std::string, std::string> wrong[] = {{"short", ""},
                                                       {packet("nonsense"), ""},
                                                       {packet("large", 3 << 20), ""},
                                                       {packet("large", 2500), "few"}};
  for (const auto& [first, bulk] : wrong) {
    Reached reached;
    reached.send(1, first);
    if (!bulk.empty()) reached.send(1, bulk, bulk_tag);
    reached.send(1, packet("later"));
    reached.send(2, packet("other"));
    reached.settle();
    EXPECT_EQ(reached.kept.ends, Texts{"1 what it sent is not a message"});
    EXPECT_EQ(reached.kept.packets.back(), "2:other");
    // Who sends there is not kept waiting.
    const uint64_t number = reached.engine.send(1, "to nobody", {});
    EXPECT_TRUE(reached.engine.has_left(1, number));
  }
}

TEST(MpiEngine, ASendThatFailsEndsTheChannel) {
  Reached reached;
  reached.network.fail_sends_to(2);
  reached.engine.send(2, "packet", {});
  reached.engine.send(2, "and another", {});
  reached.settle();
  EXPECT_EQ(reached.kept.ends, Texts{"2 error 7"});
  reached.engine.send(1, "packet", {});
  EXPECT_TRUE(reached.engine.has_left(1, 1));
}

TEST(MpiEngine, ALongMessageLeavesWhenItIsReceived) {
  Reached reached;
  const std::vector<std::byte> bulk(2500);
  EXPECT_EQ(reached.engine.send(1, std::string(10'000, 'x'), bulk), 1u);
  EXPECT_EQ(reached.engine.send(1, "next", {}), 2u);
  reached.settle();
  EXPECT_FALSE(reached.engine.has_left(1, 1));
  MpiEngine other(reached.network.of(1), 3, 1000);
  Kept kept;
  for (int i = 0; i < 200; ++i) {
    reached.settle();
    other.poll(kept);
  }
  EXPECT_TRUE(reached.engine.has_left(1, 2));
  EXPECT_EQ(kept.packets, (Texts{"0:" + std::string(10'000, 'x'), "0 bulk", "0:next"}));
}

TEST(MpiEngine, OneThatIsFullSaysSo) {
  Reached reached;
  EXPECT_TRUE(reached.engine.has_room(1));
  while (reached.engine.has_room(1)) reached.engine.send(1, std::string(60'000, 'x'), {});
  EXPECT_TRUE(reached.engine.has_room(2));
  EXPECT_LE(reached.network.pending(0), 100u);
}

TEST(MpiEngine, AClosedOneLeavesNothingBehind) {
  Reached reached;
  reached.send(1, packet("large", 2500));
  reached.engine.send(1, "packet", {});
  reached.settle();
  EXPECT_GT(reached.network.pending(0), 0u);
  reached.engine.close();
  // The bulk receive is undone, and nobody asks any more.
  EXPECT_LE(reached.network.pending(0), 1u);
  EXPECT_FALSE(reached.engine.poll(reached.kept));
  EXPECT_TRUE(reached.engine.has_left(1, reached.engine.send(1, "packet", {})));
}

TEST(MpiEngine, NothingIsAskedOfMpiThatIsOver) {
  Reached reached;
  reached.send(1, packet("large", 2500));
  reached.settle();
  reached.network.finalize();
  reached.engine.close();
  EXPECT_FALSE(reached.engine.poll(reached.kept));
  EXPECT_EQ(reached.network.uses_after_finalize(), 0);
}

}  // namespace
}  // namespace tilewire::processes
