// Writes the statements of a function anew, in order: the base of passes that move or retype code.
//
// A Rebuilder walks statements in order and emits their new form. Variables are looked up in a table, so that
// a pass may replace one by any expression; a call whose operands changed type goes through its type
// rule again, and loops and branches take the types of the values they are given. A pass overrides the
// statements it cares about and calls the base for the rest:
//
//     struct DropEvals : Rebuilder {
//       using Rebuilder::Rebuilder;
//       void eval(const ir::Eval&) override {}
//     };
//
// Where nothing about a variable changes it stays the same node, unless the caller asks for `fresh` ones
// because the old statements stay too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "support/diagnostics.h"

namespace tilewire::passes {

class Rebuilder {
 public:
  explicit Rebuilder(Diagnostics& diags, bool fresh = false) : diags_(diags), fresh_(fresh) {}
  virtual ~Rebuilder() = default;
  Rebuilder(const Rebuilder&) = delete;
  Rebuilder& operator=(const Rebuilder&) = delete;

  // From now on `value` replaces `var`.
  void bind(const ir::Var& var, ir::ExprRef value);
  // The same for a dynamic dimension, in expressions and in types.
  void bind_dim(const std::string& name, ir::ExprRef value) { dims_[name] = std::move(value); }
  // Both for a callee: its parameters and dynamic dimensions become what its caller passes.
  void bind_arguments(const ir::Function& callee, const ir::ExprList& args);

  ir::ExprRef use(const ir::ExprRef& expr);
  ir::ExprList use(const ir::ExprList& list);
  ir::TypeRef use_type(const ir::TypeRef& type);

  // The rebuilt statements of a separate block.
  ir::BlockRef block(const ir::Block& body);
  // The same, into the block being written.
  virtual void statements(const ir::Block& body);

 protected:
  virtual void statement(const ir::Stmt& stmt);
  virtual void assign(const ir::Assign& assign);
  virtual void eval(const ir::Eval& eval);
  virtual void give(const ir::Yield& yield);
  virtual void give(const ir::Return& ret);
  virtual void branch(const ir::If& branch);
  virtual void loop(const ir::For& loop);
  virtual void loop(const ir::While& loop);
  virtual void scope(const ir::AtScope& scope);
  virtual void scope(const ir::SpmdScope& scope);
  virtual void scope(const ir::WithScope& scope);
  // The value of a statement: a call of an op or of a function, or scalar arithmetic.
  virtual ir::ExprRef value(const ir::ExprRef& expr) { return use(expr); }

  // The replacement of a call of an op with rebuilt operands.
  virtual ir::ExprRef fold(const ir::ExprRef& call) { return call; }
  // The replacement if its type rule rejects the new operands; null after reporting why.
  virtual ir::ExprRef rejected(const ir::Call& call, ir::ExprList args);

  void emit(ir::StmtRef stmt) { out_->push_back(std::move(stmt)); }
  // The new form of a definition; uses of `old` find it.
  ir::VarRef define(const ir::VarRef& old, const ir::TypeRef& type);
  // A variable for a value that the pass creates, assigned here.
  ir::VarRef assign_new(const std::string& name, ir::ExprRef value, const Span& span);
  // A call of an op with operands that are known to fit it; an internal error when they do not.
  ir::ExprRef call_op(const ir::Op& op, ir::ExprList args, ir::AttrList attrs, const Span& span);

  // Statements emitted while `fill` runs, as a block.
  template <class F>
  ir::BlockRef collect(const Span& span, F&& fill) {
    std::vector<ir::StmtRef> list;
    std::vector<ir::StmtRef>* outer = std::exchange(out_, &list);
    fill();
    out_ = outer;
    return ir::make<ir::Block>(span, std::move(list));
  }

  Diagnostics& diags_;
  bool fresh_;

 private:
  template <class T>
  void carried(const T& old, T& now);
  template <class T>
  void task_scope(const T& old);
  ir::ExprRef rebuild_call(const ir::ExprRef& expr);
  ir::ExprRef rebuild_function_call(const ir::ExprRef& expr);

  std::vector<ir::StmtRef>* out_ = nullptr;
  ir::PointerMap<uint32_t> places_;
  std::vector<std::pair<ir::VarRef, ir::ExprRef>> bound_;  // also the old: its address must stay taken
  std::map<std::string, ir::ExprRef, std::less<>> dims_;
};

// What the last statement of a block yields; empty if it is not a yield.
const ir::ExprList& yielded(const ir::Block& block);

// The function with another body.
ir::FunctionRef with_body(const ir::Function& function, ir::BlockRef body);

}  // namespace tilewire::passes
