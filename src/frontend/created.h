// Which tensors live in storage that a piece of an orchestration function creates.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/value.h"

namespace tilewire::frontend {

struct Sema;

class Created {
 public:
  Created(const Sema& sema, const ir::Block& body);

  // Whether the tensor may be, or the list or tuple may hold, one created there.
  bool may_hold(const Value& value) const;
  bool may_hold(const ir::Expr* expr) const;

 private:
  using Elements = std::vector<bool>;  // of a tuple; one for everything else

  void block(const ir::Block& body);
  void statement(const ir::Stmt& stmt);
  void hand_on(const ir::Block& body, const ir::VarList& to);
  template <class T>
  void loop(const T& loop);
  Elements of_call(const ir::FunctionCall& call) const;
  Elements of(const ir::Expr* expr) const;
  void join(const ir::Var& var, const Elements& more);

  const Sema& sema_;
  std::unordered_map<const ir::Expr*, Elements> created_;
  size_t growth_ = 0;  // elements found to be created, so far
};

}  // namespace tilewire::frontend
