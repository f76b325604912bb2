#include "python/errors.h"

#include <nanobind/nanobind.h>

#include "python/convert.h"
#include "support/character_column.h"
#include "support/explanations.h"

namespace tilewire::python {
namespace {

nb::module_ errors() {
  return nb::module_::import_("tilewire.errors");
}

nb::object file_of(const Span& span) {
  return to_python(span.file ? std::string_view(span.file->name()) : std::string_view());
}

nb::object to_python(const Diagnostic& d) {
  nb::module_ module = errors();
  nb::list notes, helps;
  for (const auto& note : d.notes) {
    notes.append(module.attr("Note")(python::to_python(note.text), file_of(note.span), note.span.line,
                                     character_column(note.span, note.span.line, note.span.column)));
  }
  for (const std::string& help : d.helps) helps.append(python::to_python(help));
  return module.attr("Diagnostic")(
      python::to_python(code_text(d.id)), d.severity == Severity::Error ? "error" : "warning",
      python::to_python(d.message), file_of(d.span), d.span.line,
      character_column(d.span, d.span.line, d.span.column), d.span.end_line,
      character_column(d.span, d.span.end_line, d.span.end_column), python::to_python(d.label),
      nb::tuple(notes), nb::tuple(helps), python::to_python(render(d)));
}

[[noreturn]] void raise(const char* type_name, const Diagnostics& diags) {
  nb::list all;
  for (const Diagnostic& diagnostic : diags.all()) all.append(to_python(diagnostic));
  nb::object type = errors().attr(type_name);
  nb::object error = type(python::to_python(diags.text()), nb::tuple(all));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace

void raise_program_error(const Diagnostics& diags) {
  raise("ProgramError", diags);
}

void raise_run_error(const Diagnostics& diags, const char* type) {
  raise(type, diags);
}

void warn_of_replay(const std::string& told) {
  errors().attr("warn_of_replay")(python::to_python("replayed: " + told));
}

void emit_warnings(const Diagnostics& diags) {
  for (const Diagnostic& diagnostic : diags.all()) {
    if (diagnostic.severity == Severity::Warning) errors().attr("warn")(to_python(diagnostic));
  }
}

}  // namespace tilewire::python
