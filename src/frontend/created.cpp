// Statements are walked in order; a loop again while what it carries grows.
#include "frontend/created.h"

#include <algorithm>

#include "frontend/sema.h"
#include "ir/aliases.h"

namespace tilewire::frontend {

Created::Created(const Sema& sema, const ir::Block& body) : sema_(sema) {
  block(body);
}

bool Created::may_hold(const Value& value) const {
  if (const auto* list = value.get<ListValue>()) {
    return std::any_of(list->items->begin(), list->items->end(),
                       [&](const Value& item) { return may_hold(item); });
  }
  return value.expr() && may_hold(value.expr());
}

bool Created::may_hold(const ir::Expr* expr) const {
  const Elements elements = of(expr);
  return std::find(elements.begin(), elements.end(), true) != elements.end();
}

Created::Elements Created::of(const ir::Expr* expr) const {
  if (const auto* call = ir::as<ir::Call>(expr)) {
    if (!ir::isa<ir::TensorType>(call->type)) return {false};
    const ir::Expr* source = ir::aliased_operand(*call);
    return source ? of(source) : Elements{true};
  }
  if (const auto* call = ir::as<ir::FunctionCall>(expr)) return of_call(*call);
  if (const auto* get = ir::as<ir::TupleGet>(expr)) {
    const Elements tuple = of(get->tuple.get());
    const auto index = static_cast<size_t>(get->index);
    return {index < tuple.size() && tuple[index]};
  }
  if (const auto* tuple = ir::as<ir::MakeTuple>(expr)) {
    Elements elements;
    for (const ir::ExprRef& element : tuple->elements) elements.push_back(may_hold(element.get()));
    return elements;
  }
  auto found = created_.find(expr);
  return found == created_.end() ? Elements{false} : found->second;
}

// A kernel returns tensors of its caller, or new ones, which are created where it is called.
Created::Elements Created::of_call(const ir::FunctionCall& call) const {
  const auto* tuple = ir::as<ir::TupleType>(call.type);
  const std::vector<ir::TypeRef> types = tuple ? tuple->types : std::vector<ir::TypeRef>{call.type};
  auto callee = sema_.versions_by_name.find(call.callee);
  Elements elements;
  for (size_t i = 0; i < types.size(); ++i) {
    const bool known = callee != sema_.versions_by_name.end() && i < callee->second->return_roots.size();
    const int root = known ? callee->second->return_roots[i] : -1;
    const bool tensor = ir::isa<ir::TensorType>(types[i]);
    elements.push_back(tensor && (root < 0 || may_hold(call.args[static_cast<size_t>(root)].get())));
  }
  return elements;
}

void Created::join(const ir::Var& var, const Elements& more) {
  Elements& now = created_[&var];
  now.resize(std::max(now.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) {
    if (!more[i] || now[i]) continue;
    now[i] = true;
    ++growth_;
  }
}

void Created::hand_on(const ir::Block& body, const ir::VarList& to) {
  const auto* yield = body.stmts.empty() ? nullptr : ir::as<ir::Yield>(body.stmts.back());
  for (size_t i = 0; yield && i < to.size() && i < yield->values.size(); ++i) {
    join(*to[i], of(yield->values[i].get()));
  }
}

template <class T>
void Created::loop(const T& loop) {
  for (size_t i = 0; i < loop.iter_args.size(); ++i) join(*loop.iter_args[i], of(loop.init_values[i].get()));
  size_t before;
  do {
    before = growth_;
    if constexpr (requires { loop.before; }) block(*loop.before);
    block(*loop.body);
    hand_on(*loop.body, loop.iter_args);
  } while (growth_ != before);
  for (size_t i = 0; i < loop.results.size(); ++i) join(*loop.results[i], of(loop.iter_args[i].get()));
}

void Created::block(const ir::Block& body) {
  for (const ir::StmtRef& stmt : body.stmts) statement(*stmt);
}

void Created::statement(const ir::Stmt& stmt) {
  if (const auto* s = ir::as<ir::Assign>(&stmt)) {
    join(*s->var, of(s->value.get()));
  } else if (const auto* s = ir::as<ir::If>(&stmt)) {
    for (const ir::BlockRef& body : {s->then_body, s->else_body}) {
      if (!body) continue;
      block(*body);
      hand_on(*body, s->results);
    }
  } else if (const auto* s = ir::as<ir::For>(&stmt)) {
    loop(*s);
  } else if (const auto* s = ir::as<ir::While>(&stmt)) {
    loop(*s);
  } else if (const auto* s = ir::as<ir::AtScope>(&stmt)) {
    block(*s->body);
    hand_on(*s->body, s->results);
  } else if (const auto* s = ir::as<ir::SpmdScope>(&stmt)) {
    block(*s->body);
    hand_on(*s->body, s->results);
  } else if (const auto* s = ir::as<ir::WithScope>(&stmt)) {
    block(*s->body);
  }
}

}  // namespace tilewire::frontend
