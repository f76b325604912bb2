#include "processes/messages/wire.h"

#include <cstring>

namespace tilewire::processes {
namespace {

using Kind = WireHead::Kind;

// More elements than this have no place anywhere, and products of extents below it do not overflow.
constexpr int64_t most_elements = int64_t{1} << 48;

bool is_good(const WireMessage& message) {
  const WireHead& head = message.head;
  int64_t count = 1;
  for (size_t i = 0; i < head.dims; ++i) {
    const int64_t extent = message.dims[i].extent;
    if (extent <= 0 || extent > most_elements / count) return false;
    count *= extent;
  }
  switch (head.kind) {
    case Kind::Put:
    case Kind::Get:
      return head.element_bytes > 0 && head.element_bytes <= 16;
    case Kind::Notify:
    case Kind::Update:
    case Kind::Reply:
    case Kind::Acknowledge:
    case Kind::Ask:
      return head.dims == 0;
  }
  return false;
}

}  // namespace

int64_t WireMessage::count() const {
  int64_t result = 1;
  for (size_t i = 0; i < head.dims; ++i) result *= dims[i].extent;
  return result;
}

std::optional<WireMessage> read_message(std::span<const std::byte>& packet) {
  WireMessage message;
  if (packet.size() < sizeof message.head) return std::nullopt;
  std::memcpy(&message.head, packet.data(), sizeof message.head);
  const WireHead& head = message.head;
  const size_t dims = head.dims * sizeof(WireDim);
  if (head.bytes > packet.size() || head.dims > most_wire_dims || head.bytes < sizeof head + dims) {
    return std::nullopt;
  }
  std::memcpy(message.dims, packet.data() + sizeof head, dims);
  message.elements = packet.subspan(sizeof head + dims, head.bytes - sizeof head - dims);
  if (!is_good(message)) return std::nullopt;
  packet = packet.subspan(head.bytes);
  return message;
}

bool inside(const WireMessage& message, uint64_t bytes) {
  const WireHead& head = message.head;
  // In elements, from the one at `offset`: 128 bits hold any sum of products of 64.
  __int128 low = 0, high = 0;
  for (size_t i = 0; i < head.dims; ++i) {
    const __int128 reach = static_cast<__int128>(message.dims[i].extent - 1) * message.dims[i].stride;
    (reach < 0 ? low : high) += reach;
  }
  const __int128 offset = head.offset, element = head.element_bytes;
  return offset + low * element >= 0 && offset + (high + 1) * element <= static_cast<__int128>(bytes);
}

std::byte* append_message(std::string& packet, const WireHead& head, std::span<const WireDim> dims,
                          size_t elements) {
  const size_t at = packet.size(), dims_bytes = dims.size_bytes();
  packet.resize(at + sizeof head + dims_bytes + elements);
  auto* to = reinterpret_cast<std::byte*>(packet.data()) + at;
  WireHead whole = head;
  whole.dims = static_cast<uint8_t>(dims.size());
  whole.bytes = static_cast<uint32_t>(sizeof head + dims_bytes + elements);
  std::memcpy(to, &whole, sizeof whole);
  if (!dims.empty()) std::memcpy(to + sizeof head, dims.data(), dims_bytes);
  return to + sizeof head + dims_bytes;
}

}  // namespace tilewire::processes
