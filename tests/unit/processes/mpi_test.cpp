// What is said when MPI does not bring the processes together. That it does is tested with mpirun.
#include "processes/mpi.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "processes/rendezvous.h"
#include "support/diagnostics/driver.h"

namespace tilewire::processes {
namespace {

// MPI whose functions return what a test wants.
struct Answers {
  bool over = false;
  int32_t join_error = 0, broadcast_error = 0;
  TilewireMpiPlace place{1, 2, 0, 1};
  uint32_t broadcast_word = 0;  // what process 0 has sent
};

struct Answering {
  Answers answers{};
  TilewireMpi table{};
  Mpi mpi{&table, MpiKind::OpenMpi};

  Answering() {
    table.version = tilewire_mpi_version;
    table.data = &answers;
    table.is_over = [](TilewireMpi* own) { return static_cast<int32_t>(of(own).over); };
    table.join = [](TilewireMpi* own, TilewireMpiPlace* place) {
      *place = of(own).place;
      return of(own).join_error;
    };
    table.broadcast = [](TilewireMpi* own, void* bytes, int32_t count) {
      if (count == sizeof(uint32_t)) std::memcpy(bytes, &of(own).broadcast_word, sizeof(uint32_t));
      return of(own).broadcast_error;
    };
    table.at_end = [](TilewireMpi*, void (*)(void*), void*) { return 0; };
    table.explain = [](TilewireMpi*, int32_t error, char* text, int32_t size) {
      std::snprintf(text, static_cast<size_t>(size), "error %d", error);
    };
  }
  static Answers& of(TilewireMpi* own) { return *static_cast<Answers*>(own->data); }

  std::string problem() {
    std::optional<Failure> failure;
    const auto seat = meet_by_mpi(
        {.process = 1, .processes = 2, .here = 1}, mpi, [] {}, failure);
    EXPECT_FALSE(seat);
    EXPECT_EQ(failure->row, diag::world_not_joined);
    return failure->words.at(0);
  }
};

TEST(Mpi, WhyProcessesDoNotMeetIsSaid) {
  Answering mpi;
  EXPECT_EQ(mpi.problem(), "process 0 cannot listen for the others");
  mpi.answers.broadcast_error = 5;
  EXPECT_EQ(mpi.problem(), "MPI does not reach all processes: error 5");
  mpi.answers.place = {0, 1, 0, 1};
  EXPECT_EQ(mpi.problem(), "Open MPI has started process 0 of 1 where the launcher says 1 of 2");
  mpi.answers.join_error = 6;
  EXPECT_EQ(mpi.problem(), "Open MPI cannot be initialised: error 6");
  mpi.answers.over = true;
  EXPECT_EQ(mpi.problem(), "MPI has been finalised");
}

TEST(Mpi, CarriesMessagesWhereAnyThreadMayCallIt) {
  Answering mpi;
  mpi.problem();
  EXPECT_TRUE(mpi.mpi.carries_messages());
  mpi.answers.place.any_thread = 0;
  mpi.problem();
  EXPECT_FALSE(mpi.mpi.carries_messages());
}

}  // namespace
}  // namespace tilewire::processes
