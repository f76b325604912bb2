// Memory of an interpreted program: counted against a limit, shared until written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tilewire::interp {

// Counts what the worlds made from one another hold together.
struct Meter {
  int64_t limit = 0;
  int64_t used = 0;
};

class Buffer {
 public:
  // Zeroed. The caller has checked the meter (World::allocate).
  Buffer(std::shared_ptr<Meter> meter, int64_t size)
      : meter_(std::move(meter)), size_(size), bytes_(new std::byte[static_cast<size_t>(size)]()) {
    meter_->used += size_;
  }
  Buffer(const Buffer& other) : Buffer(other.meter_, other.size_) {
    for (int64_t i = 0; i < size_; ++i) bytes_[i] = other.bytes_[i];
  }
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { meter_->used -= size_; }

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  int64_t size() const { return size_; }

 private:
  std::shared_ptr<Meter> meter_;
  int64_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

// A value that copies share until one of them writes.
template <class T>
class Cow {
 public:
  Cow() = default;
  explicit Cow(T value) : shared_(std::make_shared<T>(std::move(value))) {}

  explicit operator bool() const { return shared_ != nullptr; }
  const T& operator*() const { return *shared_; }
  const T* operator->() const { return shared_.get(); }
  // Good until the next copy of this Cow.
  T& write() {
    if (shared_.use_count() > 1) shared_ = std::make_shared<T>(*shared_);
    return *shared_;
  }
  void reset() { shared_.reset(); }

 private:
  std::shared_ptr<T> shared_;
};

}  // namespace tilewire::interp
