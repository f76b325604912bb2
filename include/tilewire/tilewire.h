// Tilewire from C++: read a program, compile it, call it with arrays.
//
//     auto program = tilewire::Program::parse(text, "scale.py");
//     auto scale = program.compile({.entry = "main"});
//     std::vector<float> x(1024), y(1024);
//     scale({tilewire::Array::of(x.data(), {16, 64}), tilewire::Array::of(y.data(), {16, 64}), 2.0});
//
// Arrays are used in place. Every failure is a tilewire::Error whose text shows the source line.
// Programs and executables are handles that share what they refer to; an executable may be called from
// several threads at once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#define TILEWIRE_API __attribute__((visibility("default")))

namespace tilewire {

class TILEWIRE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// A program is wrong.
class TILEWIRE_API ProgramError : public Error {
 public:
  using Error::Error;
};
// A call was invalid, or a program failed while it ran.
class TILEWIRE_API RunError : public Error {
 public:
  using Error::Error;
};

// A saved program cannot be written or loaded.
class TILEWIRE_API BundleError : public Error {
 public:
  using Error::Error;
};

// Deadlock: tasks of a run are blocked, and nothing can wake them.
class TILEWIRE_API DeadlockError : public RunError {
 public:
  using RunError::RunError;
};

// Memory of the caller. `dtype` is the name a program uses after `pl.`: "FP32", "BF16".
struct Array {
  void* data = nullptr;
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements; empty: dense, row-major
  bool writable = true;

  template <class T>
  static Array of(T* data, std::vector<int64_t> shape) {
    using Element = std::remove_const_t<T>;
    static_assert(std::is_arithmetic_v<Element> && !std::is_same_v<Element, double>,
                  "no dtype of the language has this element type; fill in an Array with its name");
    std::string name = "FP32";
    if constexpr (std::is_same_v<Element, bool>) {
      name = "BOOL";
    } else if constexpr (std::is_integral_v<Element>) {
      name = (std::is_signed_v<Element> ? "INT" : "UINT") + std::to_string(8 * sizeof(Element));
    }
    return {const_cast<Element*>(data), std::move(name), std::move(shape), {}, !std::is_const_v<T>};
  }
};

// An array, a number, or nothing: an output that the call allocates and returns.
using Argument = std::variant<std::monostate, Array, bool, int64_t, double>;

// A result of a call: a number, an array that was passed in, or one that the call allocated.
struct Result {
  std::variant<bool, int64_t, uint64_t, double, Array> value;
  std::shared_ptr<void> owner;  // keeps an array alive that the call allocated
};

struct CompileOptions {
  std::string entry;           // empty: the only entry function of the program
  std::string target = "cpu";  // or "interp", the reference interpreter
  bool debug_bounds = false;   // check every memory access
};
struct RunOptions {
  int threads = 0;       // 0: one per core
  std::string trace;     // write a trace to this file
  int ranks = 0;         // 0: as the program and its arguments determine
  std::string schedule;  // "random:SEED": perturbs timing and order on purpose
  std::string replay;    // follow the schedule in this file, written by `tilewire check --replay-out`
};

class TILEWIRE_API Executable {
 public:
  std::vector<Result> operator()(const std::vector<Argument>& arguments,
                                 const RunOptions& options = {}) const;
  // "ir", or the form of the target.
  std::string text(const std::string& form = "ir") const;
  // Writes a bundle, a folder that runs without source and compiler; with `ranks`, only for that number of
  // ranks.
  void save(const std::string& folder, int ranks = 0) const;
  // `entry`: empty for the only one.
  static Executable load(const std::string& folder, const std::string& entry = "");

 private:
  friend class Program;
  struct Body;
  explicit Executable(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  // Repeats a call whose arguments have the form of an earlier one. Empty if they must be checked first.
  std::optional<std::vector<Result>> repeated(const std::vector<Argument>& arguments,
                                              const RunOptions& options) const;
  std::shared_ptr<Body> body_;
};

class TILEWIRE_API Program {
 public:
  // `constants`: Python expressions for names the text does not define.
  static Program parse(std::string_view text, const std::string& name = "<string>",
                       const std::vector<std::pair<std::string, std::string>>& constants = {});
  static Program load(const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& constants = {});

  Executable compile(const CompileOptions& options = {}) const;
  std::string as_python() const;

 private:
  struct Body;
  explicit Program(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  std::shared_ptr<Body> body_;
};

// Under a launcher such as mpirun, the first call of a host function joins the processes that it started.
// "launcher" joins them now; "local" keeps all ranks of all calls in this process, for good. Throws
// RunError.
TILEWIRE_API void init(std::string_view world = "launcher");

}  // namespace tilewire
