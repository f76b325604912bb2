// The public C++ interface over the driver.
#include "tilewire/tilewire.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "driver/bundle/bundle.h"
#include "driver/execute/executable.h"
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

Array array_to(const driver::Array& array) {
  return {array.data, std::string(ir::info(array.dtype).name), array.shape, array.strides, array.writable};
}

}  // namespace

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

std::vector<Result> Executable::operator()(std::vector<Argument> arguments, const RunOptions& options) const {
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
  if (call.deadlock) throw DeadlockError(diags.text());
  if (!call) throw RunError(diags.text());
  std::vector<Result> results;
  for (const driver::Returned& returned : call.results) {
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
