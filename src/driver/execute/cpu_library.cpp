#include "driver/execute/cpu_library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "ops/registry.h"
#include "support/diagnostics/driver.h"
#include "support/own_libraries.h"

namespace tilewire::driver {
namespace {

constexpr const char* file_name = "libtilewire-cpu.so";

struct Loaded {
  const target::cpu::Library* library = nullptr;
  std::string problem;
  std::string identity;
};

// Changes with every build of the library.
std::string identity_of(const target::cpu::Library* library) {
  Dl_info info{};
  struct stat status {};
  if (!dladdr(reinterpret_cast<const void*>(library), &info) || stat(info.dli_fname, &status) != 0) return "";
  return std::to_string(status.st_size) + "/" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

Loaded load() {
  std::string problem;
  for (const std::filesystem::path& place : own_library_places(file_name)) {
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = dlerror();
      continue;
    }
    void* symbol = dlsym(handle, target::cpu::library_symbol);
    auto get = reinterpret_cast<const target::cpu::Library* (*)()>(symbol);
    const target::cpu::Library* library = get ? get() : nullptr;
    if (library && library->version == target::cpu::library_version) {
      library->share_ops(ops::registry());
      return {library, "", library->machine_key() + " " + identity_of(library)};
    }
    problem = place.string() + " is of another version";
  }
  return {nullptr, problem, ""};
}

const Loaded& loaded_library() {
  static const Loaded loaded = load();  // kept to the end of the process, as its code may be running
  return loaded;
}

}  // namespace

const target::cpu::Library* cpu_library(Diagnostics& diags) {
  const Loaded& loaded = loaded_library();
  if (!loaded.library) {
    diags.report(diag::cpu_unavailable, {}, {loaded.problem})
        .with_help("build with -DTILEWIRE_CPU=ON, or use target=\"interp\"");
  }
  return loaded.library;
}

const std::string& cpu_identity() {
  return loaded_library().identity;
}

}  // namespace tilewire::driver
