// The names of `pl` and `pld`, made from the op registry, the enum and dtype tables and the list of forms.
#include <nanobind/eval.h>
#include <nanobind/stl/string.h>

#include "ir/printer.h"
#include "ops/forms.h"
#include "ops/function_text.h"
#include "ops/registry.h"
#include "python/bind_module.h"
#include "python/language_objects.h"
#include "python/op_call.h"
#include "python/signature.h"

namespace tilewire::python {
namespace {

std::string home_of(std::string_view path) {
  return path.starts_with("pld.") ? "tilewire.language.distributed" : "tilewire.language";
}

// Instance attributes, as functions have them.
nb::object with_names(nb::object object, std::string_view path, std::string_view doc) {
  nb::setattr(object, "__name__", to_python(path.substr(path.rfind('.') + 1)));
  nb::setattr(object, "__qualname__", to_python(path.substr(path.find('.') + 1)));
  nb::setattr(object, "__module__", to_python(home_of(path)));
  nb::setattr(object, "__doc__", to_python(doc));
  return object;
}

nb::object op_signature(const OpFunction& function) {
  SignatureBuilder builder;
  const std::vector<const ir::Op*> forms = ops::distinct_forms(function.candidates);
  if (forms.size() > 1) {
    builder.add_rest();
    return builder.build("Expr");
  }
  const std::vector<ops::OpParamText> params = ops::op_params(*forms.front());
  const auto& declared = forms.front()->params;
  for (size_t i = 0; i < params.size(); ++i) {
    nb::object default_value;
    if (!params[i].default_text.empty()) {
      default_value = declared[i].default_value ? to_python(*declared[i].default_value) : nb::none();
    }
    builder.add(params[i].name, default_value, params[i].annotation, params[i].keyword_only);
  }
  return builder.build("Expr");
}

nb::object form_signature(const LanguageForm& form) {
  if (form.signature.empty()) throw nb::attribute_error("__signature__");
  nb::dict names;
  names["Level"] = nb::borrow(enumeration(ir::EnumId::Level));
  std::string inner = form.signature.substr(1, form.signature.size() - 2);
  nb::object function = nb::eval(nb::str(("lambda " + inner + ": None").c_str()), names);
  return nb::module_::import_("inspect").attr("signature")(function);
}

nb::object make_op_function(std::string path, std::span<const ir::Op* const> candidates) {
  std::string doc = ops::ops_doc(candidates);
  nb::object object = nb::cast(OpFunction{path, {candidates.begin(), candidates.end()}});
  return with_names(object, path, doc);
}

nb::object new_family(const std::string& path) {
  nb::object type = nb::module_::import_("types").attr("ModuleType");
  nb::object module = type(to_python("tilewire.language." + path.substr(path.find('.') + 1)));
  if (path.starts_with("pld.")) {
    module = type(to_python("tilewire.language.distributed." + path.substr(4)));
  }
  nb::setattr(module, "__doc__", to_python("The ops of `" + path + "`."));
  nb::setattr(module, "__tilewire_path__", to_python(path));
  return module;
}

void add_ops(const std::string& module, nb::dict& names) {
  for (const ops::OpName& op : ops::op_names(ops::registry(), module)) {
    if (op.family.empty()) {
      names[to_python(op.name)] = make_op_function(module + "." + op.name, op.candidates);
      continue;
    }
    std::string path = module + "." + op.family;
    nb::object family = to_python(op.family);
    if (!names.contains(family)) names[family] = new_family(path);
    nb::setattr(names[family], to_python(op.name), make_op_function(path + "." + op.name, op.candidates));
  }
}

void add_enums(std::string_view module, nb::dict& names) {
  for (const ir::EnumInfo& info : ir::all_enums()) {
    if (info.module != module) continue;
    names[to_python(info.name)] = enumeration(info.id);
    if (info.id == ir::EnumId::MemorySpace) names["MemorySpace"] = enumeration(info.id);
    if (info.id != ir::EnumId::Layout) continue;
    for (size_t i = 0; i < info.members.size(); ++i) {
      names[to_python(info.members[i].name)] = to_python(ir::EnumValue{info.id, static_cast<uint8_t>(i)});
    }
  }
}

void add_type_forms(std::string_view module, nb::dict& names) {
  static const TypeForm forms[] = {
      {TypeForm::Tensor, "pl.Tensor", "pl.Tensor[[d0, d1, ...], dtype]"},
      {TypeForm::Tile, "pl.Tile", "pl.Tile[[rows, cols], dtype]"},
      {TypeForm::Scalar, "pl.Scalar", "pl.Scalar[dtype]"},
      {TypeForm::Array, "pl.Array", "pl.Array[n, dtype]"},
      {TypeForm::Tuple, "pl.Tuple", "pl.Tuple[T0, T1, ...]"},
      {TypeForm::Out, "pl.Out", "pl.Out[T]"},
      {TypeForm::InOut, "pl.InOut", "pl.InOut[T]"},
      {TypeForm::DistributedTensor, "pld.DistributedTensor", "pld.DistributedTensor[[d0, d1, ...], dtype]"},
  };
  for (const TypeForm& form : forms) {
    size_t dot = form.path.find('.');
    if (form.path.substr(0, dot) != module) continue;
    names[to_python(form.path.substr(dot + 1))] =
        with_names(nb::cast(form), form.path, "A type of the language: " + form.usage + ".");
  }
}

void add_forms(std::string_view module, nb::dict& names) {
  for (const ops::FormRecord& form : ops::all_forms) {
    if (form.module != module || form.signature.empty()) continue;
    std::string path = std::string(module) + "." + std::string(form.name);
    names[to_python(form.name)] = with_names(
        nb::cast(LanguageForm{path, std::string(form.signature), form.in_class_body}), path, form.doc);
  }
}

nb::object make_const(nb::handle value, nb::handle dtype_object) {
  auto dtype = dtype_from(dtype_object);
  if (!dtype)
    throw nb::type_error(("pl.const: `dtype` must be a dtype, not " + given_type(dtype_object)).c_str());
  int64_t integer = 0;
  double number = 0;
  if (*dtype == ir::DType::Bool && PyBool_Check(value.ptr())) {
    return to_python(ir::make<ir::ConstBool>(Span{}, value.ptr() == Py_True));
  }
  if (ir::is_float(*dtype) && float_from(value, number)) {
    return to_python(ir::make<ir::ConstFloat>(Span{}, number, *dtype));
  }
  if (ir::is_integer(*dtype) && int_from(value, integer)) {
    return to_python(ir::make<ir::ConstInt>(Span{}, integer, *dtype));
  }
  throw nb::type_error(
      ("pl.const: " + given_type(value) + " is no value of pl." + std::string(ir::info(*dtype).name))
          .c_str());
}

nb::dict language_names(const std::string& module) {
  nb::dict names;
  add_forms(module, names);
  add_type_forms(module, names);
  add_enums(module, names);
  if (module == "pl") {
    for (const ir::DTypeInfo& info : ir::all_dtypes()) names[to_python(info.name)] = to_python(info.dtype);
    names["TaskId"] = to_python(ir::task_id_type());
    names["Ptr"] = to_python(ir::ptr_type());
    names["AUTO"] = with_names(nb::cast(LanguageForm{"pl.AUTO", ""}), "pl.AUTO",
                               "A value the compiler chooses, such as the base of a reserved buffer.");
  } else {
    names["CommCtx"] = to_python(ir::comm_ctx_type());
  }
  add_ops(module, names);
  return names;
}

}  // namespace

std::string language_path(nb::handle object) {
  if (nb::isinstance<OpFunction>(object)) return nb::cast<const OpFunction&>(object).path;
  if (nb::isinstance<LanguageForm>(object)) return nb::cast<const LanguageForm&>(object).path;
  if (nb::isinstance<TypeForm>(object)) return nb::cast<const TypeForm&>(object).path;
  std::string path;
  nb::object marked = nb::getattr(object, "__tilewire_path__", nb::none());
  string_from(marked, path);
  return path;
}

void bind_language(nb::module_& module) {
  nb::class_<OpFunction>(module, "OpFunction", nb::dynamic_attr(), "An op of the language.")
      .def("__call__", [](const OpFunction& f, nb::args args,
                          nb::kwargs kwargs) { return call_op(f.candidates, f.path, args, kwargs); })
      .def_prop_ro("__signature__", op_signature)
      .def_prop_ro("ops",
                   [](const OpFunction& f) {
                     nb::list list;
                     for (const ir::Op* op : f.candidates)
                       list.append(nb::cast(op, nb::rv_policy::reference));
                     return nb::tuple(list);
                   })
      .def("__repr__", [](const OpFunction& f) { return "<op " + f.path + ">"; })
      .def("__reduce__", [](nb::handle self) { return self.attr("__qualname__"); });
  nb::class_<LanguageForm>(module, "LanguageForm", nb::dynamic_attr(),
                           "A name with a meaning in program text.")
      .def("__call__",
           [](const LanguageForm& f, nb::args, nb::kwargs) {
             if (f.in_class_body) return;
             throw nb::type_error(("`" + f.path +
                                   "` is used inside a decorated function, whose text is read and "
                                   "never run; it cannot be called from Python")
                                      .c_str());
           })
      .def_prop_ro("__signature__", form_signature)
      .def("__repr__", [](const LanguageForm& f) { return f.path; })
      .def("__reduce__", [](nb::handle self) { return self.attr("__qualname__"); });
  nb::class_<TypeForm>(module, "TypeForm", nb::dynamic_attr(), "A type constructor of the language.")
      .def("__getitem__", subscript)
      .def("__repr__", [](const TypeForm& f) { return f.path; })
      .def("__reduce__", [](nb::handle self) { return self.attr("__qualname__"); });
  nb::class_<DirectedType>(module, "DirectedType", "The annotation of a parameter that is written.")
      .def_prop_ro("type", [](const DirectedType& d) { return to_python(d.type); })
      .def_prop_ro("direction", [](const DirectedType& d) { return to_python(ir::enum_value(d.direction)); })
      .def(
          "__eq__",
          [](nb::handle self, nb::handle other) -> nb::object {
            if (!nb::isinstance<DirectedType>(other)) return nb::borrow(Py_NotImplemented);
            return nb::bool_(self.attr("direction").equal(other.attr("direction")) &&
                             self.attr("type").equal(other.attr("type")));
          },
          nb::arg("other").none())
      .def("__hash__", [](nb::handle self) { return nb::hash(self.attr("type")); })
      .def("__repr__", [](const DirectedType& d) {
        return std::string(d.direction == ir::Direction::Out ? "pl.Out[" : "pl.InOut[") + to_string(d.type) +
               "]";
      });
  module.def("language_names", language_names, nb::arg("module"));
  module.def("const", make_const, nb::arg("value").none(), nb::arg("dtype").none());
}

}  // namespace tilewire::python
