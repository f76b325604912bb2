#include "passes/inline_functions.h"

#include "ir/visitor.h"
#include "passes/roots.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Of what is inlined into one function. Functions that call others twice double at each level.
constexpr int64_t most_statements = 200'000;

// The calls of `inlined` functions in one function, replaced.
class Inliner : public Rebuilder {
 public:
  struct Callee {
    FunctionRef function;
    int64_t statements;
  };
  using Inlined = std::map<std::string, Callee, std::less<>>;
  Inliner(const Inlined& inlined, Diagnostics& diags) : Rebuilder(diags), inlined_(inlined) {}

 protected:
  ExprRef value(const ExprRef& expr) override {
    ExprRef now = use(expr);
    const auto* call = as<FunctionCall>(now);
    auto found = call ? inlined_.find(call->callee) : inlined_.end();
    if (found == inlined_.end()) return now;
    const auto& [callee, statements] = found->second;
    if (spliced_ > most_statements) return now;  // reported
    spliced_ += statements;
    if (spliced_ > most_statements) {
      diags_.report(diag::inlined_too_large, expr->span, {call->callee, std::to_string(most_statements)})
          .with_help("write a loop, or make one of the functions a kernel");
      return now;
    }
    Spliced body = splice(*callee, call->args, diags_);
    for (StmtRef& stmt : body.stmts) emit(std::move(stmt));
    return body.value(expr->span);
  }

 private:
  const Inlined& inlined_;
  int64_t spliced_ = 0;  // statements so far
};

struct CountStatements : Visitor<CountStatements> {
  int64_t count = 1;  // what a call costs when nothing is in the body
  void visit(const Stmt& stmt) {
    ++count;
    dispatch(stmt, [&](const auto& typed) { walk_children(typed); });
  }
};

int64_t statements_of(const Function& function) {
  CountStatements counter;
  counter.walk(function.body);
  return counter.count;
}

}  // namespace

ExprRef Spliced::value(const Span& span) const {
  return values.size() == 1 ? values[0] : ExprRef(make<MakeTuple>(span, values));
}

Spliced splice(const Function& callee, const ExprList& args, Diagnostics& diags) {
  Rebuilder body(diags, true);
  body.bind_arguments(callee, args);
  BlockRef block = body.block(*callee.body);
  Spliced result;
  result.stmts = block->stmts;
  if (!result.stmts.empty()) {
    if (const auto* ret = as<Return>(result.stmts.back())) {
      result.values = ret->values;
      result.stmts.pop_back();
    }
  }
  return result;
}

ProgramRef inline_functions(const ProgramRef& program, Diagnostics& diags) {
  Inliner::Inlined inlined;
  std::map<std::string_view, FunctionRef> changed;
  // Callees first, so that inlined bodies contain no further calls.
  for (const FunctionRef& function : callees_first(*program)) {
    FunctionRef now = function;
    if (!inlined.empty()) {
      Inliner inliner(inlined, diags);
      now = with_body(*function, inliner.block(*function->body));
    }
    if (diags.has_errors()) return program;
    if (function->type == FunctionType::Inline) inlined[function->name] = {now, statements_of(*now)};
    changed[function->name] = std::move(now);
  }
  if (inlined.empty()) return program;
  Ref<Program> result = copy(*program);
  result->functions.clear();
  for (const FunctionRef& function : program->functions) {
    if (function->type != FunctionType::Inline) result->functions.push_back(changed[function->name]);
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
