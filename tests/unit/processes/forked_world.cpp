#include "forked_world.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "processes/bytes.h"
#include "runtime/run_state.h"

namespace tilewire::processes {

void* map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  TW_CHECK(memory != MAP_FAILED, "no shared memory for the test");
  return memory;
}

void unmap(void* memory, size_t bytes) {
  munmap(memory, bytes);
}

ForkedWorld::ForkedWorld(int32_t processes, Child child, Limits limits, int32_t hosts) {
  std::fflush(nullptr);
  std::vector<Seat> seats(processes);
  for (int32_t p = 0; p < processes; ++p) {
    seats[p].process = p;
    seats[p].processes = processes;
    seats[p].limits = limits;
    seats[p].host = std::to_string(p * hosts / processes);
    int ends[2];
    if (p == 0) continue;
    TW_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no sockets for the test");
    seats[0].streams.emplace_back(ends[0]);
    seats[p].streams.emplace_back(ends[1]);
  }
  for (int32_t p = 0; p < processes; ++p) {
    int report[2];
    TW_CHECK(pipe2(report, O_CLOEXEC) == 0, "no pipe for the test");
    const pid_t id = fork();
    TW_CHECK(id >= 0, "no process for the test");
    if (id == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(report[0]);
      for (const ChildProcess& before : children_) close(before.report);
      Seat own = std::move(seats[p]);
      seats.clear();  // the others' ends: who holds them hides the end of their process
      work(std::move(own), child, report[1]);
    }
    close(report[1]);
    children_.push_back({id, report[0]});
  }
}

void ForkedWorld::work(Seat seat, const Child& child, int report) {
  Told told{.ended = true};
  {
    const int32_t process = seat.process;
    std::optional<Failure> problem;
    auto world = ProcessWorld::join(std::move(seat), problem);
    if (world) {
      const runtime::Outcome outcome = child(*world, process);
      told.at_ns = runtime::now_ns();
      told.ending = outcome.ending;
      told.text = outcome.error ? render(*outcome.error) : "";
      told.rank = outcome.rank;
      told.line = outcome.site.line;
    } else {
      told.ending = runtime::Ending::World;
      told.text = render(describe(*problem, abi::Module{}));
    }
  }
  told.failed = testing::Test::HasFailure();
  std::fflush(nullptr);
  Writer to;
  to.number(told.ending);
  to.text(told.text);
  to.number(told.rank);
  to.number(told.line);
  to.number(told.at_ns);
  to.number(static_cast<uint8_t>(told.failed));
  const std::string bytes = to.take();
  const bool written = write(report, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  runtime::shutdown();
  _exit(written ? 0 : 1);
}

ForkedWorld::~ForkedWorld() {
  wait(0);
}

void ForkedWorld::wait_but(int32_t process, int limit_ms) {
  const uint64_t until = runtime::now_ns() + static_cast<uint64_t>(limit_ms) * 1'000'000;
  for (size_t i = 0; i < children_.size(); ++i) {
    if (static_cast<int32_t>(i) == process) continue;
    const uint64_t now = runtime::now_ns();
    pollfd ready{children_[i].report, POLLIN, 0};
    poll(&ready, 1, now < until ? static_cast<int>((until - now) / 1'000'000) : 0);
  }
}

std::vector<Told> ForkedWorld::wait(int limit_ms) {
  const uint64_t until = runtime::now_ns() + static_cast<uint64_t>(limit_ms) * 1'000'000;
  std::vector<Told> all(children_.size());
  for (size_t i = 0; i < children_.size(); ++i) {
    ChildProcess& child = children_[i];
    if (child.id < 0) continue;
    std::string bytes;
    for (;;) {
      const uint64_t now = runtime::now_ns();
      pollfd ready{child.report, POLLIN, 0};
      if (poll(&ready, 1, now < until ? static_cast<int>((until - now) / 1'000'000) : 0) <= 0) {
        kill(child.id, SIGKILL);
        break;
      }
      char piece[4096];
      const ssize_t count = read(child.report, piece, sizeof piece);
      if (count <= 0) break;
      bytes.append(piece, static_cast<size_t>(count));
    }
    close(child.report);
    waitpid(child.id, nullptr, 0);
    child.id = -1;
    Reader from(bytes);
    Told told;
    told.ending = from.choice(runtime::Ending::World);
    told.text = from.text();
    told.rank = from.number<int32_t>();
    told.line = from.number<uint32_t>();
    told.at_ns = from.number<uint64_t>();
    told.failed = from.number<uint8_t>() != 0;
    told.ended = from.complete();
    all[i] = std::move(told);
  }
  return all;
}

}  // namespace tilewire::processes
