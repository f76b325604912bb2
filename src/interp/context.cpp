// Operands, regions and data of one call.
#include "interp/context.h"

#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "support/diagnostics/runtime.h"
#include "support/element_range.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// The valid extent of a tile where a tensor of rank `rank` is asked for.
Dims extents_of(const Tile& tile, size_t rank) {
  if (rank == 1) return {tile.valid_rows == 0 ? 0 : tile.valid_cols};
  Dims extents(rank, 1);
  extents[rank - 2] = tile.valid_rows;
  extents[rank - 1] = tile.valid_cols;
  return extents;
}

void check_valid_shape(const Dims& valid, const Dims& shape) {
  for (size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] >= 0 && valid[i] <= shape[i]) continue;
    fail(diag::run_valid_shape, {std::to_string(valid[i]), std::to_string(i), std::to_string(shape[i])});
  }
}

}  // namespace

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

std::string text(const Dims& shape) {
  std::string all = "[";
  for (size_t i = 0; i < shape.size(); ++i) all += (i ? ", " : "") + std::to_string(shape[i]);
  return all + "]";
}

Tensor narrow(const Tensor& tensor, const Dims& offsets, const Dims& extents, bool single) {
  Tensor part = tensor;
  for (size_t i = 0; i < part.shape.size(); ++i) {
    const int64_t extent = tensor.shape[i];
    // Written so that no sum can leave 64 bits.
    if (offsets[i] < 0 || extents[i] < 0 || extents[i] > extent || offsets[i] > extent - extents[i]) {
      if (single) {
        fail(diag::run_index, {std::to_string(offsets[i]), std::to_string(i), std::to_string(extent)});
      }
      if (extents[i] < 0) fail(diag::run_negative_extent, {std::to_string(i), std::to_string(extents[i])});
      std::string last;
      int64_t sum;
      last = __builtin_add_overflow(offsets[i], extents[i] - 1, &sum) ? "?" : std::to_string(sum);
      fail(diag::run_region,
           {element_range(std::to_string(offsets[i]), last), std::to_string(i), std::to_string(extent)});
    }
    part.offset += offsets[i] * part.strides[i];
    part.shape[i] = extents[i];
  }
  return part;
}

int64_t checked_count(const Dims& shape, DType dtype) {
  int64_t count = 1, bytes = ir::bytes(dtype);
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) fail(diag::run_negative_extent, {std::to_string(i), std::to_string(shape[i])});
    empty |= shape[i] == 0;
  }
  if (empty) return 0;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      throw Failure{diag::run_memory, {"any machine has"}, RunError::Kind::Limit};
    }
    count *= extent;
  }
  return count;
}

Dims Context::integers(size_t operand) const {
  Dims all(list_size(operand));
  for (size_t i = 0; i < all.size(); ++i) all[i] = element(operand, i).scalar()->i;
  return all;
}

bool Context::result_used() const {
  return instr.dst != no_slot && frame().code->liveness().at(frame().pc + 1)[instr.dst];
}

const AttrValue* Context::attr(std::string_view name) const {
  if (const AttrValue* value = find_attr(call.attrs, name)) return value;
  int index = call.op->param_index(name);
  if (index < 0 || !call.op->params[index].default_value) return nullptr;
  return &*call.op->params[index].default_value;
}

bool Context::flag(std::string_view name) const {
  const AttrValue* value = attr(name);
  return value && *value->get<bool>();
}

int64_t Context::int_attr(std::string_view name) const {
  return *attr(name)->get<int64_t>();
}

size_t Context::axis(std::string_view name, size_t rank) const {
  int64_t axis = int_attr(name);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

Members Context::members(const CommCtx& ctx) const {
  const int64_t all = static_cast<int64_t>(world.group_of(ctx.window).size());
  if (ctx.size == 0) return {0, 1, all};
  return members_with(world.rank_in_group(ctx.window, agent().rank), ctx.size, ctx.stride);
}

Members Context::members_operand(size_t operand) const {
  const Dims numbers = integers(operand);
  return {numbers[0], numbers[1], numbers[2]};
}

const CommCtx* Context::group_of(const Tensor& window) const {
  const int param = call.op->group_param;
  if (param < 0 || !has(call.op->operand_slots[param])) return nullptr;
  const CommCtx* group = value(call.op->operand_slots[param]).comm_ctx();
  world.check_same_group(window.window, group->window);
  return group;
}

int64_t Context::member(const Members& members, int64_t number) const {
  if (number >= 0 && number < members.count) return number;
  fail(diag::run_member, {std::to_string(number), std::to_string(members.count)});
}

int Context::peer(const Tensor& window, int64_t number) const {
  if (const CommCtx* group = group_of(window)) {
    const Members within = members(*group);
    number = within.rank(member(within, number));
  }
  return world.peer_rank(window.window, number);
}

const Tensor& Context::region(size_t operand) const {
  for (const Region& region : regions_) {
    if (call.op->operand_slots[region.effect->param] == static_cast<int>(operand)) return region.part;
  }
  internal_error(__FILE__, __LINE__, "an op without an effect on that operand: " + call.op->qualified());
}

void Context::add_region(const Effect& effect, const Tensor& whole) {
  const Op& op = *call.op;
  Tensor tensor = whole;
  if (effect.peer_param >= 0) {
    tensor = world.at_rank(whole, peer(whole, integer(op.operand_slots[effect.peer_param])));
  }
  const size_t rank = tensor.shape.size();
  const int offsets_slot = effect.offsets_param >= 0 ? op.operand_slots[effect.offsets_param] : -1;
  const int extents_slot = effect.extent_param >= 0 ? op.operand_slots[effect.extent_param] : -1;
  const bool has_offsets = offsets_slot >= 0 && has(offsets_slot);
  const bool has_extents = extents_slot >= 0 && has(extents_slot);
  if (!has_offsets && !has_extents) {
    regions_.push_back({&effect, std::move(tensor)});
    return;
  }
  Dims offsets = has_offsets ? integers(offsets_slot) : Dims(rank, 0);
  if (!has_extents) {
    regions_.push_back({&effect, narrow(tensor, offsets, Dims(rank, 1), true)});
    return;
  }
  Dims extents;
  if (op.params[effect.extent_param].kind == OpParam::ListOperand) {
    extents = integers(extents_slot);
    const int valid = instr.entry->valid_operand;
    if (valid >= 0 && has(valid)) {
      Dims narrowed = integers(valid);
      check_valid_shape(narrowed, extents);
      extents = std::move(narrowed);
    }
  } else if (const Tile* part = value(extents_slot).tile()) {
    extents = extents_of(*part, rank);
  } else {
    extents = this->tensor(extents_slot).shape;
  }
  regions_.push_back({&effect, narrow(tensor, offsets, extents)});
}

void Context::resolve_regions() {
  for (const Effect& effect : call.op->effects) {
    if (effect.all_peers || !happens(effect, call)) continue;
    const int operand = call.op->operand_slots[effect.param];
    const Operand& operands = at(operand);
    for (uint32_t i = 0; i < operands.count; ++i) {
      if (const Tensor* tensor = slot(operands.first + i).tensor()) add_region(effect, *tensor);
    }
  }
}

void Context::report_accesses() {
  if (!sink) return;
  for (const Region& region : regions_) {
    Access access = region.effect->access;
    // Told with the value, by the op.
    if (access == Access::Signal || access == Access::Wait || access == Access::Update) continue;
    // A write in flight is reported when it lands.
    if (world.options().in_flight && region.effect->peer_param >= 0 && access != Access::Read) continue;
    Event event{.kind = Event::Kind::Access,
                .agent = agent_id,
                .task = agent().task,
                .rank = agent().rank,
                .block = agent().block,
                .storage = region.part.storage,
                .box = box_of(region.part),
                .access = access,
                .dtype = region.part.dtype,
                .where = &call};
    event.cell = instr.entry->reads_cells && region.part.window >= 0 && region.part.dtype == DType::Int32;
    if (!event.box.empty()) sink->on(event);
  }
}

View Context::view(const Tensor& tensor) const {
  TW_CHECK(tensor.storage != no_storage, "a window without a rank is read");
  return {tensor.dtype, world.bytes(tensor.storage) + tensor.offset * ir::bytes(tensor.dtype), tensor.shape,
          tensor.strides};
}

View Context::view(const Tile& tile, int64_t rows, int64_t cols) const {
  return {tile.dtype, tile.data->data(), {rows, cols}, {tile.cols, 1}};
}

View Context::view(size_t operand) const {
  const Value& v = value(operand);
  if (const Tile* t = v.tile()) return view(*t);
  return view(*v.tensor());
}

std::byte* Context::writable(const Tensor& tensor) {
  TW_CHECK(tensor.storage != no_storage, "a window without a rank is written");
  return world.writable(tensor.storage) + tensor.offset * ir::bytes(tensor.dtype);
}

std::shared_ptr<Buffer> Context::new_elements(DType dtype, int64_t count) {
  auto buffer = world.allocate(count * ir::bytes(dtype));
  if (world.options().poison) numeric::poison(dtype, buffer->data(), static_cast<size_t>(count));
  return buffer;
}

// The storage stays, but its elements must not be read.
void Context::forget_elements(const Tensor& tensor) {
  const Storage& storage = world.storages_[tensor.storage];
  if (storage.kind != Storage::Kind::Created || !world.options().poison) return;
  const int64_t count = storage.size / ir::bytes(tensor.dtype);
  if (count > 0) numeric::poison(tensor.dtype, world.writable(tensor.storage), static_cast<size_t>(count));
}

Tensor Context::new_tensor(DType dtype, Dims shape) {
  int64_t count = checked_count(shape, dtype);
  Tensor tensor;
  tensor.storage =
      world.create_storage(Storage::Kind::Created, agent().rank, count * ir::bytes(dtype), &call);
  if (!agent().scopes.empty()) {
    world.agents_[agent_id].write().scopes.back().push_back(tensor.storage);
  }
  tensor.dtype = dtype;
  tensor.strides = dense_strides(shape);
  tensor.shape = std::move(shape);
  if (world.options().poison && count) {
    numeric::poison(dtype, world.writable(tensor.storage), static_cast<size_t>(count));
  }
  if (sink) {
    sink->on({.kind = Event::Kind::Storage,
              .agent = agent_id,
              .task = agent().task,
              .rank = agent().rank,
              .block = agent().block,
              .storage = tensor.storage,
              .box = box_of(tensor),
              .where = &call});
  }
  return tensor;
}

}  // namespace tilewire::interp
