#include "processes/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "processes/bytes.h"

namespace tilewire::processes {

void write_name(Writer& to, const SharedFileName& name) {
  to.number(name.process);
  to.number(name.fd);
  to.number(name.check);
}

SharedFileName read_name(Reader& from) {
  SharedFileName name;
  name.process = from.number<pid_t>();
  name.fd = from.number<int>();
  name.check = from.number<uint64_t>();
  return name;
}

uint64_t SharedFile::page_bytes() {
  static const uint64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::exchange(other.name_, {})) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  return *this;
}

SharedFile::~SharedFile() {
  if (fd_ >= 0) close(fd_);
}

SharedFile SharedFile::make(uint64_t bytes, std::string& problem) {
  SharedFile file;
  file.fd_ = memfd_create("tilewire", MFD_CLOEXEC);
  uint64_t check = 0;
  const bool made = file.open() && ftruncate(file.fd_, static_cast<off_t>(bytes)) == 0 &&
                    getrandom(&check, sizeof check, 0) == sizeof check &&
                    pwrite(file.fd_, &check, sizeof check, check_offset) == sizeof check;
  if (!made) {
    problem = std::strerror(errno);
    return {};
  }
  file.name_ = {getpid(), file.fd_, check};
  return file;
}

SharedFile SharedFile::of(const SharedFileName& name, std::string& problem) {
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.fd);
  SharedFile file;
  file.fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (!file.open()) {
    problem = path + ": " + std::strerror(errno);
    return {};
  }
  uint64_t check = 0;
  if (pread(file.fd_, &check, sizeof check, check_offset) != sizeof check || check != name.check) {
    problem = path + " is not the memory of that process";
    return {};
  }
  file.name_ = name;
  return file;
}

std::byte* SharedFile::map(uint64_t offset, uint64_t bytes) const {
  void* all =
      mmap(nullptr, bytes + page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  void* memory =
      mmap(all, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    munmap(all, bytes + page_bytes());
    return nullptr;
  }
  return static_cast<std::byte*>(memory);
}

void SharedFile::unmap(std::byte* memory, uint64_t bytes) {
  munmap(memory, bytes + page_bytes());
}

}  // namespace tilewire::processes
