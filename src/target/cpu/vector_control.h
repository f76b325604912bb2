// Structured control flow for hand-written IR. Each function leaves the builder at the end of the block that
// follows; bodies may add blocks.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

namespace tilewire::target::cpu {

// for (i = low; i < high; i += step); i64, signed.
void emit_for(llvm::IRBuilderBase& builder, llvm::Value* low, llvm::Value* high, llvm::Value* step,
              const std::function<void(llvm::Value* i)>& body);

// A branch on a constant emits only the side that is taken; either side may be empty.
void emit_if(llvm::IRBuilderBase& builder, llvm::Value* condition, const std::function<void()>& then,
             const std::function<void()>& otherwise = nullptr);

// The smaller of two signed integers.
llvm::Value* emit_min(llvm::IRBuilderBase& builder, llvm::Value* a, llvm::Value* b);

// pointer + bytes.
llvm::Value* emit_offset(llvm::IRBuilderBase& builder, llvm::Value* pointer, llvm::Value* bytes);

// Asks for the line of an address that will be read soon; any address will do.
void emit_prefetch(llvm::IRBuilderBase& builder, llvm::Value* pointer);

}  // namespace tilewire::target::cpu
