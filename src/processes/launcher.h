// What a launcher such as mpirun or srun says of the processes it has started.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewire::processes {

// The libraries whose launchers we know; their binary interfaces differ.
enum class MpiKind : uint8_t { None, OpenMpi, Mpich };

struct Launch {
  int32_t process = 0;
  int32_t processes = 1;
  int32_t here = 1;  // that run on this host; 0: not known, but not all
  // The same in all processes of the job, and in no other job of this host at the same time; empty: nothing
  // tells jobs apart but the launcher itself.
  std::string job{};
  // Where process 0 can be reached from other hosts, as HOST:PORT; empty: not known. One that the user has
  // not given is for where MPI does not help.
  std::string address{};
  bool address_is_given = false;
  // Of the launcher, which helps its processes to find each other by MPI.
  MpiKind mpi = MpiKind::None;
  // Which processes these are; empty: not known.
  std::vector<int32_t> on_this_host{};
  // Names of the programs whose children the processes of a host are; those of others are not known to be all
  // of the job.
  std::vector<std::string> starters{};

  bool over_hosts() const { return here != processes; }
};

// Returns the value of an environment variable; null when it is not set.
using Environment = std::function<const char*(const char* name)>;

// Nothing without a launcher, or when what it says makes no sense. `problem` says what does not.
std::optional<Launch> find_launch(const Environment& environment, std::string& problem);

}  // namespace tilewire::processes
