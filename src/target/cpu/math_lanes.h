// The rare path of a function: libm for the lanes that ask for it.
#pragma once

#include <string>

#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

// `fast`, but in the lanes of `rare` what the C function gives for the arguments. The call is behind a branch
// that is taken only if a lane needs it, and its loop over the lanes is a function of the module. The builder
// must be at the end of a block without terminator and ends in a new one.
llvm::Value* replace_rare_lanes(const Lanes& v, const std::string& function, llvm::Value* rare,
                                llvm::ArrayRef<llvm::Value*> args, llvm::Value* fast);

}  // namespace tilewire::target::cpu
