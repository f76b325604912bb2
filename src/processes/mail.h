// Messages in memory that two processes of a host share, for moments in which the receiver looks for them: a
// thread that waits for an answer gets it without the system, and without a second thread that hears it
// first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewire::processes {

// A queue with one writer and one reader.
class MailQueue {
 public:
  // False: no room. `number` is for whoever reads.
  bool push(uint64_t number, std::string_view bytes);
  bool empty() const { return read_.load(std::memory_order_relaxed) == written_.load(); }
  // Not of an empty queue: the number of the oldest message.
  uint64_t front() const;
  // Not of an empty queue: takes the oldest message out. Nothing when what is there is not a message.
  bool pop(std::string& bytes);

  static constexpr uint64_t capacity = uint64_t{1} << 15;

 private:
  struct Head {
    uint64_t number, size;
  };
  void copy_in(uint64_t at, const void* bytes, uint64_t count);
  void copy_out(uint64_t at, void* bytes, uint64_t count) const;

  alignas(128) std::atomic<uint64_t> written_{0};  // bytes, ever
  alignas(128) std::atomic<uint64_t> read_{0};
  alignas(128) std::byte bytes_[capacity];
};

// What a stream uses besides its socket. A message in `out` needs a doorbell through the socket only when the
// reader does not attend: it says so before it looks, and looks once more after it has stopped.
struct Mail {
  MailQueue* out = nullptr;
  MailQueue* in = nullptr;
  const std::atomic<uint32_t>* attended = nullptr;  // by the reader of `out`
};

}  // namespace tilewire::processes
