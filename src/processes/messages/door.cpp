#include "processes/messages/door.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "runtime/clock.h"

namespace tilewire::processes {
namespace {

constexpr int step_ms = 20;
constexpr timeval step{0, step_ms * 1000}, connect_time{2, 0};
constexpr uint64_t reply_ns = 3'000'000'000;  // for one address

// Waits in steps. False: the other end is closed, or it took too long.
template <class T>
bool read_all(int socket, T& value, const std::function<bool()>& go_on) {
  auto* at = reinterpret_cast<char*>(&value);
  size_t left = sizeof value;
  while (left > 0) {
    const ssize_t count = recv(socket, at, left, 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (count < 0 && !go_on()) return false;
    if (count < 0) continue;
    at += count;
    left -= static_cast<size_t>(count);
  }
  return true;
}

void set_times(int socket, timeval time) {
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

void prepare(int socket) {
  set_times(socket, {});
  const int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

// -1 when nobody is there who knows the right answer.
int try_address(const Address& address, const DoorName& name, int32_t own,
                const std::function<bool()>& go_on) {
  const int connection = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  set_times(connection, connect_time);
  const Greeting greeting{{name.password[0], name.password[1]}, static_cast<uint64_t>(own)};
  uint64_t reply[2] = {};
  const bool there = connect(connection, address.get(), address.size()) == 0;
  set_times(connection, step);
  const uint64_t until_ns = runtime::now_ns() + reply_ns;
  auto in_time = [&] { return runtime::now_ns() < until_ns && go_on(); };
  if (there && send(connection, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting &&
      read_all(connection, reply, in_time) && reply[0] == name.reply[0] && reply[1] == name.reply[1]) {
    prepare(connection);
    return connection;
  }
  close(connection);
  return -1;
}

int connect_to(int32_t process, const DoorName& name, int32_t own, const std::function<bool()>& go_on,
               std::string& problem) {
  std::string tried;
  for (Address address : name.addresses) {
    if (!go_on()) break;
    address.set_port(name.port);
    const int connection = try_address(address, name, own, go_on);
    if (connection >= 0) return connection;
    tried += (tried.empty() ? "" : ", ") + address.text();
  }
  problem = "no connection to process " + std::to_string(process) + ", tried at " + tried;
  return -1;
}

}  // namespace

Door::Door(int control, std::string& problem) {
  const bool random = getrandom(name_.password, sizeof name_.password, 0) == sizeof name_.password &&
                      getrandom(name_.reply, sizeof name_.reply, 0) == sizeof name_.reply;
  Address any;
  any.storage.ss_family = AF_INET6;  // and version 4 of the protocol with it
  listener_ = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int off = 0;
  if (listener_ < 0 || setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
      bind(listener_, any.get(), any.size()) != 0) {
    if (listener_ >= 0) close(listener_);
    any.storage.ss_family = AF_INET;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener_ >= 0 && bind(listener_, any.get(), any.size()) != 0) {
      close(listener_);
      listener_ = -1;
    }
  }
  socklen_t size = sizeof any.storage;
  if (!random || listener_ < 0 || listen(listener_, SOMAXCONN) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&any.storage), &size) != 0) {
    problem = std::string("no port to listen on: ") + std::strerror(errno);
    return;
  }
  name_.port = ntohs(reinterpret_cast<const sockaddr_in&>(any.storage).sin_port);
  name_.addresses = own_addresses(control);
}

Door::~Door() {
  if (listener_ >= 0) close(listener_);
}

void Door::accept_all(int32_t own, const std::vector<bool>& far, std::vector<int>& sockets,
                      const std::atomic<bool>& stop) const {
  auto missing = [&] {
    for (size_t p = static_cast<size_t>(own) + 1; p < far.size(); ++p) {
      if (far[p] && sockets[p] < 0) return true;
    }
    return false;
  };
  while (missing() && !stop) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, step_ms) <= 0) continue;
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    set_times(connection, step);
    Greeting greeting{};
    const uint64_t until_ns = runtime::now_ns() + reply_ns;
    auto in_time = [&] { return runtime::now_ns() < until_ns && !stop; };
    const bool good = read_all(connection, greeting, in_time) && greeting.password[0] == name_.password[0] &&
                      greeting.password[1] == name_.password[1] && greeting.process < far.size() &&
                      greeting.process > static_cast<uint64_t>(own) && far[greeting.process] &&
                      sockets[greeting.process] < 0 &&
                      send(connection, name_.reply, sizeof name_.reply, MSG_NOSIGNAL) == sizeof name_.reply;
    if (good) {
      prepare(connection);
      sockets[greeting.process] = connection;
    } else {
      close(connection);
    }
  }
}

std::vector<int> Door::connect(int32_t own, const std::vector<std::string>& names,
                               const std::vector<bool>& far, uint64_t limit_ns,
                               const std::function<bool()>& go_on, std::string& problem) {
  std::vector<int> sockets(far.size(), -1);
  const uint64_t until_ns = runtime::now_ns() + limit_ns;
  auto may_go_on = [&] { return go_on() && runtime::now_ns() < until_ns; };
  std::atomic<bool> stop{false}, accepted{false};
  std::vector<int> below(sockets);
  std::thread others([&] {
    accept_all(own, far, sockets, stop);
    accepted = true;
  });
  for (int32_t p = 0; p < own && problem.empty(); ++p) {
    if (far[p]) below[p] = connect_to(p, DoorName::read(names[p]), own, may_go_on, problem);
  }
  while (!accepted && problem.empty()) {
    usleep(200);
    if (!may_go_on()) problem = "not all processes have connected";
  }
  stop = true;
  others.join();
  std::copy_n(below.begin(), own, sockets.begin());
  if (problem.empty()) return sockets;
  for (int one : sockets) {
    if (one >= 0) close(one);
  }
  return {};
}

}  // namespace tilewire::processes
