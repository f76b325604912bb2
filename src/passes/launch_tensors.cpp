#include "passes/launch_tensors.h"

#include "passes/task_call.h"

namespace tilewire::passes {

using namespace ir;

void LaunchTensors::scope(const AtScope& scope) {
  launch(single_call(*scope.body), nullptr, [&] { Rebuilder::scope(scope); });
}

void LaunchTensors::scope(const SpmdScope& scope) {
  launch(single_call(*scope.body), scope.block_count, [&] { Rebuilder::scope(scope); });
}

void LaunchTensors::assign(const Assign& assign) {
  launch(as<FunctionCall>(assign.value), nullptr, [&] { Rebuilder::assign(assign); });
}

void LaunchTensors::eval(const Eval& eval) {
  launch(as<FunctionCall>(eval.value), nullptr, [&] { Rebuilder::eval(eval); });
}

ExprRef LaunchTensors::value(const ExprRef& expr) {
  const auto* call = as<FunctionCall>(expr);
  if (!call || !is_changed(call->callee)) return use(expr);
  Ref<FunctionCall> now = copy(static_cast<const FunctionCall&>(*use(expr)));
  now->args.insert(now->args.end(), tensors_.begin(), tensors_.end());
  return finish_node(std::move(now));
}

void LaunchTensors::launch(const FunctionCall* call, const ExprRef& blocks,
                           const std::function<void()>& start) {
  if (inside_ || !call || !is_changed(call->callee)) return start();
  at(call->span);
  BlockRef body = collect(call->span, [&] {
    tensors_ = make_tensors(*call, blocks);
    inside_ = true;
    start();
    inside_ = false;
  });
  emit(make<WithScope>(call->span, ScopeKind::Storage, body));
}

}  // namespace tilewire::passes
