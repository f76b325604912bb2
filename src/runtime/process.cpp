#include "runtime/process.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "runtime/run.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {
namespace {

std::atomic<Process*> current{nullptr};
// What a parent left behind is never freed, but stays reachable.
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

void Helpers::place(const cpu_set_t& cpus) {
  if (placed_ && CPU_EQUAL(&cpus, &cpus_)) return;
  cpus_ = cpus;
  placed_ = true;
  for (pid_t thread : threads_) sched_setaffinity(thread, sizeof cpus_, &cpus_);
}

bool Helpers::request(Run* run, const cpu_set_t* cpus) {
  std::lock_guard lock(mutex_);
  if (cpus) place(*cpus);
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

int Helpers::cancel(Run* run) {
  std::lock_guard lock(mutex_);
  return static_cast<int>(std::erase(requests_, run));
}

void Helpers::work() {
  std::unique_lock lock(mutex_);
  threads_.push_back(gettid());
  if (placed_) sched_setaffinity(0, sizeof cpus_, &cpus_);
  for (;;) {
    wanted_.wait(lock, [this] { return stopping_ || !requests_.empty(); });
    if (stopping_) break;
    Run* run = requests_.front();
    requests_.pop_front();
    --idle_;
    lock.unlock();
    run->help();
    lock.lock();
    ++idle_;
  }
  std::erase(threads_, gettid());
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
