// Connections that are made when they are needed: one for each pair, whoever begins.
#include "processes/messages/dialer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/clock.h"

namespace tilewire::processes {
namespace {

constexpr uint64_t limit_ns = 20'000'000'000;

struct Process {
  std::unique_ptr<Dialer> dialer;
  std::vector<int> sockets;
  std::vector<std::string> problems;

  bool poll() {
    return dialer->poll(
        [this](int32_t process, int socket) {
          EXPECT_EQ(sockets[process], -1);
          sockets[process] = socket;
        },
        [this](int32_t process, const std::string& how) {
          problems.push_back(std::to_string(process) + ": " + how);
        });
  }
};

struct Net {
  explicit Net(size_t count) : processes(count) {
    std::vector<std::unique_ptr<Door>> doors;
    for (size_t p = 0; p < count; ++p) {
      std::string problem;
      doors.push_back(std::make_unique<Door>(-1, problem));
      EXPECT_EQ(problem, "");
      names.push_back(doors.back()->name());
    }
    for (size_t p = 0; p < count; ++p) {
      processes[p].sockets.assign(count, -1);
      processes[p].dialer = std::make_unique<Dialer>(std::move(doors[p]), static_cast<int32_t>(p), names);
    }
  }
  ~Net() {
    for (Process& process : processes) {
      for (int socket : process.sockets) {
        if (socket >= 0) close(socket);
      }
    }
  }
  Process& operator[](size_t p) { return processes[p]; }

  template <class Ready>
  bool poll_until(Ready ready) {
    const uint64_t until_ns = runtime::now_ns() + limit_ns;
    while (!ready() && runtime::now_ns() < until_ns) {
      for (Process& process : processes) {
        if (process.dialer) process.poll();
      }
    }
    return ready();
  }
  // What one sends the other receives, on the only connection.
  void expect_connected(size_t p, size_t q) {
    for (const auto& [from, to] : {std::pair(p, q), std::pair(q, p)}) {
      const char sent = static_cast<char>('a' + from);
      ASSERT_GE(processes[from].sockets[to], 0);
      ASSERT_EQ(send(processes[from].sockets[to], &sent, 1, 0), 1);
    }
    for (const auto& [from, to] : {std::pair(p, q), std::pair(q, p)}) {
      char got = 0;
      const int socket = processes[to].sockets[from];
      const timeval time{5, 0};
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
      ssize_t count = -1;
      for (int i = 0; i < 5'000 && count < 0; ++i) {
        count = recv(socket, &got, 1, 0);
        if (count < 0) usleep(1000);
      }
      EXPECT_EQ(count, 1);
      EXPECT_EQ(got, static_cast<char>('a' + from));
    }
  }

  std::vector<std::string> names;
  std::vector<Process> processes;
};

TEST(Dialers, ConnectWhenAsked) {
  Net net(3);
  EXPECT_TRUE(net[0].dialer->dial(2));
  EXPECT_TRUE(net[0].dialer->dial(2));  // it is on its way
  ASSERT_TRUE(net.poll_until([&] { return net[0].sockets[2] >= 0 && net[2].sockets[0] >= 0; }));
  net.expect_connected(0, 2);
  EXPECT_FALSE(net[2].dialer->dial(0));  // it is there
  EXPECT_EQ(net[1].sockets, (std::vector<int>{-1, -1, -1}));
  EXPECT_TRUE(net[2].dialer->dial(1));
  ASSERT_TRUE(net.poll_until([&] { return net[2].sockets[1] >= 0 && net[1].sockets[2] >= 0; }));
  net.expect_connected(1, 2);
}

TEST(Dialers, TwoThatBeginAtOnceHaveOneConnection) {
  for (int round = 0; round < 50; ++round) {
    Net net(2);
    std::mt19937 random(round);
    std::array<int, 2> pauses{static_cast<int>(random() % 20), static_cast<int>(random() % 20)};
    for (int i = 0; i < 20; ++i) {
      for (size_t p : {0, 1}) {
        if (pauses[p] == i && net[p].sockets[1 - p] < 0) {
          EXPECT_TRUE(net[p].dialer->dial(static_cast<int32_t>(1 - p)));
        }
        if (random() % 2 == 0) net[p].poll();
      }
    }
    ASSERT_TRUE(net.poll_until([&] { return net[0].sockets[1] >= 0 && net[1].sockets[0] >= 0; })) << round;
    net.expect_connected(0, 1);
  }
}

TEST(Dialers, OneThatIsNotThereIsNamed) {
  Net net(2);
  net[1].dialer.reset();
  EXPECT_TRUE(net[0].dialer->dial(1));
  ASSERT_TRUE(net.poll_until([&] { return !net[0].problems.empty(); }));
  ASSERT_EQ(net[0].problems.size(), 1u);
  EXPECT_TRUE(net[0].problems[0].starts_with("1: no connection with it, tried at "));
  EXPECT_NE(net[0].problems[0].find("127.0.0.1"), std::string::npos);
  EXPECT_FALSE(net[0].dialer->dial(1));
}

TEST(Dialers, StrangersAreSentAway) {
  Net net(2);
  DoorName name = DoorName::read(net.names[0]);
  Address& address = name.addresses.back();
  address.set_port(name.port);
  auto say = [&](const Greeting& greeting) {
    const int stranger = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(stranger, address.get(), address.size()), 0);
    EXPECT_EQ(send(stranger, &greeting, sizeof greeting, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof greeting));
    char answer;
    ssize_t count = -1;
    net.poll_until([&] {
      count = recv(stranger, &answer, 1, MSG_DONTWAIT);
      return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    });
    close(stranger);
    return count;
  };
  EXPECT_LE(say({{name.password[0], name.password[1] + 1}, 1}), 0);
  EXPECT_LE(say({{name.password[0], name.password[1]}, 2}), 0);
  EXPECT_EQ(net[0].sockets, (std::vector<int>{-1, -1}));
  EXPECT_EQ(say({{name.password[0], name.password[1]}, 1}), 1);
  EXPECT_LE(say({{name.password[0], name.password[1]}, 1}), 0);  // there is one already
}

}  // namespace
}  // namespace tilewire::processes
