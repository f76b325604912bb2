// How processes that a launcher has started find each other: process 0 listens and the others connect. On one
// host that is a local socket without a file, whose name is made from the job; on several it is a port whose
// address all of them know, or are told by MPI.
#pragma once

#include <optional>
#include <string>

#include "processes/control.h"
#include "processes/launcher.h"
#include "processes/mpi.h"

namespace tilewire::processes {

// Waits for all; after a while a note on stderr says for whom. Nothing when it is interrupted, a process of
// the job ends before, or the others are not what they should be: `failure` says why.
std::optional<Seat> meet(const Launch& launch, std::optional<Failure>& failure, Limits limits = {});
// The same by MPI, which carries their messages afterwards. `at_end`: see Mpi::join.
std::optional<Seat> meet_by_mpi(const Launch& launch, Mpi& mpi, void (*at_end)(),
                                std::optional<Failure>& failure, Limits limits = {});

// This process cannot join the others.
Failure not_joined(const std::string& problem);

// What a process knows before it has met any other.
Seat empty_seat(const Launch& launch, Limits limits);

}  // namespace tilewire::processes
