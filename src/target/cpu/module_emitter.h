// The LLVM module of a program: its functions and the tables of abi::Module.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "ir/nodes.h"
#include "ir/param_effects.h"
#include "target/cpu/compile.h"
#include "target/cpu/debug_lines.h"
#include "target/cpu/machine.h"
#include "target/cpu/plan.h"

namespace tilewire::target::cpu {

class ModuleEmitter : public Callees {
 public:
  ModuleEmitter(llvm::LLVMContext& context, const llvm::TargetMachine& target, const Machine& machine,
                const Options& options, Diagnostics& diags);

  // Null after reporting errors.
  std::unique_ptr<llvm::Module> emit(const ir::Program& program);

  llvm::LLVMContext& context;
  const Machine& machine;
  const Options& options;
  Diagnostics& diags;
  llvm::Module& llvm_module() { return *module_; }
  std::unique_ptr<DebugLines> lines;  // null: code without places

  // The number of a source place; `what` is the op or statement there.
  uint32_t site(const Span& span, std::string_view what);
  // status tw.fail(context, fault, site, a, b, c, d)
  llvm::Function* fail_function();
  llvm::FunctionType* code_type() const;
  // Address of the abi::Function of a function.
  llvm::Constant* record(const std::string& name);
  // The index in the table of the module of the window buffer that a variable holds; none: it has no view.
  std::optional<uint32_t> window_number(const ir::Var* base) const;
  // A string that ends in a zero.
  llvm::Constant* text(std::string_view text);
  // A record for one element of a tensor.
  llvm::Constant* element_param(ir::DType dtype);
  const ir::Function& find(const std::string& name) const;
  // What the source calls it: the kernel, where a pass made the function only to call one.
  const std::string& source_name(const std::string& name) const;
  const ReturnedParams& returned(const ir::FunctionCall& call) const override;

 private:
  enum Role : uint8_t { Kernel, Orchestration, Host };
  struct Entry {
    const ir::Function* function;
    Role role;
    std::unique_ptr<Plan> plan;
    ReturnedParams returned;
    llvm::Function* code = nullptr;
    llvm::GlobalVariable* params = nullptr;
    llvm::GlobalVariable* results = nullptr;
    uint32_t index = 0;        // in the table of its role
    ir::ParamEffects effects;  // of a kernel
  };
  struct HostWindow {
    const ir::WindowBuffer* buffer;
    uint32_t host = 0;
  };
  llvm::GlobalVariable* params_table(const Entry& entry);
  llvm::GlobalVariable* results_table(const Entry& entry);
  llvm::Constant* param_constant(std::string_view name, const ir::TypeRef& type, uint8_t access);
  llvm::Constant* function_constant(const Entry& entry);
  llvm::GlobalVariable* constant_array(llvm::Type* element, std::vector<llvm::Constant*> values,
                                       const char* name);
  void finish_tables();
  llvm::Constant* window_constant(const HostWindow& window);
  void collect(const ir::Program& program);
  void collect_windows(const ir::Program& program);
  void declare_tables();
  bool plan_functions(const ir::Program& program);

  const llvm::TargetMachine& target_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
  llvm::GlobalVariable* tables_[3] = {};  // of functions, by role
  std::vector<HostWindow> windows_;
  llvm::StructType *param_type_ = nullptr, *function_type_ = nullptr, *site_type_ = nullptr,
                   *module_type_ = nullptr;
  std::map<std::string, llvm::Constant*, std::less<>> texts_;
  struct SiteKey {
    const SourceFile* file;
    uint32_t line, column;
    std::string what;
    auto operator<=>(const SiteKey&) const = default;
  };
  std::map<SiteKey, uint32_t> site_ids_;
  std::vector<SiteKey> sites_;
  llvm::Function* fail_ = nullptr;
  std::map<ir::DType, llvm::GlobalVariable*> element_params_;
};

// The LLVM types of the tables, in the layout of abi.h.
struct AbiTypes {
  llvm::StructType *param, *function, *site, *module, *launch, *hook_event, *transfer, *condition, *deferred,
      *host_window, *device_call, *print;
};
AbiTypes abi_types(llvm::LLVMContext& context);

}  // namespace tilewire::target::cpu
