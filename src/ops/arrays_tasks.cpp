// Small arrays on the core, and task ids.
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

TypeRef element_type(DType dtype) {
  return dtype == DType::TaskId ? task_id_type() : scalar_type(dtype);
}

TypeRef create_rule(OpCheck& c) {
  int64_t extent = *c.attr("n")->get<int64_t>();
  DType dtype = *c.attr("dtype")->get<DType>();
  if (extent <= 0) c.error(diag::array_extent, "n", {std::to_string(extent)});
  if (!is_integer(dtype) && dtype != DType::Bool && dtype != DType::TaskId) {
    c.error(diag::array_dtype, "dtype", {name_of(dtype)})
        .with_help("keep floats in a tile of one row: pl.tile.create([1, n], dtype=pl.FP32)");
  }
  return c.failed() ? nullptr : make<ArrayType>(Span{}, extent, dtype);
}

const ArrayType& array_of(const OpCheck& c) {
  return static_cast<const ArrayType&>(*c.args[0]->type);
}

bool check_index(OpCheck& c) {
  auto index = constant_value(c.args[1]);
  int64_t extent = array_of(c).extent;
  if (!index || (*index >= 0 && *index < extent)) return true;
  c.error(diag::array_index, "i", {std::to_string(*index), std::to_string(extent)})
      .with_help("use an index from 0 to " + std::to_string(extent - 1));
  return false;
}

TypeRef get_rule(OpCheck& c) {
  return check_index(c) ? element_type(array_of(c).dtype) : nullptr;
}

TypeRef set_rule(OpCheck& c) {
  bool good = check_index(c);
  DType dtype = array_of(c).dtype;
  const TypeRef& value = c.args[2]->type;
  bool fits = dtype == DType::TaskId ? isa<TaskIdType>(value) : scalar_dtype(value) == dtype;
  if (!fits) {
    Diagnostic& d = c.error(diag::array_value, "v", {name_of(dtype), to_string(value)});
    if (dtype != DType::TaskId && scalar_dtype(value)) {
      d.with_help("convert it: pl.cast(" + written_at(d, c, "v") + ", " + name_of(dtype) + ")");
    }
  }
  return good && fits ? c.args[0]->type : nullptr;
}

TypeRef join_rule(OpCheck& c) {
  for (const ExprRef& dep : c.list("deps")) {
    const auto* array = as<ArrayType>(dep->type);
    if (!array || array->dtype == DType::TaskId) continue;
    c.error(diag::op_operand_class, "deps", {c.op.qualified(), "task ids", "deps", to_string(dep->type)})
        .with_help("make the array with `pl.array.create(n, pl.TASK_ID)`");
  }
  return c.failed() ? nullptr : task_id_type();
}

}  // namespace

void define_arrays_tasks(std::vector<Op>& ops) {
  const uint8_t levels = OnOrchestration | OnKernel;
  Define(ops, "pl", "array.create",
         "A new array. Integers start at 0, bools at False, task ids at `pl.no_task()`.")
      .attr("n", AttrKind::Int, "The number of elements, a positive constant.")
      .attr("dtype", AttrKind::DType, "An integer dtype, BOOL or TASK_ID.")
      .result("An array of `n` elements.")
      .levels(levels)
      .rule(create_rule);
  Define(ops, "pl", "array.get", "One element of an array. `a[i]` on an array is this op.")
      .operand("a", AcceptArray, Data, "The array.")
      .operand("i", AcceptInt, Address, "The position, from 0.")
      .result("A scalar of the array's dtype, or a task id.")
      .levels(levels)
      .rule(get_rule);
  Define(ops, "pl", "array.set", "An array with one element replaced. `a[i] = v` on an array is this op.")
      .operand("a", AcceptArray, Data, "The array.")
      .operand("i", AcceptInt, Address, "The position, from 0.")
      .operand("v", AcceptScalar | AcceptTaskId, Data, "The new element. A literal takes the array's dtype.")
      .like(0)
      .result("An array of the same size and dtype.")
      .levels(levels)
      .rule(set_rule);
  Define(ops, "pl", "no_task", "An id of a task that is already complete.")
      .result("A task id.")
      .levels(levels)
      .rule([](OpCheck&) { return task_id_type(); });
  Define(ops, "pl", "task_join",
         "A task that does nothing and ends when its dependencies have ended: one id for many.")
      .list("deps", AcceptTaskId | AcceptArray, Dependency,
            "Ids of tasks; an array of them stands for all its elements.")
      .alias("system.task_dummy")
      .result("The id of the new task.")
      .levels(OnOrchestration)
      .rule(join_rule);
  Define(ops, "pl", "no_dep",
         "The same tensor, left out of dependency tracking as an argument of one kernel call: neither its "
         "data nor, "
         "for a window, the order of communication holds the task back.")
      .operand("t", AcceptTensor, Data, "The tensor.")
      .rebinds("t")
      .result("`t`.")
      .levels(levels)
      .rule([](OpCheck& c) { return c.args[0]->type; });
}

}  // namespace tilewire::ops
