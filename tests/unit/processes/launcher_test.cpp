// What launchers say, and how the processes they start find each other.
#include "processes/launcher.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
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
  EXPECT_EQ(mpich->job, "parent=" + std::to_string(getppid()));
  const auto slurm = found({{"SLURM_STEP_NUM_TASKS", "8"},
                            {"SLURM_PROCID", "5"},
                            {"SLURM_JOB_ID", "12"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_STEP_NUM_NODES", "1"}});
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm->process, 5);
  EXPECT_EQ(slurm->here, 8);
  EXPECT_EQ(slurm->job, "SLURM_JOB_ID=12;SLURM_STEP_ID=0;");
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
std::vector<std::string> meet_all(const std::vector<Launch>& launches) {
  constexpr size_t room = 256;
  Shared<char> texts(launches.size() * room);
  std::vector<pid_t> children;
  for (size_t i = 0; i < launches.size(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      std::string problem;
      if (launches[i].process != 0) usleep(5000);
      auto seat = meet(launches[i], problem);
      if (seat) {
        std::optional<Failure> failure;
        auto world = ProcessWorld::join(std::move(*seat), failure);
        problem = world ? std::to_string(world->process()) + " of " + std::to_string(world->processes())
                        : describe(*failure, abi::Module{}).message;
      }
      problem.copy(&texts[i * room], room - 1);
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

TEST(Rendezvous, TwoThatAreTheSameProcessAreRefused) {
  const auto texts = meet_all({{0, 3, 3, own_job()}, {1, 3, 3, own_job()}, {1, 3, 3, own_job()}});
  EXPECT_EQ(texts[0], "two processes of the job are process 1");
  EXPECT_EQ(texts[1], "process 0 has ended");
}

TEST(Rendezvous, JobsOfAnotherSizeAreRefused) {
  const auto texts = meet_all({{0, 2, 2, own_job()}, {1, 3, 3, own_job()}});
  EXPECT_EQ(texts[0], "a process of the job does not say which one it is");
}

}  // namespace
}  // namespace tilewire::processes
