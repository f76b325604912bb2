// Arguments and results in the form generated code takes them (abi.h).
#pragma once

#include <span>
#include <vector>

#include "abi/abi.h"
#include "driver/execute/arguments.h"
#include "driver/execute/executable.h"

namespace tilewire::driver {

std::vector<abi::Word> argument_words(const Signature& signature, const BoundArguments& arguments);

// A number that fits the dtype (arguments.h); floats as the bits of their storage.
abi::Word scalar_word(ir::DType dtype, const Number& number);
Number number_from_word(ir::DType dtype, abi::Word word);

// Room for the results of an entry.
size_t result_word_count(const abi::Function& entry);

// The parameter whose argument, as it was passed, is this returned tensor; -1 if none is.
int returned_argument(const abi::Function& entry, const abi::Param& result, const abi::Word* words,
                      std::span<const abi::Word> arguments);

// `owner` keeps storage the program made. An array that is an argument as it was passed is that argument.
std::vector<Returned> results_from_words(const abi::Function& entry, std::span<const abi::Word> results,
                                         std::span<const abi::Word> arguments,
                                         const std::shared_ptr<void>& owner);

}  // namespace tilewire::driver
