// The rare path of a function: slower code for the lanes that need it, in a branch.
#pragma once

#include <functional>
#include <string>

#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

// `fast`, or what `slow` emits and returns if a lane of `rare` holds. The builder must be at the end of a
// block without terminator and ends in a new one.
llvm::Value* unless_rare(llvm::IRBuilderBase& builder, llvm::Value* rare, llvm::Value* fast,
                         const std::function<llvm::Value*()>& slow);

// `fast`, but in the lanes of `rare` the result of the C function for the arguments. The loop over the lanes
// is a function of the module.
llvm::Value* replace_rare_lanes(const Lanes& v, const std::string& function, llvm::Value* rare,
                                llvm::ArrayRef<llvm::Value*> args, llvm::Value* fast);

}  // namespace tilewire::target::cpu
