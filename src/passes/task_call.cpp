#include "passes/task_call.h"

#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

namespace {

ExprRef value_of(const StmtRef& stmt) {
  if (const auto* assign = as<Assign>(stmt)) return assign->value;
  if (const auto* eval = as<Eval>(stmt)) return eval->value;
  return nullptr;
}

}  // namespace

const FunctionCall* single_call(const Block& body) {
  const FunctionCall* call = nullptr;
  for (const StmtRef& stmt : body.stmts) {
    if (isa<Yield>(stmt)) continue;
    ExprRef value = value_of(stmt);
    if (const auto* found = as<FunctionCall>(value)) {
      if (call) return nullptr;
      call = found;
    } else if (!isa<TupleGet>(value)) {
      return nullptr;
    }
  }
  return call;
}

bool only_defers(const Block& body) {
  for (const StmtRef& stmt : body.stmts) {
    ExprRef value = value_of(stmt);
    const auto* call = as<Call>(value);
    if (!call || call->op != ops::pld::system::defer_wait) return false;
  }
  return !body.stmts.empty();
}

TypeRef call_type(const std::vector<TypeRef>& return_types, const std::vector<int>& roots,
                  const ExprList& args) {
  std::vector<TypeRef> types;
  for (size_t i = 0; i < return_types.size(); ++i) {
    types.push_back(roots[i] >= 0 ? args[roots[i]]->type : return_types[i]);
  }
  if (types.empty()) return unit_type();
  return types.size() == 1 ? types[0] : TypeRef(make<TupleType>(Span{}, std::move(types)));
}

}  // namespace tilewire::passes
