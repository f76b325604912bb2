// Copies of the operands in the order in which kernels read them, converted to what kernels multiply.
#include <llvm/IR/Module.h>

#include "target/cpu/convert.h"
#include "target/cpu/matmul_plan.h"
#include "target/cpu/vector_control.h"

namespace tilewire::target::cpu {

using ir::DType;
using llvm::Value;

namespace {

// How far ahead of the copy the source is asked for, in rows. Rows of a tensor lie in different pages, where
// the processor does not look ahead by itself.
constexpr int64_t rows_ahead = 16;
constexpr int64_t long_rows_ahead = 8;

class Packer {
 public:
  Packer(llvm::IRBuilder<>& b, const MatmulPlan& plan, bool left) : b(b), plan_(plan), left_(left) {
    stored_ = storage_type(b.getContext(), plan.dtype, 0);
    bytes_ = ir::bytes(plan.dtype);
  }

  Value* word(int64_t value) { return b.getInt64(value); }
  Value* bytes(Value* elements) { return b.CreateMul(elements, word(bytes_)); }
  int64_t element_bytes() const { return bytes_; }

  // Elements as the kernel multiplies them.
  Value* convert(Value* x) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    auto shape = [&](llvm::Type* element) -> llvm::Type* {
      return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
    };
    switch (plan_.dot) {
      case Dot::FP32:
        return from_storage(b, plan_.machine, plan_.dtype, x);
      case Dot::BF16:
        return x;
      case Dot::INT8:
        return left_ ? b.CreateXor(x, llvm::ConstantInt::get(x->getType(), 0x80)) : x;
      case Dot::INT16:
        return b.CreateSExt(x, shape(b.getInt16Ty()));
      case Dot::INT32:
        break;
    }
    return b.CreateSExt(x, shape(b.getInt32Ty()));
  }

  Value* load(Value* at, int64_t count) {
    auto* type = llvm::FixedVectorType::get(stored_, count);
    return convert(b.CreateAlignedLoad(type, at, llvm::Align(bytes_)));
  }

  // Elements below `end`, and only if `valid`; the others are 0.
  Value* load_masked(Value* at, int64_t count, Value* index, Value* end, Value* valid) {
    auto* type = llvm::FixedVectorType::get(stored_, count);
    Value* limit = b.CreateSelect(valid, end, index);
    auto* mask_type = llvm::FixedVectorType::get(b.getInt1Ty(), count);
    Value* mask =
        b.CreateIntrinsic(llvm::Intrinsic::get_active_lane_mask, {mask_type, b.getInt64Ty()}, {index, limit});
    return convert(
        b.CreateMaskedLoad(type, at, llvm::Align(bytes_), mask, llvm::Constant::getNullValue(type)));
  }

  // One element, widened to what a unit is made of, or 0.
  void copy_element(Value* from, Value* to, Value* valid) {
    llvm::Type* element = convert(llvm::Constant::getNullValue(stored_))->getType();
    emit_if(
        b, valid,
        [&] {
          Value* x = convert(b.CreateAlignedLoad(stored_, from, llvm::Align(bytes_)));
          b.CreateAlignedStore(x, to, llvm::Align(1));
        },
        [&] { b.CreateAlignedStore(llvm::Constant::getNullValue(element), to, llvm::Align(1)); });
  }

  void store(Value* x, Value* at) { b.CreateAlignedStore(x, at, llvm::Align(4)); }

  // Rows of neighbouring k, element by element.
  Value* interleave(std::vector<Value*> rows) {
    while (rows.size() > 1) {
      std::vector<Value*> pairs;
      size_t half = rows.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        // Row i meets row i + half, so that after the last round the order is that of the rows.
        auto* type = llvm::cast<llvm::FixedVectorType>(rows[i]->getType());
        llvm::SmallVector<int> mask;
        for (unsigned l = 0; l < type->getNumElements(); ++l) {
          mask.push_back(static_cast<int>(l));
          mask.push_back(static_cast<int>(l + type->getNumElements()));
        }
        pairs.push_back(b.CreateShuffleVector(rows[i], rows[i + half], mask));
      }
      rows = std::move(pairs);
    }
    return rows[0];
  }

  // A square of units, rows for columns.
  void transpose(std::vector<Value*>& rows) {
    size_t lanes = rows.size();
    auto* type = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
    for (Value*& row : rows) row = b.CreateBitCast(row, type);
    for (size_t step = 1; step < lanes; step *= 2) {
      llvm::SmallVector<int> low, high;
      for (size_t l = 0; l < lanes; ++l) {
        bool second = l & step;
        low.push_back(static_cast<int>(second ? lanes + l - step : l));
        high.push_back(static_cast<int>(second ? lanes + l : l + step));
      }
      for (size_t i = 0; i < lanes; ++i) {
        if (i & step) continue;
        Value *x = rows[i], *y = rows[i + step];
        rows[i] = b.CreateShuffleVector(x, y, low);
        rows[i + step] = b.CreateShuffleVector(x, y, high);
      }
    }
  }

 private:
  llvm::IRBuilder<>& b;
  const MatmulPlan& plan_;
  bool left_;
  llvm::Type* stored_;
  int64_t bytes_;
};

std::vector<llvm::Type*> pack_types(llvm::LLVMContext& context) {
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  return {pointer, word, word, word, pointer, word};
}

Value* ceil_div(llvm::IRBuilder<>& b, Value* x, int64_t by) {
  return b.CreateSDiv(b.CreateAdd(x, b.getInt64(by - 1)), b.getInt64(by));
}

// The loops over panels and their vectors: body(first column, address of its units for k = 0).
void each_vector(llvm::IRBuilder<>& b, const MatmulPlan& plan, Value* columns, Value* panel, Value* units,
                 Value* to, const std::function<void(Value*, Value*)>& body) {
  emit_for(b, b.getInt64(0), columns, panel, [&](Value* p) {
    // A panel before this one has panel * units * 4 bytes.
    Value* base = emit_offset(b, to, b.CreateShl(b.CreateMul(p, units), b.getInt64(2)));
    Value* end = emit_min(b, panel, b.CreateSub(columns, p));
    emit_for(b, b.getInt64(0), end, b.getInt64(plan.lanes),
             [&](Value* j) { body(b.CreateAdd(p, j), emit_offset(b, base, b.CreateShl(j, b.getInt64(2)))); });
  });
}

}  // namespace

llvm::Function* matmul_pack_straight(llvm::Module& module, const MatmulPlan& plan, bool left) {
  auto body = [&](llvm::IRBuilder<>& b, llvm::Function& f) {
    Packer pack(b, plan, left);
    Value *from = f.getArg(0), *k = f.getArg(2), *columns = f.getArg(3), *panel = f.getArg(5);
    Value* stride = pack.bytes(f.getArg(1));
    Value* units = ceil_div(b, k, plan.group);
    // Row by row, as the memory lies.
    emit_for(b, b.getInt64(0), units, b.getInt64(1), [&](Value* u) {
      Value* first = b.CreateMul(u, b.getInt64(plan.group));
      Value* row = emit_offset(b, from, b.CreateMul(first, stride));
      Value* whole_group = b.CreateICmpSLE(b.CreateAdd(first, b.getInt64(plan.group)), k);
      Value* down = b.CreateMul(u, b.CreateShl(panel, b.getInt64(2)));
      each_vector(b, plan, columns, panel, units, f.getArg(4), [&](Value* column, Value* to) {
        to = emit_offset(b, to, down);
        Value* at = emit_offset(b, row, pack.bytes(column));
        Value* whole_vector = b.CreateICmpSLE(b.CreateAdd(column, b.getInt64(plan.lanes)), columns);
        auto gather = [&](bool masked) {
          std::vector<Value*> rows;
          for (int64_t g = 0; g < plan.group; ++g) {
            Value* here = emit_offset(b, at, b.CreateMul(stride, b.getInt64(g)));
            if (!masked) emit_prefetch(b, emit_offset(b, here, b.CreateMul(stride, b.getInt64(rows_ahead))));
            Value* valid = b.CreateICmpSLT(b.CreateAdd(first, b.getInt64(g)), k);
            rows.push_back(masked ? pack.load_masked(here, plan.lanes, column, columns, valid)
                                  : pack.load(here, plan.lanes));
          }
          pack.store(pack.interleave(rows), to);
        };
        emit_if(
            b, b.CreateAnd(whole_group, whole_vector), [&] { gather(false); }, [&] { gather(true); });
      });
    });
  };
  return matmul_function(module, plan.name(left ? "pack_columns" : "pack"), pack_types(module.getContext()),
                         body);
}

llvm::Function* matmul_pack_turned(llvm::Module& module, const MatmulPlan& plan) {
  auto body = [&](llvm::IRBuilder<>& b, llvm::Function& f) {
    Packer pack(b, plan, false);
    Value *from = f.getArg(0), *k = f.getArg(2), *columns = f.getArg(3), *panel = f.getArg(5);
    Value* stride = pack.bytes(f.getArg(1));
    Value* units = ceil_div(b, k, plan.group);
    Value* down = b.CreateShl(panel, b.getInt64(2));
    int64_t square = plan.lanes;
    int64_t depth = square * plan.group;
    each_vector(b, plan, columns, panel, units, f.getArg(4), [&](Value* column, Value* to) {
      Value* row = emit_offset(b, from, b.CreateMul(column, stride));
      Value* whole = b.CreateICmpSLE(b.CreateAdd(column, b.getInt64(square)), columns);
      Value* squares = b.CreateSelect(whole, b.CreateSDiv(k, b.getInt64(depth)), b.getInt64(0));
      Value* done = b.CreateMul(squares, b.getInt64(depth));
      emit_for(b, b.getInt64(0), done, b.getInt64(depth), [&](Value* first) {
        std::vector<Value*> rows;
        for (int64_t r = 0; r < square; ++r) {
          Value* at = emit_offset(b, row, b.CreateMul(stride, b.getInt64(r)));
          rows.push_back(pack.load(emit_offset(b, at, pack.bytes(first)), depth));
        }
        pack.transpose(rows);
        Value* unit = b.CreateMul(b.CreateSDiv(first, b.getInt64(plan.group)), down);
        for (int64_t r = 0; r < square; ++r) {
          pack.store(rows[r], emit_offset(b, emit_offset(b, to, unit), b.CreateMul(down, b.getInt64(r))));
        }
      });
      // What is not a whole square, element by element.
      int64_t piece = 4 / plan.group;
      emit_for(b, done, b.CreateMul(units, b.getInt64(plan.group)), b.getInt64(1), [&](Value* i) {
        Value* unit = b.CreateSDiv(i, b.getInt64(plan.group));
        Value* part = b.CreateMul(b.CreateSRem(i, b.getInt64(plan.group)), b.getInt64(piece));
        Value* line = emit_offset(b, emit_offset(b, to, b.CreateMul(unit, down)), part);
        emit_for(b, b.getInt64(0), b.getInt64(square), b.getInt64(1), [&](Value* r) {
          Value* at = emit_offset(b, row, b.CreateAdd(b.CreateMul(r, stride), pack.bytes(i)));
          Value* valid = b.CreateAnd(b.CreateICmpSLT(i, k), b.CreateICmpSLT(b.CreateAdd(column, r), columns));
          pack.copy_element(at, emit_offset(b, line, b.CreateShl(r, b.getInt64(2))), valid);
        });
      });
    });
  };
  return matmul_function(module, plan.name("pack_turned"), pack_types(module.getContext()), body);
}

llvm::Function* matmul_pack_rows(llvm::Module& module, const MatmulPlan& plan) {
  auto body = [&](llvm::IRBuilder<>& b, llvm::Function& f) {
    Packer pack(b, plan, true);
    Value *k = f.getArg(3), *stride = pack.bytes(f.getArg(1));
    int64_t depth = plan.lanes * plan.group;
    int64_t piece = 4 / plan.group;
    Value* whole = b.CreateMul(b.CreateSDiv(k, b.getInt64(depth)), b.getInt64(depth));
    Value* end = b.CreateMul(ceil_div(b, k, plan.group), b.getInt64(plan.group));
    emit_for(b, b.getInt64(0), f.getArg(2), b.getInt64(1), [&](Value* r) {
      Value* from = emit_offset(b, f.getArg(0), b.CreateMul(r, stride));
      Value* to = emit_offset(b, f.getArg(4), b.CreateMul(r, f.getArg(5)));
      emit_for(b, b.getInt64(0), whole, b.getInt64(depth), [&](Value* i) {
        Value* at = emit_offset(b, from, pack.bytes(i));
        emit_prefetch(b, emit_offset(b, at, b.CreateMul(stride, b.getInt64(long_rows_ahead))));
        pack.store(pack.load(at, depth), emit_offset(b, to, b.CreateMul(i, b.getInt64(piece))));
      });
      emit_for(b, whole, end, b.getInt64(1), [&](Value* i) {
        pack.copy_element(emit_offset(b, from, pack.bytes(i)),
                          emit_offset(b, to, b.CreateMul(i, b.getInt64(piece))), b.CreateICmpSLT(i, k));
      });
    });
  };
  return matmul_function(module, plan.name("pack_rows"), pack_types(module.getContext()), body);
}

}  // namespace tilewire::target::cpu
