// Findings of a run, in words.
#pragma once

#include "check/flow.h"
#include "check/report.h"
#include "check/search.h"
#include "check/shorten.h"

namespace tilewire::check {

// An action, as a sentence without its subject and as a short form for columns.
struct Words {
  std::string text, brief;
};

// Names the things of one run.
class Names {
 public:
  explicit Names(const interp::World& world) : world_(world) {}

  // "rank 1 in `k`, block 2", "the host function"; with its number where there are several calls: "rank 1 in
  // `k`, call 2"
  std::string who(AgentId agent, int rank, TaskNo task) const;
  std::string function(TaskNo task) const;
  // Blocks of the task that work as one.
  int64_t lanes(TaskNo task) const { return task == interp::no_task ? 1 : world_.task(task).code->lanes(); }
  int call(TaskNo task) const { return task == interp::no_task ? 0 : world_.task(task).call; }
  // "`sig[1, 0]` on rank 1"; for an element of a tensor that is not a window, "`count[3]`"
  std::string cell(const CellId& cell) const;
  // "`filled[3]` of pipe 0, cube to vector"; empty for others
  std::string pipe_cell(const CellId& cell) const;
  std::string cell_name(const CellId& cell) const;   // "sig[1, 0]", "filled[3]"
  std::string short_cell(const CellId& cell) const;  // "sig[1, 0]@1"
  // "count[2, 3]" by that name, for an element of a tensor of so many bytes per element.
  std::string element(const std::string& name, const CellId& cell, int64_t size) const;
  // As a ScheduleStep names it; empty for one of no window.
  std::string schedule_cell(const CellId& cell) const;
  bool is_in_window(const CellId& cell) const { return window_of(cell.storage) != nullptr; }
  int rank_of(const CellId& cell) const { return world_.storage(cell.storage).rank; }
  // "bytes 0 to 63 of `w` on rank 1"
  std::string bytes(const Action& action, int64_t begin, int64_t end) const;
  // "adds 1 to `sig[1, 0]` on rank 1, which is 2 now", "sig[1, 0]@1 += 1 (2)"; empty for what only orders
  // tasks
  Words words(const Action& action) const;

 private:
  const interp::Window* window_of(StorageId storage) const;
  std::string tensor_element(const CellId& cell) const;
  const std::string* rings_of(const CellId& cell) const;  // of cells of pipes; null for others
  const interp::World& world_;
};

std::vector<Actor> actors_of(const interp::World& world);
// Errors of a run that ended badly, one finding each, with the shortest schedule found; those that concern
// the same places are reported once.
std::vector<Finding> findings_of(Run& run, Shortener& shortener);
// Of these, unordered uses.
std::vector<Finding> conflict_findings(Run& run, Shortener& shortener);
// Of a deadlocked run.
Finding deadlock_of(Run& run);
// A race shown by a schedule of the actions of `run`, which itself had no error.
Finding race_in(Run& run, const Conflict& conflict, const std::vector<uint32_t>& schedule,
                Shortener& shortener);
// Warnings, of a run that finished or deadlocked.
std::vector<Finding> warnings_of(Run& run, const Cells& cells);
// Reads of outputs of the entry that the run has not written before.
std::vector<Finding> unwritten_reads(const Run& run);
// Rows of the first dimension of outputs that nothing in the run has written, where it has written others.
std::vector<Finding> unwritten_rows(const Run& run);
// That the host function hands nothing to some ranks.
std::optional<Finding> idle_ranks(const Run& run, int ranks);
// Results that may differ in another schedule, although there is no error.
std::vector<Finding> schedule_warnings(const Flow& flow);
// The same if it is known that they differ, but not because of which value.
Finding schedule_warning(const interp::Code& entry);
// The error of a program that cannot be checked, or that the run itself reports: bounds, window; empty if
// it means that the program is invalid.
std::optional<Finding> failure_of(const Run& run);

}  // namespace tilewire::check
