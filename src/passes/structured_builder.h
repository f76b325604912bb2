// Emits structured code: loops, branches and scalar arithmetic, each by one call.
//
// Statements go into the block being written (Rebuilder::emit) and nest as the C++ lambdas do; names are
// hints, so they may repeat at any depth. Everything written has the span given to `at`.
//
//     repeat("s", 0, ranks, 1, [&](const VarRef& s) { run(ops::pld::system::wait, {signal, list({s}), one});
//     }); ExprRef total = reduce("s", 1, ranks, 1, {first}, [&](const VarRef& s, const ExprList& sums) {
//       return ExprList{op(ops::pl::tile::add, {sums[0], load(s)})};
//     })[0];
#pragma once

#include <functional>

#include "ops/handles.h"
#include "passes/rebuild.h"

namespace tilewire::passes {

class StructuredBuilder : public Rebuilder {
 public:
  using Rebuilder::Rebuilder;

  // The place in the source that what follows is written for.
  void at(const Span& span) { span_ = span; }
  // The op in the source that what follows is written for.
  void at(const ir::Call& call) {
    span_ = call.span;
    call_op_ = call.op;
  }
  const Span& span() const { return span_; }

  // A call of an op; its operands are known to fit.
  ir::ExprRef op(const ir::Op& op, ir::ExprList args, ir::AttrList attrs = {});
  // The same as a statement whose value is unused.
  void run(const ir::Op& op, ir::ExprList args, ir::AttrList attrs = {});
  // The same for an op that stops the run if the precondition of that op in the source does not hold.
  void check(const ir::Op& check, ir::ExprList args);
  // The value under a name; calls other than scalar arithmetic need one. Others are returned as they are.
  ir::ExprRef let(const char* name, ir::ExprRef value);

  ir::ExprRef list(ir::ExprList elements) const;
  ir::ExprRef number(int64_t value) const;  // INDEX
  ir::ExprRef int32(int64_t value) const;
  ir::ExprRef add(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef sub(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef mul(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef div(const ir::ExprRef& a, const ir::ExprRef& b);  // rounded down
  ir::ExprRef mod(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef smaller(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef less(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef equal(const ir::ExprRef& a, const ir::ExprRef& b);
  ir::ExprRef differ(const ir::ExprRef& a, const ir::ExprRef& b);

  // for name in range(start, stop, step)
  using Round = std::function<void(const ir::VarRef&)>;
  void repeat(const char* name, const ir::ExprRef& start, const ir::ExprRef& stop, const ir::ExprRef& step,
              const Round& round);
  // The same with values carried between iterations; returns those of the last.
  using Step = std::function<ir::ExprList(const ir::VarRef&, const ir::ExprList&)>;
  ir::ExprList reduce(const char* name, const ir::ExprRef& start, const ir::ExprRef& stop,
                      const ir::ExprRef& step, ir::ExprList first, const Step& round);

  // if condition: ... A condition that is known takes its side without a branch.
  void when(const ir::ExprRef& condition, const std::function<void()>& then);
  ir::ExprList choose(const ir::ExprRef& condition, const std::function<ir::ExprList()>& then,
                      const std::function<ir::ExprList()>& otherwise);

 private:
  ir::ExprRef compare(const ir::Op& relation, const ir::ExprRef& a, const ir::ExprRef& b,
                      bool (*known)(int64_t, int64_t));

  Span span_;
  const ir::Op* call_op_ = nullptr;
};

}  // namespace tilewire::passes
