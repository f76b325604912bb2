#include "passes/return_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

std::optional<ReturnOrder> return_order(const Function& kernel, const std::vector<Returned>& returned,
                                        Diagnostics& diags) {
  constexpr int last = std::numeric_limits<int>::max();
  std::vector<int> keys;
  for (size_t i = 0; i < kernel.return_types.size(); ++i) {
    const bool tensor = isa<TensorType>(kernel.return_types[i]);
    const RootSet& roots = returned[i].roots;
    if (tensor && (roots.size() != 1 || roots[0] == fresh)) {
      diags.report(diag::returns_one_of_several, kernel.body->stmts.back()->span, {kernel.name});
      return std::nullopt;
    }
    const int key = tensor ? roots[0] : last;
    if (tensor && std::find(keys.begin(), keys.end(), key) != keys.end()) {
      diags
          .report(diag::returned_twice, kernel.body->stmts.back()->span,
                  {kernel.name, kernel.params[static_cast<size_t>(key)]->name})
          .with_help("return it once, and use that result in both places");
      return std::nullopt;
    }
    keys.push_back(key);
  }
  ReturnOrder order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace tilewire::passes
