#include "harness.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "frontend/frontend.h"
#include "interp/interp.h"
#include "numeric/numeric.h"
#include "ops/evaluate.h"
#include "passes/expand_ops.h"
#include "passes/pipeline.h"
#include "runtime/run.h"
#include "runtime/windows.h"
#include "split_world.h"
#include "target/cpu/traits.h"

namespace tilewire::target::cpu {

using namespace ir;

namespace {

struct Buffer {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;
  size_t count() const { return data.size() / static_cast<size_t>(bytes(dtype)); }
};

struct Runtime {
  std::optional<Failure> failure;
  std::map<uint32_t, int64_t> window_bytes;            // what a host function allocates
  std::map<uint32_t, std::set<int32_t>> window_ranks;  // and to whom it hands it
  int32_t rank_count = 1;
  const abi::Module* module = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> allocated;
  uint32_t abort = 0;
};

struct TestContext : abi::Context {
  Runtime* runtime;
};

std::byte* aligned(std::vector<std::byte>& storage, uint64_t size) {
  storage.resize(size + 64, std::byte{0xA5});
  auto address = reinterpret_cast<uintptr_t>(storage.data());
  return storage.data() + (64 - address % 64) % 64;
}

Runtime& runtime_of(abi::Context* context) {
  return *static_cast<TestContext*>(context)->runtime;
}

abi::Status fail(abi::Context* context, abi::Fault fault, uint32_t site, int64_t a, int64_t b, int64_t c,
                 int64_t d) {
  Runtime& r = runtime_of(context);
  const abi::Site& place = r.module->sites[site];
  if (!r.failure) r.failure = Failure{fault, place.line, place.what, a, b, c, d};
  return abi::failed;
}

extern const abi::Api test_api;

// Kernels write the scalars they return to tensors behind their other arguments.
void add_scalar_slots(const Function& function, const abi::Function& code, std::vector<abi::Word>& words) {
  static uint64_t slot;
  for (size_t i = function.params.size(); i < code.param_count; ++i) {
    words.insert(words.end(), {reinterpret_cast<abi::Word>(&slot), 1, 1});
  }
}

abi::Status execute(Runtime& runtime, const abi::Function& function, const abi::Word* args,
                    abi::Word* results, int64_t block, int64_t blocks) {
  std::vector<std::byte> storage;
  TestContext context{};
  context.api = &test_api;
  context.abort = &runtime.abort;
  context.arena = aligned(storage, function.arena_bytes);
  context.block_index = block;
  context.block_count = blocks;
  context.rank_count = runtime.rank_count;
  context.runtime = &runtime;
  return function.code(&context, args, results);
}

abi::Status submit(abi::Context* context, const abi::Launch* launch, abi::TaskId* id) {
  for (int64_t block = 0; block < launch->blocks; ++block) {
    if (auto status =
            execute(runtime_of(context), *launch->kernel, launch->args, nullptr, block, launch->blocks)) {
      return status;
    }
  }
  *id = 1;
  return abi::ok;
}

abi::Status await(abi::Context*, const abi::Param*, const abi::Word*, uint8_t, uint32_t) {
  return abi::ok;
}

abi::Status allocate(abi::Context* context, uint64_t size, uint32_t, void** storage) {
  Runtime& r = runtime_of(context);
  r.allocated.push_back(std::make_unique<std::byte[]>(size + 64));
  auto address = reinterpret_cast<uintptr_t>(r.allocated.back().get());
  *storage = r.allocated.back().get() + (64 - address % 64) % 64;
  return abi::ok;
}

abi::Status release(abi::Context*, void*) {
  return abi::ok;
}

abi::Status window(abi::Context* context, uint32_t number, int64_t bytes, uint32_t) {
  runtime_of(context).window_bytes[number] = bytes;
  return abi::ok;
}

abi::Status dispatch(abi::Context* context, const abi::DeviceCall* call) {
  const abi::Word* word = call->args;
  for (uint32_t i = 0; i < call->entry->param_count; ++i) {
    const abi::Param& param = call->entry->params[i];
    const abi::Word* next = word + abi::word_count(param);
    auto rank = static_cast<int32_t>(call->device);
    if (param.kind == abi::ParamKind::Window) {
      runtime_of(context).window_ranks[static_cast<uint32_t>(next[-1])].insert(rank);
    } else if (param.kind == abi::ParamKind::Tensor && *word >> 63) {
      runtime_of(context).window_ranks[static_cast<uint32_t>(*word >> 44 & 0x7ffff)].insert(rank);
    }
    word = next;
  }
  return abi::ok;
}

void parallel(abi::Context*, uint32_t) {}

const abi::Api test_api = [] {
  abi::Api api{};
  api.fail = fail;
  api.submit = submit;
  api.window = window;
  api.dispatch = dispatch;
  api.parallel = parallel;
  api.await = await;
  api.allocate = allocate;
  api.release = release;
  return api;
}();

// --- arguments

int64_t extent(const ExprRef& dim, const Case& c) {
  auto given = [&](std::string_view name) -> std::optional<int64_t> {
    auto found = c.dims.find(std::string(name));
    return found != c.dims.end() ? found->second : 16;
  };
  return ops::evaluate_integer(*dim, given).value_or(16);
}

Range default_range(DType dtype) {
  if (is_float(dtype)) return {-2, 2};
  if (dtype == DType::Bool) return {0, 1};
  return info(dtype).is_signed ? Range{-7, 7} : Range{0, 9};
}

Buffer random_buffer(const Parameter& param, const Case& c, std::mt19937_64& random) {
  const auto& type = static_cast<const TensorType&>(*param.type);
  Buffer buffer{type.dtype, {}, {}};
  size_t count = 1;
  for (const ExprRef& dim : type.shape) {
    buffer.shape.push_back(extent(dim, c));
    count *= static_cast<size_t>(buffer.shape.back());
  }
  auto size = static_cast<size_t>(bytes(type.dtype));
  buffer.data.resize(count * size);
  auto found = c.ranges.find(param.name);
  Range range = found != c.ranges.end() ? found->second : default_range(type.dtype);
  for (size_t i = 0; i < count; ++i) {
    std::byte* at = buffer.data.data() + i * size;
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    if (is_float(type.dtype)) {
      numeric::store_float(type.dtype, at, range.low + unit * (range.high - range.low));
    } else {
      numeric::store_integer(
          type.dtype, at, static_cast<int64_t>(std::floor(range.low + unit * (range.high - range.low + 1))));
    }
  }
  return buffer;
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::FP32:
      return 3e-5;
    case DType::FP16:
      return 5e-3;
    case DType::BF16:
      return 4e-2;
    default:
      return 0.3;
  }
}

struct Arguments {
  std::vector<Buffer> buffers;  // of the tensor parameters
  std::vector<int> buffer_of;   // per parameter, -1 for scalars
  std::vector<double> scalars;  // per parameter
};

Arguments make_arguments(const Function& function, const Case& c) {
  Arguments result;
  std::mt19937_64 random(c.seed);
  for (const auto& param : function.params) {
    auto given = c.scalars.find(param->name);
    double usual = scalar_dtype(param->type) == DType::Index ? 0 : 1;  // places start at 0
    result.scalars.push_back(given != c.scalars.end() ? given->second : usual);
    if (!isa<TensorType>(param->type)) {
      result.buffer_of.push_back(-1);
      continue;
    }
    Buffer buffer = random_buffer(*param, c, random);
    if (c.same_array && !result.buffers.empty()) {
      result.buffer_of.push_back(0);
      continue;
    }
    result.buffer_of.push_back(static_cast<int>(result.buffers.size()));
    result.buffers.push_back(std::move(buffer));
  }
  return result;
}

std::vector<interp::Argument> interp_arguments(const Function& function, Arguments& args) {
  std::vector<interp::Argument> result;
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (args.buffer_of[i] >= 0) {
      Buffer& b = args.buffers[args.buffer_of[i]];
      result.push_back(interp::Array{b.data.data(), b.dtype, b.shape, {}});
    } else {
      DType dtype = *scalar_dtype(function.params[i]->type);
      result.push_back(is_float(dtype) ? interp::Number::of(dtype, args.scalars[i])
                                       : interp::Number::of(dtype, static_cast<int64_t>(args.scalars[i])));
    }
  }
  return result;
}

std::vector<abi::Word> words_of(const Function& function, Arguments& args) {
  std::vector<abi::Word> words;
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (args.buffer_of[i] >= 0) {
      Buffer& b = args.buffers[args.buffer_of[i]];
      words.push_back(reinterpret_cast<abi::Word>(b.data.data()));
      for (int64_t e : b.shape) words.push_back(static_cast<abi::Word>(e));
      for (size_t d = 0; d < b.shape.size(); ++d) {
        int64_t stride = 1;
        for (size_t k = d + 1; k < b.shape.size(); ++k) stride *= b.shape[k];
        words.push_back(static_cast<abi::Word>(stride));
      }
    } else {
      DType dtype = *scalar_dtype(function.params[i]->type);
      std::byte raw[8] = {};
      if (is_float(dtype)) {
        numeric::store_float(dtype, raw, args.scalars[i]);
        abi::Word word = 0;
        std::memcpy(&word, raw, static_cast<size_t>(bytes(dtype)));
        words.push_back(word);
      } else {
        words.push_back(static_cast<abi::Word>(static_cast<int64_t>(args.scalars[i])));
      }
    }
  }
  return words;
}

std::string compare(const Buffer& expected, const Buffer& found, double tolerance, const std::string& name) {
  auto size = static_cast<size_t>(bytes(expected.dtype));
  for (size_t i = 0; i < expected.count(); ++i) {
    const std::byte* x = expected.data.data() + i * size;
    const std::byte* y = found.data.data() + i * size;
    if (std::memcmp(x, y, size) == 0) continue;
    bool real = is_float(expected.dtype);
    double a = real ? numeric::load_float(expected.dtype, x)
                    : static_cast<double>(numeric::load_integer(expected.dtype, x));
    double b = real ? numeric::load_float(expected.dtype, y)
                    : static_cast<double>(numeric::load_integer(expected.dtype, y));
    double allowed = tolerance < 0 ? tolerance_of(expected.dtype) : tolerance;
    if (real && std::isnan(a) && std::isnan(b)) continue;
    if (real && allowed > 0 && std::fabs(a - b) <= allowed * (1 + std::fabs(a))) continue;
    return name + "[" + std::to_string(i) + "]: interpreted " + std::to_string(a) + ", compiled " +
           std::to_string(b);
  }
  return "";
}

std::string compare(const Function& function, const Arguments& expected, const Arguments& found,
                    double tolerance) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    int b = expected.buffer_of[i];
    if (b < 0) continue;
    std::string text = compare(expected.buffers[b], found.buffers[b], tolerance, function.params[i]->name);
    if (!text.empty()) return text;
  }
  return "";
}

const abi::Function* find(const abi::Module& module, const std::string& name) {
  for (uint32_t i = 0; i < module.kernel_count; ++i) {
    if (module.kernels[i].name == name) return &module.kernels[i];
  }
  for (uint32_t i = 0; i < module.entry_count; ++i) {
    if (module.entries[i].name == name) return &module.entries[i];
  }
  return nullptr;
}

// A kernel calls nothing: the other functions need not be compiled with it.
ProgramRef needed(const ProgramRef& program, const FunctionRef& function) {
  if (function->type != FunctionType::InCore) return program;
  return make<Program>(program->span, program->name_hint, std::vector<FunctionRef>{function});
}

}  // namespace

ProgramRef read(const std::string& text, bool lower, bool split) {
  Diagnostics diags;
  passes::Traits traits = target::cpu::traits;
  traits.splits_kernels = split;
  ProgramRef program = frontend::read_program(frontend::make_source("test.py", text), {}, diags);
  if (program && lower) program = passes::lower(program, traits, diags);
  if (!program) std::fprintf(stderr, "%s\n", diags.text().c_str());
  return program;
}

std::unique_ptr<Code> compiled(const std::string& text, const Options& options, std::string& errors,
                               bool lower) {
  ProgramRef program = read(text, lower);
  if (!program) return nullptr;
  Diagnostics diags;
  auto result = compile(program, options, diags);
  errors = diags.text();
  return result;
}

namespace {

// Windows as the host function asks for them: those handed to the same ranks share a group.
std::unique_ptr<runtime::Windows> windows_for(const abi::Module& module, const Program& program,
                                              const abi::Function& host, const std::vector<abi::Word>& words,
                                              int ranks, runtime::World& world) {
  Runtime first;
  first.module = &module;
  first.rank_count = ranks;
  std::vector<abi::Word> results(256);
  execute(first, host, words.data(), results.data(), 0, 1);
  std::vector<runtime::GroupLayout> layouts;
  for (const auto& [number, bytes] : first.window_bytes) {
    std::string name = module.windows[number].name;
    std::vector<int32_t> devices(first.window_ranks[number].begin(), first.window_ranks[number].end());
    for (const auto& group : program.comm_groups) {
      for (const auto& slot : group->slots) {
        if (slot->name != name) continue;
        devices.assign(group->devices.begin(), group->devices.end());
        for (int r = 0; group->devices.empty() && r < ranks; ++r) devices.push_back(r);
      }
    }
    auto same = [&](const runtime::GroupLayout& layout) { return layout.devices == devices; };
    auto found = std::find_if(layouts.begin(), layouts.end(), same);
    if (found == layouts.end()) found = layouts.insert(layouts.end(), runtime::GroupLayout{devices, 0, {}});
    found->slots.push_back({name, found->bytes, static_cast<uint64_t>(bytes)});
    found->bytes += (static_cast<uint64_t>(bytes) + 63) / 64 * 64;
  }
  return runtime::Windows::make(ranks, std::move(layouts), world);
}

struct CompiledProgram {
  std::string text;
  bool lower, split, hooks;
  ProgramRef source, program;
  std::unique_ptr<Code> module;
  std::string problem;
};

// The cases of a file follow one another: each of its forms is compiled once.
const CompiledProgram& compiled_once(const Case& c, const Options& options) {
  static std::vector<CompiledProgram> known;
  for (const CompiledProgram& one : known) {
    const bool same_form = one.lower == c.lower && one.split == c.split && one.hooks == options.hooks;
    if (one.text == c.text && same_form) return one;
  }
  if (!known.empty() && known[0].text != c.text) known.clear();
  CompiledProgram one{c.text, c.lower, c.split, options.hooks, read(c.text, false), nullptr, nullptr, ""};
  one.program = c.lower ? read(c.text, true, c.split) : one.source;
  if (one.source && one.program) {
    Diagnostics diags;
    one.module = compile(one.program, options, diags);
    one.problem = diags.text();
  } else {
    one.problem = "the program is not valid";
  }
  return known.emplace_back(std::move(one));
}

// How many ranks each part of a world has, and on which host it is.
struct Hosts {
  std::vector<int32_t> ranks, numbers;

  std::string text() const {
    std::string text = "hosts";
    for (size_t i = 0; i < ranks.size(); ++i) {
      text += " " + std::to_string(numbers[i]) + ":" + std::to_string(ranks[i]);
    }
    return text;
  }
};

// Everybody alone; two hosts; two parts on a host and one on another.
std::vector<Hosts> hosts_for(int ranks) {
  Hosts alone;
  for (int i = 0; i < ranks; ++i) {
    alone.ranks.push_back(1);
    alone.numbers.push_back(i);
  }
  std::vector<Hosts> all = {alone};
  if (ranks > 2) all.push_back({{ranks / 2, ranks - ranks / 2}, {0, 1}});
  if (ranks > 3) all.push_back({{1, ranks - 2, 1}, {0, 1, 0}});
  return all;
}

// A host function, compiled.
struct RankedProgram {
  const CompiledProgram& compiled;
  FunctionRef function;
  const abi::Function* host = nullptr;
  std::string problem;

  RankedProgram(const Case& c, const Options& options) : compiled(compiled_once(c, options)) {
    problem = compiled.problem;
    if (!compiled.module) return;
    function = compiled.program->find(c.entry);
    const abi::Module& m = *compiled.module->module();
    for (uint32_t i = 0; i < m.host_count; ++i) {
      if (m.hosts[i].name == c.entry) host = &m.hosts[i];
    }
    if (!host) problem = "not compiled: " + c.entry;
  }

  runtime::Outcome run(Arguments& args, int ranks, int threads, const std::string& schedule = "",
                       runtime::World& world = runtime::local_world()) const {
    std::vector<abi::Word> words = words_of(*function, args);
    std::vector<abi::Word> results(256);
    const abi::Module& m = *compiled.module->module();
    auto windows = windows_for(m, *compiled.program, *host, words, ranks, world);
    runtime::Request request;
    request.module = &m;
    request.world = &world;
    request.host = host;
    request.host_args = words;
    request.host_results = results;
    request.ranks = ranks;
    request.windows = windows.get();
    request.threads = threads;
    request.more_than_cores = true;
    request.schedule = schedule;
    return runtime::run(request);
  }

  // The same where ranks live in several parts of a world; they share the arrays.
  runtime::Outcome run_far(Arguments& args, int ranks, int threads, const std::string& schedule,
                           const Hosts& hosts) const {
    runtime::SplitWorld world(hosts.ranks, 20'000, hosts.numbers, {.seed = static_cast<uint64_t>(ranks)});
    std::vector<runtime::Outcome> outcomes =
        world.run([&](runtime::World& part, size_t) { return run(args, ranks, threads, schedule, part); });
    return std::move(outcomes[0]);
  }

  interp::RunResult interpret(const Case& c, Arguments& args, int ranks) const {
    interp::RunOptions options;
    options.ranks = ranks;
    // Groups, too, mean something to the interpreter once they are lowered.
    const bool groups = c.text.find("FunctionType.Group") != std::string::npos;
    const ProgramRef& source = c.interpret_lowered || groups ? compiled.program : compiled.source;
    return interp::run(source, c.entry, interp_arguments(*source->find(c.entry), args), options);
  }
};

Case with_ranks(Case c, int ranks) {
  c.dims.try_emplace("NR", ranks);
  return c;
}

// Code with hooks is run in other orders too.
std::vector<std::string> schedules(const Options& options) {
  if (!options.hooks) return {""};
  return {"", "random:1", "random:2", "random:3"};
}

std::string difference_on_ranks(const Case& c, const Options& options) {
  RankedProgram compiled(c, options);
  if (!compiled.problem.empty()) return compiled.problem;
  for (int ranks : c.ranks) {
    Arguments expected = make_arguments(*compiled.function, with_ranks(c, ranks));
    const Arguments given = expected;
    auto interpreted = compiled.interpret(c, expected, ranks);
    if (interpreted.error) return "interpreted: " + interpreted.error->text();
    for (const std::string& schedule : schedules(options)) {
      for (int threads : c.threads) {
        Arguments found = given;
        std::string where =
            std::to_string(ranks) + " ranks, " + std::to_string(threads) + " threads " + schedule + ": ";
        runtime::Outcome outcome = compiled.run(found, ranks, threads, schedule);
        if (!outcome.ok()) return where + (outcome.error ? render(*outcome.error) : "it failed");
        std::string text = compare(*compiled.function, expected, found, c.tolerance);
        if (!text.empty()) return where + text;
      }
    }
  }
  return "";
}

}  // namespace

std::string far_difference(const Case& c, const Options& options) {
  RankedProgram compiled(c, options);
  if (!compiled.problem.empty()) return compiled.problem;
  for (int ranks : c.ranks) {
    const Arguments given = make_arguments(*compiled.function, with_ranks(c, ranks));
    Arguments near = given;
    const runtime::Outcome reference = compiled.run(near, ranks, 2);
    for (const Hosts& hosts : ranks > 1 ? hosts_for(ranks) : std::vector<Hosts>()) {
      for (const std::string& schedule : schedules(options)) {
        for (int threads : c.threads) {
          Arguments far = given;
          const std::string where =
              hosts.text() + ", " + std::to_string(threads) + " threads " + schedule + ": ";
          runtime::Outcome outcome = compiled.run_far(far, ranks, threads, schedule, hosts);
          if (outcome.ending != reference.ending || outcome.site.line != reference.site.line) {
            return where + (outcome.error ? render(*outcome.error) : "it did not fail");
          }
          if (!outcome.ok()) continue;
          std::string text = compare(*compiled.function, near, far, 0);
          if (!text.empty()) return where + text;
        }
      }
    }
  }
  return "";
}

namespace {

// Both must fail with that code at that line.
std::string failure_on_ranks(const FileCase& file_case) {
  const Case& c = file_case.c;
  RankedProgram compiled(c, file_case.options);
  if (!compiled.problem.empty()) return compiled.problem;
  for (int ranks : c.ranks) {
    Arguments args = make_arguments(*compiled.function, with_ranks(c, ranks));
    const Arguments given = args;
    auto interpreted = compiled.interpret(c, args, ranks);
    if (!interpreted.error) return "interpreted, it does not fail";
    std::string text = interpreted.error->text();
    if (text.find(file_case.fault) == std::string::npos) return "interpreted: " + text;
    if (interpreted.error->diagnostic.span.line != file_case.line) return "interpreted: " + text;
    for (int threads : c.threads) {
      Arguments found = given;
      runtime::Outcome outcome = compiled.run(found, ranks, threads);
      if (outcome.ok()) return "it does not fail";
      text = outcome.error ? render(*outcome.error) : "no message";
      if (text.find(file_case.fault) == std::string::npos || outcome.site.line != file_case.line) return text;
    }
  }
  return "";
}

}  // namespace

std::string run_compiled(const Case& c, const Options& options) {
  RankedProgram compiled(c, options);
  if (!compiled.problem.empty()) return compiled.problem;
  for (int ranks : c.ranks) {
    for (int threads : c.threads) {
      Arguments args = make_arguments(*compiled.function, with_ranks(c, ranks));
      runtime::Outcome outcome = compiled.run(args, ranks, threads);
      if (!outcome.ok()) return outcome.error ? render(*outcome.error) : "it failed";
    }
  }
  return "";
}

namespace {

// Empty, or the fault it ends with.
std::string run_on_one_rank(const Code& module, const Function& function, Arguments& args) {
  Runtime runtime;
  runtime.module = module.module();
  const abi::Function* code = find(*runtime.module, function.name);
  if (!code) return "not compiled: " + function.name;
  std::vector<abi::Word> words = words_of(function, args);
  add_scalar_slots(function, *code, words);
  std::vector<abi::Word> results(256);
  if (execute(runtime, *code, words.data(), results.data(), 0, 1) == abi::ok) return "";
  return "compiled code failed: fault " +
         std::to_string(static_cast<int>(runtime.failure ? runtime.failure->fault : abi::Fault{})) +
         " line " + std::to_string(runtime.failure ? runtime.failure->line : 0);
}

}  // namespace

std::string difference(const Case& c, const Options& options) {
  if (!c.ranks.empty()) return difference_on_ranks(c, options);
  ProgramRef source = read(c.text, false);
  ProgramRef program = c.lower ? read(c.text, true) : source;
  if (!source || !program) return "the program is not valid";
  Diagnostics diags;
  source = passes::expand_ops(source, {}, diags);  // the interpreter has no rules for what is made of others
  FunctionRef interpreted_function = source->find(c.entry), function = program->find(c.entry);
  if (!function || !interpreted_function) return "no function " + c.entry;
  auto module = compile(needed(program, function), options, diags);
  if (!module) return diags.text();
  Arguments expected = make_arguments(*function, c);
  Arguments found = expected;
  auto interpreted = interp::run(source, c.entry, interp_arguments(*interpreted_function, expected), {});
  if (interpreted.error) return "interpreted: " + interpreted.error->text();
  std::string problem = run_on_one_rank(*module, *function, found);
  return problem.empty() ? compare(*function, expected, found, c.tolerance) : problem;
}

std::string rule_difference(const std::string& text, const std::string& entry, std::span<const std::byte> x) {
  std::vector<std::byte> results[2];
  for (bool own_rules : {false, true}) {
    passes::Traits chosen = traits;
    if (!own_rules) chosen.has_rule = nullptr;
    Diagnostics diags;
    ProgramRef source = read(text, false);
    ProgramRef program = source ? passes::lower(source, chosen, diags) : nullptr;
    FunctionRef function = program ? program->find(entry) : nullptr;
    auto module = function ? compile(needed(program, function), {}, diags) : nullptr;
    if (!module) return "not compiled: " + diags.text();
    Arguments args = make_arguments(*function, {});
    if (args.buffers.size() != 2 || args.buffers[0].data.size() != x.size()) return "other parameters";
    std::copy(x.begin(), x.end(), args.buffers[0].data.begin());
    std::string problem = run_on_one_rank(*module, *function, args);
    if (!problem.empty()) return problem;
    results[own_rules] = args.buffers[1].data;
  }
  auto [a, b] = std::mismatch(results[0].begin(), results[0].end(), results[1].begin());
  return a == results[0].end() ? "" : "byte " + std::to_string(a - results[0].begin()) + " of the result";
}

namespace {

void apply_word(const std::string& word, FileCase& out) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (word == "same") {
    out.c.same_array = true;
  } else if (word == "strided") {
    out.options.strided = true;
  } else if (word == "unlowered") {
    out.c.lower = false;
  } else if (word == "split") {
    out.c.split = true;
  } else if (word == "hooks") {
    out.options.hooks = true;
  } else if (name == "ranks") {
    std::istringstream numbers(value);
    for (std::string number; std::getline(numbers, number, ',');) out.c.ranks.push_back(std::stoi(number));
  } else if (name == "dtype") {
    for (size_t at; (at = out.c.text.find("DTYPE")) != std::string::npos;) out.c.text.replace(at, 5, value);
  } else if (name == "tolerance") {
    out.c.tolerance = std::stod(value);
  } else if (name == "seed") {
    out.c.seed = std::stoull(value);
  } else if (name.starts_with("dim.")) {
    out.c.dims[name.substr(4)] = std::stoll(value);
  } else if (name.starts_with("range.")) {
    size_t dots = value.find("..");
    out.c.ranges[name.substr(6)] = {std::stod(value.substr(0, dots)), std::stod(value.substr(dots + 2))};
  } else {
    out.c.scalars[name] = std::stod(value);
  }
}

}  // namespace

std::vector<FileCase> cases_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<FileCase> result;
  std::string line;
  while (std::getline(text, line)) {
    bool runs = line.starts_with("# run:"), fails = line.starts_with("# fails:");
    if (!runs && !fails) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    FileCase one;
    one.c.text = text.str();
    one.title = path.substr(path.rfind('/') + 1) + " " + line.substr(2);
    words >> one.c.entry;
    if (fails) {
      words >> one.fault >> one.line;
    }
    for (std::string word; words >> word;) apply_word(word, one);
    result.push_back(std::move(one));
  }
  return result;
}

std::string problem(const FileCase& c) {
  if (c.fault.empty()) return difference(c.c, c.options);
  if (!c.c.ranks.empty()) return failure_on_ranks(c);
  auto found = failure(c.c, c.options);
  if (!found) return "it does not fail";
  if (std::to_string(static_cast<int>(found->fault)) != c.fault)
    return "fault " + std::to_string(static_cast<int>(found->fault));
  return found->line == c.line ? "" : "line " + std::to_string(found->line);
}

std::optional<Failure> failure(const Case& c, const Options& options) {
  ProgramRef program = read(c.text, c.lower);
  if (!program) return std::nullopt;
  Diagnostics diags;
  FunctionRef function = program->find(c.entry);
  auto module = compile(needed(program, function), options, diags);
  if (!module) return std::nullopt;
  Arguments args = make_arguments(*function, c);
  Runtime runtime;
  runtime.module = module->module();
  std::vector<abi::Word> words = words_of(*function, args);
  const abi::Function& code = *find(*runtime.module, c.entry);
  add_scalar_slots(*function, code, words);
  std::vector<abi::Word> results(256);
  execute(runtime, code, words.data(), results.data(), 0, 1);
  return runtime.failure;
}

}  // namespace tilewire::target::cpu
