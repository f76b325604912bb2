#include "driver/bundle/bundle_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/write_all.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
namespace {

class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace

std::optional<std::string> read_file(const std::string& path, uint64_t largest, Diagnostics& diags) {
  auto refuse = [&](const std::string& why) {
    diags.report(diag::bundle_file_unreadable, {}, {path, why});
    return std::nullopt;
  };
  // Not blocking: a pipe in place of a file must not hold us.
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return refuse(std::strerror(errno));
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return refuse(S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a file");
  if (static_cast<uint64_t>(status.st_size) > largest) {
    return refuse("it has " + std::to_string(status.st_size) + " bytes, more than " +
                  std::to_string(largest));
  }
  std::string content(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < content.size()) {
    ssize_t count = read(file.number(), content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse(std::strerror(errno));
    if (count == 0) break;  // it shrank
    done += static_cast<size_t>(count);
  }
  content.resize(done);
  return content;
}

bool write_file(const std::string& path, std::string_view content, Diagnostics& diags) {
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  bool good = file.number() >= 0 && write_all(file.number(), content) && file.close();
  if (!good) diags.report(diag::bundle_unwritable, {}, {path, std::strerror(errno)});
  return good;
}

TemporaryFolder::TemporaryFolder(const std::string& prefix, Diagnostics& diags) : path_(prefix + "XXXXXX") {
  if (mkdtemp(path_.data())) return;
  diags.report(diag::bundle_unwritable, {}, {path_, std::strerror(errno)});
  path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (made()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewire::driver
