#include "target/cpu/module_emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "ir/op.h"
#include "support/diagnostics/cpu.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Constant;

namespace {

// A block that needs more than this is a mistake in the program, not a large tile.
constexpr int64_t arena_limit = int64_t{1} << 30;

bool is_kernel(const Function& function) {
  return function.type == FunctionType::InCore || function.type == FunctionType::AIC ||
         function.type == FunctionType::AIV;
}

uint8_t access_of(const Parameter& param) {
  if (!isa<TensorType>(param.type)) return 0;
  switch (param.direction) {
    case Direction::In:
      return abi::Reads;
    case Direction::Out:
      return abi::Writes;
    case Direction::InOut:
      return abi::Reads | abi::Writes;
  }
  return 0;
}

}  // namespace

AbiTypes abi_types(llvm::LLVMContext& context) {
  auto* ptr = llvm::PointerType::get(context, 0);
  auto* i8 = llvm::Type::getInt8Ty(context);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  AbiTypes types;
  types.param = llvm::StructType::get(context, {ptr, i8, i8, i8, i8, i8, llvm::ArrayType::get(i8, 3)});
  types.function = llvm::StructType::get(context, {ptr, ptr, ptr, ptr, i32, i32, i64, i32, i32});
  types.site = llvm::StructType::get(context, {ptr, ptr, i32, i32});
  types.module =
      llvm::StructType::get(context, {i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, ptr, ptr, i32, i32});
  types.launch = llvm::StructType::get(context, {ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32});
  types.hook_event =
      llvm::StructType::get(context, {i32, i32, ptr, llvm::ArrayType::get(i64, 2), i64, i32, i32});
  return types;
}

ModuleEmitter::ModuleEmitter(llvm::LLVMContext& context, const llvm::TargetMachine& target,
                             const Machine& machine, const Options& options, Diagnostics& diags)
    : context(context), machine(machine), options(options), diags(diags), target_(target) {
  AbiTypes types = abi_types(context);
  param_type_ = types.param;
  function_type_ = types.function;
  site_type_ = types.site;
  module_type_ = types.module;
  sites_.push_back({nullptr, 0, 0, ""});
}

llvm::FunctionType* ModuleEmitter::code_type() const {
  auto* ptr = llvm::PointerType::get(context, 0);
  return llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {ptr, ptr, ptr}, false);
}

bool ModuleEmitter::collect(const Program& program) {
  int kernels = 0, entries = 0;
  for (const FunctionRef& function : program.functions) {
    bool kernel = is_kernel(*function);
    if (!kernel && function->type != FunctionType::Orchestration) continue;
    Entry entry;
    entry.function = function.get();
    entry.kernel = kernel;
    entry.index = kernel ? kernels++ : entries++;
    by_name_.emplace(function->name, entries_.size());
    entries_.push_back(std::move(entry));
  }
  return true;
}

const ReturnedParams& ModuleEmitter::returned(const FunctionCall& call) const {
  auto found = by_name_.find(call.callee);
  TW_CHECK(found != by_name_.end(), "no function " + call.callee);
  return entries_[found->second].returned;
}

const Function* ModuleEmitter::find_kernel(const std::string& name) const {
  auto found = by_name_.find(name);
  return found != by_name_.end() && entries_[found->second].kernel ? entries_[found->second].function
                                                                   : nullptr;
}

// Kernels first: what they return is part of the plan of their callers.
bool ModuleEmitter::plan_functions() {
  for (bool kernels : {true, false}) {
    for (Entry& entry : entries_) {
      if (entry.kernel != kernels) continue;
      entry.plan = make_plan(*entry.function, *this, machine, diags);
      if (!entry.plan) return false;
      if (kernels) entry.returned = returned_params(*entry.function, *entry.plan);
      if (entry.plan->arena_bytes > arena_limit) {
        diags.report(diag::cpu_arena, entry.function->span,
                     {entry.function->name, std::to_string(entry.plan->arena_bytes)});
        return false;
      }
    }
  }
  return true;
}

std::unique_ptr<llvm::Module> ModuleEmitter::emit(const Program& program) {
  module_ = std::make_unique<llvm::Module>("tilewire", context);
  module_->setDataLayout(target_.createDataLayout());
  module_->setTargetTriple(target_.getTargetTriple().str());
  if (!collect(program) || !plan_functions()) return nullptr;
  // Kernel records are known to callers before they are filled.
  size_t kernels = 0;
  for (const Entry& entry : entries_) kernels += entry.kernel;
  auto* table = llvm::ArrayType::get(function_type_, kernels);
  kernels_ = new llvm::GlobalVariable(*module_, table, true, llvm::GlobalValue::InternalLinkage, nullptr,
                                      "tw.kernels");
  for (Entry& entry : entries_) {
    entry.params = params_table(entry);
    entry.results = entry.kernel ? nullptr : results_table(entry);
  }
  for (Entry& entry : entries_) {
    entry.code = FunctionEmitter(*this, *entry.function, *entry.plan).run();
    if (diags.has_errors()) return nullptr;
  }
  finish_tables();
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(*module_, &out)) {
    out.flush();
    std::string text;
    llvm::raw_string_ostream dump(text);
    module_->print(dump, nullptr);
    internal_error(__FILE__, __LINE__, "emitted code is not valid: " + problem + text.substr(0, 20000));
  }
  return std::move(module_);
}

uint32_t ModuleEmitter::site(const Span& span, std::string_view what) {
  SiteKey key{span.file.get(), span.line, span.column, std::string(what)};
  if (!span) key = {nullptr, 0, 0, std::string(what)};
  auto [found, fresh] = site_ids_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
  if (fresh) sites_.push_back(std::move(key));
  return found->second;
}

llvm::Function* ModuleEmitter::fail_function() {
  if (fail_) return fail_;
  llvm::IRBuilder<> b(context);
  auto* type = llvm::FunctionType::get(b.getInt32Ty(),
                                       {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty(), b.getInt64Ty(),
                                        b.getInt64Ty(), b.getInt64Ty(), b.getInt64Ty()},
                                       false);
  fail_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, "tw.fail", *module_);
  fail_->addFnAttr(llvm::Attribute::NoInline);
  fail_->addFnAttr(llvm::Attribute::Cold);
  fail_->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", fail_));
  auto* api = b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), fail_->getArg(0),
                                                                      offsetof(abi::Context, api)));
  auto* code =
      b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), api, offsetof(abi::Api, fail)));
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : fail_->args()) args.push_back(&arg);
  b.CreateRet(b.CreateCall(type, code, args));
  return fail_;
}

Constant* ModuleEmitter::text(std::string_view value) {
  auto found = texts_.find(value);
  if (found != texts_.end()) return found->second;
  auto* data = llvm::ConstantDataArray::getString(context, llvm::StringRef(value.data(), value.size()));
  auto* global = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::InternalLinkage,
                                          data, "tw.text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  texts_.emplace(value, global);
  return global;
}

llvm::GlobalVariable* ModuleEmitter::constant_array(llvm::Type* element, std::vector<Constant*> values,
                                                    const char* name) {
  auto* type = llvm::ArrayType::get(element, values.size());
  return new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::InternalLinkage,
                                  llvm::ConstantArray::get(type, values), name);
}

Constant* ModuleEmitter::param_constant(std::string_view name, const TypeRef& type, uint8_t access) {
  llvm::IRBuilder<> b(context);
  auto kind = abi::ParamKind::Scalar;
  uint8_t rank = 0;
  DType dtype = scalar_dtype(type).value_or(DType::TaskId);
  if (const auto* tensor = as<TensorType>(type)) {
    kind = isa<DistributedTensorType>(type) ? abi::ParamKind::Window : abi::ParamKind::Tensor;
    rank = static_cast<uint8_t>(tensor->shape.size());
    dtype = tensor->dtype;
  } else if (isa<TaskIdType>(type)) {
    kind = abi::ParamKind::TaskId;
  } else if (isa<CommCtxType>(type)) {
    kind = abi::ParamKind::CommCtx;
  }
  auto byte = [&](auto value) { return b.getInt8(static_cast<uint8_t>(value)); };
  return llvm::ConstantStruct::get(
      param_type_, {text(name), byte(kind), byte(access), byte(rank), byte(bytes(dtype)), byte(dtype),
                    llvm::ConstantAggregateZero::get(llvm::ArrayType::get(b.getInt8Ty(), 3))});
}

llvm::GlobalVariable* ModuleEmitter::params_table(const Entry& entry) {
  std::vector<Constant*> rows;
  for (const auto& param : entry.function->params) {
    rows.push_back(param_constant(param->name, param->type, access_of(*param)));
  }
  return constant_array(param_type_, std::move(rows), "tw.params");
}

namespace {

void flat_types(const TypeRef& type, std::vector<TypeRef>& out) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) flat_types(element, out);
  } else {
    out.push_back(type);
  }
}

}  // namespace

llvm::GlobalVariable* ModuleEmitter::results_table(const Entry& entry) {
  std::vector<TypeRef> types;
  for (const TypeRef& type : entry.function->return_types) flat_types(type, types);
  std::vector<Constant*> rows;
  for (const TypeRef& type : types) rows.push_back(param_constant("", type, 0));
  return constant_array(param_type_, std::move(rows), "tw.results");
}

Constant* ModuleEmitter::function_constant(const Entry& entry) {
  llvm::IRBuilder<> b(context);
  auto count = [](llvm::GlobalVariable* table) {
    return static_cast<uint32_t>(llvm::cast<llvm::ArrayType>(table->getValueType())->getNumElements());
  };
  auto* null = llvm::ConstantPointerNull::get(b.getPtrTy());
  return llvm::ConstantStruct::get(
      function_type_, {text(entry.function->name), entry.code, entry.params,
                       entry.results ? static_cast<Constant*>(entry.results) : null,
                       b.getInt32(count(entry.params)), b.getInt32(entry.results ? count(entry.results) : 0),
                       b.getInt64(static_cast<uint64_t>(entry.plan->arena_bytes)), b.getInt32(0),
                       b.getInt32(site(entry.function->span, entry.function->name))});
}

void ModuleEmitter::finish_tables() {
  llvm::IRBuilder<> b(context);
  std::vector<Constant*> kernels, entries, sites;
  for (const Entry& entry : entries_) (entry.kernel ? kernels : entries).push_back(function_constant(entry));
  kernels_->setInitializer(
      llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(kernels_->getValueType()), kernels));
  auto* entry_table = constant_array(function_type_, entries, "tw.entries");
  for (const SiteKey& key : sites_) {
    sites.push_back(
        llvm::ConstantStruct::get(site_type_, {text(key.file ? key.file->name() : ""), text(key.what),
                                               b.getInt32(key.line), b.getInt32(key.column)}));
  }
  auto* site_table = constant_array(site_type_, sites, "tw.sites");
  uint32_t flags = 0;
  if (options.hooks) flags |= abi::Hooks;
  if (options.bounds) flags |= abi::ChecksBounds;
  auto number = [&](size_t n) { return b.getInt32(static_cast<uint32_t>(n)); };
  auto* record = llvm::ConstantStruct::get(
      module_type_,
      {number(abi::version), number(flags), kernels_, entry_table, site_table, number(kernels.size()),
       number(entries.size()), number(sites.size()), number(0), llvm::ConstantPointerNull::get(b.getPtrTy()),
       llvm::ConstantPointerNull::get(b.getPtrTy()), number(0), number(0)});
  new llvm::GlobalVariable(*module_, module_type_, true, llvm::GlobalValue::ExternalLinkage, record,
                           abi::module_symbol);
}

Constant* ModuleEmitter::element_param(DType dtype) {
  llvm::GlobalVariable*& record = element_params_[dtype];
  if (!record) {
    TypeRef type = make<TensorType>(Span{}, ExprList{const_index(1)}, dtype);
    record = constant_array(param_type_, {param_constant("", type, abi::Reads | abi::Writes)}, "tw.element");
  }
  return record;
}

Constant* ModuleEmitter::kernel_record(const std::string& name) {
  const Entry& entry = entries_[by_name_.find(name)->second];
  llvm::IRBuilder<> b(context);
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      kernels_->getValueType(), kernels_,
      llvm::ArrayRef<Constant*>{b.getInt64(0), b.getInt64(static_cast<uint64_t>(entry.index))});
}

Constant* ModuleEmitter::param_record(const std::string& function, size_t param) {
  const Entry& entry = entries_[by_name_.find(function)->second];
  llvm::IRBuilder<> b(context);
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      entry.params->getValueType(), entry.params,
      llvm::ArrayRef<Constant*>{b.getInt64(0), b.getInt64(param)});
}

}  // namespace tilewire::target::cpu
