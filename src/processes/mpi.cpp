#include "processes/mpi.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>

#include "support/own_libraries.h"

namespace tilewire::processes {
namespace {

struct Files {
  const char* own;
  const char* names[2];  // of the MPI library
};
Files files_of(MpiKind kind) {
  if (kind == MpiKind::OpenMpi) return {"libtilewire-openmpi.so", {"libmpi.so.40", nullptr}};
  // Others with the binary interface of MPICH use the second name.
  return {"libtilewire-mpich.so", {"libmpich.so.12", "libmpi.so.12"}};
}

// MPICH's MPI_Finalize has been seen to hang over TCP.
constexpr unsigned finalize_limit_s = 5;

// Of the process that has joined by MPI.
struct State {
  Mpi* mpi = nullptr;
  pid_t process = 0;  // a child of fork is another one
  bool found = false;
  void (*at_end)() = nullptr;
  std::atomic<bool> gives_up{false};
};
State& state() {
  static State& only = *new State;  // needed to the very end
  return only;
}

// Where the library is in the process already, that one.
void* open_mpi_library(const Files& files, int scope, std::string& problem) {
  for (int flags : {RTLD_NOLOAD, 0}) {
    for (const char* name : files.names) {
      if (!name) continue;
      // Plugins of Open MPI look for its functions in the global scope.
      if (void* handle = dlopen(name, RTLD_NOW | scope | flags)) return handle;
      if (problem.empty() && flags == 0) problem = dlerror();
    }
  }
  return nullptr;
}

// Whether this build has the library.
bool is_built(const Files& files, MpiKind kind, std::string& problem) {
  if (own_library_places(files.own).size() > 1) return true;  // the last is where the system looks
  problem =
      std::string("this build has no ") + files.own + ", for which it needs " + name_of(kind) + "'s mpi.h";
  return false;
}

TilewireMpi* open_own_library(const Files& files, std::string& problem) {
  for (const std::filesystem::path& place : own_library_places(files.own)) {
    if (!place.is_absolute()) continue;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = dlerror();
      continue;
    }
    const auto open = reinterpret_cast<TilewireMpiOpen>(dlsym(handle, TILEWIRE_MPI_OPEN));
    TilewireMpi* calls = open ? open() : nullptr;
    if (calls && calls->version == tilewire_mpi_version) return calls;
    problem = place.string() + " is of another version";
  }
  return nullptr;
}

// Ends the process after a while, unless that happens before.
void end_later(int status) {
  std::fflush(nullptr);
  std::thread([status] {
    sleep(finalize_limit_s);
    _exit(status);
  }).detach();
}

}  // namespace

const char* name_of(MpiKind kind) {
  return kind == MpiKind::OpenMpi ? "Open MPI" : "MPICH";
}

Mpi* Mpi::load(MpiKind kind, std::string& problem) {
  static Mpi* loaded = nullptr;  // under the mutex of the driver; a process has one launcher
  if (loaded && loaded->kind_ == kind) return loaded;
  const Files files = files_of(kind);
  if (!is_built(files, kind, problem) || !open_mpi_library(files, RTLD_GLOBAL, problem)) return nullptr;
  TilewireMpi* calls = open_own_library(files, problem);
  return calls ? loaded = new Mpi(calls, kind) : nullptr;
}

std::string version_of(MpiKind kind, std::string& problem) {
  const Files files = files_of(kind);
  if (!is_built(files, kind, problem)) return "";
  void* handle = open_mpi_library(files, RTLD_LOCAL, problem);
  if (!handle) return "";
  const auto version = reinterpret_cast<int (*)(char*, int*)>(dlsym(handle, "MPI_Get_library_version"));
  char text[8192] = "";  // the most that any MPI asks for
  int length = 0;
  if (version) version(text, &length);
  const std::string_view all = text;
  std::string line(all.substr(0, all.find_first_of(",\n")));
  // MPICH has a table with a colon and a tab.
  const size_t mark = line.find(" Version:");
  if (mark != std::string::npos) line.erase(mark, std::string_view(" Version:").size());
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

bool Mpi::join(const Launch& launch, void (*at_end)(), std::string& problem) {
  if (calls_->is_over(calls_)) {
    problem = "MPI has been finalised";
    return false;
  }
  const int32_t error = calls_->join(calls_, &place_);
  if (error != 0) {
    char text[256];
    calls_->explain(calls_, error, text, sizeof text);
    problem = std::string(name_of(kind_)) + " cannot be initialised: " + text;
    return false;
  }
  State& own = state();
  own.mpi = this;
  own.process = getpid();
  own.found = place_.found != 0;
  if (place_.rank != launch.process || place_.size != launch.processes) {
    problem = std::string(name_of(kind_)) + " has started process " + std::to_string(place_.rank) + " of " +
              std::to_string(place_.size) + " where the launcher says " + std::to_string(launch.process) +
              " of " + std::to_string(launch.processes);
    return false;
  }
  own.at_end = at_end;
  calls_->at_end(
      calls_,
      [](void*) {
        state().at_end();
        // Whoever finalises MPI may wait for those that are no more.
        if (state().gives_up) end_later(1);
      },
      nullptr);
  return true;
}

void Mpi::give_up() {
  state().gives_up = true;
}

void Mpi::end(int status) {
  State& own = state();
  if (!own.mpi || own.process != getpid() || own.found || own.gives_up) return;
  TilewireMpi* calls = own.mpi->calls_;
  if (calls->is_over(calls)) return;
  // Launchers take a process that ends without MPI_Finalize for one that has failed, and stop the others. So
  // the limit is for when all have come to it.
  calls->meet(calls);
  end_later(status);
  calls->finalize(calls);
}

}  // namespace tilewire::processes
