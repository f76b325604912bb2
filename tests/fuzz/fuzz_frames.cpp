// Whatever comes through a connection with another host, a process only ever touches memory that it has
// published, and refuses the rest by closing the channel. The address sanitizer sees what it touches.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "processes/messages/channels.h"
#include "processes/messages/socket_engine.h"

using namespace tilewire;
using namespace tilewire::processes;

namespace {

constexpr uint64_t region_bytes = 4096, published = 7;

class Group final : public NumberedMemory {
 public:
  void clear(size_t) override {}
};

// The input is raw, or short descriptions of messages: then more of them make sense.
std::string bytes_of(std::span<const uint8_t> input) {
  if (input.empty()) return "";
  const bool raw = (input[0] & 1) != 0;
  input = input.subspan(1);
  if (raw) return {reinterpret_cast<const char*>(input.data()), input.size()};
  std::string bytes;
  size_t at = 0;
  const auto next = [&] { return at < input.size() ? input[at++] : uint8_t{0}; };
  while (at < input.size()) {
    std::string packet;
    uint64_t bulk = 0;
    for (int messages = 1 + next() % 2; messages > 0; --messages) {
      WireHead head;
      head.kind = static_cast<WireHead::Kind>(next() % 8);
      head.dtype = next();
      head.bits = next() % 16;
      head.element_bytes = next() % 16;
      head.applied = next() % 16;
      head.memory = published + next() % 2;
      head.offset = uint64_t{next()} << next() % 8;
      head.token = next() | uint64_t{next()} << 32;
      head.value = static_cast<int8_t>(next());
      std::vector<WireDim> dims(next() % 4);
      for (WireDim& dim : dims)
        dim = {static_cast<int8_t>(next()), static_cast<int8_t>(next()) << next() % 6};
      const size_t elements = next() * size_t{4};
      std::byte* place = append_message(packet, head, dims, elements);
      std::memset(place, next(), elements);
      bulk = next() % 4 == 0 ? uint64_t{next()} << 10 : 0;
    }
    const struct {
      uint32_t mark, packet_bytes;
      uint64_t bulk_bytes;
    } prefix{SocketEngine::mark, static_cast<uint32_t>(packet.size()), bulk};
    bytes.append(reinterpret_cast<const char*>(&prefix), sizeof prefix);
    bytes += packet;
    bytes.append(bulk, 'x');
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  runtime::Bell bell;
  const auto memory = std::make_unique<std::byte[]>(region_bytes);
  uint32_t waiters = 1;
  auto regions = std::make_shared<LocalRegions>();
  regions->add(published, 0, {memory.get(), region_bytes, &waiters});
  Group group;
  group.number = published;
  group.processes = {0, 1};
  // Questions that the other end may answer.
  const int64_t count = 64, stride = 1;
  std::vector<std::byte> target(static_cast<size_t>(count));
  runtime::FarDone got, updated;
  int64_t old = 0;
  Channels channels(std::make_unique<SocketEngine>(std::vector<int>{-1, ends[0]}), 2, bell, regions, [] {});
  channels.get({&group, 1, 0}, {target.data(), nullptr, &count, &stride, &stride, 1, 1}, got);
  channels.update({&group, 1, 0}, 0, 1, 0, &old, updated);
  const std::string bytes = bytes_of({data, size});
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t part = send(ends[1], bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (part > 0) sent += static_cast<size_t>(part);
    char answers[4096];
    while (recv(ends[1], answers, sizeof answers, MSG_DONTWAIT) > 0) continue;
    if (!channels.poll() && part <= 0) break;
  }
  close(ends[1]);
  while (!channels.broken()) channels.poll();
  return 0;
}
