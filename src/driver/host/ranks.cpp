#include "driver/host/ranks.h"

#include <algorithm>

#include "driver/host/call_values.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {

using namespace ir;

namespace {

std::string ranks_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

}  // namespace

std::optional<int> valid_ranks(const Signature& signature, int64_t ranks, Diagnostics& diags) {
  const Function& entry = signature.entry();
  if (ranks < 1 || ranks > abi::most_ranks) {
    diags.report(diag::ranks_invalid, entry.span, {std::to_string(ranks)})
        .with_help("use 1 to " + std::to_string(abi::most_ranks));
  } else if (entry.type != FunctionType::Host && ranks != 1) {
    diags.report(diag::ranks_without_host, entry.span, {signature.name(), std::to_string(ranks)})
        .with_help("write a host function, @pl.jit.host, that dispatches it to each rank: f(x[r], device=r)");
  } else {
    return static_cast<int>(ranks);
  }
  return std::nullopt;
}

std::optional<int> agreed_ranks(const Signature& signature, std::span<const RankAnswer> answers,
                                Diagnostics& diags) {
  const Span& at = signature.entry().span;
  constexpr const char* help = "give the number: ranks=N, or --ranks N";
  for (const RankAnswer& answer : answers) {
    if (answer.ranks == answers[0].ranks) continue;
    diags
        .report(diag::ranks_differ, at,
                {signature.name(), std::to_string(answers[0].ranks), answers[0].by,
                 std::to_string(answer.ranks), answer.by})
        .with_help(help);
    return std::nullopt;
  }
  if (!answers.empty()) return valid_ranks(signature, answers[0].ranks, diags);
  diags.report(diag::ranks_unknown, at, {signature.name()})
      .with_help(help)
      .with_help("or loop over a dimension of an argument: for r in pl.range(NR)");
  return std::nullopt;
}

bool rows_fit(const Signature& signature, std::span<const size_t> staged, int64_t ranks,
              const BoundArguments& arguments, Diagnostics& diags) {
  for (size_t index : staged) {
    const auto* array = std::get_if<Array>(&arguments.values[index]);
    bool made = std::count(arguments.made.begin(), arguments.made.end(), index) != 0;
    if (!array || made || array->shape[0] == ranks) continue;
    const Parameter& parameter = *signature.params()[index].node;
    diags
        .report(diag::staged_rows, parameter.span,
                {parameter.name, std::to_string(array->shape[0]), std::to_string(ranks)})
        .with_help("pass an array with one row per rank: rank r uses row r");
  }
  return !diags.has_errors();
}

std::optional<int> RankRule::count(const Signature& signature, std::optional<int64_t> asked,
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
