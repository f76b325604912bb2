// Ranks on two hosts beside Open MPI over the same network, all in one run.
//
//     chrt -r 1 build/release/bench/hosts [--quick] [--tcp | --over-mpi]
//
// Our messages take TCP sockets, and in other launches MPI; an option leaves it at one of them.
//
// - put and notify: one way from a put to the wait for its signal, between two processes, beside MPI_Send and
//   MPI_Recv of the same bytes, and beside a TCP socket that both ends look at all the time;
// - remote loads of 8 KB that read an array of 4 MB of a peer, with what the runtime fetches ahead beside the
//   same loads with nothing fetched ahead;
// - calls, and barriers beside MPI_Barrier, over 2 x 1 and 2 x 2 ranks with a process each;
// - the sum of an array over the same ranks beside MPI_Allreduce. Both sides write the operand and read the
//   result in every round.
//
// Makes two network namespaces (two_hosts.h), which takes root, and starts itself there with mpirun. Our
// turns and MPI's take a few milliseconds each and follow each other; what is shown is the best turn of
// either side, because other programs of the machine only ever add time.
#include <cstdio>
#include <string>
#include <vector>

#ifdef TILEWIRE_BENCH_MPI
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "two_hosts.h"
#include "world_side.h"
#endif

#ifndef TILEWIRE_BENCH_MPI

int main() {
  printf("there was no MPI when this was built\n");
}

#else

namespace {

using namespace bench;
using tilewire::Array;
using tilewire::Executable;

struct Size {
  int64_t bytes;
  double goal;
};
const Size put_sizes[] = {{8, 1.2}, {4 << 10, 0}, {64 << 10, 0}, {1 << 20, 0}};
const Size sum_sizes[] = {{4, 0.8}, {16 << 10, 3}, {256 << 10, 1}, {4 << 20, 1}};
constexpr int64_t load_bytes = 4 << 20;
const Form form{"collective", "collectives/rounds.py", "allreduce", 0, 4 << 20};

// A call over hosts takes some 0.1 ms, and not always equally long.
constexpr double turn_seconds = 0.005;

// --- in the processes that mpirun has started

// A connection between the first two processes.
int raw_socket() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, TwoHosts::addresses[0], &address.sin_addr);
  socklen_t size = sizeof address;
  int listener = -1, connection = -1;
  if (place.rank == 0) {
    listener = socket(AF_INET, SOCK_STREAM, 0);
    bool good = bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener, 1) == 0;
    if (!good || getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) perror("a socket");
  }
  MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (place.rank == 0) {
    connection = accept(listener, nullptr, nullptr);
    close(listener);
  } else {
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), size) != 0) perror("a socket");
  }
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connection;
}

void send_all(int socket, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return perror("send");
    bytes += sent;
    count -= static_cast<size_t>(sent);
  }
}

void receive_all(int socket, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t received = recv(socket, bytes, count, MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) continue;
    if (received <= 0) return perror("recv");
    bytes += received;
    count -= static_cast<size_t>(received);
  }
}

// Both ways in turns.
template <class Send, class Receive>
void rally(int rounds, Send send, Receive receive) {
  for (int i = 0; i < rounds; ++i) {
    if (place.rank == 1) receive();
    send();
    if (place.rank == 0) receive();
  }
}

void puts() {
  const int socket = raw_socket();
  for (const Size& size : put_sizes) {
    const int64_t elements = size.bytes / 4;
    Executable exe = compile("hosts/put.py", "put", 2, elements);
    std::vector<float> x(2 * elements, 1), y(2);
    auto ours = [&](int rounds) {
      exe({Array::of(x.data(), {2, elements}), int64_t{rounds}, Array::of(y.data(), {2, 1})}, on(2));
    };
    ours(7);
    if (y[0] != 7 || y[1] != 7) {
      fprintf(stderr, "wrong values arrived: %g, %g\n", static_cast<double>(y[0]), static_cast<double>(y[1]));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::vector<char> out(size.bytes), in(size.bytes);
    const int count = static_cast<int>(size.bytes), other = 1 - place.rank;
    Turns turns(
        ours,
        [&](int rounds) {
          rally(
              rounds, [&] { MPI_Send(out.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD); },
              [&] { MPI_Recv(in.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
        },
        turn_seconds);
    Turns raw({}, [&](int rounds) {
      rally(
          rounds, [&] { send_all(socket, out.data(), out.size()); },
          [&] { receive_all(socket, in.data(), in.size()); });
    });
    turns.measure(repetitions(size.bytes));
    raw.measure(repetitions(size.bytes));
    const std::string key = std::to_string(size.bytes);
    if (place.rank == 0) say("put" + key, turns.ours() / 2, turns.theirs() / 2);
    if (place.rank == 0) say("raw" + key, raw.theirs() / 2, 0);
  }
  close(socket);
}

// Sums by remote loads, with what is fetched ahead and without.
void loads() {
  const int64_t elements = load_bytes / 4;
  auto sums = [&](const char* drops) {
    Executable exe = compile("hosts/loads.py", "loads", 2, elements, {{"DROPS", drops}});
    auto y = std::make_shared<std::vector<float> >(2);
    auto run = [exe, y](int rounds) { exe({int64_t{rounds}, Array::of(y->data(), {2, 1, 1})}, on(2)); };
    run(3);
    const auto want = static_cast<float>(3 * 3 * (elements / chunk_of(elements)));
    for (float each : *y) {
      if (each == want) continue;
      fprintf(stderr, "wrong sum of loads: %g in place of %g\n", static_cast<double>(each),
              static_cast<double>(want));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return run;
  };
  Turns turns(sums("False"), sums("True"), turn_seconds);
  turns.measure(repetitions(load_bytes));
  if (place.rank == 0) say("loads", turns.ours(), turns.theirs());
}

// What a call takes in every process, and a barrier of all ranks.
void meetings() {
  Executable empty = compile("comm/empty.py", "plain", place.ranks);
  Executable meet = compile("collectives/rounds.py", "barrier", place.ranks);
  std::vector<float> y(place.ranks);
  Turns calls(
      [&](int rounds) {
        for (int i = 0; i < rounds; ++i) empty({}, on(place.ranks));
      },
      {}, turn_seconds);
  Turns barriers(
      [&](int rounds) {
        meet({int64_t{rounds}, Array::of(y.data(), {place.ranks, 1, 1})}, on(place.ranks));
      },
      [](int rounds) {
        for (int i = 0; i < rounds; ++i) MPI_Barrier(MPI_COMM_WORLD);
      },
      turn_seconds);
  calls.measure(repetitions(4) / 2);
  barriers.measure(repetitions(4) / 2);
  if (place.rank == 0) say("call", calls.ours(), 0);
  if (place.rank == 0) say("barrier", barriers.ours(), barriers.theirs());
}

void sums() {
  for (const Size& size : sum_sizes) {
    const int64_t elements = size.bytes / 4;
    Pages operand_pages(size.bytes), result_pages(size.bytes);
    MpiSum apart{operand_pages.floats(), result_pages.floats(), elements};
    MpiSum in_place{result_pages.floats(), result_pages.floats(), elements};
    const auto run = our_sum(form, place.ranks, elements);
    for (MpiSum* sum : {&apart, &in_place}) {
      Turns turns(
          run, [&](int rounds) { sum->run(rounds, place.rank); }, turn_seconds);
      turns.measure(repetitions(size.bytes) / 2);
      if (place.rank == 0) say("sum" + std::to_string(size.bytes), turns.ours(), turns.theirs());
    }
  }
}

void process(int argc, char** argv) {
  // Without TILEWIRE_WORLD our messages take MPI, from another thread, too.
  join_mpi(argc, argv, std::getenv("TILEWIRE_WORLD") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE);
  place.processes = place.ranks;
  tilewire::init();
  if (place.ranks == 2) {
    puts();
    loads();
  }
  meetings();
  sums();
  MPI_Finalize();
}

// --- in the one that was started

struct Way {
  const char* name;
  bool over_tcp;
};
const Way ways[] = {{"TCP", true}, {"MPI", false}};

void beside_mpi(const std::string& program, const std::string& only) {
  static const TwoHosts hosts;  // taken down by exit, too
  for (int each : {1, 2}) {
    for (const Way& way : ways) {
      if (!only.empty() && only != way.name) continue;
      BestTimes found;
      for (int i = 0; i < (quick ? 1 : 3); ++i) {
        std::string options = "'" + program + "' --mpi" + (quick ? " --quick" : "");
        if (way.over_tcp)
          options = std::string("-x TILEWIRE_WORLD=") + TwoHosts::addresses[0] + ":29500 " + options;
        run_lines(hosts.mpirun(each, options), [&](const char* line) { collect(line, found); });
      }
      const std::string over = std::string(" over ") + way.name;
      for (const Size& size : put_sizes) {
        const std::string key = std::to_string(size.bytes);
        if (each != 1) break;
        show({("put of " + show_size(size.bytes) + " and notify" + over).c_str(), "MPI_Send, Recv", size.goal,
              true},
             found["put" + key], "  TCP " + show_time(found["raw" + key].ours));
      }
      if (each == 1) {
        show({("loads of 8 KB from " + show_size(load_bytes) + over).c_str(), "not ahead", 0, false},
             found["loads"]);
      }
      const std::string ranks = ", 2 x " + std::to_string(each) + " ranks" + over;
      show({("call" + ranks).c_str(), "", 0, false}, found["call"]);
      show({("barrier" + ranks).c_str(), "MPI_Barrier", 0, false}, found["barrier"]);
      for (const Size& size : sum_sizes) {
        show({("sum of " + show_size(size.bytes) + ranks).c_str(), "MPI_Allreduce", each == 2 ? size.goal : 0,
              false},
             found["sum" + std::to_string(size.bytes)]);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  return run_beside_mpi(
      argc, argv, process, [&](const std::string& program) { beside_mpi(program, only); },
      [&](const std::string& word) {
        if (word == "--tcp") only = "TCP";
        if (word == "--over-mpi") only = "MPI";
      });
}

#endif
