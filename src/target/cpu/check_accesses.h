// --debug-bounds: every load and store that was emitted is checked against the tensor it belongs to.
//
// Regions and indices are checked in all code, before they are used; this catches what the code generator
// gets wrong afterwards. Addresses are followed back to where a tensor was given to the function, through
// offsets, branches and loops, so nothing that emits code needs to know of it.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <map>
#include <optional>

namespace tilewire::target::cpu {

class AccessChecks {
 public:
  // Addresses made from `data` must stay in [low, high), i64 values that are there wherever `data` is.
  void add(llvm::Value* data, llvm::Value* low, llvm::Value* high, uint64_t element_bytes);

  // Ends the function when an access fails: emits the return at the builder. `offset` and `count` are in
  // elements, i64; `at` is the instruction.
  using Fail = std::function<void(llvm::IRBuilderBase&, const llvm::Instruction& at, llvm::Value* offset,
                                  llvm::Value* count)>;
  void insert(llvm::Function& function, const Fail& fail);

  // What a call hands to a function that reads or writes it by itself: bytes [low, high) from `data` on. Only
  // known to `insert`, which takes it out again.
  static void touch(llvm::IRBuilderBase& builder, llvm::Module& module, llvm::Value* data, llvm::Value* low,
                    llvm::Value* high);

 private:
  struct Bounds {
    llvm::Value *low, *high;
    uint64_t element_bytes;
  };
  std::optional<Bounds> bounds(llvm::Value* address);
  Bounds merged(llvm::Instruction& choice);
  bool known(llvm::Value* address, std::map<llvm::Value*, bool>& seen) const;
  void check(llvm::Instruction& at, llvm::Value* address, llvm::Value* bytes, llvm::Value* condition);
  void check_masked(llvm::Instruction& at, llvm::Value* address, llvm::Type* type, llvm::Value* mask);
  void check_lanes(llvm::Instruction& at, llvm::Value* addresses, llvm::Type* type, llvm::Value* mask);
  void check_access(llvm::Instruction& at);
  void stop_if(llvm::Value* bad, llvm::Instruction& at, const Bounds& bounds, llvm::Value* first);

  std::map<llvm::Value*, Bounds> tensors_;
  std::map<llvm::Value*, Bounds> merged_;
  const Fail* fail_ = nullptr;
};

}  // namespace tilewire::target::cpu
