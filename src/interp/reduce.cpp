// Reductions of rows and columns, and the broadcasts that undo them.
//
// Sums and products of floats are taken in FP32 from the first element to the last and rounded once, at the
// end; those of integers wrap. The largest and smallest of a row with a NaN are NaN, and their position is
// the first NaN; where they are zero they are +0, so that they do not depend on an order. Of no elements the
// sum is 0, the product 1, the largest the lowest value of the dtype, the smallest the highest, the position
// 0.
#include <cmath>
#include <limits>

#include "interp/elementwise.h"
#include "interp/op_table.h"
#include "ops/registry.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// `outer` matrices of `rows` x `cols`, reduced along one of the last two dimensions.
struct Plan {
  int64_t outer = 1, rows, cols;
  bool along_row;

  int64_t lines() const { return outer * (along_row ? rows : cols); }
  int64_t length() const { return along_row ? cols : rows; }
  int64_t first(int64_t line) const {
    return along_row ? line * cols : line / cols * rows * cols + line % cols;
  }
  int64_t step() const { return along_row ? 1 : cols; }
};

int64_t lowest(DType dtype) {
  const DTypeInfo& i = info(dtype);
  return i.is_signed ? -static_cast<int64_t>(~uint64_t{0} >> (65 - i.bits)) - 1 : 0;
}
int64_t highest(DType dtype) {
  const DTypeInfo& i = info(dtype);
  return static_cast<int64_t>(~uint64_t{0} >> (i.is_signed ? 65 - i.bits : 64 - i.bits));
}

// `better(a, b)`: whether a takes the place of b, which came before it.
template <class T, class Better>
int64_t best_position(const Plan& p, const Lanes<T>& x, int64_t line, Better better) {
  int64_t best = 0;
  for (int64_t i = 1; i < p.length(); ++i) {
    if (better(x[p.first(line) + i * p.step()], x[p.first(line) + best * p.step()])) best = i;
  }
  return best;
}

bool is_max(Elementwise r) {
  return r == Elementwise::Max;
}

Lanes<int64_t> positions(const Plan& p, const Lanes<float>& x, Elementwise r) {
  Lanes<int64_t> out;
  for (int64_t line = 0; line < p.lines(); ++line) {
    out.push_back(best_position(p, x, line, [&](float a, float b) {
      return (std::isnan(a) && !std::isnan(b)) || (is_max(r) ? a > b : a < b);
    }));
  }
  return out;
}

Lanes<int64_t> positions(const Plan& p, const Lanes<int64_t>& x, Elementwise r, bool is_unsigned) {
  Lanes<int64_t> out;
  const auto flip = static_cast<int64_t>(is_unsigned ? uint64_t{1} << 63 : 0);  // keeps the order of UINT64
  for (int64_t line = 0; line < p.lines(); ++line) {
    out.push_back(best_position(p, x, line, [&](int64_t a, int64_t b) {
      return is_max(r) ? (a ^ flip) > (b ^ flip) : (a ^ flip) < (b ^ flip);
    }));
  }
  return out;
}

Lanes<float> values(const Plan& p, const Lanes<float>& x, Elementwise r) {
  const float infinity = std::numeric_limits<float>::infinity();
  const bool product = r == Elementwise::Mul;
  const float none = r == Elementwise::Add ? 0.0f : product ? 1.0f : is_max(r) ? -infinity : infinity;
  Lanes<float> out(static_cast<size_t>(p.lines()), none);
  for (int64_t line = 0; line < p.lines(); ++line) {
    for (int64_t i = 0; i < p.length(); ++i) {
      float v = x[p.first(line) + i * p.step()];
      if (r == Elementwise::Add) {
        out[line] += v;
      } else {
        out[line] = i == 0 ? v : combine(r, out[line], v);
      }
    }
    if (!product) out[line] += 0.0f;  // a zero is +0, whatever the order of the elements
  }
  return out;
}

Lanes<int64_t> values(const Plan& p, const Lanes<int64_t>& x, Elementwise r, DType dtype) {
  const bool product = r == Elementwise::Mul;
  const int64_t none = r == Elementwise::Add ? 0 : product ? 1 : is_max(r) ? lowest(dtype) : highest(dtype);
  Lanes<int64_t> out(static_cast<size_t>(p.lines()), none);
  for (int64_t line = 0; line < p.lines(); ++line) {
    for (int64_t i = 0; i < p.length(); ++i) {
      int64_t v = x[p.first(line) + i * p.step()];
      out[line] = i == 0 ? v : combine(r, dtype, out[line], v);
    }
  }
  return out;
}

void reduce(Context& c, int) {
  const bool along_row = c.call.op->form != OpForm::ReduceCol;
  const Elementwise r = c.call.op->kind;
  View view = c.view(0);
  const size_t rank = view.shape.size();
  Plan plan{1, view.shape[rank - 2], view.shape[rank - 1], along_row};
  for (size_t i = 0; i + 2 < rank; ++i) plan.outer *= view.shape[i];
  Dims extents = view.shape;
  extents[along_row ? rank - 1 : rank - 2] = 1;
  const bool position = c.call.op->form == OpForm::ArgRow;
  if (is_float(view.dtype)) {
    Lanes<float> x = floats(view);
    c.result = position ? fresh_value(c, extents, positions(plan, x, r))
                        : fresh_value(c, extents, values(plan, x, r));
  } else {
    Lanes<int64_t> x = integers(view);
    c.result = position ? fresh_value(c, extents, positions(plan, x, r, view.dtype == DType::UInt64))
                        : fresh_value(c, extents, values(plan, x, r, view.dtype));
  }
}

// --- broadcasts

// `vector` as a view of `extents` with stride 0 in one of the last two dimensions.
View spread(const Context& c, View vector, const Dims& extents, bool row) {
  const size_t rank = extents.size(), axis = row ? rank - 1 : rank - 2;
  for (size_t i = 0; i < rank; ++i) {
    if (i == axis) continue;
    if (vector.shape[i] != extents[i]) check_equal_extents(c, extents, vector.shape);
  }
  vector.shape = extents;
  vector.strides[axis] = 0;
  return vector;
}

void expand(Context& c, int) {
  const bool row = c.call.op->form == OpForm::ExpandRow;
  View vector = c.view(0);
  Dims extents = c.integers(1);
  const size_t rank = extents.size(), axis = row ? rank - 1 : rank - 2;
  if (c.value(0).tile()) {
    const size_t other = 1 - axis;
    extents[other] = vector.shape[other];
    if (vector.shape[axis] == 0) extents[axis] = 0;
  }
  Fresh fresh(c, c.call.type, extents);
  fresh.fill_dense(dense(spread(c, vector, extents, row)));
  c.result = std::move(fresh).value();
}

void fused(Context& c, int) {
  const bool row = c.call.op->form == OpForm::MapRow;
  const Elementwise op = c.call.op->kind;
  View a = c.view(0), b = c.view(1);
  Dims extents = a.shape;
  if (c.value(0).tile()) {
    const size_t axis = row ? 1 : 0, other = 1 - axis;
    extents[other] = std::min(extents[other], b.shape[other]);
    if (b.shape[axis] == 0) extents[axis] = 0;
    b.shape[other] = extents[other];
  }
  a.shape = extents;
  b = spread(c, b, extents, row);
  if (is_float(a.dtype)) {
    Lanes<float> x = floats(a);
    apply(op, x, floats(b));
    c.result = fresh_value(c, extents, x);
  } else {
    Lanes<int64_t> x = integers(a);
    apply(op, a.dtype, x, integers(b));
    c.result = fresh_value(c, extents, x);
  }
}

}  // namespace

void add_reduce(OpEntries& entries) {
  for (const Op& op : ops::registry().all()) {
    const bool broadcasts = op.form == OpForm::MapRow || op.form == OpForm::MapCol;
    const bool repeats = op.form == OpForm::ExpandRow || op.form == OpForm::ExpandCol;
    const Fusion fusion = fusion_of(op.form);
    if (fusion == Fusion::RowReduce || fusion == Fusion::ColReduce) entries.add(op, reduce);
    if (broadcasts && op.kind != Elementwise::None) entries.add(op, fused);
    if (repeats) entries.add(op, expand);
  }
}

}  // namespace tilewire::interp
