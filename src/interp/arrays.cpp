// Arrays on the core, task ids, the place of a block in its launch.
#include "interp/op_table.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

void create(Context& c, int) {
  const auto& type = static_cast<const ArrayType&>(*c.call.type);
  if (type.extent > c.world.options().memory_limit / 8) {
    throw Failure{diag::run_memory,
                  {"the " + std::to_string(c.world.options().memory_limit) + " bytes it may use"},
                  RunError::Kind::Limit};
  }
  c.world.charge(type.extent / 8);
  int64_t first = type.dtype == DType::TaskId ? static_cast<int64_t>(no_task) : 0;
  c.result = ArrayValue{type.dtype, std::vector<int64_t>(static_cast<size_t>(type.extent), first)};
}

size_t checked_index(const Context& c, const ArrayValue& array) {
  int64_t index = c.integer(1);
  auto extent = static_cast<int64_t>(array.elements.size());
  if (index < 0 || index >= extent) {
    fail(diag::run_array_index, {std::to_string(index), std::to_string(extent)});
  }
  return static_cast<size_t>(index);
}

void get(Context& c, int) {
  const ArrayValue& array = *c.value(0).array();
  int64_t element = array.elements[checked_index(c, array)];
  if (array.dtype == DType::TaskId) {
    c.result = TaskHandle{static_cast<TaskNo>(element)};
  } else {
    c.result = Scalar::of_int(array.dtype, element);
  }
}

void set(Context& c, int) {
  ArrayValue array = *c.value(0).array();
  size_t index = checked_index(c, array);
  const TaskHandle* task = c.value(2).task();
  array.elements[index] = task ? static_cast<int64_t>(task->task) : c.scalar(2).i;
  c.result = std::move(array);
}

void no_task_id(Context& c, int) {
  c.result = TaskHandle{};
}

void no_dep(Context& c, int) {
  Tensor tensor = c.tensor(0);
  tensor.untracked = true;
  c.result = std::move(tensor);
}

void block_index(Context& c, int) {
  c.result = Scalar::of_int(DType::Index, c.agent().block);
}

void block_count(Context& c, int) {
  c.result = Scalar::of_int(DType::Index, c.agent().blocks);
}

}  // namespace

void add_arrays(OpEntries& entries) {
  entries.add(ops::pl::array::create, create);
  entries.add(ops::pl::array::get, get);
  entries.add(ops::pl::array::set, set);
  entries.add(ops::pl::no_task, no_task_id);
  entries.add(ops::pl::task_join, nullptr).submits = true;
  entries.add(ops::pl::no_dep, no_dep);
  entries.add(ops::pl::tile::get_block_idx, block_index);
  entries.add(ops::pl::tile::get_block_num, block_count);
}

}  // namespace tilewire::interp
