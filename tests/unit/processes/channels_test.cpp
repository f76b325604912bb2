// Memory of other processes by messages: what arrives is what was sent, in order, and nothing that a process
// might send makes another one read or write where it should not.
#include "processes/messages/channels.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "abi/numbers.h"
#include "channel_node.h"
#include "fake_mpi.h"
#include "processes/messages/mpi_engine.h"
#include "processes/messages/socket_engine.h"

namespace tilewire::processes {
namespace {

enum class Carrier { Sockets, Mpi };

// Nodes that are connected by sockets, or by MPI.
struct Net {
  explicit Net(int32_t count, Carrier carrier = Carrier::Sockets) : network(count), nodes(count) {
    if (carrier == Carrier::Mpi) {
      for (int32_t p = 0; p < count; ++p) {
        // Large puts in several messages.
        nodes[p].open(std::make_unique<MpiEngine>(network.of(p), count, 300'000), p, count);
      }
      return;
    }
    std::vector<std::vector<int>> sockets(count, std::vector<int>(count, -1));
    for (int32_t p = 0; p < count; ++p) {
      for (int32_t q = 0; q < p; ++q) {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        sockets[p][q] = ends[0];
        sockets[q][p] = ends[1];
      }
    }
    for (int32_t p = 0; p < count; ++p) nodes[p].open(std::make_unique<SocketEngine>(sockets[p]), p, count);
  }
  Node& operator[](size_t p) { return nodes[p]; }

  // Runs `body` of each node in a thread. Those that have ended serve the others.
  void run(const std::function<void(Node&, int32_t)>& body) {
    std::atomic<size_t> left{nodes.size()};
    std::vector<std::thread> threads;
    for (size_t p = 0; p < nodes.size(); ++p) {
      threads.emplace_back([&, p] {
        body(nodes[p], static_cast<int32_t>(p));
        nodes[p].flush(-1);
        --left;
        while (left > 0) {
          if (!nodes[p].channels->serve()) std::this_thread::sleep_for(pause);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  // Everything that has been sent.
  void settle() {
    for (bool any = true; any;) {
      any = false;
      for (Node& node : nodes) any |= node.channels->serve();
    }
  }

  FakeMpiNetwork network;
  std::vector<Node> nodes;
};

class ChannelsOver : public testing::TestWithParam<Carrier> {};
INSTANTIATE_TEST_SUITE_P(Engines, ChannelsOver, testing::Values(Carrier::Sockets, Carrier::Mpi),
                         [](const auto& info) { return info.param == Carrier::Mpi ? "Mpi" : "Sockets"; });

TEST_P(ChannelsOver, WhatIsPutIsThereBeforeItsSignal) {
  Net net(3, GetParam());
  net.run(
      [&](Node& node, int32_t me) { exchange_blocks(node, me, 3, GetParam() == Carrier::Mpi ? 100 : 400); });
}

// Regions with strides of any sign, dimensions of extent 1, more dimensions than a message has, elements of
// all sizes.
struct RandomRegion {
  explicit RandomRegion(std::mt19937& random) {
    static constexpr uint32_t sizes[] = {1, 2, 4, 8};
    element_bytes = sizes[random() % 4];
    const uint32_t rank = random() % 12;
    int64_t budget = random() % 4 == 0 ? 200'000 : 3000;
    for (uint32_t i = 0; i < rank; ++i) {
      const int64_t extent = random() % 40 == 0 ? 0 : 1 + random() % (rank > 6 ? 3 : 50);
      extents.push_back(std::min<int64_t>(extent, budget));
      budget /= std::max<int64_t>(extents.back(), 1);
    }
    far = strides(random);
    near = strides(random);
  }
  // Without overlaps: of some order of the dimensions, with gaps.
  std::vector<int64_t> strides(std::mt19937& random) const {
    std::vector<size_t> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    const bool plain = random() % 2 == 0;
    if (!plain) std::shuffle(order.begin(), order.end(), random);
    std::vector<int64_t> result(extents.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      result[order[i]] = !plain && random() % 3 == 0 ? -stride : stride;
      stride *= std::max<int64_t>(extents[order[i]], 1) + (!plain && random() % 3 == 0);
    }
    return result;
  }
  // How far it reaches below its start.
  int64_t below(const std::vector<int64_t>& of) const {
    int64_t low = 0;
    for (size_t i = 0; i < extents.size(); ++i) low += std::min<int64_t>(0, (extents[i] - 1) * of[i]);
    return -low;
  }
  int64_t reach(const std::vector<int64_t>& of) const {
    int64_t high = 0;
    for (size_t i = 0; i < extents.size(); ++i) high += std::max<int64_t>(0, (extents[i] - 1) * of[i]);
    return below(of) + high + 1;
  }
  Copy copy(std::byte* target, const std::byte* source, const std::vector<int64_t>& to,
            const std::vector<int64_t>& from) const {
    return {.target = target,
            .source = source,
            .extents = extents.data(),
            .target_strides = to.data(),
            .source_strides = from.data(),
            .rank = static_cast<uint32_t>(extents.size()),
            .element_bytes = element_bytes};
  }

  uint32_t element_bytes;
  std::vector<int64_t> extents, far, near;
};

TEST_P(ChannelsOver, RegionsOfAnyShapeArriveAsCopied) {
  Net net(2, GetParam());
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      if (!net[1].channels->serve()) std::this_thread::sleep_for(pause);
    }
  });
  Node& node = net[0];
  const uint32_t seeds = GetParam() == Carrier::Mpi ? 150 : 600;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    const RandomRegion region(random);
    const uint64_t element = region.element_bytes;
    auto noise = [&](int64_t elements) {
      std::vector<std::byte> bytes(static_cast<size_t>(elements) * element);
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const auto word = static_cast<uint32_t>(random());
        std::memcpy(&bytes[i], &word, 4);
      }
      return bytes;
    };
    const std::vector<std::byte> near = noise(region.reach(region.near));
    const std::vector<std::byte> far = noise(region.reach(region.far));
    ASSERT_LE(far.size(), region_bytes / 2);
    const uint64_t near_start = region.below(region.near) * element;
    const uint64_t far_start = region.below(region.far) * element;
    const uint64_t offset = 64 * (random() % 100);
    std::memcpy(net[1].base() + offset, far.data(), far.size());

    std::vector<std::byte> expected = far;
    if (seed % 3 == 0) {  // get
      std::vector<std::byte> result = near;
      expected = near;
      copy(region.copy(expected.data() + near_start, far.data() + far_start, region.near, region.far));
      FarDone done;
      node.channels->get(node.at(1, offset + far_start),
                         region.copy(result.data() + near_start, nullptr, region.near, region.far), done);
      node.await(done);
      ASSERT_EQ(result, expected) << "seed " << seed;
      continue;
    }
    const bool adds = seed % 3 == 1 && element > 1;
    const abi::ElementType dtype = element == 2   ? abi::ElementType::UInt16
                                   : element == 4 ? abi::ElementType::Int32
                                                  : abi::ElementType::Int64;
    const Copy whole =
        region.copy(expected.data() + far_start, near.data() + near_start, region.far, region.near);
    adds ? add(whole, static_cast<uint8_t>(dtype)) : copy(whole);
    Copy sent = whole;
    sent.target = nullptr;
    node.channels->put(node.at(1, offset + far_start), sent, adds ? uint32_t{abi::AtomicAdd} : 0u,
                       static_cast<uint8_t>(dtype));
    node.flush(-1);
    ASSERT_EQ(std::memcmp(net[1].base() + offset, expected.data(), expected.size()), 0) << "seed " << seed;
  }
  over = true;
  other.join();
}

TEST_P(ChannelsOver, LargePutsBothWaysAtOnce) {
  Net net(2, GetParam());
  net.run([&](Node& node, int32_t me) { exchange_much(node, me, 3); });
}

TEST_P(ChannelsOver, UpdatesReturnTheOldValue) {
  Net net(2, GetParam());
  net.run([&](Node& node, int32_t me) {
    if (me == 1) return;
    auto update = [&](uint64_t offset, int64_t expected, int64_t value, uint32_t bits) {
      int64_t old = 77;
      FarDone done;
      node.channels->update(node.at(1, offset), expected, value, bits, &old, done);
      node.await(done);
      return old;
    };
    EXPECT_EQ(update(0, 0, 5, 0), 0);
    EXPECT_EQ(update(0, 0, -7, 0), 5);
    EXPECT_EQ(update(0, 1, 9, abi::Compares), -2);
    EXPECT_EQ(update(0, -2, 9, abi::Compares), -2);
    EXPECT_EQ(update(0, 0, 0, 0), 9);
    constexpr int64_t wide = int64_t{1} << 40;
    EXPECT_EQ(update(8, 0, wide, abi::Wide), 0);
    EXPECT_EQ(update(8, wide, -1, abi::Wide | abi::Compares), wide);
    EXPECT_EQ(update(8, 0, 0, abi::Wide), -1);
  });
}

TEST_P(ChannelsOver, ASignalRingsWhereSomebodyIsParked) {
  Net net(2, GetParam());
  const uint32_t before = net[1].bell.rings();
  net[0].notify(1, 0);
  net.settle();
  EXPECT_EQ(*net[1].cell(0), 1);
  EXPECT_EQ(net[1].bell.rings(), before);
  net[1].waiters = 1;
  net[0].channels->notify(net[0].at(1, 0), 9, static_cast<uint32_t>(abi::NotifyKind::Set));
  net.settle();
  EXPECT_EQ(*net[1].cell(0), 9);
  EXPECT_EQ(net[1].bell.rings(), before + 1);
}

// Engines of a network that delivers a packet when it is told to.
struct HeldNet {
  struct Held final : Engine {
    Held(HeldNet& owner, int32_t process) : net(owner), own(process) {}
    uint64_t send(int32_t to, std::string packet, std::span<const std::byte> bulk) override {
      EXPECT_TRUE(bulk.empty());
      net.sent[{own, to}].push_back(std::move(packet));
      return ++count;
    }
    bool has_left(int32_t, uint64_t) const override { return true; }
    bool has_room(int32_t) const override { return true; }
    bool poll(Receiver& receiver) override {
      bool any = false;
      for (auto& [from, packet] : in) {
        any = true;
        EXPECT_TRUE(receiver.receive(from, std::as_bytes(std::span(packet))));
      }
      in.clear();
      return any;
    }
    int descriptor() const override { return -1; }
    void close() override {}
    HeldNet& net;
    const int32_t own;
    uint64_t count = 0;
    std::vector<std::pair<int32_t, std::string>> in;
  };

  explicit HeldNet(int32_t count) : nodes(count) {
    for (int32_t p = 0; p < count; ++p) {
      auto engine = std::make_unique<Held>(*this, p);
      engines.push_back(engine.get());
      nodes[p].open(std::move(engine), p, count);
    }
  }
  void deliver(int32_t from, int32_t to) {
    for (std::string& packet : sent[{from, to}]) engines[to]->in.emplace_back(from, std::move(packet));
    sent[{from, to}].clear();
    nodes[to].channels->poll();
  }

  std::map<std::pair<int32_t, int32_t>, std::vector<std::string>> sent;
  std::vector<Held*> engines;
  std::vector<Node> nodes;
};

// What was put to one process is there before a signal to another one is sent.
TEST(Channels, AFlushEndsWhenAllHasLanded) {
  HeldNet net(3);
  Node& node = net.nodes[0];
  const int32_t value = 5;
  FarDone done;
  EXPECT_EQ(*node.channels->unlanded(), 0u);
  EXPECT_TRUE(node.channels->flush(-1, done));
  node.put(2, 64, &value, 4);
  EXPECT_NE(*node.channels->unlanded(), 0u);
  EXPECT_TRUE(node.channels->flush(2, done));  // what comes next to that process is behind it anyway
  EXPECT_FALSE(node.channels->flush(1, done));
  node.channels->poll();
  EXPECT_EQ(done.cell, 0);
  net.deliver(0, 2);
  EXPECT_EQ(*net.nodes[2].cell(64), 5);
  EXPECT_EQ(done.cell, 0);
  EXPECT_FALSE(node.channels->settled());
  net.deliver(2, 0);
  EXPECT_EQ(done.cell, 1);
  EXPECT_EQ(*node.channels->unlanded(), 0u);
  EXPECT_TRUE(node.channels->settled());
}

// Acknowledgements ride on what goes back.
TEST(Channels, AReplySaysWhatHasLanded) {
  HeldNet net(2);
  Node& node = net.nodes[0];
  const int32_t value = 5;
  int32_t back = 0;
  FarDone done;
  node.put(1, 64, &value, 4);
  node.start_get(1, 64, &back, 4, done);
  net.deliver(0, 1);
  EXPECT_NE(*node.channels->unlanded(), 0u);
  net.deliver(1, 0);
  EXPECT_EQ(back, 5);
  EXPECT_EQ(*node.channels->unlanded(), 0u);
}

TEST(Channels, TrafficCountsWhatIsUnderWay) {
  HeldNet net(2);
  auto under_way = [&] {
    uint64_t sum = 0;
    for (Node& node : net.nodes) sum += node.channels->traffic().sent - node.channels->traffic().handled;
    return sum;
  };
  net.nodes[0].notify(1, 0);
  EXPECT_EQ(under_way(), 1u);
  net.deliver(0, 1);
  EXPECT_EQ(under_way(), 0u);
  int32_t back = 0;
  FarDone done;
  net.nodes[0].start_get(1, 0, &back, 4, done);
  net.deliver(0, 1);
  EXPECT_EQ(under_way(), 1u);  // the reply
  net.deliver(1, 0);
  EXPECT_EQ(under_way(), 0u);
  EXPECT_EQ(done.cell, 1);
}

// The reply comes, and goes nowhere.
TEST(Channels, WhatIsForgottenIsNotTouched) {
  HeldNet net(2);
  Node& node = net.nodes[0];
  *net.nodes[1].cell(0) = 3;
  int32_t back = 0;
  int64_t old = 0;
  FarDone get, update, flush;
  node.start_get(1, 0, &back, 4, get);
  node.channels->update(node.at(1, 0), 0, 1, 0, &old, update);
  EXPECT_FALSE(node.channels->flush(-1, flush));
  for (FarDone* done : {&get, &update, &flush}) node.channels->forget(*done);
  EXPECT_FALSE(node.channels->settled());
  net.deliver(0, 1);
  net.deliver(1, 0);
  EXPECT_TRUE(node.channels->settled());
  EXPECT_EQ(back, 0);
  EXPECT_EQ(old, 0);
  for (FarDone* done : {&get, &update, &flush}) EXPECT_EQ(done->cell, 0);
  node.channels->forget(get);  // once more is no harm
}

TEST_P(ChannelsOver, ALargeGetIsForgottenAtAnyMoment) {
  Net net(2, GetParam());
  constexpr int64_t bytes = 2 << 20;
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      if (!net[1].channels->serve()) std::this_thread::sleep_for(pause);
    }
  });
  Node& node = net[0];
  std::memset(net[1].base(), -1, bytes);
  for (int polls = 0; polls < 40; ++polls) {
    std::vector<char> target(bytes);
    FarDone done;
    node.start_get(1, 0, target.data(), bytes, done);
    for (int i = 0; i < polls; ++i) node.channels->poll();
    node.channels->forget(done);
    const std::vector<char> before = target;
    int64_t after = 0;
    node.get(1, 64, &after, 8);  // behind the other reply
    EXPECT_EQ(after, -1);
    EXPECT_TRUE(target == before);
  }
  over = true;
  other.join();
}

TEST_P(ChannelsOver, ClosedOnesKeepNobodyWaiting) {
  Net net(2, GetParam());
  Node& node = net[0];
  int32_t back = 0;
  int64_t old = 0;
  FarDone get, update, flush, later;
  node.start_get(1, 0, &back, 4, get);
  node.channels->update(node.at(1, 0), 0, 1, 0, &old, update);
  EXPECT_FALSE(node.channels->flush(-1, flush));
  node.channels->close();
  for (const FarDone* done : {&get, &update, &flush}) EXPECT_EQ(done->cell, 1);
  EXPECT_EQ(*node.channels->unlanded(), 0u);
  node.put(1, 0, &back, 4);
  node.notify(1, 0);
  node.start_get(1, 0, &back, 4, later);
  EXPECT_EQ(later.cell, 1);
  EXPECT_TRUE(node.channels->flush(-1, flush));
  EXPECT_FALSE(node.channels->poll());
}

TEST(Channels, TheEndOfAProcessIsNoticedOnce) {
  Net net(3);
  net[1].channels->close();
  net[2].channels->close();
  net.settle();
  EXPECT_EQ(net[0].alarms, 1);
  ASSERT_TRUE(net[0].channels->broken());
  EXPECT_EQ(net[0].channels->broken()->how, "it has ended");
}

// One end of a channel, and a socket for whatever is sent to it.
struct Attacked {
  Attacked() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    socket = ends[1];
    node.open(std::make_unique<SocketEngine>(std::vector<int>{-1, ends[0]}), 0, 2);
  }
  ~Attacked() { close(socket); }
  void hang_up() { shutdown(socket, SHUT_WR); }
  void send(std::string_view bytes) {
    while (!bytes.empty() && !refused()) {
      const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      bytes.remove_prefix(std::max<ssize_t>(sent, 0));
      while (node.channels->poll()) {
      }
    }
  }
  bool refused() const { return node.channels->broken().has_value(); }

  Node node;
  int socket;
};

std::string frame(const std::string& packet, uint64_t bulk = 0) {
  const uint32_t mark = 0x54576d31, size = static_cast<uint32_t>(packet.size());
  std::string bytes(reinterpret_cast<const char*>(&mark), 4);
  bytes.append(reinterpret_cast<const char*>(&size), 4);
  bytes.append(reinterpret_cast<const char*>(&bulk), 8);
  return bytes + packet;
}

std::string message(WireHead head, std::vector<WireDim> dims = {}, size_t elements = 0) {
  std::string packet;
  std::byte* at = append_message(packet, head, dims, elements);
  std::memset(at, 1, elements);
  return packet;
}

using Kind = WireHead::Kind;
constexpr uint8_t int32 = static_cast<uint8_t>(abi::ElementType::Int32);

WireHead head(Kind kind, uint64_t offset = 0) {
  return {.kind = kind, .element_bytes = 4, .memory = 7, .offset = offset};
}

TEST(Channels, GoodMessagesAreTaken) {
  Attacked attacked;
  attacked.send(frame(message(head(Kind::Put), {{2, 3}}, 8)));
  EXPECT_EQ(*attacked.node.cell(12), 0x01010101);
  attacked.send(frame(message(head(Kind::Notify, region_bytes - 4))));
  attacked.send(frame(message(head(Kind::Put, 64), {{1 << 16, 1}}), 1 << 18) + std::string(1 << 18, 2));
  EXPECT_EQ(*attacked.node.cell(64 + (1 << 18) - 4), 0x02020202);
  attacked.send(frame(message(head(Kind::Get), {{2, 3}})));
  EXPECT_FALSE(attacked.refused());
}

TEST(Channels, WhatMakesNoSenseIsRefused) {
  auto with = [](WireHead head, auto change) {
    change(head);
    return head;
  };
  const std::string messages[] = {
      "",
      "x",
      message(head(Kind::Put), {{2, 1}}, 7),                    // elements are missing
      message(head(Kind::Put), {{2, 1}}, 9),                    // or too many
      message(head(Kind::Put, region_bytes - 4), {{2, 1}}, 8),  // behind the region
      message(head(Kind::Put), {{2, -1}}, 8),                   // before it
      message(head(Kind::Put, uint64_t{0} - 4), {}, 4),         // an offset that wraps
      message(head(Kind::Put), {{0, 1}}),                       // nothing
      message(head(Kind::Put), {{-1, 1}}),                      // less than nothing
      message(head(Kind::Get), {{1 << 30, 0}, {1 << 30, 0}}),   // more than there is
      message(head(Kind::Get), {{2, INT64_MAX}}),               // strides that overflow
      message(head(Kind::Get), {{3, INT64_MIN}}),
      message(head(Kind::Get), {{40'000, 2}}),  // too much for a packet, not dense
      message(head(Kind::Notify, 2)),           // cells are aligned
      message(head(Kind::Notify, region_bytes)),
      message(with(head(Kind::Notify), [](WireHead& one) { one.bits = 2; })),
      message(with(head(Kind::Notify), [](WireHead& one) { one.memory = 8; })),
      message(with(head(Kind::Notify), [](WireHead& one) { one.member = 1; })),
      message(with(head(Kind::Notify), [](WireHead& one) { one.applied = 1; })),  // nothing was sent
      message(with(head(Kind::Update, 4), [](WireHead& one) { one.bits = abi::Wide; })),
      message(with(head(Kind::Put), [](WireHead& one) { one.element_bytes = 0; })),
      message(with(head(Kind::Put), [](WireHead& one) { one.bits = abi::AtomicAdd; }), {}, 4),  // of BOOL
      message(with(head(Kind::Put, 2), [](WireHead& one) { one.bits = abi::AtomicAdd, one.dtype = int32; }),
              {}, 4),
      message(head(Kind::Reply), {}, 4),  // to no question
      message(with(head(Kind::Ask), [](WireHead& one) { one.kind = static_cast<Kind>(200); })),
      message(head(Kind::Put), {{1 << 16, 1}}).substr(0, 70),
  };
  for (const std::string& one : messages) {
    if (one.empty()) continue;
    Attacked attacked;
    attacked.send(frame(one));
    EXPECT_TRUE(attacked.refused()) << &one - messages;
    EXPECT_EQ(attacked.node.channels->broken()->how, "what it sent is not a message");
  }
  const std::pair<std::string, uint64_t> bulks[] = {
      {message(head(Kind::Put), {{1 << 16, 1}}), (1 << 18) - 1},
      {message(head(Kind::Put), {{1 << 16, 2}}), 1 << 18},
      {message(head(Kind::Put, region_bytes - 16), {{1 << 16, 1}}), 1 << 18},
      {message(head(Kind::Notify)), 64},
      {message(head(Kind::Reply)), 1 << 18},
      {"", 1 << 18},
  };
  for (const auto& [packet, bulk] : bulks) {
    Attacked attacked;
    attacked.send(frame(packet, bulk));
    EXPECT_TRUE(attacked.refused());
  }
  for (const char* bytes : {"0123456789abcdef", "1mWT\xff\xff\xff\xff________"}) {
    Attacked attacked;
    attacked.send(std::string_view(bytes, 16));
    EXPECT_TRUE(attacked.refused());
  }
}

TEST(Channels, WhoSleepsIsToldOnceThatWorkersPoll) {
  Net net(2);
  for (int i = 0; i < 10; ++i) net[0].channels->poll();
  EXPECT_EQ(net[0].busies, 0);  // nobody has asked
  net[0].channels->call_when_busy(3);
  for (int i = 0; i < 2; ++i) net[0].channels->poll();
  for (int i = 0; i < 10; ++i) net[0].channels->serve();  // no worker's
  EXPECT_EQ(net[0].busies, 0);
  for (int i = 0; i < 10; ++i) net[0].channels->poll();
  EXPECT_EQ(net[0].busies, 1);
  net[0].channels->call_when_busy(1);
  net[0].channels->poll();
  EXPECT_EQ(net[0].busies, 2);
}

TEST(Channels, ChangedBytesReachNothingElse) {
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    Attacked attacked;
    FarDone done, other;
    std::vector<int32_t> back(70'000);
    int64_t old = 0;
    attacked.node.start_get(1, 0, back.data(), static_cast<int64_t>(back.size()) * 4, done);
    attacked.node.channels->update(attacked.node.at(1, 0), 0, 1, 0, &old, other);
    std::string packet;
    packet += message(head(Kind::Put, 64), {{2, 3}, {3, 1}}, 24);
    packet += message(head(Kind::Notify, 128));
    packet += message(head(Kind::Get, 64), {{2, 3}, {3, 1}});
    packet += message(head(Kind::Update, 128));
    WireHead reply = head(Kind::Reply);
    reply.token = uint64_t{1} << 32 | 1;
    packet += message(reply);
    std::string bytes = frame(packet);
    if (round % 2 == 0) {
      reply.token = uint64_t{1} << 32;
      bytes += frame(message(reply), back.size() * 4) + std::string(back.size() * 4, 1);
    }
    for (int i = 0; i <= round % 4; ++i)
      bytes[random() % std::min(bytes.size(), packet.size() + 100)] = static_cast<char>(random());
    attacked.send(bytes);
    refused += attacked.refused();
    attacked.hang_up();  // or it would wait for bytes that have begun to arrive
    attacked.node.channels->forget(done);
    attacked.node.channels->forget(other);
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 2000);
}

}  // namespace
}  // namespace tilewire::processes
