// The parts of the module `tilewire._core`, in the order in which they are created.
#pragma once

#include <nanobind/nanobind.h>

namespace tilewire::python {

// In this order: a class follows its base.
void bind_entry_point(nanobind::module_& module);
void bind_bases(nanobind::module_& module);  // Node, Type, Expr, Stmt; Span and Op
void bind_types(nanobind::module_& module);
void bind_expressions(nanobind::module_& module);
void bind_statements(nanobind::module_& module);  // and functions and programs
void bind_programs(nanobind::module_& module);    // methods of Program, functions of tilewire.ir
void bind_language(nanobind::module_& module);    // ops, forms and type constructors
void bind_reader(nanobind::module_& module);      // text to program
void bind_executable(nanobind::module_& module);  // programs made ready to run
void bind_world(nanobind::module_& module);       // the processes of a launcher
void bind_checking(nanobind::module_& module);    // programs checked
void bind_manifest(nanobind::module_& module);

}  // namespace tilewire::python
