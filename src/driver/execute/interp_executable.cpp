#include "driver/execute/interp_executable.h"

#include "driver/host/call_values.h"
#include "driver/host/host_analysis.h"
#include "driver/schedule/call_schedule.h"
#include "driver/world/world_place.h"
#include "interp/interp.h"
#include "ir/printer.h"
#include "passes/collect_comm_groups.h"
#include "passes/pipeline.h"
#include "runtime/run.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::driver {
namespace {

interp::Number number_for(ir::DType dtype, const Number& number) {
  if (ir::is_float(dtype)) {
    return interp::Number::of(dtype, std::visit([](auto v) { return static_cast<double>(v); }, number));
  }
  return interp::Number::of(dtype, std::visit([](auto v) { return static_cast<int64_t>(v); }, number));
}

Number number_from(const interp::Number& number) {
  if (ir::is_float(number.dtype)) return number.real();
  if (number.dtype == ir::DType::Bool) return number.integer() != 0;
  if (number.dtype == ir::DType::UInt64) return static_cast<uint64_t>(number.integer());
  return number.integer();
}

// Stops the interpreter when the user stops all runs of the process.
class AbortPulse final : public interp::Pulse {
 public:
  struct Aborted {};
  void beat() override {
    if (runtime::abort_requests() != before_) throw Aborted{};
  }

 private:
  uint64_t before_ = runtime::abort_requests();
};

class InterpExecutable final : public Executable {
 public:
  InterpExecutable(const Entry& entry, const Target& target, passes::KernelSplit split,
                   ir::ProgramRef grouped)
      : Executable(entry.program, signature_of(entry), target.name),
        split_(split),
        grouped_(std::move(grouped)),
        host_(signature(), *grouped_) {}

  std::span<const std::string> rank_dimensions() const override { return host_.rank_dimensions(); }

  std::vector<std::string> forms() const override {
    std::vector<std::string> forms = written_forms();
    forms.insert(forms.begin(), "ir");
    return forms;
  }
  std::optional<std::string> text(const std::string& form, Diagnostics& diags) const override {
    if (!knows(form, diags)) return std::nullopt;
    return form == "ir" ? std::optional(ir::as_python(program())) : written(form, diags);
  }

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override {
    if (signature().entry().type == ir::FunctionType::Host && !runs_alone(diags)) return {};
    CallSchedule schedule;
    if (!schedule.read(options, diags)) return {};
    auto ranks = host_.ranks(schedule.ranks(options), arguments, diags);
    if (!ranks || !schedule.begin(*this, *ranks, arguments, diags)) return {};
    // A schedule is one of the lowered program, which is what the checker runs.
    const passes::Traits checks = passes::for_checking(passes::with_split(default_target().traits, split_));
    ir::ProgramRef checked = schedule.replay ? passes::lower(program(), checks, diags) : grouped_;
    if (!checked) return {};
    // In the order of targets that compile: what follows from the number of ranks, then sizes, then the rest.
    const ir::Function* host = host_.function();
    const bool groups_known = host && !passes::lacks_comm_groups(*grouped_, *host);
    if (groups_known) {
      if (!passes::collect_comm_groups(program(), known_ranks(*ranks), diags)) return {};
      if (!window_sizes_fit(*grouped_, *ranks, arguments, diags)) return {};
    }
    ir::ProgramRef grouped =
        passes::collect_comm_groups(checked, known_values(arguments, signature(), *ranks), diags);
    if (!grouped) return {};
    const bool sizes_open = host && !groups_known && checked == grouped_;
    if (sizes_open && !window_sizes_fit(*grouped, *ranks, arguments, diags)) return {};
    std::vector<interp::Argument> given;
    for (size_t i = 0; i < arguments.values.size(); ++i) {
      if (const auto* array = std::get_if<Array>(&arguments.values[i])) {
        given.emplace_back(interp::Array{array->data, array->dtype, array->shape, array->strides});
      } else {
        given.emplace_back(number_for(signature().params()[i].dtype, std::get<Number>(arguments.values[i])));
      }
    }
    interp::RunOptions settings;
    settings.ranks = *ranks;
    settings.prints = true;
    AbortPulse pulse;
    settings.pulse = &pulse;
    interp::Random random(schedule.seed.value_or(0));
    if (schedule.replay) {
      settings.replay = &*schedule.replay;
      settings.cores = schedule.replay->cores;
      settings.hosts = schedule.replay->hosts;
      settings.calls = schedule.replay->calls;
      settings.granularity = interp::Granularity::Access;
    }
    if (schedule.seed) {
      settings.scheduler = &random;
      settings.granularity = interp::Granularity::Access;  // others get in between any two accesses
      settings.poison = true;
    }
    Call call;
    interp::RunResult run;
    try {
      run = interp::run(grouped, signature().entry().name, given, settings);
    } catch (const AbortPulse::Aborted&) {
      diags.report(diag::run_interrupted, {});
      return call;
    }
    const std::string told = schedule.replay ? schedule.replay->told : "";
    if (run.error) {
      call.deadlock = run.error->kind == interp::RunError::Kind::Deadlock;
      Diagnostic error = run.error->diagnostic;
      if (!told.empty() && !was_not_followed(error)) error.with_note("replayed: " + told);
      diags.report(error.id, error.span) = error;
      return call;
    }
    for (const interp::Result& result : run.results) {
      if (const auto* array = std::get_if<interp::Array>(&result.value)) {
        ReturnedArray returned;
        returned.array.data = array->data;
        returned.array.dtype = array->dtype;
        returned.array.shape = array->shape;
        returned.array.strides = array->strides.empty() ? dense_strides(array->shape) : array->strides;
        returned.parameter = result.argument;
        returned.owner = std::const_pointer_cast<void>(result.owner);
        call.results.emplace_back(std::move(returned));
      } else {
        call.results.emplace_back(number_from(std::get<interp::Number>(result.value)));
      }
    }
    call.replayed = told;
    call.ok = true;
    return call;
  }

 private:
  // Reports sizes of windows that are wrong as targets do that compile. Sizes that only the run knows, which
  // those refuse, are left to it.
  bool window_sizes_fit(const ir::Program& grouped, int ranks, const BoundArguments& arguments,
                        Diagnostics& diags) const {
    Diagnostics refused;
    const auto manifest = host_.manifest(grouped, std::nullopt, refused);
    return !manifest || manifest->resolve(ranks, size_names(signature(), arguments), diags);
  }

  const passes::KernelSplit split_;
  ir::ProgramRef grouped_;  // with the communication groups that no call is needed for
  HostAnalysis host_;
};

}  // namespace

std::shared_ptr<Executable> compile_for_interp(const Entry& entry, const Target& target,
                                               const CompileOptions& options, Diagnostics& diags) {
  ir::ProgramRef grouped =
      passes::lower(entry.program, passes::with_split(target.traits, options.split), diags);
  return grouped ? std::make_shared<InterpExecutable>(entry, target, options.split, std::move(grouped))
                 : nullptr;
}

}  // namespace tilewire::driver
