#include "driver/bundle/bundle_code.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "driver/write_all.h"
#include "support/diagnostics/bundle.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace tilewire::driver {
namespace {

// Negative if there is none, with the reason in errno.
int sealed_copy(std::string_view bytes) {
  // Newer kernels want to know that it will be executed; older ones refuse unknown flags.
  int file = memfd_create("tilewire-code", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (file < 0 && errno == EINVAL) file = memfd_create("tilewire-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return file;
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (write_all(file, bytes) && fcntl(file, F_ADD_SEALS, seals) == 0) return file;
  int why = errno;
  close(file);
  errno = why;
  return -1;
}

// The loader takes two libraries of one name for the same, and numbers of files are used again: each load
// has a spelling of the path of its own.
std::string path_of(int file) {
  static std::atomic<uint64_t> loads = 0;
  std::string path = "/proc/self";
  for (uint64_t number = ++loads; number != 0; number >>= 1) path += number & 1 ? "/." : "/";
  return path + "/fd/" + std::to_string(file);
}

}  // namespace

std::shared_ptr<BundleCode> BundleCode::load(std::string_view bytes, const std::string& name,
                                             Diagnostics& diags) {
  auto refuse = [&](const std::string& why) {
    diags.report(diag::bundle_code, {}, {name, why});
    return nullptr;
  };
  int file = sealed_copy(bytes);
  if (file < 0) return refuse(std::strerror(errno));
  std::shared_ptr<BundleCode> code(new BundleCode());
  std::string path = path_of(file);
  code->handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (!code->handle_) {
    std::string why = dlerror();
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    return refuse(why);
  }
  code->module_ = static_cast<const abi::Module*>(dlsym(code->handle_, abi::module_symbol));
  if (!code->module_) return refuse(std::string("it has no symbol `") + abi::module_symbol + "`");
  if (code->module_->abi_version != abi::version) {
    return refuse("it uses version " + std::to_string(code->module_->abi_version) +
                  " of the interface to the runtime, not " + std::to_string(abi::version));
  }
  return code;
}

BundleCode::~BundleCode() {
  if (handle_) dlclose(handle_);
}

}  // namespace tilewire::driver
