#include "driver/rank_rule.h"

#include <algorithm>

#include "driver/manifest_of.h"
#include "driver/ranks.h"
#include "passes/host_scalars.h"
#include "passes/window_uses.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

using namespace ir;

std::string ranks_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

}  // namespace

RankRule rank_rule(const Function& entry) {
  if (entry.type != FunctionType::Host) return {{}, {1}};
  passes::HostScalars nothing_known(entry);
  passes::WindowUses uses = passes::WindowUses::of(entry, nothing_known);
  if (uses.dispatches.empty() && uses.collectives.empty()) return {{}, {1}};
  passes::DeviceSet devices;
  for (const auto& dispatch : uses.dispatches) devices.add(dispatch.devices);
  if (devices.constant() && !devices.empty()) return {{}, {*devices.devices().rbegin() + 1}};
  RankRule rule;
  for (const std::string& symbol : rank_dimensions(entry)) {
    std::string problem;
    auto size = runtime::SizeExpression::parse(symbol, problem);
    bool known = !size || std::find(rule.from.begin(), rule.from.end(), *size) != rule.from.end();
    if (!known) rule.from.push_back(*size);
  }
  return rule;
}

std::optional<int32_t> RankRule::count(const Signature& signature, std::optional<int64_t> asked,
                                       const BoundArguments& arguments, Diagnostics& diags) const {
  const Function& entry = signature.entry();
  if (only && asked && *asked != *only) {
    diags.report(diag::bundle_ranks, {}, {ranks_text(*only), std::to_string(*asked)});
    return std::nullopt;
  }
  std::optional<int64_t> found = only ? only : asked;
  runtime::SizeNames names = size_names(signature, arguments);
  for (size_t i = 0; !only && !asked && i < from.size(); ++i) {
    std::string problem;
    auto value = from[i].evaluate(0, names, problem);
    if (!value) continue;
    if (found && *found != *value) {
      diags
          .report(diag::ranks_differ, entry.span,
                  {signature.name(), std::to_string(*found), "`" + from[0].text() + "`",
                   std::to_string(*value), "`" + from[i].text() + "`"})
          .with_help("give the number: ranks=N, or --ranks N");
      return std::nullopt;
    }
    found = value;
  }
  if (!found) {
    diags.report(diag::ranks_unknown, entry.span, {signature.name()})
        .with_help("give the number: ranks=N, or --ranks N");
  } else if (*found < 1 || *found > most_ranks) {
    diags.report(diag::ranks_invalid, entry.span, {std::to_string(*found)})
        .with_help("there may be 1 to " + std::to_string(most_ranks));
  } else if (entry.type != FunctionType::Host && *found != 1) {
    diags.report(diag::ranks_without_host, entry.span, {signature.name(), std::to_string(*found)});
  } else {
    return static_cast<int32_t>(*found);
  }
  return std::nullopt;
}

}  // namespace tilewire::driver
