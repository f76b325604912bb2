// The fast path of a call from Python: NumPy arrays and numbers in the form of an earlier call
// (driver/execute/known_calls.h), read without the buffer protocol, which allocates memory for each array.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "driver/execute/executable.h"

namespace tilewire::python {

namespace nb = nanobind;

// The result of a call with a tuple of arguments. Null with an exception if it failed, and without one if no
// such call is known.
PyObject* repeat_call(const driver::Executable& executable, int threads, PyObject* arguments);

// A returned value; `objects` are the arguments, one per parameter.
nb::object returned_object(const driver::Returned& value, const std::vector<nb::object>& objects);

// Raises the error of a call that failed.
[[noreturn]] void raise_failed_call(const driver::Call& call, const Diagnostics& diags);

}  // namespace tilewire::python
