// The public C++ interface over the driver.
#include "tilewire/tilewire.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include "driver/bundle/bundle.h"
#include "driver/execute/executable.h"
#include "driver/execute/words.h"
#include "driver/inputs/npy.h"
#include "driver/world/world_place.h"
#include "frontend/frontend.h"
#include "ir/printer.h"

namespace tilewire {

struct Program::Body {
  ir::ProgramRef program;
};
struct Executable::Body {
  std::shared_ptr<driver::Executable> executable;
};

namespace {

driver::Array array_from(const Array& given) {
  driver::Array array;
  array.data = given.data;
  if (auto dtype = ir::dtype_from_name(given.dtype)) {
    array.dtype = *dtype;
  } else {
    array.foreign = given.dtype;
  }
  array.shape = given.shape;
  array.strides = given.strides.empty() ? driver::dense_strides(given.shape) : given.strides;
  array.writable = given.writable;
  if (array.strides.size() != array.shape.size())
    throw RunError("an array has one stride for each dimension");
  for (int64_t extent : array.shape) {
    if (extent < 0) throw RunError("an extent of an array is negative");
  }
  return array;
}

driver::Argument argument_from(const Argument& given) {
  if (const auto* array = std::get_if<Array>(&given)) return array_from(*array);
  if (const auto* flag = std::get_if<bool>(&given)) return driver::Number(*flag);
  if (const auto* number = std::get_if<int64_t>(&given)) return driver::Number(*number);
  if (const auto* number = std::get_if<double>(&given)) return driver::Number(*number);
  return {};
}

using abi::Word;
using driver::KnownCalls;

// Appends the words of an array that fits the parameter; false for what has to be looked at more closely.
bool tensor_words(const driver::ParameterInfo& param, const Array& array, Word*& at) {
  const size_t rank = param.dims.size();
  if (array.shape.size() != rank || array.dtype != ir::info(param.dtype).name ||
      (param.written && !array.writable) || (!array.strides.empty() && array.strides.size() != rank)) {
    return false;
  }
  *at++ = reinterpret_cast<Word>(array.data);
  for (const int64_t extent : array.shape) {
    if (extent < 0) return false;
    *at++ = static_cast<Word>(extent);
  }
  int64_t dense = 1;
  for (size_t i = rank; i-- > 0;) {
    at[i] = static_cast<Word>(array.strides.empty() ? dense : array.strides[i]);
    dense *= std::max<int64_t>(array.shape[i], 1);
  }
  at += rank;
  return true;
}

bool scalar_words(const driver::ParameterInfo& param, const Argument& given, Word*& at) {
  driver::Number number;
  if (const auto* flag = std::get_if<bool>(&given)) {
    number = *flag;
  } else if (const auto* integer = std::get_if<int64_t>(&given)) {
    number = *integer;
  } else if (const auto* real = std::get_if<double>(&given)) {
    number = *real;
  } else {
    return false;
  }
  if (!driver::takes_number(param.dtype, number)) return false;
  *at++ = driver::scalar_word(param.dtype, number);
  return true;
}

// The words of a call; nothing when it has to be bound.
bool call_words(const driver::Signature& signature, const std::vector<Argument>& arguments, Word* at) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const driver::ParameterInfo& param = signature.params()[i];
    const auto* array = std::get_if<Array>(&arguments[i]);
    if (param.tensor ? !array || !tensor_words(param, *array, at) : !scalar_words(param, arguments[i], at))
      return false;
  }
  return true;
}

[[noreturn]] void throw_failed_call(const driver::Call& call, const Diagnostics& diags) {
  if (call.deadlock) throw DeadlockError(diags.text());
  throw RunError(diags.text());
}

Array array_to(const driver::Array& array) {
  return {array.data, std::string(ir::info(array.dtype).name), array.shape, array.strides, array.writable};
}

// `made`: keeps outputs that were left out, which are among the parameters.
std::vector<Result> results_from(const std::vector<driver::Returned>& values,
                                 const std::shared_ptr<void>& made) {
  std::vector<Result> results;
  results.reserve(values.size());
  for (const driver::Returned& returned : values) {
    if (const auto* array = std::get_if<driver::ReturnedArray>(&returned)) {
      results.push_back({array_to(array->array), array->parameter >= 0 ? made : array->owner});
    } else {
      std::visit(
          [&](auto number) {
            results.push_back({number, nullptr});
          },
          std::get<driver::Number>(returned));
    }
  }
  return results;
}

}  // namespace

std::optional<std::vector<Result>> Executable::repeated(const std::vector<Argument>& arguments,
                                                        const RunOptions& options) const {
  const driver::Executable& executable = *body_->executable;
  const KnownCalls& known = executable.known_calls();
  const bool plain =
      options.ranks == 0 && options.trace.empty() && options.schedule.empty() && options.replay.empty();
  Word words[KnownCalls::most_words], results[KnownCalls::most_result_words];
  if (!plain || known.word_count() == 0 || arguments.size() != executable.signature().params().size() ||
      !call_words(executable.signature(), arguments, words)) {
    return std::nullopt;
  }
  const std::span<const Word> given(words, known.word_count());
  const auto call = known.find(given);
  if (!call) return std::nullopt;
  Diagnostics diags;
  std::shared_ptr<void> owner;
  const driver::Call made = executable.repeat(*call, given, results, owner, options.threads, diags);
  if (!made) throw_failed_call(made, diags);
  return results_from(driver::results_from_words(*call->entry, results, given, owner), nullptr);
}

Program Program::parse(std::string_view text, const std::string& name,
                       const std::vector<std::pair<std::string, std::string>>& constants) {
  Diagnostics diags;
  frontend::Options options;
  options.constants.insert(constants.begin(), constants.end());
  ir::ProgramRef program =
      frontend::read_program(frontend::make_source(name, std::string(text)), options, diags);
  if (!program) throw ProgramError(diags.text());
  return Program(std::make_shared<Body>(Body{std::move(program)}));
}

Program Program::load(const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& constants) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ProgramError("cannot read `" + path + "`: " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse(text, path, constants);
}

Executable Program::compile(const CompileOptions& options) const {
  Diagnostics diags;
  auto executable = driver::Executable::compile(body_->program,
                                                {options.entry, options.target, options.debug_bounds}, diags);
  if (!executable) throw ProgramError(diags.text());
  return Executable(std::make_shared<Executable::Body>(Executable::Body{std::move(executable)}));
}

std::string Program::as_python() const {
  return ir::as_python(body_->program);
}

std::string Executable::text(const std::string& form) const {
  Diagnostics diags;
  auto text = body_->executable->text(form, diags);
  if (!text) throw ProgramError(diags.text());
  return std::move(*text);
}

void Executable::save(const std::string& folder, int ranks) const {
  Diagnostics diags;
  auto only = ranks == 0 ? std::nullopt : std::optional<int64_t>(ranks);
  if (!body_->executable->save(folder, only, diags)) throw BundleError(diags.text());
}

Executable Executable::load(const std::string& folder, const std::string& entry) {
  Diagnostics diags;
  auto executable = driver::load_bundle(folder, entry, diags);
  if (!executable) throw BundleError(diags.text());
  return Executable(std::make_shared<Body>(Body{std::move(executable)}));
}

std::vector<Result> Executable::operator()(const std::vector<Argument>& arguments,
                                           const RunOptions& options) const {
  if (auto results = repeated(arguments, options)) return std::move(*results);
  const driver::Signature& signature = body_->executable->signature();
  Diagnostics diags;
  auto places = signature.arrange(arguments.size(), {}, diags);
  if (!places) throw RunError(diags.text());
  std::vector<driver::Argument> arranged;
  for (int place : *places) {
    arranged.push_back(place < 0 ? driver::Argument() : argument_from(arguments[place]));
  }
  auto made = std::make_shared<std::vector<driver::OwnedArray>>();
  made->reserve(signature.params().size());
  auto make = [&](size_t parameter, const std::vector<int64_t>& shape) {
    return made->emplace_back(signature.params()[parameter].dtype, shape).array();
  };
  auto bound = signature.bind(std::move(arranged), make, diags);
  if (!bound) throw RunError(diags.text());
  driver::CallOptions settings;
  if (options.ranks != 0) settings.ranks = options.ranks;
  settings.threads = options.threads;
  settings.trace = options.trace;
  settings.schedule = options.replay.empty() ? options.schedule : "replay:" + options.replay;
  driver::Call call = body_->executable->call(*bound, settings, diags);
  if (!call) throw_failed_call(call, diags);
  std::vector<Result> results = results_from(call.results, made);
  if (results.empty()) {
    for (const driver::OwnedArray& array : *made) results.push_back({array_to(array.array()), made});
  }
  return results;
}

void init(std::string_view world) {
  Diagnostics diags;
  if (!driver::choose_world(world, diags)) throw RunError(diags.text());
}

}  // namespace tilewire
