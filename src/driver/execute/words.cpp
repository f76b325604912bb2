#include "driver/execute/words.h"

#include <algorithm>
#include <cstring>

#include "numeric/numeric.h"

namespace tilewire::driver {
abi::Word scalar_word(ir::DType dtype, const Number& number) {
  if (ir::is_float(dtype)) {
    double value = std::visit([](auto v) { return static_cast<double>(v); }, number);
    abi::Word word = 0;
    numeric::store_float(dtype, &word, value);
    return word;
  }
  return std::visit([](auto v) { return static_cast<abi::Word>(v); }, number);
}

Number number_from_word(ir::DType dtype, abi::Word word) {
  if (ir::is_float(dtype)) return static_cast<double>(numeric::load_float(dtype, &word));
  if (dtype == ir::DType::Bool) return word != 0;
  if (dtype == ir::DType::UInt64) return static_cast<uint64_t>(word);
  return static_cast<int64_t>(word);
}

std::vector<abi::Word> argument_words(const Signature& signature, const BoundArguments& arguments) {
  std::vector<abi::Word> words;
  words.reserve(arguments.values.size() * 5);
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    if (const auto* array = std::get_if<Array>(&arguments.values[i])) {
      append_words(*array, words);
    } else {
      words.push_back(scalar_word(signature.params()[i].dtype, std::get<Number>(arguments.values[i])));
    }
  }
  return words;
}

size_t result_word_count(const abi::Function& entry) {
  size_t count = 0;
  for (uint32_t i = 0; i < entry.result_count; ++i) count += abi::word_count(entry.results[i]);
  return count;
}

int returned_argument(const abi::Function& entry, const abi::Param& result, const abi::Word* words,
                      std::span<const abi::Word> arguments) {
  const abi::Word* at = arguments.data();
  for (uint32_t i = 0; i < entry.param_count; ++i) {
    const abi::Param& param = entry.params[i];
    const uint32_t count = abi::word_count(param);
    if (param.kind == result.kind && param.dtype == result.dtype && param.rank == result.rank &&
        std::equal(at, at + count, words)) {
      return static_cast<int>(i);
    }
    at += count;
  }
  return -1;
}

std::vector<Returned> results_from_words(const abi::Function& entry, std::span<const abi::Word> words,
                                         std::span<const abi::Word> arguments,
                                         const std::shared_ptr<void>& owner) {
  std::vector<Returned> results;
  const abi::Word* at = words.data();
  for (uint32_t i = 0; i < entry.result_count; ++i) {
    const abi::Param& param = entry.results[i];
    auto dtype = static_cast<ir::DType>(param.dtype);
    if (param.kind == abi::ParamKind::Tensor) {
      ReturnedArray returned;
      returned.array.data = reinterpret_cast<void*>(at[0]);
      returned.array.dtype = dtype;
      returned.array.shape.assign(at + 1, at + 1 + param.rank);
      returned.array.strides.assign(at + 1 + param.rank, at + 1 + 2 * param.rank);
      returned.parameter = returned_argument(entry, param, at, arguments);
      returned.owner = owner;
      results.emplace_back(std::in_place_type<ReturnedArray>, std::move(returned));
    } else {
      results.emplace_back(std::in_place_type<Number>, number_from_word(dtype, at[0]));
    }
    at += abi::word_count(param);
  }
  return results;
}

}  // namespace tilewire::driver
