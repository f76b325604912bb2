// Where the processes of a job meet: process 0 listens there, and the others connect.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "processes/launcher.h"

namespace tilewire::processes {

class Place {
 public:
  virtual ~Place() = default;
  // A socket, or -1: errno says why.
  virtual int listen() const = 0;
  // A connection; -1 when nobody listens. `problem`: it makes no sense to try again.
  virtual int connect(std::string& problem) const = 0;
  // Whether a connection is to be trusted.
  virtual bool accepts(int connection) const = 0;
  // Others than processes of the job may come by.
  virtual bool is_public() const = 0;
};

// On one host a local socket without a file, named after the job; on several a port of the host of process 0.
// Null: `problem` says what is wrong with the address.
std::unique_ptr<Place> make_place(const Launch& launch, std::string& problem);

uint64_t hash_of(const std::string& job);

}  // namespace tilewire::processes
