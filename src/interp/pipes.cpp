// Slots of pipes: parts of a buffer of bytes. Their cells are in signals.cpp.
#include <algorithm>

#include "interp/op_table.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"
#include "support/element_range.h"

namespace tilewire::interp {
namespace {

using namespace ir;

void slot(Context& c, int) {
  const Tensor& buffer = c.tensor(0);
  const int64_t offset = c.integer(1), element = bytes(static_cast<const TensorType&>(*c.call.type).dtype);
  Tensor slot;
  slot.storage = buffer.storage;
  slot.dtype = static_cast<const TensorType&>(*c.call.type).dtype;
  slot.shape = c.integers(2);
  slot.strides = dense_strides(slot.shape);
  const int64_t size = checked_count(slot.shape, slot.dtype) * element;
  const int64_t start = buffer.offset + offset;
  const bool strided = buffer.shape[0] > 1 && buffer.strides[0] != 1;
  if (offset < 0 || size > buffer.shape[0] - offset || strided || start % element != 0) {
    fail(diag::run_region, {element_range(std::to_string(offset), std::to_string(offset + size - 1)), "0",
                            std::to_string(buffer.shape[0])});
  }
  slot.offset = start / element;
  slot.window = buffer.window;
  slot.untracked = buffer.untracked;
  c.result = std::move(slot);
}

void cells(Context& c, int) {
  Tensor made = c.new_tensor(DType::Int32, c.integers(0));
  const auto bytes = static_cast<size_t>(element_count(made.shape) * ir::bytes(made.dtype));
  std::fill_n(c.writable(made), bytes, std::byte{0});
  c.result = std::move(made);
}

void check_workspace(Context& c, int) {
  const int64_t bytes = c.integer(0), blocks = c.integer(1), needed = c.integer(2);
  if (blocks <= 0 || bytes / blocks >= needed) return;
  const std::string launch = std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
  fail(diag::run_pipe_workspace, {std::to_string(bytes), launch, std::to_string(needed)});
}

}  // namespace

void add_pipes(OpEntries& entries) {
  entries.add(ops::pl::pipe::slot, slot);
  entries.add(ops::pl::pipe::cells, cells);
  entries.add(ops::pl::pipe::check_workspace, check_workspace);
}

}  // namespace tilewire::interp
