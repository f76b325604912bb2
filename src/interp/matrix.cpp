// Matrix products. Floats accumulate in FP32, INT8 in INT32, in the order of ascending k; matmul_acc starts
// from the accumulator, matmul_bias adds the row last. The result is rounded once, to its dtype.
#include "interp/lanes.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

struct Sizes {
  int64_t batch = 1, m = 0, n = 0, k = 0;
};

// The operands as [batch, m, k] and [batch, k, n], by strides where they are stored transposed.
struct Product {
  View a, b;
  Sizes sizes;
  Dims extents;  // of the result

  Product(const Context& c, size_t first) : a(c.view(first)), b(c.view(first + 1)) {
    const size_t rank = a.shape.size();
    if (c.flag("a_trans")) transpose(a);
    if (c.flag("b_trans")) transpose(b);
    const int64_t inner = a.shape[rank - 1], other = b.shape[rank - 2];
    if (inner != other) {
      fail(diag::run_extents_differ,
           {c.call.op->qualified(), "K", std::to_string(inner), std::to_string(other)});
    }
    extents = a.shape;
    extents[rank - 1] = b.shape[rank - 1];
    for (size_t i = 0; i + 2 < rank; ++i) {
      if (a.shape[i] != b.shape[i]) check_equal_extents(c, a.shape, b.shape);
      sizes.batch *= a.shape[i];
    }
    sizes.m = a.shape[rank - 2];
    sizes.n = b.shape[rank - 1];
    sizes.k = inner;
  }

  static void transpose(View& view) {
    const size_t rank = view.shape.size();
    std::swap(view.shape[rank - 1], view.shape[rank - 2]);
    std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  }
};

constexpr int64_t products_per_beat = 1 << 20;  // about a millisecond

// Adds a * b to `out`, rows first and columns innermost so that every sum still runs over ascending k.
template <class T, class Add>
void accumulate(const Context& c, const Sizes& s, const Lanes<T>& a, const Lanes<T>& b, Lanes<T>& out,
                Add add) {
  Pulse* pulse = c.world.options().pulse;
  int64_t products = 0;  // since the last beat
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    const T* x = a.data() + batch * s.m * s.k;
    const T* y = b.data() + batch * s.k * s.n;
    T* to = out.data() + batch * s.m * s.n;
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t k = 0; k < s.k; ++k) {
        const T left = x[i * s.k + k];
        for (int64_t j = 0; j < s.n; ++j) to[i * s.n + j] = add(to[i * s.n + j], left, y[k * s.n + j]);
        products += s.n;
        if (products < products_per_beat) continue;
        if (pulse) pulse->beat();
        products = 0;
      }
    }
  }
}

void multiply(const Context& c, const Product& p, Lanes<float>& out) {
  accumulate(c, p.sizes, floats(p.a), floats(p.b), out,
             [](float sum, float x, float y) { return sum + x * y; });
}
void multiply(const Context& c, const Product& p, Lanes<int64_t>& out) {
  accumulate(c, p.sizes, integers(p.a), integers(p.b), out,
             [](int64_t sum, int64_t x, int64_t y) { return numeric::wrap(DType::Int32, sum + x * y); });
}

void charge_for(Context& c, const Sizes& s) {
  double work = static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) *
                static_cast<double>(s.k) / 64;
  c.world.charge(work < 1e18 ? static_cast<int64_t>(work) : INT64_MAX);
}

template <class T>
void matmul_of(Context& c, const Product& p) {
  Lanes<T> out(static_cast<size_t>(p.sizes.batch * p.sizes.m * p.sizes.n));
  multiply(c, p, out);
  c.result = fresh_value(c, p.extents, out);
}

void matmul(Context& c, int) {
  Product p(c, 0);
  charge_for(c, p.sizes);
  is_float(p.a.dtype) ? matmul_of<float>(c, p) : matmul_of<int64_t>(c, p);
}

// The accumulator of tiles is narrowed to its overlap with the product.
template <class T>
void matmul_acc_of(Context& c, Product p) {
  View acc = c.view(0);
  if (c.value(0).tile()) {
    p.sizes.m = p.a.shape[0] = p.extents[0] = std::min(p.extents[0], acc.shape[0]);
    p.sizes.n = p.b.shape[1] = p.extents[1] = std::min(p.extents[1], acc.shape[1]);
    acc.shape = p.extents;
  } else {
    check_equal_extents(c, acc.shape, p.extents);
  }
  Lanes<T> out = lanes<T>(acc);
  multiply(c, p, out);
  if (c.value(0).tile()) {
    c.result = fresh_value(c, p.extents, out);
    return;
  }
  const Tensor& target = c.tensor(0);
  put(target.dtype, out, c.writable(target), target.shape, target.strides);
  c.result = c.value(0);
}

void matmul_acc(Context& c, int) {
  Product p(c, 1);
  charge_for(c, p.sizes);
  is_float(p.a.dtype) ? matmul_acc_of<float>(c, p) : matmul_acc_of<int64_t>(c, p);
}

template <class T>
void matmul_bias_of(Context& c, Product p) {
  View bias = c.view(2);
  if (c.value(2).tile()) {
    p.sizes.n = p.b.shape[1] = p.extents[1] = std::min(p.extents[1], bias.shape[1]);
    bias.shape[1] = p.extents[1];
    if (bias.shape[0] == 0) p.sizes.m = p.a.shape[0] = p.extents[0] = 0;
  } else if (bias.shape[1] != p.sizes.n) {
    check_equal_extents(c, {1, p.sizes.n}, bias.shape);
  }
  Lanes<T> out(static_cast<size_t>(p.sizes.m * p.sizes.n)), row = lanes<T>(bias);
  multiply(c, p, out);
  for (size_t i = 0; i < out.size(); ++i) out[i] += row[i % static_cast<size_t>(p.sizes.n)];
  c.result = fresh_value(c, p.extents, out);
}

void matmul_bias(Context& c, int) {
  Product p(c, 0);
  charge_for(c, p.sizes);
  is_float(p.a.dtype) ? matmul_bias_of<float>(c, p) : matmul_bias_of<int64_t>(c, p);
}

}  // namespace

void add_matrix(OpEntries& entries) {
  entries.add_both(ops::pl::tile::matmul, matmul);
  entries.add_both(ops::pl::tile::matmul_acc, matmul_acc);
  entries.add_both(ops::pl::tile::matmul_bias, matmul_bias);
  entries.add(ops::pl::tensor::batch_matmul, matmul);
}

}  // namespace tilewire::interp
