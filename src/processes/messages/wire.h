// Messages between processes about memory, as they lie in packets: one behind the other, each a head, the
// dimensions of a region, and elements.
//
// Both sides run the same program on machines of one kind, so numbers are in the machine's order. Nothing
// that is read is trusted: `read_message` gives messages that are whole, and `inside` says whether a region
// lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tilewire::processes {

// One dimension of a region; the stride is in elements.
struct WireDim {
  int64_t extent;
  int64_t stride;
};

struct WireHead {
  enum class Kind : uint8_t {
    // Requests, numbered by their order. They are about `offset` in the memory of `member`.
    Put,     // elements for a region
    Notify,  // writes `value` to a cell, as the NotifyKind in `bits` says
    Get,     // asks for the elements of a region
    Update,  // adds `value`, or replaces `expected` by it: `bits` are abi::UpdateBits
    // The rest is about requests.
    Reply,        // to the Get or Update of that `token`: elements, or the old element in `value`
    Acknowledge,  // nothing but `applied`
    Ask,          // for an Acknowledge
  };
  uint32_t bytes = 0;  // of the message, the head included; bulk bytes are not
  Kind kind{};
  uint8_t dtype = 0;
  uint8_t dims = 0;
  uint8_t bits = 0;  // Put: abi::TransferBits
  uint32_t element_bytes = 0;
  int32_t member = 0;
  uint64_t applied = 0;  // requests of the process it is sent to, so far
  uint64_t memory = 0;   // a number that all processes have for it
  uint64_t offset = 0;
  uint64_t token = 0;
  int64_t value = 0;
  int64_t expected = 0;
};

// Of a region; one with more is cut.
inline constexpr size_t most_wire_dims = 8;

struct WireMessage {
  WireHead head;
  WireDim dims[most_wire_dims];
  std::span<const std::byte> elements;

  int64_t count() const;  // of the elements of the region
};

// Takes the first message of the packet off it. Nothing when the bytes are none.
std::optional<WireMessage> read_message(std::span<const std::byte>& packet);

// Whether the region that the message names lies inside of `bytes` bytes.
bool inside(const WireMessage& message, uint64_t bytes);

// Appends a message whose elements are to follow; `elements`: their bytes. Returns where they belong.
std::byte* append_message(std::string& packet, const WireHead& head, std::span<const WireDim> dims,
                          size_t elements);

}  // namespace tilewire::processes
