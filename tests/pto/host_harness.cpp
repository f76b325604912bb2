#include "host_harness.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tilewire::pto {
namespace {

// A runtime that is asked for nonsense says so: tests then fail with it.
void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "the host program %s\n", what);
  std::exit(3);
}

std::string listed(const std::vector<int64_t>& values) {
  std::string text;
  for (int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

// Ids are one above places in the list of the rank.
std::string places(const std::vector<TaskId>& tasks, size_t submitted) {
  std::string text;
  TaskId last = no_task;
  for (TaskId task : tasks) {
    require(task > last && task <= submitted, "names a task that is not before this one, or out of order");
    last = task;
    text += (text.empty() ? "" : ", ") + std::to_string(task - 1);
  }
  return "[" + text + "]";
}

std::string hex(uint64_t bits, size_t bytes) {
  std::string text = "\"";
  for (size_t i = 0; i < bytes; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(bits >> (8 * i) & 0xFF));
    text += two;
  }
  return text + "\"";
}

void from_hex(const std::string& text, void* to, size_t bytes) {
  require(text.size() == 2 * bytes, "reads elements of another size");
  for (size_t i = 0; i < bytes; ++i) {
    static_cast<unsigned char*>(to)[i] =
        static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
}

}  // namespace

Recorder::Recorder(int ranks, const char* given) : ranks_(ranks) {
  std::ifstream in(given);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string what, value;
    int rank = 0;
    size_t task = 0;
    words >> what >> rank;
    if (what == "result") words >> task;
    while (words >> value) {
      if (what == "read") reads_[rank].push_back(value);
      if (what == "result") results_[{rank, task}].push_back(value);
    }
  }
}

Address Recorder::reserve(uint64_t bytes) {
  const Address address = next_;
  next_ += (bytes + 127) / 64 * 64;  // never one block behind another: an overrun is in none
  blocks_[address].bytes.resize(bytes);
  return address;
}

std::pair<Address, Recorder::Block*> Recorder::block_of(Address address) {
  auto after = blocks_.upper_bound(address);
  require(after != blocks_.begin(), "uses an address that nothing has");
  --after;
  require(address - after->first <= after->second.bytes.size(), "uses an address that nothing has");
  return {after->first, &after->second};
}

Tensor Recorder::array(Type type, std::vector<int64_t> shape) {
  Tensor tensor = dense_tensor(0, type, std::move(shape));
  tensor.address = reserve(static_cast<uint64_t>(tensor.size() * bytes_of(type)));
  return tensor;
}

void Recorder::run(const std::vector<std::function<void()>>& ranks) {
  running_ = true;
  Runtime::run(ranks);
  running_ = false;
}

Address Recorder::allocate(int, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reserve(bytes);
}

void Recorder::release(int rank, Address address, const std::vector<TaskId>& after) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  require(found != blocks_.end() && !found->second.released && found->second.group < 0,
          "releases memory that it does not have");
  found->second.released = true;
  places(after, tasks_[rank].size());
}

std::vector<Share> Recorder::make_group(const std::vector<int>& members, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Share> shares(members.size());
  for (Share& share : shares) {
    share.base = reserve(bytes);
    blocks_[share.base].group = groups_;
    share.context = reserve(32 + 8 * members.size());
    contexts_[share.context] = groups_;
  }
  ++groups_;
  return shares;
}

void Recorder::release_groups() {
  for (auto& [address, block] : blocks_) block.released = block.released || block.group >= 0;
}

std::string Recorder::tensor_text(const Tensor& tensor) {
  const auto [begin, block] = block_of(tensor.address);
  require(!block->released, "hands released memory to a task");
  return "{\"storage\": " + std::to_string(begin) +
         ", \"offset\": " + std::to_string(tensor.address - begin) + ", \"shape\": " + listed(tensor.shape) +
         ", \"strides\": " + listed(tensor.strides) +
         ", \"tracked\": " + (tensor.tracked ? "true" : "false") +
         ", \"window\": " + std::to_string(tensor.window) + "}";
}

std::string Recorder::argument_text(const Task& task, size_t i) {
  const Parameter& parameter = task.kernel->parameters[i];
  const Argument& argument = task.arguments[i];
  switch (parameter.kind) {
    case Parameter::Kind::Tensor:
    case Parameter::Kind::Result:
      return tensor_text(argument.region);
    case Parameter::Kind::Context:
    case Parameter::Kind::Group:
      require(contexts_.count(argument.bits) > 0, "hands a task a context that is none");
      return std::to_string(contexts_[argument.bits]);
    case Parameter::Kind::Scalar: {
      static const std::map<std::string, size_t> sizes = {{"i1", 1},   {"i8", 1},  {"i16", 2}, {"f16", 2},
                                                          {"bf16", 2}, {"i32", 4}, {"f32", 4}};
      const auto size = sizes.find(parameter.type);
      return hex(argument.bits, size == sizes.end() ? 8 : size->second);
    }
    default:
      return std::to_string(static_cast<int64_t>(argument.bits));
  }
}

// The tasks that the host program has waited for: no task after it needs to say so.
std::string Recorder::waited_text(int rank) {
  const std::set<TaskId>& waited = waited_[rank];
  return places({waited.begin(), waited.end()}, tasks_[rank].size());
}

TaskId Recorder::submit(const Task& task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string>& tasks = tasks_[task.rank];
  require(task.arguments.size() == task.kernel->parameters.size(), "submits a task without all arguments");
  std::string text = "{\"kernel\": \"" + std::string(task.kernel->name) +
                     "\", \"blocks\": " + std::to_string(task.blocks) +
                     ", \"sync_start\": " + (task.sync_start ? "true" : "false") +
                     ", \"after\": " + places(task.after, tasks.size()) +
                     ", \"waited\": " + waited_text(task.rank) + ", \"arguments\": {";
  std::deque<std::string>& results = results_[{task.rank, tasks.size()}];
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const Parameter& parameter = task.kernel->parameters[i];
    text += (i ? ", \"" : "\"") + std::string(parameter.name) + "\": " + argument_text(task, i);
    if (parameter.kind != Parameter::Kind::Result) continue;
    require(!results.empty(), "has a kernel return more than it does");
    returned_[task.arguments[i].bits] = results.front();
    results.pop_front();
  }
  tasks.push_back(text + "}}");
  return tasks.size();
}

TaskId Recorder::defer(int rank, const std::vector<Condition>& conditions, const std::vector<TaskId>& after) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string>& tasks = tasks_[rank];
  std::string text = "{\"defers\": true, \"after\": " + places(after, tasks.size()) +
                     ", \"waited\": " + waited_text(rank) + ", \"conditions\": [";
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto [begin, block] = block_of(conditions[i].cell);
    require(block->group >= 0, "waits for a cell that is in no window");
    text += (i ? ", [" : "[") + std::to_string(conditions[i].cell - begin) + ", " +
            std::to_string(static_cast<int>(conditions[i].compare)) + ", " +
            std::to_string(conditions[i].expected) + "]";
  }
  tasks.push_back(text + "]}");
  return tasks.size();
}

void Recorder::wait(int rank, const std::vector<TaskId>& tasks) {
  const std::lock_guard<std::mutex> lock(mutex_);
  places(tasks, tasks_[rank].size());
  waited_[rank].insert(tasks.begin(), tasks.end());
}

void Recorder::read(int rank, Address from, void* to, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto returned = returned_.find(from);
  if (returned != returned_.end()) return from_hex(returned->second, to, bytes);
  const bool staging = groups_ > 0 && !running_;  // rows of arguments in front of and behind a run
  if (!staging) {
    require(!reads_[rank].empty(), "reads more elements than it should");
    from_hex(reads_[rank].front(), to, bytes);
    reads_[rank].pop_front();
    return;
  }
  const auto [begin, block] = block_of(from);
  require(from - begin + bytes <= block->bytes.size(), "reads past the end of a tensor");
  std::memcpy(to, block->bytes.data() + (from - begin), bytes);
}

void Recorder::write(int, Address to, const void* from, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [begin, block] = block_of(to);
  require(!block->released && to - begin + bytes <= block->bytes.size(), "writes past the end of a tensor");
  std::memcpy(block->bytes.data() + (to - begin), from, bytes);
}

void Recorder::print() const {
  std::string text;
  for (const auto& [rank, tasks] : tasks_) {
    text += (text.empty() ? "\"" : ",\n\"") + std::to_string(rank) + "\": [";
    for (size_t i = 0; i < tasks.size(); ++i) text += (i ? ",\n" : "\n") + tasks[i];
    text += "]";
  }
  std::printf("{%s}\n", text.c_str());
}

}  // namespace tilewire::pto
