#include "driver/execute/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace tilewire::driver {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() : folder_(testing::TempDir() + "/disk_cache_" + std::to_string(getpid())) {}
  ~DiskCacheTest() override { fs::remove_all(folder_); }
  std::string folder_;
};

std::string digest(std::initializer_list<std::string_view> parts) {
  return digest_of({parts.begin(), parts.size()});
}

TEST(Digest, TellsPartsApart) {
  EXPECT_EQ(digest({"ab", "c"}).size(), 64U);
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_EQ(digest({"ab", "c"}), digest({"ab", "c"}));
}

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  DiskCache cache(folder_);
  EXPECT_FALSE(cache.load("d1"));
  cache.store("d1", "code");
  EXPECT_EQ(DiskCache(folder_).load("d1"), "code");
  cache.store("d1", "newer");
  EXPECT_EQ(cache.load("d1"), "newer");
}

TEST_F(DiskCacheTest, DropsDamagedEntries) {
  DiskCache cache(folder_);
  cache.store("d1", "some code");
  std::string path = folder_ + "/d1.code";
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('!');
  EXPECT_FALSE(cache.load("d1"));
  EXPECT_FALSE(fs::exists(path));
  cache.store("d1", "some code");
  fs::resize_file(path, 20);
  EXPECT_FALSE(cache.load("d1"));
}

// Opening a fifo waits for a writer, and /dev/zero has no end.
TEST_F(DiskCacheTest, ReplacesWhatIsNotAPlainFile) {
  DiskCache cache(folder_);
  const std::string path = folder_ + "/d1.code", other = folder_ + "/other";
  cache.store("other", "code");
  fs::rename(folder_ + "/other.code", other);
  const std::function<void()> makers[] = {
      [&] { fs::create_directories(path + "/with/content"); },
      [&] { mkfifo(path.c_str(), 0600); },
      [&] { fs::create_symlink("/dev/zero", path); },
      [&] { fs::create_symlink(other, path); },
      [&] { fs::create_symlink("nowhere", path); },
  };
  for (const auto& make : makers) {
    fs::remove_all(path);
    make();
    EXPECT_FALSE(cache.load("d1"));
    cache.store("d1", "code");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
    EXPECT_EQ(cache.load("d1"), "code");
  }
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(DiskCacheTest, RemovesTheOldestWhenTheFolderIsTooLarge) {
  DiskCache cache(folder_);
  cache.store("d1", "code");
  auto sparse = [&](const char* name, int hours_ago) {
    std::string path = folder_ + "/" + name + ".code";
    std::ofstream(path).close();
    fs::resize_file(path, uint64_t{300} << 20);
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
    return path;
  };
  std::string older = sparse("older", 2), newer = sparse("newer", 1);
  cache.store("d2", "code");  // the files above are not counted yet
  EXPECT_TRUE(fs::exists(older));
  fs::remove(folder_ + "/lock");
  cache.store("d3", "code");  // nobody knows how much there is: count
  EXPECT_FALSE(fs::exists(older));
  EXPECT_FALSE(fs::exists(newer));
  EXPECT_EQ(cache.load("d1"), "code");
}

TEST_F(DiskCacheTest, OneMakesAnEntryWhileOthersWait) {
  DiskCache cache(folder_);
  std::optional<DiskCache::Making> first = cache.make("d1");
  std::thread maker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cache.store("d1", "code");
    first.reset();
  });
  {
    const DiskCache::Making second = DiskCache(folder_).make("d1");
    EXPECT_EQ(cache.load("d1"), "code");
  }
  maker.join();
}

// One that is stopped while it compiles holds nobody up for long.
TEST_F(DiskCacheTest, WaitsForAnEntryNoLongerThanTheLimit) {
  DiskCache cache(folder_);
  const DiskCache::Making first = cache.make("d1");
  const auto start = std::chrono::steady_clock::now();
  const DiskCache::Making second = cache.make("d1", std::chrono::milliseconds(40));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

TEST_F(DiskCacheTest, LeavesNoTemporaryFiles) {
  DiskCache cache(folder_);
  for (int i = 0; i < 5; ++i) cache.store("d" + std::to_string(i), "code");
  size_t others = 0;
  for (const auto& file : fs::directory_iterator(folder_))
    others += file.path().filename().string().starts_with("entry-");
  EXPECT_EQ(others, 0U);
}

TEST(DiskCacheFolder, WithoutAFolderNothingIsKept) {
  DiskCache cache("/proc/no/such/place");
  cache.store("d1", "code");
  EXPECT_FALSE(cache.load("d1"));
}

}  // namespace
}  // namespace tilewire::driver
