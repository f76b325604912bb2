#include "processes/rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "processes/place.h"
#include "processes/siblings.h"
#include "runtime/run_state.h"
#include "support/diagnostics/driver.h"

namespace tilewire::processes {
namespace {

constexpr int step_ms = 20;         // between two looks whether it is interrupted
constexpr int stand_in_ms = 500;    // others try again much more often
constexpr int greeting_ms = 5'000;  // so long a process that has connected may take to say who it is

// Two processes with the same can share memory, if the system lets them.
std::string this_host() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  utsname system{};
  if (uname(&system) == 0) name += std::string(" ") + system.nodename;
  return name;
}

}  // namespace

Seat empty_seat(const Launch& launch, Limits limits) {
  Seat seat;
  seat.process = launch.process;
  seat.processes = launch.processes;
  seat.limits = limits;
  seat.host = this_host();
  return seat;
}

Failure not_joined(const std::string& problem) {
  return world_failure(diag::world_not_joined, {problem});
}

namespace {

class Meeting {
 public:
  Meeting(const Launch& launch, const Place& place, Siblings& siblings, Limits limits,
          std::optional<Failure>& failure)
      : launch_(launch), place_(place), siblings_(siblings), limits_(limits), failure_(failure) {}

  std::optional<Seat> lead() {
    const int listener = place_.listen();
    if (listener < 0) {
      refuse(std::string("process 0 cannot listen for the others: ") + std::strerror(errno));
      return std::nullopt;
    }
    Seat seat = empty_seat(launch_, limits_);
    seat.streams.resize(static_cast<size_t>(launch_.processes) - 1);
    const bool all = receive_all(listener, seat);
    close(listener);
    for (Stream& stream : seat.streams) {
      stream.send(all ? Message{.kind = Message::Kind::Hello}
                      : Message{.kind = Message::Kind::Lost, .failure = failure_});
    }
    return all ? std::optional(std::move(seat)) : std::nullopt;
  }

  std::optional<Seat> follow() {
    std::string problem;
    for (;;) {
      if (!go_on({0})) {
        if (ended_ == 0 && place_.is_public()) stand_in();
        return std::nullopt;
      }
      const int connection = place_.connect(problem);
      if (connection >= 0) {
        if (place_.accepts(connection)) return greet(connection);
        close(connection);
        problem = "a process of another user has taken the place of process 0";
      }
      if (!problem.empty()) {
        refuse(problem);
        return std::nullopt;
      }
      usleep(step_ms * 1000);
    }
  }

 private:
  // What tells the processes of the job from others.
  std::string job_text() const {
    const std::string processes = std::to_string(launch_.processes);
    return place_.is_public() ? processes + " " + std::to_string(hash_of(launch_.job)) : processes;
  }

  void refuse(const std::string& problem) { failure_ = not_joined(problem); }

  // False: not all have come.
  bool receive_all(int listener, Seat& seat) {
    for (;;) {
      std::vector<int32_t> missing;
      for (int32_t p = 1; p < launch_.processes; ++p) {
        if (!seat.streams[static_cast<size_t>(p) - 1].open()) missing.push_back(p);
      }
      if (missing.empty()) return true;
      if (!go_on(missing)) return false;
      pollfd ready{listener, POLLIN, 0};
      if (poll(&ready, 1, step_ms) > 0) {
        for (;;) {
          const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
          if (connection < 0) break;
          if (!place_.accepts(connection)) {
            close(connection);
          } else if (!seat_one(Stream(connection), seat)) {
            return false;
          }
        }
      }
      if (!hear_seated(seat)) return false;
    }
  }

  // Those that have come wait for the others. False: one has ended, or tells that another has.
  bool hear_seated(Seat& seat) {
    std::vector<pollfd> ready;
    for (const Stream& stream : seat.streams) ready.push_back({stream.fd(), POLLIN, 0});
    if (poll(ready.data(), ready.size(), 0) <= 0) return true;
    for (size_t i = 0; i < ready.size() && !failure_; ++i) {
      Stream& stream = seat.streams[i];
      if (ready[i].revents == 0 || stream.receive([this](Message&& message) { hear(message); })) continue;
      stream.close();
      if (!failure_) failure_ = lost_process(static_cast<int32_t>(i) + 1, too_early);
    }
    return !failure_;
  }

  // What a process has to say that waits for the others.
  void hear(const Message& message) {
    if (message.kind == Message::Kind::Cut && !failure_) {
      failure_ = lost_process(static_cast<int32_t>(message.number), message.text);
    }
  }

  // The first message, if one comes in the next moments. What may come to a process after it is no more than
  // a Ping.
  std::optional<Message> first_message(Stream& stream, int wait_ms) {
    std::optional<Message> first;
    pollfd ready{stream.fd(), POLLIN, 0};
    poll(&ready, 1, wait_ms);
    const bool open = stream.receive([&](Message&& message) {
      if (first) return hear(message);
      first = std::move(message);
    });
    if (!open && !first) stream.close();
    return first;
  }

  // False: it is none of the job. Strangers that may come by are sent away.
  bool seat_one(Stream stream, Seat& seat) {
    std::optional<Message> hello;
    const uint64_t until = runtime::now_ns() + uint64_t{greeting_ms} * 1'000'000;
    while (!hello && stream.open() && runtime::now_ns() < until) hello = first_message(stream, step_ms);
    const auto processes = static_cast<uint64_t>(launch_.processes);
    if (!hello || hello->kind != Message::Kind::Hello || hello->text != job_text()) {
      if (!place_.is_public()) refuse("a process of the job does not say which one it is");
    } else if (hello->number == 0 || hello->number >= processes || seat.streams[hello->number - 1].open()) {
      refuse("two processes of the job are process " + std::to_string(hello->number));
    } else {
      seat.streams[hello->number - 1] = std::move(stream);
    }
    if (failure_) stream.send({.kind = Message::Kind::Lost, .failure = failure_});
    return !failure_;
  }

  // Says who it is, and waits until all have done so.
  std::optional<Seat> greet(int connection) {
    Seat seat = empty_seat(launch_, limits_);
    Stream& stream = seat.streams.emplace_back(connection);
    stream.send(
        {.kind = Message::Kind::Hello, .number = static_cast<uint64_t>(launch_.process), .text = job_text()});
    while (stream.open()) {
      if (!go_on({})) {
        // Process 0 tells the others.
        const Message bye{.kind = Message::Kind::Cut,
                          .number = static_cast<uint64_t>(ended_.value_or(launch_.process)),
                          .text = ended_ ? too_early : has_left};
        stream.send(bye);
        return std::nullopt;
      }
      const auto answer = first_message(stream, step_ms);
      if (answer && answer->kind == Message::Kind::Hello) return seat;
      if (answer && answer->failure) {
        failure_ = answer->failure;
        return std::nullopt;
      }
    }
    if (place_.is_public()) {
      refuse("process 0 has ended, or " + launch_.address + " belongs to another job");
    } else {
      failure_ = lost_process(0, too_early);
    }
    return std::nullopt;
  }

  // In the place of process 0, which has ended: tells those of other hosts, which cannot see that.
  void stand_in() {
    const int listener = place_.listen();
    if (listener < 0) return;  // somebody else does it
    const uint64_t until = runtime::now_ns() + uint64_t{stand_in_ms} * 1'000'000;
    while (runtime::now_ns() < until) {
      pollfd ready{listener, POLLIN, 0};
      if (poll(&ready, 1, step_ms) <= 0) continue;
      Stream stream(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
      const auto hello = first_message(stream, step_ms);
      if (hello && hello->text == job_text()) stream.send({.kind = Message::Kind::Lost, .failure = failure_});
    }
    close(listener);
  }

  // False when it was interrupted, or a process does not come.
  bool go_on(const std::vector<int32_t>& missing) {
    const uint64_t now_ns = runtime::now_ns(), waited_ns = now_ns - since_ns_;
    if (runtime::abort_requests() != requests_) refuse("interrupted");
    ended_ = siblings_.ended(now_ns);
    if (ended_) failure_ = lost_process(*ended_, too_early);
    for (int32_t process : missing) {
      if (failure_ || waited_ns <= limits_.join_ns) break;
      if (!siblings_.is_running(process)) failure_ = lost_process(process, limits_.absence());
    }
    if (!noted_ && waited_ns > limits_.note_ns) {
      noted_ = true;
      const std::string who = missing.empty() ? "others" : names_of(missing);
      std::fprintf(stderr, "tilewire: process %d of %d waits for %s to make %s first call\n", launch_.process,
                   launch_.processes, who.c_str(), missing.size() == 1 ? "its" : "their");
    }
    return !failure_;
  }

  const Launch& launch_;
  const Place& place_;
  Siblings& siblings_;
  const Limits limits_;
  std::optional<Failure>& failure_;
  std::optional<int32_t> ended_;
  const uint64_t requests_ = runtime::abort_requests();
  const uint64_t since_ns_ = runtime::now_ns();
  bool noted_ = false;
};

}  // namespace

std::optional<Seat> meet(const Launch& launch, std::optional<Failure>& failure, Limits limits) {
  Siblings siblings(launch);
  Launch job = launch;
  if (job.job.empty() && !job.over_hosts()) {
    job.job = "launcher=" + std::to_string(siblings.launcher() != 0 ? siblings.launcher() : getppid());
  }
  std::string problem;
  const std::unique_ptr<Place> place = make_place(job, problem);
  if (!place) {
    failure = not_joined(problem);
    return std::nullopt;
  }
  Meeting meeting(job, *place, siblings, limits, failure);
  return job.process == 0 ? meeting.lead() : meeting.follow();
}

}  // namespace tilewire::processes
