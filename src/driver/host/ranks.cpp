#include "driver/host/ranks.h"

#include <algorithm>

#include "ir/visitor.h"
#include "passes/window_uses.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

using namespace ir;

// Parameters whose row r is staged into or out of the windows of rank r.
std::vector<const Parameter*> staged_parameters(const Function& host) {
  std::vector<const Parameter*> staged;
  passes::HostScalars scalars(host);
  for (const Assign* allocation : passes::WindowUses::of(host, scalars).allocations) {
    for (const ExprRef& arg : static_cast<const Call&>(*allocation->value).args) {
      const auto* parameter = as<Parameter>(arg);
      if (parameter && isa<TensorType>(parameter->type)) staged.push_back(parameter);
    }
  }
  return staged;
}

// Dimensions that are the number of ranks: compared with world_size(), or rows of staged arrays.
class RankDimensions final : public Visitor<RankDimensions> {
 public:
  RankDimensions(const Function& host, const passes::HostScalars& scalars) : scalars_(scalars) {
    walk(*host.body);
    for (const Parameter* parameter : staged_parameters(host)) {
      const ExprList& shape = static_cast<const TensorType&>(*parameter->type).shape;
      if (!shape.empty()) dimension(shape[0]);
    }
  }
  const std::vector<RankAnswer>& answers() const { return answers_; }
  const std::vector<std::string>& symbols() const { return symbols_; }

  void visit(const Call& call) {
    walk_children(call);
    if (scalar_dtype(call.type) == DType::Bool && call.args.size() == 2) {
      compared(call.args[0], call.args[1]);
      compared(call.args[1], call.args[0]);
    }
  }

 private:
  void compared(const ExprRef& size, const ExprRef& other) {
    if (passes::is_world_size(*passes::without_casts(scalars_.fold(size)))) {
      const ExprRef& dim = passes::without_casts(other);
      if (isa<DimSymbol>(dim)) dimension(dim);
    }
  }

  void dimension(const ExprRef& expr) {
    const auto* symbol = as<DimSymbol>(expr);
    if (symbol) symbols_.push_back(symbol->name);
    auto value = scalars_.integer(expr);
    if (value && (symbol || isa<ConstInt>(expr))) {
      answers_.push_back({*value, symbol ? "`" + symbol->name + "`" : std::to_string(*value) + " rows"});
    }
  }

  const passes::HostScalars& scalars_;
  std::vector<RankAnswer> answers_;
  std::vector<std::string> symbols_;
};

// Of a loop that dispatches to ranks 0 to NR - 1.
const DimSymbol* counted_by(const passes::WindowUses::Dispatch& dispatch,
                            const passes::HostScalars& scalars) {
  if (!dispatch.loop || !dispatch.devices.all()) return nullptr;
  ExprRef stop = passes::without_casts(scalars.fold(dispatch.loop->stop));
  return as<DimSymbol>(stop);
}

}  // namespace

std::optional<int> valid_ranks(const Signature& signature, int64_t ranks, Diagnostics& diags) {
  const Function& entry = signature.entry();
  if (ranks < 1 || ranks > abi::most_ranks) {
    diags.report(diag::ranks_invalid, entry.span, {std::to_string(ranks)})
        .with_help("there may be 1 to " + std::to_string(abi::most_ranks));
  } else if (entry.type != FunctionType::Host && ranks != 1) {
    diags.report(diag::ranks_without_host, entry.span, {signature.name(), std::to_string(ranks)})
        .with_help("a host function, @pl.jit.host, says what each rank does: f(x[r], device=r)");
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
  diags.report(diag::ranks_unknown, at, {signature.name()}).with_help(help);
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
        .with_help("row r is the share of rank r: give as many rows as there are ranks");
  }
  return !diags.has_errors();
}

std::vector<std::string> rank_dimensions(const Function& entry) {
  if (entry.type != FunctionType::Host) return {};
  passes::HostScalars nothing_known(entry);
  std::vector<std::string> symbols = RankDimensions(entry, nothing_known).symbols();
  for (const auto& dispatch : passes::WindowUses::of(entry, nothing_known).dispatches) {
    if (const DimSymbol* symbol = counted_by(dispatch, nothing_known)) symbols.push_back(symbol->name);
  }
  return symbols;
}

passes::HostScalars::Known known_values(const BoundArguments& arguments, const Signature& signature,
                                        std::optional<int64_t> ranks) {
  return [&arguments, &signature, ranks](const Expr& expr) -> ExprRef {
    if (passes::is_world_size(expr)) {
      return ranks ? make<ConstInt>(expr.span, *ranks, DType::Int64) : ExprRef();
    }
    if (const auto* dim = as<DimSymbol>(&expr)) {
      auto found = arguments.dimensions.find(dim->name);
      return found == arguments.dimensions.end() ? nullptr : ExprRef(const_index(found->second));
    }
    const auto* wanted = as<Parameter>(&expr);
    for (size_t i = 0; wanted && i < signature.params().size(); ++i) {
      const ParameterInfo& param = signature.params()[i];
      const auto* number = std::get_if<Number>(&arguments.values[i]);
      if (param.node->name != wanted->name || !number) continue;
      if (const auto* flag = std::get_if<bool>(number)) return make<ConstBool>(expr.span, *flag);
      const auto* value = std::get_if<int64_t>(number);
      if (value && is_integer(param.dtype)) return make<ConstInt>(expr.span, *value, param.dtype);
    }
    return nullptr;
  };
}

passes::HostScalars::Known known_ranks(int64_t ranks) {
  return [ranks](const Expr& expr) {
    return passes::is_world_size(expr) ? ExprRef(make<ConstInt>(expr.span, ranks, DType::Int64)) : ExprRef();
  };
}

RankCounter::RankCounter(const Signature& signature) : signature_(signature) {
  const Function& entry = signature.entry();
  if (entry.type != FunctionType::Host) return;
  for (const Parameter* parameter : staged_parameters(entry)) {
    for (size_t i = 0; i < signature.params().size(); ++i) {
      if (signature.params()[i].node == parameter) staged_.push_back(i);
    }
  }
  passes::HostScalars nothing_known(entry);
  for (const auto& dispatch : passes::WindowUses::of(entry, nothing_known).dispatches) {
    const DimSymbol* symbol = counted_by(dispatch, nothing_known);
    if (symbol) loops_.push_back({symbol->name, dispatch.call->callee, dispatch.loop->span});
  }
}

std::optional<int> RankCounter::deduced(const BoundArguments& arguments, Diagnostics& diags) const {
  const Function& entry = signature_.entry();
  passes::HostScalars scalars(entry, known_values(arguments, signature_));
  passes::WindowUses uses = passes::WindowUses::of(entry, scalars);
  if (uses.dispatches.empty() && uses.collectives.empty()) return 1;
  passes::DeviceSet devices;
  for (const auto& dispatch : uses.dispatches) devices.add(dispatch.devices);
  if (devices.constant() && !devices.empty())
    return valid_ranks(signature_, *devices.devices().rbegin() + 1, diags);
  return agreed_ranks(signature_, RankDimensions(entry, scalars).answers(), diags);
}

bool RankCounter::fits(int64_t ranks, const BoundArguments& arguments, Diagnostics& diags) const {
  for (const CountedLoop& loop : loops_) {
    auto value = arguments.dimensions.find(loop.dimension);
    if (value == arguments.dimensions.end() || value->second == ranks) continue;
    diags
        .report(diag::ranks_of_dimension, loop.span,
                {loop.callee, loop.dimension, std::to_string(value->second), std::to_string(ranks)})
        .with_help("leave ranks out, or give " + std::to_string(value->second));
    return false;
  }
  return rows_fit(signature_, staged_, ranks, arguments, diags);
}

std::optional<int> RankCounter::count(std::optional<int64_t> asked, const BoundArguments& arguments,
                                      Diagnostics& diags) const {
  if (signature_.entry().type != FunctionType::Host) return valid_ranks(signature_, asked.value_or(1), diags);
  auto ranks = asked ? valid_ranks(signature_, *asked, diags) : deduced(arguments, diags);
  return ranks && fits(*ranks, arguments, diags) ? ranks : std::nullopt;
}

}  // namespace tilewire::driver
