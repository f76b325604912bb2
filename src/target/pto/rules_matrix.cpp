// Products on the cube core: from Mat to Left and Right, added up in Acc.
#include <algorithm>

#include "ops/handles.h"
#include "target/pto/emitter.h"
#include "target/pto/parts.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

bool flag(const Call& call, const char* name) {
  return *attribute(call, name)->get<bool>();
}

// The products of a call, in parts of K that fit Left and Right.
class Product {
 public:
  Product(FunctionEmitter& e, const Call& call) : e_(e), call_(call) {
    bool a_trans = call.op->param_index("a_trans") >= 0 && flag(call, "a_trans");
    bool b_trans = call.op->param_index("b_trans") >= 0 && flag(call, "b_trans");
    a_ = operand_tile(operand(call, "a"), true, a_trans);
    b_ = operand_tile(operand(call, "b"), false, b_trans);
    for (Tile* tile : {&a_, &b_}) {
      const MemorySpace space = tile->form.space;
      if (space == MemorySpace::Acc) {
        *tile = out_of_sum(*tile, operand(call, tile == &a_ ? "a" : "b"));
        continue;
      }
      if (space == MemorySpace::Mat && tile->form.boxes == Boxes::None) {
        e.refuse(call.span, "a tile that is a bias and an operand of a product",
                 "a bias is a row, an operand is in boxes")
            .with_help("load it twice");
        good_ = false;
        return;
      }
      if (space == MemorySpace::Mat || space == MemorySpace::Left || space == MemorySpace::Right) continue;
      e.refuse(call.span, std::string("a product of a tile in ") + name_of(space),
               "the cube core reaches it only by a pipe");
      good_ = false;
    }
    if (good_ && a_trans && a_.form.space == MemorySpace::Mat) a_ = turned(e, a_);
    if (good_ && b_trans && b_.form.space == MemorySpace::Mat) b_ = turned(e, b_);
    if ((a_trans && a_.form.space == MemorySpace::Left) || (b_trans && b_.form.space == MemorySpace::Right)) {
      e.refuse(call.span, "a transposed operand in Left or Right", "tiles are turned on their way from Mat");
      good_ = false;
    }
  }

  bool good() const { return good_; }
  Extent rows() const { return a_.rows; }
  Extent cols() const { return b_.cols; }

  // `bias`: null, or a tile in Bias. `started`: whether `acc` holds a sum already.
  void into(const Tile& acc, const Tile* bias, const std::optional<Scalar>& started) {
    // A sum that is valid in less than its products are takes no more of their operands.
    const Extent inner = e_.smaller(a_.cols, b_.rows);
    a_ = e_.with_extent(a_, acc.rows, inner);
    b_ = e_.with_extent(b_, inner, acc.cols);
    const int64_t step = part();
    for (int64_t k = 0; k < a_.form.cols; k += step) {
      const int64_t size = std::min(step, a_.form.cols - k);
      // A part of K after the end of the valid extent adds nothing.
      const bool ragged = size < a_.form.cols && !(a_.cols.integer && *a_.cols.integer >= k + size);
      const Extent left_over = e_.sub(a_.cols, e_.number(k));
      const Extent valid = size == a_.form.cols ? a_.cols
                           : ragged             ? e_.smaller(left_over, e_.number(size))
                                                : e_.number(size);
      const bool guarded = ragged && k > 0;
      if (guarded) {
        e_.text.open("scf.if " + e_.text.name(e_.compare("sgt", left_over, e_.number(0))) + " {");
        e_.enter();
      }
      const Tile left = operand_part(a_, MemorySpace::Left, k, size, valid);
      const Tile right = operand_part(b_, MemorySpace::Right, k, size, valid);
      multiply(acc, left, right, k > 0 ? nullptr : bias, k > 0 ? std::nullopt : started, k > 0);
      e_.done_with(left);
      e_.done_with(right);
      if (guarded) {
        e_.leave();
        e_.text.close();
      }
    }
  }

 private:
  void multiply(const Tile& acc, const Tile& left, const Tile& right, const Tile* bias,
                const std::optional<Scalar>& started, bool adds) {
    if (bias) return e_.op("tmatmul.bias", {left, right, *bias}, acc);
    if (adds || !started) return e_.op("tmatmul.acc", {acc, left, right}, acc);
    if (started->integer == 0) return e_.op("tmatmul", {left, right}, acc);
    e_.text.open("scf.if " + e_.text.name(*started) + " {");
    e_.op("tmatmul.acc", {acc, left, right}, acc);
    e_.text.middle("} else {");
    e_.op("tmatmul", {left, right}, acc);
    e_.text.close();
  }

  // A tile that is there once for each way it is taken has been turned on its way from the slot.
  Tile operand_tile(const ExprRef& value, bool left, bool& turned) {
    const std::vector<Side> sides = e_.memory.sides(*value);
    const auto side = std::find(sides.begin(), sides.end(), Side{left, turned});
    if (side == sides.end()) return e_.tile(value);
    turned = false;
    return e_.tile(value, static_cast<size_t>(side - sides.begin()));
  }

  // The result of a product as an operand of the next one, rounded to its elements.
  Tile out_of_sum(const Tile& sum, const ExprRef& value) {
    if (sum.started) e_.trap_if(e_.arith("xori", *sum.started, e_.number(1, "i1")));
    const TileForm form = form_of(static_cast<const TileType&>(*value->type), MemorySpace::Mat, e_.unit());
    const Tile staged = e_.temporary(form, sum.rows, sum.cols);
    e_.op("tmov", {sum}, staged);
    return staged;
  }

  // How many columns of `a` fit.
  int64_t part() const {
    const int64_t k = a_.form.cols, unit = std::max<int64_t>(16, 32 / element_bytes(a_.form.element));
    const bool known = a_.form.space == MemorySpace::Mat && b_.form.space == MemorySpace::Mat;
    const int64_t line =
        std::max(up(a_.form.rows, 16), up(b_.form.cols, 16)) * element_bytes(a_.form.element);
    const int64_t fits = capacity(MemorySpace::Left) / line / unit * unit;
    return !known || fits >= k ? k : std::max(fits, unit);
  }
  static int64_t up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

  // Columns k to k + size of `a`, or those rows of `b`, of which `valid` are.
  Tile operand_part(const Tile& tile, MemorySpace space, int64_t k, int64_t size, const Extent& valid) {
    if (tile.form.space == space) return tile;
    const bool left = space == MemorySpace::Left, whole = size == a_.form.cols;
    TileForm form = tile.form;
    form.space = space;
    form.col_major = false;
    form.boxes = left ? Boxes::Rows : Boxes::Columns;
    if (!whole) (left ? form.cols : form.rows) = size;
    const Extent rows = left || whole ? tile.rows : valid, cols = !left || whole ? tile.cols : valid;
    const Tile to = e_.temporary(form, rows, cols);
    if (whole) {
      e_.op("tmov", {tile}, to);
    } else {
      const std::string zero = e_.text.integer(0, "index"), at = e_.text.integer(k, "index");
      e_.op("textract", {tile, {left ? zero : at, "index"}, {left ? at : zero, "index"}}, to);
    }
    return to;
  }

  FunctionEmitter& e_;
  const Call& call_;
  Tile a_, b_;
  bool good_ = true;
};

void matmul(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Product product(e, call);
  const Tile acc = e.destination(*result, product.rows(), product.cols());
  if (product.good()) product.into(acc, nullptr, e.number(0, "i1"));
}

void matmul_acc(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tile before = e.tile(call.args[0]);
  Product product(e, call);
  const Tile acc =
      e.destination(*result, e.smaller(before.rows, product.rows()), e.smaller(before.cols, product.cols()));
  if (before.started != std::optional<Scalar>(e.number(0, "i1"))) e.copy(before, acc, call.span);
  if (product.good()) product.into(acc, nullptr, before.started);
}

void matmul_bias(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  Product product(e, call);
  const Tile acc = e.destination(*result, product.rows(), product.cols());
  Tile bias = e.tile(operand(call, "bias"));
  if (bias.form.boxes != Boxes::None) {
    e.refuse(call.span, "a bias from the vector core",
             "what comes through a pipe is in boxes, a bias is a row")
        .with_help("add it to the product");
    return;
  }
  if (bias.form.space == MemorySpace::Mat) {
    TileForm form = bias.form;
    form.space = MemorySpace::Bias;
    const Tile to = e.temporary(form, bias.rows, bias.cols);
    e.op("tmov", {bias}, to);
    bias = to;
  } else if (bias.form.space != MemorySpace::Bias) {
    e.refuse(call.span, std::string("a bias in ") + name_of(bias.form.space),
             "the cube core reaches it only by a pipe");
    return;
  }
  if (product.good()) product.into(acc, &bias, std::nullopt);
}

}  // namespace

void add_matrix_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  const DtypeSet inputs{DType::FP16, DType::BF16, DType::FP32, DType::Int8};
  table.add(tile::matmul, {matmul, inputs, "tmov or textract to Left and Right, tmatmul", {}});
  table.add(
      tile::matmul_acc,
      {matmul_acc, inputs | DtypeSet{DType::Int32}, "the same with tmatmul.acc", {ResultMemory::Updates, 0}});
  table.add(tile::matmul_bias, {matmul_bias, inputs, "the same with tmatmul.bias", {}});
}

}  // namespace tilewire::target::pto
