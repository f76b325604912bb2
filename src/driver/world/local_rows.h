// The arrays of `f.local(...)`: of parameters whose first dimension counts the ranks, a process passes the
// rows of the ranks that live there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/execute/executable.h"
#include "driver/world/world_place.h"

namespace tilewire::driver {

class LocalRows {
 public:
  LocalRows(const Executable& executable, const WorldPlace& place);

  // The whole array that `given` is a part of, at addresses without memory; other arrays as they are.
  Array whole(size_t parameter, const Array& given);
  // The shape of this process's part of a whole array.
  std::vector<int64_t> own_shape(size_t parameter, std::vector<int64_t> shape) const;

  // Adds the rows to arguments that were bound with the whole arrays. False after reporting that two of them
  // share elements.
  bool add_to(BoundArguments& arguments, Diagnostics& diags);

 private:
  const Signature& signature_;
  const WorldPlace place_;
  std::vector<bool> counts_ranks_;  // the first dimension, by parameter
  std::vector<OwnRows> rows_;
};

}  // namespace tilewire::driver
