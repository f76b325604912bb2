#include <algorithm>
#include <filesystem>
#include <mutex>

#include "driver/bundle/bundle.h"
#include "driver/bundle/bundle_code.h"
#include "driver/bundle/bundle_files.h"
#include "driver/bundle/bundle_json.h"
#include "driver/bundle/cpu_features.h"
#include "driver/bundle/link.h"
#include "driver/execute/cpu_target.h"
#include "driver/execute/local_run.h"
#include "driver/execute/sources.h"
#include "driver/host/ranks.h"
#include "driver/sha256.h"
#include "driver/world/world_place.h"
#include "ir/abi_numbers.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ops/registry.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
namespace {

// Files of a bundle by path, all of them checked.
using Contents = std::map<std::string, std::string>;

class BundleExecutable final : public Executable {
 public:
  BundleExecutable(BundleEntry entry, std::string folder, Contents contents, runtime::Manifest manifest)
      : Executable({}, Signature(entry.function, entry.name), cpu_target().name),
        entry_(std::move(entry)),
        folder_(std::move(folder)),
        contents_(std::move(contents)),
        manifest_(std::move(manifest)) {}

  // Loads the code of plain arrays; the other is loaded when a call needs it. Both must have been built for
  // calls as `bundle` describes them.
  bool prepare(const BundleDescription& bundle, Diagnostics& diags) {
    if (!code(false, diags)) return false;
    for (bool strided : {false, true}) {
      auto interface = bundle.interface_digest(entry_, strided, diags);
      if (!interface) return false;
      const std::string& path = strided ? entry_.strided : entry_.code;
      if (build_id_of(contents_.at(path)) == *interface) continue;
      diags.report(diag::bundle_mismatch, {},
                   {folder_ + "/" + path, "it was built for other parameters or windows"});
      return false;
    }
    return true;
  }

  std::optional<int64_t> only_ranks() const override { return entry_.ranks.only; }

  std::string manifest_text() const override {
    return manifest_.groups.empty() ? std::string() : manifest_.write();
  }

  // It has only native code, and the program it was made from.
  std::optional<std::string> text(const std::string& form, Diagnostics& diags) const override {
    ir::ProgramRef program = knows(form, diags) ? source(diags) : nullptr;
    return program ? std::optional(ir::as_python(program)) : std::nullopt;
  }

  std::unique_ptr<Session> open(std::optional<int64_t>, Diagnostics& diags) override {
    diags.report(diag::bundle_session, {}).with_help("compile the program in Python, and open that");
    return nullptr;
  }

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override {
    if (!options.schedule.empty()) {
      diags.report(diag::bundle_schedule, {}).with_help("compile the program, and call it with the schedule");
      return {};
    }
    auto ranks = entry_.ranks.count(signature(), options.ranks, arguments, diags);
    auto loaded = ranks ? code(arguments.strided || arguments.shared, diags) : nullptr;
    if (!loaded || !rows_fit(signature(), staged(loaded->module()), *ranks, arguments, diags)) return {};
    auto digest = [this] { return hexadecimal(sha256(contents_.at(entry_.code))); };
    Call refused;
    auto world = WorldCall::enter(signature(), arguments, options, *ranks, digest, refused.world, diags);
    if (!world) return refused;
    LocalRun run;
    run.world = &*world;
    run.module = &loaded->module();
    run.host = is_host();
    run.entry = find_function(*run.module, entry_.function->name, run.host);
    run.manifest = &manifest_;
    run.ranks = *ranks;
    run.report = [this](const Diagnostic& error, Diagnostics& into) { report(error, into); };
    Call made = run.call(signature(), arguments, options, diags);
    if (made && !is_host()) remember(arguments, options, {run.module, run.entry});
    return made;
  }

 private:
  bool is_host() const { return entry_.function->type == ir::FunctionType::Host; }

  std::shared_ptr<BundleCode> code(bool strided, Diagnostics& diags) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<BundleCode>& place = strided ? strided_ : plain_;
    if (place) return place;
    const std::string& path = strided ? entry_.strided : entry_.code;
    std::string name = folder_ + "/" + path;
    auto loaded = BundleCode::load(contents_.at(path), name, diags);
    if (!loaded || !fits(loaded->module(), name, diags)) return nullptr;
    place = std::move(loaded);
    return place;
  }

  // Parameters of the entry whose rows are copied to or from windows.
  std::vector<size_t> staged(const abi::Module& module) const {
    std::vector<size_t> params;
    const abi::Function* host = is_host() ? find_function(module, entry_.function->name, true) : nullptr;
    for (uint32_t i = 0; host && i < module.window_count; ++i) {
      const abi::HostWindow& window = module.windows[i];
      if (&module.hosts[window.host] != host) continue;
      for (int32_t param : {window.load_from, window.store_to}) {
        if (param >= 0) params.push_back(static_cast<size_t>(param));
      }
    }
    return params;
  }

  // The tables of the code against bundle.json: calls are checked by the one and made by the other.
  bool fits(const abi::Module& module, const std::string& name, Diagnostics& diags) const {
    auto refuse = [&](const std::string& why) {
      diags.report(diag::bundle_mismatch, {}, {name, why});
      return false;
    };
    const std::string& entry = entry_.function->name;
    const abi::Function* function = find_function(module, entry, is_host());
    if (!function) return refuse("it has no entry `" + entry + "`");
    const auto& params = signature().params();
    if (function->param_count != params.size() || function->result_count != entry_.results.size()) {
      return refuse("`" + entry + "` has another number of parameters or results there");
    }
    for (size_t i = 0; i < params.size(); ++i) {
      BundleResult wanted{params[i].tensor != nullptr, params[i].dtype,
                          static_cast<int64_t>(params[i].dims.size())};
      if (!same(function->params[i], wanted)) {
        return refuse("parameter `" + params[i].node->name + "` is of another type there");
      }
    }
    for (size_t i = 0; i < entry_.results.size(); ++i) {
      if (!same(function->results[i], entry_.results[i])) return refuse("a result is of another type there");
    }
    return is_host() ? has_windows(module, function, diags) : true;
  }

  static bool same(const abi::Param& param, const BundleResult& wanted) {
    bool tensor = param.kind == abi::ParamKind::Tensor;
    return tensor == wanted.tensor && (tensor || param.kind == abi::ParamKind::Scalar) &&
           param.dtype == static_cast<uint8_t>(ir::abi_number(wanted.dtype)) &&
           (!tensor || param.rank == wanted.rank);
  }

  bool has_windows(const abi::Module& module, const abi::Function* host, Diagnostics& diags) const {
    for (uint32_t i = 0; i < module.window_count; ++i) {
      const abi::HostWindow& window = module.windows[i];
      if (&module.hosts[window.host] != host) continue;
      bool known = false;
      for (const auto& group : manifest_.groups) {
        for (const auto& slot : group.slots) known = known || slot.name == window.name;
      }
      if (known) continue;
      diags.report(
          diag::bundle_no_manifest, {},
          {entry_.name, window.name,
           contents_.contains(manifest_path) ? "`" + folder_ + "/" + manifest_path + "` does not have it"
                                             : "the bundle has no " + std::string(manifest_path)});
      return false;
    }
    return true;
  }

  ir::ProgramRef source(Diagnostics& diags) const {
    auto found = contents_.find(program_path);
    if (found != contents_.end()) return ir::program_from_bytes(found->second, ops::registry(), diags);
    diags.report(diag::bundle_file_unreadable, {}, {folder_ + "/" + program_path, "it is not there"});
    return nullptr;
  }

  // With the source line, where the bundle still has the program.
  void report(const Diagnostic& error, Diagnostics& into) const override {
    Diagnostics ignored;
    ir::ProgramRef program = source(ignored);
    if (program)
      report_with_source(*program, error, into);
    else
      into.report(error.id, error.span) = error;
  }

  BundleEntry entry_;
  std::string folder_;
  Contents contents_;
  runtime::Manifest manifest_;
  std::mutex mutex_;
  std::shared_ptr<BundleCode> plain_, strided_;
};

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

// Whether the code may run in this process on this machine.
bool runs_here(const BundleDescription& bundle, const std::string& folder, Diagnostics& diags) {
  if (bundle.triple != machine_triple()) {
    diags.report(diag::bundle_machine, {}, {folder, bundle.triple, machine_triple()});
    return false;
  }
  if (bundle.abi_version != abi::version) {
    diags.report(diag::bundle_abi, {},
                 {folder, std::to_string(bundle.abi_version), std::to_string(abi::version)});
    return false;
  }
  std::vector<std::string> here = cpu_features(), missing;
  for (const std::string& feature : bundle.features) {
    if (std::find(here.begin(), here.end(), feature) == here.end()) missing.push_back(feature);
  }
  if (missing.empty()) return true;
  diags.report(diag::bundle_features, {}, {folder, list_text(missing)});
  return false;
}

const BundleEntry* find_bundle_entry(const BundleDescription& bundle, const std::string& folder,
                                     const std::string& name, Diagnostics& diags) {
  if (name.empty() && bundle.entries.size() == 1) return &bundle.entries[0];
  std::vector<std::string> names;
  for (const BundleEntry& entry : bundle.entries) {
    if (entry.name == name) return &entry;
    names.push_back("`" + entry.name + "`");
  }
  diags.report(diag::bundle_entry, {}, {folder, name}).with_help("it has " + list_text(names));
  return nullptr;
}

std::optional<Contents> read_contents(const BundleDescription& bundle, const std::string& folder,
                                      Diagnostics& diags) {
  Contents contents;
  for (const auto& [path, file] : bundle.files) {
    std::string name = folder + "/" + path;
    std::error_code error;
    if (path == program_path && !std::filesystem::exists(name, error)) continue;  // not needed to run
    auto content = read_file(name, largest_code, diags);
    if (!content) return std::nullopt;
    if (content->size() != file.bytes) {
      diags.report(diag::bundle_file_size, {},
                   {name, std::to_string(content->size()), std::to_string(file.bytes)});
      return std::nullopt;
    }
    std::string digest = hexadecimal(sha256(*content));
    if (digest != file.sha256) {
      diags.report(diag::bundle_digest, {}, {name, digest, file.sha256});
      return std::nullopt;
    }
    contents.emplace(path, std::move(*content));
  }
  return contents;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::shared_ptr<Executable> load_bundle(const std::string& path, const std::string& entry,
                                        Diagnostics& diags) {
  std::string folder = without_slash(path), name = folder + "/bundle.json";
  auto text = read_file(name, largest_json, diags);
  auto bundle = text ? BundleDescription::read(*text, name, diags) : std::nullopt;
  if (!bundle || !bundle->is_intact(*text, name, diags) || !runs_here(*bundle, folder, diags)) return nullptr;
  const BundleEntry* found = find_bundle_entry(*bundle, folder, entry, diags);
  auto contents = found ? read_contents(*bundle, folder, diags) : std::nullopt;
  if (!contents) return nullptr;
  runtime::Manifest manifest;
  if (auto file = contents->find(manifest_path); file != contents->end()) {
    auto read = runtime::Manifest::read(file->second, folder + "/" + manifest_path, diags);
    if (!read) return nullptr;
    manifest = std::move(*read);
  }
  auto executable =
      std::make_shared<BundleExecutable>(*found, folder, std::move(*contents), std::move(manifest));
  return executable->prepare(*bundle, diags) ? executable : nullptr;
}

}  // namespace tilewire::driver
