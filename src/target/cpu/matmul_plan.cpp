#include "target/cpu/matmul_plan.h"

#include <llvm/IR/Module.h>

#include "support/diagnostics.h"
#include "target/cpu/matmul.h"

namespace tilewire::target::cpu {

using ir::DType;

namespace {

Dot dot_of(const Machine& machine, DType dtype) {
  switch (dtype) {
    case DType::FP32:
    case DType::FP16:
      return Dot::FP32;
    case DType::BF16:
      return machine.avx512bf16 && machine.avx512bw ? Dot::BF16 : Dot::FP32;
    case DType::Int8:
      if (machine.avx512vnni && machine.avx512bw) return Dot::INT8;
      if (machine.avx512f && !machine.avx512bw) return Dot::INT32;
      return machine.x86 ? Dot::INT16 : Dot::INT32;
    default:
      internal_error(__FILE__, __LINE__, "no product of this dtype");
  }
}

int64_t group_of(Dot dot) {
  switch (dot) {
    case Dot::FP32:
    case Dot::INT32:
      return 1;
    case Dot::BF16:
    case Dot::INT16:
      return 2;
    case Dot::INT8:
      return 4;
  }
  return 1;
}

int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

MatmulPlan matmul_plan(const Machine& machine, DType dtype) {
  Dot dot = dot_of(machine, dtype);
  int64_t group = group_of(dot);
  // 32 registers hold 24 sums, two vectors of B and the elements of A on their way; 16 hold 12.
  int64_t rows = machine.avx512f || machine.aarch64 ? 12 : 6;
  constexpr int64_t vectors = 2;
  return {machine, dtype, dot, group, machine.float_lanes(), rows, vectors, 10 * rows, 512, 256 * group};
}

MatmulPlan matmul_plan_wide(MatmulPlan plan) {
  plan.rows = plan.vectors = 4;
  plan.block_m = 30 * plan.rows;
  return plan;
}

std::string MatmulPlan::name(const std::string& part) const {
  return "tilewire.matmul." + std::string(ir::info(dtype).name) + "." + part;
}

MatmulScratch matmul_scratch(const MatmulPlan& plan) {
  MatmulScratch s;
  s.edge = 0;
  s.sums = s.edge + round_up(plan.rows * plan.width() * 4, 64);
  s.panels = s.sums + (plan.dot == Dot::INT8 ? plan.block_n * 4 : 0);
  return s;
}

uint64_t matmul_scratch_bytes(const Machine& machine, DType dtype, std::optional<int64_t> m,
                              std::optional<int64_t> n, std::optional<int64_t> k) {
  MatmulPlan plan = matmul_plan(machine, dtype);
  int64_t rows = std::min(m.value_or(plan.block_m), plan.block_m);
  int64_t columns = std::min(n.value_or(plan.block_n), plan.block_n);
  int64_t units = round_up(std::min(k.value_or(plan.block_k), plan.block_k), plan.group) / plan.group;
  int64_t panels = units * round_up(columns, plan.width()) * 4;
  int64_t by_row = rows * (round_up(units * 4, 64) + 64);
  int64_t by_column = units * round_up(rows, plan.lanes) * 4;
  return static_cast<uint64_t>(matmul_scratch(plan).panels + round_up(panels, 64) +
                               std::max(by_row, by_column));
}

llvm::Function* matmul_function(llvm::Module& module, const std::string& name,
                                llvm::ArrayRef<llvm::Type*> args,
                                const std::function<void(llvm::IRBuilder<>&, llvm::Function&)>& body) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), args, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  body(b, *function);
  b.CreateRetVoid();
  return function;
}

}  // namespace tilewire::target::cpu
