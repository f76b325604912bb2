// Programs as text, arrays as vectors of doubles: what the tests of the interpreter are written with.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "interp/interp.h"

namespace tilewire::interp::test {

using ir::DType;

// Elements of a dtype with a shape, set and read as doubles.
class Data {
 public:
  Data() = default;
  Data(DType dtype, std::vector<int64_t> shape);                              // zeros
  Data(DType dtype, std::vector<int64_t> shape, std::vector<double> values);  // row-major
  static Data count(DType dtype, std::vector<int64_t> shape, double start = 0, double step = 1);
  static Data random(DType dtype, std::vector<int64_t> shape, uint64_t seed);

  double at(size_t i) const;
  void set(size_t i, double value);
  std::vector<double> values() const;
  size_t size() const;
  Array array();

  DType dtype = DType::FP32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
};

// The program of a text without its imports; a failed test and null when it has errors.
ir::ProgramRef read(const std::string& text, const std::map<std::string, std::string>& constants = {});

// Lines of a method's body, as a text that `read` takes has them.
std::string indented(const std::string& body);

// A run of the function `main`, or of `entry`, that must end well unless the test looks at `error`.
struct Outcome {
  RunResult result;
  std::string error() const { return result.error ? result.error->text() : ""; }
  // Number and message: `TW2103: ...`.
  std::string message() const;
  int line() const { return result.error ? static_cast<int>(result.error->diagnostic.span.line) : 0; }
};
Outcome run(const ir::ProgramRef& program, std::vector<Argument> args, RunOptions options = {},
            const std::string& entry = "main");
Outcome run(const std::string& text, std::vector<Argument> args, RunOptions options = {},
            const std::string& entry = "main");

// The value of an expression over `a`, `b`, `c`, computed by a kernel on tiles and by one on tensors; both
// must agree, and the arrays of the caller stay as they were.
enum On { Tiles = 1, Tensors = 2, Both = 3 };
Data evaluate(const std::string& expression, std::vector<Data> inputs, DType dtype,
              std::vector<int64_t> shape, On on = Both);

// Whether two lists of numbers agree; NaN equals NaN.
::testing::AssertionResult same(const std::vector<double>& found, const std::vector<double>& expected);

}  // namespace tilewire::interp::test
