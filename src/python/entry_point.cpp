// Functions of the package that users call. An error of Tilewire that leaves one has no frames of the package
// in its traceback, which so ends at the user's own line, in a script and in a notebook alike. That takes a
// callable that is not written in Python: a Python function adds itself to every traceback that passes
// through it.
#include <Python.h>
#include <structmember.h>

#include <string>
#include <vector>

#include "python/bind_module.h"

namespace tilewire::python {
namespace {

namespace nb = nanobind;

struct EntryPoint {
  PyObject ob_base;
  PyObject* function;
  PyObject* attributes;  // a dict, for functools.update_wrapper
  vectorcallfunc vectorcall;
};

EntryPoint* cast(PyObject* object) {
  return reinterpret_cast<EntryPoint*>(object);
}

bool is_inner(nb::handle traceback) {
  const nb::object name =
      nb::getattr(nb::object(traceback.attr("tb_frame").attr("f_globals")), "get")("__name__");
  if (!nb::isinstance<nb::str>(name)) return false;
  const std::string text = nb::cast<std::string>(name);
  return text == "tilewire" || text.rfind("tilewire.", 0) == 0;
}

// The entries of the user's functions; null: there are none.
nb::object without_inner_frames(nb::object traceback) {
  std::vector<nb::object> kept;
  for (nb::object at = std::move(traceback); at.is_valid() && !at.is_none(); at = at.attr("tb_next")) {
    if (!is_inner(at)) kept.push_back(at);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    nb::setattr(kept[i], "tb_next", i + 1 < kept.size() ? kept[i + 1] : nb::none());
  }
  return kept.empty() ? nb::object() : kept.front();
}

// The pending exception, with a shorter traceback if it is an error of Tilewire.
void shorten_traceback() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  nb::object entries = nb::steal(traceback);
  try {
    if (entries.is_valid() && nb::isinstance(value, nb::module_::import_("tilewire.errors").attr("Error"))) {
      entries = without_inner_frames(entries);
      PyException_SetTraceback(value, entries.is_valid() ? entries.ptr() : Py_None);
    }
  } catch (nb::python_error&) {  // the traceback stays as it is
  }
  PyErr_Restore(type, value, entries.release().ptr());
}

PyObject* call(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  PyObject* result = PyObject_Vectorcall(cast(self)->function, arguments, count, names);
  if (!result) shorten_traceback();
  return result;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* function;
  if (!PyArg_ParseTuple(arguments, "O", &function)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  cast(self)->function = Py_NewRef(function);
  cast(self)->vectorcall = call;
  return self;
}

// As of a function: the method of an object.
PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

// An object with a path in the language (`pl.jit`) names it, and what to write, where it lacks an attribute.
PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  PyObject* attributes = cast(self)->attributes;
  if (found || !attributes || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyObject* path = PyDict_GetItemString(attributes, "__tilewire_path__");
  if (!path || !PyUnicode_Check(path)) return nullptr;
  PyErr_Clear();
  try {
    const nb::object module = nb::module_::import_("tilewire._core");
    module.attr("raise_missing")(nb::handle(path), nb::handle(name));
  } catch (nb::python_error& error) {
    error.restore();
  }
  return nullptr;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->function);
  Py_VISIT(cast(self)->attributes);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(cast(self)->function);
  Py_CLEAR(cast(self)->attributes);
  return 0;
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(EntryPoint, attributes), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(EntryPoint, vectorcall), READONLY, nullptr},
    {},
};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {},
};
PyType_Spec spec = {
    "tilewire._core.EntryPoint", sizeof(EntryPoint), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    slots};

}  // namespace

void bind_entry_point(nb::module_& module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw nb::python_error();
  module.attr("EntryPoint") = nb::steal(type);
}

}  // namespace tilewire::python
