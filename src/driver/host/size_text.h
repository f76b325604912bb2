// Integer expressions of a program as the text of runtime::SizeExpression, and back: how sizes leave the IR.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "runtime/manifest_size.h"

namespace tilewire::driver {

// The values assigned to the variables of a function, each assigned once.
class AssignedValues {
 public:
  AssignedValues() = default;  // of a function without a body
  explicit AssignedValues(const ir::Function& function);
  // Null for variables that loops and branches determine.
  const ir::ExprRef* find(const ir::Var& var) const { return values_.find(&var); }
  bool allocates(const ir::WindowBuffer& buffer) const { return buffers_.contains(buffer.name); }
  // The calls of `pld.window` on a buffer.
  const std::vector<const ir::Call*>& views(const std::string& buffer) const;

 private:
  friend struct AssignWalk;
  ir::PointerMap<ir::ExprRef> values_;
  std::set<std::string, std::less<>> buffers_;
  std::map<std::string, std::vector<const ir::Call*>> views_;
};

class SizeWriter {
 public:
  // Over dimensions and integer scalar parameters of `function`; with `ranks`, world_size() is that number.
  // `values` outlives this.
  SizeWriter(const ir::Function& function, std::optional<int64_t> ranks, const AssignedValues& values);

  // Replaces variables by their values. Empty if the result has no text:
  // `problem` continues a sentence, "it depends on ...".
  std::optional<runtime::SizeExpression> write(const ir::ExprRef& expr, std::string& problem);

 private:
  void put(const ir::Expr& expr, int loosest);
  void put_call(const ir::Call& call, int loosest);
  void put_name(const std::string& name);
  void put_number(int64_t value, int loosest);
  void fail(std::string problem);

  std::optional<int64_t> ranks_;
  const AssignedValues& values_;
  std::set<std::string, std::less<>> ambiguous_;  // dimensions with the name of a scalar parameter
  std::string text_, problem_;
  int depth_ = 0;
};

// The expression as IR. World sizes have no form there: null.
ir::ExprRef size_to_ir(const runtime::SizeExpression& size);

}  // namespace tilewire::driver
