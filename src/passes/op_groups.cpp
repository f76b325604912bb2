#include "passes/op_groups.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/shape.h"
#include "passes/block_loops.h"

namespace tilewire::passes {

using namespace ir;

namespace {

struct Count : Visitor<Count> {
  PointerMap<uint32_t>& counts;
  explicit Count(PointerMap<uint32_t>& c) : counts(c) {}
  void visit(const Var& var) { ++*counts.insert(&var, 0).first; }
};

bool is_zero(const ExprRef& offset) {
  return constant_value(offset) == 0;
}

// Ops that work row by row: a row of the result depends only on that row of the operands.
bool works_on_rows(OpForm form) {
  const Fusion fusion = fusion_of(form);
  return fusion == Fusion::Elementwise || fusion == Fusion::RowReduce || form == OpForm::Fill;
}

const ExprList& shape_of(const TypeRef& type) {
  return static_cast<const TensorType&>(*type).shape;
}

class Grouper {
 public:
  Grouper(const TilePlan& plan, const Roots& roots, const Sharing& sharing, const UseCounts& uses)
      : plan_(plan), roots_(roots), sharing_(sharing), uses_(uses) {}

  OpGroup run(const ir::Block& body, size_t first) {
    group_.end = first;
    for (size_t i = first; i < body.stmts.size() && take(body.stmts[i], i == first); ++i) group_.end = i + 1;
    drop_tail();
    if (group_.items.size() < 2) group_.items.clear();
    if (!group_.items.empty()) finish();
    for (const auto& [at, stmt] : before_) {
      if (at < group_.end) group_.before.push_back(stmt);
    }
    return std::move(group_);
  }

 private:
  bool take(const StmtRef& stmt, bool is_first) {
    const auto* assign = as<Assign>(stmt);
    const auto* eval = as<Eval>(stmt);
    const auto* call = as<Call>(assign ? assign->value.get() : eval ? eval->value.get() : nullptr);
    if (!call) return false;
    OpGroup::Item item{call, is_whole_tensor_op(*call->op) ? call->op : nullptr,
                       assign ? assign->var : nullptr};
    if (!item.op) return !is_first && passes_by(stmt, *call);
    bool fits = item.op->form == OpForm::Assemble ? takes_store(item) : takes_compute(item, is_first);
    if (!fits) return false;
    group_.items.push_back(item);
    stmts_.push_back(group_.end);
    return true;
  }

  // A view or a scalar that uses nothing of the group is computed before it.
  bool passes_by(const StmtRef& stmt, const Call& call) {
    if (!isa<Assign>(stmt) || !call.op->effects.empty() || call.op->synchronizes) return false;
    bool plain = isa<ScalarType>(call.type) || call.op->result_alias >= 0;
    PointerMap<uint32_t> used;
    Count(used).walk(static_cast<const Node&>(call));
    for (const OpGroup::Item& item : group_.items) {
      if (item.var && used.find(item.var.get())) return false;
    }
    if (plain) before_.emplace_back(group_.end, stmt);
    return plain;
  }

  bool takes_compute(const OpGroup::Item& item, bool is_first) {
    bool reduces = item.op->form == OpForm::ReduceRow || item.op->form == OpForm::ArgRow;
    if (!item.var || !works_on_rows(item.op->form)) return false;
    bool small = plan_.is_tile(*item.var) || fits_whole(*item.call);
    if (is_first && small) return false;
    const ExprList& shape = shape_of(item.call->type);
    if (is_first) start(item);
    if (reduces && !group_.whole_rows) return false;
    if (!same_space(shape)) return false;
    for (size_t i = 0; i < item.call->args.size(); ++i) {
      const ExprRef& arg = item.call->args[i];
      if (!arg || !isa<TensorType>(arg->type)) continue;
      bool inside = is_inside(arg);
      bool vector = is_row_operand(item.op->form, i) || is_column_operand(item.op->form, i);
      if (inside && (group_.whole_rows ? is_row_operand(item.op->form, i) : vector)) return false;
      if (group_.whole_rows && !known_cols(arg->type)) return false;
      if (!inside && reads_written(arg)) return false;
      if (!inside) read_.push_back({arg, !is_row_operand(item.op->form, i)});
      widen(arg->type);
    }
    if (group_.whole_rows && !known_cols(item.call->type)) return false;
    widen(item.call->type);
    inside_.insert(item.var.get(), 1);
    return true;
  }

  bool fits_whole(const Call& call) const {
    bool fits = plan_.fits(call.type);
    for (const ExprRef& arg : call.args)
      fits = fits && (!arg || !isa<TensorType>(arg->type) || plan_.fits(arg->type));
    return fits;
  }

  // Full rows where they are short enough for several to fit a tile.
  void start(const OpGroup::Item& item) {
    group_.shape = shape_of(item.call->type);
    group_.span = item.call->span;
    group_.whole_rows = known_cols(item.call->type);
    for (const ExprRef& arg : item.call->args) {
      if (arg && isa<TensorType>(arg->type)) group_.whole_rows = group_.whole_rows && known_cols(arg->type);
    }
  }

  bool known_cols(const TypeRef& type) const {
    auto cols = constant_value(cols_of(shape_of(type)));
    return cols && *cols * bytes(static_cast<const TensorType&>(*type).dtype) <= plan_.block_bytes();
  }

  bool same_space(const ExprList& shape) const {
    if (shape.size() != group_.shape.size()) return false;
    size_t compared = group_.whole_rows ? shape.size() - 1 : shape.size();
    for (size_t i = 0; i < compared; ++i) {
      if (ops::compare(shape[i], group_.shape[i]) != ops::Known::Equal) return false;
    }
    return true;
  }

  // The end of a chain: a value of the group, or another tensor of its shape, into memory.
  bool takes_store(const OpGroup::Item& item) {
    const ExprRef &target = item.call->args[0], &part = item.call->args[1];
    if (group_.items.empty() || !isa<TensorType>(part->type) || plan_.is_tile(*target)) return false;
    if (!is_inside(part) || !same_space(shape_of(part->type))) return false;
    const ExprList& offsets = static_cast<const MakeTuple&>(*item.call->args[2]).elements;
    bool in_place = std::all_of(offsets.begin(), offsets.end(), is_zero);
    for (const auto& [operand, by_row] : read_) {
      if (overlap(operand, target) && !(operand == target && in_place && by_row)) return false;
    }
    if (is_inside(target) || reads_written(target)) return false;
    written_.push_back(target);
    if (item.var) written_.push_back(item.var);
    return true;
  }

  bool is_inside(const ExprRef& var) const { return inside_.find(var.get()) != nullptr; }

  bool reads_written(const ExprRef& operand) const {
    return std::any_of(written_.begin(), written_.end(),
                       [&](const ExprRef& target) { return overlap(operand, target); });
  }

  bool overlap(const ExprRef& a, const ExprRef& b) const {
    return may_overlap(roots_.of(a), roots_.of(b), sharing_);
  }

  void widen(const TypeRef& type) {
    const auto& tensor = static_cast<const TensorType&>(*type);
    widest_ = std::max(widest_, bits(tensor.dtype));
    if (auto cols = constant_value(cols_of(tensor.shape))) most_cols_ = std::max(most_cols_, *cols);
  }

  // A value that was to be a tile as a whole must not be needed behind the group, which has it in blocks: the
  // group ends before it then, which may leave others without their uses.
  void drop_tail() {
    for (bool settled = false; !settled;) {
      settled = true;
      PointerMap<uint32_t> used;
      for (const OpGroup::Item& item : group_.items) Count(used).walk(static_cast<const Node&>(*item.call));
      for (size_t i = 0; i < group_.items.size() && settled; ++i) {
        OpGroup::Item& item = group_.items[i];
        if (!item.var || item.op->form == OpForm::Assemble) continue;
        const uint32_t* inside = used.find(item.var.get());
        item.escapes = uses_.of(*item.var) > (inside ? *inside : 0);
        if (!item.escapes || !plan_.is_tile(*item.var)) continue;
        group_.end = stmts_[i];
        group_.items.resize(i);
        stmts_.resize(i);
        settled = false;
      }
    }
  }

  void finish() {
    int64_t limit = plan_.block_bytes() * 8 / std::max(widest_, 8);
    auto rows = constant_value(rows_of(group_.shape)), cols = constant_value(cols_of(group_.shape));
    if (group_.whole_rows) {
      group_.cols = 1;
      group_.rows = std::max<int64_t>(1, limit / most_cols_);
      if (rows) group_.rows = std::min(group_.rows, *rows);
      group_.shape.back() = const_index(1);
    } else {
      group_.cols = std::max<int64_t>(1, std::min(cols.value_or(1024), limit));
      group_.rows = std::max<int64_t>(1, std::min(rows.value_or(limit), limit / group_.cols));
    }
  }

  const TilePlan& plan_;
  const Roots& roots_;
  const Sharing& sharing_;
  const UseCounts& uses_;
  OpGroup group_;
  std::vector<size_t> stmts_;  // position of each item
  std::vector<std::pair<size_t, StmtRef>> before_;
  PointerMap<uint8_t> inside_;
  std::vector<std::pair<ExprRef, bool>> read_;  // from memory; whether row by row
  ExprList written_;
  int widest_ = 0;
  int64_t most_cols_ = 1;
};

}  // namespace

bool is_row_operand(OpForm form, size_t operand) {
  return (form == OpForm::MapCol && operand == 1) || form == OpForm::ExpandCol;
}

bool is_column_operand(OpForm form, size_t operand) {
  return (form == OpForm::MapRow && operand == 1) || form == OpForm::ExpandRow;
}

UseCounts::UseCounts(const Function& function) {
  Count(counts_).walk(*function.body);
}

uint32_t UseCounts::of(const Expr& var) const {
  const uint32_t* count = counts_.find(&var);
  return count ? *count - 1 : 0;  // without its definition
}

OpGroup group_from(const ir::Block& body, size_t first, const TilePlan& plan, const Roots& roots,
                   const Sharing& sharing, const UseCounts& uses) {
  return Grouper(plan, roots, sharing, uses).run(body, first);
}

}  // namespace tilewire::passes
