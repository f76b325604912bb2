#include "target/cpu/machine.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

namespace tilewire::target::cpu {

Machine machine_of(const llvm::TargetMachine& target) {
  const llvm::MCSubtargetInfo& subtarget = *target.getMCSubtargetInfo();
  auto has = [&](const char* feature) { return subtarget.checkFeatures(feature); };
  Machine m;
  m.x86 = target.getTargetTriple().getArch() == llvm::Triple::x86_64;
  m.aarch64 = target.getTargetTriple().isAArch64();
  if (m.aarch64) {
    // NEON is part of the base architecture, and with it fused arithmetic, rounding and FP16 conversion.
    m.fma = m.round = m.f16c = true;
    return m;
  }
  if (!m.x86) return m;
  m.fma = has("+fma");
  m.round = has("+sse4.1");
  m.f16c = has("+f16c");
  m.avx2 = has("+avx2");
  m.avx512f = has("+avx512f");
  m.avx512bw = has("+avx512bw");
  m.avx512dq = has("+avx512dq");
  m.avx512vl = has("+avx512vl");
  m.avx512bf16 = has("+avx512bf16");
  m.avx512vnni = has("+avx512vnni");
  m.vector_bits = m.avx512f ? 512 : has("+avx") ? 256 : 128;
  return m;
}

}  // namespace tilewire::target::cpu
