#include "target/cpu/debug_lines.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Support/Path.h>

namespace tilewire::target::cpu {

DebugLines::DebugLines(llvm::Module& module) : module_(module), builder_(module) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
}

llvm::DIFile* DebugLines::file(const SourceFile* source) {
  llvm::DIFile*& made = files_[source];
  if (made) return made;
  std::string name = source ? std::string(source->name()) : "tilewire";
  return made = builder_.createFile(llvm::sys::path::filename(name), llvm::sys::path::parent_path(name));
}

void DebugLines::begin(llvm::Function& code, const ir::Function& function) {
  function_file_ = function.span.file.get();
  other_files_.clear();
  llvm::DIFile* where = file(function_file_);
  // A compile unit's properties other than its lines are of no use here; programs are Python text.
  if (!unit_) {
    unit_ = builder_.createCompileUnit(llvm::dwarf::DW_LANG_Python, where, "tilewire", true, "", 0, "",
                                       llvm::DICompileUnit::LineTablesOnly);
  }
  function_ = builder_.createFunction(
      where, function.name, code.getName(), where, function.span.line,
      builder_.createSubroutineType(builder_.getOrCreateTypeArray({})), function.span.line,
      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  code.setSubprogram(function_);
}

llvm::DebugLoc DebugLines::place(const ir::Node& node) {
  const Span& span = node.span;
  if (!span || !function_) return {};
  llvm::DIScope* scope = function_;
  if (span.file && span.file.get() != function_file_) {  // text of another file that was written in here
    llvm::DIScope*& other = other_files_[span.file.get()];
    if (!other) other = builder_.createLexicalBlockFile(function_, file(span.file.get()));
    scope = other;
  }
  auto* location = llvm::DILocation::get(module_.getContext(), span.line, span.column, scope);
  nodes_.emplace(location, &node);
  return location;
}

const ir::Node* DebugLines::node_at(const llvm::DebugLoc& place) const {
  auto found = nodes_.find(place.get());
  return found == nodes_.end() ? nullptr : found->second;
}

}  // namespace tilewire::target::cpu
