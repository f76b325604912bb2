// Writes one function of a kernel as text. Each op of the language has a rule (rules.h) that asks for its
// operands here and writes ops of the dialect.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/nodes.h"
#include "ir/op.h"
#include "passes/roots.h"
#include "passes/valid_shapes.h"
#include "support/diagnostics.h"
#include "target/pto/fences.h"
#include "target/pto/kernel_parameters.h"
#include "target/pto/memory_plan.h"
#include "target/pto/pipe_scalars.h"
#include "target/pto/pto.h"
#include "target/pto/text.h"
#include "target/pto/tile_spaces.h"
#include "target/pto/tile_storage.h"
#include "target/pto/values.h"

namespace tilewire::target::pto {

// A value as an op of the dialect takes it.
struct Operand {
  std::string name, type;
  Operand(std::string value_name, std::string value_type)
      : name(std::move(value_name)), type(std::move(value_type)) {}
  Operand(const Tile& tile) : name(tile.name), type(tile.type()) {}
};

// Whether it is arithmetic of scalars.
bool is_scalar_op(const ir::Op& op);

class FunctionEmitter {
 public:
  // How a function is written that may not fit.
  struct Economy {
    // How many slots a pipe has at most in the memory of the core that pops; the rest are in global memory.
    int64_t slots = 1;
    // Statements have their own temporaries: an assembler that plans keeps a tile from its first use to
    // its last.
    bool own_temporaries = false;
  };
  FunctionEmitter(const ir::Program& program, const Kernel& kernel, const ir::Function& function,
                  const passes::ReturnRoots& returns, Level level, Economy economy, Diagnostics& diags);
  // The whole function; of no use when errors were reported.
  std::string run();
  // After that: how many bytes its tiles and slots take too much of some memory; 0: they fit. For sure, and
  // as far as an assembler that plans well would need them.
  int64_t excess() const { return excess_; }
  int64_t likely_excess() const { return likely_excess_; }

  const Kernel& kernel;
  const ir::Function& function;
  const Level level;
  const int64_t slots;
  const bool own_temporaries;
  Diagnostics& diags;
  FunctionText text;
  const TileSpaces memory;
  const passes::ValidShapes valid;
  const Fences fences;
  const PipeScalars scalars_sent;

  // Reports that something cannot be written in this dialect, and why.
  Diagnostic& refuse(const Span& at, const std::string& what, const std::string& why);

  // --- scalars (scalars.cpp)
  Scalar scalar(const ir::ExprRef& expr);
  Scalar index(const ir::ExprRef& expr);  // of any integer scalar
  std::vector<Scalar> indices(const ir::ExprRef& list);
  bool known_here(const ir::ExprRef& expr) const;  // whether its variables are defined already
  // The name of an op without effects; a known result is not computed again. `rhs` follows the
  // `=`.
  std::string pure(const std::string& rhs, std::string_view hint = "v");
  // The same, at the top of the function if it depends only on parameters and constants.
  std::string once(const std::string& rhs, std::string_view hint);
  // `op` of arith on two values of one type, folded where that is easy.
  Scalar arith(std::string_view op, const Scalar& a, const Scalar& b);
  Scalar add(const Scalar& a, const Scalar& b) { return arith("addi", a, b); }
  Scalar sub(const Scalar& a, const Scalar& b) { return arith("subi", a, b); }
  Scalar mul(const Scalar& a, const Scalar& b) { return arith("muli", a, b); }
  Scalar compare(std::string_view predicate, const Scalar& a, const Scalar& b);  // "slt", "oeq"
  Scalar select(const Scalar& condition, const Scalar& yes, const Scalar& no);
  Scalar as_index(const Scalar& value, bool is_signed = true);
  Scalar as_integer(const Scalar& value, const std::string& type, bool is_signed = true);
  Scalar converted(const Scalar& value, ir::DType from, ir::DType to);  // as pl.scalar.cast does
  Scalar number(int64_t value, const std::string& type = "index") const { return {"", type, value, {}}; }
  Scalar real(double value, const std::string& type);  // infinite and NaN too
  Scalar named(std::string name, std::string type) const {
    return {std::move(name), std::move(type), {}, {}};
  }
  void trap_if(const Scalar& condition);
  // The value through memory: no pass of the assembler sees that it is the same.
  Scalar kept_apart(const Scalar& value);

  // --- tensors (views.cpp)
  Tensor& tensor(const ir::ExprRef& expr);
  // A region as a partition view: its first element, and as many sizes.
  Operand region(Tensor& tensor, const std::vector<Scalar>& offsets, const std::vector<Scalar>& sizes);
  Tensor rows_of_one(Tensor tensor);
  // The number of the element at a place, from the pointer.
  Scalar element_number(const Tensor& tensor, const std::vector<Scalar>& place);
  // A region of rows and columns (the last two dimensions) into the tile that `result` names.
  void load(Tensor& from, const std::vector<Scalar>& offsets, const ir::Var& result, const Extent& rows,
            const Extent& cols, const ir::Expr& at);
  void store(const Tile& tile, Tensor& to, const std::vector<Scalar>& offsets, bool add, const ir::Expr& at);
  // Zeros where a sum of no products is stored: the scalar unit writes them.
  void store_zeros(const Tile& like, const Tensor& to, const std::vector<Scalar>& offsets);

  // --- tiles (tiles.cpp)
  const Tile& tile(const ir::ExprRef& expr, size_t place = 0);
  // The memory of the tile that `result` names, with that valid extent.
  Tile destination(const ir::Var& result, const Extent& rows, const Extent& cols, size_t part = 0);
  // A tile for the statement that is being written.
  Tile temporary(const TileForm& form, const Extent& rows, const Extent& cols);
  // It may be taken again in the same statement.
  void done_with(const Tile& temporary);
  Tile temporary_like(const Tile& tile, const std::string& element = "");
  // The same bytes seen otherwise.
  Tile seen_as(const Tile& tile, const TileForm& form, const Extent& rows, const Extent& cols);
  // The same with its own alloc_tile, for level3, where nothing else turns boxes.
  Tile same_place(const Tile& tile, const TileForm& form, const Extent& rows, const Extent& cols);
  Tile as_row(const Tile& tile);  // a column as a row; all others as they are
  Tile with_element(const Tile& tile, const std::string& element);  // of the same size
  Tile with_extent(const Tile& tile, const Extent& rows, const Extent& cols);
  // The valid extent of what is computed from tiles of one shape: what is valid in all of them.
  std::pair<Extent, Extent> common_extent(std::span<const Tile> tiles);
  // Tiles of one shape, columns as rows, with one valid extent and one kind of type.
  void agree(std::span<Tile> tiles);
  void copy(const Tile& from, const Tile& to, const Span& at);
  Tile as_mask(const Tile& tile);                        // of BOOL elements: bits that select
  Tile as_bytes(const Tile& tile);                       // of BOOL elements: a byte each, 0 or 1
  void bytes_into(const Tile& mask, const Tile& bytes);  // both as rows
  Extent smaller(const Extent& a, const Extent& b);
  int64_t up_to_unit(int64_t extent) const;
  void transpose(const Tile& from, const Tile& to, const Span& at);
  void name_tile(const ir::Var& result, Tile tile, size_t part = 0);
  // The memory of an array that `result` names.
  const Tile& array(const ir::Var& result);
  std::string array_type(const Tile& array) const;
  void copy_array(const Tile& from, const Tile& to);
  // Between memories of the cube core.
  void move_between(const Tile& from, const Tile& to, const Span& at);
  // The scalar unit sees what the others and other ranks have written to a tensor.
  void before_scalar_read(const Tensor& from, bool window);
  // The name of a `reserve_buffer` for the slots of a pipe, in use all the time.
  std::string reserve_slots(const std::string& name, int64_t bytes, ir::MemorySpace space);
  // Scalars that go to the cube half (pipe_scalars.h): their cells, in the workspace of a pipe.
  void begin_scalars(const ops::Pipe& pipe, const std::string& workspace);
  void send_scalar(const ops::Pipe& pipe, const Scalar& value);
  void receive_scalar(const ops::Pipe& pipe, const ir::Var& tile);
  // The scalar that a popped tile is; null: it is none.
  const Scalar* received(const ir::Expr& tile) const;
  // Makes what the scalar unit has written visible to the other units and to other cores.
  void write_back();

  // `pto.NAME ins(...) outs(...)`. `attributes` follow the operands, with their braces.
  void op(std::string_view name, std::initializer_list<Operand> ins, const Operand& out,
          const std::string& attributes = "");
  void op(std::string_view name, std::span<const Operand> ins, const Operand& out,
          const std::string& attributes = "");

  void name_scalar(const ir::Var& var, Scalar scalar) { scalars_[&var] = std::move(scalar); }
  void name_tensor(const ir::Var& var, Tensor tensor) { tensors_[&var] = std::move(tensor); }
  const TileStorage& storage() const { return storage_; }
  int64_t unit() const { return unit_; }

  void enter() { known_.emplace_back(); }
  void leave() { known_.pop_back(); }

 private:
  // --- the frame (emitter.cpp)
  void bind_parameters(const ir::Program& program, const passes::ReturnRoots& returns);
  void bind(const ir::Parameter& param, size_t outer);
  std::string signature();
  void declare_tiles();

  // --- control flow (control.cpp)
  void block(const ir::Block& body);
  void statement(const ir::StmtRef& stmt);
  void assign(const ir::Assign& assign);
  void name_as(const ir::Var& var, const ir::ExprRef& value);
  void call(const ir::Call& call, const ir::Var* result);
  void statement(const ir::If& branch);
  void take_side(const ir::If& branch, bool holds);
  void statement(const ir::For& loop);
  void statement(const ir::While& loop);
  void results(const ir::Return& stmt);

  // A scalar that a loop or branch hands on: a variable, or the valid extent of a tile that only run time
  // knows.
  struct Handed {
    const ir::Var* var;
    int dimension = -1;  // of the tile; -1: the variable is a scalar
    std::string type;
  };
  // What stays the same is not handed on: `init` is the value it has then, null in branches.
  std::vector<Handed> handed(const ir::VarList& vars, const ir::ExprList* init);
  std::vector<Scalar> handed_values(const std::vector<Handed>& handed, const ir::VarList& vars,
                                    const ir::ExprList& values);
  // The variables get the names; tiles lie in their buffers.
  // `init`: of loops, the values that the variables start with; null in branches. `as`: results of a loop are
  // handed on as its `iter_args`.
  void bind_handed(const std::vector<Handed>& handed, const ir::VarList& vars,
                   const std::vector<std::string>& names, const ir::ExprList* init,
                   const ir::VarList* as = nullptr);
  int source_buffer(const ir::ExprRef& value) const;
  void copy_tiles(const ir::VarList& to, const ir::ExprList& values, const Span& at);
  // The values of a yield, so that copying them one after the other is right.
  std::vector<Scalar> in_order(std::vector<Scalar> values, const std::vector<std::string>& carries);
  void yield(const std::vector<Scalar>& values);
  void bind_tensors(const ir::VarList& vars, const ir::ExprList& values);
  void same_tensors(const ir::VarList& vars, const ir::ExprList& values, const Span& at);
  // Sums in Acc that started as zeros are not written before something is added. Whether it was is a number
  // in a local array where loops and branches decide: a flag for each of `vars`, empty for other values.
  std::vector<std::string> flags_for_sums(const ir::VarList& vars, const ir::ExprList* init);
  void set_flags(const std::vector<std::string>& flags, const ir::ExprList& values);
  void read_flags(const std::vector<std::string>& flags, const ir::VarList& vars);
  // The `tile.started` of a value that is passed on.
  Scalar holds_sum(const ir::ExprRef& value);
  // A loop that adds in each iteration knows from its counter whether it has; `condition` is that test.
  void started_in_rounds(const ir::For& loop, const ir::VarList& vars,
                         const std::function<Scalar()>& condition);
  bool adds_in_each_round(const ir::For& loop, size_t i) const;
  const ir::ExprList& yielded(const ir::Block& body) const;
  std::string typed_list(const std::vector<Scalar>& values);

  const Tile& in_buffer(int buffer);  // the whole memory
  // The name of a view of a tile, with its valid extent stated.
  std::string dynamic_view(const std::string& rhs, std::string_view hint, const Tile& view);
  // The name of what is known here already; null: it is not.
  const std::string* known_name(const std::string& rhs) const;
  // A pointer to the next cell of a pipe, to elements of that type.
  std::string next_cell(const ops::Pipe& pipe, const std::string& type);
  // The bytes that are too many when each tile is kept from its first use to its last, and all through loops
  // that it lives across, as an assembler does that plans; or all through loops that use it.
  int64_t planned_excess(const std::vector<Area*>& areas, bool through_loops) const;

  int64_t unit_;
  TileStorage storage_;
  std::map<const ir::Expr*, Scalar> scalars_;
  std::map<const ir::Expr*, Tensor> tensors_;
  std::map<std::pair<const ir::Expr*, size_t>, Tile> tiles_;
  std::map<const ir::Expr*, std::pair<const ir::Expr*, size_t>> parts_;  // of tuples
  std::map<const ir::Expr*, ir::ExprList> tuples_;                       // made of values
  std::map<std::string, Scalar> symbols_;
  std::vector<std::map<std::string, std::string, std::less<>>> known_;  // by region: names of pure ops
  std::map<std::string, std::pair<Scalar, int64_t>> sums_;              // what is x + constant

  struct Allocated {
    Tile tile;
    Area area;
    bool temporary = false;
    int same_as = -1;   // lies where that one does
    bool busy = false;  // a temporary of the statement being written
    int made_at = -1;   // of a temporary: the statement it was made for
    std::string slots;  // of a pipe: the name they are reserved by
  };
  std::map<int, size_t> of_buffer_;  // index into allocated_
  std::vector<Allocated> allocated_;
  struct Cells {
    std::string workspace, count;  // a pointer, and an array of one number: how many were used
  };
  std::map<int64_t, Cells> cells_;  // by pipe
  std::map<const ir::Expr*, Scalar> received_;
  int64_t excess_ = 0, likely_excess_ = 0;
  int now_ = 0;         // the statement being written
  ir::VarList nested_;  // names for calls inside expressions
  ir::ExprList nothing_;
};

}  // namespace tilewire::target::pto
