#include "target/cpu/module_emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <set>

#include "ir/abi_numbers.h"
#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/roots.h"
#include "support/diagnostics/cpu.h"
#include "target/cpu/emitter.h"
#include "target/cpu/may_block.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Constant;

namespace {

// A block that needs more than this is a mistake in the program, not a large tile.
constexpr int64_t arena_limit = int64_t{1} << 30;

static_assert(static_cast<int>(abi::Reads) == EffectReads && static_cast<int>(abi::Writes) == EffectWrites &&
              static_cast<int>(abi::Atomic) == EffectAtomic &&
              static_cast<int>(abi::Communicates) == EffectCommunicates);

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
  types.transfer = llvm::StructType::get(
      context, {ptr, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i8, i8, llvm::ArrayType::get(i8, 2), i32});
  types.condition = llvm::StructType::get(context, {ptr, i32, i32, i32, i32});
  types.deferred = llvm::StructType::get(context, {ptr, ptr, i32, i32, i32, i32});
  types.host_window = llvm::StructType::get(context, {ptr, i32, i32, i32, i32});
  types.device_call = llvm::StructType::get(context, {ptr, ptr, i64, i32, i32});
  types.print = llvm::StructType::get(
      context, {ptr, ptr, ptr, i64, i64, i64, i64, i32, i8, llvm::ArrayType::get(i8, 3)});
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

void ModuleEmitter::collect(const Program& program) {
  uint32_t counts[3] = {};
  for (const FunctionRef& function : program.functions) {
    Entry entry;
    entry.function = function.get();
    if (is_kernel(function->type)) {
      entry.role = Kernel;
    } else if (function->type == FunctionType::Orchestration) {
      entry.role = Orchestration;
    } else if (function->type == FunctionType::Host) {
      entry.role = Host;
    } else {
      continue;
    }
    if (entry.role == Kernel) {
      auto effects = param_effects(function->effects);
      TW_CHECK(effects && effects->size() == function->params.size(),
               "a kernel without recorded effects: " + function->name);
      entry.effects = std::move(*effects);
    }
    entry.index = counts[entry.role]++;
    by_name_.emplace(function->name, entries_.size());
    entries_.push_back(std::move(entry));
  }
}

namespace {

// The window buffers a host function views, in the order it does.
struct ViewedBuffers : Visitor<ViewedBuffers> {
  std::vector<const WindowBuffer*> found;
  void visit(const Call& call) {
    walk_children(call);
    for (const ExprRef& arg : call.args) {
      if (const auto* buffer = as<WindowBuffer>(arg)) found.push_back(buffer);
    }
  }
};

}  // namespace

// Group after group, each in the order of its slots; buffers of no group follow.
void ModuleEmitter::collect_windows(const Program& program) {
  std::map<const Var*, uint32_t> hosts;
  std::vector<const WindowBuffer*> viewed;
  for (const Entry& entry : entries_) {
    if (entry.role != Host) continue;
    ViewedBuffers buffers;
    buffers.walk(*entry.function->body);
    for (const WindowBuffer* buffer : buffers.found) {
      if (hosts.emplace(buffer->base.get(), entry.index).second) viewed.push_back(buffer);
    }
  }
  std::set<const Var*> listed;
  auto add = [&](const WindowBuffer* buffer) {
    auto host = hosts.find(buffer->base.get());
    if (host != hosts.end() && listed.insert(buffer->base.get()).second) {
      windows_.push_back({buffer, host->second});
    }
  };
  for (const auto& group : program.comm_groups) {
    for (const WindowBufferRef& slot : group->slots) add(slot.get());
  }
  for (const WindowBuffer* buffer : viewed) add(buffer);
}

std::optional<uint32_t> ModuleEmitter::window_number(const Var* base) const {
  for (size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].buffer->base.get() == base) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

const ReturnedParams& ModuleEmitter::returned(const FunctionCall& call) const {
  auto found = by_name_.find(call.callee);
  TW_CHECK(found != by_name_.end(), "no function " + call.callee);
  return entries_[found->second].returned;
}

const Function& ModuleEmitter::find(const std::string& name) const {
  auto found = by_name_.find(name);
  TW_CHECK(found != by_name_.end(), "no function " + name);
  return *entries_[found->second].function;
}

const std::string& ModuleEmitter::source_name(const std::string& name) const {
  const Span& made = find(name).span;
  for (const Entry& entry : entries_) {
    const Span& at = entry.function->span;
    const bool same = made && at.file == made.file && at.line == made.line && at.column == made.column;
    if (same && entry.role == Kernel) return entry.function->name;
  }
  return name;
}

// Callees first: what they return is part of the plan of their callers.
bool ModuleEmitter::plan_functions(const Program& program) {
  const passes::ReturnRoots returns = passes::return_roots(program);
  for (Role role : {Kernel, Orchestration, Host}) {
    for (Entry& entry : entries_) {
      if (entry.role != role) continue;
      entry.plan = make_plan(*entry.function, *this, machine, options.hooks, diags);
      if (!entry.plan) return false;
      entry.returned = returned_params(*entry.function, returns);
      if (entry.plan->arena_bytes > arena_limit) {
        diags.report(diag::cpu_arena, entry.function->span,
                     {entry.function->name, std::to_string(entry.plan->arena_bytes)});
        return false;
      }
    }
  }
  return true;
}

// Records are known to callers before they are filled.
void ModuleEmitter::declare_tables() {
  for (Role role : {Kernel, Orchestration, Host}) {
    auto same = [&](const Entry& entry) { return entry.role == role; };
    auto count = static_cast<uint64_t>(std::count_if(entries_.begin(), entries_.end(), same));
    auto* type = llvm::ArrayType::get(function_type_, count);
    tables_[role] = new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::InternalLinkage,
                                             nullptr, "tw.functions");
  }
}

std::unique_ptr<llvm::Module> ModuleEmitter::emit(const Program& program) {
  module_ = std::make_unique<llvm::Module>("tilewire", context);
  module_->setDataLayout(target_.createDataLayout());
  module_->setTargetTriple(target_.getTargetTriple().str());
  collect(program);
  collect_windows(program);
  if (!plan_functions(program)) return nullptr;
  declare_tables();
  for (Entry& entry : entries_) {
    entry.params = params_table(entry);
    entry.results = entry.role == Kernel ? nullptr : results_table(entry);
  }
  if (options.bounds || options.hooks || !options.in_memory) lines = std::make_unique<DebugLines>(*module_);
  for (Entry& entry : entries_) {
    entry.code = FunctionEmitter(*this, *entry.function, *entry.plan).run();
    if (diags.has_errors()) return nullptr;
  }
  if (lines) lines->finish();
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
      param_type_,
      {text(name), byte(kind), byte(access), byte(rank), byte(bytes(dtype)), byte(abi_number(dtype)),
       llvm::ConstantAggregateZero::get(llvm::ArrayType::get(b.getInt8Ty(), 3))});
}

llvm::GlobalVariable* ModuleEmitter::params_table(const Entry& entry) {
  std::vector<Constant*> rows;
  for (size_t i = 0; i < entry.function->params.size(); ++i) {
    const Parameter& param = *entry.function->params[i];
    uint8_t access = entry.role == Kernel ? entry.effects[i] : access_of(param);
    rows.push_back(param_constant(param.name, param.type, access));
  }
  if (entry.role == Kernel) {
    for (const TypeRef& type : scalar_results(*entry.function)) {
      TypeRef slot = make<TensorType>(Span{}, ExprList{const_index(1)}, stored_dtype(type));
      rows.push_back(param_constant("", slot, abi::Writes));
    }
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
  uint32_t bits = entry.role == Kernel ? may_block(*entry.function) : 0;
  if (entry.function->lanes == 2) bits |= abi::TwoLanes;
  if (entry.function->lanes == 3) bits |= abi::ThreeLanes;
  return llvm::ConstantStruct::get(
      function_type_, {text(entry.function->name), entry.code, entry.params,
                       entry.results ? static_cast<Constant*>(entry.results) : null,
                       b.getInt32(count(entry.params)), b.getInt32(entry.results ? count(entry.results) : 0),
                       b.getInt64(static_cast<uint64_t>(entry.plan->arena_bytes)), b.getInt32(bits),
                       b.getInt32(site(entry.function->span, entry.function->name))});
}

Constant* ModuleEmitter::window_constant(const HostWindow& window) {
  llvm::IRBuilder<> b(context);
  const Function* host = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.role == Host && entry.index == window.host) host = entry.function;
  }
  auto staged = [&](const VarRef& var) {
    for (size_t i = 0; var && i < host->params.size(); ++i) {
      if (host->params[i].get() == var.get()) return b.getInt32(static_cast<uint32_t>(i));
    }
    return b.getInt32(static_cast<uint32_t>(-1));
  };
  const WindowBuffer& buffer = *window.buffer;
  return llvm::ConstantStruct::get(
      abi_types(context).host_window,
      {text(buffer.name), b.getInt32(window.host), staged(buffer.load_from_host),
       staged(buffer.store_to_host), b.getInt32(site(buffer.base->span, buffer.name))});
}

void ModuleEmitter::finish_tables() {
  llvm::IRBuilder<> b(context);
  auto number = [&](size_t n) { return b.getInt32(static_cast<uint32_t>(n)); };
  size_t counts[3] = {};
  for (Role role : {Kernel, Orchestration, Host}) {
    std::vector<Constant*> rows;
    for (const Entry& entry : entries_) {
      if (entry.role == role) rows.push_back(function_constant(entry));
    }
    counts[role] = rows.size();
    auto* type = llvm::cast<llvm::ArrayType>(tables_[role]->getValueType());
    tables_[role]->setInitializer(llvm::ConstantArray::get(type, rows));
  }
  std::vector<Constant*> windows, sites;
  for (const HostWindow& window : windows_) windows.push_back(window_constant(window));
  auto* window_table = constant_array(abi_types(context).host_window, windows, "tw.windows");
  for (const SiteKey& key : sites_) {
    sites.push_back(
        llvm::ConstantStruct::get(site_type_, {text(key.file ? key.file->name() : ""), text(key.what),
                                               b.getInt32(key.line), b.getInt32(key.column)}));
  }
  auto* site_table = constant_array(site_type_, sites, "tw.sites");
  uint32_t flags = 0;
  if (options.hooks) flags |= abi::Hooks;
  if (options.bounds) flags |= abi::ChecksBounds;
  auto* record = llvm::ConstantStruct::get(
      module_type_, {number(abi::version), number(flags), tables_[Kernel], tables_[Orchestration], site_table,
                     number(counts[Kernel]), number(counts[Orchestration]), number(sites.size()),
                     number(counts[Host]), tables_[Host], window_table, number(windows.size()), number(0)});
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

Constant* ModuleEmitter::record(const std::string& name) {
  const Entry& entry = entries_[by_name_.find(name)->second];
  llvm::IRBuilder<> b(context);
  return llvm::ConstantExpr::getInBoundsGetElementPtr(
      tables_[entry.role]->getValueType(), tables_[entry.role],
      llvm::ArrayRef<Constant*>{b.getInt64(0), b.getInt64(entry.index)});
}

}  // namespace tilewire::target::cpu
