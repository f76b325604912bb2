// Types written in annotations: pl.Tensor[[NR, 256], pl.FP32].
#include "python/language_objects.h"

namespace tilewire::python {
namespace {

[[noreturn]] void raise(const TypeForm& form, const std::string& what) {
  throw nb::type_error((form.path + ": " + what + "; write " + form.usage).c_str());
}

std::vector<nb::object> items_of(nb::handle index) {
  std::vector<nb::object> items;
  if (!PyTuple_Check(index.ptr())) return {nb::borrow(index)};
  for (nb::handle item : nb::borrow<nb::tuple>(index)) items.push_back(nb::borrow(item));
  return items;
}

ir::ExprList shape_from(const TypeForm& form, nb::handle object) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) {
    raise(form, "the shape must be a list, not " + given_type(object));
  }
  ir::ExprList shape;
  for (nb::handle item : nb::borrow<nb::object>(object)) {
    int64_t extent = 0;
    ir::NodeRef node = node_from(item);
    if (int_from(item, extent)) {
      shape.push_back(ir::const_index(extent));
    } else if (const auto* expr = ir::as<ir::Expr>(node)) {
      shape.push_back(ir::ref(expr));
    } else {
      raise(form, "a dimension must be an integer or pl.dynamic(...), not " + given_type(item));
    }
  }
  return shape;
}

ir::DType element_from(const TypeForm& form, nb::handle object) {
  auto dtype = dtype_from(object);
  if (!dtype) raise(form, "the element type must be a dtype such as pl.FP32, not " + given_type(object));
  return *dtype;
}

ir::TensorViewRef view_from(const TypeForm& form, nb::handle object) {
  if (auto layout = enum_from(object); layout && layout->id == ir::EnumId::Layout) {
    return ir::make<ir::TensorView>(Span{}, ir::ExprList{}, static_cast<ir::Layout>(layout->value));
  }
  const auto* view = ir::as<ir::TensorView>(node_from(object));
  if (!view) raise(form, "the third entry must be a layout or pl.TensorView(...), not " + given_type(object));
  return ir::ref(view);
}

ir::TypeRef type_from(const TypeForm& form, nb::handle object) {
  const auto* type = ir::as<ir::Type>(node_from(object));
  if (!type) raise(form, "a type is needed, not " + given_type(object));
  return ir::ref(type);
}

ir::TypeRef tensor(const TypeForm& form, const std::vector<nb::object>& items) {
  ir::ExprList shape = shape_from(form, items[0]);
  ir::DType dtype = element_from(form, items[1]);
  ir::TensorViewRef view = items.size() == 3 ? view_from(form, items[2]) : nullptr;
  // A dense row-major layout is what no view means.
  if (view && view->stride.empty() && view->layout == ir::Layout::ND) view = nullptr;
  if (form.kind == TypeForm::Tensor) return ir::make<ir::TensorType>(Span{}, shape, dtype, view);
  return ir::make<ir::DistributedTensorType>(Span{}, shape, dtype, view);
}

ir::TypeRef tile(const TypeForm& form, const std::vector<nb::object>& items) {
  ir::ExprList shape = shape_from(form, items[0]);
  ir::DType dtype = element_from(form, items[1]);
  std::optional<ir::MemorySpace> memory;
  if (items.size() == 3 && !FieldValue<std::optional<ir::MemorySpace>>::set(items[2], memory)) {
    raise(form, "the third entry must be a memory space such as pl.Mem.Vec, not " + given_type(items[2]));
  }
  return ir::make<ir::TileType>(Span{}, shape, dtype, memory);
}

ir::TypeRef array(const TypeForm& form, const std::vector<nb::object>& items) {
  int64_t extent = 0;
  if (!int_from(items[0], extent)) raise(form, "the length must be an integer, not " + given_type(items[0]));
  return ir::make<ir::ArrayType>(Span{}, extent, element_from(form, items[1]));
}

}  // namespace

nb::object subscript(const TypeForm& form, nb::handle index) {
  std::vector<nb::object> items = items_of(index);
  auto need = [&](size_t least, size_t most) {
    if (items.size() < least || items.size() > most)
      raise(form, std::to_string(items.size()) + " entries given");
  };
  switch (form.kind) {
    case TypeForm::Tensor:
    case TypeForm::DistributedTensor:
      need(2, 3);
      return to_python(tensor(form, items));
    case TypeForm::Tile:
      need(2, 3);
      return to_python(tile(form, items));
    case TypeForm::Scalar:
      need(1, 1);
      return to_python(ir::scalar_type(element_from(form, items[0])));
    case TypeForm::Array:
      need(2, 2);
      return to_python(array(form, items));
    case TypeForm::Tuple: {
      std::vector<ir::TypeRef> types;
      for (const nb::object& item : items) types.push_back(type_from(form, item));
      return to_python(ir::make<ir::TupleType>(Span{}, std::move(types)));
    }
    case TypeForm::Out:
    case TypeForm::InOut: {
      need(1, 1);
      auto direction = form.kind == TypeForm::Out ? ir::Direction::Out : ir::Direction::InOut;
      return nb::cast(DirectedType{direction, type_from(form, items[0])});
    }
  }
  return nb::none();
}

}  // namespace tilewire::python
