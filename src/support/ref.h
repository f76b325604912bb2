// Shared ownership of immutable objects: `Ref<const T>` counts inside the object.
//
// A node is written while its maker holds the only `Ref<T>`, and is shared as `Ref<const T>` from
// then on, also between threads. Compared with std::shared_ptr this is one word per reference and one
// allocation per object; reading a million-line program makes ten million of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace tilewire {

// Base of everything a Ref can point to.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) : refs_(0) {}
  RefCounted& operator=(const RefCounted&) { return *this; }
  virtual ~RefCounted() = default;

  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  mutable std::atomic<uint32_t> refs_{0};
};

template <class T>
class Ref {
 public:
  using element_type = T;

  constexpr Ref() = default;
  constexpr Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get())) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& other)
  noexcept : object_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

  // Gives up ownership without releasing; only for moves between Ref types.
  T* detach() { return std::exchange(object_, nullptr); }

  // Identity, not structure: see ir/structural.h for the latter.
  template <class U>
  bool operator==(const Ref<U>& other) const {
    return object_ == other.get();
  }
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace tilewire

template <class T>
struct std::hash<tilewire::Ref<T>> {
  size_t operator()(const tilewire::Ref<T>& ref) const { return std::hash<T*>{}(ref.get()); }
};
