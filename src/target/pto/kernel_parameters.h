// The parameters of the kernels of a lowered program, as the emitted text declares them and as the
// submitter of a task passes them. The only definition of their order:
//
//   1. tensors: `!pto.ptr<element>`, in the order of the kernel's parameters, the pipe workspace among them
//   2. scalars that the kernel returns: a pointer to one element each
//   3. scalars and contexts, in the order of the kernel's parameters; a context is a `!pto.ptr<i64>`
//   4. dimensions: every `pl.dynamic` name in a tensor's shape, `index`, in order of first use
//   5. strides in elements, `index`: of tensors that some caller passes a part of, where callers differ
//   6. the communication context of each group whose windows the kernel communicates through, `!pto.ptr<i64>`
//
// Both halves of a Group take the parameters of the Group.
#pragma once

#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::target::pto {

enum class ParameterKind : uint8_t { Tensor, Result, Scalar, Context, Dimension, Stride, Group };

struct KernelParameter {
  ParameterKind kind;
  std::string name;  // of the value in the text, without %
  // Of a tensor's elements, of a scalar. Dimensions and strides are Index, contexts Int64.
  ir::DType dtype = ir::DType::Index;
  // Tensor, Scalar, Context: which parameter of the kernel. Dimension, Stride: the tensor parameter whose
  // axis it is. Group: a parameter that is a window of the group. Result: which of the scalars that the
  // kernel returns.
  size_t index = 0;
  // Dimension, Stride: which axis. The extent of a dimension's axis may be an expression, linear in it.
  size_t axis = 0;
  std::string symbol;  // Dimension: its name in the program
};

// Where the stride of an axis of a tensor parameter is defined.
struct StrideSource {
  enum Kind : uint8_t {
    Type,       // by the type: ops::strides_of
    Constant,   // by all callers alike
    Parameter,  // by a parameter of the text
  } kind = Type;
  int64_t value = 0;  // Constant: elements. Parameter: its number.
};

struct Kernel {
  const ir::Function* function;  // what tasks call: an InCore function or a Group
  // What runs: the function itself, or the halves of a Group in the order of their calls.
  std::vector<const ir::Function*> bodies;
  std::vector<KernelParameter> parameters;
  // By parameter of the function: one per axis; empty for anything but a tensor.
  std::vector<std::vector<StrideSource>> strides;
  // By parameter of the function: the number of the parameter with the context of its group; -1: none.
  std::vector<int> contexts;
};

// In the order of the program's functions. The program was lowered for a target that has pipes, and outlives
// the result.
std::vector<Kernel> kernels_of(const ir::Program& program);

}  // namespace tilewire::target::pto
