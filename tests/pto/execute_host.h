// What the call of a host program under test is written with; see execute_host.cpp, which has the main
// function.
#pragma once

#include <type_traits>

#include "tilewire_pto_runtime.h"

namespace tilewire::pto {

class Turns;

class Asking final : public Runtime {
 public:
  // An argument of the program, as whatever its parameter is.
  struct Value {
    Tensor tensor;
    int64_t integer = 0;
    double floating = 0;
    operator const Tensor&() const { return tensor; }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    operator T() const {
      return std::is_floating_point_v<T> ? static_cast<T>(floating) : static_cast<T>(integer);
    }
  };

  Asking();
  ~Asking() override;
  Value value(int number) const;

  int ranks() override { return ranks_; }
  void run(const std::vector<std::function<void()>>& ranks) override;
  Address allocate(int rank, uint64_t bytes) override;
  void release(int rank, Address address, const std::vector<TaskId>& after) override;
  std::vector<Share> make_group(const std::vector<int>& members, uint64_t bytes) override;
  void release_groups() override;
  TaskId submit(const Task& task) override;
  TaskId defer(int rank, const std::vector<Condition>& conditions, const std::vector<TaskId>& after) override;
  bool ended(int rank, TaskId task) override;
  void wait(int rank, const std::vector<TaskId>& tasks) override;
  void read(int rank, Address from, void* to, size_t bytes) override;
  void write(int rank, Address to, const void* from, size_t bytes) override;

 private:
  int ranks_;
  Turns* turns_ = nullptr;  // while ranks run
  static thread_local size_t place_;
};

}  // namespace tilewire::pto

// Calls the entry with its arguments; written for each program.
void run_program(tilewire::pto::Asking& asking);
