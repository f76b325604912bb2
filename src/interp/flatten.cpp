// IR to linear code. Structured statements become jumps, SSA variables registers; a task scope becomes code
// of its own whose parameters are the variables it captures.
#include <algorithm>
#include <bit>
#include <functional>

#include "interp/code.h"
#include "interp/op_table.h"
#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/pointer_map.h"
#include "ops/handles.h"
#include "passes/effects.h"
#include "passes/roots.h"
#include "passes/task_call.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {

using namespace ir;

class Flattener {
 public:
  Flattener(Image& image, Diagnostics& diags, const ShownNames& names)
      : image_(image),
        diags_(diags),
        names_(names),
        effects_(*passes::recorded_effects(*image.program_)),
        returns_(passes::return_roots(*image.program_)) {}

  const Code& function(const std::string& name);

 private:
  friend class CodeBuilder;
  Image& image_;
  Diagnostics& diags_;
  const ShownNames& names_;
  const passes::KernelEffects effects_;
  const passes::ReturnRoots returns_;
  std::map<std::string, const Code*, std::less<>> functions_;
};

namespace {

CodeLevel code_level(FunctionType type) {
  if (is_host(type)) return CodeLevel::Host;
  return is_orchestration(type) ? CodeLevel::Orchestration : CodeLevel::Kernel;
}

}  // namespace

// Fills one Code.
class CodeBuilder {
 public:
  CodeBuilder(Flattener& flattener, Code& code, CodeBuilder* outer)
      : flattener_(flattener), code_(code), outer_(outer) {}

  void function(const Function& f) {
    std::vector<const Var*> roots;
    for (const auto& param : f.params) {
      code_.params.push_back(define(*param));
      roots.push_back(param.get());
    }
    block(*f.body, {});
    if (code_.instrs.empty() || code_.instrs.back().code != Opcode::Return) emit_return({}, *f.body);
    code_.result_count = f.return_types.size();
    auto effects = flattener_.effects_.find(f.name);
    if (effects != flattener_.effects_.end()) code_.effects = effects->second;
    finish(*f.body, roots);
  }

  void scope(const Block& body, const Var* block_var, size_t results) {
    if (block_var) block_slot_ = define(*block_var);
    if (block_var) emit_block_index(*block_var);
    is_scope_ = true;
    block(body, {});
    if (code_.instrs.empty() || code_.instrs.back().code != Opcode::Return) emit_return({}, body);
    code_.result_count = results;
    code_.effects = passes::effects_of(body, captured_, flattener_.returns_, flattener_.effects_);
    finish(body, captured_);
  }

  const std::vector<const Node*>& captures() const { return capture_nodes_; }

  // The register of a variable; in a scope one of the function around it is captured first.
  Slot slot_of(const Var& var) {
    const Var* v = &var;
    if (const auto* buffer = as<WindowBuffer>(v)) v = buffer->base.get();
    if (const Slot* slot = slots_.find(v)) return *slot;
    TW_CHECK(outer_, "a variable is used outside its scope: " + var.name_hint);
    return capture(*v, v);
  }

  Slot symbol_slot(const DimSymbol& symbol) {
    auto found = code_.symbols.find(symbol.name);
    if (found != code_.symbols.end()) return found->second;
    Slot slot = outer_ ? capture(symbol, nullptr) : fresh();
    code_.symbols.emplace(symbol.name, slot);
    return slot;
  }

 private:
  Slot fresh() {
    code_.initial.emplace_back();
    return static_cast<Slot>(code_.initial.size() - 1);
  }
  Slot define(const Var& var) {
    Slot slot = fresh();
    slots_.insert(&var, slot);
    return slot;
  }
  Slot capture(const Node& node, const Var* var) {
    Slot slot = fresh();
    if (var) slots_.insert(var, slot);
    code_.params.push_back(slot);
    captured_.push_back(var ? var : &unnamed_symbol());
    capture_nodes_.push_back(&node);
    return slot;
  }
  // Stands for a captured dimension among the roots of aliases: nothing flows from it.
  static const Var& unnamed_symbol() {
    static const VarRef var = make<Var>(Span{}, std::string("dimension"), scalar_type(DType::Index));
    return *var;
  }

  Instr& emit(Opcode code, const Node& node) {
    Instr& instr = code_.instrs.emplace_back();
    instr.code = code;
    instr.node = &node;
    return instr;
  }
  uint32_t here() const { return static_cast<uint32_t>(code_.instrs.size()); }
  void jump(uint32_t target, const Node& node) { emit(Opcode::Jump, node).target = target; }
  void move(Slot to, Slot from, const Node& node) {
    if (to == from) return;
    Instr& instr = emit(Opcode::Move, node);
    instr.dst = to;
    instr.a = from;
  }
  // All sources are read before any target is written.
  void move_all(const std::vector<Slot>& to, std::vector<Slot> from, const Node& node) {
    if (to.size() > 1) {
      for (Slot& source : from) {
        Slot copy = fresh();
        move(copy, source, node);
        source = copy;
      }
    }
    for (size_t i = 0; i < to.size(); ++i) move(to[i], from[i], node);
  }

  std::vector<Slot> define_all(const VarList& vars) {
    std::vector<Slot> slots;
    for (const VarRef& var : vars) slots.push_back(define(*var));
    return slots;
  }
  std::vector<Slot> slots_of(const ExprList& exprs) {
    std::vector<Slot> slots;
    for (const ExprRef& e : exprs) slots.push_back(expr(*e));
    return slots;
  }
  uint32_t list(const std::vector<Slot>& slots) {
    auto first = static_cast<uint32_t>(code_.slots.size());
    code_.slots.insert(code_.slots.end(), slots.begin(), slots.end());
    return first;
  }

  // --- expressions

  Slot constant(Value value, int64_t bits, DType dtype, bool is_float) {
    auto [found, added] = constants_.try_emplace({bits, static_cast<int>(dtype) * 2 + is_float}, no_slot);
    if (added) {
      found->second = fresh();
      code_.initial.back() = std::move(value);
    }
    return found->second;
  }

  Slot expr(const Expr& e) {
    if (const auto* var = as<Var>(&e)) return slot_of(*var);
    if (const auto* symbol = as<DimSymbol>(&e)) return symbol_slot(*symbol);
    if (const auto* c = as<ConstInt>(&e)) {
      return constant(Scalar::of_int(c->dtype, c->value), c->value, c->dtype, false);
    }
    if (const auto* c = as<ConstFloat>(&e)) {
      return constant(Scalar::of_float(c->dtype, c->value), std::bit_cast<int64_t>(c->value), c->dtype, true);
    }
    if (const auto* c = as<ConstBool>(&e)) {
      return constant(Scalar::of_bool(c->value), c->value, DType::Bool, false);
    }
    Slot dst = fresh();
    expr_into(e, dst);
    return dst;
  }

  void expr_into(const Expr& e, Slot dst) {
    if (const auto* call = as<Call>(&e)) return op(*call, dst);
    if (const auto* call = as<FunctionCall>(&e)) return function_call(*call, dst);
    if (const auto* tuple = as<MakeTuple>(&e)) {
      std::vector<Slot> elements = slots_of(tuple->elements);
      uint32_t first = list(elements);
      Instr& instr = emit(Opcode::Tuple, e);
      instr.dst = dst;
      instr.first = first;
      instr.count = static_cast<uint32_t>(elements.size());
      return;
    }
    if (const auto* get = as<TupleGet>(&e)) {
      Slot tuple = expr(*get->tuple);
      Instr& instr = emit(Opcode::Get, e);
      instr.dst = dst;
      instr.a = tuple;
      instr.index = get->index;
      return;
    }
    move(dst, expr(e), e);
  }

  // A task of no instructions: it ends when the tasks it waits for have ended.
  void join(const Call& call, Slot dst) {
    auto code = std::make_unique<Code>();
    code->name = "task_join";
    code->node = &call;
    code->defers = true;
    Instr& end = code->instrs.emplace_back();
    end.code = Opcode::Return;
    end.node = &call;
    auto site = std::make_unique<Site>();
    site->kind = Site::Kind::Task;
    site->scope = true;
    site->callee = code.get();
    site->deps = slots_of(static_cast<const MakeTuple&>(*call.args[0]).elements);
    site->task_id = dst;
    flattener_.image_.codes_.push_back(std::move(code));
    emit_call(std::move(site), call, no_slot);
  }

  void op(const Call& call, Slot dst) {
    const OpEntry* entry = op_entries().find(*call.op);
    if (!entry) flattener_.diags_.report(diag::run_no_semantics, call.span, {call.op->qualified()});
    if (entry && entry->submits) return join(call, dst);
    std::vector<Operand> operands(call.args.size());
    for (size_t i = 0; i < call.op->params.size(); ++i) {
      int slot = call.op->operand_slots[i];
      if (slot < 0 || !call.args[slot]) continue;
      const Expr& arg = *call.args[slot];
      std::vector<Slot> slots;
      const auto* tuple = as<MakeTuple>(&arg);
      if (tuple && call.op->params[i].kind == OpParam::ListOperand) {
        slots = slots_of(tuple->elements);
      } else {
        slots.push_back(expr(arg));
      }
      operands[slot] = {list(slots), static_cast<uint32_t>(slots.size()), true};
    }
    auto first = static_cast<uint32_t>(code_.operands.size());
    code_.operands.insert(code_.operands.end(), operands.begin(), operands.end());
    Instr& instr = emit(Opcode::Op, call);
    instr.dst = dst;
    instr.first = first;
    instr.count = static_cast<uint32_t>(operands.size());
    instr.entry = entry;
  }

  void function_call(const FunctionCall& call, Slot dst) {
    auto site = std::make_unique<Site>();
    site->callee = &flattener_.function(call.callee);
    site->kind = code_.level == CodeLevel::Host            ? Site::Kind::Dispatch
                 : code_.level == CodeLevel::Orchestration ? Site::Kind::Task
                                                           : Site::Kind::Plain;
    site->args = slots_of(call.args);
    if (call.device) site->device = expr(*call.device);
    if (call.blocks) site->blocks = expr(*call.blocks);
    site->deps = slots_of(call.deps);
    if (scope_) {  // the call is the whole task of the scope around it
      site->deps.insert(site->deps.end(), scope_->deps.begin(), scope_->deps.end());
      if (scope_->blocks != no_slot) site->blocks = scope_->blocks;
      site->ordered = scope_->ordered;
      site->sync_start = scope_->sync_start;
      site->task_id = scope_->task_id;
    }
    emit_call(std::move(site), call, dst);
  }

  void emit_call(std::unique_ptr<Site> site, const Node& node, Slot dst) {
    Instr& instr = emit(Opcode::Call, node);
    instr.dst = dst;
    instr.site = site.get();
    code_.sites.push_back(std::move(site));
  }

  // --- statements

  // `yields`: where a yield of this block puts its values.
  void block(const Block& body, const std::vector<Slot>& yields) {
    for (const StmtRef& stmt : body.stmts) statement(*stmt, yields);
  }

  void statement(const Stmt& stmt, const std::vector<Slot>& yields) {
    if (const auto* s = as<Assign>(&stmt)) {
      Slot slot = fresh();  // before the value: a variable is not in scope in its own definition
      expr_into(*s->value, slot);
      slots_.insert(s->var.get(), slot);
    } else if (const auto* s = as<Eval>(&stmt)) {
      expr_into(*s->value, fresh());
    } else if (const auto* s = as<Return>(&stmt)) {
      emit_return(slots_of(s->values), stmt);
    } else if (const auto* s = as<Yield>(&stmt)) {
      depth_ == 0 && is_scope_ ? emit_return(slots_of(s->values), stmt)
                               : move_all(yields, slots_of(s->values), stmt);
    } else if (const auto* s = as<If>(&stmt)) {
      branch(*s);
    } else if (const auto* s = as<For>(&stmt)) {
      for_loop(*s);
    } else if (const auto* s = as<While>(&stmt)) {
      while_loop(*s);
    } else if (const auto* s = as<AtScope>(&stmt)) {
      task_scope(*s, s->body, nullptr, nullptr, false);
    } else if (const auto* s = as<SpmdScope>(&stmt)) {
      task_scope(*s, s->body, s->block_var.get(), s->block_count.get(), s->sync_start);
    } else if (const auto* s = as<WithScope>(&stmt)) {
      const bool manual = s->scope_kind == ScopeKind::Manual;
      parallel(manual ? abi::ParallelStep::EnterManual : abi::ParallelStep::EnterStorage, *s);
      block(*s->body, {});
      parallel(manual ? abi::ParallelStep::LeaveManual : abi::ParallelStep::LeaveStorage, *s);
    } else {
      internal_error(__FILE__, __LINE__, "a statement the interpreter does not know");
    }
  }

  void emit_return(const std::vector<Slot>& values, const Node& node) {
    uint32_t first = list(values);
    Instr& instr = emit(Opcode::Return, node);
    instr.first = first;
    instr.count = static_cast<uint32_t>(values.size());
  }

  void branch(const If& s) {
    Slot condition = expr(*s.condition);
    std::vector<Slot> results;
    for (size_t i = 0; i < s.results.size(); ++i) results.push_back(fresh());
    uint32_t test = here();
    emit(Opcode::JumpIfNot, s).a = condition;
    ++depth_;
    const size_t branch = code_.branches.size();
    code_.branches.push_back({&s, here(), 0, true});
    block(*s.then_body, results);
    code_.branches[branch].end = here();
    if (s.else_body) {
      uint32_t over = here();
      jump(0, s);
      code_.instrs[test].target = here();
      const size_t other = code_.branches.size();
      code_.branches.push_back({&s, here(), 0, false});
      block(*s.else_body, results);
      code_.branches[other].end = here();
      code_.instrs[over].target = here();
    } else {
      code_.instrs[test].target = here();
    }
    --depth_;
    for (size_t i = 0; i < s.results.size(); ++i) slots_.insert(s.results[i].get(), results[i]);
  }

  void for_loop(const For& s) {
    Slot counter = fresh();
    move(counter, expr(*s.start), s);
    Slot stop = expr(*s.stop), step = expr(*s.step);
    std::vector<Slot> init = slots_of(s.init_values);
    std::vector<Slot> carried = define_all(s.iter_args);
    move_all(carried, init, s);
    Slot variable = define(*s.loop_var);
    const bool independent = s.loop_kind == LoopKind::Parallel && code_.level == CodeLevel::Orchestration;
    if (independent) parallel(abi::ParallelStep::Enter, s);
    uint32_t top = here();
    Instr& test = emit(Opcode::ForTest, s);
    test.a = counter;
    test.b = stop;
    test.c = step;
    const size_t loop = code_.loops.size();
    code_.loops.push_back({&s, here(), 0});
    if (independent) parallel(abi::ParallelStep::Round, s);
    move(variable, counter, s);
    ++depth_;
    block(*s.body, carried);
    --depth_;
    Instr& next = emit(Opcode::ForNext, s);
    next.a = counter;
    next.b = stop;
    next.c = step;
    next.target = top;
    code_.instrs[top].target = here();
    code_.loops[loop].end = here();
    if (independent) parallel(abi::ParallelStep::Leave, s);
    for (size_t i = 0; i < s.results.size(); ++i) slots_.insert(s.results[i].get(), carried[i]);
  }

  void parallel(abi::ParallelStep step, const Node& node) {
    emit(Opcode::Parallel, node).index = static_cast<int64_t>(step);
  }

  void while_loop(const While& s) {
    std::vector<Slot> init = slots_of(s.init_values);
    std::vector<Slot> carried = define_all(s.iter_args);
    move_all(carried, init, s);
    uint32_t top = here();
    emit(Opcode::Round, s);
    ++depth_;
    block(*s.before, {});
    Slot condition = expr(*s.condition);
    uint32_t test = here();
    emit(Opcode::JumpIfNot, s).a = condition;
    const size_t loop = code_.loops.size();
    code_.loops.push_back({&s, here(), 0});
    block(*s.body, carried);
    --depth_;
    jump(top, s);
    code_.instrs[test].target = here();
    code_.loops[loop].end = here();
    for (size_t i = 0; i < s.results.size(); ++i) slots_.insert(s.results[i].get(), carried[i]);
  }

  template <class Scope>
  void task_scope(const Scope& s, const BlockRef& body, const Var* block_var, const Expr* count,
                  bool sync_start) {
    if (!block_var && passes::single_call(*body)) {
      Site around;
      if (count) around.blocks = expr(*count);
      around.deps = slots_of(s.deps);
      around.ordered = s.ordered;
      around.sync_start = sync_start;
      if (s.task_id) around.task_id = fresh();
      std::vector<Slot> results;
      for (size_t i = 0; i < s.results.size(); ++i) results.push_back(fresh());
      scope_ = &around;
      ++depth_;
      block(*body, results);
      --depth_;
      scope_ = nullptr;
      for (size_t i = 0; i < s.results.size(); ++i) slots_.insert(s.results[i].get(), results[i]);
      if (s.task_id) slots_.insert(s.task_id.get(), around.task_id);
      return;
    }
    auto code = std::make_unique<Code>();
    code->name = s.name_hint.empty() ? code_.name : s.name_hint;
    code->node = &s;
    CodeBuilder inner(flattener_, *code, this);
    inner.scope(*body, block_var, s.results.size());
    auto site = std::make_unique<Site>();
    site->kind = Site::Kind::Task;
    site->scope = true;
    site->callee = code.get();
    for (const Node* node : inner.captures()) {
      const auto* symbol = as<DimSymbol>(node);
      site->args.push_back(symbol ? symbol_slot(*symbol) : slot_of(static_cast<const Var&>(*node)));
    }
    if (count) site->blocks = expr(*count);
    site->deps = slots_of(s.deps);
    site->ordered = s.ordered;
    site->sync_start = sync_start;
    site->results = define_all(s.results);
    if (s.task_id) site->task_id = define(*s.task_id);
    flattener_.image_.codes_.push_back(std::move(code));
    emit_call(std::move(site), s, no_slot);
  }

  // `for b in pl.spmd(n)`: b is the block's number.
  void emit_block_index(const Var& var) {
    auto first = static_cast<uint32_t>(code_.operands.size());
    const Op& op = ops::pl::tile::get_block_idx;
    block_index_ = make<Call>(var.span, &op, ExprList{}, AttrList{}, scalar_type(DType::Index));
    code_.keeps.push_back(block_index_);
    Instr& instr = emit(Opcode::Op, *block_index_);
    instr.dst = block_slot_;
    instr.first = first;
    instr.entry = op_entries().find(op);
  }

  void finish(const Block& body, const std::vector<const Var*>& roots) {
    const passes::Roots named(roots, body, flattener_.returns_);
    const auto* ret = body.stmts.empty() ? nullptr : as<Return>(body.stmts.back());
    const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
    for (const ExprRef& value : ret ? ret->values : yield ? yield->values : ExprList()) {
      code_.result_param.push_back(named.same(value));
    }
    code_.result_param.resize(code_.result_count, -1);
    code_.defers = is_scope_ && !code_.instrs.empty();
    for (const Instr& instr : code_.instrs) {
      if (instr.code == Opcode::Return) continue;
      const auto* call = instr.code == Opcode::Op ? as<Call>(instr.node) : nullptr;
      bool scalar = call && call->op->effects.empty();
      code_.defers &= scalar || (call && call->op == ops::pld::system::defer_wait);
    }
    code_.defers &= std::any_of(code_.instrs.begin(), code_.instrs.end(), [](const Instr& instr) {
      const auto* call = instr.code == Opcode::Op ? as<Call>(instr.node) : nullptr;
      return call && call->op == ops::pld::system::defer_wait;
    });
  }

  Flattener& flattener_;
  Code& code_;
  CodeBuilder* outer_;
  PointerMap<Slot> slots_;
  std::map<std::pair<int64_t, int>, Slot> constants_;
  std::vector<const Var*> captured_;
  std::vector<const Node*> capture_nodes_;
  Ref<const Call> block_index_;
  Slot block_slot_ = no_slot;
  const Site* scope_ = nullptr;  // of one kernel call, which is being read
  bool is_scope_ = false;
  int depth_ = 0;
};

const Code& Flattener::function(const std::string& name) {
  auto found = functions_.find(name);
  if (found != functions_.end()) {
    TW_CHECK(found->second, "a function calls itself: " + name);
    return *found->second;
  }
  FunctionRef f = image_.program_->find(name);
  TW_CHECK(f, "a call of a function that does not exist: " + name);
  functions_.emplace(name, nullptr);
  auto code = std::make_unique<Code>();
  const auto shown = names_.find(name);
  code->name = shown == names_.end() ? name : shown->second;
  code->function = f.get();
  code->node = f.get();
  code->level = code_level(f->type);
  CodeBuilder(*this, *code, nullptr).function(*f);
  const Code& made = *code;
  image_.codes_.push_back(std::move(code));
  functions_[name] = &made;
  return made;
}

std::shared_ptr<const Image> Image::make(const ProgramRef& program, std::string_view entry,
                                         Diagnostics& diags, const ShownNames& names) {
  auto image = std::make_shared<Image>();
  image->program_ = program;
  if (!passes::recorded_effects(*program)) image->program_ = passes::record_effects(program, diags);
  Flattener flattener(*image, diags, names);
  image->entry_ = &flattener.function(std::string(entry));
  if (diags.has_errors()) return nullptr;
  for (const auto& code : image->codes_) {
    code->first = static_cast<uint32_t>(image->instr_count_);
    image->instr_count_ += code->instrs.size();
  }
  return image;
}

}  // namespace tilewire::interp
