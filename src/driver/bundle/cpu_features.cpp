#include "driver/bundle/cpu_features.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace tilewire::driver {

const char* machine_triple() {
#if defined(__x86_64__)
  return "x86_64-linux-gnu";
#elif defined(__aarch64__)
  return "aarch64-linux-gnu";
#else
#error "name this machine"
#endif
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  // The compiler takes the names as literals only.
#define TW_FEATURE(name) \
  if (__builtin_cpu_supports(name)) found.emplace_back(name)
  __builtin_cpu_init();
  TW_FEATURE("sse3");
  TW_FEATURE("ssse3");
  TW_FEATURE("sse4.1");
  TW_FEATURE("sse4.2");
  TW_FEATURE("popcnt");
  TW_FEATURE("lzcnt");
  TW_FEATURE("movbe");
  TW_FEATURE("bmi");
  TW_FEATURE("bmi2");
  TW_FEATURE("aes");
  TW_FEATURE("pclmul");
  TW_FEATURE("avx");
  TW_FEATURE("avx2");
  TW_FEATURE("fma");
  TW_FEATURE("f16c");
  TW_FEATURE("gfni");
  TW_FEATURE("vaes");
  TW_FEATURE("vpclmulqdq");
  TW_FEATURE("avx512f");
  TW_FEATURE("avx512cd");
  TW_FEATURE("avx512vl");
  TW_FEATURE("avx512bw");
  TW_FEATURE("avx512dq");
  TW_FEATURE("avx512ifma");
  TW_FEATURE("avx512vbmi");
  TW_FEATURE("avx512vbmi2");
  TW_FEATURE("avx512vnni");
  TW_FEATURE("avx512bitalg");
  TW_FEATURE("avx512vpopcntdq");
  TW_FEATURE("avx512bf16");
#undef TW_FEATURE
#elif defined(__aarch64__)
  struct Bit {
    unsigned long mask;
    const char* name;
  };
  const unsigned long bits = getauxval(AT_HWCAP);
  for (Bit bit : {Bit{1ul << 1, "neon"}, Bit{1ul << 8, "lse"}, Bit{1ul << 10, "fullfp16"},
                  Bit{1ul << 20, "dotprod"}, Bit{1ul << 22, "sve"}}) {
    if (bits & bit.mask) found.emplace_back(bit.name);
  }
#endif
  return found;
}

}  // namespace tilewire::driver
