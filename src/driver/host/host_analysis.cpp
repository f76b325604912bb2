#include "driver/host/host_analysis.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "driver/host/call_values.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/window_uses.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

using namespace ir;

// Parameters whose row r is staged into or out of the windows of rank r.
std::vector<size_t> staged_parameters(const Signature& signature, const passes::WindowUses& uses) {
  std::vector<size_t> staged;
  for (const Assign* allocation : uses.allocations) {
    for (const ExprRef& arg : static_cast<const Call&>(*allocation->value).args) {
      for (size_t i = 0; i < signature.params().size(); ++i) {
        if (signature.params()[i].tensor && signature.params()[i].node == arg.get()) staged.push_back(i);
      }
    }
  }
  return staged;
}

// Dimensions that are the number of ranks: compared with world_size(), or rows of staged arrays.
class RankDimensions final : public Visitor<RankDimensions> {
 public:
  RankDimensions(const Signature& signature, const passes::HostScalars& scalars,
                 std::span<const size_t> staged)
      : scalars_(scalars) {
    walk(*signature.entry().body);
    for (size_t parameter : staged) {
      const ExprList& shape = signature.params()[parameter].tensor->shape;
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

// Parameters of which a loop over all ranks hands row r to rank r: their first dimensions.
class RowDimensions final : public Visitor<RowDimensions> {
 public:
  RowDimensions(const Signature& signature, const passes::WindowUses& uses) : signature_(signature) {
    for (const auto& dispatch : uses.dispatches) {
      if (!dispatch.loop || !dispatch.devices.all() || !walked_.insert(dispatch.loop).second) continue;
      rank_ = dispatch.loop->loop_var.get();
      walk(*dispatch.loop->body);
    }
  }
  const std::vector<std::string>& symbols() const { return symbols_; }

  void visit(const Call& call) {
    walk_children(call);
    if (call.op != ops::pl::tensor::slice) return;
    const auto* offsets = as<MakeTuple>(call.args[2]);
    const auto* shape = as<MakeTuple>(call.args[1]);
    const auto* rows = shape ? as<ConstInt>(shape->elements[0]) : nullptr;
    if (!offsets || passes::without_casts(offsets->elements[0]).get() != rank_ || !rows || rows->value != 1)
      return;
    for (const ParameterInfo& param : signature_.params()) {
      const auto* symbol = param.node == call.args[0].get() ? as<DimSymbol>(param.tensor->shape[0]) : nullptr;
      if (!symbol) continue;
      symbols_.push_back(symbol->name);
      ++slices_[param.node];
    }
  }

  // How often row r of a parameter is taken in such loops.
  int slices(const Parameter* param) const {
    auto found = slices_.find(param);
    return found == slices_.end() ? 0 : found->second;
  }

 private:
  const Signature& signature_;
  const Var* rank_ = nullptr;
  std::vector<std::string> symbols_;
  std::unordered_map<const Parameter*, int> slices_;
  std::unordered_set<const For*> walked_;
};

// How often each parameter is used.
struct ParameterUses final : Visitor<ParameterUses> {
  std::unordered_map<const Expr*, int> count;
  void visit(const Parameter& param) { ++count[&param]; }
};

// The number that follows from dispatches only: one if there are none.
std::optional<int64_t> dispatched_ranks(const passes::WindowUses& uses) {
  if (uses.dispatches.empty() && uses.collectives.empty()) return 1;
  passes::DeviceSet devices;
  for (const auto& dispatch : uses.dispatches) devices.add(dispatch.devices);
  if (!devices.constant() || devices.empty()) return std::nullopt;
  return *devices.devices().rbegin() + 1;
}

}  // namespace

HostAnalysis::HostAnalysis(const Signature& signature, const Program& lowered) : signature_(signature) {
  if (signature.entry().type != FunctionType::Host) {
    rule_.from = {1};
    return;
  }
  lowered_ = lowered.find(signature.entry().name);
  values_ = AssignedValues(*lowered_);
  find_ranks();
}

void HostAnalysis::find_ranks() {
  const Function& entry = signature_.entry();
  const passes::HostScalars nothing_known(entry);
  const passes::WindowUses uses = passes::WindowUses::of(entry, nothing_known);
  staged_ = staged_parameters(signature_, uses);
  dimensions_ = RankDimensions(signature_, nothing_known, staged_).symbols();
  for (const auto& dispatch : uses.dispatches) {
    const DimSymbol* symbol = counted_by(dispatch, nothing_known);
    if (!symbol) continue;
    dimensions_.push_back(symbol->name);
    loops_.push_back({symbol->name, dispatch.call->callee, dispatch.loop->span});
  }
  row_dimensions_ = dimensions_;
  const RowDimensions rows(signature_, uses);
  row_dimensions_.insert(row_dimensions_.end(), rows.symbols().begin(), rows.symbols().end());
  // Arrays of which nothing but row r of rank r is used have one row per rank.
  ParameterUses all;
  all.walk(*entry.body);
  for (size_t i = 0; i < signature_.params().size(); ++i) {
    const Parameter* param = signature_.params()[i].node;
    if (rows.slices(param) > 0 && rows.slices(param) == all.count[param]) rows_.push_back(i);
  }
  if (auto ranks = dispatched_ranks(uses)) {
    rule_.from = {*ranks};
    return;
  }
  for (const std::string& symbol : dimensions_) {
    std::string problem;
    auto size = runtime::SizeExpression::parse(symbol, problem);
    bool known = !size || std::find(rule_.from.begin(), rule_.from.end(), *size) != rule_.from.end();
    if (!known) rule_.from.push_back(*size);
  }
}

std::optional<int> HostAnalysis::deduced(const BoundArguments& arguments, Diagnostics& diags) const {
  const Function& entry = signature_.entry();
  const passes::HostScalars scalars(entry, known_values(arguments, signature_));
  const passes::WindowUses uses = passes::WindowUses::of(entry, scalars);
  const auto ranks = dispatched_ranks(uses);
  if (ranks) return valid_ranks(signature_, *ranks, diags);
  return agreed_ranks(signature_, RankDimensions(signature_, scalars, staged_).answers(), diags);
}

bool HostAnalysis::fits(int64_t ranks, const BoundArguments& arguments, Diagnostics& diags) const {
  for (const CountedLoop& loop : loops_) {
    auto value = arguments.dimensions.find(loop.dimension);
    if (value == arguments.dimensions.end() || value->second == ranks) continue;
    diags
        .report(diag::ranks_of_dimension, loop.span,
                {loop.callee, loop.dimension, std::to_string(value->second), std::to_string(ranks)})
        .with_help("leave ranks out, or give " + std::to_string(value->second));
    return false;
  }
  return rows_fit(signature_, staged_, ranks, arguments, diags) &&
         rows_fit(signature_, rows_, ranks, arguments, diags);
}

std::optional<int> HostAnalysis::ranks(std::optional<int64_t> asked, const BoundArguments& arguments,
                                       Diagnostics& diags) const {
  if (!lowered_) return valid_ranks(signature_, asked.value_or(1), diags);
  auto ranks = asked ? valid_ranks(signature_, *asked, diags) : deduced(arguments, diags);
  return ranks && fits(*ranks, arguments, diags) ? ranks : std::nullopt;
}

namespace {

// That of the views of a buffer, if they have the same one and it can be written.
void add_shape(const std::vector<const ir::Call*>& views, SizeWriter& writer, runtime::Manifest::Slot& slot) {
  std::optional<DType> dtype;
  for (const ir::Call* view : views) {
    const auto& type = static_cast<const ir::TensorType&>(*view->type);
    std::vector<runtime::SizeExpression> shape;
    for (const ir::ExprRef& dimension : type.shape) {
      std::string problem;
      auto size = writer.write(dimension, problem);
      if (!size) return slot.shape.clear();
      shape.push_back(*size);
    }
    if (dtype && (dtype != type.dtype || shape != slot.shape)) return slot.shape.clear();
    dtype = type.dtype;
    slot.shape = std::move(shape);
  }
  if (dtype) slot.element_bytes = ir::bytes(*dtype);
}

}  // namespace

std::optional<runtime::Manifest> HostAnalysis::manifest(const Program& grouped, std::optional<int64_t> ranks,
                                                        Diagnostics& diags) const {
  if (!lowered_) return runtime::Manifest();
  SizeWriter writer(*lowered_, ranks, values_);
  runtime::Manifest manifest;
  for (const auto& group : grouped.comm_groups) {
    runtime::Manifest::Group made;
    made.devices.assign(group->devices.begin(), group->devices.end());
    for (const ir::WindowBufferRef& slot : group->slots) {
      if (!values_.allocates(*slot)) continue;
      std::string problem;
      auto size = writer.write(slot->size, problem);
      if (!size) {
        diags.report(diag::window_size_not_closed, slot->base->span, {slot->name, problem});
        continue;
      }
      made.slots.push_back({slot->name,
                            *size,
                            std::nullopt,
                            slot->load_from_host != nullptr,
                            slot->store_to_host != nullptr,
                            {},
                            sizeof(int32_t),
                            slot->base->span});
      add_shape(values_.views(slot->name), writer, made.slots.back());
    }
    if (!made.slots.empty()) manifest.groups.push_back(std::move(made));
  }
  if (diags.has_errors()) return std::nullopt;
  manifest.place();
  return manifest;
}

}  // namespace tilewire::driver
