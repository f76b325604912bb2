// How each op becomes native code: one row per op, found by the op's record.
//
// Properties in the record (fusion, cost, broadcasts) are copied into the row; the row adds the function that
// emits the code. Ops that only differ in their elementwise kind share one. Elementwise functions work on
// values in register form, scalars and vectors alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/op.h"
#include "target/cpu/machine.h"

namespace llvm {
class Value;
}

namespace tilewire::target::cpu {

class FunctionEmitter;
class Registers;

enum class OpClass : uint8_t {
  Scalar,        // a scalar from scalars, or an element of a tile, an array or a tensor
  Generator,     // full, arange: elements from their position
  Load,          // a region of a tensor as a tile
  Store,         // a tile into a region of a tensor
  Lanes,         // elementwise, with or without a broadcast operand
  RowReduce,     // [r, c] to [r, 1]
  ColReduce,     // [r, c] to [1, c]
  Alias,         // the operand itself under another type
  TensorView,    // another view of a tensor's storage
  TensorCreate,  // new storage
  Opaque,        // reads its tiles from memory and writes its results there
};

// Which operands of an elementwise op are repeated.
enum class Spread : uint8_t { None, Row, Column };  // Row: operand 1 is [r, 1]; Column: it is [1, c]

// One elementwise step: the operands in register form, in the order of the op's operands.
using LanesFn = llvm::Value* (*)(Registers&, const ir::Call&, std::span<llvm::Value* const> operands);
// Emits a scalar op, or an op that keeps its place among effects; null if it produces no value.
using ScalarFn = llvm::Value* (*)(FunctionEmitter&, const ir::Call&);
// Emits an op on tiles in memory; `results` are the values it defines.
using OpaqueFn = void (*)(FunctionEmitter&, const ir::Call&, std::span<const int> results);

struct Lowering {
  OpClass op_class = OpClass::Opaque;
  Spread spread = Spread::None;
  bool cheap = true;    // of Lanes: doing it twice costs less than a trip to memory
  int8_t updates = -1;  // of Opaque: the operand whose storage the result may take over
  int8_t ignored = -1;  // an operand that is never looked at: scratch tiles
  LanesFn lanes = nullptr;
  ScalarFn scalar = nullptr;
  OpaqueFn opaque = nullptr;
  int64_t (*scratch)(const ir::Call&,
                     const Machine&) = nullptr;  // of Opaque: bytes it needs beside its results
  bool product_loop = false;                     // matmul_acc: a loop of it may be one product
  bool multiplies = false;                       // the scalar product
  bool divides = false;                          // of Lanes: operand 0 by operand 1
  bool elements = false;   // of Opaque: reads elements of its first operand outside the valid extent too
  bool untracked = false;  // pl.no_dep: what a kernel returns for such an argument is the tensor itself
};

// Null for an op no lowered program holds.
const Lowering* find_lowering(const ir::Op* op);

// An operand by the name of its parameter; null where it was left out or the op has none of that name.
ir::ExprRef operand(const ir::Call& call, std::string_view name);
// The operand that names the rank in whose memory the call has effects; null: it has none elsewhere.
ir::ExprRef peer_operand(const ir::Call& call);
// The value of an enumeration attribute, or its default.
template <class E>
E enum_attr(const ir::Call& call, std::string_view name) {
  const ir::AttrValue* value = ir::find_attr(call.attrs, name);
  if (!value) value = &*call.op->params[call.op->param_index(name)].default_value;
  return static_cast<E>(value->get<ir::EnumValue>()->value);
}

// Filled by the families, each in its own file.
class LoweringTable {
 public:
  LoweringTable();
  // `op_class` counts only for ops whose form takes no part in fusion.
  void add(const ir::Op& op, Lowering lowering);
  const Lowering* find(const ir::Op* op) const;

 private:
  std::vector<Lowering> rows_;
  std::vector<bool> known_;
};

void add_scalar_lowerings(LoweringTable& table);
void add_elementwise_lowerings(LoweringTable& table);
void add_reduce_lowerings(LoweringTable& table);
void add_move_lowerings(LoweringTable& table);
void add_shape_lowerings(LoweringTable& table);
void add_matrix_lowerings(LoweringTable& table);
void add_sort_lowerings(LoweringTable& table);
void add_tensor_lowerings(LoweringTable& table);
void add_signal_lowerings(LoweringTable& table);
void add_atomic_lowerings(LoweringTable& table);
void add_remote_lowerings(LoweringTable& table);
void add_host_lowerings(LoweringTable& table);
void add_print_lowerings(LoweringTable& table);

}  // namespace tilewire::target::cpu
