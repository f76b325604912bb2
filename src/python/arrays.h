// Python's arrays and numbers as arguments of a program, used in place.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "driver/execute/arguments.h"

namespace tilewire::python {

namespace nb = nanobind;

// An argument and what keeps its memory where it is.
class BorrowedArgument {
 public:
  explicit BorrowedArgument(nb::handle object);
  BorrowedArgument(BorrowedArgument&& other) noexcept;
  BorrowedArgument& operator=(BorrowedArgument&&) = delete;
  ~BorrowedArgument();

  // Reports None for a parameter that needs an argument, and objects that are neither arrays nor numbers.
  // `object`: what was borrowed.
  void check_kind(const driver::ParameterInfo& param, nb::handle object, Diagnostics& diags) const;

  driver::Argument value;
  bool fits = true;  // false: neither an array nor a number

 private:
  bool take_number(nb::handle object);
  bool take_buffer(nb::handle object);
  void take_dlpack(nb::handle object);
  // ml_dtypes' arrays and PyTorch's 8-bit floats show their elements only as unsigned integers.
  bool take_reinterpreted(nb::handle object);

  bool has_buffer_ = false;
  Py_buffer buffer_{};
  nb::object owner_;
};

// A new NumPy array, elements not set.
nb::object new_array(ir::DType dtype, const std::vector<int64_t>& shape);
// A NumPy array over memory that `owner` keeps.
nb::object array_over(const driver::Array& array, nb::object owner);

}  // namespace tilewire::python
