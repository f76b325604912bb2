#include "support/own_libraries.h"

#include <dlfcn.h>

namespace tilewire {

// Beside us (the Python package, a build folder), in the lib folder of our prefix, or in the Python package
// of that prefix, when we are the command that was installed with it.
std::vector<std::filesystem::path> own_library_places(const std::string& file_name) {
  std::error_code ignored;
  Dl_info self{};
  std::filesystem::path folder;
  if (dladdr(reinterpret_cast<void*>(&own_library_places), &self) && self.dli_fname) {
    // The name of the program itself is as it was typed, and found on PATH; that of a library is a path.
    std::filesystem::path file = self.dli_fname;
    folder =
        std::filesystem::canonical(file.has_parent_path() ? file : "/proc/self/exe", ignored).parent_path();
  }
  std::vector<std::filesystem::path> found = {folder / file_name, folder / ".." / "lib" / file_name};
  for (const auto& entry : std::filesystem::directory_iterator(folder / ".." / "lib", ignored)) {
    if (!entry.path().filename().string().starts_with("python")) continue;
    found.push_back(entry.path() / "site-packages" / "tilewire" / file_name);
  }
  std::erase_if(found, [&](const auto& path) { return !std::filesystem::exists(path, ignored); });
  found.emplace_back(file_name);
  return found;
}

}  // namespace tilewire
