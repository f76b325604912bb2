// Syntax tree to IR: names, types, SSA.
//
// A Sema is the state of reading one program: what the text defines, the function and the frame being read,
// and where messages go. The work is done by functions over it, one subject per file; the header of each
// lists what the others may call:
//   sema_program   what is in the text, entry points, versions of functions, communication groups
//   sema_function  one function: parameters, directions, returns
//   sema_name      names, attributes, constants
//   sema_host      expressions that Python evaluates
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
// Functions over a Sema that only their own file calls are not in its header. They are not in an anonymous
// namespace either: reading recurses as deep as programs nest, and a function that is known to have one
// caller would be inlined there and take its room on the stack at every level.
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
  std::unordered_set<const ir::Expr*> whole_tiles;  // variables whose valid extent is known to be their shape
  int loop_depth = 0;
  int scope_depth = 0;                              // of pl.at and pl.spmd
  int spmd_depth = 0;                               // of pl.spmd only
  size_t defer_waits = 0;                           // read so far
  Span scope_call;                                  // the last call of a kernel in the pl.at being read
  const FunctionInfo* scope_callee = nullptr;       // and its callee
  std::vector<const ir::Var*> rank_variables;       // of the pl.range loops around
  std::unordered_set<const ir::Var*> rank_scalars;  // of a host function: scalars made from those
};

// One text being read: a function, or an inline function inside it.
struct Frame {
  Scope* scope = nullptr;
  const FunctionInfo* info = nullptr;
  std::vector<Value> env;                       // by Symbol
  std::vector<std::pair<Symbol, Value>> trail;  // what each binding replaced
  Carries carries;
  // Names that the statements assign: where first, and whether as the variable of a loop.
  std::unordered_map<Symbol, FirstAssignment> assigned;
  // Of the innermost loop with break or continue: pseudo-names that hold its flags; 0: none.
  Symbol active_flag = 0, running_flag = 0;
  int flags = 0;  // made so far
  int loop_depth = 0;
  int scope_depth_at_entry = 0;
  int with_depth = 0;  // of pl.manual_scope and pl.scope
  bool is_inline = false;
  bool returned = false;
  bool returns_tuple = false;
  std::vector<Value> return_values;
  Span return_span;
};

struct Sema {
  Sema(const Options& options, Diagnostics& diags);

  const Options& options;
  Diagnostics& diags;
  Bodies bodies = Bodies::Read;
  const ir::OpTable& ops;
  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<std::unique_ptr<FunctionInfo>> functions;
  std::vector<FunctionInfo*> order;                // functions of the program, in source order
  std::unordered_set<std::string> function_names;  // of versions, and of all functions of the text
  std::unordered_map<std::string, const FunctionInfo::Version*> versions_by_name;
  std::unordered_set<const Expr*> bad_annotations;  // reported
  std::optional<ir::DType> literal_dtype;  // what a conditional of two literals is to become; for eval_for
  std::vector<std::pair<Symbol, Symbol>> loop_flags;  // active and running flags of the loops around
  // By the host function that allocates them, and by name.
  std::map<std::pair<std::string, std::string>, ir::WindowBufferRef> windows;
  Scope* current_scope = nullptr;
  FunctionContext* fn = nullptr;
  Frame* frame = nullptr;
  int inline_depth = 0;
  int inline_calls = 0;
  bool broken_text =
      false;  // has syntax errors: a missing name may be defined in text that could not be read
  std::unordered_map<const Expr*, Value> once;  // middles of the chained comparisons being read

  Span span(const Range& range) const { return current_scope->tree->span(range); }
  Span span(const Expr& e) const { return span(e.range); }
  Diagnostic& report(Diag id, const Range& range, std::vector<std::string> arguments = {});
  Diagnostic& report(Diag id, const Span& at, std::vector<std::string> arguments = {});
  std::string name_of(Symbol symbol) const { return std::string(current_scope->tree->name(symbol)); }

  // The names bound in this frame so far, to undo what is bound from here on.
  size_t mark() const { return frame->trail.size(); }
  bool is_bound(Symbol name) const {
    return frame && name < frame->env.size() && !frame->env[name].is<UnboundValue>();
  }
  void emit(ir::StmtRef stmt) { fn->out->push_back(std::move(stmt)); }
};

// While alive, collects emitted statements in a separate block.
class BlockGuard {
 public:
  explicit BlockGuard(Sema& sema) : sema_(sema), outer_(sema.fn->out) { sema.fn->out = &stmts_; }
  ~BlockGuard() { sema_.fn->out = outer_; }
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
