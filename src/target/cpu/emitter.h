// Emits one function of a program as LLVM IR, following its plan.
//
// Conventions of the emitted code: extents, strides and offsets are i64; strides are in elements; tile and
// tensor data are opaque pointers to storage form; scalars and lanes are in register form (convert.h).
// A failing check leaves the function through `fail_if`; nothing unwinds.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "target/cpu/check_accesses.h"
#include "target/cpu/convert.h"
#include "target/cpu/matmul.h"
#include "target/cpu/module_emitter.h"
#include "target/cpu/plan.h"

namespace tilewire::target::cpu {

// A tile where it lies: in the arena, or a region of a tensor.
struct TileView {
  llvm::Value* data = nullptr;
  llvm::Value* row_stride = nullptr;
  llvm::Value* col_stride = nullptr;
  llvm::Value* rows = nullptr;  // the valid extent
  llvm::Value* cols = nullptr;
};

struct TensorValue {
  ir::DType dtype{};
  llvm::Value* data = nullptr;
  std::vector<llvm::Value*> extents;
  std::vector<llvm::Value*> strides;
  llvm::Value* window = nullptr;  // address of the abi::Window, of distributed tensors
  llvm::Value* peer = nullptr;    // i32, the rank of the group whose copy it is; null or negative: this rank
  bool untracked = false;         // passed through pl.no_dep
};

// One side of a transfer: a region of a tensor or a tile.
struct TransferSide {
  llvm::Value* data = nullptr;
  std::vector<llvm::Value*> strides;
};

// Where a store puts a tile.
struct StoreRegion {
  TileView view;
  llvm::Value* peer = nullptr;  // i32, as of TensorValue
  llvm::Value* far = nullptr;   // i1; null: it is near
};

// What goes with a fault; see abi::Fault for what the letters mean.
struct FaultNumbers {
  llvm::Value *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
};

// The position of an elementwise step.
class Registers {
 public:
  Registers(llvm::IRBuilder<>& builder, const Machine& machine) : b(builder), machine(machine) {}
  llvm::IRBuilder<>& b;
  const Machine& machine;
  unsigned lanes = 0;             // 0: a scalar
  llvm::Value* row = nullptr;     // i64
  llvm::Value* column = nullptr;  // i64, of the first lane

  llvm::Type* type(ir::DType dtype) const { return register_type(b.getContext(), dtype, lanes); }
  llvm::Value* splat(llvm::Value* scalar) const {
    return lanes == 0 || scalar->getType()->isVectorTy() ? scalar : b.CreateVectorSplat(lanes, scalar);
  }
  // A result of arithmetic brought back to its dtype.
  llvm::Value* round(ir::DType dtype, llvm::Value* value) const;
};

class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, const ir::Function& function, const Plan& plan);
  // The finished function.
  llvm::Function* run();

  // --- what lowerings use
  ModuleEmitter& module;
  const ir::Function& function;
  const Plan& plan;
  llvm::IRBuilder<> b;
  llvm::Value* context = nullptr;

  llvm::Value* scalar(const ir::ExprRef& expr);
  llvm::Value* index(const ir::ExprRef& expr);  // any integer scalar as i64
  std::vector<llvm::Value*> indices(const ir::ExprRef& list);
  const TensorValue& tensor(const ir::ExprRef& expr);
  TensorValue& tensor_slot(int id) { return tensors_[id]; }
  // A tile operand that is read from memory.
  const TileView& tile(const ir::ExprRef& expr);
  int tile_id(const ir::ExprRef& expr) const { return plan.leaves(expr.get())[0].id; }
  TileView& view(int value) { return tiles_[value]; }
  // The storage of a value, seen as a whole tile.
  TileView storage(int value);
  llvm::Value* arena_at(int value);

  llvm::ConstantInt* i64(int64_t value) { return b.getInt64(value); }
  llvm::Value* minimum(llvm::Value* a, llvm::Value* b);
  llvm::Value* maximum(llvm::Value* a, llvm::Value* b);
  llvm::Value* element_address(llvm::Value* data, ir::DType dtype, llvm::Value* offset);
  llvm::Value* address(const TileView& view, ir::DType dtype, llvm::Value* row, llvm::Value* col);
  llvm::Value* load_element(llvm::Value* address, ir::DType dtype);  // register form
  void store_element(llvm::Value* address, ir::DType dtype, llvm::Value* value);
  // The storage of `result` holding the operand: in place if the plan allows it, else a copy.
  TileView take_over(const ir::ExprRef& operand, int result);
  // Gives every valid element of a tile a value made from its position.
  void fill(const TileView& tile, ir::DType dtype, llvm::function_ref<llvm::Value*(Registers&)> element);
  // The place of `x` where the condition holds, else that of `y`; they have the same extents.
  TileView pick(llvm::Value* condition, const TileView& x, const TileView& y);
  // Copies the valid part; `to` may be a tile or a region.
  void copy_tile(ir::DType dtype, const TileView& from, const TileView& to);

  // With Options::bounds: what is made from the tensor's address has to stay inside it.
  void track(const TensorValue& tensor);
  // The same for a tile that is passed to another function.
  void touch(const TileView& view, ir::DType dtype);

  // Leaves the function with `fault` when the condition holds.
  void fail_if(llvm::Value* condition, abi::Fault fault, const ir::Node& at, FaultNumbers numbers = {});
  // Leaves the function if an ABI call returned a status other than ok.
  void return_unless_ok(llvm::Value* status);
  void poll_abort();
  llvm::Value* api_function(size_t offset);
  llvm::Value* context_field(size_t offset, llvm::Type* type);
  llvm::Value* site(const ir::Node& at, std::string_view what = {});

  // for (i = begin; i < end; i += step), with carried values; folded when it is known to run once.
  using LoopBody = llvm::function_ref<void(llvm::Value* i, llvm::MutableArrayRef<llvm::Value*> carried)>;
  std::vector<llvm::Value*> repeat(llvm::Value* begin, llvm::Value* end, int64_t step,
                                   std::vector<llvm::Value*> carried, LoopBody body);
  void repeat(llvm::Value* begin, llvm::Value* end, int64_t step,
              llvm::function_ref<void(llvm::Value*)> body);
  void when(llvm::Value* condition, llvm::function_ref<void()> body);
  // `aside`, away from the straight path, where the condition holds, which is rare, else `straight`. Returns
  // either result; both may return null.
  llvm::Value* rarely(llvm::Value* condition, llvm::function_ref<llvm::Value*()> aside,
                      llvm::function_ref<llvm::Value*()> straight);

  // Checks that a region is inside a tensor and returns it as a tile: the last two extents.
  TileView region(const TensorValue& tensor, std::span<llvm::Value* const> offsets,
                  std::span<llvm::Value* const> extents, const ir::Node& at);
  std::vector<llvm::Value*> dense_strides(const std::vector<llvm::Value*>& extents);
  llvm::Value* element_offset(const TensorValue& tensor, std::span<llvm::Value* const> indices,
                              const ir::Node& at);
  llvm::Value* extent_operand(llvm::Value* asked, int64_t physical, int dimension, const ir::Node& at);

  // --- windows
  llvm::Value* group(const TensorValue& window);  // address of its abi::Group
  llvm::Value* group_rank(llvm::Value* group);    // i32
  llvm::Value* group_size(llvm::Value* group);
  llvm::Value* group_hosts(llvm::Value* group);  // abi::Group::even_hosts
  // Entry `rank` of a table of pointers that abi::Group has at this offset.
  llvm::Value* per_rank(llvm::Value* group, size_t table, llvm::Value* rank);
  // The rank whose copy a tensor is, i32.
  llvm::Value* place_rank(const TensorValue& window);
  llvm::Value* checked_peer(const ir::ExprRef& peer, const TensorValue& window, const ir::Node& at);
  TensorValue at_peer(const TensorValue& window, llvm::Value* peer);
  // A tensor operand of the call, in the memory of the rank that the call names.
  TensorValue accessed_tensor(const ir::ExprRef& expr, const ir::Call& call);
  // Where a store or remote store puts a tile; checked, and announced if it is this rank's copy of a window.
  StoreRegion store_region(const ir::Call& call, const TileView& tile);
  // Whether only messages reach the copies of that rank of the window's group, i1.
  llvm::Value* is_far(const TensorValue& window, llvm::Value* rank);
  // Whether something that was sent may not have landed, i1.
  llvm::Value* unlanded();
  // Whether a notify or update of its cells is for the runtime: only messages reach them, or `unreleased`
  // something has to land first. Null: never, they belong to this rank.
  llvm::Value* needs_runtime(const TensorValue& there, bool unreleased);
  // By the runtime: Api::transfer. `bits`: TransferBits.
  void transfer(const TransferSide& target, const TransferSide& source,
                const std::vector<llvm::Value*>& extents, ir::DType dtype, uint32_t bits, llvm::Value* peer,
                const ir::Call& call);
  // Behind an operation: what was fetched from peers before may be old now, if it has acquired.
  void count_acquire(const ir::Call& call);
  void transfer_tile(const TileView& to, const TileView& from, ir::DType dtype, uint32_t bits,
                     llvm::Value* peer, const ir::Call& call);
  // With `hooks`, announces an access to a window to the runtime.
  void announce(abi::HookKind kind, const TensorValue& tensor, const TileView& view, const ir::Call& call);
  // `unreleased`: what happened before has to land first.
  void notify(const TensorValue& window, llvm::Value* cell, llvm::Value* value, ir::NotifyOp op,
              const ir::Call& call, bool unreleased = true);
  // After a cell of that tensor was written: wakes those that wait for it.
  void wake_waiters(const TensorValue& tensor, llvm::Value* cell);
  // In a loop that polls: another iteration sees the same as long as `cell cmp value` does not hold.
  void note_look(llvm::Value* cell, llvm::Value* value, llvm::Value* cmp, abi::LookKind kind,
                 const ir::Call& call);
  bool in_poll() const { return !polls_.empty(); }
  llvm::Value* call_api(size_t function, std::initializer_list<llvm::Value*> args);  // its status
  void fill_record(llvm::StructType* type, llvm::Value* record, std::initializer_list<llvm::Value*> fields);
  llvm::Value* word_array(const std::vector<llvm::Value*>& words);
  // Conditions of the `defer_wait`s of the scope being emitted: cell, expected, comparison, site.
  std::vector<std::array<llvm::Value*, 4>> conditions;

  // A task that ends when `deps` have ended and the `conditions` have held; its id.
  llvm::Value* defer(const ir::ExprList& deps, llvm::Value* place);

  // In orchestration functions, until no task is in the way of touching this element.
  void await_element(const ir::Call& call, const TensorValue& tensor, llvm::Value* at, uint8_t access);
  // The variable and the tensor that the call being emitted defines.
  const ir::Var* variable_result() const { return current_var_; }
  int tensor_result(const ir::Call*) const { return current_tensor_; }
  llvm::Value* scalar_word(llvm::Value* value, ir::DType dtype);
  llvm::Value* call_scalar(const ir::Call& call);
  llvm::Value* dimension(const ir::DimSymbol& symbol);
  // A scalar by its leaf; if a task produces it, waits for that task.
  llvm::Value* scalar_leaf(int id);
  llvm::Value* new_alloca(llvm::Type* type, llvm::Value* count = nullptr);

 private:
  friend void emit_task(FunctionEmitter& emitter, const ir::Stmt& stmt);
  void bind_params();
  void solve_dimensions();
  void bind_tensor(TensorValue& value, const ir::TensorType& type, unsigned word);
  llvm::Value* word(unsigned index, llvm::Type* type);
  llvm::Value* fixed_field(llvm::Type* type, llvm::Value* record, llvm::Value* offset);
  // `keep`: results of its tasks are used after it.
  const ir::Yield* block(const ir::Block& block, bool keep = false);
  void statement(const ir::Stmt& stmt);
  void assign(const ir::Var* var, const ir::ExprRef& value, const ir::Stmt& stmt);
  void call(const ir::Call& call, const ir::Var* var);
  void load(const ir::Call& call, int result);
  void generate(const ir::Call& call, int result);
  void branch(const ir::If& stmt);
  void counted(const ir::For& stmt);
  // A loop that is one matrix product, emitted as such; false: it is not.
  bool product_loop(const ir::For& stmt, llvm::Value* start, llvm::Value* rounds);
  void conditional(const ir::While& stmt);
  // In front of a loop and at the end of a round, for loops that look at signal cells; gives what it counts
  // rounds with, null for others.
  llvm::Value* begin_rounds(const ir::While& stmt, const std::vector<llvm::Value*>& carried);
  void end_round(const ir::While& stmt, llvm::Value* rounds, const std::vector<llvm::Value*>& carried);
  void call_poll(const std::vector<llvm::Value*>& carried, llvm::Value* again, const ir::While& stmt);
  void returned(const ir::Return& stmt);
  void transfers(const std::vector<Transfer>& list);

  // The scope that contains a kernel call.
  struct TaskScope {
    const ir::ExprList* deps = nullptr;
    llvm::Value* blocks = nullptr;
    bool unordered = false;
    bool sync_start = false;
  };
  void scope(const ir::Stmt& stmt);
  void defer(const ir::Stmt& stmt);
  void with_scope(const ir::WithScope& scope);
  void dispatch(const ir::FunctionCall& call);
  void parallel(abi::ParallelStep step);
  std::vector<llvm::Value*> argument_words(const ir::FunctionCall& call, const ir::Function& callee,
                                           std::vector<llvm::Value*>& untracked);
  void task(const ir::FunctionCall& call, const ir::Var* var);
  // A tensor of one element for each scalar result of the task; the variable's scalars are read from there.
  void expect_scalars(const ir::FunctionCall& call, const ir::Var* var, std::vector<llvm::Value*>& words);
  void return_scalars(const ir::Return& stmt);
  // The block that made the futures from number `first` on ends; what it yields is read now.
  void release_futures(size_t first, const ir::Yield* yield);
  void collect_deps(const ir::ExprList& deps, std::vector<llvm::Value*>& ids);
  void put_words(const TensorValue& tensor, bool window, std::vector<llvm::Value*>& words);

  // Values carried around a loop or out of a branch, flattened to LLVM values.
  struct Carried {
    LeafKind kind;
    int id;     // of the argument, or of the result of a branch
    bool skip;  // a tensor that stays the same
    bool window;
    size_t first = 0, count = 0;
  };
  std::vector<Carried> carried_leaves(const ir::VarList& vars, const std::vector<bool>& same) const;
  void flatten(const ir::ExprRef& expr, size_t var_leaf, const Carried& carried,
               std::vector<llvm::Value*>& out);
  void flatten_all(const ir::ExprList& exprs, std::vector<Carried>& carried, std::vector<llvm::Value*>& out);
  void bind(const Carried& carried, int id, std::span<llvm::Value* const> values, const TensorValue* like);
  void bind_results(const ir::VarList& results, std::vector<Carried>& carried,
                    std::span<llvm::Value* const> values, const ir::ExprList& like);
  void enter_loop(const ir::ExprList& inits, const ir::VarList& args, const LoopPlan& loop_plan,
                  std::vector<Carried>& carried, std::vector<llvm::Value*>& values);

  // The lowest and the highest offset of an element in memory, in elements.
  std::pair<llvm::Value*, llvm::Value*> reach(std::span<llvm::Value* const> extents,
                                              std::span<llvm::Value* const> strides);
  void check_accesses();

  llvm::Function* f_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::Value* args_ = nullptr;
  llvm::Value* results_ = nullptr;
  unsigned param_words_ = 0;
  llvm::Value* arena_ = nullptr;
  llvm::Value* acquires_ = nullptr;  // how many there have been, i32; null: not needed
  std::vector<llvm::Value*> scalars_;
  // Scalar results of tasks.
  struct Future {
    llvm::Value* address = nullptr;
    ir::DType dtype{};
    llvm::Value* site = nullptr;
  };
  std::map<int, Future> futures_;
  std::vector<llvm::Value*> open_futures_;  // storage that is still held
  std::vector<TileView> tiles_;
  std::vector<TensorValue> tensors_;
  std::vector<std::pair<std::string, llvm::Value*>> dimensions_;
  AccessChecks accesses_;
  int loop_depth_ = 0;
  int storage_scopes_ = 0;  // `pl.scope`s around
  // Of the polling loops around what is being emitted: whether looks are announced, an i1 in memory.
  std::vector<llvm::Value*> polls_;
  const ir::Var* current_var_ = nullptr;
  int current_tensor_ = -1;
  TaskScope scope_;
  llvm::Value* last_task_ = nullptr;
};

// Emits a cluster: one loop over the rows.
void emit_cluster(FunctionEmitter& emitter, int cluster);
// Only `emit_matmul` knows what a product reads of tensors; passes it to the checks of Options::bounds.
void touch_operands(FunctionEmitter& emitter, const MatmulArgs& args);
// Adds the elements of a tile to those of a region, each atomically.
void add_tile(FunctionEmitter& emitter, ir::DType dtype, const TileView& tile, const TileView& to);
// Calls of other functions, and the scopes around them.
void emit_task(FunctionEmitter& emitter, const ir::Stmt& stmt);

}  // namespace tilewire::target::cpu
