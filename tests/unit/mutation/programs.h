// Programs that call each collective three times on one signal and look at what it gave in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/interp.h"

namespace tilewire::mutation {

struct Case {
  std::string name;  // "ring", "ring, blocks", "ring, host"
  std::string text;
  int64_t cols;
  bool wide;
  int64_t segment_bytes;  // passes::Traits
};

// Every collective and mode, in a kernel, over the blocks of one, and on the host.
std::vector<Case> cases();

// Arguments of `main` for so many ranks, always the same.
class Arguments {
 public:
  Arguments(const Case& of, int64_t ranks);
  Arguments(const Arguments&) = delete;

  const std::vector<interp::Argument>& all() const { return all_; }
  // As before the first run.
  void clear();
  // What a run has written, byte by byte.
  std::vector<std::byte> written() const;

 private:
  std::vector<float> x_, y_;
  std::vector<int32_t> sent_, got_;
  std::vector<interp::Argument> all_;
};

}  // namespace tilewire::mutation
