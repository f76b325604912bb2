// The interface between generated code and the runtime: all that either knows of the other.
//
// Generated code is a Module: tables of kernels, orchestration functions and source sites, reached through
// one exported symbol. It calls the runtime only through Context::api and reads the runtime's memory only
// through the structs here, so that a module compiled today, in memory or in a bundle, runs in any process
// that speaks the same `version`. target/cpu builds these layouts as LLVM types; a test compares every size
// and offset.
//
// Rules both sides keep:
// - Generated code never unwinds and has no thread-local storage. A call that may block or fail returns a
// Status;
//   generated code returns a non-zero one at once and touches nothing more. A fiber may resume on another
//   thread, so nothing about the thread is kept across such a call; the Context stays where it is.
// - The abort word of the run is polled in every outermost loop iteration, every `while` iteration, task
//   start and wait. Non-zero: return `aborted`.
// - Tile storage is the arena, never the stack: a fiber's stack is small.
// - A peer is near when this process maps its memory, else far: Group::waiters has null for it, and its
// region
//   is an address that must not be accessed. One module serves both. Signals, updates, loads and stores to
//   near peers are inline in plain modules, those to far peers are calls of the runtime (Api::notify, update,
//   transfer), which sends messages and may block.
// - What a task has written to far peers lands later. So a notify or update of a cell that ranks of other
//   processes may look at must use the runtime, too, while Context::unlanded is not zero: it waits until
//   everything has landed.
// - A module compiled with `hooks` leaves signals and everything that is written to a peer to the runtime
//   (Api::notify, wait, test, update, transfer) and reports its other accesses to windows (Api::hook) before
//   it makes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/numbers.h"

namespace tilewire::abi {

inline constexpr uint32_t version = 7;
inline constexpr const char* module_symbol = "tilewire_module";

using Status = int32_t;
inline constexpr Status ok = 0;
inline constexpr Status failed = 1;   // this task reported an error with Api::fail
inline constexpr Status aborted = 2;  // another one did, or the user stopped the run

// Arguments and results are flat arrays of words, parameter after parameter:
// - scalar: one word; integers extended to 64 bits by their sign, floats as the bits of their storage.
// - tensor of rank r: 1 + 2r words; address of element 0, extents, strides in elements.
// - window of rank r: a tensor (this rank's copy) and one more word, the address of its Window.
// - CommCtx: one word, the address of a Group.
// - TaskId: one word; 0 is complete.
// A host function runs before any rank does, so its windows are nowhere yet: their address is the number of
// bytes from the start of the buffer, their Window the number of the buffer in Module::windows. Where a
// parameter is a plain tensor, the address of a window given for it is host_window(number) + those bytes.
using Word = uint64_t;
using TaskId = uint64_t;
inline constexpr TaskId no_task = 0;
inline constexpr Word host_window_tag = Word{1} << 63;
inline constexpr uint32_t host_window_shift = 44;  // of the number; the bytes are in the lower bits
inline constexpr Word host_window(uint32_t number) {
  return host_window_tag | Word{number} << host_window_shift;
}
inline constexpr bool is_host_window(Word address) {
  return (address & host_window_tag) != 0;
}
inline constexpr uint32_t host_window_number(Word address) {
  return static_cast<uint32_t>((address & ~host_window_tag) >> host_window_shift);
}
inline constexpr Word host_window_bytes(Word address) {
  return address & ((Word{1} << host_window_shift) - 1);
}

enum class ParamKind : uint8_t { Scalar, Tensor, Window, CommCtx, TaskId };
// What a kernel does with a parameter; the numbers of ir::EffectBits.
enum AccessBits : uint8_t {
  Reads = 1,         // this rank's copy
  Writes = 2,        // this rank's copy
  Atomic = 4,        // all of its writes are atomic updates
  Communicates = 8,  // signals, waits on or updates a cell of it, or touches a peer's copy
};

struct Param {
  const char* name;
  ParamKind kind;
  uint8_t access;         // AccessBits; 0 for scalars
  uint8_t rank;           // of tensors and windows
  uint8_t element_bytes;  // INT4 and BOOL elements have a byte each
  uint8_t dtype;          // an ElementType
  uint8_t reserved[3];
};
inline constexpr bool has_bytes(const Param& param) {
  return param.kind == ParamKind::Tensor || param.kind == ParamKind::Window;
}
inline constexpr uint32_t word_count(const Param& param) {
  return param.kind == ParamKind::Tensor   ? 1 + 2u * param.rank
         : param.kind == ParamKind::Window ? 2 + 2u * param.rank
                                           : 1;
}

struct Context;
using Code = Status (*)(Context*, const Word* args, Word* results);

// What the function does beyond computing, for scheduling.
enum KernelBits : uint32_t {
  MayBlock = 1,  // waits, tests, pipes: needs a fiber
  // Reaches memory or cells of peers: the same where some of them are far.
  MayBlockFar = 8,
  // Of a kernel made of a cube and a vector half, block by block: the cube half, its vector lane or two.
  TwoLanes = 2,
  ThreeLanes = 4,
};
inline constexpr int64_t lanes_of(uint32_t bits) {
  return (bits & ThreeLanes) != 0 ? 3 : (bits & TwoLanes) != 0 ? 2 : 1;
}

struct Function {
  const char* name;
  Code code;
  const Param* params;
  const Param* results;  // of orchestration functions; null for kernels
  uint32_t param_count;
  uint32_t result_count;
  uint64_t arena_bytes;  // 64-byte aligned scratch every running block needs
  uint32_t bits;         // KernelBits
  uint32_t site;         // of the definition
};

// A place in the source. `what`: the op or statement there, as a user writes it.
struct Site {
  const char* file;
  const char* what;
  uint32_t line;
  uint32_t column;
};

// A window buffer that a host function allocates.
struct HostWindow {
  const char* name;
  uint32_t host;      // the function: a number in Module::hosts
  int32_t load_from;  // parameter of it whose row r is copied to rank r's share before the run; -1: none
  int32_t store_to;   // parameter whose row r receives that share after the run; -1: none
  uint32_t site;
};

enum ModuleBits : uint32_t { Hooks = 1, ChecksBounds = 2 };

struct Module {
  uint32_t abi_version;
  uint32_t bits;  // ModuleBits
  const Function* kernels;
  const Function* entries;  // orchestration functions
  const Site* sites;        // entry 0 is "nowhere"
  uint32_t kernel_count;
  uint32_t entry_count;
  uint32_t site_count;
  uint32_t host_count;
  const Function* hosts;
  const HostWindow* windows;
  uint32_t window_count;
  uint32_t reserved;
};

// One kernel call of an orchestration function. The runtime copies what it needs later.
enum LaunchBits : uint32_t {
  SyncStart = 1,  // no block starts before all can
  Unordered = 2,  // ordered=False: no communication order
};
struct Launch {
  const Function* kernel;
  const Word* args;
  const TaskId* deps;
  const uint64_t* untracked;  // one bit a parameter: pl.no_dep; null: none
  int64_t blocks;
  uint32_t dep_count;
  uint32_t bits;  // LaunchBits
  uint32_t site;
  uint32_t reserved;
};

// One call with `device=` of a host function. The runtime copies the arguments and keeps it for later: ranks
// start when the host function has returned.
struct DeviceCall {
  const Function* entry;
  const Word* args;
  int64_t device;
  uint32_t site;
  uint32_t reserved;
};

// Run-time errors of generated code; runtime/faults.cpp has their texts. Append only.
enum class Fault : uint32_t {
  IndexOutOfRange,   // a: index, b: extent, c: dimension
  RegionOutOfRange,  // a: first index, b: extent asked, c: dimension, d: extent of the tensor
  ZeroDivisor,
  Narrowing,           // a: value, c: bits of the target
  BlockCount,          // a: count asked
  ValidShape,          // a: extent asked, b: extent of the tile, c: dimension
  ExtentMismatch,      // a, b: two extents that must be equal (K of matmul), c: dimension
  NegativeShift,       // a: shift count
  PeerOutOfRange,      // a: peer, b: rank count
  AccessOutside,       // --debug-bounds. a: element offset, b: elements in the tensor
  StepZero,            // of a range
  NegativeExtent,      // of a created tensor. a: extent, c: dimension
  CountAboveCapacity,  // all_to_all_v. a: count, b: capacity
  NegativePower,       // of integers. a: exponent
  RaggedExtent,        // an op that needs whole rows or parts. a, b: valid rows and columns
  ReshapeCount,        // of a tensor. a: elements it has, -1 when strided, b: elements asked
  DeviceOutOfRange,    // of a dispatch. a: device, b: ranks of the run
  WindowSize,          // of an allocation. a: bytes asked
  WindowView,          // larger than its buffer. a: bytes of the view, b: bytes of the buffer, c: its number
  SubgroupDivision,    // a: ranks of a sub-group, b: stride, c: ranks of the group
  MeshSize,            // a: ranks of the mesh, b: ranks of the group
  MemberOutOfRange,    // a: rank, b: ranks of the sub-group
  OtherGroup,          // a sub-group with a window of another group
  PipeWorkspace,       // a: bytes it has, b: blocks that share it, c: bytes that each needs
};

// One rank's view of a communication group, and of one window buffer of it.
struct Group {
  // Per rank of the group: start of its region, in this process. Of a far one: a reserved address, so that an
  // address still names a rank and an offset.
  std::byte* const* regions;
  uint32_t* const* waiters;  // per rank: non-zero while a fiber is parked on a cell of that region; null: far
  int32_t rank;
  int32_t rank_count;
  const int32_t* hosts;  // per rank: on which host it lives, numbered in order of their lowest rank
  int32_t host_count;
  int32_t even_hosts;  // `even_hosts` (abi/even_hosts.h) of `hosts`
};
struct Window {
  const Group* group;
  uint64_t offset;  // of the buffer in every region
  uint64_t bytes;
};

// An access to window memory that generated code is about to make. A Look is the atomic read of an element
// that may be a signal cell; Looked follows it directly.
enum class HookKind : uint32_t { Read, Write, Atomic, RemoteRead, Look, Looked };
struct HookEvent {
  HookKind kind;
  uint32_t site;
  const void* address;
  int64_t extents[2];  // rows, bytes of a row
  int64_t row_stride_bytes;
  int32_t peer;  // -1: this rank's copy
  uint32_t reserved;
};

// A copy of a region between memory of this rank and a peer's copy of a window: put, get, and remote_load and
// remote_store where the peer is far; with `hooks` every remote_store.
enum TransferBits : uint32_t {
  ToPeer = 1,     // else from the peer
  AtomicAdd = 2,  // to the elements that are there
};
struct Transfer {
  void* target;
  const void* source;
  const int64_t* extents;
  const int64_t* target_strides;  // in elements
  const int64_t* source_strides;
  uint32_t rank;  // dimensions of the region
  uint32_t bits;  // TransferBits
  int32_t peer;
  uint32_t site;
  uint8_t dtype;  // an ElementType
  uint8_t element_bytes;
  uint8_t reserved[2];
  // Of one from a peer: how many operations of the block so far may have acquired. While this does not change
  // the runtime may take the elements for those it has fetched before.
  uint32_t acquires;
};

// Beside a NotifyKind: one of several notifies that are a single release, before which Api::land was called.
inline constexpr uint32_t released = 2;

// What a wait, or a deferred one, waits for.
struct Condition {
  const int32_t* cell;
  int32_t expected;
  uint32_t cmp;  // a Compare
  uint32_t site;
  uint32_t reserved;
};

// A task that occupies no core: it ends when its predecessors have ended and all conditions have held, each
// at some moment.
struct Deferred {
  const Condition* conditions;
  const TaskId* deps;
  uint32_t condition_count;
  uint32_t dep_count;
  uint32_t site;
  uint32_t reserved;
};

// An atomic update that returns the old value: adds, or replaces what equals an expected value.
enum UpdateBits : uint32_t {
  Compares = 1,
  Wide = 2,  // an INT64, else an INT32
};

// How an iteration of a polling loop looked at a cell. Update: by an atomic update; the condition is `!=` the
// found, or `>=` the least INT32 after one that has changed the cell.
enum class LookKind : uint32_t { Read, Test, Update };

// Where an orchestration function is: in a `pl.parallel` loop or a `pl.manual_scope` (task_order.h has the
// follows), or in a `pl.scope`. Loops and scopes nest. Keep: what was allocated last outlives the `pl.scope`.
enum class ParallelStep : uint32_t {
  Enter,
  Round,
  Leave,
  EnterManual,
  LeaveManual,
  EnterStorage,
  LeaveStorage,
  Keep
};

// What `pl.print` shows: a scalar, or the corner of a tile (print_rows x print_cols of its valid elements at
// most), row after row. Floats are the bits of a double, everything else is extended to 64 bits.
struct Print {
  const char* label;
  const char* dtype;  // as a program writes it
  const Word* elements;
  int64_t rows, cols;  // 0: a scalar
  int64_t valid_rows, valid_cols;
  uint32_t site;
  uint8_t format;  // a PrintFormat
  uint8_t reserved[3];
};

struct Api {
  // Reports a run-time error of this task and stops the run; returns `failed`.
  Status (*fail)(Context*, Fault, uint32_t site, int64_t a, int64_t b, int64_t c, int64_t d);

  // From orchestration functions.
  Status (*submit)(Context*, const Launch*, TaskId* id);
  // Returns when no task writes (access = Reads) or uses (Writes) the region of this tensor any more.
  Status (*await)(Context*, const Param*, const Word* tensor, uint8_t access, uint32_t site);
  // Storage of a created tensor, at least 64-byte aligned. It lives until released, or until the function
  // ends, and in both cases until the tasks that take it have ended, or to the end of the run when it is
  // returned.
  Status (*allocate)(Context*, uint64_t bytes, uint32_t site, void** storage);
  Status (*release)(Context*, void* storage);

  // Slow paths of signals: the fast ones are inline.
  // The cell does not meet the condition yet: blocks until it does. `cmp`: a Compare. `seen`: the value that
  // met it.
  Status (*wait)(Context*, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site, int32_t* seen);
  // A notify or an update saw a non-zero waiter word of the region, or does not know the region.
  void (*wake)(Context*, const int32_t* cell);
  Status (*yield)(Context*, const int32_t* cell, uint32_t site);  // a test failed
  Status (*hook)(Context*, const HookEvent*);

  Status (*transfer)(Context*, const Transfer*);
  // From orchestration functions: `defer_wait`.
  Status (*defer)(Context*, const Deferred*, TaskId* id);
  // With `hooks`, for far peers, and while something is unlanded. `kind`: a NotifyKind, and `released`.
  Status (*notify)(Context*, int32_t* cell, int32_t value, uint32_t kind, int32_t peer, uint32_t site);
  // Only with `hooks`. `held`: 1 if the test succeeded; a scheduling point otherwise.
  Status (*test)(Context*, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site, int32_t* held);

  // From host functions. `window`: number of the buffer, `bytes`: as computed by the host function.
  Status (*window)(Context*, uint32_t window, int64_t bytes, uint32_t site);
  Status (*dispatch)(Context*, const DeviceCall*);

  // From orchestration functions: before a `pl.parallel` loop, before each of its iterations (the first
  // included) and after it; before and after a scope. `step`: a ParallelStep.
  void (*parallel)(Context*, uint32_t step);

  // Polling loops: an iteration has no effect except looks at cells. `look`: an iteration looked at a cell,
  // and another one would see the same as long as `cell cmp value` does not hold. `kind`: a LookKind.
  void (*look)(Context*, const int32_t* cell, int32_t value, uint32_t cmp, uint32_t site, uint32_t kind);
  // An iteration ends and passes on `carried`. `depth`: how many polling loops of the function enclose it.
  // With `again` 0 the looks of the next iterations are announced from here on; else they have been. When the
  // loop repeats itself, blocks until one of the conditions holds; yields otherwise.
  Status (*poll)(Context*, const Word* carried, uint32_t count, uint32_t depth, uint32_t again,
                 uint32_t site);

  // With `hooks`, for far peers, and while something is unlanded. Adds `value` to the element, or stores it
  // there if the element is `expected`. `bits`: UpdateBits.
  Status (*update)(Context*, void* element, int64_t expected, int64_t value, uint32_t bits, uint32_t site,
                   int64_t* old);
  void (*print)(Context*, const Print*);

  // While something is unlanded: returns when it has landed.
  Status (*land)(Context*, uint32_t site);
};

// One per running function or block; its address does not change while it runs.
struct Context {
  const Api* api;
  const uint32_t* abort;  // the run's abort word
  void* arena;
  int64_t block_index;
  int64_t block_count;
  int32_t rank;
  int32_t rank_count;
  // Non-zero while something that this process has sent to far peers may not have landed.
  const uint32_t* unlanded;
  // The private state of the runtime follows.
};

}  // namespace tilewire::abi
