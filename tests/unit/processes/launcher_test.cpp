// What launchers say, and how the processes they start find each other.
#include "processes/launcher.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "forked_world.h"
#include "processes/rendezvous.h"
#include "runtime/run.h"

namespace tilewire::processes {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> found(const Variables& variables, std::string* problem = nullptr) {
  std::string ignored;
  return find_launch(
      [&](const char* name) {
        const auto entry = variables.find(name);
        return entry == variables.end() ? nullptr : entry->second.c_str();
      },
      problem ? *problem : ignored);
}

TEST(Launchers, SayWhichProcessThisIs) {
  const auto open_mpi = found({{"OMPI_COMM_WORLD_SIZE", "4"},
                               {"OMPI_COMM_WORLD_RANK", "3"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                               {"PMIX_NAMESPACE", "77"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->process, 3);
  EXPECT_EQ(open_mpi->processes, 4);
  EXPECT_EQ(open_mpi->here, 2);
  EXPECT_EQ(open_mpi->job, "PMIX_NAMESPACE=77;");
  const auto mpich = found({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "2"}});
  ASSERT_TRUE(mpich);
  EXPECT_EQ(mpich->here, 2);
  EXPECT_EQ(mpich->job, "");  // nothing but the launcher itself tells jobs apart
  const auto slurm = found({{"SLURM_STEP_NUM_TASKS", "8"},
                            {"SLURM_PROCID", "5"},
                            {"SLURM_JOB_ID", "12"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_STEP_NUM_NODES", "1"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->process, 5);
  EXPECT_EQ(slurm->here, 8);
  EXPECT_EQ(slurm->job, "SLURM_JOB_ID=12;SLURM_STEP_ID=0;");
  EXPECT_EQ(slurm->on_this_host.size(), 8u);
  EXPECT_TRUE(open_mpi->on_this_host.empty());  // nothing says which ones
  Variables several{{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_NODES", "2"}};
  several["SLURM_GTIDS"] = "4,5,16";
  EXPECT_EQ(found(several)->on_this_host, (std::vector<int32_t>{4, 5, 16}));
  several["SLURM_GTIDS"] = "4,x";
  EXPECT_TRUE(found(several)->on_this_host.empty());
}

// Over hosts the user says where process 0 is, or Slurm's list of hosts does.
TEST(Launchers, SayWhereProcess0Is) {
  auto address = [](const Variables& more) {
    Variables variables{{"SLURM_STEP_NUM_TASKS", "8"},
                        {"SLURM_PROCID", "5"},
                        {"SLURM_JOB_ID", "12"},
                        {"SLURM_STEP_ID", "0"},
                        {"SLURM_STEP_NUM_NODES", "2"}};
    for (const auto& [name, value] : more) variables[name] = value;
    const auto launch = found(variables);
    EXPECT_TRUE(launch && launch->over_hosts());
    return launch->address;
  };
  EXPECT_EQ(address({}), "");
  const std::string port = address({{"SLURM_STEP_NODELIST", "a"}}).substr(1);
  EXPECT_EQ(port.size(), 6u);
  EXPECT_EQ(address({{"SLURM_STEP_NODELIST", "node[007-009,12],b"}}), "node007" + port);
  EXPECT_EQ(address({{"SLURM_STEP_NODELIST", "n[3,5]"}}), "n3" + port);
  EXPECT_EQ(address({{"SLURM_STEP_NODELIST", "gpu1,gpu[3-4]"}}), "gpu1" + port);
  EXPECT_NE(address({{"SLURM_STEP_NODELIST", "a"}, {"SLURM_JOB_ID", "13"}}), "a" + port);
  EXPECT_EQ(address({{"SLURM_STEP_NODELIST", "a"}, {"TILEWIRE_WORLD", "b:7"}}), "b:7");
  const auto open_mpi = found({{"OMPI_COMM_WORLD_SIZE", "4"},
                               {"OMPI_COMM_WORLD_RANK", "3"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                               {"TILEWIRE_WORLD", "c:8"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_TRUE(open_mpi->over_hosts());
  EXPECT_EQ(open_mpi->address, "c:8");
  EXPECT_EQ(open_mpi->job, "");  // nothing that differs between hosts
}

// MPI helps where it can find its launcher.
TEST(Launchers, SayWhichMpiTheyBelongTo) {
  Variables open_mpi{{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}};
  EXPECT_EQ(found(open_mpi)->mpi, MpiKind::None);
  open_mpi["PMIX_RANK"] = "3";
  EXPECT_EQ(found(open_mpi)->mpi, MpiKind::OpenMpi);
  for (const char* name : {"PMI_FD", "PMI_PORT"}) {
    EXPECT_EQ(found({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}, {name, "6"}})->mpi, MpiKind::Mpich);
  }
  // Slurm has the variables of MPICH's launcher, but for the number of processes on this host.
  const auto slurm = found({{"PMI_SIZE", "2"},
                            {"PMI_RANK", "0"},
                            {"PMI_FD", "6"},
                            {"SLURM_STEP_NUM_NODES", "2"},
                            {"SLURM_STEP_NODELIST", "a,b"}});
  EXPECT_TRUE(slurm->over_hosts());
  EXPECT_TRUE(slurm->address.starts_with("a:2")) << slurm->address;
  EXPECT_EQ(slurm->mpi, MpiKind::None);  // that of srun --mpi=pmi2 speaks another protocol
  // MPICH's launcher may have been started by Slurm.
  EXPECT_EQ(found({{"PMI_SIZE", "2"},
                   {"PMI_RANK", "0"},
                   {"PMI_FD", "6"},
                   {"MPI_LOCALNRANKS", "1"},
                   {"SLURM_STEP_NUM_NODES", "2"}})
                ->mpi,
            MpiKind::Mpich);
  Variables step{{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}};
  EXPECT_EQ(found(step)->mpi, MpiKind::None);
  step["PMIX_RANK"] = "5";  // srun --mpi=pmix
  EXPECT_EQ(found(step)->mpi, MpiKind::OpenMpi);
}

TEST(Launchers, AreNotThereWithoutTheirVariables) {
  EXPECT_FALSE(found({}));
  // The script of a batch job is one process, whatever it will start.
  EXPECT_FALSE(found({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "12"}}));
}

TEST(Launchers, WhatMakesNoSenseIsSaid) {
  for (const auto& [size, rank] : {std::pair("4", "4"), {"4", "-1"}, {"0", "0"}, {"x", "0"}, {"4", ""}}) {
    std::string problem;
    EXPECT_FALSE(found({{"PMI_SIZE", size}, {"PMI_RANK", rank}}, &problem));
    EXPECT_EQ(problem,
              std::string("PMI_SIZE=") + size + " and PMI_RANK=" + rank + " are not the place of a process");
  }
  const auto several =
      found({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_NODES", "2"}});
  ASSERT_TRUE(several);
  EXPECT_NE(several->here, several->processes);
}

// Each in a process of its own; what they say went wrong.
std::vector<std::string> meet_all(const std::vector<Launch>& launches, std::vector<int> pauses_us = {},
                                  Limits limits = {}) {
  pauses_us.resize(launches.size(), 5000);
  constexpr size_t room = 256;
  Shared<char> texts(launches.size() * room);
  std::vector<pid_t> children;
  for (size_t i = 0; i < launches.size(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      std::optional<Failure> failure;
      if (launches[i].process != 0) usleep(static_cast<useconds_t>(pauses_us[i]));
      auto seat = meet(launches[i], failure, limits);
      std::unique_ptr<ProcessWorld> world;
      if (seat) world = ProcessWorld::join(std::move(*seat), failure);
      const std::string text =
          world ? std::to_string(world->process()) + " of " + std::to_string(world->processes())
                : describe(*failure, abi::Module{}).message;
      text.copy(&texts[i * room], room - 1);
      _exit(0);
    }
    children.push_back(child);
  }
  std::vector<std::string> result;
  for (size_t i = 0; i < launches.size(); ++i) {
    waitpid(children[i], nullptr, 0);
    result.emplace_back(&texts[i * room]);
  }
  return result;
}

const std::string cannot_join = "cannot join the other processes: ";

std::string own_job() {
  return "test" + std::to_string(getpid());
}

TEST(Rendezvous, BringsTheProcessesOfAJobTogether) {
  std::vector<Launch> launches;
  for (int32_t p = 0; p < 4; ++p) launches.push_back({p, 4, 4, own_job()});
  EXPECT_EQ(meet_all(launches), (std::vector<std::string>{"0 of 4", "1 of 4", "2 of 4", "3 of 4"}));
}

TEST(Rendezvous, KeepsJobsApart) {
  std::vector<Launch> launches;
  for (int32_t p = 0; p < 4; ++p) launches.push_back({p / 2, 2, 2, own_job() + (p % 2 ? "a" : "b")});
  EXPECT_EQ(meet_all(launches), (std::vector<std::string>{"0 of 2", "0 of 2", "1 of 2", "1 of 2"}));
}

// A port that nobody has at the moment.
std::string free_address() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

TEST(Rendezvous, BringsProcessesOfSeveralHostsTogether) {
  const std::string address = free_address();
  std::vector<Launch> launches;
  for (int32_t p = 0; p < 4; ++p) launches.push_back({p, 4, 2, "job", address});
  EXPECT_EQ(meet_all(launches), (std::vector<std::string>{"0 of 4", "1 of 4", "2 of 4", "3 of 4"}));
}

// On a port anybody may come by: another job, or who says nothing that makes sense.
TEST(Rendezvous, StrangersAreSentAway) {
  const std::string address = free_address();
  const pid_t stranger = fork();
  if (stranger == 0) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    for (int i = 0; i < 5'000; ++i) {
      const int connection = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(connection, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        _exit(send(connection, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL) == 18 ? 0 : 1);
      }
      close(connection);
      usleep(1000);
    }
    _exit(1);
  }
  // Process 1 of this job comes late.
  std::vector<Launch> launches{{0, 2, 1, "job", address}, {1, 2, 1, "other job", address}};
  launches.push_back({1, 2, 1, "job", address});
  const auto texts = meet_all(launches, {0, 5'000, 300'000});
  EXPECT_EQ(texts[0], "0 of 2");
  EXPECT_EQ(texts[1], cannot_join + "process 0 has ended, or " + address + " belongs to another job");
  EXPECT_EQ(texts[2], "1 of 2");
  int status = 0;
  waitpid(stranger, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Rendezvous, AddressesThatMakeNoSenseAreRefused) {
  for (const std::string address : {"host", "host:", ":80", "host:0", "host:65536", "host:8a", "host:-1"}) {
    EXPECT_EQ(meet_all({{1, 2, 1, "", address}})[0],
              cannot_join + "`" + address + "` is not an address of the form HOST:PORT");
  }
  const std::string unknown = meet_all({{1, 2, 1, "", "no such host:80"}})[0];
  EXPECT_TRUE(unknown.starts_with(cannot_join + "no such host: ")) << unknown;
}

TEST(Rendezvous, TwoThatAreTheSameProcessAreRefused) {
  const auto texts = meet_all({{0, 3, 3, own_job()}, {1, 3, 3, own_job()}, {1, 3, 3, own_job()}});
  for (const std::string& text : texts) {
    EXPECT_EQ(text, cannot_join + "two processes of the job are process 1");
  }
}

// Nothing is known of it: it does not look like a process that a launcher has started.
TEST(Rendezvous, OneThatDoesNotComeIsLost) {
  constexpr Limits limits{.join_ns = 1'000'000'000};
  for (const std::string& address : {std::string(), free_address()}) {
    const int32_t here = address.empty() ? 3 : 2;
    const auto texts =
        meet_all({{0, 3, here, own_job(), address}, {1, 3, here, own_job(), address}}, {}, limits);
    for (const std::string& text : texts) {
      EXPECT_EQ(text, "the world has lost process 2: it has not joined within 1 s");
    }
    EXPECT_EQ(meet_all({{1, 3, here, own_job(), address}}, {}, limits)[0],
              "the world has lost process 0: it has not joined within 1 s");
  }
}

// Process 1 has come already; process 3 does not come.
TEST(Rendezvous, OneThatEndsWhileItWaitsIsLost) {
  const std::string address = free_address();
  for (const Launch& first : {Launch{0, 4, 4, own_job()}, Launch{0, 4, 2, own_job(), address}}) {
    Launch second = first, third = first;
    second.process = 1;
    third.process = 2;
    const pid_t victim = fork();
    if (victim == 0) {
      std::optional<Failure> failure;
      meet(second, failure);
      _exit(0);
    }
    const pid_t killer = fork();
    if (killer == 0) {
      usleep(300'000);
      kill(victim, SIGKILL);
      _exit(0);
    }
    const auto texts = meet_all({first, third});
    for (const std::string& text : texts) {
      EXPECT_EQ(text, "the world has lost process 1: it has ended before all had joined");
    }
    waitpid(victim, nullptr, 0);
    waitpid(killer, nullptr, 0);
  }
}

TEST(Rendezvous, JobsOfAnotherSizeAreRefused) {
  const auto texts = meet_all({{0, 2, 2, own_job()}, {1, 3, 3, own_job()}});
  EXPECT_EQ(texts[0], cannot_join + "a process of the job does not say which one it is");
  EXPECT_EQ(texts[1], texts[0]);
}

}  // namespace
}  // namespace tilewire::processes
