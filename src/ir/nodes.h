// The IR of a Tilewire program.
//
// Contract:
// - Nodes are immutable and shared; a pass returns new nodes. Names are hints, identity is the node.
// - The form is SSA. A Var is defined once (Assign, loop and branch results, parameters) and used where it
//   is in scope. Loops and branches carry values explicitly: `iter_args` take `init_values`, then what the
//   body yields; `results` are the values after the statement. A block that must produce values ends in a
//   Yield of as many.
// - Tensors are references to storage. An op that writes one returns it again (`out = store(tile, o, out)`):
//   the new Var names the same storage, and the order of statements is the order of effects.
// - Operands of a call are expressions; scalar arithmetic nests, every other call is the value of an Assign
//   or an Eval of its own, so effects happen in statement order. An Assign never introduces a second name for
//   a variable: use the variable.
// - A type never depends on a Var, only on constants, DimSymbols and, for windows, a WindowBuffer; the
//   exception is the size of host tensors and windows, which may use host scalars.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/attr.h"
#include "ir/dtype.h"
#include "ir/enums.h"
#include "ir/node.h"

namespace tilewire::ir {

struct Op;  // op.h

// --- base classes -----------------------------------------------------------------------------------------

struct Type : Node {};
using TypeRef = Ref<const Type>;

struct Expr : Node {
  TypeRef type;  // never null once made
};
using ExprRef = Ref<const Expr>;
using ExprList = std::vector<ExprRef>;

struct Stmt : Node {};
using StmtRef = Ref<const Stmt>;

struct Var;
using VarRef = Ref<const Var>;
struct WindowBuffer;
using WindowBufferRef = Ref<const WindowBuffer>;

// --- types ------------------------------------------------------------------------------------------------

struct ScalarType final : Type {
  DType dtype = DType::Index;
  static constexpr auto fields() { return std::tuple{use("dtype", &ScalarType::dtype)}; }
};

// Strides (in elements, one per dimension, or empty for dense) and layout of a tensor in memory.
struct TensorView final : Node {
  ExprList stride;
  Layout layout = Layout::ND;
  static constexpr size_t required = 0;
  static constexpr auto fields() {
    return std::tuple{use("stride", &TensorView::stride), use("layout", &TensorView::layout)};
  }
  void finish();
};
using TensorViewRef = Ref<const TensorView>;

struct TensorType : Type {
  ExprList shape;
  DType dtype = DType::FP32;
  TensorViewRef view;  // null: dense, ND
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("shape", &TensorType::shape), use("dtype", &TensorType::dtype),
                      use("view", &TensorType::view)};
  }
  void finish();
};

// A view of a window buffer: a tensor wherever a local one will do, and the only type whose peers' copies
// may be touched. `window_buffer` is null in annotations, which unify with any buffer.
struct DistributedTensorType final : TensorType {
  WindowBufferRef window_buffer;
  static constexpr auto fields() {
    return std::tuple_cat(TensorType::fields(),
                          std::tuple{use("window_buffer", &DistributedTensorType::window_buffer)});
  }
};

// Shape is two positive constants; the valid extent belongs to the value, not the type.
struct TileType final : Type {
  ExprList shape;
  DType dtype = DType::FP32;
  std::optional<MemorySpace> memory;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("shape", &TileType::shape), use("dtype", &TileType::dtype),
                      use("memory", &TileType::memory)};
  }
  void finish();
  int64_t rows() const;
  int64_t cols() const;
};

struct ArrayType final : Type {
  int64_t extent = 1;
  DType dtype = DType::Int32;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("extent", &ArrayType::extent), use("dtype", &ArrayType::dtype)};
  }
  void finish();
};

// The empty tuple is the type of ops without a value.
struct TupleType final : Type {
  std::vector<TypeRef> types;
  static constexpr size_t required = 0;
  static constexpr auto fields() { return std::tuple{use("types", &TupleType::types)}; }
  void finish();
};

struct PtrType final : Type {
  static constexpr auto fields() { return std::tuple{}; }
};
struct TaskIdType final : Type {
  static constexpr auto fields() { return std::tuple{}; }
};
struct CommCtxType final : Type {
  static constexpr auto fields() { return std::tuple{}; }
};
struct WindowBufferType final : Type {
  static constexpr auto fields() { return std::tuple{}; }
};

// The one node of each type without fields, and of each scalar type.
const TypeRef& scalar_type(DType dtype);
const TypeRef& ptr_type();
const TypeRef& task_id_type();
const TypeRef& comm_ctx_type();
const TypeRef& window_buffer_type();
const TypeRef& unit_type();

// --- expressions ------------------------------------------------------------------------------------------

struct Var : Expr {
  std::string name_hint;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{ignored("name_hint", &Var::name_hint), use("type", &Expr::type)};
  }
  void finish();
};

// A parameter's name leaves the program (it is how callers pass arrays), so it is a field.
struct Parameter final : Var {
  std::string name;
  Direction direction = Direction::In;
  static constexpr auto fields() {
    return std::tuple{use("name", &Parameter::name), use("type", &Expr::type),
                      use("direction", &Parameter::direction)};
  }
  void finish();
};

// Memory of which every rank of a group owns one copy. Named after its base, the Ptr variable that
// alloc_window_buffer was assigned to; the name appears in manifests.
struct WindowBuffer final : Var {
  VarRef base;
  ExprRef size;           // bytes per rank, an integer scalar
  VarRef load_from_host;  // host parameter whose row r is copied into rank r's share before; null: none
  VarRef store_to_host;   // host parameter whose row r receives rank r's share after; null: none
  bool signal = false;    // holds signal cells: targets may give each its own cache line
  std::string name;       // = base->name_hint
  static constexpr auto fields() {
    return std::tuple{use("base", &WindowBuffer::base),
                      use("size", &WindowBuffer::size),
                      use("load_from_host", &WindowBuffer::load_from_host),
                      use("store_to_host", &WindowBuffer::store_to_host),
                      use("signal", &WindowBuffer::signal),
                      use("name", &WindowBuffer::name)};
  }
  void finish();
};

// A dimension known only when a program is called: `pl.dynamic("NR")`. Equal names are the same dimension.
struct DimSymbol final : Expr {
  std::string name;
  static constexpr auto fields() { return std::tuple{use("name", &DimSymbol::name)}; }
  void finish();
};

struct ConstInt final : Expr {
  int64_t value = 0;
  DType dtype = DType::Index;
  static constexpr auto fields() {
    return std::tuple{use("value", &ConstInt::value), use("dtype", &ConstInt::dtype)};
  }
  void finish();
};

// The value is rounded to its dtype when made.
struct ConstFloat final : Expr {
  double value = 0;
  DType dtype = DType::FP32;
  static constexpr auto fields() {
    return std::tuple{use("value", &ConstFloat::value), use("dtype", &ConstFloat::dtype)};
  }
  void finish();
};

struct ConstBool final : Expr {
  bool value = false;
  static constexpr auto fields() { return std::tuple{use("value", &ConstBool::value)}; }
  void finish();
};

// One op applied to operands. `args` has one entry per operand of the op's declaration, null where an
// optional one is absent; a list operand is a MakeTuple. Made with create_call (op.h), which runs the op's
// type rule; make<Call> trusts its caller and leaves the proof to the verifier.
struct Call final : Expr {
  const Op* op = nullptr;
  ExprList args;
  AttrList attrs;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("op", &Call::op), use("args", &Call::args), use("attrs", &Call::attrs),
                      use("type", &Expr::type)};
  }
  void finish();
};

// A call of another function of the program, by name: a dispatch (device set, on the host), a task
// (orchestration to kernel) or a plain call.
struct FunctionCall final : Expr {
  std::string callee;
  ExprList args;
  ExprRef device;  // null unless dispatched from the host
  ExprRef blocks;  // null: one block
  ExprList deps;   // TaskIds or arrays of them
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("callee", &FunctionCall::callee), use("args", &FunctionCall::args),
                      use("device", &FunctionCall::device), use("blocks", &FunctionCall::blocks),
                      use("deps", &FunctionCall::deps),     use("type", &Expr::type)};
  }
  void finish();
};

struct MakeTuple final : Expr {
  ExprList elements;
  static constexpr auto fields() { return std::tuple{use("elements", &MakeTuple::elements)}; }
  void finish();
};

struct TupleGet final : Expr {
  ExprRef tuple;
  int64_t index = 0;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("tuple", &TupleGet::tuple), use("index", &TupleGet::index)};
  }
  void finish();
};

// --- statements -------------------------------------------------------------------------------------------

struct Block final : Node {
  std::vector<StmtRef> stmts;
  static constexpr auto fields() { return std::tuple{use("stmts", &Block::stmts)}; }
  void finish();
};
using BlockRef = Ref<const Block>;
using VarList = std::vector<VarRef>;

struct Assign final : Stmt {
  VarRef var;
  ExprRef value;
  // `value` first: a variable is not in scope in its own definition.
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("value", &Assign::value), def("var", &Assign::var)};
  }
  void finish();
};

struct Eval final : Stmt {
  ExprRef value;
  static constexpr auto fields() { return std::tuple{use("value", &Eval::value)}; }
  void finish();
};

struct Return final : Stmt {
  ExprList values;
  static constexpr auto fields() { return std::tuple{use("values", &Return::values)}; }
  void finish();
};

struct Yield final : Stmt {
  ExprList values;
  static constexpr auto fields() { return std::tuple{use("values", &Yield::values)}; }
  void finish();
};

struct If final : Stmt {
  ExprRef condition;
  BlockRef then_body;
  BlockRef else_body;  // null only when there are no results
  VarList results;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("condition", &If::condition), use("then_body", &If::then_body),
                      use("else_body", &If::else_body), def("results", &If::results)};
  }
  void finish();
};

struct For final : Stmt {
  LoopKind loop_kind = LoopKind::Range;
  ExprRef start, stop, step;
  ExprList init_values;
  VarRef loop_var;
  VarList iter_args;
  BlockRef body;
  VarList results;
  int64_t stage = 0;  // pipeline depth, of pl.pipeline
  static constexpr size_t required = 8;
  static constexpr auto fields() {
    return std::tuple{use("loop_kind", &For::loop_kind),
                      use("start", &For::start),
                      use("stop", &For::stop),
                      use("step", &For::step),
                      use("init_values", &For::init_values),
                      bind("loop_var", &For::loop_var),
                      bind("iter_args", &For::iter_args),
                      use("body", &For::body),
                      def("results", &For::results),
                      attr("stage", &For::stage)};
  }
  void finish();
};

// Each iteration runs `before`, leaves the loop if `condition` is false, else runs `body`; definitions of
// `before` are visible in `condition` and `body`. The results are the iter_args of the iteration that left.
struct While final : Stmt {
  ExprList init_values;
  VarList iter_args;
  BlockRef before;
  ExprRef condition;
  BlockRef body;
  VarList results;
  // In a lowered program: an iteration writes and submits nothing and carries only values of signal cells,
  // so repeating it is equivalent to waiting for one of those cells to change.
  bool poll = false;
  static constexpr size_t required = 5;
  static constexpr auto fields() {
    return std::tuple{use("init_values", &While::init_values),
                      bind("iter_args", &While::iter_args),
                      use("before", &While::before),
                      use("condition", &While::condition),
                      use("body", &While::body),
                      def("results", &While::results),
                      attr("poll", &While::poll)};
  }
  void finish();
};

// `with pl.at(...) as tid:` one kernel task written inline. Results: the tensors rebound inside.
struct AtScope final : Stmt {
  ExprList deps;
  BlockRef body;
  VarList results;
  VarRef task_id;  // null: no `as`
  Level level = Level::CORE_GROUP;
  std::string name_hint;
  bool ordered = true;
  SplitMode split = SplitMode::NONE;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("deps", &AtScope::deps),        use("body", &AtScope::body),
                      def("results", &AtScope::results),  def("task_id", &AtScope::task_id),
                      attr("level", &AtScope::level),     attr("name_hint", &AtScope::name_hint),
                      attr("ordered", &AtScope::ordered), attr("split", &AtScope::split)};
  }
  void finish();
};

// `with pl.spmd(N, ...) as tid:` or `for b in pl.spmd(N):` N concurrent blocks of one body.
struct SpmdScope final : Stmt {
  ExprRef block_count;
  ExprList deps;
  VarRef block_var;  // null in the `with` form
  BlockRef body;
  VarList results;
  VarRef task_id;  // null: no `as`
  bool sync_start = false;
  std::string name_hint;
  bool ordered = true;
  SplitMode split = SplitMode::NONE;
  static constexpr auto fields() {
    return std::tuple{use("block_count", &SpmdScope::block_count), use("deps", &SpmdScope::deps),
                      bind("block_var", &SpmdScope::block_var),    use("body", &SpmdScope::body),
                      def("results", &SpmdScope::results),         def("task_id", &SpmdScope::task_id),
                      attr("sync_start", &SpmdScope::sync_start),  attr("name_hint", &SpmdScope::name_hint),
                      attr("ordered", &SpmdScope::ordered),        attr("split", &SpmdScope::split)};
  }
  void finish();
};

// `with pl.manual_scope():` (Manual) or `with pl.scope():` (Storage) in an orchestration function. The
// statements run in place, and their definitions stay in scope after it.
struct WithScope final : Stmt {
  ScopeKind scope_kind = ScopeKind::Manual;
  BlockRef body;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("scope_kind", &WithScope::scope_kind), use("body", &WithScope::body)};
  }
  void finish();
};

// --- functions and programs -------------------------------------------------------------------------------

struct Function final : Node {
  std::string name;
  FunctionType type = FunctionType::InCore;
  std::vector<Ref<const Parameter>> params;
  std::vector<TypeRef> return_types;
  BlockRef body;
  SplitMode split = SplitMode::NONE;  // asked for with attrs={"split": ...}
  // Of a kernel in a lowered program: its effects on each parameter, as encoded by ir/param_effects.h. Empty:
  // not recorded yet.
  std::string effects;
  // Of a kernel made of two halves: how many blocks of a launch run as one, the cube half and its vector
  // lanes.
  int64_t lanes = 1;
  static constexpr size_t required = 5;
  static constexpr auto fields() {
    return std::tuple{use("name", &Function::name),        use("type", &Function::type),
                      bind("params", &Function::params),   use("return_types", &Function::return_types),
                      use("body", &Function::body),        attr("split", &Function::split),
                      attr("effects", &Function::effects), attr("lanes", &Function::lanes)};
  }
  void finish();
};
using FunctionRef = Ref<const Function>;

// Ranks and the window buffers they share. No devices means all ranks.
struct CommGroup final : Node {
  std::vector<int64_t> devices;
  std::vector<WindowBufferRef> slots;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{use("devices", &CommGroup::devices), use("slots", &CommGroup::slots)};
  }
  void finish();
};

struct Program final : Node {
  std::string name_hint;
  std::vector<FunctionRef> functions;
  std::vector<Ref<const CommGroup>> comm_groups;
  static constexpr size_t required = 2;
  static constexpr auto fields() {
    return std::tuple{ignored("name_hint", &Program::name_hint), use("functions", &Program::functions),
                      use("comm_groups", &Program::comm_groups)};
  }
  void finish();
  // Null when there is none of that name.
  FunctionRef find(std::string_view function_name) const;
};
using ProgramRef = Ref<const Program>;

// --- the list of all classes ------------------------------------------------------------------------------

template <class... T>
struct TypeList {};

// A kind is an index into this list and is stored in serialised IR: append only.
using AllNodes =
    TypeList<ScalarType, TensorView, TensorType, DistributedTensorType, TileType, ArrayType, TupleType,
             PtrType, TaskIdType, CommCtxType, WindowBufferType, Var, Parameter, WindowBuffer, DimSymbol,
             ConstInt, ConstFloat, ConstBool, Call, FunctionCall, MakeTuple, TupleGet, Block, Assign, Eval,
             Return, Yield, If, For, While, AtScope, SpmdScope, Function, CommGroup, Program, WithScope>;

}  // namespace tilewire::ir

#include "ir/make.h"  // IWYU pragma: export
