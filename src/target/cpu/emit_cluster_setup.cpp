// What a cluster needs before its rows run: extents, checked regions, and a way around overlapping memory.
#include "target/cpu/cluster_emitter.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

void ClusterEmitter::find_extents() {
  for (const Member& member : cluster_.members) {
    const std::vector<int>& tiles = tile_operand_ids_.at(&member);
    if (member.result < 0 || member.lowering->op_class != OpClass::Lanes) {
      const TileView& x = e_.view(tiles[0]);
      if (!rows_) rows_ = x.rows;
      if (member.result < 0) continue;
      bool by_row = member.lowering->op_class == OpClass::RowReduce;
      TileView view = plan_.values[member.result].memory ? e_.storage(member.result) : TileView{};
      view.rows = by_row ? x.rows : e_.i64(1);
      view.cols = by_row ? e_.i64(1) : x.cols;
      e_.view(member.result) = view;
      continue;
    }
    const PlanValue& v = plan_.values[member.result];
    Value* rows = e_.i64(v.rows);
    Value* cols = e_.i64(v.cols);
    for (int operand : tiles) {
      if (operand < 0) continue;
      const PlanValue& o = plan_.values[operand];
      const TileView& x = e_.view(operand);
      auto meet = [&](Value* mine, Value* other, ExtentId other_id, bool same_extent) {
        if (other_id == full) return mine;
        if (same_extent) return e_.minimum(other, mine);
        return b_.CreateSelect(b_.CreateICmpEQ(other, e_.i64(0)), e_.i64(0), mine);
      };
      // Operands known to have the extent of the result need no minimum.
      bool equal_rows = o.valid_rows == v.valid_rows && o.rows == v.rows;
      bool equal_cols = o.valid_cols == v.valid_cols && o.cols == v.cols;
      rows = equal_rows ? x.rows : meet(rows, x.rows, o.valid_rows, o.rows == v.rows);
      cols = equal_cols ? x.cols : meet(cols, x.cols, o.valid_cols, o.cols == v.cols);
    }
    TileView view = v.memory ? e_.storage(member.result) : TileView{};
    view.rows = rows;
    view.cols = cols;
    e_.view(member.result) = view;
    if (!rows_) rows_ = rows;
  }
}

void ClusterEmitter::add_sink(int level, Sink sink) {
  const PlanValue& v = plan_.values[sink.value];
  if (v.cols == 1) level = cluster_.levels;  // at the end of the row
  for (size_t i = 0; i < groups_.size(); ++i) {
    Group& g = groups_[i];
    if (g.level != level || g.cols != v.cols || g.valid_cols != v.valid_cols) continue;
    g.sinks.push_back(sink);
    if (sink.kind == SinkKind::Store) stores_[sink.member].group = i;
    return;
  }
  if (sink.kind == SinkKind::Store) stores_[sink.member].group = groups_.size();
  groups_.push_back({level, v.cols, v.valid_cols, {sink}});
}

void ClusterEmitter::make_groups() {
  for (size_t m = 0; m < cluster_.members.size(); ++m) {
    const Member& member = cluster_.members[m];
    int index = static_cast<int>(m);
    switch (member.lowering->op_class) {
      case OpClass::RowReduce:
        if (plan_.values[operand_of(member)].cols > 1) {
          add_sink(member.level - 1, {SinkKind::Reduce, operand_of(member), index});
        }
        break;
      case OpClass::ColReduce:
        add_sink(member.level, {SinkKind::Column, operand_of(member), index});
        break;
      case OpClass::Store:
        add_sink(cluster_.levels - 1, {SinkKind::Store, operand_of(member), index});
        break;
      default:
        if (plan_.values[member.result].memory)
          add_sink(member.level, {SinkKind::Write, member.result, index});
        if (plan_.values[member.result].row_buffer >= 0) {
          add_sink(member.level, {SinkKind::Keep, member.result, index});
        }
        break;
    }
    if (member.lowering->op_class == OpClass::RowReduce && plan_.values[member.result].memory) {
      add_sink(cluster_.levels, {SinkKind::Write, member.result, index});
    }
  }
}

void ClusterEmitter::check_stores() {
  for (auto& [m, target] : stores_) {
    const Call& call = *cluster_.members[m].call;
    const StoreRegion to = e_.store_region(call, e_.view(operand_of(cluster_.members[m])));
    target.region = target.target = to.view;
    target.peer = to.peer;
    target.far = to.far;
  }
}

void ClusterEmitter::evaluate_scalars() {
  for (const Member& member : cluster_.members) {
    std::vector<Value*> values(member.call->args.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const ExprRef& arg = member.call->args[i];
      if (arg && member.lowering->op_class == OpClass::Lanes && scalar_dtype(arg->type))
        values[i] = e_.scalar(arg);
    }
    scalar_operands_.emplace(&member, std::move(values));
  }
}

// --- overlap

// Whether the hulls of two regions meet.
Value* ClusterEmitter::overlap(const TileView& x, DType x_dtype, const TileView& y, DType y_dtype) {
  auto hull = [&](const TileView& v, DType dtype) {
    Value* zero = e_.i64(0);
    Value* down = b_.CreateMul(b_.CreateSub(v.rows, e_.i64(1)), v.row_stride);
    Value* right = b_.CreateMul(b_.CreateSub(v.cols, e_.i64(1)), v.col_stride);
    Value* size = e_.i64(bytes(dtype));
    Value* low = b_.CreateMul(b_.CreateAdd(e_.minimum(down, zero), e_.minimum(right, zero)), size);
    Value* high = b_.CreateMul(
        b_.CreateAdd(b_.CreateAdd(e_.maximum(down, zero), e_.maximum(right, zero)), e_.i64(1)), size);
    Value* base = b_.CreatePtrToInt(v.data, b_.getInt64Ty());
    return std::pair(b_.CreateAdd(base, low), b_.CreateAdd(base, high));
  };
  auto [x_low, x_high] = hull(x, x_dtype);
  auto [y_low, y_high] = hull(y, y_dtype);
  return b_.CreateAnd(b_.CreateICmpULT(x_low, y_high), b_.CreateICmpULT(y_low, x_high));
}

Value* ClusterEmitter::identical(const TileView& x, const TileView& y) {
  Value* same = b_.CreateICmpEQ(x.data, y.data);
  same = b_.CreateAnd(same, b_.CreateICmpEQ(x.row_stride, y.row_stride));
  return b_.CreateAnd(same, b_.CreateICmpEQ(x.col_stride, y.col_stride));
}

// A load read in place must not see what this cluster stores: where it could, it is copied first. Element by
// element over itself is fine, because each is read before it is written.
void ClusterEmitter::guard_loads() {
  for (const ClusterRead& read : cluster_.reads) {
    if (read.guard < 0) continue;
    const PlanValue& v = plan_.values[read.value];
    const TileView source = e_.view(read.value);
    bool in_step = read.aligned || (v.cols == 1 && v.rows == cluster_.rows);
    Value* conflict = b_.getFalse();
    for (const auto& [m, target] : stores_) {
      DType dtype = plan_.values[operand_of(cluster_.members[m])].dtype;
      Value* meets = overlap(source, v.dtype, target.region, dtype);
      if (in_step && dtype == v.dtype) {
        meets = b_.CreateAnd(meets, b_.CreateNot(identical(source, target.region)));
      }
      conflict = b_.CreateOr(conflict, meets);
    }
    TileView copy = e_.storage(read.guard);
    copy.rows = source.rows;
    copy.cols = source.cols;
    e_.when(conflict, [&] {
      Place place(b_, e_.module.lines.get(), v.call);
      e_.copy_tile(v.dtype, source, copy);
    });
    guarded_.emplace(read.value, e_.pick(conflict, copy, source));
  }
}

// Two stores that meet must happen one after the other: the later one waits in a tile of its own. So does one
// to a far peer.
void ClusterEmitter::guard_stores() {
  std::vector<int> earlier;
  for (auto& [m, target] : stores_) {
    const Member& member = cluster_.members[m];
    if (member.guard >= 0) {
      DType dtype = plan_.values[operand_of(member)].dtype;
      Value* conflict = b_.getFalse();
      for (int other : member.may_overlap ? earlier : std::vector<int>()) {
        const StoreTarget& first = stores_.at(other);
        DType other_dtype = plan_.values[operand_of(cluster_.members[other])].dtype;
        Value* meets = overlap(target.region, dtype, first.region, other_dtype);
        if (dtype == other_dtype && first.group == target.group) {
          meets = b_.CreateAnd(meets, b_.CreateNot(identical(target.region, first.region)));
        }
        conflict = b_.CreateOr(conflict, meets);
      }
      if (target.far) conflict = b_.CreateOr(conflict, target.far);
      target.redirected = conflict;
      target.target = e_.pick(conflict, e_.storage(member.guard), target.region);
    }
    earlier.push_back(m);
  }
}

void ClusterEmitter::finish_stores() {
  for (auto& [m, target] : stores_) {
    if (!target.redirected) continue;
    const Member& member = cluster_.members[m];
    TileView aside = e_.storage(member.guard);
    aside.rows = target.region.rows;
    aside.cols = target.region.cols;
    const DType dtype = plan_.values[operand_of(member)].dtype;
    Place place(b_, e_.module.lines.get(), member.call);
    auto send = [&, &to = target]() -> Value* {
      e_.transfer_tile(to.region, aside, dtype, abi::ToPeer, to.peer, *member.call);
      return nullptr;
    };
    auto put_back = [&, &to = target] { e_.copy_tile(dtype, aside, to.region); };
    if (!target.far) {
      e_.when(target.redirected, put_back);
    } else if (!member.may_overlap) {
      e_.rarely(target.far, send, []() -> Value* { return nullptr; });
    } else {
      e_.rarely(target.far, send, [&, &to = target]() -> Value* {
        e_.when(to.redirected, put_back);
        return nullptr;
      });
    }
  }
}

}  // namespace tilewire::target::cpu
