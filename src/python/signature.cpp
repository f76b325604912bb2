#include "python/signature.h"

#include "python/convert.h"

namespace tilewire::python {

SignatureBuilder::SignatureBuilder() : inspect_(nb::module_::import_("inspect")) {}

void SignatureBuilder::add(std::string_view name, nb::object default_value, std::string_view annotation,
                           bool keyword_only) {
  nb::object parameter = inspect_.attr("Parameter");
  nb::object kind = parameter.attr(keyword_only ? "KEYWORD_ONLY" : "POSITIONAL_OR_KEYWORD");
  nb::dict options;
  if (default_value.is_valid()) options["default"] = default_value;
  if (!annotation.empty()) options["annotation"] = to_python(annotation);
  params_.append(parameter(to_python(name), kind, **options));
}

void SignatureBuilder::add_rest() {
  nb::object parameter = inspect_.attr("Parameter");
  params_.append(parameter("args", parameter.attr("VAR_POSITIONAL")));
  params_.append(parameter("kwargs", parameter.attr("VAR_KEYWORD")));
}

nb::object SignatureBuilder::build(std::string_view return_annotation) const {
  using namespace nb::literals;
  nb::object type = inspect_.attr("Signature");
  if (return_annotation.empty()) return type(params_);
  return type(params_, "return_annotation"_a = to_python(return_annotation));
}

}  // namespace tilewire::python
