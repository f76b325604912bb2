// From LLVM IR to machine code: the passes that pay, one object file, and its loading.
#include "target/cpu/compile.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <cmath>
#include <cstring>

#include "support/diagnostics/cpu.h"
#include "target/cpu/machine.h"
#include "target/cpu/module_emitter.h"

namespace tilewire::target::cpu {

namespace {

std::string host_features() {
  std::string text;
  auto features = llvm::sys::getHostCPUFeatures();
  for (const auto& feature : features) {
    if (!text.empty()) text += ',';
    text += (feature.second ? "+" : "-") + feature.first().str();
  }
  return text;
}

// What describes this processor to LLVM; asking costs a millisecond, so it is asked once.
struct Host {
  std::string triple, cpu, features;
  const llvm::Target* target = nullptr;
  std::string error;

  Host() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    triple = llvm::sys::getProcessTriple();
    cpu = llvm::sys::getHostCPUName().str();
    features = host_features();
    target = llvm::TargetRegistry::lookupTarget(triple, error);
  }

  // `narrow`: without registers wider than 16 bytes, accesses of which the thread sanitizer passes over.
  std::unique_ptr<llvm::TargetMachine> machine(int opt, bool narrow) const {
    if (!target) return nullptr;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a * b + c rounds twice
    auto level = opt <= 0   ? llvm::CodeGenOptLevel::None
                 : opt == 1 ? llvm::CodeGenOptLevel::Less
                 : opt == 2 ? llvm::CodeGenOptLevel::Default
                            : llvm::CodeGenOptLevel::Aggressive;
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, narrow ? "" : cpu, narrow ? "" : features, options,
                                    llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
  }
};

const Host& host() {
  static const Host instance;
  return instance;
}

std::string text_of(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return text;
}

class Loaded final : public Code {
 public:
  const abi::Module* module() const override { return module_; }
  std::string text() const override { return text_; }
  std::span<const std::byte> object() const override {
    return {reinterpret_cast<const std::byte*>(object_.data()), object_.size()};
  }

  // Empty when it worked.
  std::string load() {
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit) return text_of(jit.takeError());
    jit_ = std::move(*jit);
    if (auto error = jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(library_functions()))) {
      return text_of(std::move(error));
    }
    // What LLVM makes of an instruction the processor does not have.
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit_->getDataLayout().getGlobalPrefix());
    if (!process) return text_of(process.takeError());
    jit_->getMainJITDylib().addGenerator(std::move(*process));
    auto buffer =
        llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(object_.data(), object_.size()), "tilewire", false);
    if (auto error = jit_->addObjectFile(std::move(buffer))) return text_of(std::move(error));
    auto symbol = jit_->lookup(abi::module_symbol);
    if (!symbol) return text_of(symbol.takeError());
    module_ = symbol->toPtr<const abi::Module*>();
    return module_->abi_version == abi::version ? ""
                                                : "the object was made for another version of the runtime";
  }

  llvm::SmallVector<char, 0> object_;
  std::string text_;

 private:
  // What generated code calls outside itself and the ABI, wherever in the process it may be visible.
  llvm::orc::SymbolMap library_functions() {
    llvm::orc::SymbolMap map;
    auto add = [&](const char* name, auto* function) {
      map[jit_->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                          llvm::JITSymbolFlags::Exported};
    };
    add("memcpy", &std::memcpy);
    add("memmove", &std::memmove);
    add("memset", &std::memset);
    // The runtime of g++'s sanitizer has these under the names it intercepts.
    add("__tsan_memcpy", &std::memcpy);
    add("__tsan_memmove", &std::memmove);
    add("__tsan_memset", &std::memset);
    add("sinf", &::sinf);
    add("cosf", &::cosf);
    add("fmodf", &::fmodf);
    add("pow", static_cast<double (*)(double, double)>(&::pow));
    return map;
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  const abi::Module* module_ = nullptr;
};

// The emitters write vectors and registers themselves; what remains to be done is small.
void run_passes(llvm::Module& module, llvm::TargetMachine& target, bool tsan) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(false));
  if (tsan) passes.addPass(llvm::ThreadSanitizerPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (tsan) function.addFnAttr(llvm::Attribute::SanitizeThread);
    passes.run(function, functions);
  }
}

}  // namespace

std::unique_ptr<Code> compile(const ir::ProgramRef& program, const Options& options, Diagnostics& diags) {
  std::unique_ptr<llvm::TargetMachine> target = host().machine(options.opt, options.tsan);
  if (!target) {
    diags.report(diag::cpu_code, program->span, {program->name_hint, host().error});
    return nullptr;
  }
  llvm::LLVMContext context;
  Machine machine = machine_of(*target);
  std::unique_ptr<llvm::Module> module =
      ModuleEmitter(context, *target, machine, options, diags).emit(*program);
  if (!module) return nullptr;
  run_passes(*module, *target, options.tsan);
  auto result = std::make_unique<Loaded>();
  if (options.keep_text) {
    llvm::raw_string_ostream out(result->text_);
    module->print(out, nullptr);
  }
  llvm::raw_svector_ostream out(result->object_);
  llvm::legacy::PassManager emission;
  if (target->addPassesToEmitFile(emission, out, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    diags.report(diag::cpu_code, program->span, {program->name_hint, "LLVM writes no object files here"});
    return nullptr;
  }
  emission.run(*module);
  if (options.in_memory) {
    if (std::string problem = result->load(); !problem.empty()) {
      diags.report(diag::cpu_code, program->span, {program->name_hint, problem});
      return nullptr;
    }
  }
  return result;
}

std::unique_ptr<Code> load_object(std::span<const std::byte> object, std::string& error) {
  host();
  auto result = std::make_unique<Loaded>();
  const char* first = reinterpret_cast<const char*>(object.data());
  result->object_.assign(first, first + object.size());
  error = result->load();
  return error.empty() ? std::move(result) : nullptr;
}

std::string machine_key() {
  return host().triple + ';' + host().cpu + ';' + host().features + ";llvm" LLVM_VERSION_STRING ";" +
         std::to_string(abi::version) + "." + std::to_string(library_version);
}

}  // namespace tilewire::target::cpu
