// Signatures that `inspect.signature` and help() understand.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace tilewire::python {

class SignatureBuilder {
 public:
  SignatureBuilder();
  // `default_value` is invalid for an argument that must be given.
  void add(std::string_view name, nanobind::object default_value, std::string_view annotation,
           bool keyword_only = false);
  void add_rest();  // *args, **kwargs
  // An inspect.Signature.
  nanobind::object build(std::string_view return_annotation) const;

 private:
  nanobind::module_ inspect_;
  nanobind::list params_;
};

}  // namespace tilewire::python
