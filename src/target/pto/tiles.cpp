// Tiles: the memory of each, views of it, and the valid extents that ops of the dialect want to be equal.
#include "target/pto/emitter.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

bool same(const Extent& a, const Extent& b) {
  return a.integer == b.integer && a.name == b.name;
}

}  // namespace

const Tile& FunctionEmitter::in_buffer(int buffer) {
  auto [at, is_new] = of_buffer_.try_emplace(buffer, allocated_.size());
  if (is_new) {
    const TileBuffer& known = storage_.all()[static_cast<size_t>(buffer)];
    Allocated allocated;
    Tile& tile = allocated.tile;
    tile.form = known.form;
    const bool array = known.form.space == MemorySpace::DDR;
    tile.dynamic = !known.valid && !array;
    tile.rows = number(known.valid ? known.valid->first : known.form.rows);
    tile.cols = number(known.valid ? known.valid->second : known.form.cols);
    tile.name = tile.memory = text.fresh(known.hint);
    allocated.area = {tile.name.substr(1), known.form.space, known.form.bytes(), 0, {}, -1};
    for (int i = 0; i < storage_.positions(); ++i)
      allocated.area.in_use.push_back(storage_.in_use(i).has(buffer));
    allocated_.push_back(std::move(allocated));
  }
  return allocated_[at->second].tile;
}

const Tile& FunctionEmitter::tile(const ExprRef& expr, size_t place) {
  auto part = parts_.find(expr.get());
  const std::pair<const Expr*, size_t> key =
      part != parts_.end() ? part->second : std::pair(expr.get(), place);
  auto found = tiles_.find(key);
  TW_CHECK(found != tiles_.end(), "a tile used before it is defined");
  return found->second;
}

const Tile& FunctionEmitter::array(const Var& result) {
  const Tile& array = in_buffer(storage_.buffer(result));
  name_tile(result, array);
  return tile(ref(&result));
}

void FunctionEmitter::move_between(const Tile& from, const Tile& to, const Span& at) {
  const MemorySpace a = from.form.space, b = to.form.space;
  const bool possible = (a == MemorySpace::Mat &&
                         (b == MemorySpace::Left || b == MemorySpace::Right || b == MemorySpace::Bias)) ||
                        (a == MemorySpace::Acc && b == MemorySpace::Mat) ||
                        (a == MemorySpace::Vec && b == MemorySpace::Vec);
  if (!possible) {
    refuse(at, std::string("a move from ") + name_of(a) + " to " + name_of(b), "a3 has no way between them");
    return;
  }
  if (from.started) trap_if(arith("xori", *from.started, number(1, "i1")));
  op("tmov", {from}, to);
}

void FunctionEmitter::name_tile(const Var& result, Tile tile, size_t part) {
  const auto* type = as<TileType>(result.type);
  if (type && memory.sides(result).empty()) {
    // The row of the same bytes.
    const bool turned = type->cols() == 1 && tile.form.space == MemorySpace::Vec && !tile.column();
    tile.most_rows = turned ? type->cols() : type->rows();
    tile.most_cols = turned ? type->rows() : type->cols();
  }
  tiles_[{&result, part}] = std::move(tile);
}

Tile FunctionEmitter::destination(const Var& result, const Extent& rows, const Extent& cols, size_t part) {
  Tile tile = in_buffer(storage_.buffers(result)[part]);
  if (tile.dynamic) {
    tile.rows = rows;
    tile.cols = cols;
    text.line("pto.set_validshape " + tile.name + ", " + text.name(rows) + ", " + text.name(cols) + " : " +
              tile.type());
  }
  name_tile(result, tile, part);
  return tiles_.at({&result, part});
}

Tile FunctionEmitter::temporary(const TileForm& form, const Extent& rows, const Extent& cols) {
  const bool dynamic = !rows.integer || !cols.integer;
  auto fits = [&](const Allocated& candidate) {
    return candidate.temporary && candidate.same_as < 0 && !candidate.busy &&
           (!own_temporaries || candidate.made_at == now_) && candidate.tile.form == form &&
           candidate.tile.dynamic == dynamic &&
           (dynamic || (same(candidate.tile.rows, rows) && same(candidate.tile.cols, cols)));
  };
  size_t i = 0;
  while (i < allocated_.size() && !fits(allocated_[i])) ++i;
  if (i == allocated_.size()) {
    Allocated made;
    made.temporary = true;
    made.made_at = now_;
    made.tile.form = form;
    made.tile.dynamic = dynamic;
    made.tile.rows = dynamic ? number(form.rows) : rows;
    made.tile.cols = dynamic ? number(form.cols) : cols;
    made.tile.name = made.tile.memory = text.fresh("tmp");
    made.area = {made.tile.name.substr(1), form.space, form.bytes(), 0, {}, -1};
    made.area.in_use.resize(static_cast<size_t>(storage_.positions()));
    allocated_.push_back(std::move(made));
  }
  Allocated& allocated = allocated_[i];
  allocated.busy = true;
  allocated.area.in_use[static_cast<size_t>(now_)] = true;
  Tile tile = allocated.tile;
  tile.rows = rows;
  tile.cols = cols;
  if (dynamic) {
    text.line("pto.set_validshape " + tile.name + ", " + text.name(rows) + ", " + text.name(cols) + " : " +
              tile.type());
  }
  return tile;
}

void FunctionEmitter::done_with(const Tile& temporary) {
  for (Allocated& allocated : allocated_) {
    if (allocated.temporary && allocated.tile.memory == temporary.memory) allocated.busy = false;
  }
}

Tile FunctionEmitter::temporary_like(const Tile& tile, const std::string& element) {
  TileForm form = tile.form;
  form.pad = 0;
  if (!element.empty()) form.element = element;
  return temporary(form, tile.rows, tile.cols);
}

Tile FunctionEmitter::seen_as(const Tile& tile, const TileForm& form, const Extent& rows,
                              const Extent& cols) {
  if (form == tile.form && same(rows, tile.rows) && same(cols, tile.cols)) return tile;
  Tile view = tile;
  if (form.rows != tile.form.rows || form.cols != tile.form.cols) view.most_rows = view.most_cols = 0;
  view.form = form;
  view.rows = rows;
  view.cols = cols;
  view.dynamic = tile.dynamic || !rows.integer || !cols.integer;
  const std::string rhs = "pto.treshape " + tile.name + " : " + tile.type() + " -> " + view.type();
  view.name = view.dynamic ? dynamic_view(rhs, tile.name.substr(1), view) : pure(rhs, tile.name.substr(1));
  return view;
}

// A view whose extent is stated where it is made is made once for each extent: nothing else changes it.
std::string FunctionEmitter::dynamic_view(const std::string& rhs, std::string_view hint, const Tile& view) {
  const std::string rows = text.name(view.rows), cols = text.name(view.cols);
  const std::string key = rhs + " valid " + rows + ", " + cols;
  if (const std::string* known = known_name(key)) return *known;
  std::string name = text.fresh(hint);
  text.line(name + " = " + rhs);
  text.line("pto.set_validshape " + name + ", " + rows + ", " + cols + " : " + view.type());
  known_.back()[key] = name;
  return name;
}

Tile FunctionEmitter::same_place(const Tile& tile, const TileForm& form, const Extent& rows,
                                 const Extent& cols) {
  int at = 0;
  while (allocated_[static_cast<size_t>(at)].tile.memory != tile.memory ||
         allocated_[static_cast<size_t>(at)].same_as >= 0)
    ++at;
  Allocated made;
  made.same_as = at;
  made.tile = tile;
  made.tile.form = form;
  made.tile.dynamic = !rows.integer || !cols.integer;
  made.tile.rows = made.tile.dynamic ? number(form.rows) : rows;
  made.tile.cols = made.tile.dynamic ? number(form.cols) : cols;
  const Tile* known = nullptr;
  for (const Allocated& other : allocated_) {
    if (other.same_as == at && other.tile.type() == made.tile.type()) known = &other.tile;
  }
  if (!known) {
    made.tile.name = text.fresh(tile.name.substr(1) + "_turned");
    allocated_.push_back(made);
    known = &allocated_.back().tile;
  }
  Tile view = *known;
  view.rows = rows;
  view.cols = cols;
  if (view.dynamic) {
    text.line("pto.set_validshape " + view.name + ", " + text.name(rows) + ", " + text.name(cols) + " : " +
              view.type());
  }
  return view;
}

Tile FunctionEmitter::as_row(const Tile& tile) {
  if (!tile.column()) return tile;
  TileForm form = tile.form;
  form.col_major = false;
  std::swap(form.rows, form.cols);
  Tile row = seen_as(tile, form, tile.cols, tile.rows);
  row.most_rows = tile.most_cols;
  row.most_cols = tile.most_rows;
  return row;
}

Tile FunctionEmitter::with_element(const Tile& tile, const std::string& element) {
  TileForm form = tile.form;
  form.element = element;
  return seen_as(tile, form, tile.rows, tile.cols);
}

Tile FunctionEmitter::with_extent(const Tile& tile, const Extent& rows, const Extent& cols) {
  return seen_as(tile, tile.form, rows, cols);
}

Extent FunctionEmitter::smaller(const Extent& a, const Extent& b) {
  return same(a, b) ? a : arith("minsi", a, b);
}

std::pair<Extent, Extent> FunctionEmitter::common_extent(std::span<const Tile> tiles) {
  // What is full takes nothing away from what only run time knows.
  auto common = [&](Extent Tile::*extent, int64_t TileForm::*physical, int64_t Tile::*most) {
    std::optional<Extent> smallest;
    Extent full = tiles[0].*extent;
    for (const Tile& tile : tiles) {
      const Extent& one = tile.*extent;
      const bool is_full = one.integer && (one.integer == tile.form.*physical || one.integer == tile.*most);
      if (is_full) {
        full = full.integer && *full.integer < *one.integer ? full : one;
      } else {
        smallest = smallest ? smaller(*smallest, one) : one;
      }
    }
    if (!smallest) return full;
    return smallest->integer && full.integer ? smaller(*smallest, full) : *smallest;
  };
  return {common(&Tile::rows, &TileForm::rows, &Tile::most_rows),
          common(&Tile::cols, &TileForm::cols, &Tile::most_cols)};
}

void FunctionEmitter::agree(std::span<Tile> tiles) {
  for (Tile& tile : tiles) tile = as_row(tile);
  auto [rows, cols] = common_extent(tiles);
  bool dynamic = false;
  for (const Tile& tile : tiles) dynamic = dynamic || tile.dynamic;
  dynamic = dynamic || !rows.integer || !cols.integer;
  for (Tile& tile : tiles) {
    if (same(tile.rows, rows) && same(tile.cols, cols) && tile.dynamic == dynamic) continue;
    Tile view = tile;
    view.dynamic = dynamic;
    view.rows = rows;
    view.cols = cols;
    const std::string rhs = "pto.treshape " + tile.name + " : " + tile.type() + " -> " + view.type();
    view.name = dynamic ? dynamic_view(rhs, tile.name.substr(1), view) : pure(rhs, tile.name.substr(1));
    tile = view;
  }
}

void FunctionEmitter::copy(const Tile& from, const Tile& to, const Span& at) {
  if (from.memory == to.memory) return;
  if (from.form.space != MemorySpace::Vec) {
    refuse(at, std::string("a copy of a tile in ") + name_of(from.form.space),
           "the dialect moves tiles there only between memories")
        .with_help("use the tile before it is changed");
    return;
  }
  Tile pair[] = {from, to};
  agree(pair);
  op("tmov", {pair[0]}, pair[1]);
}

Tile FunctionEmitter::as_mask(const Tile& given) {
  if (given.mask) return given;
  const Tile tile = as_row(given);
  const Tile half = temporary_like(tile, "f16");
  op("tcvt", {tile}, half, "{rmode = #pto<round_mode NONE>}");
  Tile mask = temporary_like(tile, "i8");
  op("tcmps", {half, {text.name(real(0, "f16")), "f16"}}, mask, "{cmpMode = #pto<cmp ne>}");
  mask.mask = true;
  return mask;
}

Tile FunctionEmitter::as_bytes(const Tile& tile) {
  if (!tile.mask) return tile;
  const Tile row = as_row(tile);
  const Tile bytes = temporary_like(tile, "i8");
  bytes_into(row, as_row(bytes));
  return bytes;
}

void FunctionEmitter::bytes_into(const Tile& mask, const Tile& bytes) {
  const Tile ones = temporary_like(mask, "f16"), scratch = temporary_like(mask, "f16");
  op("texpands", {{text.name(real(1, "f16")), "f16"}}, ones);
  op("tsels", {mask, ones, scratch, {text.name(real(0, "f16")), "f16"}}, ones);
  op("tcvt", {ones}, bytes, "{rmode = #pto<round_mode TRUNC>, sat_mode = #pto<saturation_mode ON>}");
}

int64_t FunctionEmitter::up_to_unit(int64_t extent) const {
  return (extent + unit_ - 1) / unit_ * unit_;
}

void FunctionEmitter::transpose(const Tile& from, const Tile& to, const Span& at) {
  if (from.form.element == "i64") {
    refuse(at, "a transposition of INT64", "`ttrans` has no such elements");
    return;
  }
  const Tile scratch = temporary_like(from);
  op("ttrans", {from, scratch}, to);
}

}  // namespace tilewire::target::pto
