// Host functions: window buffers, dispatches, and what happens when all has been said.
#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "tilewire_pto_host.h"

namespace tilewire::pto {

int Call::window(const char* name, int64_t bytes, const char* where) {
  return window(name, bytes, nullptr, nullptr, where);
}

int Call::window(const char* name, int64_t bytes, const Tensor* load_from, const Tensor* store_to,
                 const char* where) {
  if (bytes <= 0) detail::fail(where, "a window buffer of " + std::to_string(bytes) + " bytes");
  for (const Tensor* staged : {load_from, store_to}) {
    if (!staged) continue;
    if (staged->shape[0] < world_size()) {
      detail::fail(where, "an argument has " + std::to_string(staged->shape[0]) + " rows, and there are " +
                              std::to_string(world_size()) + " ranks");
    }
    const int64_t row =
        staged->shape[0] == 0 ? 0 : staged->size() / staged->shape[0] * bytes_of(staged->type);
    if (row > bytes) detail::fail(where, "a row of the argument is larger than `" + std::string(name) + "`");
  }
  Window made;
  made.name = name;
  made.bytes = bytes;
  made.loads = load_from != nullptr;
  made.stores = store_to != nullptr;
  if (load_from) made.load_from = *load_from;
  if (store_to) made.store_to = *store_to;
  windows_.push_back(std::move(made));
  return static_cast<int>(windows_.size()) - 1;
}

Tensor Call::view(int window, Type type, const Dims& shape, const char* where) const {
  Tensor view = dense_tensor(0, type, shape);
  view.window = window;
  const Window& buffer = windows_[static_cast<size_t>(window)];
  const int64_t bytes = view.size() * bytes_of(type);
  if (bytes > buffer.bytes) {
    detail::fail(where, "a view of " + std::to_string(bytes) + " bytes of `" + buffer.name + "`, which has " +
                            std::to_string(buffer.bytes));
  }
  return view;
}

void Call::dispatch(int64_t device, const std::vector<Passed>& tensors, Body body, const char* where) {
  if (device < 0 || device >= world_size()) {
    detail::fail(where, "device=" + std::to_string(device) + " in a run on " + std::to_string(world_size()) +
                            " ranks");
  }
  const int rank = static_cast<int>(device);
  for (const Passed& passed : tensors) {
    if (passed.tensor.window < 0) continue;
    std::vector<int>& ranks = windows_[static_cast<size_t>(passed.tensor.window)].dispatched;
    const auto place = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if (place == ranks.end() || *place != rank) ranks.insert(place, rank);
  }
  dispatches_[rank].push_back({tensors, std::move(body)});
}

void Call::group(const std::vector<const char*>& buffers, const std::vector<int>& devices) {
  std::vector<int> members = devices;
  for (int rank = 0; devices.empty() && rank < world_size(); ++rank) members.push_back(rank);
  std::sort(members.begin(), members.end());
  for (const char* buffer : buffers) devices_[buffer] = members;
}

void Call::form_groups() {
  for (Window& window : windows_) {
    std::vector<int> members = window.dispatched;
    const auto said = devices_.find(window.name);
    if (said != devices_.end()) members = said->second;
    for (int rank : members) {
      if (window.dispatched.empty()) break;  // nobody uses it
      if (std::binary_search(window.dispatched.begin(), window.dispatched.end(), rank)) continue;
      detail::fail(window.name.c_str(),
                   "no dispatch hands the window to rank " + std::to_string(rank) + " of its group");
    }
    auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.members == members; });
    window.group = static_cast<int>(found - groups_.begin());
    if (found == groups_.end()) groups_.push_back({std::move(members), 0, {}});
    Group& group = groups_[static_cast<size_t>(window.group)];
    window.offset = group.bytes;
    group.bytes += (window.bytes + 63) / 64 * 64;
  }
  for (Group& group : groups_) {
    if (!group.members.empty())
      group.shares = runtime_.make_group(group.members, static_cast<uint64_t>(group.bytes));
  }
}

const Share& Call::share(int rank, const Window& window) const {
  const Group& group = groups_[static_cast<size_t>(window.group)];
  const auto place = std::lower_bound(group.members.begin(), group.members.end(), rank);
  return group.shares[static_cast<size_t>(place - group.members.begin())];
}

Tensor Call::here(int rank, const Tensor& view) const {
  const Window& window = windows_[static_cast<size_t>(view.window)];
  Tensor tensor = view;
  tensor.address += share(rank, window).base + static_cast<uint64_t>(window.offset);
  return tensor;
}

Context Call::context(int rank, const Tensor& tensor, const char*) const {
  const Window& window = windows_[static_cast<size_t>(tensor.window)];
  const std::vector<int>& members = groups_[static_cast<size_t>(window.group)].members;
  const auto place = std::lower_bound(members.begin(), members.end(), rank);
  return {share(rank, window).context, static_cast<int32_t>(place - members.begin()),
          static_cast<int32_t>(members.size())};
}

namespace {

// Calls visit(offset of a run in elements, elements of it, elements before it) for each dense run of a
// tensor.
template <class Visit>
void each_run(const Tensor& tensor, size_t axis, int64_t offset, int64_t& done, const Visit& visit) {
  const size_t left = tensor.shape.size() - axis;
  if (left == 0 || (left == 1 && tensor.strides[axis] == 1)) {
    const int64_t count = left == 0 ? 1 : tensor.shape[axis];
    visit(offset, count, done);
    done += count;
    return;
  }
  for (int64_t i = 0; i < tensor.shape[axis]; ++i) {
    each_run(tensor, axis + 1, offset + i * tensor.strides[axis], done, visit);
  }
}

}  // namespace

void Call::stage(bool in) const {
  for (const Window& window : windows_) {
    if (!(in ? window.loads : window.stores)) continue;
    const Tensor& all = in ? window.load_from : window.store_to;
    for (int rank : groups_[static_cast<size_t>(window.group)].members) {
      Dims offsets(all.shape.size(), 0), extents = all.shape;
      offsets[0] = rank;
      extents[0] = 1;
      const Tensor row = slice(all, extents, offsets, {0}, window.name.c_str());
      const Tensor there =
          runtime_.argument(rank, row, in ? Parameter::Direction::In : Parameter::Direction::Out);
      const Address base = share(rank, window).base + static_cast<uint64_t>(window.offset);
      const auto size = static_cast<uint64_t>(bytes_of(all.type));
      int64_t done = 0;
      each_run(there, 0, 0, done, [&](int64_t offset, int64_t count, int64_t before) {
        std::vector<char> bytes(static_cast<uint64_t>(count) * size);
        const Address outside = there.address + static_cast<uint64_t>(offset) * size;
        const Address inside = base + static_cast<uint64_t>(before) * size;
        runtime_.read(rank, in ? outside : inside, bytes.data(), bytes.size());
        runtime_.write(rank, in ? inside : outside, bytes.data(), bytes.size());
      });
    }
  }
}

void Call::run_rank(int rank, const std::vector<Dispatch>& dispatches) {
  for (const Dispatch& dispatch : dispatches) {
    std::vector<Tensor> tensors;
    for (const Passed& passed : dispatch.tensors) {
      tensors.push_back(passed.tensor.window >= 0 ? here(rank, passed.tensor)
                                                  : runtime_.argument(rank, passed.tensor, passed.direction));
    }
    Rank there(runtime_, rank, this);
    dispatch.body(there, tensors);
    there.finish();
  }
}

void Call::run() {
  form_groups();
  stage(true);
  std::vector<std::function<void()>> ranks;
  for (const auto& entry : dispatches_) {
    const int rank = entry.first;
    const std::vector<Dispatch>* dispatches = &entry.second;
    ranks.emplace_back([this, rank, dispatches] { run_rank(rank, *dispatches); });
  }
  runtime_.run(ranks);
  stage(false);
  runtime_.release_groups();
}

// --- runtimes

void Runtime::run(const std::vector<std::function<void()>>& ranks) {
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (const std::function<void()>& rank : ranks) {
    threads.emplace_back([&mutex, &first, &rank] {
      try {
        rank();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

Tensor Runtime::argument(int, const Tensor& tensor, Parameter::Direction) {
  return tensor;
}

}  // namespace tilewire::pto
