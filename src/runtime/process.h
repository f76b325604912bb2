// What runs of this process share and keep between them: helper threads, fibers, run states, storage.
//
// Made on first use. A child of fork has none of the threads, and locks may be in any state: it forgets
// everything and starts anew.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/job.h"
#include "runtime/regions.h"
#include "runtime/storage.h"

namespace tilewire::runtime {

class Run;

class Helpers {
 public:
  // Sends a thread to run->help(). Returns false if the system has no thread. Systems tend to wake a thread
  // on the core of its waker, where it waits for milliseconds: threads are woken on other cores of
  // `cpus` than that of the caller of the run.
  bool request(Run* run, int caller_core, const cpu_set_t& cpus);
  // Moves a thread to another core, until it is requested again.
  void move(pid_t id, const cpu_set_t& cpus);
  // Withdraws requests that no thread has answered; returns their number.
  int cancel(Run* run);
  // Ends the idle threads.
  void stop();

 private:
  static constexpr int nothing = -2;  // differs from the value for a caller on an unknown core
  struct Thread {
    pid_t id;
    bool idle = true;
    int avoids = nothing;  // the core of cpus_ that it may not use
  };

  void work();
  void place(int caller_core, const cpu_set_t& cpus);

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable gone_;
  std::deque<Run*> requests_;
  std::vector<Thread*> threads_;
  cpu_set_t cpus_{};  // of the last caller
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
  RegionPool regions;

  // Two workers of a run once shared a core: the system tends to put threads together.
  std::atomic<bool> crowded{false};

  // All run states ever made, newest first; only ever grows, so a signal handler can walk it.
  std::atomic<Run*> all_runs{nullptr};

 private:
  std::mutex mutex_;
  std::vector<Run*> free_runs_;
};

}  // namespace tilewire::runtime
