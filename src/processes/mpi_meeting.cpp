// Process 0 tells all others by MPI where it listens, and what they have to say to be let in.
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "processes/messages/door.h"
#include "processes/rendezvous.h"
#include "processes/siblings.h"
#include "runtime/run_state.h"

namespace tilewire::processes {
namespace {

// Nobody comes late any more: all have met.
constexpr uint64_t connect_limit_ns = 30'000'000'000;

// While it lives, looks after this process, which waits for the others inside of MPI, where nothing but the
// end of the process helps when one of them does not come.
class Watch {
 public:
  Watch(const Launch& launch, Siblings& siblings, Limits limits)
      : launch_(launch), siblings_(siblings), limits_(limits), thread_([this] { work(); }) {}
  ~Watch() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    met_.notify_all();
    thread_.join();
  }
  Watch(const Watch&) = delete;

 private:
  void work() {
    const uint64_t since_ns = runtime::now_ns();
    bool noted = false;
    std::unique_lock lock(mutex_);
    while (!met_.wait_for(lock, pause, [this] { return over_; })) {
      const uint64_t now_ns = runtime::now_ns(), waited_ns = now_ns - since_ns;
      if (const auto ended = siblings_.ended(now_ns)) end(lost_process(*ended, too_early));
      if (waited_ns > limits_.join_ns) end(not_joined("not all have come within " + limits_.join_text()));
      if (noted || waited_ns < limits_.note_ns) continue;
      noted = true;
      std::fprintf(stderr, "tilewire: process %d of %d waits for others to make their first call\n",
                   launch_.process, launch_.processes);
    }
  }

  [[noreturn]] static void end(const Failure& failure) {
    std::fflush(nullptr);
    std::fprintf(stderr, "%s", render(describe(failure, abi::Module{})).c_str());
    // MPICH's mpirun may miss that all processes of a host have ended; then the others would wait for ever.
    // It is told after it had time to pass on the error, which it would drop.
    if (const char* launcher = std::getenv("PMI_FD")) {
      std::this_thread::sleep_for(time_to_print);
      dprintf(std::atoi(launcher), "cmd=abort exitcode=1\n");
    }
    _exit(1);
  }

  static constexpr auto pause = std::chrono::milliseconds(20), time_to_print = std::chrono::milliseconds(200);
  const Launch& launch_;
  Siblings& siblings_;
  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable met_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

std::optional<Seat> meet_by_mpi(const Launch& launch, Mpi& mpi, void (*at_end)(),
                                std::optional<Failure>& failure, Limits limits) {
  std::string door_name, problem;
  std::optional<Door> door;
  const auto refuse = [&] {
    failure = not_joined(problem);
    return std::nullopt;
  };
  {
    Siblings siblings(launch);
    const Watch watch(launch, siblings, limits);
    if (!mpi.join(launch, at_end, problem)) return refuse();
    TilewireMpi& calls = mpi.calls();
    door.emplace(-1, problem);
    if (launch.process == 0) door_name = problem.empty() ? door->name() : "";
    auto size = static_cast<uint32_t>(door_name.size());
    int32_t error = calls.broadcast(&calls, &size, sizeof size);
    door_name.resize(size);
    if (error == 0) error = calls.broadcast(&calls, door_name.data(), static_cast<int32_t>(size));
    if (error != 0) {
      char text[256];
      calls.explain(&calls, error, text, sizeof text);
      problem = std::string("MPI does not reach all processes: ") + text;
    } else if (size == 0 && problem.empty()) {
      problem = "process 0 cannot listen for the others";
    }
    if (!problem.empty()) return refuse();
  }
  const auto processes = static_cast<size_t>(launch.processes);
  std::vector<std::string> names(processes);
  names[0] = door_name;
  std::vector<bool> connects(processes, launch.process == 0);
  connects[0] = launch.process != 0;
  const uint64_t requests = runtime::abort_requests();
  const auto go_on = [&] { return runtime::abort_requests() == requests; };
  const std::vector<int> sockets =
      door->connect(launch.process, names, connects, connect_limit_ns, go_on, problem);
  if (!go_on()) problem = "interrupted";
  if (!problem.empty()) return refuse();
  Seat seat = empty_seat(launch, limits);
  seat.mpi = &mpi;
  for (size_t p = 0; p < processes; ++p) {
    if (!connects[p]) continue;
    const int on = 1;
    setsockopt(sockets[p], SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    seat.streams.emplace_back(sockets[p]);
  }
  return seat;
}

}  // namespace tilewire::processes
