#include "processes/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "runtime/run_state.h"

namespace tilewire::processes {
namespace {

constexpr int step_ms = 20;         // between two looks whether it is interrupted
constexpr int greeting_ms = 5'000;  // so long a process that has connected may take to say who it is

// An abstract name: it goes with the last socket that has it.
sockaddr_un address_of(const Launch& launch, socklen_t& size) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : launch.job) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "tilewire.%u.%016llx",
                                   getuid(), static_cast<unsigned long long>(hash));
  size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
  return address;
}

// Everybody may connect to an abstract name; only processes of this user are let in.
bool is_own(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid();
}

class Meeting {
 public:
  Meeting(const Launch& launch, std::string& problem, Limits limits)
      : launch_(launch), problem_(problem), limits_(limits), address_(address_of(launch, size_)) {}

  std::optional<Seat> lead() {
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    std::optional<Seat> seat;
    if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr*>(&address_), size_) != 0 ||
        listen(listener, SOMAXCONN) != 0) {
      problem_ = std::string("process 0 cannot listen for the others: ") + std::strerror(errno);
    } else {
      seat = receive_all(listener);
    }
    if (listener >= 0) close(listener);
    return seat;
  }

  std::optional<Seat> follow() {
    while (go_on("process 0")) {
      const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (connection < 0) {
        problem_ = std::string("no socket: ") + std::strerror(errno);
        return std::nullopt;
      }
      if (connect(connection, reinterpret_cast<const sockaddr*>(&address_), size_) == 0) {
        if (is_own(connection)) return greet(connection);
        close(connection);
        problem_ = "a process of another user has taken the place of process 0";
        return std::nullopt;
      }
      close(connection);
      usleep(step_ms * 1000);
    }
    return std::nullopt;
  }

 private:
  Seat empty_seat() const {
    Seat seat;
    seat.process = launch_.process;
    seat.processes = launch_.processes;
    seat.limits = limits_;
    return seat;
  }

  std::optional<Seat> receive_all(int listener) {
    Seat seat = empty_seat();
    seat.streams.resize(static_cast<size_t>(launch_.processes) - 1);
    for (int32_t missing = launch_.processes - 1; missing > 0;) {
      std::string who = std::to_string(missing) + (missing == 1 ? " process" : " processes");
      if (!go_on(who)) return std::nullopt;
      pollfd ready{listener, POLLIN, 0};
      if (poll(&ready, 1, step_ms) <= 0) continue;
      const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      if (!is_own(connection)) {
        close(connection);
        continue;
      }
      if (!seat_one(Stream(connection), seat)) return std::nullopt;
      --missing;
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

  bool seat_one(Stream stream, Seat& seat) {
    std::optional<Message> hello;
    const uint64_t until = runtime::now_ns() + uint64_t{greeting_ms} * 1'000'000;
    while (!hello && stream.open() && runtime::now_ns() < until) hello = first_message(stream, step_ms);
    const auto processes = static_cast<uint64_t>(launch_.processes);
    if (!hello || hello->kind != Message::Kind::Hello || hello->text != std::to_string(processes)) {
      problem_ = "a process of the job does not say which one it is";
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
    Seat seat = empty_seat();
    Stream& stream = seat.streams.emplace_back(connection);
    stream.send({.kind = Message::Kind::Hello,
                 .number = static_cast<uint64_t>(launch_.process),
                 .text = std::to_string(launch_.processes)});
    while (stream.open() && go_on("others")) {
      if (first_message(stream, step_ms)) return seat;
    }
    if (problem_.empty()) problem_ = "process 0 has ended";
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
  std::string& problem_;
  const Limits limits_;
  socklen_t size_ = 0;
  const sockaddr_un address_;
  const uint64_t requests_ = runtime::abort_requests();
  const uint64_t since_ns_ = runtime::now_ns();
  bool noted_ = false;
};

}  // namespace

std::optional<Seat> meet(const Launch& launch, std::string& problem, Limits limits) {
  Meeting meeting(launch, problem, limits);
  return launch.process == 0 ? meeting.lead() : meeting.follow();
}

}  // namespace tilewire::processes
