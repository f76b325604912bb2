// Gather, scatter, sorting and running sums.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/arithmetic.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

const TileType& tile_type(const ExprRef& expr) {
  return static_cast<const TileType&>(*expr->type);
}

bool along_rows(const Call& call) {
  const AttrValue* value = find_attr(call.attrs, "axis");
  int64_t axis = value ? *value->get<int64_t>() : -1;
  return axis == -1 || axis == 1;
}

// Calls `body` with every position of `index` that has a row (or column) in `x`, checked against the extent.
void each_position(FunctionEmitter& e, const Call& call, const TileView& index, Value* rows, Value* cols,
                   llvm::function_ref<void(Value* r, Value* c, Value* x_row, Value* x_col)> body) {
  const TileType& x = tile_type(call.args[0]);
  DType dtype = tile_type(call.args[1]).dtype;
  bool by_row = along_rows(call);
  Value* extent = e.i64(by_row ? x.cols() : x.rows());
  e.repeat(e.i64(0), rows, 1, [&](Value* r) {
    e.repeat(e.i64(0), cols, 1, [&](Value* c) {
      Value* raw = e.load_element(e.address(index, dtype, r, c), dtype);
      Value* position = is_signed(dtype) ? e.b.CreateSExtOrTrunc(raw, e.b.getInt64Ty())
                                         : e.b.CreateZExtOrTrunc(raw, e.b.getInt64Ty());
      e.fail_if(e.b.CreateICmpUGE(position, extent), abi::Fault::IndexOutOfRange, call,
                {position, extent, e.i64(by_row ? 1 : 0), nullptr});
      body(r, c, by_row ? r : position, by_row ? position : c);
    });
  });
}

void gather(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const TileView& x = e.tile(call.args[0]);
  const TileView& index = e.tile(call.args[1]);
  bool by_row = along_rows(call);
  TileView to = e.storage(results[0]);
  to.rows = by_row ? e.minimum(index.rows, x.rows) : index.rows;
  to.cols = by_row ? index.cols : e.minimum(index.cols, x.cols);
  DType dtype = e.plan.values[results[0]].dtype;
  llvm::Type* type = storage_type(e.module.context, dtype, 0);
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  each_position(e, call, index, to.rows, to.cols, [&](Value* r, Value* c, Value* x_row, Value* x_col) {
    Value* element = e.b.CreateAlignedLoad(type, e.address(x, dtype, x_row, x_col), align);
    e.b.CreateAlignedStore(element, e.address(to, dtype, r, c), align);
  });
  e.view(results[0]) = to;
}

void scatter(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const TileView index = e.tile(call.args[1]);
  const TileView src = e.tile(call.args[2]);
  TileView to = e.take_over(call.args[0], results[0]);
  bool by_row = along_rows(call);
  Value* rows = e.minimum(index.rows, src.rows);
  Value* cols = e.minimum(index.cols, src.cols);
  if (by_row) {
    rows = e.minimum(rows, to.rows);
  } else {
    cols = e.minimum(cols, to.cols);
  }
  DType dtype = e.plan.values[results[0]].dtype;
  llvm::Type* type = storage_type(e.module.context, dtype, 0);
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  each_position(e, call, index, rows, cols, [&](Value* r, Value* c, Value* x_row, Value* x_col) {
    Value* element = e.b.CreateAlignedLoad(type, e.address(src, dtype, r, c), align);
    e.b.CreateAlignedStore(element, e.address(to, dtype, x_row, x_col), align);
  });
  e.view(results[0]) = to;
}

// --- sorting: stable merges of neighbouring runs, the larger element first

struct Row {
  Value* values;
  Value* labels;
};

class RowSorter {
 public:
  RowSorter(FunctionEmitter& e, DType value, DType label) : e_(e), value_(value), label_(label) {}

  // Runs of `width` in `from`, up to `count`, become runs of twice that in `to`.
  void merge_pass(const Row& from, const Row& to, Value* count, int64_t width) {
    e_.repeat(e_.i64(0), count, 2 * width, [&](Value* start) {
      Value* middle = e_.minimum(e_.b.CreateAdd(start, e_.i64(width)), count);
      Value* end = e_.minimum(e_.b.CreateAdd(start, e_.i64(2 * width)), count);
      e_.repeat(start, end, 1, {start, middle}, [&](Value* k, llvm::MutableArrayRef<Value*> at) {
        // One past the end may be read: storage is padded.
        Value* left = e_.load_element(e_.element_address(from.values, value_, at[0]), value_);
        Value* right = e_.load_element(e_.element_address(from.values, value_, at[1]), value_);
        Value* left_done = e_.b.CreateICmpSGE(at[0], middle);
        Value* right_some = e_.b.CreateICmpSLT(at[1], end);
        Value* take_right = e_.b.CreateAnd(right_some, e_.b.CreateOr(left_done, before(right, left)));
        move(from, to, e_.b.CreateSelect(take_right, at[1], at[0]), k);
        at[1] = e_.b.CreateAdd(at[1], e_.b.CreateZExt(take_right, e_.b.getInt64Ty()));
        at[0] = e_.b.CreateAdd(at[0], e_.b.CreateZExt(e_.b.CreateNot(take_right), e_.b.getInt64Ty()));
      });
    });
  }

  void copy(const Row& from, const Row& to, Value* count) {
    e_.repeat(e_.i64(0), count, 1, [&](Value* k) { move(from, to, k, k); });
  }

 private:
  Value* before(Value* a, Value* b) {
    Value* nan = e_.b.CreateAnd(e_.b.CreateFCmpUNO(a, a), e_.b.CreateFCmpORD(b, b));
    return e_.b.CreateOr(nan, e_.b.CreateFCmpOGT(a, b));
  }

  void move(const Row& from, const Row& to, Value* source, Value* target) {
    auto element = [&](Value* x, Value* y, DType dtype) {
      llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
      llvm::Type* type = storage_type(e_.module.context, dtype, 0);
      Value* stored = e_.b.CreateAlignedLoad(type, e_.element_address(x, dtype, source), align);
      e_.b.CreateAlignedStore(stored, e_.element_address(y, dtype, target), align);
    };
    element(from.values, to.values, value_);
    element(from.labels, to.labels, label_);
  }

  FunctionEmitter& e_;
  DType value_, label_;
};

int64_t sort_scratch(const Call& call, const Machine&) {
  return tile_type(call.args[0]).cols() * 12 + 256;
}

// Merges until runs of `first` are runs of `last`.
void sort_runs(FunctionEmitter& e, const Call& call, std::span<const int> results, int64_t first,
               int64_t last) {
  TileView x = e.tile(call.args[0]);
  DType value = e.plan.values[results[0]].dtype;
  DType label = e.plan.values[results[1]].dtype;
  TileView values = e.storage(results[0]);
  TileView labels = e.storage(results[1]);
  values.rows = labels.rows = x.rows;
  values.cols = labels.cols = x.cols;
  e.copy_tile(value, x, values);
  if (call.args.size() > 1 && call.args[1]) {
    TileView given = e.tile(call.args[1]);
    given.rows = x.rows;
    given.cols = x.cols;
    e.copy_tile(label, given, labels);
  } else {
    e.repeat(e.i64(0), x.rows, 1, [&](Value* r) {
      e.repeat(e.i64(0), x.cols, 1, [&](Value* c) {
        e.store_element(e.address(labels, label, r, c), label, e.b.CreateTrunc(c, e.b.getInt32Ty()));
      });
    });
  }
  Value* scratch = e.arena_at(e.plan.values[results[0]].scratch);
  int64_t cols = e.plan.values[results[0]].cols;
  Row spare{scratch, e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), scratch, (cols * 4 + 127) / 64 * 64)};
  RowSorter sorter(e, value, label);
  e.repeat(e.i64(0), x.rows, 1, [&](Value* r) {
    Row here{e.address(values, value, r, e.i64(0)), e.address(labels, label, r, e.i64(0))};
    bool moved = false;
    for (int64_t width = first; width < last && width < cols; width *= 2) {
      sorter.merge_pass(moved ? spare : here, moved ? here : spare, x.cols, width);
      moved = !moved;
    }
    if (moved) sorter.copy(spare, here, x.cols);
  });
  e.view(results[0]) = values;
  e.view(results[1]) = labels;
}

void sort32(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  sort_runs(e, call, results, 1, 32);
}

void merge_sort(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const AttrValue* attr = find_attr(call.attrs, "block_len");
  int64_t length = attr ? *attr->get<int64_t>() : 32;
  sort_runs(e, call, results, length, 4 * length);
}

// From the first element of a line to the last, in the order of the interpreter: the same bits.
void cumsum(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  const TileView x = e.tile(call.args[0]);
  const DType dtype = e.plan.values[results[0]].dtype;
  const bool by_row = along_rows(call);
  TileView to = e.storage(results[0]);
  to.rows = x.rows;
  to.cols = x.cols;
  Value* none = llvm::Constant::getNullValue(register_type(e.module.context, dtype, 0));
  e.repeat(e.i64(0), by_row ? x.rows : x.cols, 1, [&](Value* line) {
    e.repeat(e.i64(0), by_row ? x.cols : x.rows, 1, {none},
             [&](Value* at, llvm::MutableArrayRef<Value*> sum) {
               Value *r = by_row ? line : at, *c = by_row ? at : line;
               Value* value = e.load_element(e.address(x, dtype, r, c), dtype);
               // The first element itself: 0 + -0 would be 0.
               Value* added = is_float(dtype) ? e.b.CreateFAdd(sum[0], value) : e.b.CreateAdd(sum[0], value);
               sum[0] = e.b.CreateSelect(e.b.CreateICmpEQ(at, e.i64(0)), value, added);
               Registers registers(e.b, e.module.machine);
               e.store_element(e.address(to, dtype, r, c), dtype, registers.round(dtype, sum[0]));
             });
  });
  e.view(results[0]) = to;
}

}  // namespace

void add_sort_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, OpaqueFn function, int updates, bool elements) {
    Lowering lowering;
    lowering.opaque = function;
    lowering.updates = static_cast<int8_t>(updates);
    lowering.elements = elements;
    table.add(op, lowering);
  };
  add(ops::pl::tile::gather, gather, -1, true);
  add(ops::pl::tile::scatter, scatter, 0, false);
  auto add_sort = [&](const Op& op, OpaqueFn function) {
    Lowering lowering;
    lowering.opaque = function;
    lowering.scratch = sort_scratch;
    table.add(op, lowering);
  };
  add_sort(ops::pl::tile::sort32, sort32);
  add_sort(ops::pl::tile::mrgsort, merge_sort);
  add(ops::pl::tile::cumsum, cumsum, -1, false);
}

}  // namespace tilewire::target::cpu
