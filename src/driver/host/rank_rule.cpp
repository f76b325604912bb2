#include "driver/host/rank_rule.h"

#include <algorithm>

#include "driver/host/manifest_of.h"
#include "driver/host/ranks.h"
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
  if (only && asked && *asked != *only) {
    diags.report(diag::bundle_ranks, {}, {ranks_text(*only), std::to_string(*asked)});
    return std::nullopt;
  }
  if (only || asked) return valid_ranks(signature, only ? *only : *asked, diags);
  runtime::SizeNames names = size_names(signature, arguments);
  std::vector<RankAnswer> answers;
  for (const runtime::SizeExpression& size : from) {
    std::string problem;
    if (auto value = size.evaluate(0, names, problem)) answers.push_back({*value, "`" + size.text() + "`"});
  }
  return agreed_ranks(signature, answers, diags);
}

}  // namespace tilewire::driver
