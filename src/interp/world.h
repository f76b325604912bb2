// The state of a running program, all of it: agents, storage, tasks. Copying a World is cheap (agents, tasks
// and buffers are shared until one copy writes them) and the copy runs on its own.
//
// An agent is a host function, an orchestration function or one block of a task. One step of an agent
// executes out one visible event and everything invisible after it, up to just before its next visible event;
// so an agent that is not runnable is at an event whose condition does not hold. Visible are starts and ends
// of blocks, submissions, waits for tasks, signals, waits, tests, accesses to peers, and with
// Granularity::Access every access to a tensor.
//
// Arrays of the caller are used in place and shared by all copies, unless Options::detach is set.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "abi/task_order.h"
#include "interp/code.h"
#include "interp/error.h"
#include "interp/event.h"
#include "interp/polls.h"
#include "interp/pulse.h"
#include "interp/value.h"

namespace tilewire::interp {

class Context;
class Delays;
class WaitingTests;
struct View;

enum class Granularity : uint8_t { Sync, Access };

// Which notifies land later than they are issued, separately, as agents: none, those that make a
// difference (Delays) and all that are one release together, or all. Needs Options::full_order.
enum class Late : uint8_t { Never, Needed, Always };

// The effect of a checked error. Halt: its agent stops, the others continue. Skip: its agent continues, if
// the op only notifies or writes.
enum class OnError : uint8_t { Stop, Halt, Skip };

// Of a loop or a launch that ran: how far the loop counted, in how many rounds; blocks.
struct Rounds {
  int64_t length = 0, count = 0;
  void take(const Rounds& more) {
    if (more.count > count) *this = more;
  }
};

struct Options {
  int ranks = 1;
  int hosts = 1;  // that the ranks are spread over evenly; a divisor of their number
  // Of the entry, one after the other with the same arguments. Windows keep their content, as in a session.
  int calls = 1;
  Granularity granularity = Granularity::Sync;
  // Fill with NaN, or a pattern, what the program must not read: new tensors and tiles, elements outside the
  // valid extent.
  bool poison = false;
  // Report to the sink every task that one is ordered after, also those that have ended.
  bool full_order = false;
  // Remote writes land on their own, as agents, between their issue and their block's next notify, end or
  // access to the same bytes. Otherwise at once.
  bool in_flight = false;
  Late late_notifies = Late::Never;
  std::shared_ptr<const Delays> delays;  // with Late::Needed
  // These tests block like waits, until nothing else can happen. Null: none do.
  std::shared_ptr<const WaitingTests> waiting_tests;
  // Atomic updates of floats are separate steps: their order determines the rounding of the sum.
  bool order_sums = false;
  // Blocks of a rank that run at a time, waiting ones included; 0: any number. A launch with sync_start
  // starts only when there is a core for each of its blocks.
  int cores = 0;
  OnError on_error = OnError::Stop;
  bool detach = false;     // work on copies of the caller's arrays
  bool prints = false;     // `pl.print` writes to standard output, not nowhere
  Pulse* pulse = nullptr;  // null: not needed
  // By the number of each instruction of the image: 1 once it has run; a launch, once it has had a block.
  std::vector<uint8_t>* reached = nullptr;
  // Likewise, of the test of a `for` loop or a launch: the most it went round, or the most blocks.
  std::vector<Rounds>* rounds = nullptr;
  int64_t step_limit = int64_t{1} << 40;                // instructions, and elements of large ops
  int64_t memory_limit = int64_t{1} << 36;              // bytes of tiles and created tensors
  std::map<std::string, int64_t, std::less<>> symbols;  // dynamic dimensions that no array fixes
};

struct Storage {
  enum class Kind : uint8_t { Argument, Created, Window };
  Kind kind = Kind::Created;
  int rank = -1;  // -1: of no rank, the host's
  int32_t window = -1;
  int64_t size = 0;
  std::byte* external = nullptr;  // of the caller's array
  std::shared_ptr<Buffer> owned;
  const ir::Node* where = nullptr;
  // The `pl.scope` it was created in, tasks that take it and have not ended when that does, and what is in
  // flight to it. Storage of no such scope stays.
  uint32_t users = 1;
};

// A remote write, or a notify, that has left and not landed.
struct Flight {
  AgentId issuer;
  const Instr* instr;
  Tensor to;
  std::vector<std::byte> data;  // dense; of a write
  bool add;
  bool notifies = false;
  int64_t value = 0;                // of a notify
  uint32_t joint = 0;               // Event::joint
  std::vector<AgentId> after = {};  // notifies that land before it
};

// What the next step of an agent does to a signal cell, or, as Sum, to a part of a storage whose floats it
// adds to (Options::order_sums). Fetch adds, Swap replaces what equals `expected`, and both return what was
// there; a compare that would fail now is a Test.
struct CellUse {
  enum class Kind : uint8_t { Add, Set, Fetch, Swap, Wait, Test, Read, Sum };
  Kind kind;
  StorageId storage;
  int64_t offset;     // bytes
  int64_t value = 0;  // added, set or compared with
  ir::WaitCmp cmp = ir::WaitCmp::Ge;
  ir::DType dtype = ir::DType::Int32;
  int64_t expected = 0;  // of Swap
  bool writes() const { return kind != Kind::Wait && kind != Kind::Test && kind != Kind::Read; }
  bool adds() const { return kind == Kind::Add || kind == Kind::Fetch; }
  // Whether the cell may change.
  bool changes() const { return writes() && !(adds() && value == 0); }
  // Not a notify, nor a sum: an update that returns the old value, used or not.
  bool updates() const { return kind == Kind::Fetch || kind == Kind::Swap; }
};

inline bool writes_cell(std::span<const CellUse> uses) {
  for (const CellUse& use : uses) {
    if (use.writes()) return true;
  }
  return false;
}
// The value of a cell after that use.
int64_t value_after(const CellUse& use, int64_t before);
// The value of a cell after a notify.
int64_t notified(int64_t before, int64_t value, bool add);

struct Frame {
  const Code* code = nullptr;
  uint32_t pc = 0;
  Slot dst = no_slot;  // of the caller
  std::vector<Value> registers;
};

struct Agent {
  CodeLevel level = CodeLevel::Kernel;
  int rank = 0;
  TaskNo task = no_task;  // it is a block of; none: the entry
  int64_t block = 0;
  int64_t blocks = 1;
  bool started = false;
  uint32_t open_tasks = 0;  // submitted and not ended
  Polls polls;
  abi::CurrentRounds rounds;                   // of `pl.parallel` loops and manual scopes
  std::vector<std::vector<StorageId>> scopes;  // what was created in the `pl.scope`s that are open
  uint32_t part = 0;                           // of an op that takes several steps: the next one
  // Notifies that happen before its present, or before the end of a task it submitted, and may not have
  // landed.
  std::vector<AgentId> notifies, tasks_notifies;
  std::vector<Frame> frames;
  std::shared_ptr<const Flight> flight;  // set only for an agent that is a write in flight

  const Frame& top() const { return frames.back(); }
  // The next event; null if it has ended.
  const Instr* next() const { return frames.empty() ? nullptr : &top().code->instrs[top().pc]; }
};

// An argument of a task: a region as it was named when the task was submitted, and how the task uses it.
struct TaskArgument {
  abi::Use use;
  StorageId storage;
  Box box;
};

struct Task {
  const Code* code = nullptr;
  const ir::Node* where = nullptr;
  int rank = 0;
  int call = 0;  // of the entry, from 0
  AgentId submitter = 0;
  std::vector<Value> registers;  // of every block when it starts
  int64_t blocks = 1;
  int64_t next_block = 0;
  int64_t ended_blocks = 0;
  uint32_t pending = 0;  // tasks it waits for
  bool sync_start = false;
  bool released = false;
  bool started = false;
  bool done = false;
  std::vector<bool> started_pairs;  // of a kernel made of two halves, where cores are counted
  std::vector<TaskNo> successors;
  // What orders it with other tasks of its rank.
  abi::Rounds rounds;
  std::vector<TaskArgument> arguments;
  std::vector<StorageId> frees;  // when it ends, unless another task uses them
  std::vector<Value> results;
  std::vector<AgentId> notifies, end_notifies;  // as those of an agent, when it starts and ends
};

// A checked error that did not end the run (OnError).
struct Fault {
  RunError error;
  AgentId agent = 0;
  bool skipped = false;
  std::vector<int32_t> windows = {};  // of a skipped op: those it names
  std::optional<int64_t> added = {};  // by its notify, to some cell; nothing: it may have set one
};

struct Window {
  const ir::WindowBuffer* buffer = nullptr;
  int64_t bytes = 0;
  int32_t group = 0;
  std::vector<StorageId> copies;  // per rank
  std::set<int> dispatched;       // ranks that were given a view
  Dims shape;                     // of its views; empty: they differ
  ir::DType dtype = ir::DType::Int32;
  std::optional<Tensor> load_from, store_to;
};

class World {
 public:
  // `args`: one per parameter of the image's entry; tensors lie in storages made with add_array.
  World(std::shared_ptr<const Image> image, Options options);
  // The part of a storage that an array of the caller is.
  StorageId add_array(std::byte* data, int64_t bytes);
  void start(std::vector<Value> args);

  // --- running
  // Agents that can take a step, ascending. Empty: finished, failed or deadlocked.
  std::span<const AgentId> runnable() const { return ready_; }
  void step(AgentId id, EventSink* sink);
  bool finished() const { return live_ == 0; }
  const std::optional<RunError>& error() const { return error_; }
  const std::vector<Fault>& faults() const { return faults_; }
  void set_on_error(OnError on_error) { options_.on_error = on_error; }
  // Reports a deadlock; the error lists who waits for what.
  void report_deadlock();
  // What the entry returned.
  const std::vector<Value>& results() const { return results_; }

  // --- inspection
  const Options& options() const { return options_; }
  const Code& entry() const { return image_->entry(); }
  const std::vector<Value>& arguments() const { return arguments_; }  // of the entry
  size_t agent_count() const { return agents_.size(); }
  const Agent& agent(AgentId id) const { return *agents_[id]; }
  size_t task_count() const { return tasks_.size(); }
  const Task& task(TaskNo task) const { return *tasks_[task]; }
  size_t storage_count() const { return storages_.size(); }
  const Storage& storage(StorageId id) const { return storages_[id]; }
  const std::vector<Window>& windows() const { return windows_; }
  int64_t steps() const { return steps_; }
  // Writes and notifies that have not landed.
  std::span<const AgentId> flights() const { return flights_; }
  // From now on the notifies that matter land separately.
  void delay(std::shared_ptr<const Delays> delays);
  // From now on these tests block like waits.
  void take_for_waits(std::shared_ptr<const WaitingTests> tests) {
    options_.waiting_tests = std::move(tests);
  }
  // The cells that the next step of an agent looks at or changes. A block that starts or ends uses, where
  // there are Options::cores, the cell `no_storage` at its rank. An agent that repeats a state of a poll
  // looks at all cells whose change would unblock it. A notify that lands later uses its cell only then;
  // `issued`: it counts here too.
  std::vector<CellUse> next_cells(AgentId id, bool issued = false);
  // What a block that has not started waits for.
  std::string core_text(const Agent& agent) const;
  // Ids of the blocked agents, ascending.
  std::vector<AgentId> blocked() const;
  const std::byte* bytes(StorageId id) const;
  // What a signal cell holds, by its offset in bytes.
  int64_t cell_value(StorageId id, int64_t offset, ir::DType dtype = ir::DType::Int32) const;
  // After memory was written from outside: recomputes which agents are runnable.
  void recheck() { wake(); }
  void set_order_sums(bool order) { options_.order_sums = order; }

  // --- for ops
  std::byte* writable(StorageId id);
  // Counts work that one instruction hides.
  void charge(int64_t work);
  // Zeroed, or poison; `bytes` of one shape are counted without overflow by the caller.
  std::shared_ptr<Buffer> allocate(int64_t bytes);
  StorageId create_storage(Storage::Kind kind, int rank, int64_t bytes, const ir::Node* where);
  // Of the call that runs: a new one, or the one that the first call made in its place.
  int32_t add_window(Window window, const ir::Node* where);
  void note_view(const Tensor& view, const ir::WindowBuffer& buffer);
  // Ranks of the group that shares a window; numbers in the group are positions in this list.
  const std::vector<int>& group_of(int32_t window) const { return groups_[windows_[window].group]; }
  int peer_rank(int32_t window, int64_t peer) const;  // fails when there is none
  void check_same_group(int32_t window, int32_t other) const;
  int rank_in_group(int32_t window, int rank) const;
  // `even_hosts` (abi/even_hosts.h) of the window's group.
  int even_hosts(int32_t window) const;
  // A change that a blocked agent may wait for.
  void note_change() { changed_ = true; }
  // A remote write that lands later; `from` has been read.
  void take_off(Context& context, const View& from, const Tensor& to, bool add);
  void land_all(AgentId issuer, EventSink* sink);
  // Adds to or sets a signal cell, now or later. `joint`: its place among notifies that are one release.
  void notify(Context& context, const Tensor& cell, int64_t value, bool add, uint32_t joint);
  // The tensor of a window for rank `rank`.
  Tensor at_rank(const Tensor& tensor, int rank) const;

 private:
  friend class Context;

  // running
  bool advance(AgentId id, EventSink* sink, bool& acted);
  void note_rounds(const Frame& frame, int64_t length, int64_t step) const;
  void note_reached(const Frame& frame) const {
    if (options_.reached) (*options_.reached)[frame.code->first + frame.pc] = 1;
  }
  void tell(Event::Kind kind, const Agent& agent, AgentId id, EventSink* sink) const;
  bool is_visible(const Agent& agent, const Instr& instr) const;
  void follow_polls(AgentId id, const Instr& instr);
  bool polls_in_vain(const Agent& agent) const;
  bool is_waiting_test(const Instr& instr) const;
  void let_tests_fail();
  bool add_cells(AgentId id, const Instr& instr, std::vector<CellUse>& cells, bool issued = false);
  bool is_ready(AgentId id, const Instr& instr);
  bool has_open_future(const Frame& frame, const Instr& instr) const;
  void resolve_futures(Frame& frame, const Instr& instr);
  void execute(AgentId id, const Instr& instr, EventSink* sink);
  bool run_op(AgentId id, const Instr& instr, EventSink* sink);
  void tell_joins(AgentId id, const Instr& instr, EventSink* sink) const;
  // flights.cpp
  void land(AgentId id, EventSink* sink);
  void land_before(Context& context);
  // late_notifies.cpp
  bool is_late(const Agent& agent, const Instr& instr) const;
  bool in_flight(AgentId id) const { return agents_[id]->flight != nullptr; }
  bool can_land(const Agent& agent) const;
  bool waits_for_notifies(AgentId id, const Instr& instr);
  void write_cell(Context& context, const Tensor& cell, int64_t value, bool add, uint32_t joint,
                  AgentId flight);
  void add_notifies(std::vector<AgentId>& to, const std::vector<AgentId>& from) const;
  void join_notifies(AgentId id, const Instr& instr);
  std::vector<TaskNo> joined_tasks(AgentId id, const Instr& instr) const;
  // Whether a block that has not started may, and the effects of its start or end.
  bool has_core(const Agent& agent) const;
  int64_t cores_to_start(const Agent& agent) const;
  bool needs_core(const Agent& agent) const;
  void take_core(const Agent& agent);
  void run_return(AgentId id, const Instr& instr, EventSink* sink);
  void settle(AgentId id, EventSink* sink);
  void wake();
  // The end of a step: updates everything that it enabled.
  void go_on(EventSink* sink);
  RunError error_of(const Failure& failure, AgentId id) const;
  void fail_with(const Failure& failure, AgentId id);
  void take_fault(const Failure& failure, AgentId id, EventSink* sink);
  bool skip_op(AgentId id, Fault& fault);
  AgentId add_agent(Agent agent);

  // tasks.cpp
  void call(AgentId id, const Instr& instr, EventSink* sink);
  std::vector<Value> arguments(const Frame& frame, const Site& site, int rank) const;
  void add_arguments(Task& task, const std::vector<Value>& args, bool ordered) const;
  TaskNo submit(AgentId id, Task task, const std::vector<TaskNo>& deps, EventSink* sink);
  std::vector<TaskNo> dependencies(AgentId id, const Site& site) const;
  // The tasks submitted on `rank`, ended ones that are remembered included, that an access of an
  // orchestration function to `region` is ordered after.
  std::vector<TaskNo> users(int rank, const Tensor& region, bool writes) const;
  void step_in(AgentId id, abi::ParallelStep step);
  void leave_storage_scope(AgentId id);
  void unuse(StorageId storage);
  void give_results(AgentId id, const Instr& instr, TaskNo task, const std::vector<Value>& args);
  void release(TaskNo task, EventSink* sink);
  void launch_blocks(TaskNo task, EventSink* sink);
  void end_block(AgentId id, std::vector<Value> results, EventSink* sink);
  void complete(TaskNo task, EventSink* sink);
  void forget(TaskNo task);
  // windows.cpp
  void begin_call(AgentId host, EventSink* sink);
  void note_dispatch(const std::vector<Value>& args, int rank);
  void form_groups();
  void stage_in(const Window& window);
  void stage_out();
  // The registers a function starts with: constants, arguments, dimensions.
  std::vector<Value> entry_registers(const Code& code, const std::vector<Value>& args,
                                     const Frame* caller) const;

  std::shared_ptr<const Image> image_;
  Options options_;
  std::shared_ptr<Meter> meter_;
  std::vector<Storage> storages_;
  std::vector<Window> windows_;
  size_t windows_named_ = 0;              // by the call that runs
  std::vector<std::vector<int>> groups_;  // members, ascending
  std::vector<Value> arguments_;          // of the entry
  int call_ = 0;                          // that runs, from 0
  std::vector<Cow<Agent>> agents_;
  std::vector<Cow<Task>> tasks_;
  std::vector<std::vector<TaskNo>> rank_tasks_;  // per rank, what later tasks may have to wait for
  std::vector<TaskNo> last_dispatch_;            // per rank
  std::vector<TaskNo> held_;                     // dispatches that start when the host function is done
  std::vector<TaskNo> unlaunched_;               // released tasks with blocks that are not agents yet
  std::vector<AgentId> ready_, blocked_;
  std::vector<AgentId> flights_;
  std::vector<int64_t> busy_;  // per rank, cores that blocks hold
  size_t live_ = 0;            // agents that have not ended; a submitter ends after its tasks
  bool changed_ = false;       // something a blocked agent may wait for
  bool tests_fail_ = false;    // Options::waiting_tests no longer block: nothing else can happen
  int64_t steps_ = 0;
  std::optional<RunError> error_;
  std::vector<Fault> faults_;
  std::vector<Value> results_;
};

}  // namespace tilewire::interp
