#include "processes/mail.h"

#include <algorithm>
#include <cstring>

namespace tilewire::processes {

void MailQueue::copy_in(uint64_t at, const void* bytes, uint64_t count) {
  const uint64_t begin = at % capacity, first = std::min(count, capacity - begin);
  std::memcpy(bytes_ + begin, bytes, first);
  std::memcpy(bytes_, static_cast<const std::byte*>(bytes) + first, count - first);
}

void MailQueue::copy_out(uint64_t at, void* bytes, uint64_t count) const {
  const uint64_t begin = at % capacity, first = std::min(count, capacity - begin);
  std::memcpy(bytes, bytes_ + begin, first);
  std::memcpy(static_cast<std::byte*>(bytes) + first, bytes_, count - first);
}

bool MailQueue::push(uint64_t number, std::string_view bytes) {
  const uint64_t at = written_.load(std::memory_order_relaxed);
  const uint64_t room = capacity - (at - read_.load(std::memory_order_acquire));
  const Head head{number, bytes.size()};
  if (room < sizeof head || room - sizeof head < bytes.size()) return false;
  copy_in(at, &head, sizeof head);
  copy_in(at + sizeof head, bytes.data(), bytes.size());
  written_.store(at + sizeof head + bytes.size());  // in one order with the reader's word that it attends
  return true;
}

uint64_t MailQueue::front() const {
  Head head;
  copy_out(read_.load(std::memory_order_relaxed), &head, sizeof head);
  return head.number;
}

bool MailQueue::pop(std::string& bytes) {
  const uint64_t at = read_.load(std::memory_order_relaxed);
  const uint64_t there = written_.load(std::memory_order_acquire) - at;
  Head head;
  copy_out(at, &head, sizeof head);
  if (there > capacity || head.size > there - sizeof head) return false;
  bytes.resize(head.size);
  copy_out(at + sizeof head, bytes.data(), head.size);
  read_.store(at + sizeof head + head.size, std::memory_order_release);
  return true;
}

}  // namespace tilewire::processes
