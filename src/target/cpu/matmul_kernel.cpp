// The innermost loop: a block of C in registers, one unit of k per iteration. Each of its vectors of B is
// loaded once and used by every row, each element of A once and used by every vector.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include "target/cpu/matmul_plan.h"
#include "target/cpu/vector.h"
#include "target/cpu/vector_control.h"

namespace tilewire::target::cpu {

using llvm::Value;

namespace {

// Emits one kernel. Row r of A is at base[r / 3] + (r % 3) * stride, an address that x86 can form from two
// registers, so that twelve rows need five and not twelve.
class Kernel {
 public:
  Kernel(llvm::IRBuilder<>& b, const MatmulPlan& plan, int64_t rows, int64_t vectors, llvm::Function& f)
      : b(b), plan_(plan), rows_(rows), vectors_(vectors), f_(f) {
    unit_ = plan.floating() && plan.dot != Dot::BF16 ? b.getFloatTy() : b.getInt32Ty();
    llvm::Type* sum = plan.floating() ? b.getFloatTy() : b.getInt32Ty();
    sums_type_ = llvm::FixedVectorType::get(sum, plan.lanes);
    units_type_ = llvm::FixedVectorType::get(unit_, plan.lanes);
  }

  void emit() {
    sums_ = initial();
    Value* units = f_.getArg(7);
    auto* entry = b.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(b.getContext(), "k", &f_);
    auto* done = llvm::BasicBlock::Create(b.getContext(), "done", &f_);
    std::vector<Value*> before = sums_;
    b.CreateCondBr(b.CreateICmpSGT(units, b.getInt64(0)), loop, done);
    b.SetInsertPoint(loop);
    auto* left = phi(units, entry);
    auto* right = phi(f_.getArg(3), entry);
    auto* ahead = phi(f_.getArg(10), entry);
    std::vector<llvm::PHINode*> bases, sums;
    for (int64_t r = 0; r < rows_; r += 3) bases.push_back(phi(first_row(r, entry), entry));
    for (Value* sum : before) sums.push_back(phi(sum, entry));
    sums_.assign(sums.begin(), sums.end());
    emit_prefetch(b, ahead);
    step(bases, right);
    ahead->addIncoming(emit_offset(b, ahead, f_.getArg(11)), loop);
    for (auto* base : bases) base->addIncoming(emit_offset(b, base, f_.getArg(2)), loop);
    for (size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(sums_[i], loop);
    right->addIncoming(emit_offset(b, right, f_.getArg(4)), loop);
    Value* next = b.CreateSub(left, b.getInt64(1));
    left->addIncoming(next, loop);
    b.CreateCondBr(b.CreateICmpNE(next, b.getInt64(0)), loop, done);
    b.SetInsertPoint(done);
    for (size_t i = 0; i < sums.size(); ++i) {
      auto* last = b.CreatePHI(sums_type_, 2);
      last->addIncoming(before[i], entry);
      last->addIncoming(sums_[i], loop);
      sums_[i] = last;
    }
    store();
  }

 private:
  llvm::PHINode* phi(Value* start, llvm::BasicBlock* entry) {
    auto* node = b.CreatePHI(start->getType(), 2);
    node->addIncoming(start, entry);
    return node;
  }

  Value* first_row(int64_t r, llvm::BasicBlock* entry) {
    llvm::IRBuilder<> before(entry->getTerminator());
    return emit_offset(before, f_.getArg(0), before.CreateMul(f_.getArg(1), before.getInt64(r)));
  }

  Value* c_address(int64_t row, int64_t vector) {
    Value* offset = b.CreateMul(f_.getArg(6), b.getInt64(row));
    return emit_offset(b, emit_offset(b, f_.getArg(5), offset), b.getInt64(vector * plan_.lanes * 4));
  }

  // C or zeros, less the column sums where A is packed with 128 added.
  std::vector<Value*> initial() {
    std::vector<Value*> zeros(vectors_, llvm::Constant::getNullValue(sums_type_));
    if (plan_.dot == Dot::INT8) {
      for (int64_t v = 0; v < vectors_; ++v) {
        Value* at = emit_offset(b, f_.getArg(9), b.getInt64(v * plan_.lanes * 4));
        zeros[v] = b.CreateNeg(b.CreateAlignedLoad(sums_type_, at, llvm::Align(4)));
      }
    }
    auto* entry = b.GetInsertBlock();
    auto* load = llvm::BasicBlock::Create(b.getContext(), "load", &f_);
    auto* start = llvm::BasicBlock::Create(b.getContext(), "start", &f_);
    b.CreateCondBr(f_.getArg(8), load, start);
    b.SetInsertPoint(load);
    std::vector<Value*> loaded;
    for (int64_t i = 0; i < rows_ * vectors_; ++i) {
      Value* c = b.CreateAlignedLoad(sums_type_, c_address(i / vectors_, i % vectors_), llvm::Align(4));
      loaded.push_back(plan_.dot == Dot::INT8 ? b.CreateAdd(c, zeros[i % vectors_]) : c);
    }
    b.CreateBr(start);
    b.SetInsertPoint(start);
    std::vector<Value*> sums;
    for (int64_t i = 0; i < rows_ * vectors_; ++i) {
      auto* sum = phi(zeros[i % vectors_], entry);
      sum->addIncoming(loaded[i], load);
      sums.push_back(sum);
    }
    return sums;
  }

  void step(const std::vector<llvm::PHINode*>& bases, Value* right) {
    std::vector<Value*> columns;
    for (int64_t v = 0; v < vectors_; ++v) {
      Value* at = emit_offset(b, right, b.getInt64(v * plan_.lanes * 4));
      columns.push_back(b.CreateAlignedLoad(units_type_, at, llvm::Align(4)));
    }
    for (int64_t r = 0; r < rows_; ++r) {
      Value* at = bases[r / 3];
      if (r % 3)
        at = emit_offset(b, at, r % 3 == 1 ? f_.getArg(1) : b.CreateShl(f_.getArg(1), b.getInt64(1)));
      Value* row = b.CreateVectorSplat(plan_.lanes, b.CreateAlignedLoad(unit_, at, llvm::Align(1)));
      for (int64_t v = 0; v < vectors_; ++v) {
        Value*& sum = sums_[r * vectors_ + v];
        sum = dot(sum, row, columns[v]);
      }
    }
  }

  llvm::Intrinsic::ID pair_intrinsic() const {
    switch (plan_.machine.vector_bits) {
      case 512:
        return llvm::Intrinsic::x86_avx512_pmaddw_d_512;
      case 256:
        return llvm::Intrinsic::x86_avx2_pmadd_wd;
      default:
        return llvm::Intrinsic::x86_sse2_pmadd_wd;
    }
  }

  Value* as(Value* x, llvm::Type* element) {
    unsigned count = plan_.machine.vector_bits / element->getPrimitiveSizeInBits();
    return b.CreateBitCast(x, llvm::FixedVectorType::get(element, count));
  }

  Value* dot(Value* sum, Value* x, Value* y) {
    switch (plan_.dot) {
      case Dot::FP32:
        return Lanes(b, plan_.machine, sums_type_).mul_add(x, y, sum);
      case Dot::BF16:
        return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
                                 {sum, as(x, b.getBFloatTy()), as(y, b.getBFloatTy())});
      case Dot::INT8:
        return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpdpbusd_512, {}, {sum, x, y});
      case Dot::INT16:
        return b.CreateAdd(
            sum, b.CreateIntrinsic(pair_intrinsic(), {}, {as(x, b.getInt16Ty()), as(y, b.getInt16Ty())}));
      case Dot::INT32:
        break;
    }
    return b.CreateAdd(sum, b.CreateMul(x, y));
  }

  void store() {
    for (int64_t i = 0; i < rows_ * vectors_; ++i) {
      b.CreateAlignedStore(sums_[i], c_address(i / vectors_, i % vectors_), llvm::Align(4));
    }
  }

  llvm::IRBuilder<>& b;
  const MatmulPlan& plan_;
  int64_t rows_, vectors_;
  llvm::Function& f_;
  llvm::Type* unit_;
  llvm::Type* sums_type_;
  llvm::Type* units_type_;
  std::vector<Value*> sums_;  // row by row
};

}  // namespace

llvm::FunctionType* matmul_kernel_type(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* flag = llvm::Type::getInt1Ty(context);
  return llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {pointer, word, word, pointer, word, pointer, word, word, flag, pointer, pointer, word}, false);
}

llvm::Function* matmul_kernel(llvm::Module& module, const MatmulPlan& plan, int64_t rows, int64_t vectors) {
  std::string name = plan.name("kernel." + std::to_string(rows) + "x" + std::to_string(vectors));
  return matmul_function(
      module, name, matmul_kernel_type(module.getContext())->params(),
      [&](llvm::IRBuilder<>& b, llvm::Function& f) { Kernel(b, plan, rows, vectors, f).emit(); });
}

llvm::Function* matmul_edge(llvm::Module& module, const MatmulPlan& plan) {
  auto& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  return matmul_function(
      module, plan.name("edge"), {pointer, pointer, word, word, word, llvm::Type::getInt1Ty(context)},
      [&](llvm::IRBuilder<>& b, llvm::Function& f) {
        auto* type =
            llvm::FixedVectorType::get(plan.floating() ? b.getFloatTy() : b.getInt32Ty(), plan.lanes);
        auto* zero = llvm::Constant::getNullValue(type);
        emit_for(b, b.getInt64(0), f.getArg(3), b.getInt64(1), [&](Value* r) {
          Value* block = emit_offset(b, f.getArg(0), b.CreateMul(r, b.getInt64(plan.width() * 4)));
          Value* c = emit_offset(b, f.getArg(1), b.CreateMul(r, f.getArg(2)));
          emit_for(b, b.getInt64(0), f.getArg(4), b.getInt64(plan.lanes), [&](Value* j) {
            Value* offset = b.CreateShl(j, b.getInt64(2));
            Value* mask = b.CreateIntrinsic(
                llvm::Intrinsic::get_active_lane_mask,
                {llvm::FixedVectorType::get(b.getInt1Ty(), plan.lanes), b.getInt64Ty()}, {j, f.getArg(4)});
            Value* at = emit_offset(b, c, offset);
            Value* sum = b.CreateAlignedLoad(type, emit_offset(b, block, offset), llvm::Align(4));
            Value* old =
                b.CreateMaskedLoad(type, at, llvm::Align(4),
                                   b.CreateAnd(mask, b.CreateVectorSplat(plan.lanes, f.getArg(5))), zero);
            sum = plan.floating() ? b.CreateFAdd(sum, old) : b.CreateAdd(sum, old);
            b.CreateMaskedStore(sum, at, llvm::Align(4), mask);
          });
        });
      });
}

llvm::Function* matmul_sums(llvm::Module& module, const MatmulPlan& plan) {
  auto& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  return matmul_function(
      module, plan.name("sums"), {pointer, word, word, pointer},
      [&](llvm::IRBuilder<>& b, llvm::Function& f) {
        auto* type = llvm::FixedVectorType::get(b.getInt32Ty(), plan.lanes);
        Value* row = b.getInt64(plan.width() * 4);
        Value* panel_bytes = b.CreateMul(row, f.getArg(2));
        emit_for(b, b.getInt64(0), f.getArg(1), b.getInt64(1), [&](Value* p) {
          Value* panel = emit_offset(b, f.getArg(0), b.CreateMul(p, panel_bytes));
          Value* sums = emit_offset(b, f.getArg(3), b.CreateMul(p, row));
          for (int64_t v = 0; v < plan.vectors; ++v) {
            Value* offset = b.getInt64(v * plan.lanes * 4);
            Value* total = emit_offset(b, sums, offset);
            b.CreateAlignedStore(llvm::Constant::getNullValue(type), total, llvm::Align(4));
            emit_for(b, b.getInt64(0), f.getArg(2), b.getInt64(1), [&](Value* u) {
              Value* at = emit_offset(b, emit_offset(b, panel, offset), b.CreateMul(u, row));
              Value* sum = b.CreateIntrinsic(
                  llvm::Intrinsic::x86_avx512_vpdpbusd_512, {},
                  {b.CreateAlignedLoad(type, total, llvm::Align(4)), llvm::ConstantInt::get(type, 0x80808080),
                   b.CreateAlignedLoad(type, at, llvm::Align(4))});
              b.CreateAlignedStore(sum, total, llvm::Align(4));
            });
          }
        });
      });
}

}  // namespace tilewire::target::cpu
