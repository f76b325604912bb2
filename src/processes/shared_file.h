// Memory that processes of one host share: an anonymous file of the process that makes it, which the others
// reach as /proc/PID/fd/N. It has no name in any folder, so nothing stays behind, however a process ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilewire::processes {

// Where another process finds the file. The check is written at the start of the file: a number that another
// file, of another process with that id, does not have there.
struct SharedFileName {
  pid_t process = 0;
  int fd = -1;
  uint64_t check = 0;
};

class Reader;
class Writer;
void write_name(Writer& to, const SharedFileName& name);
SharedFileName read_name(Reader& from);

class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(SharedFile&& other) noexcept;
  SharedFile& operator=(SharedFile&& other) noexcept;
  ~SharedFile();

  // Of zeros, but for the check. `problem` says why there is none.
  static SharedFile make(uint64_t bytes, std::string& problem);
  static SharedFile of(const SharedFileName& name, std::string& problem);

  bool open() const { return fd_ >= 0; }
  const SharedFileName& name() const { return name_; }
  // Maps a part, followed by a page that cannot be accessed. Null when there is no memory. Unmapped by
  // `unmap`; the file may be closed before.
  std::byte* map(uint64_t offset, uint64_t bytes) const;
  static void unmap(std::byte* memory, uint64_t bytes);

  static uint64_t page_bytes();
  // The check is here, in the first page of the file; the bytes before it are for whoever makes it.
  static constexpr uint64_t check_offset = 64, check_bytes = sizeof(SharedFileName::check);

 private:
  int fd_ = -1;
  SharedFileName name_;
};

}  // namespace tilewire::processes
