// Tensors, launches, and the tasks of one rank.
#include "tilewire_pto_host.h"

#include <algorithm>

#include "support/overlap.h"

namespace tilewire::pto {

// --- tensors and views

int64_t Tensor::size() const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

bool Tensor::dense() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

Tensor dense_tensor(Address address, Type type, std::vector<int64_t> shape) {
  Tensor tensor;
  tensor.address = address;
  tensor.type = type;
  tensor.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    tensor.strides[i] = stride;
    stride *= shape[i];
  }
  tensor.shape = std::move(shape);
  return tensor;
}

Range::Range(int64_t start, int64_t stop, int64_t step, const char* where)
    : start_(start), stop_(stop), step_(step) {
  if (step == 0) detail::fail(where, "the step of a range is 0");
}

namespace {

Address moved(const Tensor& tensor, int64_t elements) {
  return tensor.address + static_cast<uint64_t>(elements * bytes_of(tensor.type));
}

}  // namespace

Tensor slice(const Tensor& tensor, const Dims& shape, const Dims& offsets, const Dims& drop,
             const char* where) {
  Tensor part = tensor;
  part.shape.clear();
  part.strides.clear();
  int64_t elements = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (offsets[i] < 0 || shape[i] < 0 || offsets[i] > tensor.shape[i] - shape[i]) {
      detail::fail(where, "out of bounds: " + std::to_string(shape[i]) + " elements from " +
                              std::to_string(offsets[i]) + " on in dimension " + std::to_string(i) +
                              ", which has " + std::to_string(tensor.shape[i]));
    }
    elements += offsets[i] * tensor.strides[i];
    if (std::find(drop.begin(), drop.end(), static_cast<int64_t>(i)) != drop.end()) continue;
    part.shape.push_back(shape[i]);
    part.strides.push_back(tensor.strides[i]);
  }
  part.address = moved(tensor, elements);
  return part;
}

Tensor reshape(const Tensor& tensor, const Dims& shape, const char* where) {
  Dims extents = shape;
  int64_t known = 1;
  for (int64_t extent : shape) known *= extent < 0 ? 1 : extent;
  for (int64_t& extent : extents) {
    if (extent < 0 && known != 0) extent = tensor.size() / known;  // -1: what is left
  }
  Tensor view = dense_tensor(tensor.address, tensor.type, extents);
  if (!tensor.dense() || view.size() != tensor.size()) {
    detail::fail(where, "cannot reshape " + detail::shown(tensor.shape) +
                            (tensor.dense() ? " to " + detail::shown(shape)
                                            : ", whose elements have gaps between them"));
  }
  view.window = tensor.window;
  view.tracked = tensor.tracked;
  return view;
}

Tensor transpose(const Tensor& tensor, int64_t first, int64_t second) {
  Tensor view = tensor;
  std::swap(view.shape[static_cast<size_t>(first)], view.shape[static_cast<size_t>(second)]);
  std::swap(view.strides[static_cast<size_t>(first)], view.strides[static_cast<size_t>(second)]);
  return view;
}

Tensor no_dep(Tensor tensor) {
  tensor.tracked = false;
  return tensor;
}
Tensor tracked(Tensor tensor) {
  tensor.tracked = true;
  return tensor;
}

int64_t dim(const Tensor& tensor, int64_t axis) {
  const auto rank = static_cast<int64_t>(tensor.shape.size());
  return tensor.shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

void expect(const char* function, const char* name, const Tensor& tensor, Type type, const Dims& shape,
            const Dims& strides) {
  const std::string who = "`" + std::string(name) + "`";
  if (tensor.type != type) {
    detail::fail(function, who + " has elements of another type than its parameter says");
  }
  if (tensor.shape != shape) {
    detail::fail(function,
                 who + " must have shape " + detail::shown(shape) + ", got " + detail::shown(tensor.shape));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1 || tensor.strides[i] == strides[i]) continue;
    detail::fail(function, who + " must have strides " + detail::shown(strides) + ", got " +
                               detail::shown(tensor.strides) + ": pass a tensor without gaps");
  }
}

int64_t bytes_of(Type type, const Dims& shape, const char* where) {
  int64_t bytes = bytes_of(type);
  for (int64_t extent : shape) {
    if (extent < 0) detail::fail(where, "a tensor with an extent of " + std::to_string(extent));
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return INT64_MAX;
  }
  return bytes;
}

bool divides(int64_t ranks, int64_t size, int64_t stride) {
  if (size <= 0 || stride <= 0 || size > ranks || stride > ranks) return false;
  return ranks % (size * stride) == 0;
}

bool fills(int64_t ranks, const Dims& mesh) {
  int64_t cells = 1;
  for (int64_t extent : mesh) {
    if (extent <= 0 || __builtin_mul_overflow(cells, extent, &cells)) return false;
  }
  return cells == ranks;
}

int64_t solve(const std::function<int64_t(int64_t)>& expression, int64_t extent, const char* name) {
  const int64_t at_zero = expression(0), slope = expression(1) - at_zero;
  if (slope != 0 && (extent - at_zero) % slope == 0) {
    const int64_t value = (extent - at_zero) / slope;
    if (expression(value) == extent) return value;
  }
  throw Error("no value of the dimension `" + std::string(name) + "` fits an extent of " +
              std::to_string(extent));
}

void check(bool holds, const char* where, const char* what) {
  if (!holds) detail::fail(where, what);
}

// --- launches

Launch::Launch(const Kernel& kernel, const char* where) {
  task_.kernel = &kernel;
  task_.where = where;
}

const Parameter& Launch::next() {
  return task_.kernel->parameters.at(task_.arguments.size());
}

Launch& Launch::tensor(const Tensor& tensor) {
  next();
  task_.arguments.push_back({tensor.address, tensor});
  return *this;
}

Launch& Launch::bits(uint64_t bits) {
  next();
  task_.arguments.push_back({bits, {}});
  return *this;
}

Launch& Launch::floating(Type type, float value) {
  return bits(detail::float_bits(type, value));
}

Launch& Launch::blocks(int64_t count) {
  if (count < 0) detail::fail(task_.where, "a launch of " + std::to_string(count) + " blocks");
  task_.blocks = count;
  return *this;
}

Launch& Launch::after(TaskId task) {
  if (task != no_task) task_.after.push_back(task);
  return *this;
}

Launch& Launch::sync_start() {
  task_.sync_start = true;
  return *this;
}

Launch& Launch::unordered() {
  ordered_ = false;
  return *this;
}

// --- ranks

Rank::Rank(Runtime& runtime, int number, const Call* call)
    : runtime_(runtime), number_(number), call_(call), created_(1) {}

uintptr_t Rank::group_of(const Tensor& tensor) const {
  return tensor.window >= 0 ? static_cast<uintptr_t>(call_->group_of(tensor.window)) + 1 : 0;
}

bool Rank::share_bytes(const Used& a, const Used& b) {
  const int64_t size_a = bytes_of(a.region.type), size_b = bytes_of(b.region.type);
  OverlapSearch search;
  for (size_t i = 0; i < a.region.shape.size(); ++i) {
    if (a.region.shape[i] == 0) return false;
    search.first(a.region.strides[i] * size_a, a.region.shape[i]);
  }
  for (size_t i = 0; i < b.region.shape.size(); ++i) {
    if (b.region.shape[i] == 0) return false;
    search.second(b.region.strides[i] * size_b, b.region.shape[i]);
  }
  return search.meets(static_cast<int64_t>(b.region.address - a.region.address), size_a, size_b);
}

void Rank::forget_ended() {
  live_.erase(std::remove_if(live_.begin(), live_.end(),
                             [&](const Live& task) { return runtime_.ended(number_, task.id); }),
              live_.end());
}

Tensor Rank::create(Type type, const Dims& shape, const char* where) {
  uint64_t bytes = static_cast<uint64_t>(bytes_of(type));
  for (int64_t extent : shape) {
    if (extent < 0) detail::fail(where, "a tensor with an extent of " + std::to_string(extent));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) {
      detail::fail(where, "a tensor of " + detail::shown(shape) + " is too large");
    }
  }
  const Address address = runtime_.allocate(number_, bytes);
  created_.back().emplace_back(address, bytes);
  return dense_tensor(address, type, shape);
}

void Rank::outlive(const Tensor& created) {
  auto& scope = created_.back();
  auto found = std::find_if(scope.begin(), scope.end(),
                            [&](const auto& entry) { return entry.first == created.address; });
  if (found == scope.end()) return;
  const auto entry = *found;
  scope.erase(found);
  created_.front().push_back(entry);
}

TaskId Rank::submit(const Launch& launch) {
  Task task = launch.task_;
  task.rank = number_;
  Live now{0, rounds_, {}, {}};
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const Parameter& parameter = task.kernel->parameters[i];
    if (parameter.kind != Parameter::Kind::Tensor && parameter.kind != Parameter::Kind::Result) continue;
    const Tensor& region = task.arguments[i].region;
    abi::Use use;
    use.access = parameter.access;
    use.tracked = region.tracked;
    use.ordered = launch.ordered_;
    use.group = group_of(region);
    now.arguments.push_back({use, region});
  }
  forget_ended();
  for (const Live& earlier : live_) {
    if (abi::must_follow(now, earlier, share_bytes)) task.after.push_back(earlier.id);
  }
  std::sort(task.after.begin(), task.after.end());
  task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
  now.id = runtime_.submit(task);
  live_.push_back(now);
  return now.id;
}

TaskId Rank::defer(const std::vector<Condition>& conditions, const std::vector<TaskId>& after) {
  std::vector<TaskId> tasks;
  for (TaskId task : after) {
    if (task != no_task) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  joins_.push_back(runtime_.defer(number_, conditions, tasks));
  return joins_.back();
}

Tensor Rank::element_of(const Tensor& tensor, const Dims& index, const char* where) {
  Tensor element = tensor;
  int64_t elements = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= tensor.shape[i]) {
      detail::fail(where, "out of bounds: index " + std::to_string(index[i]) + " in dimension " +
                              std::to_string(i) + ", which has " + std::to_string(tensor.shape[i]));
    }
    elements += index[i] * tensor.strides[i];
  }
  element.address = moved(tensor, elements);
  element.shape.clear();
  element.strides.clear();
  return element;
}

Condition Rank::condition(const Tensor& cells, const Dims& index, abi::Compare compare, int64_t expected,
                          const char* where) const {
  return {element_of(cells, index, where).address, compare, static_cast<int32_t>(expected)};
}

void Rank::await(const Tensor& region, uint8_t access) {
  forget_ended();
  abi::Use use;
  use.access = access;
  const Used element{use, region};
  std::vector<TaskId> users;
  for (const Live& task : live_) {
    const bool uses = std::any_of(task.arguments.begin(), task.arguments.end(), [&](const Used& argument) {
      return abi::ordered_by_data(argument.use, element.use) && share_bytes(argument, element);
    });
    if (uses) users.push_back(task.id);
  }
  if (!users.empty()) runtime_.wait(number_, users);
}

float Rank::read_float(const Tensor& element) {
  uint32_t stored = 0;
  runtime_.read(number_, element.address, &stored, static_cast<size_t>(bytes_of(element.type)));
  return detail::from_bits(element.type, stored);
}

void Rank::write_float(const Tensor& element, float value) {
  const auto stored = static_cast<uint32_t>(detail::float_bits(element.type, value));
  runtime_.write(number_, element.address, &stored, static_cast<size_t>(bytes_of(element.type)));
}

void Rank::step(abi::ParallelStep step) {
  rounds_.step(step);
  if (step == abi::ParallelStep::EnterStorage) created_.emplace_back();
  if (step == abi::ParallelStep::LeaveStorage) {
    const auto created = std::move(created_.back());
    created_.pop_back();
    release(created);
  }
}

void Rank::release(const std::vector<std::pair<Address, uint64_t>>& created) {
  for (const auto& [address, bytes] : created) {
    std::vector<TaskId> after;
    for (const Live& task : live_) {
      const Address begin = address, end = address + bytes;
      const bool takes = std::any_of(task.arguments.begin(), task.arguments.end(), [&](const Used& argument) {
        return argument.region.address >= begin && argument.region.address < end;
      });
      if (takes) after.push_back(task.id);
    }
    runtime_.release(number_, address, after);
  }
}

Tensor Rank::keep(const Tensor& tensor) {
  kept_.push_back(tensor.address);
  return tensor;
}

void Rank::finish() {
  std::vector<TaskId> all = joins_;
  for (const Live& task : live_) all.push_back(task.id);
  std::sort(all.begin(), all.end());
  runtime_.wait(number_, all);
  for (const auto& scope : created_) {
    for (const auto& [address, bytes] : scope) {
      const bool keeps = std::any_of(
          kept_.begin(), kept_.end(),
          [begin = address, size = bytes](Address kept) { return kept >= begin && kept < begin + size; });
      if (!keeps) runtime_.release(number_, address, {});
    }
  }
  created_.assign(1, {});
  live_.clear();
  joins_.clear();
}

Context Rank::context(const Tensor& window, const char* where) const {
  if (!call_ || window.window < 0) detail::fail(where, "a communication context of what is no window");
  return call_->context(number_, window, where);
}

}  // namespace tilewire::pto
