#include "ops/registry.h"

#include <atomic>

#include "ops/families.h"

namespace tilewire::ops {
namespace {

std::atomic<const ir::OpTable*> shared{nullptr};

std::vector<ir::Op> all_ops() {
  std::vector<ir::Op> ops;
  define_scalar(ops);
  define_create_move(ops);
  define_reshape(ops);
  define_elementwise(ops);
  define_functions(ops);
  define_reduce_broadcast(ops);
  define_norms(ops);
  define_matmul(ops);
  define_index_sort(ops);
  define_arrays_tasks(ops);
  define_block(ops);
  define_windows(ops);
  define_subgroups(ops);
  define_signals(ops);
  define_atomics(ops);
  define_remote(ops);
  define_collectives(ops);
  define_pipes(ops);
  define_pipe_slots(ops);
  return ops;
}

}  // namespace

const ir::OpTable& registry() {
  if (const ir::OpTable* table = shared.load(std::memory_order_acquire)) return *table;
  static const ir::OpTable table(all_ops());
  return table;
}

void share_registry(const ir::OpTable& table) {
  shared.store(&table, std::memory_order_release);
}

}  // namespace tilewire::ops
