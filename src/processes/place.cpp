#include "processes/place.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tilewire::processes {
namespace {

// On one host: an abstract name, which goes with the last socket that has it.
class LocalPlace final : public Place {
 public:
  explicit LocalPlace(const std::string& job) {
    address_.sun_family = AF_UNIX;
    const int length =
        std::snprintf(address_.sun_path + 1, sizeof address_.sun_path - 1, "tilewire.%u.%016llx", getuid(),
                      static_cast<unsigned long long>(hash_of(job)));
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

}  // namespace

uint64_t hash_of(const std::string& job) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::unique_ptr<Place> make_place(const Launch& launch, std::string& problem) {
  if (launch.over_hosts()) {
    auto place = std::make_unique<HostPlace>(launch.address, problem);
    return problem.empty() ? std::move(place) : nullptr;
  }
  return std::make_unique<LocalPlace>(launch.job);
}

}  // namespace tilewire::processes
