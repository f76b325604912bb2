#include "cpu_jit_harness.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <ctime>

namespace tilewire::target::cpu {

using namespace llvm::orc;

namespace {

JITTargetMachineBuilder builder_for(const std::string& cpu) {
  static bool once = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)once;
  auto host = llvm::cantFail(JITTargetMachineBuilder::detectHost());
  if (cpu.starts_with("neoverse")) {
    JITTargetMachineBuilder arm(llvm::Triple("aarch64-linux-gnu"));
    arm.setCPU(cpu);
    return arm;
  }
  if (!cpu.empty()) {
    host.setCPU(cpu);
    host.getFeatures() = llvm::SubtargetFeatures();
  }
  host.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return host;
}

double thread_milliseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::PassBuilder passes(&target);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager pipeline;
  llvm::cantFail(passes.parsePassPipeline(pipeline, "function(sroa,early-cse)"));
  pipeline.run(module, modules);
}

}  // namespace

Jit::Jit(const std::string& cpu) : cpu_(cpu), context_(std::make_unique<llvm::LLVMContext>()) {
  auto target = llvm::cantFail(builder_for(cpu).createTargetMachine());
  machine_ = machine_of(*target);
  module_ = std::make_unique<llvm::Module>("test", *context_);
  module_->setDataLayout(target->createDataLayout());
  module_->setTargetTriple(target->getTargetTriple().str());
}

Jit::~Jit() {
  module_.reset();
  jit_.reset();
}

void Jit::define(const std::string& name, std::initializer_list<llvm::Type*> args, const Body& body) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(*context_), args, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module_);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(*context_, "entry", function));
  body(b, *function);
  b.CreateRetVoid();
}

void Jit::define_map(const std::string& name, llvm::Type* in, unsigned lanes, const Map& map) {
  llvm::IRBuilder<> types(*context_);
  define(name, {types.getPtrTy(), types.getPtrTy(), types.getInt64Ty()}, [&](auto& b, auto& function) {
    auto* entry = b.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(*context_, "loop", &function);
    auto* done = llvm::BasicBlock::Create(*context_, "done", &function);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    auto* index = b.CreatePHI(b.getInt64Ty(), 2);
    index->addIncoming(b.getInt64(0), entry);
    llvm::Type* type = lanes ? llvm::FixedVectorType::get(in, lanes) : in;
    auto* from = b.CreateGEP(in, function.getArg(0), index);
    llvm::Value* result = map(b, b.CreateAlignedLoad(type, from, llvm::Align(1)));
    auto* to = b.CreateGEP(result->getType()->getScalarType(), function.getArg(1), index);
    b.CreateAlignedStore(result, to, llvm::Align(1));
    llvm::Value* next = b.CreateAdd(index, b.getInt64(lanes ? lanes : 1));
    index->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, function.getArg(2)), loop, done);
    b.SetInsertPoint(done);
  });
}

void Jit::compile() {
  if (llvm::verifyModule(*module_, &llvm::errs())) std::abort();
  double begin = thread_milliseconds();
  auto builder = builder_for(cpu_);
  auto target = llvm::cantFail(builder.createTargetMachine());
  optimise(*module_, *target);
  if (const char* path = std::getenv("CPU_JIT_DUMP")) {  // for a look at what was generated
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    module_->print(file, nullptr);
  }
  jit_ = llvm::cantFail(LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  std::string first;
  for (auto& function : *module_) {
    if (!function.isDeclaration() && function.hasExternalLinkage()) first = function.getName().str();
  }
  llvm::cantFail(jit_->addIRModule(ThreadSafeModule(std::move(module_), std::move(context_))));
  find(first);  // compiles the whole module
  milliseconds_ = thread_milliseconds() - begin;
}

bool Jit::has_outside_symbols() {
  auto target = llvm::cantFail(builder_for(cpu_).createTargetMachine());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  target->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*module_);
  llvm::SmallVectorMemoryBuffer buffer(std::move(bytes));
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef()));
  bool outside = false;
  for (const auto& symbol : object->symbols()) {
    if (!(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)) continue;
    llvm::StringRef name = llvm::cantFail(symbol.getName());
    if (name.empty()) continue;
    llvm::errs() << "calls " << name << "\n";
    outside = true;
  }
  return outside;
}

void* Jit::find(const std::string& name) {
  return llvm::cantFail(jit_->lookup(name)).toPtr<void*>();
}

bool runs_here(const std::string& cpu) {
  Machine host = machine_of(*llvm::cantFail(builder_for("").createTargetMachine()));
  Machine other = machine_of(*llvm::cantFail(builder_for(cpu).createTargetMachine()));
  return host.x86 == other.x86 && host.vector_bits >= other.vector_bits && host.fma >= other.fma &&
         host.f16c >= other.f16c;
}

}  // namespace tilewire::target::cpu
