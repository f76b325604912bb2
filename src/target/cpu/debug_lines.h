// Line tables: the source position of each instruction, and nothing else (what compilers
// call -gline-tables-only). Made for code that checks every access, code with hooks and object files; code
// that is compiled to be run at once goes without and compiles faster.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "ir/nodes.h"

namespace tilewire::target::cpu {

class DebugLines {
 public:
  explicit DebugLines(llvm::Module& module);

  // From here on places are those of `code`, which `function` becomes.
  void begin(llvm::Function& code, const ir::Function& function);
  // The place of a node in the current function; none if it has no source.
  llvm::DebugLoc place(const ir::Node& node);
  // The node that a place was first asked for; null: none.
  const ir::Node* node_at(const llvm::DebugLoc& place) const;
  // After the last function.
  void finish() { builder_.finalize(); }

 private:
  llvm::DIFile* file(const SourceFile* source);

  llvm::Module& module_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DISubprogram* function_ = nullptr;
  const SourceFile* function_file_ = nullptr;
  std::map<const SourceFile*, llvm::DIFile*> files_;
  std::map<const SourceFile*, llvm::DIScope*> other_files_;  // of the current function
  std::map<const llvm::DILocation*, const ir::Node*> nodes_;
};

// What is emitted while it lives belongs to the place of the node. Without lines, or without a node, it does
// nothing.
class Place {
 public:
  Place(llvm::IRBuilderBase& builder, DebugLines* lines, const ir::Node* node) : builder_(builder) {
    if (!lines || !node) return;
    before_ = builder.getCurrentDebugLocation();
    changed_ = true;
    if (llvm::DebugLoc place = lines->place(*node)) builder.SetCurrentDebugLocation(std::move(place));
  }
  ~Place() {
    if (changed_) builder_.SetCurrentDebugLocation(before_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  llvm::IRBuilderBase& builder_;
  llvm::DebugLoc before_;
  bool changed_ = false;
};

}  // namespace tilewire::target::cpu
