// Process 0 tells all others by MPI where it listens, and what they have to say to be let in.
#include <sys/socket.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "processes/messages/door.h"
#include "processes/rendezvous.h"
#include "runtime/run_state.h"

namespace tilewire::processes {
namespace {

// Nobody comes late any more: all have met.
constexpr uint64_t connect_limit_ns = 30'000'000'000;

// While it lives, a note tells after a while that this process waits: inside of MPI nobody could.
class LateNote {
 public:
  LateNote(const Launch& launch, uint64_t after_ns)
      : thread_([this, &launch, after_ns] {
          std::unique_lock lock(mutex_);
          if (met_.wait_for(lock, std::chrono::nanoseconds(after_ns), [this] { return over_; })) return;
          std::fprintf(stderr, "tilewire: process %d of %d waits for others to make their first call\n",
                       launch.process, launch.processes);
        }) {}
  ~LateNote() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    met_.notify_all();
    thread_.join();
  }
  LateNote(const LateNote&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable met_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

std::optional<Seat> meet_by_mpi(const Launch& launch, Mpi& mpi, void (*at_end)(), std::string& problem,
                                Limits limits) {
  std::string door_name;
  std::optional<Door> door;
  {
    const LateNote note(launch, limits.note_ns);
    if (!mpi.join(launch, at_end, problem)) return std::nullopt;
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
    if (!problem.empty()) return std::nullopt;
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
  if (!problem.empty()) return std::nullopt;
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
