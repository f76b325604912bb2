// Window buffers and communication groups. A buffer is one storage per rank; a group is the set of ranks that
// its views are dispatched to, or what the program says it is.
#include "interp/windows.h"

#include <algorithm>
#include <cstring>

#include "abi/even_hosts.h"
#include "interp/lanes.h"
#include "interp/op_table.h"
#include "ir/check_ops.h"
#include "ir/comm_groups.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"
#include "support/element_range.h"
#include "support/element_text.h"

namespace tilewire::interp {

using namespace ir;

int32_t World::add_window(Window window, const Node* where) {
  const size_t number = windows_named_++;
  if (number < windows_.size()) {
    TW_CHECK(windows_[number].bytes == window.bytes, "a later call has windows of other sizes");
    return static_cast<int32_t>(number);
  }
  for (int rank = 0; rank < options_.ranks; ++rank) {
    window.copies.push_back(create_storage(Storage::Kind::Window, rank, window.bytes, where));
  }
  windows_.push_back(std::move(window));
  return static_cast<int32_t>(number);
}

void World::note_view(const Tensor& view, const WindowBuffer& buffer) {
  Window& window = windows_[static_cast<size_t>(view.window)];
  if (!window.buffer) {
    window.shape = view.shape;
    window.dtype = view.dtype;
  } else if (window.shape != view.shape || window.dtype != view.dtype) {
    window.shape.clear();
    window.dtype = DType::Int32;
  }
  window.buffer = &buffer;
}

std::string cell_text(const Window& window, int64_t offset) {
  return element_text(window.buffer ? window.buffer->name : "window", window.shape,
                      offset / ir::bytes(window.dtype));
}

Tensor World::at_rank(const Tensor& tensor, int rank) const {
  Tensor copy = tensor;
  if (tensor.window >= 0) copy.storage = windows_[tensor.window].copies[static_cast<size_t>(rank)];
  return copy;
}

int World::peer_rank(int32_t window, int64_t peer) const {
  const std::vector<int>& members = groups_[windows_[window].group];
  if (peer < 0 || peer >= static_cast<int64_t>(members.size())) {
    fail(diag::run_peer, {std::to_string(peer), std::to_string(members.size())});
  }
  return members[static_cast<size_t>(peer)];
}

void World::check_same_group(int32_t window, int32_t other) const {
  if (windows_[window].group != windows_[other].group) fail(diag::run_other_group, {});
}

int World::rank_in_group(int32_t window, int rank) const {
  const std::vector<int>& members = groups_[windows_[window].group];
  auto found = std::find(members.begin(), members.end(), rank);
  TW_CHECK(found != members.end(), "a rank looks at a group it is not in");
  return static_cast<int>(found - members.begin());
}

int World::even_hosts(int32_t window) const {
  const int each = options_.ranks / options_.hosts;
  std::vector<int32_t> hosts;
  for (int rank : group_of(window)) hosts.push_back(rank / each);
  return abi::even_hosts(hosts);
}

void World::note_dispatch(const std::vector<Value>& args, int rank) {
  for (const Value& arg : args) {
    const Tensor* tensor = arg.tensor();
    if (tensor && tensor->window >= 0) windows_[tensor->window].dispatched.insert(rank);
  }
}

// Once the host function has dispatched everything: buffers of equal rank sets share a group.
void World::form_groups() {
  for (Window& window : windows_) {
    std::vector<int> members(window.dispatched.begin(), window.dispatched.end());
    const CommGroup* group =
        window.buffer ? ir::group_of(image_->program().comm_groups, window.buffer->base.get()) : nullptr;
    if (group) members = ir::members(*group, options_.ranks);
    auto found = std::find(groups_.begin(), groups_.end(), members);
    window.group = static_cast<int32_t>(found - groups_.begin());
    if (found == groups_.end()) groups_.push_back(std::move(members));
    stage_in(window);
  }
}

// What `load_from_host=` asks for, before any rank starts. Ranks outside the group have no copy.
void World::stage_in(const Window& window) {
  if (!window.load_from) return;
  for (int rank : groups_[static_cast<size_t>(window.group)]) {
    const Tensor row = row_of(*window.load_from, rank);
    const std::vector<std::byte> share =
        dense({row.dtype, bytes(row.storage) + row.offset * ir::bytes(row.dtype), row.shape, row.strides});
    std::memcpy(writable(window.copies[static_cast<size_t>(rank)]), share.data(), share.size());
  }
}

// What `store_to_host=` asks for, when everything is done.
void World::stage_out() {
  for (const Window& window : windows_) {
    if (!window.store_to || groups_.empty()) continue;
    for (int rank : groups_[static_cast<size_t>(window.group)]) {
      Tensor row = row_of(*window.store_to, rank);
      const std::byte* from = bytes(window.copies[static_cast<size_t>(rank)]);
      std::vector<std::byte> share(from, from + element_count(row.shape) * ir::bytes(row.dtype));
      put_dense(share, row.dtype, writable(row.storage) + row.offset * ir::bytes(row.dtype), row.shape,
                row.strides);
    }
  }
}

Tensor row_of(const Tensor& tensor, int64_t row) {
  Dims offsets(tensor.shape.size(), 0), extents = tensor.shape;
  offsets[0] = row;
  extents[0] = 1;
  Tensor part = narrow(tensor, offsets, extents);
  part.shape.erase(part.shape.begin());
  part.strides.erase(part.strides.begin());
  return part;
}

namespace {

void world_size(Context& c, int) {
  c.result = Scalar::of_int(DType::Int64, c.world.options().ranks);
}

// Operand positions: nbytes, shape, load_from_host, store_to_host.
int64_t bytes_asked(const Context& c) {
  if (!c.has(1)) return c.integer(0);
  DType dtype = *c.attr("dtype")->get<DType>();
  return checked_count(c.integers(1), dtype) * ir::bytes(dtype);
}

void check_staged(const Tensor& host, int64_t bytes, int ranks, const Context& c) {
  if (host.shape[0] < ranks) {
    fail(diag::run_region,
         {element_range("0", std::to_string(ranks - 1)), "0", std::to_string(host.shape[0])});
  }
  int64_t row = element_count(row_of(host, 0).shape) * ir::bytes(host.dtype);
  if (row > bytes) fail(diag::run_window_view, {std::to_string(row), c.call.op->name, std::to_string(bytes)});
}

void alloc_window_buffer(Context& c, int) {
  Window window;
  window.bytes = bytes_asked(c);
  if (window.bytes <= 0) fail(diag::run_window_size, {std::to_string(window.bytes)});
  const int ranks = c.world.options().ranks;
  if (c.has(2)) window.load_from = c.tensor(2);
  if (c.has(3)) window.store_to = c.tensor(3);
  if (window.load_from) check_staged(*window.load_from, window.bytes, ranks, c);
  if (window.store_to) check_staged(*window.store_to, window.bytes, ranks, c);
  c.result = WindowHandle{c.world.add_window(std::move(window), &c.call)};
}

void window(Context& c, int) {
  const int32_t handle = c.value(0).window()->window;
  Tensor view;
  view.window = handle;
  view.dtype = static_cast<const TensorType&>(*c.call.type).dtype;
  view.shape = c.integers(1);
  view.strides = dense_strides(view.shape);
  c.world.note_view(view, static_cast<const WindowBuffer&>(*c.call.args[0]));
  const Window& buffer = c.world.windows()[static_cast<size_t>(handle)];
  int64_t bytes = checked_count(view.shape, view.dtype) * ir::bytes(view.dtype);
  if (bytes > buffer.bytes) {
    fail(diag::run_window_view, {std::to_string(bytes), buffer.buffer->name, std::to_string(buffer.bytes)});
  }
  c.result = std::move(view);
}

void get_comm_ctx(Context& c, int) {
  c.result = CommCtx{c.tensor(0).window};
}

void check_extent(Context& c, int) {
  if (c.integer(0) == c.integer(1)) return;
  fail(diag::run_extents_differ,
       {op_for_messages(c.call), "0", std::to_string(c.integer(0)), std::to_string(c.integer(1))});
}

void check_count(Context& c, int) {
  if (c.integer(0) >= 0 && c.integer(0) <= c.integer(1)) return;
  fail(diag::run_count_capacity, {std::to_string(c.integer(0)), std::to_string(c.integer(1))});
}

// "the sub-group of ranks 0, 2 and 4".
std::string members_text(const Members& members) {
  constexpr int64_t most = 8;
  std::string text = members.count == 1 ? "the sub-group of rank " : "the sub-group of ranks ";
  for (int64_t i = 0; i < std::min(members.count, most); ++i) {
    const bool last = i + 1 == members.count;
    text += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(members.rank(i));
  }
  return members.count > most ? text + ", ..." : text;
}

// "`w`", or which part of it.
std::string window_text(const Context& c, const Tensor& part) {
  const Window& window = c.world.windows()[static_cast<size_t>(part.window)];
  std::string name = "`" + (window.buffer ? window.buffer->name : "window") + "`";
  const int64_t size = ir::bytes(part.dtype), begin = part.offset * size;
  if (begin == 0 && element_count(part.shape) * size == window.bytes) return name;
  return text(part.shape) + " at byte " + std::to_string(begin) + " of " + name;
}

void collective_effects(Context&, int) {}

void enter_collective(Context& c, int) {
  if (!c.sink) return;
  std::string name = "`" + *c.attr("name")->get<std::string>() + "`";
  if (c.has(1)) name += " of " + window_text(c, c.tensor(1));
  if (c.has(2)) name += " from rank " + std::to_string(c.integer(2));
  Members members{0, 1, static_cast<int64_t>(c.world.group_of(c.tensor(0).window).size())};
  if (c.has(3)) {
    members = c.members_operand(3);
    name += " in " + members_text(members);
  }
  const int64_t blocks = c.agent().blocks / c.frame().code->lanes();
  if (blocks > 1) name += " by " + std::to_string(blocks) + " blocks";
  c.sink->on({.kind = Event::Kind::Collective,
              .agent = c.agent_id,
              .task = c.agent().task,
              .rank = c.agent().rank,
              .block = c.agent().block,
              .storage = c.tensor(0).storage,
              .box = box_of(c.tensor(0)),
              .value = c.tensor(0).window,
              .members = members,
              .name = name,
              .where = &c.call});
}

}  // namespace

void add_windows(OpEntries& entries) {
  entries.add(ops::pld::world_size, world_size);
  entries.add(ops::pld::alloc_window_buffer, alloc_window_buffer);
  entries.add(ops::pld::window, window);
  entries.add(ops::pld::get_comm_ctx, get_comm_ctx);
  entries.add(ops::pld::system::check_extent, check_extent);
  entries.add(ops::pld::system::check_count, check_count);
  entries.add(ops::pld::system::enter_collective, enter_collective).visible = false;  // not a separate step
  entries.add(ops::pld::system::collective_effects, collective_effects).visible = false;
}

}  // namespace tilewire::interp
