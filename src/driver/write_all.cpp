#include "driver/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace tilewire::driver {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace tilewire::driver
