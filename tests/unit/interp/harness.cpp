#include "harness.h"

#include <random>
#include <sstream>

#include "frontend/frontend.h"
#include "numeric/numeric.h"

namespace tilewire::interp::test {

Data::Data(DType dtype, std::vector<int64_t> shape) : dtype(dtype), shape(std::move(shape)) {
  bytes.resize(size() * static_cast<size_t>(ir::bytes(dtype)));
}

Data::Data(DType dtype, std::vector<int64_t> shape, std::vector<double> values)
    : Data(dtype, std::move(shape)) {
  EXPECT_EQ(values.size(), size());
  for (size_t i = 0; i < size(); ++i) set(i, values[i]);
}

Data Data::count(DType dtype, std::vector<int64_t> shape, double start, double step) {
  Data data(dtype, std::move(shape));
  for (size_t i = 0; i < data.size(); ++i) data.set(i, start + step * static_cast<double>(i));
  return data;
}

Data Data::random(DType dtype, std::vector<int64_t> shape, uint64_t seed) {
  Data data(dtype, std::move(shape));
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < data.size(); ++i) {
    double value = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
    data.set(i, ir::is_float(dtype) ? value : std::floor(std::fabs(value) * 4));
  }
  return data;
}

size_t Data::size() const {
  return static_cast<size_t>(element_count(shape));
}

double Data::at(size_t i) const {
  const void* element = bytes.data() + i * static_cast<size_t>(ir::bytes(dtype));
  if (ir::is_float(dtype)) return numeric::load_float(dtype, element);
  int64_t value = numeric::load_integer(dtype, element);
  return dtype == DType::UInt64 ? static_cast<double>(static_cast<uint64_t>(value))
                                : static_cast<double>(value);
}

void Data::set(size_t i, double value) {
  void* element = bytes.data() + i * static_cast<size_t>(ir::bytes(dtype));
  ir::is_float(dtype) ? numeric::store_float(dtype, element, value)
                      : numeric::store_integer(dtype, element, static_cast<int64_t>(value));
}

std::vector<double> Data::values() const {
  std::vector<double> all;
  for (size_t i = 0; i < size(); ++i) all.push_back(at(i));
  return all;
}

Array Data::array() {
  return {bytes.data(), dtype, shape, {}};
}

std::string indented(const std::string& body) {
  std::string text;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) text += "        " + line + "\n";
  return text;
}

ir::ProgramRef read(const std::string& text, const std::map<std::string, std::string>& constants) {
  Diagnostics diags;
  frontend::Options options;
  options.constants = constants;
  auto file = frontend::make_source(
      "test.py", "import tilewire.language as pl\nimport tilewire.language.distributed as pld\n" + text);
  ir::ProgramRef program = frontend::read_program(file, options, diags);
  if (!program) ADD_FAILURE() << diags.text();
  return program;
}

std::string Outcome::message() const {
  if (!result.error) return "";
  const Diagnostic& d = result.error->diagnostic;
  return "TW" + std::to_string(diag_info(d.id).code) + ": " + d.message;
}

Outcome run(const ir::ProgramRef& program, std::vector<Argument> args, RunOptions options,
            const std::string& entry) {
  if (!program) return {};
  return {interp::run(program, entry, args, options)};
}

Outcome run(const std::string& text, std::vector<Argument> args, RunOptions options,
            const std::string& entry) {
  return run(read(text), std::move(args), options, entry);
}

namespace {

std::string type_of(const Data& data) {
  return "pl.Tensor[" + text(data.shape) + ", pl." + std::string(ir::info(data.dtype).name) + "]";
}

Data evaluate_on(bool tiles, const std::string& expression, std::vector<Data>& inputs, Data out) {
  std::string program =
      "@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def main(self, ";
  std::string body;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name(1, static_cast<char>('a' + i));
    program += (tiles ? "p" : "") + name + ": " + type_of(inputs[i]) + ", ";
    if (tiles) body += "        " + name + " = pl.load(p" + name + ")\n";
  }
  program += "y: pl.Out[" + type_of(out) + "]):\n" + body;
  std::string zeros = text(std::vector<int64_t>(out.shape.size(), 0));
  program += tiles ? "        y = pl.store(" + expression + ", " + zeros + ", y)\n"
                   : "        y = pl.tensor.assemble(y, " + expression + ", " + zeros + ")\n";
  program += "        return y\n";
  std::vector<Argument> args;
  for (Data& input : inputs) args.push_back(input.array());
  args.push_back(out.array());
  RunOptions options;
  options.poison = true;
  Outcome outcome = run(program, args, options);
  EXPECT_EQ(outcome.error(), "") << program;
  return out;
}

}  // namespace

Data evaluate(const std::string& expression, std::vector<Data> inputs, DType dtype,
              std::vector<int64_t> shape, On on) {
  std::vector<Data> before = inputs;
  Data zeros(dtype, std::move(shape)), out;
  if (on & Tiles) out = evaluate_on(true, expression, inputs, zeros);
  if (on & Tensors) {
    Data other = evaluate_on(false, expression, inputs, zeros);
    if (on & Tiles) {
      EXPECT_EQ(out.bytes, other.bytes) << expression;
    }
    out = other;
  }
  for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(inputs[i].bytes, before[i].bytes) << expression;
  return out;
}

::testing::AssertionResult same(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) {
    return ::testing::AssertionFailure() << found.size() << " elements, expected " << expected.size();
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) continue;
    return ::testing::AssertionFailure()
           << "element " << i << " is " << found[i] << ", expected " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tilewire::interp::test
