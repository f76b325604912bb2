// Statements are walked in order; a loop again while what it carries grows.
#include "ir/origins.h"

#include <algorithm>
#include <utility>

#include "ir/aliases.h"

namespace tilewire::ir {
namespace {

bool holds_tensor(const TypeRef& type) {
  const auto* tuple = as<TupleType>(type);
  return isa<TensorType>(type) ||
         (tuple && std::any_of(tuple->types.begin(), tuple->types.end(), holds_tensor));
}

Origins all_of(const std::vector<Origins>& elements) {
  Origins all;
  for (const Origins& element : elements) all.insert(element.begin(), element.end());
  return all;
}

}  // namespace

StorageOrigins::StorageOrigins(const std::vector<Ref<const Parameter>>& params, const Block& body,
                               Results results)
    : results_(std::move(results)) {
  for (size_t i = 0; i < params.size(); ++i) {
    const auto* tuple = as<TupleType>(params[i]->type);
    if (!holds_tensor(params[i]->type)) continue;
    join(*params[i], Elements(tuple ? tuple->types.size() : 1, {static_cast<int>(i)}));
  }
  block(body);
}

bool StorageOrigins::may_be_created(const Expr* expr) const {
  return all_of(of(expr)).contains(created);
}

std::vector<const Var*> StorageOrigins::may_be_created() const {
  std::vector<const Var*> vars;
  for (const auto& [var, elements] : origins_) {
    if (all_of(elements).contains(created)) vars.push_back(var);
  }
  return vars;
}

StorageOrigins::Elements StorageOrigins::of(const Expr* expr) const {
  if (const auto* call = as<Call>(expr)) {
    if (!isa<TensorType>(call->type)) return {};
    const Expr* source = aliased_operand(*call);
    return source ? of(source) : Elements{{created}};
  }
  if (const auto* call = as<FunctionCall>(expr)) return of_call(*call);
  if (const auto* get = as<TupleGet>(expr)) {
    const Elements tuple = of(get->tuple.get());
    const auto index = static_cast<size_t>(get->index);
    const auto* inner = as<TupleType>(get->type);
    return Elements(inner ? inner->types.size() : 1, index < tuple.size() ? tuple[index] : Origins{});
  }
  if (const auto* tuple = as<MakeTuple>(expr)) {
    Elements elements;
    for (const ExprRef& element : tuple->elements) elements.push_back(all_of(of(element.get())));
    return elements;
  }
  auto found = origins_.find(as<Var>(expr));
  return found == origins_.end() ? Elements{} : found->second;
}

// A function returns tensors of its caller, or new ones, which are created where it is called.
StorageOrigins::Elements StorageOrigins::of_call(const FunctionCall& call) const {
  if (!holds_tensor(call.type)) return {};
  const auto* tuple = as<TupleType>(call.type);
  const std::vector<TypeRef> types = tuple ? tuple->types : std::vector<TypeRef>{call.type};
  std::vector<Origins> results = results_(call);
  // One result that is a tuple itself.
  if (results.size() == 1 && types.size() > 1) results.assign(types.size(), results[0]);
  results.resize(types.size(), {created});
  Elements elements;
  for (size_t i = 0; i < types.size(); ++i) {
    Origins& origins = elements.emplace_back();
    if (!holds_tensor(types[i])) continue;
    for (int from : results[i]) {
      const auto arg = static_cast<size_t>(from);
      if (from == created) {
        origins.insert(created);
      } else if (arg < call.args.size()) {
        origins.merge(all_of(of(call.args[arg].get())));
      }
    }
  }
  return elements;
}

void StorageOrigins::join(const Var& var, const Elements& more) {
  if (more.empty()) return;
  Elements& now = origins_[&var];
  now.resize(std::max(now.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) {
    const size_t before = now[i].size();
    now[i].insert(more[i].begin(), more[i].end());
    growth_ += now[i].size() - before;
  }
}

void StorageOrigins::hand_on(const Block& body, const VarList& to) {
  const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
  for (size_t i = 0; yield && i < to.size() && i < yield->values.size(); ++i) {
    join(*to[i], of(yield->values[i].get()));
  }
}

template <class T>
void StorageOrigins::loop(const T& loop) {
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

void StorageOrigins::block(const Block& body) {
  for (const StmtRef& stmt : body.stmts) statement(*stmt);
}

void StorageOrigins::statement(const Stmt& stmt) {
  if (const auto* s = as<Assign>(&stmt)) {
    join(*s->var, of(s->value.get()));
  } else if (const auto* s = as<If>(&stmt)) {
    for (const BlockRef& body : {s->then_body, s->else_body}) {
      if (!body) continue;
      block(*body);
      hand_on(*body, s->results);
    }
  } else if (const auto* s = as<For>(&stmt)) {
    loop(*s);
  } else if (const auto* s = as<While>(&stmt)) {
    loop(*s);
  } else if (const auto* s = as<AtScope>(&stmt)) {
    block(*s->body);
    hand_on(*s->body, s->results);
  } else if (const auto* s = as<SpmdScope>(&stmt)) {
    block(*s->body);
    hand_on(*s->body, s->results);
  } else if (const auto* s = as<WithScope>(&stmt)) {
    block(*s->body);
  } else if (const auto* s = as<Return>(&stmt)) {
    returned_.clear();
    for (const ExprRef& value : s->values) returned_.push_back(all_of(of(value.get())));
  }
}

}  // namespace tilewire::ir
