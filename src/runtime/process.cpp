#include "runtime/process.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>
#include <thread>
#include <utility>

#include "runtime/run.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {
namespace {

std::atomic<Process*> current{nullptr};
// The parent's state is never freed, but stays reachable.
std::atomic<Process*> abandoned{nullptr};

void forget_in_child() {
  abandoned.store(current.exchange(nullptr));
}

// Idle threads end before static objects do.
struct AtExit {
  ~AtExit() { shutdown(); }
};

// Signals are for the threads of the program.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Process* Process::existing() {
  return current.load(std::memory_order_acquire);
}

Process& Process::get() {
  if (Process* process = existing()) return *process;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_in_child);
  static AtExit at_exit;
  static_cast<void>(registered);
  auto made = std::make_unique<Process>();
  Process* expected = nullptr;
  if (current.compare_exchange_strong(expected, made.get())) return *made.release();
  return *expected;
}

void shutdown() {
  if (Process* process = Process::existing()) process->helpers.stop();
}

Run* Process::take_run() {
  {
    std::lock_guard lock(mutex_);
    if (!free_runs_.empty()) {
      Run* run = free_runs_.back();
      free_runs_.pop_back();
      return run;
    }
  }
  Run* run = new Run(*this);
  run->next_of_process = all_runs.load();
  while (!all_runs.compare_exchange_weak(run->next_of_process, run)) {
  }
  return run;
}

void Process::give_run(Run* run) {
  std::lock_guard lock(mutex_);
  free_runs_.push_back(run);
}

// A thread keeps away from that core until a caller is elsewhere, so calls one after the other ask the system
// once.
void Helpers::place(int caller_core, const cpu_set_t& cpus) {
  cpu_set_t others = cpus;
  if (caller_core >= 0) CPU_CLR(caller_core, &others);
  if (CPU_COUNT(&others) == 0) return;
  bool same_cpus = CPU_EQUAL(&cpus, &cpus_);
  cpus_ = cpus;
  for (Thread* thread : threads_) {
    if (!thread->idle || (same_cpus && thread->avoids == caller_core)) continue;
    if (sched_setaffinity(thread->id, sizeof others, &others) == 0) thread->avoids = caller_core;
  }
}

bool Helpers::request(Run* run, int caller_core, const cpu_set_t& cpus) {
  std::lock_guard lock(mutex_);
  place(caller_core, cpus);
  if (static_cast<size_t>(idle_) > requests_.size()) {
    requests_.push_back(run);
    wanted_.notify_one();
    return true;
  }
  SignalsBlocked blocked;
  try {
    std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  ++idle_;
  requests_.push_back(run);
  return true;
}

void Helpers::move(pid_t id, const cpu_set_t& cpus) {
  std::lock_guard lock(mutex_);
  for (Thread* thread : threads_) {
    if (thread->id == id && sched_setaffinity(id, sizeof cpus, &cpus) == 0) thread->avoids = nothing;
  }
}

int Helpers::cancel(Run* run) {
  std::lock_guard lock(mutex_);
  return static_cast<int>(std::erase(requests_, run));
}

void Helpers::work() {
  std::unique_lock lock(mutex_);
  Thread self{.id = gettid()};
  threads_.push_back(&self);
  for (;;) {
    wanted_.wait(lock, [this] { return stopping_ || !requests_.empty(); });
    if (stopping_) break;
    Run* run = requests_.front();
    requests_.pop_front();
    --idle_;
    self.idle = false;
    lock.unlock();
    run->help();
    lock.lock();
    self.idle = true;
    ++idle_;
  }
  std::erase(threads_, &self);
  --idle_;
  gone_.notify_all();
}

void Helpers::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wanted_.notify_all();
  gone_.wait(lock, [this] { return idle_ == 0; });
  stopping_ = false;
}

std::unique_ptr<Job> FiberPool::take() {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Job> job = std::move(free_.back());
      free_.pop_back();
      return job;
    }
  }
  auto job = std::make_unique<Job>();
  return job->create() ? std::move(job) : nullptr;
}

void FiberPool::give(std::unique_ptr<Job> job) {
  job->arena.trim(uint64_t{1} << 20);
  std::lock_guard lock(mutex_);
  if (free_.size() < keep_count) free_.push_back(std::move(job));
}

}  // namespace tilewire::runtime
