// Worlds of processes for tests: children of the test, made by fork and joined by socket pairs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "processes/process_world.h"
#include "runtime/run.h"

namespace tilewire::processes {

// What a child tells of its outcome.
struct Told {
  bool ended = false;   // it came to its end; otherwise it was killed, or took too long and was
  bool failed = false;  // an EXPECT in it did
  runtime::Ending ending{};
  std::string text{};
  int32_t rank = -1;
  uint32_t line = 0;
  uint64_t at_ns = 0;  // when the function of the child returned
};

void* map(size_t bytes);  // zeros
void unmap(void* memory, size_t bytes);
// Memory that the test and all its later children share.
template <class T>
class Shared {
 public:
  explicit Shared(size_t count) : values_(static_cast<T*>(map(count * sizeof(T))), count) {}
  ~Shared() { unmap(values_.data(), values_.size_bytes()); }
  Shared(const Shared&) = delete;
  std::span<T> all() const { return values_; }
  T& operator[](size_t i) const { return values_[i]; }

 private:
  std::span<T> values_;
};
class ForkedWorld {
 public:
  using Child = std::function<runtime::Outcome(ProcessWorld&, int32_t process)>;

  // Starts `child` in so many processes, once they have joined, which take themselves to be on
  // so many hosts in order, which only messages connect.
  ForkedWorld(int32_t processes, Child child, Limits limits = {}, int32_t hosts = 1);
  // Kills who is still there.
  ~ForkedWorld();
  ForkedWorld(const ForkedWorld&) = delete;

  pid_t process(int32_t i) const { return children_[i].id; }
  // What they told, when all have ended, or after `limit_ms`, when those that have not are killed.
  std::vector<Told> wait(int limit_ms = 60'000);

  // Until all but one have told; its telling and theirs are still there for `wait`.
  void wait_but(int32_t process, int limit_ms);

  static std::vector<Told> run(int32_t processes, const Child& child, int32_t hosts = 1) {
    return ForkedWorld(processes, child, {}, hosts).wait();
  }

 private:
  struct ChildProcess {
    pid_t id;
    int report;
  };
  [[noreturn]] static void work(Seat seat, const Child& child, int report);

  std::vector<ChildProcess> children_;
};

}  // namespace tilewire::processes
