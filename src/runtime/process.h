// What runs of this process share and keep between them: helper threads, fibers, run states, storage.
//
// Made on first use. A child of fork has none of the threads, and locks may be in any state: it forgets
// everything and starts anew.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/job.h"
#include "runtime/storage.h"

namespace tilewire::runtime {

class Run;

class Helpers {
 public:
  // Sends a thread to run->help(). False: the system has no thread to give.
  bool request(Run* run);
  // Takes back requests that no thread has answered; gives their number.
  int cancel(Run* run);
  // Ends the idle threads.
  void stop();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable gone_;
  std::deque<Run*> requests_;
  int idle_ = 0;
  bool stopping_ = false;
};

class FiberPool {
 public:
  std::unique_ptr<Job> take();  // null: no memory for a stack
  void give(std::unique_ptr<Job> job);

  static constexpr size_t keep_count = 2048;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Job>> free_;
};

class Process {
 public:
  static Process& get();
  // Null before the first run.
  static Process* existing();

  Run* take_run();
  void give_run(Run* run);

  Helpers helpers;
  FiberPool fibers;
  StoragePool storage;

  // All run states ever made, newest first; only ever grows, so a signal handler can walk it.
  std::atomic<Run*> all_runs{nullptr};

 private:
  std::mutex mutex_;
  std::vector<Run*> free_runs_;
};

}  // namespace tilewire::runtime
