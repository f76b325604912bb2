// Where a process can be reached from other hosts, and what those that connect have to say.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire::processes {

// Of version 4 or 6 of the protocol, without a port.
struct Address {
  sockaddr_storage storage{};

  socklen_t size() const {
    return storage.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  bool is_usable() const;
  void set_port(uint16_t port);
  std::string text() const;
};

// `control`: a connected socket whose own address others can reach, or -1. Where there is none, those of all
// interfaces are told.
std::vector<Address> own_addresses(int control);

struct DoorName {
  uint16_t port = 0;
  uint64_t password[2] = {}, reply[2] = {};
  std::vector<Address> addresses{};

  std::string write() const;
  static DoorName read(std::string_view text);
};

// Whoever connects says this first, and is answered with `reply`.
struct Greeting {
  uint64_t password[2];
  uint64_t process;
};

}  // namespace tilewire::processes
