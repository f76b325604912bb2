// Loads and stores, tiles made from nothing, single elements, arrays.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/arithmetic.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

void FunctionEmitter::load(const Call& call, int result) {
  const PlanValue& v = plan.values[result];
  TensorValue from = accessed_tensor(call.args[0], call);
  std::vector<Value*> offsets = indices(operand(call, "offsets"));
  std::vector<Value*> shape = indices(operand(call, "shape"));
  size_t rank = shape.size();
  std::vector<Value*> extents = shape;
  ExprRef ragged = operand(call, "valid_shape");
  if (ragged) {
    extents = indices(ragged);
    for (size_t i = 0; i < rank; ++i) {
      int64_t physical = llvm::cast<llvm::ConstantInt>(shape[i])->getSExtValue();
      extent_operand(extents[i], physical, static_cast<int>(i), call);
    }
  }
  TileView view = region(from, offsets, extents, call);
  for (size_t i = 0; ragged && i + 2 < rank; ++i) {
    Value* none = b.CreateICmpEQ(extents[i], i64(0));
    view.rows = b.CreateSelect(none, i64(0), view.rows);
    view.cols = b.CreateSelect(none, i64(0), view.cols);
  }
  announce(peer_operand(call) ? abi::HookKind::RemoteRead : abi::HookKind::Read, from, view, call);
  tiles_[result] = view;
  const bool in_place = v.deferred || !v.memory;
  if (in_place && v.staging < 0) return;
  TileView tile = storage(in_place ? v.staging : result);
  tile.rows = view.rows;
  tile.cols = view.cols;
  auto fetch = [&]() -> Value* {
    transfer_tile(tile, view, v.dtype, 0, from.peer, call);
    return nullptr;
  };
  if (in_place) {
    Value* far = is_far(from, from.peer);
    rarely(far, fetch, []() -> Value* { return nullptr; });
    tiles_[result] = pick(far, tile, view);
    return;
  }
  if (peer_operand(call)) {
    rarely(is_far(from, from.peer), fetch, [&]() -> Value* {
      copy_tile(v.dtype, view, tile);
      return nullptr;
    });
  } else {
    copy_tile(v.dtype, view, tile);
  }
  tiles_[result] = tile;
}

TileView FunctionEmitter::pick(Value* condition, const TileView& x, const TileView& y) {
  // Strides that are equal either way stay the constants they are.
  auto either = [&](Value* a, Value* c) { return a == c ? a : b.CreateSelect(condition, a, c); };
  return {either(x.data, y.data), either(x.row_stride, y.row_stride), either(x.col_stride, y.col_stride),
          y.rows, y.cols};
}

void FunctionEmitter::generate(const Call& call, int result) {
  const PlanValue& v = plan.values[result];
  tiles_[result] = {nullptr, nullptr, nullptr, i64(v.rows), i64(v.cols)};
  if (v.deferred || !v.memory) return;
  tiles_[result] = storage(result);
  std::vector<Value*> operands(call.args.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (call.args[i] && !isa<MakeTuple>(call.args[i])) operands[i] = scalar(call.args[i]);
  }
  fill(tiles_[result], v.dtype, [&](Registers& r) { return v.lowering->lanes(r, call, operands); });
}

void FunctionEmitter::fill(const TileView& tile, DType dtype,
                           llvm::function_ref<Value*(Registers&)> element) {
  unsigned lanes = module.machine.vector_bits / std::max(32, bits(dtype));
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  repeat(i64(0), tile.rows, 1, [&](Value* row) {
    auto piece = [&](Value* column, unsigned count) {
      Registers r(b, module.machine);
      r.lanes = count;
      r.row = row;
      r.column = column;
      Value* stored = to_storage(b, module.machine, dtype, element(r));
      b.CreateAlignedStore(stored, address(tile, dtype, row, column), align);
    };
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(tile.cols);
    int64_t main = known ? known->getSExtValue() / lanes * lanes : 0;
    repeat(i64(0), i64(main), lanes, [&](Value* c) { piece(c, lanes); });
    repeat(i64(main), tile.cols, 1, [&](Value* c) { piece(c, 0); });
  });
}

namespace {

const TileType& tile_type(const ExprRef& expr) {
  return static_cast<const TileType&>(*expr->type);
}

void create_tile(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  TileView view = e.storage(results[0]);
  if (call.args.size() > 1 && call.args[1]) {
    const PlanValue& v = e.plan.values[results[0]];
    std::vector<Value*> valid = e.indices(call.args[1]);
    view.rows = e.extent_operand(valid[0], v.rows, 0, call);
    view.cols = e.extent_operand(valid[1], v.cols, 1, call);
  }
  e.view(results[0]) = view;
}

// Each element by itself, so that blocks adding to the same place lose nothing.
void add_atomically(FunctionEmitter& e, Value* at, DType dtype, Value* stored) {
  auto order = llvm::AtomicOrdering::Monotonic;
  if (is_integer(dtype) && dtype != DType::Int4) {
    e.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, at, stored, llvm::Align(bytes(dtype)), order);
    return;
  }
  const Machine& machine = e.module.machine;
  llvm::Type* raw = e.b.getIntNTy(static_cast<unsigned>(bytes(dtype)) * 8);
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  auto* first = e.b.CreateAlignedLoad(raw, at, align);
  first->setAtomic(order);
  llvm::BasicBlock* before = e.b.GetInsertBlock();
  llvm::Function* f = before->getParent();
  auto* loop = llvm::BasicBlock::Create(e.module.context, "again", f, before->getNextNode());
  auto* done = llvm::BasicBlock::Create(e.module.context, "added", f, loop->getNextNode());
  e.b.CreateBr(loop);
  e.b.SetInsertPoint(loop);
  llvm::PHINode* seen = e.b.CreatePHI(raw, 2);
  seen->addIncoming(first, before);
  llvm::Type* storage = storage_type(e.module.context, dtype, 0);
  Registers r(e.b, machine);
  Value* old = from_storage(e.b, machine, dtype, e.b.CreateBitCast(seen, storage));
  Value* sum = binary(r, Elementwise::Add, dtype, old, from_storage(e.b, machine, dtype, stored));
  Value* next = e.b.CreateBitCast(to_storage(e.b, machine, dtype, sum), raw);
  Value* pair = e.b.CreateAtomicCmpXchg(at, seen, next, align, order, order);
  seen->addIncoming(e.b.CreateExtractValue(pair, 0), e.b.GetInsertBlock());
  e.b.CreateCondBr(e.b.CreateExtractValue(pair, 1), done, loop);
  e.b.SetInsertPoint(done);
}

}  // namespace

void add_tile(FunctionEmitter& e, DType dtype, const TileView& tile, const TileView& to) {
  llvm::Type* type = storage_type(e.module.context, dtype, 0);
  e.repeat(e.i64(0), tile.rows, 1, [&](Value* row) {
    e.repeat(e.i64(0), tile.cols, 1, [&](Value* col) {
      Value* from = e.b.CreateAlignedLoad(type, e.address(tile, dtype, row, col), llvm::Align(bytes(dtype)));
      add_atomically(e, e.address(to, dtype, row, col), dtype, from);
    });
  });
}

namespace {

void store_atomic(FunctionEmitter& e, const Call& call, std::span<const int>) {
  const TileView& tile = e.tile(call.args[0]);
  add_tile(e, tile_type(call.args[0]).dtype, tile, e.store_region(call, tile).view);
}

// --- elements of tiles

Value* tile_element(FunctionEmitter& e, const Call& call, const TileView& view) {
  const TileType& type = tile_type(call.args[0]);
  std::vector<Value*> where = e.indices(call.args[1]);
  int64_t shape[] = {type.rows(), type.cols()};
  for (int i = 0; i < 2; ++i) {
    e.fail_if(e.b.CreateICmpUGE(where[i], e.i64(shape[i])), abi::Fault::IndexOutOfRange, call,
              {where[i], e.i64(shape[i]), e.i64(i), nullptr});
  }
  return e.address(view, type.dtype, where[0], where[1]);
}

Value* read_tile(FunctionEmitter& e, const Call& call) {
  return e.load_element(tile_element(e, call, e.tile(call.args[0])), tile_type(call.args[0]).dtype);
}

void write_tile(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  DType dtype = tile_type(call.args[0]).dtype;
  TileView view = e.take_over(call.args[0], results[0]);
  Value* value = e.scalar(call.args[2]);
  e.store_element(tile_element(e, call, view), dtype, value);
  e.view(results[0]) = view;
}

Value* tile_dim(FunctionEmitter& e, const Call& call) {
  int64_t axis = *find_attr(call.attrs, "i")->get<int64_t>();
  const TileType& type = tile_type(call.args[0]);
  return e.i64(axis == 0 || axis == -2 ? type.rows() : type.cols());
}

// --- arrays

DType element_dtype(const ExprRef& array) {
  DType dtype = static_cast<const ArrayType&>(*array->type).dtype;
  return dtype == DType::TaskId ? DType::UInt64 : dtype;
}

void create_array(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  TileView view = e.storage(results[0]);
  const auto& type = static_cast<const ArrayType&>(*call.type);
  e.b.CreateMemSet(view.data, e.b.getInt8(0), static_cast<uint64_t>(type.extent * bytes(type.dtype)),
                   llvm::Align(8));
  e.view(results[0]) = view;
}

Value* array_element(FunctionEmitter& e, const Call& call, const TileView& view) {
  Value* at = e.index(call.args[1]);
  Value* extent = e.i64(static_cast<const ArrayType&>(*call.args[0]->type).extent);
  e.fail_if(e.b.CreateICmpUGE(at, extent), abi::Fault::IndexOutOfRange, call,
            {at, extent, e.i64(0), nullptr});
  return e.element_address(view.data, element_dtype(call.args[0]), at);
}

Value* get_element(FunctionEmitter& e, const Call& call) {
  return e.load_element(array_element(e, call, e.tile(call.args[0])), element_dtype(call.args[0]));
}

void set_element(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  Value* value = e.scalar(call.args[2]);
  TileView view = e.take_over(call.args[0], results[0]);
  e.store_element(array_element(e, call, view), element_dtype(call.args[0]), value);
  e.view(results[0]) = view;
}

}  // namespace

TileView FunctionEmitter::take_over(const ExprRef& operand, int result) {
  int from = tile_id(operand);
  TileView view = storage(result);
  const TileView& old = tiles_[from];
  view.rows = old.rows;
  view.cols = old.cols;
  bool in_place = plan.values[from].memory && plan.values[from].web == plan.values[result].web;
  if (!in_place) copy_tile(plan.values[result].dtype, old, view);
  return view;
}

void add_move_lowerings(LoweringTable& table) {
  auto opaque = [](OpaqueFn function, int updates = -1) {
    Lowering lowering;
    lowering.opaque = function;
    lowering.updates = static_cast<int8_t>(updates);
    return lowering;
  };
  auto scalar = [](ScalarFn function) {
    Lowering lowering;
    lowering.op_class = OpClass::Scalar;
    lowering.scalar = function;
    return lowering;
  };
  table.add(ops::pl::tile::load, {});
  table.add(ops::pl::tile::store, opaque(store_atomic));
  table.add(ops::pl::tile::move, {});
  table.add(ops::pl::tile::create, opaque(create_tile));
  table.add(ops::pl::tile::read, scalar(read_tile));
  table.add(ops::pl::tile::write, opaque(write_tile, 0));
  table.add(ops::pl::tile::dim, scalar(tile_dim));
  table.add(ops::pl::array::create, opaque(create_array));
  table.add(ops::pl::array::get, scalar(get_element));
  table.add(ops::pl::array::set, opaque(set_element, 0));
}

}  // namespace tilewire::target::cpu
