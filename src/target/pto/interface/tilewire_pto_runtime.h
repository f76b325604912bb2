// What a runtime provides so that the host side of an emitted program can run on it.
//
// The emitted PROGRAM_host.cpp creates tensors, submits kernels and waits, on the ranks of one program. It
// knows nothing about the machine: everything it needs is a virtual function of `Runtime`. Who runs programs
// on real devices derives a class from it; a test derives one that records what it is asked for.
//
// The order of tasks is worked out here (Rank, tilewire_pto_host.h), so a runtime needs no dependency
// tracking of its own: a task starts when the tasks in `after` have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "abi/numbers.h"

namespace tilewire::pto {

// An error of the program, found while the host side runs: the place in the source, then what is wrong.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The type of an element in memory. BOOL elements have a byte each.
using Type = abi::ElementType;
int64_t bytes_of(Type type);

// A place in global memory, as kernels take it.
using Address = uint64_t;
// Of a task, from 1 in the order of submission on its rank. 0: complete.
using TaskId = uint64_t;
inline constexpr TaskId no_task = 0;

// A part of some rank's global memory.
struct Tensor {
  Address address = 0;  // of element 0. Of a window in a host function: bytes from the start of its buffer
  Type type = Type::FP32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
  int window = -1;               // the number of the window buffer it lies in; -1: none
  bool tracked = true;           // false: `pl.no_dep`

  int64_t size() const;  // elements
  bool dense() const;
};
// A tensor without gaps, last dimension first.
Tensor dense_tensor(Address address, Type type, std::vector<int64_t> shape);

// A parameter of a kernel, in the order of the emitted text.
struct Parameter {
  // Result: where the kernel stores a scalar it returns. Group: the communication context of a group.
  enum class Kind : uint8_t { Tensor, Result, Scalar, Context, Dimension, Stride, Group };
  enum class Direction : uint8_t { In, Out, InOut };
  const char* name;
  Kind kind;
  const char* type;  // as the text declares it: "!pto.ptr<f32>"
  Direction direction = Direction::In;
  uint8_t access = 0;  // abi::AccessBits: what the kernel does to this rank's copy, and to peers
};

// A kernel, as kernel_table.json lists it.
struct Kernel {
  const char* name;
  const char* file;    // of its text
  const char* cube;    // the function that runs on the cube core; null: none
  const char* vector;  // the function that runs on the vector cores; null: none
  int vector_lanes;    // how many vector cores run it beside one cube core: 1 or 2
  std::vector<Parameter> parameters;
};

// A value for a parameter of a kernel.
struct Argument {
  // An address, the bits of a scalar (integers extended to 64 bits by their sign, floats as stored), a
  // dimension, a stride, or the address of a context.
  uint64_t bits = 0;
  // Of Tensor and Result: the region that the task names.
  Tensor region = {};
};

// A task to be run: `blocks` blocks of a kernel, at the same time as far as there are cores.
struct Task {
  const Kernel* kernel = nullptr;
  int rank = 0;
  std::vector<Argument> arguments;  // one per parameter
  int64_t blocks = 1;               // may be 0: the task does nothing
  bool sync_start = false;          // no block starts before all can
  std::vector<TaskId> after;        // it starts when these have ended; ascending
  const char* where = "";           // in the source
};

// A signal cell and what is waited for.
struct Condition {
  Address cell = 0;
  abi::Compare compare = abi::Compare::Ge;
  int32_t expected = 0;
};

// One rank's share of a communication group.
struct Share {
  Address base = 0;     // of its region
  Address context = 0;  // of its context: its rank (INT32 at byte 16), the number of ranks (INT32 at byte
                        // 20), the bases of all regions (INT64 each, from byte 32)
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  // How many ranks there are.
  virtual int ranks() = 0;
  // Runs one function per rank, at the same time: they may wait for one another. Returns when all have
  // returned; an exception of one of them is thrown again.
  virtual void run(const std::vector<std::function<void()>>& ranks);
  // Where an argument of the program is on a rank. By default it is where it is, for runtimes whose arguments
  // are in memory that every rank reaches; others copy it there, and what is written back when the program
  // has ended.
  virtual Tensor argument(int rank, const Tensor& tensor, Parameter::Direction direction);

  // `bytes` bytes of global memory on a rank, on a multiple of 64.
  virtual Address allocate(int rank, uint64_t bytes) = 0;
  // Gives them back when these tasks have ended.
  virtual void release(int rank, Address address, const std::vector<TaskId>& after) = 0;
  // Regions for a group of ranks, zeroed, one per member, on multiples of 64.
  virtual std::vector<Share> make_group(const std::vector<int>& members, uint64_t bytes) = 0;
  // Gives back all groups. All tasks have ended.
  virtual void release_groups() = 0;

  // The id of the new task.
  virtual TaskId submit(const Task& task) = 0;
  // A task that occupies no core: it ends when these tasks have ended and every condition has held at some
  // moment since. `conditions` may be empty.
  virtual TaskId defer(int rank, const std::vector<Condition>& conditions,
                       const std::vector<TaskId>& after) = 0;
  // Whether a task has ended. May say no for longer than that is true.
  virtual bool ended(int rank, TaskId task) = 0;
  // Until these tasks have ended.
  virtual void wait(int rank, const std::vector<TaskId>& tasks) = 0;

  // Copies between the memory of this process and a rank's global memory.
  virtual void read(int rank, Address from, void* to, size_t bytes) = 0;
  virtual void write(int rank, Address to, const void* from, size_t bytes) = 0;
};

}  // namespace tilewire::pto
