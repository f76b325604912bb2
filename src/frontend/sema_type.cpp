// Annotations: pl.Tensor[[NR, 256], pl.FP32], pl.Out[...], pl.Tile[...].
#include "frontend/sema_type.h"

#include "frontend/sema_expr.h"
#include "ir/printer.h"
#include "support/diagnostics/ops.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

const char* example_of(Form form) {
  switch (form) {
    case Form::Tensor:
      return "pl.Tensor[[16, 256], pl.FP32]";
    case Form::Tile:
      return "pl.Tile[[16, 256], pl.FP32]";
    case Form::Scalar:
      return "pl.Scalar[pl.INT32]";
    case Form::Array:
      return "pl.Array[8, pl.INT32]";
    case Form::Tuple:
      return "pl.Tuple[pl.Scalar[pl.INT32], pl.Scalar[pl.FP32]]";
    case Form::DistributedTensor:
      return "pld.DistributedTensor[[16, 256], pl.FP32]";
    case Form::Out:
      return "pl.Out[pl.Tensor[[16, 256], pl.FP32]]";
    case Form::InOut:
      return "pl.InOut[pl.Tensor[[16, 256], pl.FP32]]";
    default:
      return "pl.Tensor[[16, 256], pl.FP32]";
  }
}

std::optional<ir::TypeRef> plain_type(Form form) {
  switch (form) {
    case Form::TaskId:
      return ir::task_id_type();
    case Form::Ptr:
      return ir::ptr_type();
    case Form::CommCtx:
      return ir::comm_ctx_type();
    default:
      return std::nullopt;
  }
}

}  // namespace

Value shaped_type(Sema& sema, const FormValue& form, const Expr& e, const std::vector<Value>& args);

std::optional<TypeValue> annotation(Sema& sema, const Expr& e) {
  Value value = eval(sema, e);
  if (value.is_error()) return std::nullopt;
  if (const auto* type = value.get<TypeValue>(); type && !type->view) return *type;
  if (const auto* form = value.get<FormValue>()) {
    if (auto type = plain_type(form->form)) return TypeValue{*type, false, ir::Direction::In, nullptr};
    // A direction without a type: the type comes from the call.
    if (form->form == Form::Out) return TypeValue{nullptr, true, ir::Direction::Out, nullptr};
    if (form->form == Form::InOut) return TypeValue{nullptr, true, ir::Direction::InOut, nullptr};
    sema.report(diag::incomplete_type, e.range, {std::string(sema.current_scope->tree->text(e.range))})
        .with_help(std::string("write `") + example_of(form->form) + "`");
    return std::nullopt;
  }
  Diagnostic& d = sema.report(diag::not_a_type, e.range, {describe(value)});
  const auto* builtin = value.get<BuiltinValue>();
  if (builtin && (builtin->builtin == Builtin::Int || builtin->builtin == Builtin::Float ||
                  builtin->builtin == Builtin::Bool)) {
    bool is_int = builtin->builtin == Builtin::Int, is_float = builtin->builtin == Builtin::Float;
    d.with_help(std::string("write `pl.Scalar[pl.") + (is_int ? "INT32" : is_float ? "FP32" : "BOOL") + "]`");
  } else if (const auto* dtype = value.get<ir::DType>()) {
    d.with_help("write `pl.Scalar[pl." + std::string(ir::info(*dtype).name) + "]` for a scalar");
  } else if (sema.current_scope->tree->text(e.range) == "str") {
    d.with_help("remove the annotation: a str is known when the program is read");
  } else {
    d.with_help(std::string("write a type such as `") + example_of(Form::Tensor) + "`");
  }
  return std::nullopt;
}

bool shape_of(Sema& sema, const Value& value, const Expr& e, ir::ExprList& out, bool positive_constants) {
  const auto* list = value.get<ListValue>();
  if (!list) {
    if (!value.is_error()) {
      sema.report(diag::shape_not_a_list, e.range, {describe(value)})
          .with_help("write the dimensions in brackets: `[16, 256]`");
    }
    return false;
  }
  bool syntax_list =
      (e.kind == ExprKind::List || e.kind == ExprKind::Tuple) && e.items.size() == list->items->size();
  for (size_t i = 0; i < list->items->size(); ++i) {
    const Value& item = (*list->items)[i];
    const Expr& at = syntax_list ? *e.items[i] : e;
    const auto* known = item.get<int64_t>();
    const ir::Expr* expr = item.expr();
    bool integer = expr && ir::scalar_dtype(expr->type) && ir::is_integer(*ir::scalar_dtype(expr->type));
    if (!known && (!integer || positive_constants)) {
      if (item.is_error()) return false;
      sema.report(positive_constants ? diag::tile_extent : diag::dimension_type, at.range, {describe(item)})
          .with_label("this is " + describe(item))
          .with_help(positive_constants
                         ? "write a constant that covers the largest case, and pass the part in use to "
                           "`pl.load` as `valid_shape`"
                         : "write an int, a `pl.dynamic` symbol or an integer expression");
      return false;
    }
    if (known && (*known < 0 || (positive_constants && *known == 0))) {
      sema.report(diag::dimension_value, at.range,
                  {std::to_string(*known), positive_constants ? "positive" : "zero or more", "a dimension"})
          .with_help(positive_constants ? "write a positive constant"
                                        : "for a size known only at run time, write a symbol: "
                                          "`NR = pl.dynamic(\"NR\")`");
      return false;
    }
    out.push_back(known ? ir::ExprRef(ir::const_index(*known, sema.span(at))) : *item.get<ir::ExprRef>());
  }
  return true;
}

// `pl.Tensor[16, 64, pl.FP32]` with its dimensions in brackets, as it was meant.
std::optional<std::string> bracketed(Sema& sema, const FormValue& form, const Expr& e) {
  if (form.form != Form::Tensor && form.form != Form::Tile && form.form != Form::DistributedTensor)
    return std::nullopt;
  const SyntaxTree& tree = *sema.current_scope->tree;
  std::string dims;
  for (size_t i = 0; i < e.items.size(); ++i) {
    if (e.items[i]->kind == ExprKind::Slice || e.items[i]->kind == ExprKind::List) return std::nullopt;
    if (i > 0 && i + 1 == e.items.size() && eval(sema, *e.items[i]).is<ir::DType>()) {
      return std::string(tree.text(e.left->range)) + "[[" + dims + "], " +
             std::string(tree.text(e.items[i]->range)) + "]";
    }
    dims += (i ? ", " : "") + std::string(tree.text(e.items[i]->range));
  }
  return std::nullopt;
}

Value type_subscript(Sema& sema, const FormValue& form, const Expr& e) {
  auto wrong = [&](const char* what) -> Value {
    sema.report(diag::type_arguments, e.range,
                {std::string(sema.current_scope->tree->text(e.left->range)), what})
        .with_help("write `" + bracketed(sema, form, e).value_or(example_of(form.form)) + "`");
    return {};
  };
  if (form.form == Form::Out || form.form == Form::InOut) {
    if (e.items.size() != 1) return wrong("one type");
    auto inner = annotation(sema, *e.items[0]);
    if (!inner) return {};
    if (inner->has_direction) return wrong("a type without a direction");
    if (inner->type && ir::isa<ir::ScalarType>(inner->type)) {
      sema.report(diag::scalar_direction, e.range)
          .with_help("return the scalar, or write it to an element of a tensor");
      return {};
    }
    return TypeValue{inner->type, true, form.form == Form::Out ? ir::Direction::Out : ir::Direction::InOut,
                     nullptr};
  }
  if (form.form == Form::Tuple) {
    std::vector<ir::TypeRef> types;
    for (const Expr* item : e.items) {
      auto type = annotation(sema, *item);
      if (!type) return {};
      if (!type->type || type->has_direction) return wrong("types without a direction");
      types.push_back(type->type);
    }
    return TypeValue{ir::make<ir::TupleType>(sema.span(e), std::move(types)), false, ir::Direction::In,
                     nullptr};
  }
  std::vector<Value> args;
  for (const Expr* item : e.items) {
    if (item->kind == ExprKind::Slice) return wrong("a shape and a dtype");
    args.push_back(eval(sema, *item));
    if (args.back().is_error()) return {};
  }
  auto made = [&](ir::TypeRef type) { return TypeValue{std::move(type), false, ir::Direction::In, nullptr}; };
  if (form.form == Form::Scalar) {
    const auto* dtype = args.size() == 1 ? args[0].get<ir::DType>() : nullptr;
    if (!dtype) return wrong("one dtype");
    return made(*dtype == ir::DType::TaskId ? ir::task_id_type() : ir::scalar_type(*dtype));
  }
  if (args.size() < 2)
    return wrong(form.form == Form::Array ? "a length and a dtype" : "a shape and a dtype");
  const auto* dtype = args[1].get<ir::DType>();
  if (!dtype) return wrong(form.form == Form::Array ? "a length and a dtype" : "a shape and a dtype");
  if (form.form == Form::Array) {
    const auto* extent = args[0].get<int64_t>();
    if (!extent || args.size() != 2) return wrong("a length and a dtype");
    if (*extent <= 0) {
      sema.report(diag::dimension_value, e.items[0]->range,
                  {std::to_string(*extent), "positive", "the length of an array"})
          .with_help("write `pl.Array[8, pl.INT32]`");
      return {};
    }
    if (!ir::is_integer(*dtype) && *dtype != ir::DType::TaskId && *dtype != ir::DType::Bool) {
      sema.report(diag::array_dtype, e.items[1]->range, {to_text(args[1])})
          .with_help("use an integer type, pl.BOOL or pl.TASK_ID; keep floats in a tile");
      return {};
    }
    return made(ir::make<ir::ArrayType>(sema.span(e), *extent, *dtype));
  }
  if (args.size() > 3) return wrong("a shape, a dtype and a third slot");
  return shaped_type(sema, form, e, args);
}

// pl.Tensor, pl.Tile and pld.DistributedTensor with their optional third slot.
Value shaped_type(Sema& sema, const FormValue& form, const Expr& e, const std::vector<Value>& args) {
  bool tile = form.form == Form::Tile;
  ir::DType dtype = *args[1].get<ir::DType>();
  ir::ExprList shape;
  if (!shape_of(sema, args[0], *e.items[0], shape, tile)) return {};
  if (dtype == ir::DType::TaskId) {
    sema.report(diag::tensor_dtype, e.items[1]->range, {to_text(args[1])})
        .with_help("keep task ids in an array: `pl.array.create(n, pl.TASK_ID)`");
    return {};
  }
  ir::TensorViewRef view;
  std::optional<ir::MemorySpace> memory;
  if (args.size() == 3) {
    const auto* third = args[2].get<ir::EnumValue>();
    const auto* given = args[2].get<TypeValue>();
    if (tile && third && third->id == ir::EnumId::MemorySpace) {
      memory = static_cast<ir::MemorySpace>(third->value);
    } else if (!tile && third && third->id == ir::EnumId::Layout) {
      auto layout = static_cast<ir::Layout>(third->value);
      if (layout != ir::Layout::ND)
        view = ir::make<ir::TensorView>(sema.span(*e.items[2]), ir::ExprList{}, layout);
    } else if (!tile && given && given->view) {
      view = given->view;
    } else {
      sema.report(diag::third_slot, e.items[2]->range,
                  {tile ? "a memory space" : "a layout or a view", describe(args[2])})
          .with_help(tile ? "write `pl.Mem.Vec` or leave it out"
                          : "write `pl.ND`, `pl.DN`, `pl.NZ` or `pl.TensorView(stride=, layout=)`");
      return {};
    }
  }
  if (tile && shape.size() != 2) {
    sema.report(diag::tile_rank, e.items[0]->range, {std::to_string(shape.size())})
        .with_help("write `[rows, columns]`; for a vector, write `[1, n]`");
    return {};
  }
  if (view && !view->stride.empty() && view->stride.size() != shape.size()) {
    sema.report(diag::stride_count, e.items[2]->range,
                {std::to_string(shape.size()), std::to_string(view->stride.size())})
        .with_help("give one stride per dimension, in elements");
    return {};
  }
  ir::TypeRef type;
  if (tile) {
    type = ir::make<ir::TileType>(sema.span(e), std::move(shape), dtype, memory);
  } else if (form.form == Form::DistributedTensor) {
    type = ir::make<ir::DistributedTensorType>(sema.span(e), std::move(shape), dtype, view);
  } else {
    type = ir::make<ir::TensorType>(sema.span(e), std::move(shape), dtype, view);
  }
  return TypeValue{type, false, ir::Direction::In, nullptr};
}

Value type_call(Sema& sema, const FormValue&, const Expr& e) {
  ir::ExprList stride;
  ir::Layout layout = ir::Layout::ND;
  bool ok = e.items.empty();
  for (const Keyword& keyword : e.keywords) {
    std::string_view key = sema.current_scope->tree->name(keyword.name);
    Value value = eval(sema, *keyword.value);
    if (value.is_error()) return {};
    const auto* member = value.get<ir::EnumValue>();
    if (key == "stride") {
      if (!shape_of(sema, value, *keyword.value, stride, false)) return {};
    } else if (key == "layout" && member && member->id == ir::EnumId::Layout) {
      layout = static_cast<ir::Layout>(member->value);
    } else {
      ok = false;
    }
  }
  if (!ok) {
    sema.report(diag::form_arguments, e.range, {"pl.TensorView", "stride= and layout="})
        .with_help("write `pl.TensorView(stride=[256, 1], layout=pl.ND)`");
    return {};
  }
  return TypeValue{nullptr, false, ir::Direction::In,
                   ir::make<ir::TensorView>(sema.span(e), std::move(stride), layout)};
}

}  // namespace tilewire::frontend
