// The tasks of a program as the interpreter submits them, for tests of what is emitted for PTO:
//
//     pto_record_tasks FILE ENTRY RANKS [NAME=4x16 | NAME=3]...
//
// prints, as JSON, each rank's tasks in order: kernel, blocks, arguments, and the tasks it starts after; the
// elements that orchestration functions read, the scalars that kernels returned, and the window buffers.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "driver/execute/entry.h"
#include "driver/execute/targets.h"
#include "driver/inputs/random_arrays.h"
#include "frontend/frontend.h"
#include "interp/interp.h"
#include "numeric/numeric.h"
#include "passes/pipeline.h"

namespace {

using namespace tilewire;
using nlohmann::json;

[[noreturn]] void stop(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

std::string hex(const void* from, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(from)[i]);
    text += two;
  }
  return text;
}

std::string hex(const interp::Scalar& scalar) {
  unsigned char bytes[8] = {};
  if (scalar.is_float()) {
    numeric::store_float(scalar.dtype, bytes, scalar.f);
  } else {
    numeric::store_integer(scalar.dtype, bytes, scalar.i);
  }
  return hex(bytes, static_cast<size_t>(ir::bytes(scalar.dtype)));
}

json tensor_json(const interp::Tensor& tensor) {
  return {{"storage", tensor.storage},    {"offset", tensor.offset * ir::bytes(tensor.dtype)},
          {"shape", tensor.shape},        {"strides", tensor.strides},
          {"tracked", !tensor.untracked}, {"window", tensor.window}};
}

json task_json(const interp::Task& task) {
  if (task.code->defers) return {{"defers", true}};
  const ir::Function& kernel = *task.code->function;
  json arguments = json::object(), results = json::array();
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const interp::Value& value = task.registers[task.code->params[i]];
    json& made = arguments[kernel.params[i]->name];
    if (const auto* tensor = value.tensor()) made = tensor_json(*tensor);
    if (const auto* scalar = value.scalar()) made = hex(*scalar);
  }
  return {{"kernel", kernel.name},
          {"blocks", task.blocks / kernel.lanes},
          {"sync_start", task.sync_start},
          {"arguments", arguments}};
}

void add_scalars(const interp::Value& value, json& to) {
  if (const auto* scalar = value.scalar()) to.push_back(hex(*scalar));
  if (const auto* tuple = value.tuple()) {
    for (const interp::Value& part : *tuple) add_scalars(part, to);
  }
}

// What orchestration functions read, and what each task starts after.
struct Recorder final : interp::EventSink {
  const interp::World* world = nullptr;
  std::map<int, json> reads;
  std::map<interp::TaskNo, std::vector<uint32_t>> after;
  std::vector<interp::TaskNo> order;
  std::map<interp::TaskNo, json> tasks;  // of kernels

  void on(const interp::Event& event) override {
    using Kind = interp::Event::Kind;
    if (event.kind == Kind::Submit) {
      after[event.task].assign(event.after.begin(), event.after.end());
      order.push_back(event.task);
      // A task's arguments are dropped when its blocks start, so they are looked at now.
      const interp::Task& task = world->task(event.task);
      if (task.code->level == interp::CodeLevel::Kernel) tasks[event.task] = task_json(task);
    }
    const bool read = event.kind == Kind::Access && event.access == ir::Access::Read;
    if (!read || world->agent(event.agent).level != interp::CodeLevel::Orchestration) return;
    reads[event.rank].push_back(
        hex(world->bytes(event.storage) + event.box.offset, static_cast<size_t>(event.box.run)));
  }
};

// Memory for the arguments of an entry.
struct Inputs {
  std::vector<std::vector<char>> storage;
  std::vector<interp::Argument> arguments;

  void add(const ir::Parameter& param, const std::string& text) {
    if (auto dtype = ir::scalar_dtype(param.type)) {
      arguments.push_back(ir::is_float(*dtype) ? interp::Number::of(*dtype, std::stod(text))
                                               : interp::Number::of(*dtype, int64_t{std::stoll(text)}));
      return;
    }
    const auto& type = static_cast<const ir::TensorType&>(*param.type);
    std::vector<int64_t> shape;
    std::stringstream parts(text);
    for (std::string part; std::getline(parts, part, 'x');) shape.push_back(std::stoll(part));
    int64_t count = ir::bytes(type.dtype);
    for (int64_t extent : shape) count *= extent;
    storage.emplace_back(static_cast<size_t>(count) + 1);
    driver::Array array{storage.back().data(), type.dtype, shape, driver::dense_strides(shape), true, ""};
    driver::fill_random(array, 1, arguments.size());
    arguments.push_back(interp::Array{array.data, type.dtype, shape, {}});
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) stop("usage: pto_record_tasks FILE ENTRY RANKS [NAME=4x16 | NAME=3]...");
  std::ifstream in(argv[1]);
  std::stringstream text;
  text << in.rdbuf();
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(frontend::make_source(argv[1], text.str()), {}, diags);
  if (!program) stop(diags.text());
  driver::Entry entry = driver::find_entry(program, argv[2], diags);
  if (!entry.function) stop(diags.text());
  passes::Traits traits = driver::default_target().traits;
  traits.splits_kernels = true;
  ir::ProgramRef lowered = passes::lower(entry.program, traits, diags);
  if (!lowered) stop(diags.text());
  ir::FunctionRef function = lowered->find(entry.function->name);
  std::map<std::string, std::string> given;
  for (int i = 4; i < argc; ++i) {
    const std::string setting = argv[i];
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) stop("no value in `" + setting + "`");
    given[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  Inputs inputs;
  for (const auto& param : function->params) {
    if (!given.count(param->name)) stop("no value for `" + param->name + "`");
    inputs.add(*param, given[param->name]);
  }
  interp::Options options;
  options.ranks = std::atoi(argv[3]);
  options.full_order = true;
  auto image = interp::Image::make(lowered, function->name, diags);
  if (!image) stop(diags.text());
  interp::World world(image, options);
  Recorder recorder;
  recorder.world = &world;
  if (auto error = interp::start(world, *function, inputs.arguments)) stop(error->text());
  interp::InOrder order;
  interp::run(world, order, &recorder);
  if (world.error()) stop(world.error()->text());

  json ranks = json::object();
  std::map<interp::TaskNo, json>& tasks = recorder.tasks;
  std::map<interp::TaskNo, size_t> number;
  for (interp::TaskNo task : recorder.order) {
    if (!tasks.count(task)) continue;
    json& mine = ranks[std::to_string(world.task(task).rank)];
    if (mine.is_null()) mine = {{"tasks", json::array()}, {"reads", json::array()}};
    number[task] = mine["tasks"].size();
    json after = json::array(), results = json::array();
    for (uint32_t earlier : recorder.after[task]) {
      if (tasks.count(earlier)) after.push_back(number[earlier]);
    }
    for (const interp::Value& value : world.task(task).results) add_scalars(value, results);
    tasks[task]["after"] = std::move(after);
    tasks[task]["results"] = std::move(results);
    mine["tasks"].push_back(tasks[task]);
  }
  for (auto& [rank, reads] : recorder.reads) {
    json& mine = ranks[std::to_string(rank)];
    if (mine.is_null()) mine = {{"tasks", json::array()}, {"reads", json::array()}};
    mine["reads"] = reads;
  }
  json windows = json::array();
  for (const interp::Window& window : world.windows()) {
    windows.push_back({{"bytes", window.bytes}, {"group", window.group}});
  }
  std::printf("%s\n", json({{"ranks", ranks}, {"windows", windows}}).dump().c_str());
  return 0;
}
