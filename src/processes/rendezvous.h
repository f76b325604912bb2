// How processes that a launcher has started find each other, without MPI: process 0 listens and the others
// connect. On one host that is a local socket without a file, whose name is made from the job; on several it
// is a port whose address all of them know.
#pragma once

#include <optional>
#include <string>

#include "processes/control.h"
#include "processes/launcher.h"

namespace tilewire::processes {

// Waits for all; after a while a note on stderr says for whom. Nothing when it is interrupted or the others
// are not what they should be: `problem` says why.
std::optional<Seat> meet(const Launch& launch, std::string& problem, Limits limits = {});

}  // namespace tilewire::processes
