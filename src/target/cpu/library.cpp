// The one symbol of libtilewire-cpu.so.
#include "ops/registry.h"
#include "target/cpu/compile.h"

namespace tilewire::target::cpu {

extern "C" __attribute__((visibility("default"))) const Library* tilewire_cpu_library() {
  static constexpr Library library = {library_version, ops::share_registry, compile, load_object,
                                      machine_key};
  return &library;
}

}  // namespace tilewire::target::cpu
