// Where the storage of tensors may come from: a parameter, or the code that is looked at.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::ir {

// Parameter numbers; `created` is among them when the code itself may have made the storage.
using Origins = std::set<int>;
inline constexpr int created = -1;

class StorageOrigins {
 public:
  // For each result of the called function: its parameters, or `created`. Results without an entry are
  // created.
  using Results = std::function<std::vector<Origins>(const FunctionCall&)>;
  // Tensors of neither `params` nor `body` have no origin.
  StorageOrigins(const std::vector<Ref<const Parameter>>& params, const Block& body, Results results);

  // Whether the tensor may be, or the tuple may hold, one that the code created.
  bool may_be_created(const Expr* expr) const;
  // The variables of the code of which that is true.
  std::vector<const Var*> may_be_created() const;
  // Of the values the code returns.
  const std::vector<Origins>& returned() const { return returned_; }

 private:
  using Elements = std::vector<Origins>;  // of a tuple; one for everything else

  void block(const Block& body);
  void statement(const Stmt& stmt);
  void hand_on(const Block& body, const VarList& to);
  template <class T>
  void loop(const T& loop);
  Elements of(const Expr* expr) const;
  Elements of_call(const FunctionCall& call) const;
  void join(const Var& var, const Elements& more);

  const Results results_;
  std::unordered_map<const Var*, Elements> origins_;
  std::vector<Origins> returned_;
  size_t growth_ = 0;  // origins found so far
};

}  // namespace tilewire::ir
