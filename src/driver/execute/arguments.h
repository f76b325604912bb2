// The arguments of a call, and the check that they fit the entry's parameters.
//
// Arrays are used in place: an Array only refers to the elements. All mismatches are reported
// at once, at the parameter's place in the source; nothing is converted and nothing runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "abi/abi.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct Array {
  void* data = nullptr;
  ir::DType dtype = ir::DType::FP32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements
  bool writable = true;
  std::string foreign;  // the name of an element type that the language lacks; `dtype` is then unset
};

// Dense row-major strides of a shape.
std::vector<int64_t> dense_strides(const std::vector<int64_t>& shape);

// The words of a tensor argument (abi.h).
void append_words(const Array& array, std::vector<abi::Word>& words);

using Number = std::variant<bool, int64_t, uint64_t, double>;
// Whether a parameter of this dtype accepts the number; a float parameter accepts integers, too.
bool takes_number(ir::DType dtype, const Number& number);
// Not given: an output to be allocated.
using Argument = std::variant<std::monostate, Array, Number>;

// A parameter, with the properties of its type computed once.
struct ParameterInfo {
  const ir::Parameter* node = nullptr;
  const ir::TensorType* tensor = nullptr;  // null: a scalar
  ir::DType dtype = ir::DType::FP32;
  bool written = false;
  bool needed = true;                      // must be given: anything but a pure output
  std::vector<int64_t> dims;               // -1: not constant
  std::vector<const ir::Expr*> dim_exprs;  // null for constants
};

// Of an argument of which this process has some rows only, `array` from row `first` on
// (driver/world/local_rows.h).
struct OwnRows {
  size_t parameter = 0;
  Array array;
  int64_t first = 0;
};

struct BoundArguments {
  std::vector<Argument> values;  // one per parameter, none left out
  std::map<std::string, int64_t, std::less<>> dimensions;
  bool strided = false;       // some array's last dimension is not contiguous
  bool shared = false;        // an array that is written is passed for another parameter as well
  std::vector<size_t> made;   // parameters that were left out and allocated
  std::vector<OwnRows> rows;  // of values that are whole arrays, which are nowhere

  // The memory of an array.
  const Array& memory_of(size_t parameter) const;
};

// Fills outputs that were left out with values that no result has: NaN, or a pattern of bits.
void poison_outputs(const BoundArguments& arguments);
void zero_outputs(const BoundArguments& arguments);

class Signature {
 public:
  // `name`: of the function in messages; empty for that of `entry`, which may be one that the compiler made.
  explicit Signature(ir::FunctionRef entry, std::string name = {});

  const ir::Function& entry() const { return *entry_; }
  const std::string& name() const { return name_; }
  const std::vector<ParameterInfo>& params() const { return params_; }

  // A parameter by name; null after reporting that there is none. `keywords` as for `arrange`.
  const ParameterInfo* find(const std::string& name, Diagnostics& diags,
                            const std::vector<std::string>& keywords = {}) const;

  // The parameter of each argument: those in order first, then those by name; -1 for
  // one left out. Only outputs may be left out. Empty after reporting errors. `keywords`: other keywords
  // that the caller accepts, for the help.
  std::optional<std::vector<int>> arrange(size_t in_order, const std::vector<std::string>& by_name,
                                          Diagnostics& diags,
                                          const std::vector<std::string>& keywords = {}) const;

  // Reports a mismatch of dtype or shape; ignores the elements.
  void check_array(const ParameterInfo& param, const Array& array, Diagnostics& diags) const;

  // Allocates an output that was left out.
  using MakeOutput = std::function<Array(size_t parameter, const std::vector<int64_t>& shape)>;
  std::optional<BoundArguments> bind(std::vector<Argument> arranged, const MakeOutput& make,
                                     Diagnostics& diags) const;

  // Returns false after reporting a written argument that overlaps another. Notes whether arrays are
  // strided.
  bool check_memory(BoundArguments& bound, Diagnostics& diags) const;

 private:
  void check_number(const ParameterInfo& param, const Number& number, Diagnostics& diags) const;
  void bind_dimensions(BoundArguments& bound, Diagnostics& diags) const;
  void check_dimensions(const BoundArguments& bound, Diagnostics& diags) const;
  void make_outputs(BoundArguments& bound, const MakeOutput& make, Diagnostics& diags) const;

  ir::FunctionRef entry_;
  std::string name_;
  std::vector<ParameterInfo> params_;
};

}  // namespace tilewire::driver
