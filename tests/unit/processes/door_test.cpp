// How processes of different hosts connect, and what they say when they cannot.
#include "processes/messages/door.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/failure.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::processes {
namespace {

constexpr uint64_t long_ns = 20'000'000'000, short_ns = 300'000'000;

struct Guest {
  std::string problem{};
  Door door{-1, problem};
  std::vector<int> sockets{};
};

// All at once; who is far from whom.
void connect_all(std::span<std::unique_ptr<Guest>> guests, const std::vector<std::vector<bool>>& far) {
  std::vector<std::string> names;
  for (const auto& guest : guests) names.push_back(guest->door.name());
  std::vector<std::thread> threads;
  for (size_t p = 0; p < guests.size(); ++p) {
    threads.emplace_back([&, p] {
      Guest& guest = *guests[p];
      guest.sockets = guest.door.connect(
          static_cast<int32_t>(p), names, far[p], long_ns, [] { return true; }, guest.problem);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Doors, EveryPairThatIsFarConnectsOnce) {
  std::array<std::unique_ptr<Guest>, 4> guests;
  for (auto& guest : guests) guest = std::make_unique<Guest>();
  // 0 and 1 are near.
  connect_all(guests, {{false, false, true, true},
                       {false, false, true, true},
                       {true, true, false, true},
                       {true, true, true, false}});
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(guests[p]->problem, "");
    ASSERT_EQ(guests[p]->sockets.size(), 4u);
    for (size_t q = 0; q < 4; ++q) {
      const int socket = guests[p]->sockets[q];
      ASSERT_EQ(socket >= 0, p != q && p + q != 1) << p << " " << q;
      if (socket < 0) continue;
      const char number = static_cast<char>(p);
      EXPECT_EQ(send(socket, &number, 1, 0), 1);
    }
  }
  for (size_t p = 0; p < 4; ++p) {
    for (size_t q = 0; q < 4; ++q) {
      const int socket = guests[p]->sockets[q];
      if (socket < 0) continue;
      char number = -1;
      EXPECT_EQ(recv(socket, &number, 1, 0), 1);
      EXPECT_EQ(number, static_cast<char>(q));
      close(socket);
    }
  }
}

TEST(Doors, WhoIsNotThereIsNamed) {
  Guest guest;
  std::string name;
  {
    Guest gone;
    name = gone.door.name();
  }
  const auto sockets = guest.door.connect(
      1, {name, guest.door.name()}, {true, false}, short_ns, [] { return true; }, guest.problem);
  EXPECT_TRUE(sockets.empty());
  EXPECT_TRUE(guest.problem.starts_with("no connection to process 0, tried at ")) << guest.problem;
  EXPECT_NE(guest.problem.find("127.0.0.1"), std::string::npos) << guest.problem;
  runtime::Failure failure;
  failure.cause = runtime::Cause::World;
  failure.row = diag::run_no_channel;
  failure.words = {"1", guest.problem};
  EXPECT_EQ(describe(failure, abi::Module{}).message,
            "process 1 has no connection with those of other hosts: " + guest.problem);
}

TEST(Doors, WhoDoesNotComeIsNotWaitedForLonger) {
  Guest guest;
  const auto sockets = guest.door.connect(
      0, {guest.door.name(), ""}, {false, true}, short_ns, [] { return true; }, guest.problem);
  EXPECT_TRUE(sockets.empty());
  EXPECT_EQ(guest.problem, "not all processes have connected");
}

// Without the password nobody is let in, whatever number is given.
TEST(Doors, StrangersAreNotLetIn) {
  auto guest = std::make_unique<Guest>(), other = std::make_unique<Guest>();
  uint16_t port;
  std::memcpy(&port, guest->door.name().data(), sizeof port);
  const int stranger = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  ASSERT_EQ(connect(stranger, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  const uint64_t greeting[3] = {0, 0, 1};
  ASSERT_EQ(send(stranger, greeting, sizeof greeting, 0), static_cast<ssize_t>(sizeof greeting));
  std::array<std::unique_ptr<Guest>, 2> guests{std::move(guest), std::move(other)};
  connect_all(guests, {{false, true}, {true, false}});
  char reply;
  EXPECT_LE(recv(stranger, &reply, 1, 0), 0);
  close(stranger);
  for (const auto& one : guests) {
    EXPECT_EQ(one->problem, "");
    for (int socket : one->sockets) {
      if (socket >= 0) close(socket);
    }
  }
}

}  // namespace
}  // namespace tilewire::processes
