// Compiled code kept between processes, under the user's cache folder.
//
// An entry is a file named by the digest of all the code depends on; it is written to a temporary file and
// renamed into place, so readers see whole entries or none. An entry that is damaged, or not a plain file, is
// removed and compiled again. Nothing here is an error: without a writable folder, every program is compiled
// anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tilewire::driver {

// SHA-256 of the parts, each with its length before it, in hexadecimal.
std::string digest_of(std::span<const std::string_view> parts);

class DiskCache {
 public:
  // `folder`: empty for the user's own ($XDG_CACHE_HOME or ~/.cache, then /tilewire).
  explicit DiskCache(std::string folder = {});

  std::optional<std::string> load(const std::string& digest) const;
  // Keeps the folder under about half a gigabyte by removing the least recently used entries.
  void store(const std::string& digest, std::string_view bytes) const;

  // Held while an entry is made, so that of several processes that need the same code at once, as those of a
  // launcher do, one compiles and the others load. Released when its process ends, in whatever way.
  class Making {
   public:
    explicit Making(int file) : file_(file) {}
    Making(Making&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    ~Making();

   private:
    int file_;
  };
  // Waits while another process makes that entry, but not longer than that takes.
  Making make(const std::string& digest, std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

 private:
  std::string path_of(const std::string& digest) const;
  // After a file of so many bytes was stored.
  void prune(uint64_t added) const;

  std::string folder_;  // empty: nowhere to store anything
};

}  // namespace tilewire::driver
