// The rows of a cluster.
//
// Order inside a row: level by level, first the scalars of the row that level can know, then one loop over
// columns for all sinks of equal width. Stores and results of width 1 come last. Everything read from outside
// is read before anything is written at the same place, which is what lets a result take over an operand's
// storage.
#include <algorithm>

#include "target/cpu/cluster_emitter.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

// From this many instructions a vector on, work hides the time of loads and additions.
constexpr size_t long_work = 8;

void emit_cluster(FunctionEmitter& emitter, int cluster) {
  ClusterEmitter(emitter, cluster).run();
}

void ClusterEmitter::run() {
  Place place(b_, e_.module.lines.get(), cluster_.members.front().call);
  for (const Member& member : cluster_.members) {
    tile_operand_ids_.emplace(&member, tile_operands(plan_, *member.call, *member.lowering));
    if (member.result >= 0) member_of_.emplace(member.result, &member);
  }
  find_extents();
  make_groups();
  check_stores();
  guard_loads();
  guard_stores();
  evaluate_scalars();
  start_columns();
  e_.repeat(e_.i64(0), rows_, 1, [&](Value* r) { row(r); });
  finish_columns();
  finish_stores();
}

const TileView& ClusterEmitter::view_of(int value) {
  auto found = guarded_.find(value);
  return found != guarded_.end() ? found->second : e_.view(value);
}

// --- one row

Value* ClusterEmitter::row_start(int key, const TileView& view, DType dtype, bool first_row) {
  auto found = row_starts_.find(key);
  if (found != row_starts_.end()) return found->second;
  Value* start = first_row ? view.data : e_.address(view, dtype, row_, e_.i64(0));
  row_starts_.emplace(key, start);
  return start;
}

// Where a value is kept between levels. A load waits for a store shortly before it whose address has the same
// low twelve bits. Rows are read while the buffer is written, and written while it is read, so a long row
// begins where it is a good part of a page away from what this row reads and stores.
Value* ClusterEmitter::buffer_start(const PlanValue& v) {
  auto found = row_starts_.find(v.row_buffer);
  if (found != row_starts_.end()) return found->second;
  Value* start = e_.storage(v.row_buffer).data;
  int64_t slack = (plan_.values[v.row_buffer].cols - v.cols) * bytes(v.dtype);
  auto begins = [&](int key) {
    auto other = row_starts_.find(key);
    return other == row_starts_.end() ? nullptr : b_.CreatePtrToInt(other->second, b_.getInt64Ty());
  };
  Value *from = nullptr, *to = nullptr;
  for (const ClusterRead& read : cluster_.reads) {
    if (!from && plan_.values[read.value].rows == cluster_.rows) from = begins(read.value);
  }
  for (const auto& [m, store] : stores_) {
    if (!to) to = begins(store_key(m));
  }
  if (slack > 0 && from) {
    Value* distance = b_.CreateAnd(b_.CreateSub(to ? to : from, from), e_.i64(slack - 1));
    Value* opposite = b_.CreateICmpULT(b_.CreateSub(distance, e_.i64(slack * 3 / 8)), e_.i64(slack / 4));
    Value* away = b_.CreateSelect(opposite, e_.i64(slack / 4), e_.i64(slack / 2));
    Value* offset = b_.CreateSub(b_.CreateAdd(from, away), b_.CreatePtrToInt(start, b_.getInt64Ty()));
    constexpr int64_t line = 64;
    start = b_.CreateGEP(b_.getInt8Ty(), start, b_.CreateAnd(offset, e_.i64(slack - line)));
  }
  row_starts_.emplace(v.row_buffer, start);
  return start;
}

// The value of a row's single element, or what a reduction has made of the row.
Value* ClusterEmitter::row_scalar(int value) {
  auto found = row_scalars_.find(value);
  if (found != row_scalars_.end()) return found->second;
  const PlanValue& v = plan_.values[value];
  Value* result = nullptr;
  Chunk chunk;
  chunk.column = e_.i64(0);
  if (inside(value)) {
    TW_CHECK(v.lowering->op_class == OpClass::Lanes, "a reduction is used before its level");
    result = compute(*member_of_.at(value), chunk);
  } else if (v.deferred && v.lowering->op_class == OpClass::Generator) {
    std::vector<Value*> operands(v.call->args.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (v.call->args[i] && !isa<MakeTuple>(v.call->args[i])) operands[i] = e_.scalar(v.call->args[i]);
    }
    Registers r(b_, e_.module.machine);
    r.row = v.rows == cluster_.rows ? row_ : e_.i64(0);
    r.column = e_.i64(0);
    result = v.lowering->lanes(r, *v.call, operands);
  } else {
    const TileView& view = view_of(value);
    bool first_row = v.rows != cluster_.rows;
    result = e_.load_element(e_.address(view, v.dtype, first_row ? e_.i64(0) : row_, e_.i64(0)), v.dtype);
  }
  row_scalars_.emplace(value, result);
  return result;
}

void ClusterEmitter::row(Value* r) {
  row_ = r;
  row_scalars_.clear();
  row_starts_.clear();
  divisors_.clear();
  // What is read from outside once a row, where it dominates all of it.
  for (const Member& member : cluster_.members) {
    for (int operand : tile_operand_ids_.at(&member)) {
      if (operand < 0 || inside(operand)) continue;
      const PlanValue& v = plan_.values[operand];
      if (v.cols == 1) {
        row_scalar(operand);
      } else if (!v.deferred || v.lowering->op_class == OpClass::Load) {
        row_start(operand, view_of(operand), v.dtype, v.rows != cluster_.rows);
      }
    }
  }
  for (const Group& g : groups_) {
    for (const Sink& sink : g.sinks) {
      const PlanValue& v = plan_.values[sink.value];
      if (sink.kind == SinkKind::Write) row_start(sink.value, e_.view(sink.value), v.dtype, false);
      if (sink.kind == SinkKind::Store)
        row_start(store_key(sink.member), stores_.at(sink.member).target, v.dtype, false);
    }
  }
  for (const Group& g : groups_) {
    for (const Sink& sink : g.sinks) {
      if (sink.kind == SinkKind::Keep) buffer_start(plan_.values[sink.value]);
    }
  }
  for (int level = 0; level <= cluster_.levels; ++level) {
    for (const Member& member : cluster_.members) {
      if (member.result < 0 || plan_.values[member.result].cols != 1 || member.level != level) continue;
      if (member.lowering->op_class == OpClass::Lanes) row_scalar(member.result);
    }
    find_divisors(level);
    for (Group& g : groups_) {
      if (g.level == level) group(g);
    }
    for (const Member& member : cluster_.members) {
      if (member.lowering->op_class != OpClass::RowReduce || member.level != level + 1) continue;
      if (plan_.values[operand_of(member)].cols == 1) reduce_single(member);
    }
  }
}

// Long rows are divided by one number with its inverse, which is found here, before the loop over columns.
void ClusterEmitter::find_divisors(int level) {
  constexpr int64_t long_row = 256;
  if (!has_quick_division(e_.module.machine)) return;
  for (const Member& member : cluster_.members) {
    if (!member.lowering->divides || member.level != level) continue;
    const PlanValue& v = plan_.values[member.result];
    int divisor = tile_operand_ids_.at(&member)[1];
    if (!is_float(v.dtype) || v.cols < long_row || divisor < 0 || plan_.values[divisor].cols != 1) continue;
    divisors_.emplace(&member, make_divisor(b_, row_scalar(divisor)));
  }
}

Value* ClusterEmitter::mask_below(Value* column, Value* end, unsigned lanes) {
  std::vector<llvm::Constant*> steps;
  for (unsigned i = 0; i < lanes; ++i) steps.push_back(b_.getInt32(i));
  Value* left = b_.CreateTrunc(e_.minimum(b_.CreateSub(end, column), e_.i64(lanes)), b_.getInt32Ty());
  return b_.CreateICmpSLT(llvm::ConstantVector::get(steps), b_.CreateVectorSplat(lanes, left));
}

Value* ClusterEmitter::known_mask(unsigned below, unsigned lanes) {
  std::vector<llvm::Constant*> bits;
  for (unsigned i = 0; i < lanes; ++i) bits.push_back(b_.getInt1(i < below));
  return llvm::ConstantVector::get(bits);
}

unsigned ClusterEmitter::lanes_for(const Group& group) const {
  unsigned widest = 8;
  auto look = [&](int value) {
    const PlanValue& v = plan_.values[value];
    if (v.cols == 1) return;
    widest = std::max(widest, is_float(v.dtype) ? 32u : static_cast<unsigned>(bits(v.dtype)));
  };
  for (const Member& member : cluster_.members) {
    for (int operand : tile_operand_ids_.at(&member)) {
      if (operand >= 0) look(operand);
    }
    if (member.result >= 0) look(member.result);
    if (member.lowering->op_class == OpClass::RowReduce && returns_position(member)) {
      widest = std::max(widest, 32u);
    }
  }
  unsigned lanes = e_.module.machine.vector_bits / widest;
  while (lanes > 2 && static_cast<int64_t>(lanes) / 2 >= group.cols) lanes /= 2;
  return std::max(lanes, 2u);
}

// About how many instructions a vector takes at a level.
size_t ClusterEmitter::work_at(int level) const {
  size_t work = 0;
  for (const Member& member : cluster_.members) {
    if (member.lowering->op_class != OpClass::Lanes || member.level != level) continue;
    work += member.lowering->cheap ? 1 : 12;
  }
  return work;
}

int ClusterEmitter::busiest_level() const {
  int busiest = 0;
  for (int level = 1; level < cluster_.levels; ++level) {
    if (work_at(level) > work_at(busiest)) busiest = level;
  }
  return busiest;
}

// Reductions need several accumulators to keep the adders busy. A long chain of work does that by itself, and
// twice as much of it takes LLVM more than twice as long.
unsigned ClusterEmitter::unroll_for(const Group& group, unsigned lanes) const {
  size_t work = work_at(group.level);
  bool reduces = false;
  for (const Sink& sink : group.sinks) reduces |= sink.kind == SinkKind::Reduce;
  unsigned unroll = work > long_work ? 1 : reduces ? 4 : 2;
  while (unroll > 1 && group.cols / lanes < unroll) unroll /= 2;
  return unroll;
}

// With several levels the memory would idle while a row is computed: what the row will store is fetched one
// level ahead. What the next row will load is fetched at the level with the most work, if that is long;
// elsewhere hardware keeps up, and fetching would only take its place.
void ClusterEmitter::prefetch(const Group& g, const Chunk& chunk) {
  if (cluster_.levels < 2) return;
  auto fetch = [&](Value* start, DType dtype, bool write) {
    Value* at = e_.element_address(start, dtype, chunk.column);
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {at, b_.getInt32(write), b_.getInt32(3), b_.getInt32(1)});
  };
  if (g.level == cluster_.levels - 2) {
    for (const auto& [m, store] : stores_) {
      const PlanValue& v = plan_.values[operand_of(cluster_.members[m])];
      if (v.cols == g.cols) fetch(row_start(store_key(m), store.target, v.dtype, false), v.dtype, true);
    }
  }
  if (work_at(g.level) <= long_work || g.level != busiest_level()) return;
  for (const ClusterRead& read : cluster_.reads) {
    const PlanValue& v = plan_.values[read.value];
    if (!v.deferred || v.lowering->op_class != OpClass::Load || v.cols != g.cols || v.rows != cluster_.rows)
      continue;
    Value* row = row_start(read.value, view_of(read.value), v.dtype, false);
    fetch(e_.element_address(row, v.dtype, view_of(read.value).row_stride), v.dtype, false);
  }
}

void ClusterEmitter::group(Group& g) {
  Value* cols = view_of(g.sinks[0].value).cols;
  if (g.cols == 1) {
    e_.when(b_.CreateICmpSGT(cols, e_.i64(0)), [&] {
      Chunk chunk;
      chunk.column = e_.i64(0);
      chunk.level = g.level;
      sinks(g, chunk, {});
    });
    return;
  }
  unsigned lanes = lanes_for(g);
  auto* known_cols = llvm::dyn_cast<llvm::ConstantInt>(cols);
  // Where the width is known at run time alone, a mask on every vector is what a short loop would feel.
  bool masked = !known_cols && work_at(g.level) > long_work;
  unsigned copies = masked ? 1 : unroll_for(g, lanes);
  int64_t stride = static_cast<int64_t>(lanes) * copies;
  std::vector<Value*> one = start_state(g, lanes);
  std::vector<Value*> state;
  for (unsigned u = 0; u < copies; ++u) state.insert(state.end(), one.begin(), one.end());
  auto piece = [&](Value* column, Value* mask, llvm::MutableArrayRef<Value*> all, unsigned u) {
    Chunk chunk;
    chunk.lanes = lanes;
    chunk.column = column;
    chunk.mask = mask;
    chunk.level = g.level;
    prefetch(g, chunk);
    sinks(g, chunk, all.slice(u * one.size(), one.size()));
  };
  auto whole = [&](Value* end) {
    state = e_.repeat(e_.i64(0), end, stride, state, [&](Value* c, llvm::MutableArrayRef<Value*> now) {
      for (unsigned u = 0; u < copies; ++u) piece(b_.CreateAdd(c, e_.i64(u * lanes)), nullptr, now, u);
    });
  };
  if (!known_cols) {
    Value* main = e_.i64(0);
    if (!masked) whole(main = b_.CreateAnd(cols, e_.i64(-stride)));
    state = e_.repeat(main, cols, lanes, state, [&](Value* c, llvm::MutableArrayRef<Value*> now) {
      piece(c, mask_below(c, cols, lanes), now, 0);
    });
  } else {
    int64_t total = known_cols->getSExtValue();
    int64_t main = total / stride * stride;
    whole(e_.i64(main));
    unsigned u = 0;
    for (int64_t c = main; c < total; c += lanes, ++u) {
      bool full = c + lanes <= total;
      piece(e_.i64(c), full ? nullptr : known_mask(static_cast<unsigned>(total - c), lanes), state,
            u % copies);
    }
  }
  finish_reductions(g, lanes, copies, std::move(state));
}

// --- values in a row

std::vector<Value*> ClusterEmitter::operands(const Member& member, Chunk& chunk) {
  const std::vector<int>& tiles = tile_operand_ids_.at(&member);
  std::vector<Value*> result = scalar_operands_.at(&member);
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i] >= 0) result[i] = lanes(tiles[i], chunk);
  }
  return result;
}

Value* ClusterEmitter::compute(const Member& member, Chunk& chunk) {
  Place place(b_, e_.module.lines.get(), member.call);
  std::vector<Value*> values = operands(member, chunk);
  Registers r(b_, e_.module.machine);
  r.lanes = chunk.lanes;
  if (auto divisor = divisors_.find(&member); divisor != divisors_.end() && chunk.lanes > 0) {
    return r.round(plan_.values[member.result].dtype,
                   emit_divide(b_, e_.module.machine, values[0], divisor->second));
  }
  r.row = row_;
  r.column = chunk.column;
  return member.lowering->lanes(r, *member.call, values);
}

Value* ClusterEmitter::lanes(int value, Chunk& chunk) {
  const PlanValue& v = plan_.values[value];
  if (v.cols == 1) {
    Value* scalar = row_scalar(value);
    return chunk.lanes == 0 ? scalar : b_.CreateVectorSplat(chunk.lanes, scalar);
  }
  auto found = chunk.known.find(value);
  if (found != chunk.known.end()) return found->second;
  Value* result = nullptr;
  Place place(b_, e_.module.lines.get(), v.call);
  if (!inside(value)) {
    if (v.deferred && v.lowering->op_class == OpClass::Generator) {
      std::vector<Value*> operands(v.call->args.size());
      for (size_t i = 0; i < operands.size(); ++i) {
        if (v.call->args[i] && !isa<MakeTuple>(v.call->args[i])) operands[i] = e_.scalar(v.call->args[i]);
      }
      Registers r(b_, e_.module.machine);
      r.lanes = chunk.lanes;
      r.row = v.rows == cluster_.rows ? row_ : e_.i64(0);
      r.column = chunk.column;
      result = v.lowering->lanes(r, *v.call, operands);
    } else {
      result = read(value, view_of(value), v.dtype, v.rows != cluster_.rows, chunk);
    }
  } else if (v.level < chunk.level && v.memory) {
    result = read(value, e_.view(value), v.dtype, false, chunk);
  } else if (v.level < chunk.level && v.row_buffer >= 0) {
    result = read_at(buffer_start(v), e_.i64(1), v.dtype, chunk);
  } else {
    result = compute(*member_of_.at(value), chunk);
  }
  chunk.known.emplace(value, result);
  return result;
}

Value* ClusterEmitter::read(int value, const TileView& view, DType dtype, bool first_row, Chunk& chunk) {
  return read_at(row_start(value, view, dtype, first_row), view.col_stride, dtype, chunk);
}

Value* ClusterEmitter::read_at(Value* start, Value* stride, DType dtype, Chunk& chunk) {
  const Machine& machine = e_.module.machine;
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  llvm::Type* type = storage_type(b_.getContext(), dtype, chunk.lanes);
  auto* unit = llvm::dyn_cast<llvm::ConstantInt>(stride);
  if (chunk.lanes == 0 || (unit && unit->isOne())) {
    Value* at = e_.element_address(start, dtype,
                                   chunk.lanes == 0 ? b_.CreateMul(chunk.column, stride) : chunk.column);
    Value* stored = chunk.mask
                        ? b_.CreateMaskedLoad(type, at, align, chunk.mask, llvm::Constant::getNullValue(type))
                        : static_cast<Value*>(b_.CreateAlignedLoad(type, at, align));
    return from_storage(b_, machine, dtype, stored);
  }
  std::vector<llvm::Constant*> steps;
  for (unsigned i = 0; i < chunk.lanes; ++i) steps.push_back(b_.getInt64(i));
  Value* columns =
      b_.CreateAdd(b_.CreateVectorSplat(chunk.lanes, chunk.column), llvm::ConstantVector::get(steps));
  Value* offsets = b_.CreateMul(columns, b_.CreateVectorSplat(chunk.lanes, stride));
  Value* at = b_.CreateGEP(storage_type(b_.getContext(), dtype, 0), start, offsets);
  Value* stored = b_.CreateMaskedGather(type, at, align, chunk.mask, llvm::Constant::getNullValue(type));
  return from_storage(b_, machine, dtype, stored);
}

void ClusterEmitter::write_at(Value* start, Value* stride, DType dtype, Value* value, Chunk& chunk) {
  llvm::Align align(static_cast<uint64_t>(bytes(dtype)));
  if (chunk.lanes > 0 && !value->getType()->isVectorTy()) value = b_.CreateVectorSplat(chunk.lanes, value);
  Value* stored = to_storage(b_, e_.module.machine, dtype, value);
  auto* unit = llvm::dyn_cast<llvm::ConstantInt>(stride);
  if (chunk.lanes == 0 || (unit && unit->isOne())) {
    Value* at = e_.element_address(start, dtype,
                                   chunk.lanes == 0 ? b_.CreateMul(chunk.column, stride) : chunk.column);
    if (chunk.mask) {
      b_.CreateMaskedStore(stored, at, align, chunk.mask);
    } else {
      b_.CreateAlignedStore(stored, at, align);
    }
    return;
  }
  std::vector<llvm::Constant*> steps;
  for (unsigned i = 0; i < chunk.lanes; ++i) steps.push_back(b_.getInt64(i));
  Value* columns =
      b_.CreateAdd(b_.CreateVectorSplat(chunk.lanes, chunk.column), llvm::ConstantVector::get(steps));
  Value* offsets = b_.CreateMul(columns, b_.CreateVectorSplat(chunk.lanes, stride));
  Value* at = b_.CreateGEP(storage_type(b_.getContext(), dtype, 0), start, offsets);
  Value* mask = chunk.mask
                    ? chunk.mask
                    : llvm::ConstantInt::getTrue(llvm::VectorType::get(b_.getInt1Ty(), chunk.lanes, false));
  b_.CreateMaskedScatter(stored, at, align, mask);
}

void ClusterEmitter::sinks(const Group& g, Chunk& chunk, llvm::MutableArrayRef<Value*> state) {
  // What is written may lie where a value lay that a later sink reads: all are computed before the first
  // write.
  bool writes = std::any_of(g.sinks.begin(), g.sinks.end(), [](const Sink& sink) {
    return sink.kind == SinkKind::Write || sink.kind == SinkKind::Store;
  });
  for (const Sink& sink : g.sinks) {
    if (writes) lanes(sink.value, chunk);
  }
  size_t next = 0;
  for (const Sink& sink : g.sinks) {
    const PlanValue& v = plan_.values[sink.value];
    Value* value = lanes(sink.value, chunk);
    Place place(b_, e_.module.lines.get(), cluster_.members[sink.member].call);
    switch (sink.kind) {
      case SinkKind::Reduce: {
        const Member& member = cluster_.members[sink.member];
        size_t count = returns_position(member) ? 2 : 1;
        reduce_step(member, value, chunk, state.slice(next, count));
        next += count;
        break;
      }
      case SinkKind::Column:
        column_step(cluster_.members[sink.member], value, chunk);
        break;
      case SinkKind::Write:
        write_at(row_start(sink.value, e_.view(sink.value), v.dtype, false), e_.i64(1), v.dtype, value,
                 chunk);
        break;
      case SinkKind::Keep:
        write_at(buffer_start(v), e_.i64(1), v.dtype, value, chunk);
        break;
      case SinkKind::Store: {
        const TileView& target = stores_.at(sink.member).target;
        write_at(row_start(store_key(sink.member), target, v.dtype, false), target.col_stride, v.dtype, value,
                 chunk);
        break;
      }
    }
  }
}

}  // namespace tilewire::target::cpu
