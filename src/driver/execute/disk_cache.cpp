#include "driver/execute/disk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <tuple>
#include <vector>

#include "driver/bundle/bundle_files.h"
#include "driver/sha256.h"
#include "driver/write_all.h"

namespace tilewire::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "TWCODE1\n";
constexpr uint64_t largest_folder = uint64_t{512} << 20;

std::string user_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/tilewire";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/tilewire" : std::string();
}

// Held while entries are counted and removed, so that two processes do not both do it. The file says how many
// bytes the folder held when they were last counted, and what was stored since: going through thousands of
// entries takes longer than compiling a kernel.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : file_(open((folder + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    held_ = file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  FolderLock(const FolderLock&) = delete;
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }
  bool held() const { return held_; }
  std::optional<uint64_t> total() const {
    uint64_t bytes = 0;
    bool there = pread(file_, &bytes, sizeof bytes, 0) == sizeof bytes;
    return there ? std::optional(bytes) : std::nullopt;
  }
  void set_total(uint64_t bytes) const {
    // Without it, the next one counts.
    if (pwrite(file_, &bytes, sizeof bytes, 0) != sizeof bytes) std::ignore = ftruncate(file_, 0);
  }

 private:
  int file_;
  bool held_ = false;
};

}  // namespace

std::string digest_of(std::span<const std::string_view> parts) {
  Sha256 hash;
  for (std::string_view part : parts) {
    uint64_t length = part.size();
    hash.add({reinterpret_cast<const char*>(&length), sizeof length});
    hash.add(part);
  }
  return hexadecimal(hash.digest());
}

DiskCache::DiskCache(std::string folder) : folder_(folder.empty() ? user_folder() : std::move(folder)) {
  std::error_code error;
  if (!folder_.empty()) fs::create_directories(folder_, error);
  if (error) folder_.clear();
}

std::string DiskCache::path_of(const std::string& digest) const {
  return folder_ + "/" + digest + ".code";
}

std::optional<std::string> DiskCache::load(const std::string& digest) const {
  if (folder_.empty()) return std::nullopt;
  std::error_code ignored;
  // A link may lead anywhere, so its target is never opened.
  const fs::file_status status = fs::symlink_status(path_of(digest), ignored);
  if (!fs::exists(status)) return std::nullopt;
  Diagnostics unreadable;
  std::string content;
  if (fs::is_regular_file(status))
    content = read_file(path_of(digest), largest_folder, unreadable).value_or("");
  size_t header = magic.size() + Sha256::digest_bytes;
  bool whole = content.size() > header && content.starts_with(magic) &&
               std::string_view(content).substr(magic.size(), Sha256::digest_bytes) ==
                   sha256(std::string_view(content).substr(header));
  if (!whole) {
    fs::remove_all(path_of(digest), ignored);  // which may be a folder
    return std::nullopt;
  }
  fs::last_write_time(path_of(digest), fs::file_time_type::clock::now(), ignored);
  return content.substr(header);
}

// A few files serve all entries; that two programs sometimes share one only costs time.
DiskCache::Making DiskCache::make(const std::string& digest, std::chrono::milliseconds limit) const {
  constexpr auto pause = std::chrono::milliseconds(2);
  const std::string name = folder_ + "/making-" + digest.substr(0, 1);
  const int file = folder_.empty() ? -1 : open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  for (; file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && limit > pause; limit -= pause) {
    std::this_thread::sleep_for(pause);
  }
  return Making(file);
}

DiskCache::Making::~Making() {
  if (file_ >= 0) close(file_);
}

void DiskCache::store(const std::string& digest, std::string_view bytes) const {
  if (folder_.empty()) return;
  std::string name = folder_ + "/entry-XXXXXX";
  int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return;
  bool written = write_all(file, magic) && write_all(file, sha256(bytes)) && write_all(file, bytes);
  written = close(file) == 0 && written;
  std::error_code ignored;
  if (written) fs::rename(name, path_of(digest), ignored);
  if (!written || ignored) fs::remove(name, ignored);
  prune(magic.size() + Sha256::digest_bytes + bytes.size());
}

void DiskCache::prune(uint64_t added) const {
  FolderLock lock(folder_);
  if (!lock.held()) return;
  if (auto known = lock.total(); known && *known + added <= largest_folder) {
    return lock.set_total(*known + added);
  }
  struct Entry {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder_, error)) {
    if (file.path().extension() != ".code") continue;
    std::error_code gone;
    entries.push_back({file.last_write_time(gone), file.file_size(gone), file.path()});
    if (gone)
      entries.pop_back();
    else
      total += entries.back().bytes;
  }
  if (total > largest_folder) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
      if (total <= largest_folder / 2) break;
      if (fs::remove(entry.path, error)) total -= entry.bytes;
    }
  }
  lock.set_total(total);
}

}  // namespace tilewire::driver
