#include "processes/launcher.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <string_view>

namespace tilewire::processes {
namespace {

// The variables of a launcher. Slurm's are looked at last, and only those of a step that srun has started: a
// script of sbatch has the others, too, and is one process.
struct Variables {
  const char *size, *process, *here;
  MpiKind mpi;
  const char* reached_by[2];          // what MPI finds its launcher with: one of these
  std::vector<std::string> starters;  // names begin so
};
const Variables launchers[] = {
    {"OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     MpiKind::OpenMpi,
     {"PMIX_RANK", "PMIX_RANK"},
     {"mpirun", "mpiexec", "orte", "prte"}},
    {"PMI_SIZE",
     "PMI_RANK",
     "MPI_LOCALNRANKS",
     MpiKind::Mpich,
     {"PMI_FD", "PMI_PORT"},
     {"hydra_pmi_proxy", "slurmstepd"}},
    // With srun --mpi=pmix.
    {"SLURM_STEP_NUM_TASKS",
     "SLURM_PROCID",
     nullptr,
     MpiKind::OpenMpi,
     {"PMIX_RANK", "PMIX_RANK"},
     {"slurmstepd"}},
};
constexpr const char* job_names[] = {"PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports",
                                     "SLURM_JOB_ID", "SLURM_STEP_ID", "PMI_JOBID"};

// The first name of a list of Slurm's such as `node[07-09,12],gpu1`.
std::string first_host(std::string_view list) {
  const size_t end = list.find_first_of("[,");
  std::string name(list.substr(0, end));
  if (end == list.npos || list[end] == ',') return name;
  const std::string_view numbers = list.substr(end + 1);
  return name + std::string(numbers.substr(0, numbers.find_first_of("-,]")));
}

// A port for each job of a user: two on the same host at the same time are not likely to have the same.
int port_of(std::string_view job) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 20000 + static_cast<int>(hash % 10000);
}

std::optional<int32_t> number(const char* text) {
  int32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// Of a list such as 4,5,6; none if it is something else.
std::vector<int32_t> numbers(std::string_view list) {
  std::vector<int32_t> all;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const auto one = number(std::string(list.substr(0, end)).c_str());
    if (!one) return {};
    all.push_back(*one);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment, std::string& problem) {
  for (const Variables& names : launchers) {
    const char *size = environment(names.size), *process = environment(names.process);
    if (!size || !process) continue;
    Launch launch;
    const auto processes = number(size), own = number(process);
    if (!processes || !own || *processes < 1 || *own < 0 || *own >= *processes) {
      problem = std::string(names.size) + "=" + size + " and " + names.process + "=" + process +
                " are not the place of a process";
      return std::nullopt;
    }
    launch.process = *own;
    launch.processes = launch.here = *processes;
    launch.starters = names.starters;
    const char* here = names.here ? environment(names.here) : nullptr;
    const char* hosts = environment("SLURM_STEP_NUM_NODES");
    if (here && number(here)) {
      launch.here = *number(here);
    } else if (hosts && number(hosts).value_or(1) > 1) {  // srun --mpi=pmi2 has PMI_SIZE, too
      launch.here = 0;                                    // not known, but not all
    }
    if (!launch.over_hosts()) {
      launch.on_this_host.resize(static_cast<size_t>(*processes));
      std::iota(launch.on_this_host.begin(), launch.on_this_host.end(), 0);
    } else if (const char* list = environment("SLURM_GTIDS"); list && !here) {
      launch.on_this_host = numbers(list);
    }
    // Of srun --mpi=pmi2 another version of the protocol than MPICH speaks.
    const bool other_protocol = names.mpi == MpiKind::Mpich && hosts && !here;
    for (const char* name : names.reached_by) {
      if (environment(name) && !other_protocol) launch.mpi = names.mpi;
    }
    for (const char* name : job_names) {
      if (const char* value = environment(name)) launch.job += std::string(name) + "=" + value + ";";
    }
    if (const char* address = environment("TILEWIRE_WORLD")) {
      launch.address = address;
      launch.address_is_given = true;
    } else if (const char* list = environment("SLURM_STEP_NODELIST"); list && launch.over_hosts()) {
      launch.address = first_host(list) + ":" + std::to_string(port_of(launch.job));
    }
    return launch;
  }
  return std::nullopt;
}

}  // namespace tilewire::processes
