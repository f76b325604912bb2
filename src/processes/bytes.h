// Values in the bytes of a message. Both sides run on one machine, so numbers are in its byte order.
//
// A Reader never trusts what it reads: it stops at the first value that is not there, and `good` says so.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilewire::processes {

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<uint64_t>(value.size()));
    bytes_ += value;
  }
  template <class List, class WriteOne>
  void list(const List& values, WriteOne write_one) {
    number(static_cast<uint64_t>(values.size()));
    for (const auto& value : values) write_one(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    T value{};
    if (take(sizeof value)) std::memcpy(&value, taken_.data(), sizeof value);
    return value;
  }
  // Of an enumeration whose values go from 0 to `last`.
  template <class Enum>
  Enum choice(Enum last) {
    auto value = number<std::underlying_type_t<Enum>>();
    if (value > static_cast<std::underlying_type_t<Enum>>(last)) good_ = false;
    return good_ ? static_cast<Enum>(value) : Enum{};
  }
  std::string text() {
    const auto size = number<uint64_t>();
    return take(size) ? std::string(taken_) : std::string();
  }
  template <class ReadOne>
  void list(ReadOne read_one) {
    for (auto left = number<uint64_t>(); left > 0 && good_; --left) read_one();
  }

  void refuse() { good_ = false; }
  bool good() const { return good_; }
  // Everything was read, and nothing was missing.
  bool complete() const { return good_ && rest_.empty(); }

 private:
  bool take(uint64_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_) return false;
    taken_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  std::string_view taken_;
  bool good_ = true;
};

}  // namespace tilewire::processes
