// The border: table layouts, what the lowering table covers, object files, faults and sites.
#include <gtest/gtest.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>

#include <cstddef>

#include "harness.h"
#include "ops/registry.h"
#include "passes/expand_ops.h"
#include "target/cpu/lowering.h"
#include "target/cpu/module_emitter.h"
#include "target/cpu/traits.h"

namespace tilewire::target::cpu {
namespace {

TEST(AbiTypes, HaveTheLayoutOfTheHeader) {
  llvm::LLVMContext context;
  llvm::DataLayout layout("e-m:e-i64:64-f80:128-n8:16:32:64-S128");
  AbiTypes types = abi_types(context);
  auto check = [&](llvm::StructType* type, size_t size, std::initializer_list<size_t> offsets) {
    const llvm::StructLayout* found = layout.getStructLayout(type);
    EXPECT_EQ(found->getSizeInBytes(), size);
    unsigned i = 0;
    for (size_t offset : offsets) EXPECT_EQ(found->getElementOffset(i++), offset);
    EXPECT_EQ(i, type->getNumElements());
  };
  using P = abi::Param;
  check(types.param, sizeof(P),
        {offsetof(P, name), offsetof(P, kind), offsetof(P, access), offsetof(P, rank),
         offsetof(P, element_bytes), offsetof(P, dtype), offsetof(P, reserved)});
  using F = abi::Function;
  check(types.function, sizeof(F),
        {offsetof(F, name), offsetof(F, code), offsetof(F, params), offsetof(F, results),
         offsetof(F, param_count), offsetof(F, result_count), offsetof(F, arena_bytes), offsetof(F, bits),
         offsetof(F, site)});
  using S = abi::Site;
  check(types.site, sizeof(S),
        {offsetof(S, file), offsetof(S, what), offsetof(S, line), offsetof(S, column)});
  using M = abi::Module;
  check(types.module, sizeof(M),
        {offsetof(M, abi_version), offsetof(M, bits), offsetof(M, kernels), offsetof(M, entries),
         offsetof(M, sites), offsetof(M, kernel_count), offsetof(M, entry_count), offsetof(M, site_count),
         offsetof(M, host_count), offsetof(M, hosts), offsetof(M, windows), offsetof(M, window_count),
         offsetof(M, reserved)});
  using L = abi::Launch;
  check(
      types.launch, sizeof(L),
      {offsetof(L, kernel), offsetof(L, args), offsetof(L, deps), offsetof(L, untracked), offsetof(L, blocks),
       offsetof(L, dep_count), offsetof(L, bits), offsetof(L, site), offsetof(L, reserved)});
  using H = abi::HookEvent;
  check(types.hook_event, sizeof(H),
        {offsetof(H, kind), offsetof(H, site), offsetof(H, address), offsetof(H, extents),
         offsetof(H, row_stride_bytes), offsetof(H, peer), offsetof(H, reserved)});
  using T = abi::Transfer;
  check(types.transfer, sizeof(T),
        {offsetof(T, target), offsetof(T, source), offsetof(T, extents), offsetof(T, target_strides),
         offsetof(T, source_strides), offsetof(T, rank), offsetof(T, bits), offsetof(T, peer),
         offsetof(T, site), offsetof(T, dtype), offsetof(T, element_bytes), offsetof(T, reserved),
         offsetof(T, acquires)});
  using C = abi::Condition;
  check(
      types.condition, sizeof(C),
      {offsetof(C, cell), offsetof(C, expected), offsetof(C, cmp), offsetof(C, site), offsetof(C, reserved)});
  using D = abi::Deferred;
  check(types.deferred, sizeof(D),
        {offsetof(D, conditions), offsetof(D, deps), offsetof(D, condition_count), offsetof(D, dep_count),
         offsetof(D, site), offsetof(D, reserved)});
  using W = abi::HostWindow;
  check(types.host_window, sizeof(W),
        {offsetof(W, name), offsetof(W, host), offsetof(W, load_from), offsetof(W, store_to),
         offsetof(W, site)});
  using V = abi::DeviceCall;
  check(
      types.device_call, sizeof(V),
      {offsetof(V, entry), offsetof(V, args), offsetof(V, device), offsetof(V, site), offsetof(V, reserved)});
  using R = abi::Print;
  check(types.print, sizeof(R),
        {offsetof(R, label), offsetof(R, dtype), offsetof(R, elements), offsetof(R, rows), offsetof(R, cols),
         offsetof(R, valid_rows), offsetof(R, valid_cols), offsetof(R, site), offsetof(R, format),
         offsetof(R, reserved)});
}

// Every op has a rule, or passes leave none of it: it is expanded, converted to tiles, or its record says why
// not.
TEST(LoweringTable, CoversWhatLoweredProgramsHold) {
  for (const ir::Op& op : ops::registry().all()) {
    const bool whole = op.on_tensors && op.form != ir::OpForm::None && op.form != ir::OpForm::Create;
    const bool gone = passes::is_expanded(op, traits) || whole || !op.no_rule.empty();
    EXPECT_NE(find_lowering(&op) != nullptr, gone) << op.qualified();
  }
}

const char* const text = R"(
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def double(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = pl.store(pl.mul(pl.load(x, [0, 0], [4, 8]), 2.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = self.double(x, y)
        return y
)";

TEST(Module, DescribesItsFunctions) {
  std::string errors;
  auto compiled_module = compiled(text, {}, errors);
  ASSERT_TRUE(compiled_module) << errors;
  const abi::Module& m = *compiled_module->module();
  EXPECT_EQ(m.abi_version, abi::version);
  ASSERT_EQ(m.kernel_count, 1u);
  ASSERT_EQ(m.entry_count, 1u);
  EXPECT_STREQ(m.kernels[0].name, "double");
  EXPECT_STREQ(m.entries[0].name, "main");
  ASSERT_EQ(m.kernels[0].param_count, 2u);
  EXPECT_STREQ(m.kernels[0].params[1].name, "y");
  EXPECT_EQ(m.kernels[0].params[0].access, abi::Reads);
  EXPECT_EQ(m.kernels[0].params[1].access, abi::Writes);
  EXPECT_EQ(m.kernels[0].params[1].rank, 2);
  EXPECT_EQ(m.kernels[0].params[1].element_bytes, 4);
  ASSERT_EQ(m.entries[0].result_count, 1u);
  EXPECT_EQ(m.entries[0].results[0].kind, abi::ParamKind::Tensor);
  EXPECT_EQ(m.sites[m.kernels[0].site].line, 8u);
}

TEST(Module, RunsFromItsObject) {
  std::string errors;
  Options only_object;
  only_object.in_memory = false;
  auto first = compiled(text, only_object, errors);
  ASSERT_TRUE(first) << errors;
  EXPECT_EQ(first->module(), nullptr);
  auto second = load_object(first->object(), errors);
  ASSERT_TRUE(second) << errors;
  EXPECT_STREQ(second->module()->kernels[0].name, "double");
}

TEST(Module, RefusesBytesThatAreNoObject) {
  std::string errors;
  std::vector<std::byte> bytes(100, std::byte{7});
  EXPECT_EQ(load_object(bytes, errors), nullptr);
  EXPECT_NE(errors, "");
}

}  // namespace
}  // namespace tilewire::target::cpu
