// The loops around the kernels: k, n and m are cut into blocks whose packed operands stay in the second-level
// cache, blocks of n into panels as wide as the register block, blocks of m into strips of its rows.
#include "target/cpu/matmul.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "support/diagnostics.h"
#include "target/cpu/matmul_plan.h"
#include "target/cpu/vector_control.h"

namespace tilewire::target::cpu {

using llvm::Value;

namespace {

constexpr int64_t cache_line = 64;

// An operand as a kernel reads it.
struct Operand {
  Value* base;
  Value* row;   // bytes from row to row of A
  Value* step;  // bytes from unit to unit of k
};

std::optional<int64_t> known(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant ? std::optional(constant->getSExtValue()) : std::nullopt;
}

// The rows of the kernel that begins a strip of `left` rows.
int64_t kernel_rows(const MatmulPlan& plan, int64_t left) {
  int64_t count = plan.rows;
  for (int64_t fewer : {8, 4, 2, 1}) count = count > left ? fewer : count;
  return count;
}

// Which register blocks a product needs. A module compiles only those, which for constant sizes is one or two
// kernels and not ten.
struct Blocks {
  uint32_t heights = ~0u;  // bit r: a kernel of r rows
  bool wide = true;        // panels of more than one vector
  bool narrow = true;      // and of one
  bool ragged = true;      // panels that stick out of C

  std::string name(const MatmulPlan& plan) const {
    return "." + std::to_string(plan.vectors) + "." + std::to_string(heights) + (wide ? "w" : "") +
           (narrow ? "n" : "") + (ragged ? "r" : "");
  }
};

// Blocks of m and n are whole numbers of register blocks, so only the remainders matter.
Blocks blocks_of(const MatmulPlan& plan, Value* m, Value* n) {
  Blocks blocks;
  if (auto rows = known(m)) {
    blocks.heights = *rows >= plan.rows ? 1u << plan.rows : 0;
    for (int64_t left = *rows % plan.rows; left > 0; left -= kernel_rows(plan, left)) {
      blocks.heights |= 1u << kernel_rows(plan, left);
    }
  }
  if (auto columns = known(n)) {
    int64_t rest = *columns % plan.width();
    blocks.wide = *columns >= plan.width() || rest > plan.lanes;
    blocks.narrow = rest > 0 && rest <= plan.lanes;
    blocks.ragged = rest != 0 && rest != plan.lanes;
  }
  return blocks;
}

// Which kernel a strip of up to `plan.rows` rows is left to, for one vector and for all of them, and how many
// rows it takes: [2][rows + 1].
struct KernelTable {
  llvm::GlobalVariable* kernels;
  llvm::GlobalVariable* rows;
  llvm::FunctionType* type;
};

KernelTable kernel_table(llvm::Module& module, const MatmulPlan& plan, const Blocks& blocks) {
  auto& context = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  auto array = [&](llvm::Type* type, const std::vector<llvm::Constant*>& elements, const std::string& part) {
    auto* all = llvm::ArrayType::get(type, elements.size());
    return new llvm::GlobalVariable(module, all, true, llvm::GlobalValue::InternalLinkage,
                                    llvm::ConstantArray::get(all, elements), plan.name(part));
  };
  std::vector<llvm::Constant*> kernels, rows;
  for (int64_t vectors : {int64_t{1}, plan.vectors}) {
    for (int64_t left = 0; left <= plan.rows; ++left) {
      int64_t count = kernel_rows(plan, left);
      bool needed = (vectors > 1 ? blocks.wide : blocks.narrow) && blocks.heights >> count & 1;
      llvm::Function* kernel = needed ? matmul_kernel(module, plan, count, vectors) : nullptr;
      kernels.push_back(kernel ? static_cast<llvm::Constant*>(kernel)
                               : llvm::ConstantPointerNull::get(pointer));
      rows.push_back(llvm::ConstantInt::get(word, static_cast<uint64_t>(count)));
    }
  }
  return {array(pointer, kernels, "kernels"), array(word, rows, "kernel_rows"), matmul_kernel_type(context)};
}

// strip(ptr a, i64 row, i64 step, ptr b, i64 step, ptr c, i64 row, i64 units, i1 accumulate, ptr sums,
//       i64 rows, i64 columns, ptr edge, ptr ahead, i64 step)
// All rows of a block of A by one panel, of which `columns` are in C. Each kernel asks for the next line of
// what `ahead` points to, down its rows.
llvm::Function* matmul_strip(llvm::Module& module, const MatmulPlan& plan, const Blocks& blocks) {
  auto& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* flag = llvm::Type::getInt1Ty(context);
  auto body = [&](llvm::IRBuilder<>& b, llvm::Function& f) {
    KernelTable table = kernel_table(module, plan, blocks);
    Value *rows = f.getArg(10), *columns = f.getArg(11), *edge = f.getArg(12);
    Value* wide = b.getInt1(blocks.wide);
    if (blocks.wide && blocks.narrow) wide = b.CreateICmpSGT(columns, b.getInt64(plan.lanes));
    Value* first = b.CreateSelect(wide, b.getInt64(plan.rows + 1), b.getInt64(0));
    Value* width = b.CreateSelect(wide, b.getInt64(plan.width()), b.getInt64(plan.lanes));
    Value* ragged = blocks.ragged ? b.CreateICmpSLT(columns, width) : b.getFalse();
    Value* c_row = b.CreateSelect(ragged, b.getInt64(plan.width() * 4), f.getArg(6));
    Value* accumulate = b.CreateAnd(f.getArg(8), b.CreateNot(ragged));
    auto* entry = b.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(context, "rows", &f);
    auto* done = llvm::BasicBlock::Create(context, "done", &f);
    b.CreateBr(loop);  // there is at least one row
    b.SetInsertPoint(loop);
    auto* i = b.CreatePHI(word, 2);
    i->addIncoming(b.getInt64(0), entry);
    auto* ahead = b.CreatePHI(pointer, 2);
    ahead->addIncoming(f.getArg(13), entry);
    Value* left = emit_min(b, b.CreateSub(rows, i), b.getInt64(plan.rows));
    Value* entry_index = b.CreateAdd(first, left);
    Value* kernel = b.CreateLoad(pointer, b.CreateGEP(pointer, table.kernels, entry_index));
    Value* count = b.CreateLoad(word, b.CreateGEP(word, table.rows, entry_index));
    Value* a = emit_offset(b, f.getArg(0), b.CreateMul(i, f.getArg(1)));
    Value* c = emit_offset(b, f.getArg(5), b.CreateMul(i, f.getArg(6)));
    b.CreateCall(table.type, kernel,
                 {a, f.getArg(1), f.getArg(2), f.getArg(3), f.getArg(4), b.CreateSelect(ragged, edge, c),
                  c_row, f.getArg(7), accumulate, f.getArg(9), ahead, f.getArg(14)});
    emit_if(b, ragged, [&] {
      b.CreateCall(matmul_edge(module, plan), {edge, c, f.getArg(6), count, columns, f.getArg(8)});
    });
    Value* next = b.CreateAdd(i, count);
    i->addIncoming(next, b.GetInsertBlock());
    ahead->addIncoming(emit_offset(b, ahead, b.getInt64(cache_line)), b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpSLT(next, rows), loop, done);
    b.SetInsertPoint(done);
  };
  return matmul_function(module, plan.name("strip" + blocks.name(plan)),
                         {pointer, word, word, pointer, word, pointer, word, word, flag, pointer, word, word,
                          pointer, pointer, word},
                         body);
}

class Driver {
 public:
  Driver(llvm::Module& module, const MatmulPlan& plan, const MatmulArgs& args, llvm::IRBuilder<>& b,
         llvm::Function& f)
      : module_(module),
        plan_(plan),
        a_trans_(args.a_trans),
        b_trans_(args.b_trans),
        b(b),
        scratch_(matmul_scratch(plan)),
        blocks_(blocks_of(plan, args.m, args.n)) {
    auto size = [&](unsigned index, Value* value) { return known(value) ? value : f.getArg(index); };
    m_ = size(0, args.m), n_ = size(1, args.n), k_ = size(2, args.k);
    a_ = f.getArg(3), a_stride_ = size(4, args.a_stride);
    b_ = f.getArg(5), b_stride_ = size(6, args.b_stride);
    c_ = f.getArg(7), c_stride_ = size(8, args.c_stride);
    accumulate_ = f.getArg(9), memory_ = f.getArg(10);
  }

  void emit() {
    choose();
    // Once even for k = 0, which yields zeros.
    Value* end = b.CreateSelect(b.CreateICmpSGT(k_, word(0)), k_, word(1));
    emit_for(b, word(0), end, word(plan_.block_k), [&](Value* kk) {
      depth_ = emit_min(b, b.CreateSub(k_, kk), word(plan_.block_k));
      units_ = b.CreateSDiv(b.CreateAdd(depth_, word(plan_.group - 1)), word(plan_.group));
      add_ = b.CreateOr(accumulate_, b.CreateICmpSGT(kk, word(0)));
      emit_for(b, word(0), n_, word(plan_.block_n), [&](Value* jj) { columns(kk, jj); });
    });
  }

 private:
  Value* word(int64_t value) { return b.getInt64(value); }
  Value* part(int64_t offset) { return emit_offset(b, memory_, word(offset)); }
  // Address of an element of an operand, whose size is known.
  Value* element(Value* base, Value* stride, Value* row, Value* column) {
    Value* index = b.CreateAdd(b.CreateMul(row, stride), column);
    return emit_offset(b, base, b.CreateMul(index, word(ir::bytes(plan_.dtype))));
  }

  // B, and A transposed, are read down their columns. Of a small dense tile that is fine; in a tensor every
  // row is in another page and its lines fall into few sets of the caches, and copying pays if the copy is
  // read more than once. A is read along its rows, twelve at a time: they may be far apart, unless a multiple
  // of 1 KiB, which puts them into the same sets.
  void choose() {
    a_direct_ = b_direct_ = b.getFalse();
    if (!plan_.direct()) return;
    auto dense = [&](Value* stride) { return b.CreateICmpSLT(stride, word(256)); };
    if (a_trans_) {
      a_direct_ = b.CreateOr(dense(a_stride_), b.CreateICmpSLE(n_, word(plan_.width())));
    } else {
      a_direct_ = b.CreateICmpNE(b.CreateAnd(a_stride_, word(255)), word(0));
    }
    if (!b_trans_) b_direct_ = b.CreateOr(dense(b_stride_), b.CreateICmpSLE(m_, word(plan_.rows)));
  }

  void columns(Value* kk, Value* jj) {
    count_ = emit_min(b, b.CreateSub(n_, jj), word(plan_.block_n));
    Value* panels = part(scratch_.panels);
    // Kernels read whole vectors, so the last panel is packed unless it has one or all of them.
    Value* rest = b.CreateSRem(count_, word(plan_.width()));
    Value* one = b.CreateICmpEQ(rest, word(plan_.lanes));
    Value* whole = b.CreateSelect(one, count_, b.CreateSub(count_, rest));
    Value* in_place = b.CreateSelect(b_direct_, whole, word(0));
    Value* packed = b.CreateSub(count_, in_place);
    Value* first = b.CreateAdd(jj, in_place);
    Value* from = b_trans_ ? element(b_, b_stride_, first, kk) : element(b_, b_stride_, kk, first);
    emit_if(b, b.CreateICmpSGT(packed, word(0)), [&] {
      auto* pack =
          b_trans_ ? matmul_pack_turned(module_, plan_) : matmul_pack_straight(module_, plan_, false);
      b.CreateCall(pack, {from, b_stride_, depth_, packed, panels, word(plan_.width())});
    });
    Value* panel_count = b.CreateSDiv(b.CreateAdd(packed, word(plan_.width() - 1)), word(plan_.width()));
    if (plan_.dot == Dot::INT8) {
      b.CreateCall(matmul_sums(module_, plan_), {panels, panel_count, units_, part(scratch_.sums)});
    }
    Value* bytes = b.CreateMul(b.CreateMul(panel_count, units_), word(plan_.width() * 4));
    Value* packed_a = emit_offset(b, panels, b.CreateAnd(b.CreateAdd(bytes, word(63)), word(-64)));
    emit_for(b, word(0), m_, word(plan_.block_m), [&](Value* ii) {
      Value* rows = emit_min(b, b.CreateSub(m_, ii), word(plan_.block_m));
      Operand a = left(kk, ii, rows, packed_a);
      emit_for(b, word(0), count_, word(plan_.width()),
               [&](Value* j) { panel(kk, ii, jj, j, rows, in_place, panels, a); });
    });
  }

  Operand left(Value* kk, Value* ii, Value* rows, Value* to) {
    Value* from = a_trans_ ? element(a_, a_stride_, kk, ii) : element(a_, a_stride_, ii, kk);
    Value* stride = b.CreateShl(a_stride_, word(2));  // of FP32, where it is used
    Operand direct = {from, a_trans_ ? word(4) : stride, a_trans_ ? stride : word(4)};
    Operand copy = {to, nullptr, nullptr};
    Value* panel = b.CreateAnd(b.CreateAdd(rows, word(plan_.lanes - 1)), word(-int64_t(plan_.lanes)));
    if (a_trans_) {
      copy.row = word(4);
      copy.step = b.CreateShl(panel, word(2));
    } else {
      // One line more than a row has, for the sake of the cache's sets.
      Value* lines = b.CreateAnd(b.CreateAdd(b.CreateShl(units_, word(2)), word(63)), word(-64));
      copy.row = b.CreateAdd(lines, word(64));
      copy.step = word(4);
    }
    emit_if(b, b.CreateNot(a_direct_), [&] {
      if (a_trans_) {
        b.CreateCall(matmul_pack_straight(module_, plan_, true), {from, a_stride_, depth_, rows, to, panel});
      } else {
        b.CreateCall(matmul_pack_rows(module_, plan_), {from, a_stride_, rows, depth_, to, copy.row});
      }
    });
    return {b.CreateSelect(a_direct_, direct.base, copy.base),
            b.CreateSelect(a_direct_, direct.row, copy.row),
            b.CreateSelect(a_direct_, direct.step, copy.step)};
  }

  void panel(Value* kk, Value* ii, Value* jj, Value* j, Value* rows, Value* in_place, Value* panels,
             const Operand& a) {
    Value* here = b.CreateICmpSLT(j, in_place);
    Value* column = b.CreateAdd(jj, j);
    Value* offset = b.CreateShl(b.CreateMul(b.CreateSub(j, in_place), units_), word(2));
    Value* base = emit_offset(b, panels, offset);
    Value* step = word(plan_.width() * 4);
    if (!b_trans_) {
      base = b.CreateSelect(here, element(b_, b_stride_, kk, column), base);
      step = b.CreateSelect(here, b.CreateShl(b_stride_, word(2)), step);
    }
    Value* c_index = b.CreateAdd(b.CreateMul(ii, c_stride_), column);
    Value* c = emit_offset(b, c_, b.CreateShl(c_index, word(2)));
    Value* sums = emit_offset(b, part(scratch_.sums), b.CreateShl(j, word(2)));
    Value* width = emit_min(b, b.CreateSub(count_, j), word(plan_.width()));
    auto [ahead, ahead_step] = upcoming(kk, ii, column, base);
    b.CreateCall(matmul_strip(module_, plan_, blocks_),
                 {a.base, a.row, a.step, base, step, c, b.CreateShl(c_stride_, word(2)), units_, add_, sums,
                  rows, width, part(scratch_.edge), ahead, ahead_step});
  }

  // The same columns of B in the next block of k, which is what the last strips of this one should ask for;
  // `base`, which is in the cache, if there is none. Of a transposed B the next block is the continuation of
  // lines read now, and the processor asks for it by itself.
  std::pair<Value*, Value*> upcoming(Value* kk, Value* ii, Value* column, Value* base) {
    if (b_trans_) return {base, word(0)};
    Value* next = b.CreateAdd(kk, word(plan_.block_k));
    Value* last = b.CreateICmpSGE(b.CreateAdd(ii, word(plan_.block_m)), m_);
    Value* useful = b.CreateAnd(last, b.CreateICmpSLT(next, k_));
    Value* row = b.CreateMul(b_stride_, word(ir::bytes(plan_.dtype) * plan_.group));
    return {b.CreateSelect(useful, element(b_, b_stride_, next, column), base),
            b.CreateSelect(useful, row, word(0))};
  }

  llvm::Module& module_;
  const MatmulPlan& plan_;
  bool a_trans_, b_trans_;
  llvm::IRBuilder<>& b;
  MatmulScratch scratch_;
  Blocks blocks_;
  Value *m_, *n_, *k_, *a_, *a_stride_, *b_, *b_stride_, *c_, *c_stride_, *accumulate_, *memory_;
  Value *a_direct_, *b_direct_;            // whether kernels read the operand where it is
  Value *depth_, *units_, *add_, *count_;  // of the current block: k, its units, whether C holds a sum, n
};

// Whether B is read where it is, stays in the first-level cache, and is made of whole blocks of four vectors.
bool stays_cached(const MatmulPlan& plan, const MatmulArgs& args) {
  auto n = known(args.n), k = known(args.k), stride = known(args.b_stride);
  if (!plan.direct() || !plan.machine.avx512f || args.b_trans || !n || !k || !stride) return false;
  constexpr int64_t cached = 5000;  // elements; beside them there are strips of A and C
  return *n > 0 && *n % (4 * plan.lanes) == 0 && *k * *stride <= cached;
}

}  // namespace

void emit_matmul(llvm::IRBuilderBase& builder, const Machine& machine, const MatmulArgs& args) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  auto& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  MatmulPlan usual = matmul_plan(machine, args.dtype);
  MatmulPlan plan = stays_cached(usual, args) ? matmul_plan_wide(usual) : usual;
  std::string name = plan.name(std::string(args.a_trans ? "T" : "N") + (args.b_trans ? "T" : "N"));
  for (Value* size : {args.m, args.n, args.k, args.a_stride, args.b_stride, args.c_stride}) {
    name += known(size) ? "." + std::to_string(*known(size)) : ".";
  }
  auto body = [&](llvm::IRBuilder<>& b, llvm::Function& f) { Driver(module, plan, args, b, f).emit(); };
  auto* function = matmul_function(module, name,
                                   {word, word, word, pointer, word, pointer, word, pointer, word,
                                    llvm::Type::getInt1Ty(context), pointer},
                                   body);
  builder.CreateCall(function, {args.m, args.n, args.k, args.a, args.a_stride, args.b, args.b_stride, args.c,
                                args.c_stride, builder.getInt1(args.accumulate), args.scratch});
}

}  // namespace tilewire::target::cpu
