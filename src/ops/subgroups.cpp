// Sub-groups: the ranks of a group dealt out in strides. The ranks of one are first, first + stride, first +
// 2 * stride, ... in the window's group; a sub-group of a sub-group is one of these again.
#include <vector>

#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool check_positive(OpCheck& c, const char* name) {
  auto value = c.has(name) ? constant_value(c.arg(name)) : std::nullopt;
  if (!value || *value > 0) return true;
  c.error(diag::must_be_positive, name, {name, c.op.qualified(), std::to_string(*value)});
  return false;
}

const char* const by_pass = "The pass lower_subgroups replaces it by arithmetic on ranks.";

TypeRef subgroup_rule(OpCheck& c) {
  bool good = check_positive(c, "size");
  return check_positive(c, "stride") && good ? comm_ctx_type() : nullptr;
}

TypeRef mesh_axis_rule(OpCheck& c) {
  const ExprList& shape = c.list("shape");
  for (const ExprRef& extent : shape) {
    auto value = constant_value(extent);
    if (value && *value <= 0) {
      c.error(diag::extent_not_positive, "shape", {"mesh", std::to_string(*value)});
      return nullptr;
    }
  }
  return checked_axis(c, "axis", shape.size()) ? comm_ctx_type() : nullptr;
}

// The numbers that a sub-group has in the window's group.
void define_members(std::vector<Op>& ops) {
  Define(ops, "pld", "member_rank",
         "The number that a rank of a sub-group has in the window's group, by which cells are numbered.")
      .operand("group", AcceptCommCtx, Data, "The sub-group.")
      .operand("rank", AcceptInt, Control, "A rank of it, from 0.")
      .keeps()
      .result("An INDEX scalar.")
      .levels(OnOrchestration | OnKernel)
      .no_rule(by_pass)
      .rule([](OpCheck& c) { return check_peer(c, "rank") ? scalar_type(DType::Index) : nullptr; });
  Define(ops, "pld", "system.member_stride",
         "The distance from one rank of a sub-group to the next, in the window's group.")
      .operand("group", AcceptCommCtx, Data, "The sub-group.")
      .keeps()
      .result("An INDEX scalar.")
      .no_rule(by_pass)
      .rule([](OpCheck&) { return scalar_type(DType::Index); });
}

void define_divisions(std::vector<Op>& ops) {
  Define(ops, "pld", "subgroup",
         "The sub-group of this rank when the ranks of a group are dealt out in strides: those with equal "
         "`r % stride` and equal `r // (size * stride)`. Give it as `group=` to ops with a peer and to "
         "collectives.")
      .operand("ctx", AcceptCommCtx, Data, "The group that is divided; it may be a sub-group itself.")
      .operand("size", AcceptInt, Control,
               "How many ranks a sub-group has. The number of ranks of `ctx` is a multiple of size * stride.")
      .operand("stride", AcceptInt, Control, "The distance from one rank to the next, 1 if left out.")
      .optional()
      .keeps()
      .result("A CommCtx, in which `pld.rank` and `pld.nranks` count the ranks of the sub-group.")
      .levels(Anywhere)
      .no_rule(by_pass)
      .rule(subgroup_rule);
  Define(ops, "pld", "mesh_axis",
         "The sub-group along one axis of a row-major mesh of all ranks of a group: the ranks that differ "
         "from this "
         "one in that coordinate only.")
      .operand("ctx", AcceptCommCtx, Data, "The group, which has as many ranks as the mesh.")
      .list("shape", AcceptInt, Control,
            "The extents of the mesh; rank i * C + j of [R, C] is at row i, column j.")
      .attr("axis", AttrKind::Int, "The axis; negative ones count from the end.")
      .keeps()
      .result("A CommCtx, in which `pld.rank` is the coordinate along that axis and `pld.nranks` its extent.")
      .levels(Anywhere)
      .no_rule(by_pass)
      .rule(mesh_axis_rule);
}

// Run-time checks of sub-groups, as ops that their lowering can emit.
void define_checks(std::vector<Op>& ops) {
  struct Operand {
    const char* name;
    const char* doc;
  };
  struct Check {
    const char* name;
    const char* doc;
    std::vector<Operand> operands;
  };
  const Check checks[] = {
      {"system.check_subgroup",
       "Stops the run when a group cannot be divided into sub-groups.",
       {{"ranks", "How many ranks the group has."},
        {"size", "How many ranks a sub-group has."},
        {"stride", "The distance from one rank of a sub-group to the next."}}},
      {"system.check_member",
       "Stops the run when a rank is not in a sub-group.",
       {{"rank", "The rank, as the sub-group counts."}, {"size", "How many ranks the sub-group has."}}},
  };
  auto finished = [](Define& def) { def.levels(OnOrchestration | OnKernel).only_checks(); };
  for (const Check& check : checks) {
    Define def(ops, "pld", check.name, check.doc);
    for (const Operand& operand : check.operands) def.operand(operand.name, AcceptInt, Control, operand.doc);
    finished(def);
  }
  Define mesh(ops, "pld", "system.check_mesh",
              "Stops the run when a mesh has more or fewer ranks than its group.");
  finished(mesh.operand("ranks", AcceptInt, Control, "How many ranks the group has.")
               .list("shape", AcceptInt, Control, "The extents of the mesh."));
  Define same(ops, "pld", "system.check_group",
              "Stops the run when a context is not of the group of a window.");
  finished(same.operand("window", AcceptWindow, Address, "The window.")
               .operand("ctx", AcceptCommCtx, Control, "The context."));
}

}  // namespace

void define_subgroups(std::vector<Op>& ops) {
  define_divisions(ops);
  define_members(ops);
  define_checks(ops);
}

}  // namespace tilewire::ops
