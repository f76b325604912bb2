// Tensors that every launch of a function makes for its blocks, and frees when they have ended.
#pragma once

#include <functional>

#include "passes/structured_builder.h"

namespace tilewire::passes {

// Writes the orchestration functions of a program anew: each launch of a changed function, with blocks or
// without, goes into a storage scope in which the tensors are made, and passes them as further arguments.
//
// Needs: scopes hold single calls.
class LaunchTensors : public StructuredBuilder {
 public:
  using StructuredBuilder::StructuredBuilder;

 protected:
  virtual bool is_changed(const std::string& callee) const = 0;
  // Makes the tensors of one launch, here; `blocks` is null where it has one block.
  virtual ir::ExprList make_tensors(const ir::FunctionCall& call, const ir::ExprRef& blocks) = 0;

  void scope(const ir::AtScope& scope) final;
  void scope(const ir::SpmdScope& scope) final;
  using Rebuilder::scope;
  void assign(const ir::Assign& assign) final;
  void eval(const ir::Eval& eval) final;
  ir::ExprRef value(const ir::ExprRef& expr) final;

 private:
  void launch(const ir::FunctionCall* call, const ir::ExprRef& blocks, const std::function<void()>& start);

  ir::ExprList tensors_;  // of the launch being written
  bool inside_ = false;   // of one
};

}  // namespace tilewire::passes
