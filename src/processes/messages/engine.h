// Carries packets between the processes of a world: in order for each pair, whole, each once. What is in
// them is the business of Channels, which also sees to it that one thread at a time uses an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilewire::processes {

// What an engine does with what arrives. None of it may send.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // Returns false if the packet makes no sense; the channel is closed then.
  virtual bool receive(int32_t from, std::span<const std::byte> packet) = 0;
  // A packet that is followed by `bytes` bytes. Returns where they go; null if that makes no sense.
  virtual std::byte* receive_bulk(int32_t from, std::span<const std::byte> packet, uint64_t bytes) = 0;
  // They are all there.
  virtual void bulk_arrived(int32_t from) = 0;
  // Nothing arrives from that process any more.
  virtual void gone(int32_t from, const std::string& how) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Sends a packet of at most `longest_packet` bytes, now or in a later `poll`. The bytes of `bulk` follow
  // it; they are read in place, until it has left. Returns the number of the packet among those to that
  // process, from 1.
  virtual uint64_t send(int32_t to, std::string packet, std::span<const std::byte> bulk = {}) = 0;
  virtual bool has_left(int32_t to, uint64_t number) const = 0;
  // Little is waiting to leave.
  virtual bool has_room(int32_t to) const = 0;
  // Sends and receives what is possible at once. Returns whether anything was.
  virtual bool poll(Receiver& receiver) = 0;
  // A descriptor that is readable while `poll` has something to do; -1: there is none.
  virtual int descriptor() const = 0;
  // Nothing is sent or received any more.
  virtual void close() = 0;

  static constexpr size_t longest_packet = 64 << 10;
};

}  // namespace tilewire::processes
