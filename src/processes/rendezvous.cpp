#include "processes/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "runtime/run_state.h"

namespace tilewire::processes {
namespace {

constexpr int step_ms = 20;         // between two looks whether it is interrupted
constexpr int greeting_ms = 5'000;  // so long a process that has connected may take to say who it is

// Where process 0 waits for the others.
class Place {
 public:
  virtual ~Place() = default;
  // A socket, or -1: errno says why.
  virtual int listen() const = 0;
  // A connection; -1 when nobody listens. `problem`: it makes no sense to try again.
  virtual int connect(std::string& problem) const = 0;
  // Whether a connection is to be trusted.
  virtual bool accepts(int connection) const = 0;
  // Others than processes of the job may come by.
  virtual bool is_public() const = 0;
};

uint64_t hash_of(const std::string& job) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// On one host: an abstract name, which goes with the last socket that has it.
class LocalPlace final : public Place {
 public:
  explicit LocalPlace(const Launch& launch) {
    address_.sun_family = AF_UNIX;
    const int length =
        std::snprintf(address_.sun_path + 1, sizeof address_.sun_path - 1, "tilewire.%u.%016llx", getuid(),
                      static_cast<unsigned long long>(hash_of(launch.job)));
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
  }
  int listen() const override {
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return bound(listener, reinterpret_cast<const sockaddr*>(&address_), size_);
  }
  int connect(std::string& problem) const override {
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) problem = std::string("no socket: ") + std::strerror(errno);
    if (connection >= 0 && ::connect(connection, reinterpret_cast<const sockaddr*>(&address_), size_) == 0) {
      return connection;
    }
    if (connection >= 0) close(connection);
    return -1;
  }
  // Everybody may connect to an abstract name; only processes of this user are let in.
  bool accepts(int connection) const override {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid();
  }
  bool is_public() const override { return false; }

  static int bound(int listener, const sockaddr* address, socklen_t size) {
    if (listener >= 0 && bind(listener, address, size) == 0 && ::listen(listener, SOMAXCONN) == 0) {
      return listener;
    }
    const int error = errno;
    if (listener >= 0) close(listener);
    errno = error;
    return -1;
  }

 private:
  sockaddr_un address_{};
  socklen_t size_ = 0;
};

// On several hosts: a port of the host of process 0.
class HostPlace final : public Place {
 public:
  HostPlace(const std::string& address, std::string& problem) {
    const size_t colon = address.rfind(':');
    if (colon != std::string::npos) {
      host_ = address.substr(0, colon);
      port_ = address.substr(colon + 1);
    }
    if (host_.size() > 2 && host_.front() == '[' && host_.back() == ']')
      host_ = host_.substr(1, host_.size() - 2);
    const bool number = !port_.empty() && port_.size() <= 5 &&
                        std::all_of(port_.begin(), port_.end(), [](char c) { return c >= '0' && c <= '9'; });
    number_ = number ? std::stoi(port_) : 0;
    if (host_.empty() || number_ < 1 || number_ > 65535) {
      problem = "`" + address + "` is not an address of the form HOST:PORT";
    }
  }
  int listen() const override {
    const int off = 0, on = 1;
    sockaddr_in6 all{};
    all.sin6_family = AF_INET6;  // and version 4 of the protocol with it
    all.sin6_port = htons(static_cast<uint16_t>(number_));
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0) {
      setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      return LocalPlace::bound(listener, reinterpret_cast<const sockaddr*>(&all), sizeof all);
    }
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = all.sin6_port;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return LocalPlace::bound(listener, reinterpret_cast<const sockaddr*>(&four), sizeof four);
  }
  int connect(std::string& problem) const override {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    const int error = getaddrinfo(host_.c_str(), port_.c_str(), &wanted, &found);
    if (error != 0 && error != EAI_AGAIN) problem = host_ + ": " + gai_strerror(error);
    int connection = -1;
    for (const addrinfo* one = error == 0 ? found : nullptr; one && connection < 0; one = one->ai_next) {
      connection = try_one(*one);
    }
    if (found) freeaddrinfo(found);
    return connection;
  }
  bool accepts(int connection) const override {
    const int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return true;
  }
  bool is_public() const override { return true; }

 private:
  static int try_one(const addrinfo& one) {
    const int connection = socket(one.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) return -1;
    const timeval time{2, 0}, any{};
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    if (::connect(connection, one.ai_addr, one.ai_addrlen) == 0 && !is_own_end(connection)) {
      setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &any, sizeof any);
      return connection;
    }
    close(connection);
    return -1;
  }
  // Of a port from which connections are made, too, a socket may connect to itself.
  static bool is_own_end(int connection) {
    sockaddr_storage here{}, there{};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    getsockname(connection, reinterpret_cast<sockaddr*>(&here), &here_size);
    getpeername(connection, reinterpret_cast<sockaddr*>(&there), &there_size);
    return here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
  }

  std::string host_, port_;
  int number_ = 0;
};

// Two processes with the same can share memory, if the system lets them.
std::string this_host() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  utsname system{};
  if (uname(&system) == 0) name += std::string(" ") + system.nodename;
  return name;
}

}  // namespace

Seat empty_seat(const Launch& launch, Limits limits) {
  Seat seat;
  seat.process = launch.process;
  seat.processes = launch.processes;
  seat.limits = limits;
  seat.host = this_host();
  return seat;
}

namespace {

class Meeting {
 public:
  Meeting(const Launch& launch, const Place& place, std::string& problem, Limits limits)
      : launch_(launch), place_(place), problem_(problem), limits_(limits) {}

  std::optional<Seat> lead() {
    const int listener = place_.listen();
    if (listener < 0) {
      problem_ = std::string("process 0 cannot listen for the others: ") + std::strerror(errno);
      return std::nullopt;
    }
    std::optional<Seat> seat = receive_all(listener);
    close(listener);
    return seat;
  }

  std::optional<Seat> follow() {
    while (go_on("process 0")) {
      const int connection = place_.connect(problem_);
      if (!problem_.empty()) return std::nullopt;
      if (connection >= 0) {
        if (place_.accepts(connection)) return greet(connection);
        close(connection);
        problem_ = "a process of another user has taken the place of process 0";
        return std::nullopt;
      }
      usleep(step_ms * 1000);
    }
    return std::nullopt;
  }

 private:
  // What tells the processes of the job from others.
  std::string job_text() const {
    const std::string processes = std::to_string(launch_.processes);
    return place_.is_public() ? processes + " " + std::to_string(hash_of(launch_.job)) : processes;
  }

  std::optional<Seat> receive_all(int listener) {
    Seat seat = empty_seat(launch_, limits_);
    seat.streams.resize(static_cast<size_t>(launch_.processes) - 1);
    for (int32_t missing = launch_.processes - 1; missing > 0;) {
      std::string who = std::to_string(missing) + (missing == 1 ? " process" : " processes");
      if (!go_on(who)) return std::nullopt;
      pollfd ready{listener, POLLIN, 0};
      if (poll(&ready, 1, step_ms) <= 0) continue;
      const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      if (!place_.accepts(connection)) {
        close(connection);
        continue;
      }
      if (seat_one(Stream(connection), seat)) {
        --missing;
      } else if (!problem_.empty()) {
        return std::nullopt;
      }
    }
    for (Stream& stream : seat.streams) stream.send({.kind = Message::Kind::Hello});
    return seat;
  }

  // The first message, if one comes in the next moments. What may come after it is no more than a Ping.
  static std::optional<Message> first_message(Stream& stream, int wait_ms) {
    std::optional<Message> first;
    pollfd ready{stream.fd(), POLLIN, 0};
    poll(&ready, 1, wait_ms);
    const bool open = stream.receive([&](Message&& message) {
      if (!first) first = std::move(message);
    });
    if (!open && !first) stream.close();
    return first;
  }

  // False: it is none of the job, which is a problem unless strangers may come by.
  bool seat_one(Stream stream, Seat& seat) {
    std::optional<Message> hello;
    const uint64_t until = runtime::now_ns() + uint64_t{greeting_ms} * 1'000'000;
    while (!hello && stream.open() && runtime::now_ns() < until) hello = first_message(stream, step_ms);
    const auto processes = static_cast<uint64_t>(launch_.processes);
    if (!hello || hello->kind != Message::Kind::Hello || hello->text != job_text()) {
      if (!place_.is_public()) problem_ = "a process of the job does not say which one it is";
    } else if (hello->number == 0 || hello->number >= processes || seat.streams[hello->number - 1].open()) {
      problem_ = "two processes of the job are process " + std::to_string(hello->number);
    } else {
      seat.streams[hello->number - 1] = std::move(stream);
      return true;
    }
    return false;
  }

  // Says who it is, and waits until all have done so.
  std::optional<Seat> greet(int connection) {
    Seat seat = empty_seat(launch_, limits_);
    Stream& stream = seat.streams.emplace_back(connection);
    stream.send(
        {.kind = Message::Kind::Hello, .number = static_cast<uint64_t>(launch_.process), .text = job_text()});
    while (stream.open() && go_on("others")) {
      if (first_message(stream, step_ms)) return seat;
    }
    if (problem_.empty()) {
      problem_ = place_.is_public() ? "process 0 has ended, or " + launch_.address + " belongs to another job"
                                    : "process 0 has ended";
    }
    return std::nullopt;
  }

  // False when it was interrupted.
  bool go_on(const std::string& missing) {
    if (runtime::abort_requests() != requests_) {
      problem_ = "interrupted";
      return false;
    }
    if (!noted_ && runtime::now_ns() - since_ns_ > limits_.note_ns) {
      noted_ = true;
      std::fprintf(stderr, "tilewire: process %d of %d waits for %s to make its first call\n",
                   launch_.process, launch_.processes, missing.c_str());
    }
    return true;
  }

  const Launch& launch_;
  const Place& place_;
  std::string& problem_;
  const Limits limits_;
  const uint64_t requests_ = runtime::abort_requests();
  const uint64_t since_ns_ = runtime::now_ns();
  bool noted_ = false;
};

}  // namespace

std::optional<Seat> meet(const Launch& launch, std::string& problem, Limits limits) {
  std::unique_ptr<Place> place;
  if (launch.over_hosts()) {
    place = std::make_unique<HostPlace>(launch.address, problem);
    if (!problem.empty()) return std::nullopt;
  } else {
    place = std::make_unique<LocalPlace>(launch);
  }
  Meeting meeting(launch, *place, problem, limits);
  return launch.process == 0 ? meeting.lead() : meeting.follow();
}

}  // namespace tilewire::processes
