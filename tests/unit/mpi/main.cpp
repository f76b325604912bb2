// Channels over the MPI of a launcher: mpirun -n 3 unit_mpi. Every process is a node; process 0 prints.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "channel_node.h"
#include "processes/messages/mpi_engine.h"
#include "processes/mpi.h"

namespace tilewire::processes {
namespace {

Mpi* mpi = nullptr;
Launch launch;

// Of all tests: what one has sent last would reach the next one's.
Node* node = nullptr;

class OverMpi : public testing::Test {
 protected:
  static constexpr uint64_t come = 3072, go = 3136;

  // Cells are zero again for the next test.
  void TearDown() override {
    meet();
    std::memset(node->base(), 0, come);
    meet();
    EXPECT_EQ(node->alarms, 0);
  }

 private:
  static void meet() {
    static int32_t times = 0;
    const int32_t others = launch.processes - 1;
    ++times;
    if (launch.process == 0) {
      node->await_cell(come, others * times);
      // Behind everything else there, and acknowledged by nobody: this may have been the end.
      for (int32_t p = 1; p <= others; ++p) node->channels->notify(node->at(p, go), 1, 0);
    } else {
      node->notify(0, come);
      node->await_cell(go, times);
    }
  }
};

TEST_F(OverMpi, WhatIsPutIsThereBeforeItsSignal) {
  exchange_blocks(*node, launch.process, launch.processes, 100);
}

TEST_F(OverMpi, LargePutsBothWaysAtOnce) {
  if (launch.process < 2) exchange_much(*node, launch.process, 2);
}

// Rank 0 writes to 2 and tells 1, who tells 2: then it is there.
TEST_F(OverMpi, ASignalThroughAThirdProcessComesAfterThePut) {
  ASSERT_GE(launch.processes, 3);
  constexpr uint64_t told = 2176, back = 2240, place = 4096;
  for (int32_t round = 1; round <= 500; ++round) {
    if (launch.process == 0) {
      std::vector<int32_t> block(round % 10 == 0 ? 50'000 : 4, round);
      node->put(2, place, block.data(), static_cast<int64_t>(block.size()) * 4);
      node->notify(1, told);
      node->await_cell(back, round);
    } else if (launch.process == 1) {
      node->await_cell(told, round);
      node->notify(2, told);
    } else if (launch.process == 2) {
      node->await_cell(told, round);
      ASSERT_EQ(*node->cell(place), round);
      ASSERT_EQ(*node->cell(place + 12), round);
      node->notify(0, back);
    }
  }
}

// The others would wait for a process that gives up a test.
class EndsAtFailure final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "process %d: %s:%d: %s\n", launch.process, result.file_name(), result.line_number(),
                 result.message());
    _exit(1);
  }
};

int run(int argc, char** argv) {
  std::string problem;
  const auto found = find_launch([](const char* name) { return std::getenv(name); }, problem);
  if (!found || found->mpi == MpiKind::None) {
    std::fprintf(stderr, "not started by mpirun: %s\n", problem.c_str());
    return 1;
  }
  launch = *found;
  mpi = Mpi::load(launch.mpi, problem);
  if (!mpi || !mpi->join(
                  launch, [] {}, problem)) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  Node own;
  own.open(std::make_unique<MpiEngine>(mpi->calls(), launch.processes), launch.process, launch.processes);
  node = &own;
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (launch.process != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new EndsAtFailure);
  const int status = RUN_ALL_TESTS();
  own.channels.reset();
  Mpi::end(status);
  return status;
}

}  // namespace
}  // namespace tilewire::processes

int main(int argc, char** argv) {
  return tilewire::processes::run(argc, argv);
}
