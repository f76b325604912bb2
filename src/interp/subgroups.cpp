// Which ranks of a window's group a context stands for: all of them, or a sub-group. The pass lower_subgroups
// writes the same as arithmetic on ranks; here it is looked up.
#include "interp/lanes.h"
#include "interp/op_table.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// The number of this rank in the window's group.
int64_t own_rank(const Context& c, const CommCtx& ctx) {
  return c.world.rank_in_group(ctx.window, c.agent().rank);
}

void rank(Context& c, int) {
  const CommCtx& ctx = *c.value(0).comm_ctx();
  c.result = Scalar::of_int(DType::Int32, c.members(ctx).number(own_rank(c, ctx)));
}

void nranks(Context& c, int) {
  c.result = Scalar::of_int(DType::Int32, c.members(*c.value(0).comm_ctx()).count);
}

void nhosts(Context& c, int) {
  const CommCtx& ctx = *c.value(0).comm_ctx();
  const bool all = c.members(ctx).count == c.members({ctx.window}).count;
  c.result = Scalar::of_int(DType::Int32, all ? c.world.even_hosts(ctx.window) : 1);
}

void fail_division(int64_t ranks, int64_t size, int64_t stride) {
  int64_t span;
  const bool fits = size > 0 && stride > 0 && !__builtin_mul_overflow(size, stride, &span);
  if (fits && ranks % span == 0) return;
  fail(diag::run_subgroup, {std::to_string(size), std::to_string(stride), std::to_string(ranks)});
}

void fail_mesh(int64_t ranks, const Dims& shape) {
  int64_t cells = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || __builtin_mul_overflow(cells, extent, &cells)) cells = 0;
  }
  if (ranks != cells) fail(diag::run_mesh, {std::to_string(cells), std::to_string(ranks)});
}

void subgroup(Context& c, int) {
  CommCtx ctx = *c.value(0).comm_ctx();
  const int64_t size = c.integer(1), stride = c.has(2) ? c.integer(2) : 1;
  fail_division(c.members(ctx).count, size, stride);
  ctx.size = size;
  ctx.stride *= stride;
  c.result = ctx;
}

void mesh_axis(Context& c, int) {
  CommCtx ctx = *c.value(0).comm_ctx();
  const Dims shape = c.integers(1);
  fail_mesh(c.members(ctx).count, shape);
  const size_t axis = c.axis("axis", shape.size());
  for (size_t i = axis + 1; i < shape.size(); ++i) ctx.stride *= shape[i];
  ctx.size = shape[axis];
  c.result = ctx;
}

void member_rank(Context& c, int) {
  const Members members = c.members(*c.value(0).comm_ctx());
  c.result = Scalar::of_int(DType::Index, members.rank(c.member(members, c.integer(1))));
}

void member_stride(Context& c, int) {
  c.result = Scalar::of_int(DType::Index, c.members(*c.value(0).comm_ctx()).stride);
}

void check_subgroup(Context& c, int) {
  fail_division(c.integer(0), c.integer(1), c.integer(2));
}

void check_mesh(Context& c, int) {
  fail_mesh(c.integer(0), c.integers(1));
}

void check_member(Context& c, int) {
  c.member({0, 1, c.integer(1)}, c.integer(0));
}

void check_group(Context& c, int) {
  c.world.check_same_group(c.tensor(0).window, c.value(1).comm_ctx()->window);
}

}  // namespace

void add_subgroups(OpEntries& entries) {
  entries.add(ops::pld::rank, rank);
  entries.add(ops::pld::nranks, nranks);
  entries.add(ops::pld::nhosts, nhosts);
  entries.add(ops::pld::subgroup, subgroup);
  entries.add(ops::pld::mesh_axis, mesh_axis);
  entries.add(ops::pld::member_rank, member_rank);
  entries.add(ops::pld::system::member_stride, member_stride);
  entries.add(ops::pld::system::check_subgroup, check_subgroup);
  entries.add(ops::pld::system::check_mesh, check_mesh);
  entries.add(ops::pld::system::check_member, check_member);
  entries.add(ops::pld::system::check_group, check_group);
}

}  // namespace tilewire::interp
