// Calls of language forms that are not ops: pl.const, pl.dynamic, pld.alloc_window, ...
#include "frontend/sema_form.h"

#include "frontend/sema_expr.h"
#include "frontend/sema_index.h"
#include "frontend/sema_type.h"
#include "ops/windows.h"
#include "support/diagnostics/ops.h"
#include "support/diagnostics/sema.h"
#include "support/near.h"

namespace tilewire::frontend {

Value const_form(Sema& sema, const Expr& e);
Value dynamic_form(Sema& sema, const Expr& e);
Value split_form(Sema& sema, const Expr& e);

Value call_form(Sema& sema, const FormValue& form, const Expr& e) {
  switch (form.form) {
    case Form::Const:
      return const_form(sema, e);
    case Form::Dynamic:
      return dynamic_form(sema, e);
    case Form::TensorViewForm:
      return type_call(sema, form, e);
    case Form::Split:
      return split_form(sema, e);
    default:
      break;
  }
  for (const ops::FormRecord& record : ops::all_forms) {
    if (record.form != form.form || record.place.empty()) continue;
    sema.report(diag::misplaced_form, e.range, {std::string(record.module) + "." + std::string(record.name)})
        .with_help("write it " + std::string(record.place));
    return {};
  }
  sema.report(diag::not_callable, e.left->range,
              {"`" + std::string(sema.current_scope->tree->text(e.left->range)) + "`"})
      .with_help("write types with brackets: `" + std::string(sema.current_scope->tree->text(e.left->range)) +
                 "[...]`");
  return {};
}

Value const_form(Sema& sema, const Expr& e) {
  if (e.items.size() != 2 || !e.keywords.empty()) {
    sema.report(diag::form_arguments, e.range, {"pl.const", "a value and a dtype"})
        .with_help("write `pl.const(1, pl.INT32)`");
    return {};
  }
  Value value = eval(sema, *e.items[0]);
  Value type = eval(sema, *e.items[1]);
  if (value.is_error() || type.is_error()) return {};
  const auto* dtype = type.get<ir::DType>();
  if (!value.is_number() || !dtype || *dtype == ir::DType::TaskId) {
    sema.report(diag::form_arguments, e.range, {"pl.const", "a value and a dtype"})
        .with_label("got " + describe(value) + " and " + describe(type))
        .with_help("write `pl.const(1, pl.INT32)`");
    return {};
  }
  return typed_constant(sema, value, *dtype, sema.span(e));
}

Value typed_constant(Sema& sema, const Value& value, ir::DType dtype, const Span& at) {
  if (const auto* b = value.get<bool>()) {
    if (dtype == ir::DType::Bool) return ir::ExprRef(ir::make<ir::ConstBool>(at, *b));
  }
  if (ir::is_float(dtype)) {
    if (const auto* d = value.get<double>()) return ir::ExprRef(ir::make<ir::ConstFloat>(at, *d, dtype));
    if (const auto* i = value.get<int64_t>()) {
      return ir::ExprRef(ir::make<ir::ConstFloat>(at, static_cast<double>(*i), dtype));
    }
  }
  if (const auto* i = value.get<int64_t>(); i && ir::is_integer(dtype) && ir::fits(*i, dtype)) {
    return ir::ExprRef(ir::make<ir::ConstInt>(at, *i, dtype));
  }
  Diagnostic& d = sema.report(diag::constant_does_not_fit, at,
                              {to_text(value), "pl." + std::string(ir::info(dtype).name)});
  if (value.is<int64_t>()) d.with_help("write a value that the dtype can hold, or use a wider dtype");
  if (value.is<bool>()) d.with_help("write 0 or 1, or use pl.BOOL: a bool is not a number");
  if (value.is<double>()) d.with_help("round it first: `int(...)`");
  return {};
}

// pl.split(mode) in `optimizations=[...]`: it is equivalent to the mode.
Value split_form(Sema& sema, const Expr& e) {
  Value mode = e.items.size() == 1 && e.keywords.empty() ? eval(sema, *e.items[0]) : Value(NoneValue{});
  const auto* member = mode.get<ir::EnumValue>();
  if (mode.is_error() || (member && member->id == ir::EnumId::SplitMode)) return mode;
  sema.report(diag::form_arguments, e.range, {"pl.split", "one pl.SplitMode"})
      .with_help("write `pl.split(pl.SplitMode.UP_DOWN)`");
  return {};
}

Value dynamic_form(Sema& sema, const Expr& e) {
  Value name = e.items.size() == 1 && e.keywords.empty() ? eval(sema, *e.items[0]) : Value(NoneValue{});
  if (name.is_error()) return {};
  const auto* text = name.get<std::string>();
  if (!text || text->empty()) {
    sema.report(diag::form_arguments, e.range, {"pl.dynamic", "one non-empty string"})
        .with_help("write `NR = pl.dynamic(\"NR\")`");
    return {};
  }
  return ir::ExprRef(ir::make<ir::DimSymbol>(sema.span(e), *text));
}

// A keyword of the form itself, or of the op that it expands to.
bool known_window_keyword(Sema& sema, std::string_view key, const Keyword& keyword, const char* form_name,
                          bool signal) {
  const ir::Op& alloc = *sema.ops.find("pld.alloc_window_buffer");
  std::vector<std::string> names;
  for (const ir::OpParam& param : alloc.params) {
    // The size is given in another way, and the form says itself whether it makes a signal.
    const bool size = param.name == "nbytes" || (signal && (param.name == "shape" || param.name == "dtype"));
    if (!size && param.name != "signal") names.push_back(param.name);
  }
  if (signal) names.emplace_back("n");
  if (key == "name" || std::find(names.begin(), names.end(), key) != names.end()) return true;
  Diagnostic& d = sema.report(diag::unknown_keyword, keyword.name_range, {form_name, std::string(key)});
  if (auto near = nearest(key, names)) {
    d.with_help("did you mean `" + *near + "`?");
  } else {
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "`" : ", `") + each + "`";
    d.with_help("its keywords are " + all);
  }
  return false;
}

Value alloc_window(Sema& sema, const Expr& e, Form form, const std::string& name) {
  if (!require_function(sema, e)) return {};
  bool failed = false;
  bool signal = form == Form::AllocSignal;
  const char* form_name = signal ? "pld.alloc_signal" : "pld.alloc_window";
  std::vector<ir::OpArgument> alloc_args, window_args;
  std::vector<ir::OpKeyword> alloc_keywords, window_keywords;
  const Expr* shape = e.items.empty() ? nullptr : e.items[0];
  for (const Keyword& keyword : e.keywords) {
    std::string_view key = sema.current_scope->tree->name(keyword.name);
    if (key == (signal ? "n" : "shape") && !shape) {
      shape = keyword.value;
      continue;
    }
    if (key == "name") {
      sema.report(diag::window_buffer_named, keyword.name_range, {form_name})
          .with_help("leave `name=` out: in `data = " + std::string(form_name) +
                     "(...)` the buffer is called `data`");
      failed = true;
    }
    failed = !known_window_keyword(sema, key, keyword, form_name, signal) || failed;
    ir::OpArgument arg = argument(sema, *keyword.value, failed);
    if (key == "dtype" && !signal) window_keywords.push_back({key, arg, sema.span(keyword.name_range)});
    alloc_keywords.push_back({key, std::move(arg), sema.span(keyword.name_range)});
  }
  if (failed) return {};
  if (!shape || e.items.size() > 1 || (!signal && window_keywords.empty())) {
    sema.report(diag::form_arguments, e.range,
                {form_name, signal ? "the number of cells" : "a shape and dtype="})
        .with_help(
            signal ? "write `sig = pld.alloc_signal(n)`"
                   : "write `w = pld.alloc_window(" +
                         (shape ? std::string(sema.current_scope->tree->text(shape->range)) : "[16, 256]") +
                         ", dtype=pl.FP32)`");
    return {};
  }
  ir::OpArgument dims;
  if (signal) {
    ir::ExprRef count = index_expr(sema, eval(sema, *shape), sema.span(*shape), "the number of cells");
    if (!count) return {};
    dims = {count, sema.span(*shape)};
  } else {
    dims = argument(sema, *shape, failed);
  }
  if (failed) return {};
  if (signal) {
    std::vector<ir::OpArgument> cells;
    cells.push_back(std::move(dims));
    cells.push_back({ir::AttrValue{int64_t{1}}, sema.span(*shape)});
    dims = {std::move(cells), sema.span(*shape)};
    ir::OpArgument int32{ir::AttrValue{ir::DType::Int32}, sema.span(e)};
    alloc_keywords.push_back({"dtype", int32, sema.span(e)});
    window_keywords.push_back({"dtype", int32, sema.span(e)});
    alloc_keywords.push_back({"signal", {ir::AttrValue{true}, sema.span(e)}, sema.span(e)});
  }
  alloc_args.push_back(dims);
  const ir::Op* alloc_op = sema.ops.find("pld.alloc_window_buffer");
  ir::ExprRef alloc =
      make_call(sema, *alloc_op, std::move(alloc_args), std::move(alloc_keywords), sema.span(e));
  if (!alloc) return {};
  ir::WindowBufferRef buffer = define_window(sema, name, alloc, sema.span(e));
  if (!buffer) return {};
  window_args.push_back({ir::ExprRef(buffer), sema.span(e)});
  window_args.push_back(std::move(dims));
  const ir::Op* window_op = sema.ops.find("pld.window");
  ir::ExprRef view =
      make_call(sema, *window_op, std::move(window_args), std::move(window_keywords), sema.span(e));
  return view ? Value(view) : Value();
}

ir::WindowBufferRef define_window(Sema& sema, const std::string& name, const ir::ExprRef& alloc,
                                  const Span& at) {
  if (sema.fn->loop_depth > 0) {
    sema.report(diag::window_in_loop, at, {name}).with_help("allocate it once, before the loop");
    return nullptr;
  }
  auto found = sema.windows.find({sema.fn->info->name, name});
  if (found != sema.windows.end()) {
    sema.report(diag::duplicate_window, at, {name})
        .with_note("first allocated here", found->second->span)
        .with_help("give this buffer another name: manifests and communication groups refer to it by name");
    return nullptr;
  }
  ir::VarRef base = emit_assign(sema, alloc, name, at);
  ir::WindowBufferRef buffer = ops::make_window_buffer(base, *ir::as<ir::Call>(alloc));
  sema.windows.emplace(std::pair(sema.fn->info->name, name), buffer);
  return buffer;
}

}  // namespace tilewire::frontend
