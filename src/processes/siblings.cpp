#include "processes/siblings.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire::processes {
namespace {

// Between two looks of all processes of a host together: each of them looks.
constexpr uint64_t pause_ns = 20'000'000;
// A launcher that has started nothing new for so long has started all.
constexpr uint64_t starts_within_ns = 1'000'000'000;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string of_process(pid_t process, const char* name) {
  return contents("/proc/" + std::to_string(process) + "/" + name);
}

struct Status {
  bool running = false;  // it is there, and not merely waits for its parent to hear of its end
  pid_t parent = 0;
};
Status status_of(pid_t process) {
  const std::string text = of_process(process, "stat");
  const size_t end_of_name = text.rfind(')');  // a name may have any character
  if (end_of_name == text.npos) return {};
  std::istringstream rest(text.substr(end_of_name + 1));
  char state = 'X';
  Status status;
  rest >> state >> status.parent;
  status.running = state != 'Z' && state != 'X';
  return status;
}

// With which it was started.
class ItsEnvironment {
 public:
  explicit ItsEnvironment(pid_t process) : text_(of_process(process, "environ")) {}
  const char* operator()(std::string_view name) const {
    for (size_t at = 0; at < text_.size(); at = text_.find('\0', at) + 1) {
      const std::string_view entry = text_.c_str() + at;
      if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
        return entry.data() + name.size() + 1;
      }
      if (text_.find('\0', at) == text_.npos) break;
    }
    return nullptr;
  }
  // It can be read, and was not written over, as programs do that give themselves a title.
  bool is_known() const { return (*this)("PATH") != nullptr; }

 private:
  std::string text_;
};

// Which process of the job it says it is.
std::optional<int32_t> process_of(const ItsEnvironment& environment, const Launch& job) {
  std::string ignored;
  const auto found = find_launch([&](const char* name) { return environment(name); }, ignored);
  if (!found || found->job != job.job || found->processes != job.processes) return std::nullopt;
  return found->process;
}

// Empty: it is not to be seen.
std::string program_of(pid_t process) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", error).string();
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  // Threads may end meanwhile.
  for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
       task.increment(error)) {
    std::istringstream list(contents(task->path().string() + "/children"));
    for (pid_t child; list >> child;) children.push_back(child);
  }
  return children;
}

// The parent of the first of this process and its parents that has the same place in the job; 0: it is not to
// be seen from here.
pid_t find_launcher(const Launch& launch) {
  pid_t top = getpid();
  std::error_code error;
  // In a container /proc may be that of the host.
  if (std::filesystem::read_symlink("/proc/self", error) != std::to_string(top)) return 0;
  for (;;) {
    const pid_t parent = status_of(top).parent;
    if (parent == 0 || process_of(ItsEnvironment(parent), launch) != launch.process) return parent;
    top = parent;
  }
}

}  // namespace

Siblings::Siblings(const Launch& launch) : launch_(launch), launcher_(find_launcher(launch)) {
  if (launcher_ == 0) return;
  const std::string name = of_process(launcher_, "comm");
  sees_all_ = std::any_of(launch.starters.begin(), launch.starters.end(),
                          [&](const std::string& starter) { return name.starts_with(starter); });
}

std::optional<int32_t> Siblings::ended(uint64_t now_ns) {
  if (now_ns - looked_ns_ < pause_ns * std::max<size_t>(children_.size(), 1)) return std::nullopt;
  if (!look(now_ns)) return std::nullopt;
  const bool all_started = sees_all_ && all_are_known_ && now_ns - newest_ns_ > starts_within_ns;
  std::set<int32_t> expected;
  for (const auto& [child, process] : children_) expected.insert(process);
  if (all_started) expected.insert(launch_.on_this_host.begin(), launch_.on_this_host.end());
  for (int32_t process : expected) {
    if (process != launch_.process && !is_running(process)) return process;
  }
  return std::nullopt;
}

bool Siblings::look(uint64_t now_ns) {
  looked_ns_ = now_ns;
  if (newest_ns_ == 0) newest_ns_ = now_ns;
  running_.clear();
  // The launcher itself ends last: then nothing can be told from its children.
  if (launcher_ == 0 || !status_of(launcher_).running) return false;
  all_are_known_ = true;
  for (pid_t child : children_of(launcher_)) {
    if (children_.contains(child)) continue;
    const ItsEnvironment environment(child);
    if (const auto process = process_of(environment, launch_)) {
      children_[child] = *process;
      newest_ns_ = now_ns;
    } else if ((!environment.is_known() || program_of(child) == program_of(launcher_)) &&
               status_of(child).running) {
      all_are_known_ = false;  // it may be about to become the program of a process
    }
  }
  for (const auto& [child, process] : children_) {
    const Status status = status_of(child);
    if (status.running && status.parent == launcher_) running_.insert(process);
  }
  return true;
}

}  // namespace tilewire::processes
