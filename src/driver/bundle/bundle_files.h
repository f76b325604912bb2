// Files of a bundle: read whole, checked, written to a temporary place. Nothing on the disk is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace tilewire::driver {

inline constexpr uint64_t largest_json = uint64_t{16} << 20;
inline constexpr uint64_t largest_code = uint64_t{1} << 30;

// The whole of a regular file. Empty after an error.
std::optional<std::string> read_file(const std::string& path, uint64_t largest, Diagnostics& diags);

// A file that does not exist yet.
bool write_file(const std::string& path, std::string_view content, Diagnostics& diags);

// A folder with an unpredictable name, accessible to this user only; removed with its content unless kept.
class TemporaryFolder {
 public:
  // `prefix`: path and start of the name. Reports why it cannot be created.
  TemporaryFolder(const std::string& prefix, Diagnostics& diags);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;

  bool made() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  void keep() { path_.clear(); }  // it has been renamed

 private:
  std::string path_;
};

}  // namespace tilewire::driver
