// Two hosts on one machine: network namespaces with a name each, joined by a virtual cable. Between them
// there is nothing but TCP, as far as launchers, MPI and Tilewire know. Making them takes root.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace bench {

class TwoHosts {
 public:
  static constexpr const char* addresses[] = {"10.77.0.1", "10.77.0.2"};

  TwoHosts() {
    // Ctrl-C ends what runs there, and then this program.
    std::signal(SIGINT, [](int) {});
    remove_stale();
    for (int i = 0; i < 2; ++i) must("ip netns add " + name(i));
    must("ip link add eth0 netns " + name(0) + " type veth peer name eth0 netns " + name(1));
    for (int i = 0; i < 2; ++i) {
      must("ip -n " + name(i) + " addr add " + addresses[i] + "/24 dev eth0");
      must("ip -n " + name(i) + " link set eth0 up");
      must("ip -n " + name(i) + " link set lo up");
      // There is nothing on the cable to give way to, and BBR would find its rate again and again.
      must("ip netns exec " + name(i) + " sysctl -q -w net.ipv4.tcp_congestion_control=reno");
    }
    // What mpirun takes for ssh: enters the namespace of an address.
    const int cores = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN) / 2, 1L));
    std::ofstream(agent_) << "#!/bin/bash\n"
                             "while [[ $1 == -* ]]; do shift; done\n"
                             "host=$((${1##*.} - 1)) cores="
                          << cores
                          << "; shift\n"
                             "exec ip netns exec tw"
                          << id_
                          << "h$host taskset -c "
                             "$((host * cores))-$((host * cores + cores - 1)) unshare -u "
                             "bash -c \"hostname tw"
                          << id_ << "h$host; $*\"\n";
    chmod(agent_.c_str(), 0700);
  }
  ~TwoHosts() {
    for (int i = 0; i < 2; ++i) {
      if (std::system(("ip netns del " + name(i) + " 2>/dev/null").c_str()) != 0) continue;
    }
    unlink(agent_.c_str());
  }
  TwoHosts(const TwoHosts&) = delete;

  // Open MPI's, so many processes on each host, the first ones on the first.
  std::string mpirun(int each, const std::string& options) const {
    const std::string count = std::to_string(each);
    const std::string hosts = std::string(addresses[0]) + ":" + count + "," + addresses[1] + ":" + count;
    return agent_ + " " + addresses[0] + " mpirun --allow-run-as-root --mca plm_rsh_agent " + agent_ +
           " --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 --oversubscribe --bind-to none" +
           (2 * each > sysconf(_SC_NPROCESSORS_ONLN) ? " --mca mpi_yield_when_idle 1" : "") + " --host " +
           hosts + " -n " + std::to_string(2 * each) + " " + options;
  }

 private:
  std::string name(int i) const { return "tw" + id_ + "h" + std::to_string(i); }
  // Those of programs that were killed.
  static void remove_stale() {
    FILE* names = popen("ip netns list", "r");
    char line[128];
    int process = 0, host = 0;
    while (names && fgets(line, sizeof line, names)) {
      if (std::sscanf(line, "tw%dh%d", &process, &host) != 2 || kill(process, 0) == 0) continue;
      const std::string name = "tw" + std::to_string(process) + "h" + std::to_string(host);
      if (std::system(("ip netns del " + name).c_str()) != 0) break;
    }
    if (names) pclose(names);
  }
  void must(const std::string& command) {
    if (std::system(command.c_str()) == 0) return;
    std::fprintf(stderr, "failed: %s\nnetwork namespaces take root and the command ip\n", command.c_str());
    this->~TwoHosts();
    std::exit(1);
  }

  const std::string id_ = std::to_string(getpid());
  const std::string agent_ = "/tmp/tilewire-bench-agent-" + id_;
};

}  // namespace bench
