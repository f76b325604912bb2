// A runtime that runs nothing: it records what an emitted host program asks for and prints it as JSON, in the
// form of record_tasks.cpp. What kernels would have computed is given: the elements that orchestration
// functions read, and the scalars that kernels return, in the order they are asked for.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tilewire_pto_runtime.h"

namespace tilewire::pto {

class Recorder final : public Runtime {
 public:
  // `given`: a file with lines `read RANK HEX` and `result RANK TASK HEX...`.
  Recorder(int ranks, const char* given);

  // An argument of the program.
  Tensor array(Type type, std::vector<int64_t> shape);
  void print() const;

  int ranks() override { return ranks_; }
  void run(const std::vector<std::function<void()>>& ranks) override;
  Address allocate(int rank, uint64_t bytes) override;
  void release(int rank, Address address, const std::vector<TaskId>& after) override;
  std::vector<Share> make_group(const std::vector<int>& members, uint64_t bytes) override;
  void release_groups() override;
  TaskId submit(const Task& task) override;
  TaskId defer(int rank, const std::vector<Condition>& conditions, const std::vector<TaskId>& after) override;
  bool ended(int, TaskId) override { return false; }
  void wait(int rank, const std::vector<TaskId>& tasks) override;
  void read(int rank, Address from, void* to, size_t bytes) override;
  void write(int rank, Address to, const void* from, size_t bytes) override;

 private:
  struct Block {
    std::vector<char> bytes;
    bool released = false;
    int group = -1;  // of a window region
  };
  // The storage that holds an address, and where in it.
  std::pair<Address, Block*> block_of(Address address);
  Address reserve(uint64_t bytes);
  std::string tensor_text(const Tensor& tensor);
  std::string argument_text(const Task& task, size_t i);
  std::string waited_text(int rank);

  int ranks_;
  std::mutex mutex_;
  std::map<Address, Block> blocks_;
  Address next_ = 4096;
  std::map<Address, int> contexts_;  // group
  std::map<int, std::vector<std::string>> tasks_;
  std::map<int, std::set<TaskId>> waited_;
  std::map<int, std::deque<std::string>> reads_;
  std::map<std::pair<int, size_t>, std::deque<std::string>> results_;
  std::map<Address, std::string> returned_;  // by the element where a kernel stores it
  int groups_ = 0;
  bool running_ = false;
};

}  // namespace tilewire::pto
