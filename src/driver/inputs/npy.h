// Arrays in NumPy's .npy format. The reader accepts any bytes: an invalid file is an error with the reason.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"

namespace tilewire::driver {

// An array that owns its elements: dense, row-major, 64-byte aligned.
// More bytes than any address space can hold.
inline constexpr int64_t largest_array = int64_t{1} << 46;

class OwnedArray {
 public:
  OwnedArray(ir::DType dtype,
             std::vector<int64_t> shape);  // zeroed; throws std::bad_alloc when the machine has less memory

  const Array& array() const { return array_; }
  size_t byte_count() const { return byte_count_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  size_t byte_count_ = 0;
  Array array_;
};

// `wanted`: the element type if the file does not contain it (NumPy stores BF16 and FP8 as plain bytes).
std::optional<OwnedArray> read_npy(const std::string& path, ir::DType wanted, Diagnostics& diags);
std::optional<OwnedArray> npy_from_bytes(const std::string& bytes, const std::string& path, ir::DType wanted,
                                         Diagnostics& diags);
bool write_npy(const std::string& path, const Array& array, Diagnostics& diags);

}  // namespace tilewire::driver
