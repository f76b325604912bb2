// Arguments and results in the form generated code takes them (abi.h).
#pragma once

#include <vector>

#include "abi/abi.h"
#include "driver/execute/arguments.h"
#include "driver/execute/executable.h"

namespace tilewire::driver {

std::vector<abi::Word> argument_words(const Signature& signature, const BoundArguments& arguments);

// Room for the results of an entry.
size_t result_word_count(const abi::Function& entry);

// `owner` keeps storage the program made. An array that is an argument as it was passed is that argument.
std::vector<Returned> results_from_words(const abi::Function& entry, const std::vector<abi::Word>& words,
                                         const BoundArguments& arguments, const std::shared_ptr<void>& owner);

}  // namespace tilewire::driver
