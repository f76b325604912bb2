// What the emitters may assume of the processor the code will run on: instruction sets and cache sizes.
//
// Emitters look at nothing else, so one host can produce and test the code of every older machine. A Machine
// describes exactly one TargetMachine; code emitted for one must be compiled for the other, or an intrinsic
// may not select.
#pragma once

namespace llvm {
class TargetMachine;
}

namespace tilewire::target::cpu {

struct Machine {
  unsigned vector_bits = 128;  // the widest register
  bool x86 = false;
  bool aarch64 = false;
  bool fma = false;    // llvm.fma on FP32 is one instruction
  bool round = false;  // so are llvm.rint, floor, ceil and trunc (SSE4.1, NEON)
  bool f16c = false;   // and half <-> float
  bool avx2 = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512bf16 = false;  // BF16 pairs multiplied and added into FP32
  bool avx512vnni = false;  // u8 x s8 quads multiplied and added into INT32

  unsigned float_lanes() const { return vector_bits / 32; }
};

Machine machine_of(const llvm::TargetMachine& target);

}  // namespace tilewire::target::cpu
