// Collectives: every rank of a group calls them alike. P is the number of ranks of the group.
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool check_collective_dtype(OpCheck& c, const char* name) {
  DType dtype = c.tensor(name)->dtype;
  if (dtype == DType::FP32 || dtype == DType::FP16 || dtype == DType::BF16 || dtype == DType::Int32)
    return true;
  c.error(diag::collective_dtype, name, {c.op.qualified(), name_of(dtype)})
      .with_help("convert the data first: pl.cast(x, pl.FP32)");
  return false;
}

// The signal, when given, is INT32 and has a cell per rank and core. `ranks`: P where constants tell it.
bool check_collective_signal(OpCheck& c, std::optional<int64_t> ranks) {
  int64_t cores = *c.attr("core_num")->get<int64_t>();
  if (cores <= 0) {
    c.error(diag::core_num, "core_num", {c.op.qualified(), std::to_string(cores)});
    return false;
  }
  if (!c.has("signal")) return true;
  if (!check_signal(c, "signal")) return false;
  auto cells = element_count(c.tensor("signal")->shape);
  int64_t needed = 0;
  if (__builtin_mul_overflow(ranks.value_or(1), cores, &needed) || !cells || *cells >= needed) return true;
  c.error(diag::signal_too_small, "signal",
          {c.op.qualified(), std::to_string(needed), std::to_string(*cells)})
      .with_help("allocate a larger signal on the host: pld.alloc_signal(" + std::to_string(needed) + ")");
  return false;
}

bool check_has_rows(OpCheck& c, const char* name) {
  if (!c.tensor(name)->shape.empty()) return true;
  c.error(diag::rank_too_small, name, {c.op.qualified(), "1", "0"});
  return false;
}

ExprList after_first(const ExprList& shape) {
  return ExprList(shape.begin() + 1, shape.end());
}

// `whole` rows are a number of blocks of `block` rows, which goes to `blocks` where constants tell it.
// `what`: the words for `block`, {0} its value.
bool check_blocks(OpCheck& c, const char* target, const ExprRef& whole, const ExprRef& block,
                  const char* what, std::optional<int64_t>& blocks) {
  auto rows = constant_value(whole);
  auto part = constant_value(block);
  if (!rows || !part || *part <= 0) return true;
  if (*rows % *part == 0 && *rows > 0) {
    blocks = *rows / *part;
    return true;
  }
  c.error(diag::collective_rows, target,
          {c.op.qualified(), std::to_string(*rows), target, expand(what, {std::to_string(*part)})});
  return false;
}

TypeRef in_place_rule(OpCheck& c) {
  bool good = check_collective_dtype(c, "target");
  return check_collective_signal(c, std::nullopt) && good ? c.arg("target")->type : nullptr;
}

TypeRef reduce_scatter_rule(OpCheck& c) {
  return check_has_rows(c, "target") ? in_place_rule(c) : nullptr;
}

TypeRef barrier_rule(OpCheck& c) {
  if (!check_collective_signal(c, std::nullopt)) return nullptr;
  return c.has("signal") ? c.arg("signal")->type : unit_type();
}

TypeRef broadcast_rule(OpCheck& c) {
  bool good = check_peer(c, "root");
  TypeRef type = in_place_rule(c);
  return good ? type : nullptr;
}

bool check_blockwise(OpCheck& c, const char* input) {
  const TensorType& a = *c.tensor(input);
  const TensorType& b = *c.tensor("target");
  bool good = check_collective_dtype(c, "target");
  if (a.dtype != b.dtype) good = check_same_dtype(c, "target", input) && good;
  if (!check_has_rows(c, input) || !check_has_rows(c, "target")) return false;
  if (!may_equal(after_first(a.shape), after_first(b.shape))) {
    c.error(diag::collective_block, "target", {c.op.qualified(), shape_text(a.shape), shape_text(b.shape)});
    return false;
  }
  return good;
}

TypeRef allgather_rule(OpCheck& c) {
  std::optional<int64_t> ranks;
  bool good = check_blockwise(c, "local");
  if (good) {
    good = check_blocks(c, "target", c.tensor("target")->shape[0], c.tensor("local")->shape[0],
                        "the {0} rows of `local`", ranks);
  }
  return check_collective_signal(c, ranks) && good ? c.arg("target")->type : nullptr;
}

bool check_distinct(OpCheck& c) {
  const auto* a = c.window("input");
  const auto* b = c.window("target");
  bool same =
      c.arg("input") == c.arg("target") || (a && a->window_buffer && a->window_buffer == b->window_buffer);
  if (!same) return true;
  c.error(diag::collective_same_buffer, "input", {c.op.qualified()})
      .with_help("allocate a second buffer for `target`");
  return false;
}

bool check_exchange(OpCheck& c) {
  bool good = check_blockwise(c, "input");
  if (good && !may_equal(c.tensor("input")->shape[0], c.tensor("target")->shape[0])) {
    good = check_same_shape(c, "input", "target");
  }
  return check_distinct(c) && good;
}

TypeRef all_to_all_rule(OpCheck& c) {
  bool good = check_exchange(c);
  return check_collective_signal(c, std::nullopt) && good ? c.arg("target")->type : nullptr;
}

bool check_counts(OpCheck& c, const char* name) {
  const TensorType& counts = *c.tensor(name);
  if (counts.shape.size() != 1) {
    c.error(diag::counts_shape, name, {c.op.qualified(), name, shape_text(counts.shape)});
  }
  if (counts.dtype != DType::Int32) {
    c.error(diag::counts_dtype, name, {c.op.qualified(), name, name_of(counts.dtype)})
        .with_help("use counts of type INT32: pl.Tensor[[NR], pl.INT32]");
  }
  return counts.shape.size() == 1 && counts.dtype == DType::Int32;
}

TypeRef all_to_all_v_rule(OpCheck& c) {
  bool good = check_exchange(c);
  bool counts = check_counts(c, "send_counts");
  counts = check_counts(c, "recv_counts") && counts;
  std::optional<int64_t> ranks;
  if (counts) {
    counts = check_same_shape(c, "send_counts", "recv_counts");
    ranks = constant_value(c.tensor("send_counts")->shape[0]);
    std::optional<int64_t> rows_per_rank;
    if (good && counts) {
      counts = check_blocks(c, "target", c.tensor("target")->shape[0], c.tensor("send_counts")->shape[0],
                            "the {0} ranks", rows_per_rank);
    }
  }
  return check_collective_signal(c, ranks) && good && counts ? c.arg("target")->type : nullptr;
}

// --- declarations

const char* const target_doc = "The window; FP32, FP16, BF16 or INT32.";

// `more_cells`: whether a mode needs more than P cells.
Define& signal_operand(Define& def, const std::string& more_cells = "") {
  return def
      .operand("signal", AcceptWindow, Data,
               "An INT32 window of at least P cells" + more_cells +
                   ", times `core_num`, that nothing else notifies. On the host it may be left out: the "
                   "compiler makes one.")
      .optional()
      .required_at(OnKernel);
}

Define& core_num(Define& def) {
  return def
      .attr("core_num", AttrKind::Int, "How many blocks of a rank take part, each with cells of its own.")
      .by_default({int64_t{1}})
      .keyword_only();
}

Define& reduce_op(Define& def) {
  return def.choice<ReduceOp>("op", "How elements are combined; FP16 and BF16 accumulate in FP32.")
      .by_default(ReduceOp::Sum)
      .keyword_only();
}

// What every collective does to its signal, and where it may be called.
void common(Define& def) {
  def.group()
      .effect(Access::Signal, "signal")
      .all_peers()
      .effect(Access::Wait, "signal")
      .levels(OnHost | OnKernel);
  def.no_rule("The pass lower_composite_ops writes it as loops over signals and remote memory.");
}

void define_in_place(std::vector<Op>& ops) {
  Define allreduce(
      ops, "pld", "tensor.allreduce",
      "Combines the windows of all ranks element by element; every rank gets the result, the same bits "
      "everywhere.");
  reduce_op(signal_operand(allreduce.operand("target", AcceptWindow, Data, target_doc),
                           " (2P for `mode=\"ring\"`)"))
      .choice<AllreduceMode>(
          "mode",
          "The algorithm: each rank reads all (mesh), each reduces its share (two_shot), neighbour "
          "to neighbour (ring), or the best for the size (auto).")
      .by_default(AllreduceMode::Auto)
      .keyword_only();
  core_num(allreduce).effect(Access::ReadWrite, "target").effect(Access::ReadWrite, "target").all_peers();
  common(allreduce);
  allreduce.rebinds("target").result("`target`, with the combined elements.").rule(in_place_rule);

  Define scatter(ops, "pld", "tensor.reduce_scatter",
                 "Combines the windows of all ranks element by element; rank r gets rows r*m to (r+1)*m of "
                 "the result in "
                 "place, the other rows are undefined.");
  core_num(reduce_op(signal_operand(scatter.operand("target", AcceptWindow, Data,
                                                    "The window, [P*m, ...]; FP32, FP16, BF16 or INT32."))))
      .effect(Access::ReadWrite, "target")
      .effect(Access::ReadWrite, "target")
      .all_peers();
  common(scatter);
  scatter.rebinds("target").result("`target`.").rule(reduce_scatter_rule);

  Define broadcast(ops, "pld", "tensor.broadcast", "Copies the window of one rank to all others.");
  signal_operand(broadcast.operand("target", AcceptWindow, Data, target_doc))
      .operand("root", AcceptInt, Address, "The rank whose window is copied.")
      .keyword_only();
  core_num(broadcast).effect(Access::ReadWrite, "target").effect(Access::ReadWrite, "target").all_peers();
  common(broadcast);
  broadcast.rebinds("target").result("`target`, equal on all ranks.").rule(broadcast_rule);

  Define barrier(
      ops, "pld", "tensor.barrier",
      "Blocks until every rank of the group has arrived. What happened before it on any rank is visible "
      "after it on all.");
  core_num(signal_operand(barrier));
  common(barrier);
  barrier.rebinds("signal").result("`signal`; nothing when it was left out.").rule(barrier_rule);
}

void define_exchanges(std::vector<Op>& ops) {
  Define gather(
      ops, "pld", "tensor.allgather",
      "Collects a block of every rank on all ranks: the block of rank s goes to rows s*m of every target.");
  core_num(
      signal_operand(
          gather.operand("local", AcceptTensor, Data, "The own block, [m, ...], of the dtype of `target`.")
              .operand("target", AcceptWindow, Data, "The window, [P*m, ...]; FP32, FP16, BF16 or INT32.")))
      .effect(Access::Read, "local")
      .effect(Access::ReadWrite, "target")
      .effect(Access::ReadWrite, "target")
      .all_peers();
  common(gather);
  gather.rebinds("target").result("`target`, with the blocks of all ranks.").rule(allgather_rule);

  Define exchange(
      ops, "pld", "tensor.all_to_all",
      "Exchanges blocks between all ranks: rows s*m of the target of rank r are rows r*m of the input of "
      "rank s.");
  core_num(
      signal_operand(
          exchange
              .operand("input", AcceptTensor, Data,
                       "What is sent, [P*m, ...], of the shape and dtype of `target`.")
              .operand(
                  "target", AcceptWindow, Data,
                  "The window that receives, [P*m, ...], in another buffer; FP32, FP16, BF16 or INT32.")))
      .effect(Access::Read, "input")
      .effect(Access::Write, "target")
      .effect(Access::Write, "target")
      .all_peers();
  common(exchange);
  exchange.rebinds("target").result("`target`, with the blocks received.").rule(all_to_all_rule);

  Define counted(ops, "pld", "tensor.all_to_all_v",
                 "Exchanges blocks of different lengths between all ranks: of each block of m rows only the "
                 "counted ones "
                 "move. A count above m stops the run with an error.");
  signal_operand(
      counted
          .operand("input", AcceptTensor, Data,
                   "What is sent, [P*m, ...], of the shape and dtype of `target`.")
          .operand("target", AcceptWindow, Data,
                   "The window that receives, [P*m, ...], in another buffer; FP32, FP16, BF16 or INT32."))
      .operand("send_counts", AcceptTensor, Extent, "How many rows go to each rank, [P], INT32.")
      .operand("recv_counts", AcceptTensor, Data, "Receives how many rows came from each rank, [P], INT32.");
  core_num(counted)
      .effect(Access::Read, "input")
      .effect(Access::Read, "send_counts")
      .effect(Access::Write, "recv_counts")
      .effect(Access::Write, "target")
      .effect(Access::Write, "target")
      .all_peers();
  common(counted);
  counted.rebinds("target").result("`target`, with the rows received.").rule(all_to_all_v_rule);
}

// Run-time checks of collectives, as ops that their lowering can emit.
void define_checks(std::vector<Op>& ops) {
  struct Form {
    const char* name;
    const char* doc;
    const char* found;
    const char* limit;
  };
  const Form forms[] = {
      {"system.check_extent", "Stops the run when an extent is not the one that is needed.",
       "The number of rows there are.", "The number of rows there must be."},
      {"system.check_count", "Stops the run when a count is above what there is room for.",
       "How many rows are to be moved.", "How many there is room for."},
  };
  for (const Form& form : forms) {
    Define check(ops, "pld", form.name, form.doc);
    check.operand("found", AcceptInt, Control, form.found)
        .operand("limit", AcceptInt, Control, form.limit)
        .only_checks();
  }
}

// What is left of a collective in a lowered program, for observers of its runs.
void define_mark(std::vector<Op>& ops) {
  Define enter(
      ops, "pld", "system.enter_collective",
      "Says which collective the ops that follow are made of. The checker reads it; nothing happens.");
  enter.operand("signal", AcceptWindow, Address, "The signal of the collective.")
      .operand("target", AcceptWindow, Address, "The window that the collective changes.")
      .optional()
      .operand("root", AcceptInt, Address, "The rank that a broadcast starts from.")
      .optional()
      .attr("name", AttrKind::String, "The collective, and how it is asked to work.")
      .members()
      .result("Nothing.")
      .rule([](OpCheck& c) { return check_members(c) ? unit_type() : nullptr; });
  enter.op().synchronizes = true;

  Define own(ops, "pld", "system.collective_effects",
             "Says what the collective that the ops that follow are made of does to memory of this rank, by "
             "this rank or by others on its behalf. Tasks are ordered by it; nothing happens.");
  own.operand("reads", AcceptTensor, Data, "A tensor that the collective reads.")
      .optional()
      .operand("writes", AcceptTensor, Data, "A tensor that the collective writes.")
      .optional()
      .effect(Access::Read, "reads")
      .effect(Access::Write, "writes")
      .result("Nothing.")
      .rule([](OpCheck&) { return unit_type(); });
  own.op().note = true;
}

}  // namespace

void define_collectives(std::vector<Op>& ops) {
  define_checks(ops);
  define_mark(ops);
  define_in_place(ops);
  define_exchanges(ops);
}

}  // namespace tilewire::ops
