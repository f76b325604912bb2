// Tensors in global memory: views, regions, loads and stores.
#include "target/pto/emitter.h"
#include "target/pto/parts.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

std::string dimensions_text(const std::vector<Scalar>& sizes) {
  std::string text;
  for (const Scalar& size : sizes) text += (size.integer ? std::to_string(*size.integer) : "?") + "x";
  return text;
}

}  // namespace

Tensor& FunctionEmitter::tensor(const ExprRef& expr) {
  auto found = tensors_.find(expr.get());
  if (found == tensors_.end()) return tensors_[nullptr];  // one that was refused
  return found->second;
}

Operand FunctionEmitter::region(Tensor& tensor, const std::vector<Scalar>& offsets,
                                const std::vector<Scalar>& sizes) {
  const std::string element = element_text(tensor.dtype);
  auto list = [&](const std::vector<Scalar>& values) {
    std::string names;
    for (const Scalar& value : values) names += (names.empty() ? "" : ", ") + text.name(value);
    return "[" + names + "]";
  };
  if (tensor.pointer.empty()) return {"%refused", "!pto.partition_tensor_view<1xi8>"};
  std::string unknown;
  for (size_t i = 0; i < tensor.extents.size(); ++i) unknown += "?x";
  const std::string view_type = "!pto.tensor_view<" + unknown + element + ">";
  const bool dn = tensor.layout == Layout::DN;
  const std::string view =
      once("pto.make_tensor_view " + tensor.pointer + ", shape = " + list(tensor.extents) + ", strides = " +
               list(tensor.strides) + " {layout = #pto.layout<" + (dn ? "dn" : "nd") + ">} : " + view_type,
           tensor.pointer.substr(1) + "_view");
  const std::string type = "!pto.partition_tensor_view<" + dimensions_text(sizes) + element + ">";
  return {pure("pto.partition_view " + view + ", offsets = " + list(offsets) + ", sizes = " + list(sizes) +
                   " : " + view_type + " -> " + type,
               "part"),
          type};
}

Scalar FunctionEmitter::element_number(const Tensor& tensor, const std::vector<Scalar>& place) {
  Scalar at = number(0);
  for (size_t i = 0; i < place.size(); ++i) at = add(at, mul(place[i], tensor.strides[i]));
  return at;
}

namespace {

// How rows and columns lie: what a load or store can take as it is, and what has to be turned.
enum class Way : uint8_t {
  Rows,     // elements of a row are neighbours
  Columns,  // elements of a column are neighbours
  Neither,
};

Way way_of(const Tensor& tensor) {
  const size_t rank = tensor.strides.size();
  if (rank == 0) return Way::Neither;
  if (tensor.strides[rank - 1].integer == 1) return Way::Rows;
  if (rank > 1 && tensor.strides[rank - 2].integer == 1) return Way::Columns;
  return tensor.extents[rank - 1].integer == 1 ? Way::Rows : Way::Neither;
}

}  // namespace

// Rows of one element are taken for a column, which tiles of the cube core do not take, where the assembler
// sees that they are neighbours.
Tensor FunctionEmitter::rows_of_one(Tensor tensor) {
  const size_t rank = tensor.strides.size();
  if (rank < 2 || tensor.strides[rank - 2].integer != 1 || tensor.strides[rank - 1].integer != 1)
    return tensor;
  tensor.strides[rank - 2] = kept_apart(number(1));
  return tensor;
}

void FunctionEmitter::load(Tensor& from, const std::vector<Scalar>& offsets, const Var& result,
                           const Extent& rows, const Extent& cols, const Expr& at) {
  const Tile to = destination(result, rows, cols);
  const size_t rank = offsets.size();
  if (rank == 0 || from.pointer.empty()) return;
  std::vector<Scalar> sizes(rank, number(1));
  sizes[rank - 1] = cols;
  if (rank > 1) sizes[rank - 2] = rows;
  const Way way = way_of(from);
  const bool too_many = rank > 5;
  if (way == Way::Neither || too_many) {
    refuse(
        at.span,
        "a load from a tensor " + std::string(too_many ? "of more than five dimensions"
                                                       : "whose rows and columns are both apart in memory"),
        too_many ? "views have at most five" : "views have neighbours along one of them");
    return;
  }
  if (to.form.space != MemorySpace::Vec && to.form.space != MemorySpace::Mat) {
    refuse(at.span, std::string("a load into ") + name_of(to.form.space), "tiles get there from Mat")
        .with_help("load it with target_memory=pl.Mem.Mat and move it");
    return;
  }
  if (to.column() && rank > 1) {
    // A column of neighbours is what `dn` means; one across rows goes through the first column of a wide
    // tile.
    const bool neighbours = from.strides[rank - 2].integer == 1;
    if (neighbours) {
      Tensor column = from;
      column.layout = Layout::DN;
      column.strides[rank - 1] = from.extents[rank - 2];
      return op("tload", {region(column, offsets, sizes)}, to);
    }
    TileForm wide = to.form;
    wide.col_major = false;
    wide.cols = 32 / element_bytes(wide.element);
    const Tile staged = temporary(wide, rows, cols);
    op("tload", {region(from, offsets, sizes)}, staged);
    return narrow_column(*this, staged, to);
  }
  if (way == Way::Columns && rank > 1) {
    if (to.form.space != MemorySpace::Vec) {
      refuse(at.span, "a load into the cube core from a tensor in columns",
             "only the vector core turns tiles")
          .with_help("load it as it lies, and multiply with a_trans or b_trans");
      return;
    }
    Tensor turned = from;
    turned.layout = Layout::ND;
    std::vector<Scalar> turned_offsets = offsets;
    std::swap(turned.extents[rank - 1], turned.extents[rank - 2]);
    std::swap(turned.strides[rank - 1], turned.strides[rank - 2]);
    std::swap(turned_offsets[rank - 1], turned_offsets[rank - 2]);
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    TileForm form = to.form;
    form.rows = up_to_unit(to.form.cols);
    form.cols = up_to_unit(to.form.rows);
    const Tile staged = temporary(form, cols, rows);
    op("tload", {region(turned, turned_offsets, sizes)}, staged);
    return transpose(staged, to, at.span);
  }
  Tensor plain = from;
  plain.layout = Layout::ND;
  if (to.form.space == MemorySpace::Mat) plain = rows_of_one(plain);
  op("tload", {region(plain, offsets, sizes)}, to);
}

void FunctionEmitter::store(const Tile& given, Tensor& to, const std::vector<Scalar>& offsets, bool add,
                            const Expr& at) {
  Tile tile = given.mask ? as_bytes(given) : given;
  const size_t rank = offsets.size();
  if (rank == 0 || to.pointer.empty()) return;
  std::vector<Scalar> sizes(rank, number(1));
  sizes[rank - 1] = tile.cols;
  if (rank > 1) sizes[rank - 2] = tile.rows;
  const Way way = way_of(to);
  if (way == Way::Neither || rank > 5) {
    refuse(at.span,
           "a store to a tensor " + std::string(rank > 5 ? "of more than five dimensions"
                                                         : "whose rows and columns are both apart in memory"),
           rank > 5 ? "views have at most five" : "views have neighbours along one of them");
    return;
  }
  Tensor target = to;
  std::vector<Scalar> place = offsets;
  if (tile.column() && rank > 1) {
    if (to.strides[rank - 2].integer == 1) {
      target.layout = Layout::DN;
      target.strides[rank - 1] = to.extents[rank - 2];
    } else {
      TileForm wide = tile.form;
      wide.col_major = false;
      wide.cols = 32 / element_bytes(wide.element);
      const Tile staged = temporary(wide, tile.rows, tile.cols);
      widen_column(*this, tile, staged);
      tile = staged;
      target.layout = Layout::ND;
    }
  } else if (way == Way::Columns && rank > 1) {
    if (tile.form.space != MemorySpace::Vec) {
      refuse(at.span, "a store from the cube core to a tensor in columns",
             "only the vector core turns tiles");
      return;
    }
    std::swap(target.extents[rank - 1], target.extents[rank - 2]);
    std::swap(target.strides[rank - 1], target.strides[rank - 2]);
    std::swap(place[rank - 1], place[rank - 2]);
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    target.layout = Layout::ND;
    TileForm form = tile.form;
    form.rows = up_to_unit(tile.form.cols);
    form.cols = up_to_unit(tile.form.rows);
    const Tile staged = temporary(form, tile.cols, tile.rows);
    transpose(tile, staged, at.span);
    tile = staged;
  } else {
    target.layout = Layout::ND;
    if (tile.form.space != MemorySpace::Vec) target = rows_of_one(target);
  }
  const Operand part = region(target, place, sizes);
  auto store_tile = [&] {
    text.line("pto.tstore ins(" + tile.name + " : " + tile.type() + ") outs(" + part.name + " : " +
              part.type + ")" + (add ? " {atomicType = #pto<atomic_type atomic_add>}" : ""));
  };
  if (!tile.started) return store_tile();
  // Nothing was added yet where it does not hold.
  if (!tile.started->integer) {
    text.open("scf.if " + text.name(*tile.started) + " {");
    store_tile();
    if (!add) text.middle("} else {");
  }
  if (!add) {
    enter();
    store_zeros(tile, to, offsets);
    leave();
  }
  if (!tile.started->integer) text.close();
}

void FunctionEmitter::store_zeros(const Tile& like, const Tensor& to, const std::vector<Scalar>& offsets) {
  const size_t rank = offsets.size();
  const std::string element = element_text(to.dtype), type = "!pto.ptr<" + element + ">";
  const Scalar zero = is_float(to.dtype) ? real(0, element) : number(0, element);
  each_element(*this, like.rows, like.cols, [&](const Scalar& row, const Scalar& col) {
    std::vector<Scalar> place = offsets;
    place[rank - 1] = add(place[rank - 1], col);
    if (rank > 1) place[rank - 2] = add(place[rank - 2], row);
    text.line("pto.store_scalar " + text.name(zero) + ", " + to.pointer + "[" +
              text.name(element_number(to, place)) + "] : " + type + ", " + element);
  });
  write_back();
}

}  // namespace tilewire::target::pto
