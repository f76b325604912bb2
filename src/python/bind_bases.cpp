// The classes without fields: methods of all nodes, spans and ops.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>

#include "ir/dump.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "python/bind_node.h"
#include "python/op_call.h"

namespace tilewire::python {
namespace {

bool equal(const ir::NodeRef& left, const ir::NodeRef& right) {
  if (left == right) return true;
  // A variable equals only itself; inside a larger tree the variables it defines are matched one to one.
  if (ir::isa<ir::Var>(left) || ir::isa<ir::Var>(right)) return false;
  // Window buffers have no definition, but belong to the function that allocates them.
  bool closed = ir::isa<ir::Program>(left) || ir::isa<ir::Function>(left);
  return closed ? ir::structurally_equal(left, right) : ir::identical_but_for_definitions(left, right);
}

uint64_t hash(const ir::NodeRef& node) {
  if (ir::isa<ir::Var>(node)) return std::hash<const void*>{}(node.get());
  return ir::structural_hash(node);
}

ir::NodeRef reference(const ir::Node& node) {
  return ir::NodeRef(&node);
}

void bind_node_base(nb::module_& module) {
  nb::class_<ir::Node>(module, "Node",
                       "Base of everything in the IR. Nodes are immutable and may be shared between threads; "
                       "`==` and hash() compare structure, except that a variable is only equal to itself.")
      .def_prop_ro(
          "span",
          [](const ir::Node& node) -> nb::object { return node.span ? nb::cast(node.span) : nb::none(); })
      .def(
          "as_python", [](const ir::Node& node) { return to_python(ir::as_python(reference(node))); },
          "The node as program text.")
      .def(
          "dump", [](const ir::Node& node) { return to_python(ir::dump(reference(node))); },
          "Every field of every node below this one, for debugging.")
      .def(
          "serialize",
          [](const ir::Node& node) {
            std::string bytes;
            {
              nb::gil_scoped_release release;
              bytes = ir::to_bytes(reference(node));
            }
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The node as bytes that tilewire.ir.deserialize reads back.")
      .def(
          "__eq__",
          [](const ir::Node& node, nb::handle other) -> nb::object {
            ir::NodeRef right = node_from(other);
            if (!right) return nb::borrow(Py_NotImplemented);
            return nb::bool_(equal(reference(node), right));
          },
          nb::arg("other").none())
      .def("__hash__", [](const ir::Node& node) { return hash(reference(node)); })
      .def("__repr__", [](const ir::Node& node) { return to_python(ir::repr(reference(node))); })
      .def("__str__", [](const ir::Node& node) { return to_python(ir::as_python(reference(node))); })
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def("__reduce__", [](nb::handle self) {
        nb::object read = nb::module_::import_("tilewire.ir").attr("deserialize");
        return nb::make_tuple(read, nb::make_tuple(self.attr("serialize")()));
      });
}

struct Sign {
  const char* method;
  const char* infix;
  bool reflected;
};

constexpr Sign signs[] = {
    {"__add__", "+", false},       {"__radd__", "+", true},       {"__sub__", "-", false},
    {"__rsub__", "-", true},       {"__mul__", "*", false},       {"__rmul__", "*", true},
    {"__floordiv__", "//", false}, {"__rfloordiv__", "//", true}, {"__mod__", "%", false},
    {"__rmod__", "%", true},       {"__truediv__", "/", false},   {"__rtruediv__", "/", true},
    {"__pow__", "**", false},      {"__rpow__", "**", true},      {"__and__", "&", false},
    {"__rand__", "&", true},       {"__or__", "|", false},        {"__ror__", "|", true},
    {"__xor__", "^", false},       {"__rxor__", "^", true},       {"__lshift__", "<<", false},
    {"__rlshift__", "<<", true},   {"__rshift__", ">>", false},   {"__rrshift__", ">>", true},
    {"__lt__", "<", false},        {"__le__", "<=", false},       {"__gt__", ">", false},
    {"__ge__", ">=", false},
};

void bind_expr_base(nb::module_& module) {
  nb::class_<ir::Expr, ir::Node> expr(
      module, "Expr", "A value. Arithmetic and order operators build calls of the ops with that sign.");
  expr.def_prop_ro("type", [](const ir::Expr& e) { return to_python(e.type); });
  for (const Sign& sign : signs) {
    expr.def(
        sign.method,
        [&sign](nb::handle self, nb::handle other) {
          return sign.reflected ? apply_infix(sign.infix, other, self) : apply_infix(sign.infix, self, other);
        },
        nb::arg("other").none());
  }
  expr.def("__neg__", [](nb::handle self) { return apply_infix("-x", self, {}); });
  expr.def("__invert__", [](nb::handle self) { return apply_infix("~x", self, {}); });
  expr.def("__bool__", [](const ir::Expr& e) {
    if (e.kind() == ir::kind_of<ir::Call> && ir::scalar_dtype(e.type) == ir::DType::Bool) {
      throw nb::type_error("the value of this condition is known only when the program runs");
    }
    return true;
  });
}

void bind_span(nb::module_& module) {
  auto init = [](Span* self, std::string file, uint32_t line, uint32_t column, uint32_t end_line,
                 uint32_t end_column) {
    if (line == 0 || column == 0) throw nb::value_error("Span: lines and columns count from 1");
    Ref<const SourceFile> source(new SourceFile(std::move(file), "", line));
    new (self)
        Span{std::move(source), line, column, end_line ? end_line : line, end_column ? end_column : column};
  };
  nb::class_<Span>(module, "Span", "A place in program text; lines and columns (in bytes) count from 1.")
      .def("__init__", init, nb::arg("file"), nb::arg("line"), nb::arg("column"), nb::arg("end_line") = 0,
           nb::arg("end_column") = 0)
      .def_prop_ro("file", [](const Span& s) { return to_python(s.file ? s.file->name() : std::string()); })
      .def_prop_ro("line", [](const Span& s) { return s.line; })
      .def_prop_ro("column", [](const Span& s) { return s.column; })
      .def_prop_ro("end_line", [](const Span& s) { return s.end_line; })
      .def_prop_ro("end_column", [](const Span& s) { return s.end_column; })
      .def("__repr__", [](const Span& s) { return "Span(" + to_string(s) + ")"; });
}

void bind_op(nb::module_& module) {
  nb::class_<ir::OpParam>(module, "OpParam", "A parameter of an op.")
      .def_prop_ro("name", [](const ir::OpParam& p) { return p.name; })
      .def_prop_ro("doc", [](const ir::OpParam& p) { return p.doc; })
      .def_prop_ro("is_attribute", [](const ir::OpParam& p) { return p.kind == ir::OpParam::Attribute; })
      .def_prop_ro("is_list", [](const ir::OpParam& p) { return p.kind == ir::OpParam::ListOperand; })
      .def_prop_ro("optional", [](const ir::OpParam& p) { return p.optional; })
      .def_prop_ro("keyword_only", [](const ir::OpParam& p) { return p.keyword_only; })
      .def_prop_ro("default",
                   [](const ir::OpParam& p) -> nb::object {
                     return p.default_value ? to_python(*p.default_value) : nb::none();
                   })
      .def("__repr__", [](const ir::OpParam& p) { return "OpParam(" + p.name + ")"; });
  nb::class_<ir::Op>(module, "Op", "The declaration of an op.")
      .def_prop_ro("name", [](const ir::Op& op) { return op.qualified(); })
      .def_prop_ro("doc", [](const ir::Op& op) { return op.doc; })
      .def_prop_ro("levels", [](const ir::Op& op) { return ir::describe_levels(op.levels); })
      .def_prop_ro("params",
                   [](const ir::Op& op) {
                     nb::list params;
                     for (const ir::OpParam& param : op.params)
                       params.append(nb::cast(&param, nb::rv_policy::reference));
                     return nb::tuple(params);
                   })
      .def("__repr__", [](const ir::Op& op) { return "Op(" + op.qualified() + ")"; })
      .def("__reduce__", [](const ir::Op& op) {
        return nb::make_tuple(nb::module_::import_("tilewire.ir").attr("op"), nb::make_tuple(op.qualified()));
      });
}

}  // namespace

void bind_bases(nb::module_& module) {
  bind_span(module);
  bind_op(module);
  bind_node_base(module);
  nb::class_<ir::Type, ir::Node>(module, "Type", "The type of a value.");
  bind_expr_base(module);
  nb::class_<ir::Stmt, ir::Node>(module, "Stmt", "A statement.");
}

}  // namespace tilewire::python
