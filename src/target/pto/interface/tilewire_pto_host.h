// What an emitted PROGRAM_host.cpp is written with. A runtime sees tilewire_pto_runtime.h only.
//
// A `Call` is one call of a host function: it collects window buffers and dispatches, then runs every rank. A
// `Rank` is one rank's side of it: it creates tensors, works out which tasks a new one starts after
// (abi/task_order.h has the rule), and submits it.
#pragma once

#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/task_order.h"
#include "tilewire_pto_runtime.h"
#include "tilewire_pto_scalars.h"

namespace tilewire::pto {

using Dims = std::vector<int64_t>;

// The numbers `for i in pl.range(start, stop, step)` goes through.
class Range {
 public:
  Range(int64_t start, int64_t stop, int64_t step, const char* where);
  struct End {};
  class Iterator {
   public:
    Iterator(int64_t at, int64_t stop, int64_t step) : at_(at), stop_(stop), step_(step) {}
    int64_t operator*() const { return at_; }
    void operator++() { over_ = __builtin_add_overflow(at_, step_, &at_); }
    bool operator!=(End) const { return !over_ && (step_ > 0 ? at_ < stop_ : at_ > stop_); }

   private:
    int64_t at_, stop_, step_;
    bool over_ = false;
  };
  Iterator begin() const { return {start_, stop_, step_}; }
  End end() const { return {}; }

 private:
  int64_t start_, stop_, step_;
};

// --- views

// `shape` elements from `offsets` on, without the dimensions in `drop`.
Tensor slice(const Tensor& tensor, const Dims& shape, const Dims& offsets, const Dims& drop,
             const char* where);
Tensor reshape(const Tensor& tensor, const Dims& shape, const char* where);
Tensor transpose(const Tensor& tensor, int64_t first, int64_t second);
Tensor no_dep(Tensor tensor);
// What a caller has again after a call: `pl.no_dep` was about one argument of it.
Tensor tracked(Tensor tensor);
int64_t dim(const Tensor& tensor, int64_t axis);

// Of a dense tensor; the largest number there is when they are more.
int64_t bytes_of(Type type, const Dims& shape, const char* where);

// Stops unless an argument has this type and shape and lies in memory as `strides` say.
void expect(const char* function, const char* name, const Tensor& tensor, Type type, const Dims& shape,
            const Dims& strides);
// The value at which a linear expression is `extent`: a dimension that no parameter has by itself.
int64_t solve(const std::function<int64_t(int64_t)>& expression, int64_t extent, const char* name);
void check(bool holds, const char* where, const char* what);

// Whether a group of that many ranks can be divided into sub-groups of `size` ranks, `stride` apart.
bool divides(int64_t ranks, int64_t size, int64_t stride);
// Whether a mesh has as many ranks as its group.
bool fills(int64_t ranks, const Dims& mesh);

template <class T, size_t N>
T get(const std::array<T, N>& array, int64_t i, const char* where) {
  if (i < 0 || i >= static_cast<int64_t>(N)) {
    detail::fail(where,
                 "index " + detail::shown(i) + " of an array of " + detail::shown(static_cast<int64_t>(N)));
  }
  return array[static_cast<size_t>(i)];
}
template <class T, size_t N>
std::array<T, N> set(std::array<T, N> array, int64_t i, detail::same_t<T> value, const char* where) {
  get(array, i, where);
  array[static_cast<size_t>(i)] = value;
  return array;
}

// --- tasks

namespace detail {
inline void append(std::vector<TaskId>& list, TaskId task) {
  list.push_back(task);
}
template <size_t N>
void append(std::vector<TaskId>& list, const std::array<TaskId, N>& tasks) {
  list.insert(list.end(), tasks.begin(), tasks.end());
}
}  // namespace detail

// The tasks of `deps=`: ids, and arrays of them.
template <class... Tasks>
std::vector<TaskId> task_list(const Tasks&... tasks) {
  std::vector<TaskId> list;
  (detail::append(list, tasks), ...);
  return list;
}

// A communication group as a rank sees it.
struct Context {
  Address address = 0;
  int32_t rank = 0;   // in the group
  int32_t ranks = 1;  // of the group
};

// A kernel call on its way: values for the kernel's parameters in order, then what the call says beside.
class Launch {
 public:
  Launch(const Kernel& kernel, const char* where);
  Launch& tensor(const Tensor& tensor);
  template <class T>
  Launch& scalar(Type type, T value) {
    if constexpr (std::is_floating_point_v<T>)
      return floating(type, value);
    else
      return bits(detail::bits(value));
  }
  Launch& index(int64_t value) { return bits(static_cast<uint64_t>(value)); }
  Launch& context(const Context& context) { return bits(context.address); }
  Launch& blocks(int64_t count);
  Launch& after(TaskId task);
  template <size_t N>
  Launch& after(const std::array<TaskId, N>& tasks) {
    for (TaskId task : tasks) after(task);
    return *this;
  }
  Launch& sync_start();
  Launch& unordered();

 private:
  friend class Rank;
  Launch& bits(uint64_t bits);
  Launch& floating(Type type, float value);
  const Parameter& next();

  Task task_;
  bool ordered_ = true;
};

class Call;

class Rank {
 public:
  // Outside a host function: the only rank, without windows.
  explicit Rank(Runtime& runtime) : Rank(runtime, 0, nullptr) {}
  Rank(Runtime& runtime, int number, const Call* call);
  Rank(const Rank&) = delete;

  // Until all tasks have ended; then everything created here goes but what `keep` was told of.
  void finish();
  // A tensor that the function returns.
  Tensor keep(const Tensor& tensor);

  Tensor create(Type type, const Dims& shape, const char* where);
  // What was created last lives on after the `pl.scope` it was created in.
  void outlive(const Tensor& created);
  TaskId submit(const Launch& launch);
  TaskId defer(const std::vector<Condition>& conditions, const std::vector<TaskId>& after);
  Condition condition(const Tensor& cells, const Dims& index, abi::Compare compare, int64_t expected,
                      const char* where) const;

  // An element, when the tasks that write it have ended; T is the C++ type of the tensor's elements.
  template <class T>
  T read(const Tensor& tensor, const Dims& index, const char* where) {
    const Tensor element = element_of(tensor, index, where);
    await(element, abi::Reads);
    if constexpr (std::is_floating_point_v<T>) {
      return read_float(element);
    } else {
      T value{};
      runtime_.read(number_, element.address, &value, sizeof(T));
      return value;
    }
  }
  // When the tasks that use it have ended.
  template <class T>
  Tensor write(const Tensor& tensor, const Dims& index, T value, const char* where) {
    const Tensor element = element_of(tensor, index, where);
    await(element, abi::Writes);
    if constexpr (std::is_floating_point_v<T>)
      write_float(element, value);
    else
      runtime_.write(number_, element.address, &value, sizeof(T));
    return tensor;
  }

  // `step`: where the function is in `pl.parallel` loops, `pl.manual_scope`s and `pl.scope`s.
  void step(abi::ParallelStep step);
  Context context(const Tensor& window, const char* where) const;

 private:
  struct Used {
    abi::Use use;
    Tensor region;
  };
  struct Live {
    TaskId id;
    abi::Rounds rounds;
    std::vector<Used> arguments;
    std::vector<Address> storage;  // created here
  };
  static bool share_bytes(const Used& a, const Used& b);
  static Tensor element_of(const Tensor& tensor, const Dims& index, const char* where);
  float read_float(const Tensor& element);
  void write_float(const Tensor& element, float value);
  void await(const Tensor& region, uint8_t access);
  void forget_ended();
  void release(const std::vector<std::pair<Address, uint64_t>>& created);
  uintptr_t group_of(const Tensor& tensor) const;

  Runtime& runtime_;
  const int number_;
  const Call* call_;
  abi::CurrentRounds rounds_;
  std::vector<Live> live_;
  std::vector<TaskId> joins_;                                       // deferred tasks
  std::vector<std::vector<std::pair<Address, uint64_t>>> created_;  // by `pl.scope`, with their bytes
  std::vector<Address> kept_;
};

// A scalar that a kernel returns: known when its task has ended, and read when it is first used.
template <class T>
class Later {
 public:
  Later() = default;
  Later(Rank& rank, Tensor element, const char* where)
      : state_(std::make_shared<State>(State{&rank, std::move(element), where, false, T{}})) {}
  T get() const {
    if (!state_->known) state_->value = state_->rank->template read<T>(state_->element, {0}, state_->where);
    state_->known = true;
    return state_->value;
  }

 private:
  struct State {
    Rank* rank;
    Tensor element;
    const char* where;
    bool known;
    T value;
  };
  std::shared_ptr<State> state_;
};

// --- host functions

class Call {
 public:
  explicit Call(Runtime& runtime) : runtime_(runtime) {}

  int64_t world_size() const { return runtime_.ranks(); }
  // A window buffer of that many bytes on each rank of its group. Row r of `load_from` is copied into rank
  // r's share before the ranks run, and the share into row r of `store_to` after it.
  int window(const char* name, int64_t bytes, const char* where);
  int window(const char* name, int64_t bytes, const Tensor* load_from, const Tensor* store_to,
             const char* where);
  Tensor view(int window, Type type, const Dims& shape, const char* where) const;

  // Runs a function on a rank, after what was dispatched to that rank before. Its tensors are those given, as
  // the rank has them.
  using Body = std::function<void(Rank&, const std::vector<Tensor>&)>;
  struct Passed {
    Tensor tensor;
    Parameter::Direction direction;
  };
  void dispatch(int64_t device, const std::vector<Passed>& tensors, Body body, const char* where);
  // Which ranks share the buffers of these names; no devices: all ranks. Buffers without such a word are
  // shared by the ranks they were dispatched to.
  void group(const std::vector<const char*>& buffers, const std::vector<int>& devices);

  // When everything has been said: makes the groups and runs the ranks.
  void run();

  // For ranks: a window as `rank` has it, and its group.
  Tensor here(int rank, const Tensor& view) const;
  Context context(int rank, const Tensor& window, const char* where) const;
  int group_of(int window) const { return windows_[static_cast<size_t>(window)].group; }

 private:
  struct Window {
    std::string name;
    int64_t bytes;
    Tensor load_from, store_to;
    bool loads, stores;
    std::vector<int> dispatched;  // ascending
    int group = -1;
    int64_t offset = 0;  // in the region
  };
  struct Group {
    std::vector<int> members;  // ascending
    int64_t bytes = 0;
    std::vector<Share> shares;  // by member
  };
  struct Dispatch {
    std::vector<Passed> tensors;
    Body body;
  };
  void form_groups();
  void stage(bool in) const;
  void run_rank(int rank, const std::vector<Dispatch>& dispatches);
  const Share& share(int rank, const Window& window) const;

  Runtime& runtime_;
  std::vector<Window> windows_;
  std::vector<Group> groups_;
  std::map<std::string, std::vector<int>> devices_;  // by name of the buffer, where it was said
  std::map<int, std::vector<Dispatch>> dispatches_;  // by rank
};

}  // namespace tilewire::pto
