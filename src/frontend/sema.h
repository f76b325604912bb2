// Syntax tree to IR: names, types, SSA.
//
// One Sema reads one program. The work is split by subject over sema_*.cpp:
//   sema_program   what is in the text, entry points, versions of functions, communication groups
//   sema_function  one function: parameters, directions, returns
//   sema_name      names, attributes, constants, the enclosing Python scope
//   sema_expr      calls of ops, conversions between known and run-time values
//   sema_operator  operators
//   sema_form      pl.const, pl.dynamic, pld.alloc_window and other forms that are not ops
//   sema_index     subscripts read and written
//   sema_type      annotations
//   sema_call      calls of functions: specialisation, inlining, dispatch
//   sema_stmt      simple statements
//   sema_branch    if, and early return
//   sema_loop      loops, break and continue
//   sema_task      pl.at and pl.spmd
//
// Every error is reported once, where it is; its value is an ErrorValue, which no later check complains
// about.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/frontend.h"
#include "frontend/parser.h"
#include "frontend/scope.h"
#include "frontend/value.h"
#include "ir/nodes.h"
#include "ir/op.h"
#include "ir/structural.h"

namespace tilewire::frontend {

// Where a function's statements are being put and what is known about its parameters.
struct FunctionContext {
  FunctionInfo* info = nullptr;
  uint8_t level = ir::OnKernel;  // of the statement being read: inside pl.at and pl.spmd it is the kernel's
  std::vector<ir::StmtRef>* out = nullptr;
  std::vector<Ref<ir::Parameter>> params;
  std::vector<bool> direction_given, read, written;
  std::unordered_map<const ir::Expr*, int> roots;  // variables that name a parameter's storage
  std::unordered_map<const ir::Expr*, std::vector<int>> tuple_roots;  // the same per element
  int loop_depth = 0;
  int scope_depth = 0;                         // of pl.at and pl.spmd
  int spmd_depth = 0;                          // of pl.spmd alone
  size_t defer_waits = 0;                      // read so far
  Span scope_call;                             // the last call of a kernel in the pl.at being read
  const FunctionInfo* scope_callee = nullptr;  // and what it calls
  std::vector<const ir::Var*> rank_variables;  // of the pl.range loops around
};

// One text being read: a function, or an inline function inside it.
struct Frame {
  Scope* scope = nullptr;
  const FunctionInfo* info = nullptr;
  std::vector<Value> env;                       // by Symbol
  std::vector<std::pair<Symbol, Value>> trail;  // what each binding replaced
  Carries carries;
  // Of the innermost loop with break or continue: pseudo-names that hold its flags; 0: none.
  Symbol active_flag = 0, running_flag = 0;
  int flags = 0;  // made so far
  int loop_depth = 0;
  int scope_depth_at_entry = 0;
  bool is_inline = false;
  bool returned = false;
  bool returns_tuple = false;
  std::vector<Value> return_values;
  Span return_span;
};

// The keywords and bounds of `pl.range(...)` and its kin.
struct LoopHeader {
  ir::ExprRef start, stop, step;
  ir::ExprList init_values;
  ir::For* counted = nullptr;        // receives Attr fields
  ir::While* conditional = nullptr;  // or this one
};

// The arguments of a function call, sorted: per parameter (null: its default), and those of the call itself.
struct BoundCall {
  std::vector<const Expr*> args;
  const Expr* device = nullptr;
  const Expr* blocks = nullptr;
  const Expr* deps = nullptr;
};

class Sema {
 public:
  Sema(const Options& options, Diagnostics& diags);
  ir::ProgramRef run(const Ref<const SourceFile>& file, Bodies bodies);

 private:
  const Options& options_;
  Diagnostics& diags_;
  Bodies bodies_ = Bodies::Read;
  const ir::OpTable& ops_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::vector<std::unique_ptr<FunctionInfo>> functions_;
  std::vector<FunctionInfo*> order_;                // functions of the program, in source order
  std::unordered_set<std::string> function_names_;  // of versions, and of all functions of the text
  std::unordered_map<std::string, const FunctionInfo::Version*> versions_by_name_;
  std::unordered_set<const Expr*> bad_annotations_;  // reported
  std::optional<ir::DType> literal_dtype_;  // what a conditional of two literals is to become; for eval_for
  std::vector<std::pair<Symbol, Symbol>> loop_flags_;  // active and running flags of the loops around
  // By the host function that allocates them, and by name.
  std::map<std::pair<std::string, std::string>, ir::WindowBufferRef> windows_;
  FunctionContext* fn_ = nullptr;
  Frame* frame_ = nullptr;
  int inline_depth_ = 0;
  int inline_calls_ = 0;
  bool broken_text_ =
      false;  // it has syntax errors: a name that is missing may stand in what could not be read
  std::unordered_map<const Expr*, Value> once_;  // middles of the chained comparisons being read

  friend class BlockGuard;

  // --- reporting (sema.cpp)
  Span span(const Range& range) const { return frame_scope().tree->span(range); }
  Span span(const Expr& e) const { return span(e.range); }
  Diagnostic& report(Diag id, const Range& range, std::vector<std::string> arguments = {});
  Diagnostic& report(Diag id, const Span& span, std::vector<std::string> arguments = {});
  Scope& frame_scope() const { return *current_scope_; }
  Scope* current_scope_ = nullptr;
  std::string name_of(Symbol symbol) const { return std::string(current_scope_->tree->name(symbol)); }

  // --- program (sema_program.cpp)
  Scope* add_scope(std::unique_ptr<SyntaxTree> tree, std::shared_ptr<HostEvaluator> host);
  bool choose_program(const std::vector<const Stmt*>& classes, const Ref<const SourceFile>& file,
                      const Stmt** program);
  std::string program_name() const;
  void collect_module(Scope& scope, std::vector<const Stmt*>& classes);
  void collect_class(Scope& scope, const Stmt& cls, std::vector<const Expr*>& groups);
  static void add_constant(Scope& scope, std::unordered_map<Symbol, Scope::Constant>& constants,
                           const Expr& target, const Expr& value, int element = -1);
  FunctionInfo* add_function(Scope& scope, const FunctionDef& def, bool is_method);
  bool read_decorators(FunctionInfo& info);
  bool read_function_decorator(FunctionInfo& info, const Expr& call);
  bool set_function_attributes(const FunctionInfo& info, ir::Function& function);
  FunctionInfo* import_function(const HostFunction& function);
  void type_all();
  void check_entry();
  void report_never_called(const std::vector<FunctionInfo*>& roots);
  std::vector<Ref<const ir::CommGroup>> read_groups(const std::vector<const Expr*>& groups);

  // --- functions (sema_function.cpp)
  // The version for these arguments, typed now if it is new; null after errors.
  FunctionInfo::Version* version(FunctionInfo& info, std::vector<ir::TypeRef> types, std::vector<Value> known,
                                 const Span& at);
  void type_version(FunctionInfo& info, FunctionInfo::Version& version);
  void bind_params(FunctionInfo& info, FunctionInfo::Version& version);
  std::optional<TypeValue> param_annotation(const FunctionInfo& info, const Param& param);
  std::vector<ir::TypeRef> emit_returns(FunctionInfo& info, FunctionInfo::Version& version);
  void check_return_annotation(const FunctionInfo& info, const std::vector<ir::TypeRef>& types);
  void compare_returns(const Expr* returns, const std::vector<ir::TypeRef>& types);
  void settle_directions(FunctionInfo& info);
  void note_effects(const ir::Call& call);
  void note_access(const ir::ExprRef& value, bool reads, bool writes, const Span& at);
  int root_of(const ir::Expr* value) const;
  int call_root(const ir::FunctionCall& call, size_t result) const;
  static bool same_type(const ir::TypeRef& a, const ir::TypeRef& b);

  // --- names (sema_name.cpp)
  void open_frame(Frame& frame, Scope& scope);
  void close_frame(Frame& frame);
  void bind(Symbol name, Value value);
  void undo_to(size_t mark);
  size_t mark() const { return frame_->trail.size(); }
  bool is_bound(Symbol name) const {
    return frame_ && name < frame_->env.size() && !frame_->env[name].is<UnboundValue>();
  }
  Symbol flag_name();
  bool is_flag(Symbol name) const;
  Value lookup(const Expr& e);
  Value lookup_global(Symbol name, const Range& range);
  Value constant(Scope::Constant& constant, const Range& range);
  Value command_constant(Symbol name);
  Value from_host(const HostValue& host, const Range& range);
  Value ask_host(const Expr& e);
  Value attribute(const Expr& e);
  std::optional<Value> shape_attribute(const ir::Expr& expr, std::string_view name);
  std::optional<Value> named_path(std::string_view path);
  std::optional<Value> module_member(std::string_view path, std::string_view name);
  Value module_attribute(std::string_view path, std::string_view name, const Expr& e);
  std::vector<std::string> visible_names() const;

  // --- expressions (sema_expr.cpp, sema_operator.cpp)
  Value eval(const Expr& e);
  Value eval_once(const Expr& e);
  Value eval_list(const Expr& e);
  Value eval_dict(const Expr& e);
  Value eval_operator(const Expr& e);
  Value binary(Operator op, const Value& a, const Value& b, const Expr& e);
  Value unary(Operator op, const Value& a, const Expr& e);
  Value logical(const Expr& e);
  Value runtime_logical(bool is_and, const Value& a, const Expr& e);
  Value tile_binary(Operator op, const std::string& name, const Value& a, const Value& b, const Expr& e);
  ir::ExprRef fill_like(const ir::ExprRef& like, const Value& value, const Span& at);
  const ir::Op* expanded_form(const ir::Op& op, std::vector<ir::OpArgument>& args);
  Value conditional(const Expr& e);
  Value eval_for(const Expr& e, std::optional<ir::DType> dtype);
  void adopt_dtype(Value& literal, std::optional<ir::DType> dtype, const Span& at);
  std::optional<ir::DType> written_dtype(const Stmt& s) const;
  Value runtime_binary(Operator op, const Value& a, const Value& b, const Expr& e);
  Value call(const Expr& e);
  Value call_op(const OpValue& op, const Expr& e, ir::TypeRef annotated = nullptr);
  Value call_builtin(const BuiltinValue& builtin, const Expr& e);
  Value call_form(const FormValue& form, const Expr& e);
  Value const_form(const Expr& e);
  Value dynamic_form(const Expr& e);
  Value split_form(const Expr& e);
  Value typed_constant(const Value& value, ir::DType dtype, const Span& at);
  Value alloc_window(const Expr& e, Form form, const std::string& name);
  ir::WindowBufferRef find_slot(const std::string& text, const Range& range);
  ir::WindowBufferRef define_window(const std::string& name, const ir::ExprRef& alloc, const Span& at);
  const ir::Op* choose(const OpValue& op, const std::vector<ir::OpArgument>& args,
                       const std::vector<ir::OpKeyword>& keywords) const;
  // Makes a call, checks its level; a null result was reported.
  ir::ExprRef make_call(const ir::Op& op, std::vector<ir::OpArgument> args,
                        std::vector<ir::OpKeyword> keywords, const Span& at, ir::TypeRef annotated = nullptr);
  ir::ExprRef op_call(std::string_view qualified, std::vector<ir::ExprRef> args, const Span& at,
                      std::vector<ir::OpKeyword> keywords = {});
  bool check_level(const ir::Op& op, const Span& at);
  ir::OpArgument argument(const Value& value, const Span& at);
  ir::OpArgument argument(const Expr& e, bool& failed);
  // A run-time expression for the value; null after reporting (what: "an operand").
  ir::ExprRef to_expr(const Value& value, const Span& at);
  // The same, bound to a variable unless it is a variable, a constant or plain scalar arithmetic.
  ir::ExprRef operand(const Value& value, const Span& at, std::string_view hint = "t");
  ir::VarRef emit_assign(const ir::ExprRef& value, std::string_view hint, const Span& at);
  void emit(ir::StmtRef stmt) { fn_->out->push_back(std::move(stmt)); }
  std::optional<int64_t> known_int(const Expr& e, const char* what);
  bool require_function(const Expr& e);

  // --- subscripts (sema_index.cpp)
  struct Region;  // offsets and extents of a subscript
  Value subscript(const Expr& e);
  Value subscript_known(const Value& base, const Expr& e);
  Value slice_known(const ListValue& list, const Expr& slice);
  Value subscript_tensor(const ir::ExprRef& base, const Expr& e);
  bool region(const ir::ExprList& shape, const Expr& e, Region& out);
  bool dimension(const ir::ExprRef& size, const Expr* item, size_t number, const Expr& e, Region& out);
  void assign_subscript(const Expr& target, const Value& value, const Stmt& stmt);
  void write_region(const ir::ExprRef& base, const ir::ExprRef& part, const Region& r,
                    const ir::ExprRef& offsets, const Stmt& stmt,
                    const std::function<void(const ir::ExprRef&)>& rebind);
  ir::ExprRef fill_region(const ir::ExprRef& base, const Region& r, const Value& value, const Span& at);
  ir::ExprRef index_expr(const Value& value, const Span& at, const char* what);
  static bool all_ones(const ir::ExprList& extents, size_t count);
  static std::string shape_text(const ir::ExprList& shape);

  // --- types (sema_type.cpp)
  std::optional<TypeValue> annotation(const Expr& e);
  Value type_subscript(const FormValue& form, const Expr& e);
  Value shaped_type(const FormValue& form, const Expr& e, const std::vector<Value>& args);
  Value type_call(const FormValue& form, const Expr& e);
  bool shape_of(const Value& value, const Expr& e, ir::ExprList& out, bool positive_constants);

  // --- calls (sema_call.cpp)
  Value call_function(FunctionInfo& info, const Expr& e);
  Value inline_call(FunctionInfo& info, const Expr& e, std::vector<Value> args);
  Value task_call(FunctionInfo& info, const Expr& e, const BoundCall& bound,
                  const std::vector<Value>& values);
  bool bind_parameters(FunctionInfo& info, const Expr& e, BoundCall& bound);
  Value default_argument(const FunctionInfo& info, const Param& param);
  bool check_call_level(const FunctionInfo& callee, const Expr& e, const Expr* device);
  ir::ExprRef device_of(const Expr& e);
  static ir::TypeRef parameter_type(const ir::TypeRef& type, std::string_view name);
  ir::ExprRef convert_argument(const Value& value, const Param& param,
                               const std::optional<TypeValue>& declared, const FunctionInfo& callee,
                               const Expr& at, ir::DimBindings& dims);
  ir::ExprRef substitute(const ir::ExprRef& dim, const ir::DimBindings& dims);
  ir::TypeRef call_type(const FunctionInfo::Version& version, const ir::ExprList& args,
                        const ir::DimBindings& dims, const Span& at);
  void note_call(const ir::FunctionCall& call, const FunctionInfo::Version& version);

  // --- statements (sema_stmt.cpp)
  void block(std::span<const Stmt* const> body);
  void continue_if_active(std::span<const Stmt* const> rest);
  void statement(const Stmt& s);
  void expression_statement(const Stmt& s);
  void perform(const Value& value, const Expr& e, const Range& range);
  std::optional<Form> form_of(const Expr& callee);
  void assign(const Stmt& s);
  void assign_target(const Expr& target, const Value& value, const Stmt& s);
  void unpack(const Expr& target, const Value& value, const Stmt& s);
  void bind_error(const Expr& target);
  void assign_name(const Expr& target, Value value, const Stmt& s);
  void assign_annotated(const Stmt& s);
  void assign_augmented(const Stmt& s);
  void return_statement(const Stmt& s);
  void assert_statement(const Expr& condition, const Expr* message, const Range& range);
  void warn_plain_rebinding(Symbol name, const ir::ExprRef& value, const Range& range);
  void report_not_plain(const ir::Op& op, const Span& at);
  static bool gives_nothing(const ir::Expr& expr);
  void report_no_value(const Span& at);
  bool is_yield(const Stmt& s);

  // --- branches (sema_branch.cpp)
  // `a, b = pl.yield_(x, y)` at the end of a body.
  struct Explicit {
    const Stmt* stmt = nullptr;
    std::vector<Symbol> names;
    ir::ExprList values;
    bool failed = false;
    Span span;
  };
  void branch(const Stmt& s);
  void branch_on(const ir::ExprRef& condition, std::span<const Stmt* const> body,
                 std::span<const Stmt* const> orelse, const std::vector<Symbol>& names, const Range& range);
  void merge_explicit(Explicit& a, Explicit& b, const Range& range, ir::VarList& results,
                      ir::ExprList yields[2]);
  void merge_name(Symbol name, Value a, Value b, const Range& range, ir::VarList& results,
                  ir::ExprList yields[2]);
  void merge_roots(const ir::VarRef& result, const ir::ExprRef& a, const ir::ExprRef& b);
  static bool contains_return(const Stmt& s);
  void branch_with_return(const Stmt& s, std::span<const Stmt* const> rest);
  void merge_returns(const Stmt& s, const ir::ExprRef& test, std::vector<ir::StmtRef>& then_stmts,
                     std::vector<ir::StmtRef>& else_stmts, const std::vector<Value>& a,
                     const std::vector<Value>& b);
  std::optional<bool> known_condition(const Value& value) const;
  ir::ExprRef condition_of(const Value& value, const Expr& e);
  Explicit take_explicit_yield(std::span<const Stmt* const>& body);
  void eval_explicit_yield(Explicit& yield);

  // --- loops (sema_loop.cpp)
  struct Carried;
  struct OpenLoop;
  void for_loop(const Stmt& s);
  void range_loop(const Stmt& s, const Expr& call, ir::LoopKind kind);
  void while_form(const Stmt& s, const Expr& call);
  void while_loop(const Stmt& s);
  void guarded_loop(const Stmt& s, const LoopHeader* header, const Expr& target);
  void check_step(const LoopHeader& header, const Span& at);
  ir::ExprRef range_condition(const LoopHeader& header, const ir::VarRef& index, const ir::ExprRef& running,
                              const Stmt& s);
  ir::ExprRef guarded_condition(const Expr& e, const ir::ExprRef& running, const Stmt& s);
  ir::ExprRef as_index(const ir::ExprRef& value);
  bool loop_bounds(const Expr& call, LoopHeader& header);
  bool loop_keyword(const Keyword& keyword, const std::string& form, LoopHeader& header);
  const Expr* loop_targets(const Expr& target, std::vector<const Expr*>& carried);
  void skip_loop(const Stmt& s);
  void enter_loop(const ir::Var* rank_variable);
  void exit_loop(bool pushed_rank_variable);
  std::vector<Carried> open_explicit(const std::vector<const Expr*>& names, const ir::ExprList& init_values);
  void open_carries(const std::vector<Symbol>& names, const std::vector<Symbol>& explicit_results,
                    std::vector<Carried>& carried);
  void carry(Symbol name, ir::ExprRef init, std::vector<Carried>& carried);
  ir::ExprList close_carries(const std::vector<Carried>& carried, size_t explicit_count,
                             const Explicit& yield, const Stmt& s);
  ir::ExprRef end_of_round(const Carried& carried, const std::string& text, const Stmt& s);
  template <class Loop>
  void finish_loop(Loop& loop, const OpenLoop& open, const Stmt& s);
  template <class Loop, class Body>
  void read_body(Ref<Loop> loop, OpenLoop& open, const Stmt& s, const Body& body);
  bool is_cond(const Stmt& s);
  ir::ExprRef cond_value(const Expr& call);
  void leave_loop(const Stmt& s);

  // --- tasks (sema_task.cpp)
  void with_statement(const Stmt& s);
  void at_scope(const Stmt& s, const Expr& call);
  void spmd_scope(const Stmt& s, const Expr& call, const Expr* block_name);
  bool scope_allowed(const Range& range, const char* form);
  template <class T>
  bool scope_keyword(T& node, const Keyword& keyword, const char* form);
  bool set_attribute(LoopHeader& header, std::string_view name, const Value& value, const Keyword& keyword,
                     const std::string& form);
  bool split_of(const Value& value, const Expr& e, ir::SplitMode& out);
  bool task_ids(const Expr& e, ir::ExprList& out);
  void bind_task_id(const Stmt& s, ir::VarRef& out);
  ir::BlockRef scope_body(const Stmt& s, ir::VarList& results,
                          std::optional<size_t> start_mark = std::nullopt);
  bool check_defer_waits(const ir::AtScope& scope, const Expr& call, size_t waits);
  bool check_scope_call(const ir::AtScope& scope);
  void skip_scope(const Stmt& s);
};

// Sends statements to a block of their own while it lives.
class BlockGuard {
 public:
  BlockGuard(Sema& sema) : sema_(sema), outer_(sema.fn_->out) { sema.fn_->out = &stmts_; }
  ~BlockGuard() { sema_.fn_->out = outer_; }
  BlockGuard(const BlockGuard&) = delete;
  ir::BlockRef take(const Span& span) { return ir::make<ir::Block>(span, std::move(stmts_)); }
  bool empty() const { return stmts_.empty(); }
  std::vector<ir::StmtRef>& stmts() { return stmts_; }
  std::vector<ir::StmtRef>& outer() { return *outer_; }

 private:
  Sema& sema_;
  std::vector<ir::StmtRef>* outer_;
  std::vector<ir::StmtRef> stmts_;
};

}  // namespace tilewire::frontend
