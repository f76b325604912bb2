#include "processes/messages/door_name.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstring>

#include "processes/bytes.h"

namespace tilewire::processes {

bool Address::is_usable() const {
  if (storage.ss_family == AF_INET) return true;
  return storage.ss_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
}

void Address::set_port(uint16_t port) {
  // At the same place in both.
  reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
}

std::string Address::text() const {
  char host[INET6_ADDRSTRLEN] = "?";
  const void* number = storage.ss_family == AF_INET
                           ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(storage).sin_addr)
                           : &reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
  inet_ntop(storage.ss_family, number, host, sizeof host);
  return host;
}

std::vector<Address> own_addresses(int control) {
  std::vector<Address> addresses, loopback;
  Address told;
  socklen_t size = sizeof told.storage;
  if (control >= 0 && getsockname(control, reinterpret_cast<sockaddr*>(&told.storage), &size) == 0 &&
      told.is_usable()) {
    addresses.push_back(told);
  }
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) all = nullptr;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || (one->ifa_flags & IFF_UP) == 0) continue;
    Address address;
    if (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6) continue;
    address.storage.ss_family = one->ifa_addr->sa_family;
    std::memcpy(&address.storage, one->ifa_addr, address.size());
    if (address.is_usable()) {
      ((one->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : addresses).push_back(address);
    }
  }
  if (all) freeifaddrs(all);
  addresses.insert(addresses.end(), loopback.begin(), loopback.end());
  return addresses;
}

// With many processes most of what each of them keeps are the addresses of the others: no more than needed.
std::string DoorName::write() const {
  Writer to;
  to.number(port);
  for (uint64_t part : password) to.number(part);
  for (uint64_t part : reply) to.number(part);
  to.list(addresses, [&](const Address& address) {
    const bool is_new = address.storage.ss_family == AF_INET6;
    to.number(static_cast<uint8_t>(is_new));
    if (is_new) {
      to.number(reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr);
    } else {
      to.number(reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr);
    }
  });
  return to.take();
}

DoorName DoorName::read(std::string_view text) {
  Reader from(text);
  DoorName name;
  name.port = from.number<uint16_t>();
  for (uint64_t& part : name.password) part = from.number<uint64_t>();
  for (uint64_t& part : name.reply) part = from.number<uint64_t>();
  from.list([&] {
    Address address;
    if (from.number<uint8_t>() != 0) {
      address.storage.ss_family = AF_INET6;
      reinterpret_cast<sockaddr_in6&>(address.storage).sin6_addr = from.number<in6_addr>();
    } else {
      address.storage.ss_family = AF_INET;
      reinterpret_cast<sockaddr_in&>(address.storage).sin_addr = from.number<in_addr>();
    }
    name.addresses.push_back(address);
  });
  return name;
}

}  // namespace tilewire::processes
