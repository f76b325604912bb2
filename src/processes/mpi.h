// MPI in this process: the library for the MPI of its launcher, which is loaded when it is needed, and what
// becomes of MPI when the process ends.
#pragma once

#include <string>

#include "mpi/interface.h"
#include "processes/launcher.h"

namespace tilewire::processes {

class Mpi {
 public:
  // Loaded once. Null: `problem` says what is missing.
  static Mpi* load(MpiKind kind, std::string& problem);

  // Together with all processes of the launcher: initialises MPI, unless that has been done. `at_end` is
  // called when somebody else finalises it. False after telling in `problem` what went wrong.
  bool join(const Launch& launch, void (*at_end)(), std::string& problem);

  TilewireMpi& calls() { return *calls_; }
  // Messages may take it at any time, whatever else in this process calls MPI.
  bool carries_messages() const { return place_.any_thread != 0; }

  // The world is lost: MPI would wait for processes that are no more.
  static void give_up();
  // The process ends with that status, and uses MPI no more. Finalises it if `join` has initialised it.
  static void end(int status);

  Mpi(TilewireMpi* calls, MpiKind kind) : calls_(calls), kind_(kind) {}

 private:
  TilewireMpi* const calls_;
  const MpiKind kind_;
  TilewireMpiPlace place_{};
};

const char* name_of(MpiKind kind);
// The version of the library that is installed; empty: `problem` says what is missing. Initialises nothing.
std::string version_of(MpiKind kind, std::string& problem);

}  // namespace tilewire::processes
