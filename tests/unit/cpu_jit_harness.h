// Compiles functions made by the cpu emitters and runs them in the test's process, as code generation would:
// explicit vector code, only `sroa,early-cse` before instruction selection.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>

#include "target/cpu/machine.h"

namespace llvm::orc {
class LLJIT;
}

namespace tilewire::target::cpu {

class Jit {
 public:
  // A processor by its LLVM name, such as "haswell", "x86-64" or "neoverse-n1"; empty for this one. What it
  // cannot run here can still be turned into machine code.
  explicit Jit(const std::string& cpu = "");
  ~Jit();
  Jit(const Jit&) = delete;

  const Machine& machine() const { return machine_; }
  llvm::LLVMContext& context() { return *context_; }
  llvm::Module& module() { return *module_; }

  // Adds `void name(args...)`; `body` fills it and need not end it.
  using Body = std::function<void(llvm::IRBuilder<>&, llvm::Function&)>;
  void define(const std::string& name, std::initializer_list<llvm::Type*> args, const Body& body);
  // Adds `void name(ptr in, ptr out, i64 n)`: out[i] = map(in[i]), `lanes` elements at a time (0: scalars);
  // n is a multiple of it.
  using Map = std::function<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)>;
  void define_map(const std::string& name, llvm::Type* in, unsigned lanes, const Map& map);

  void compile();  // all that was added; call once, before address
  template <class Function>
  Function* address(const std::string& name) {
    return reinterpret_cast<Function*>(find(name));
  }
  // Of this thread.
  double compile_milliseconds() const { return milliseconds_; }
  // Whether the module calls anything that is not part of it, once it is machine code.
  bool has_outside_symbols();

 private:
  void* find(const std::string& name);

  std::string cpu_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Machine machine_;
  double milliseconds_ = 0;
};

// Whether this process can run code compiled for the processor.
bool runs_here(const std::string& cpu);

}  // namespace tilewire::target::cpu
