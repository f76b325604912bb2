#include "driver/execute/pto_host.h"

#include "driver/host/host_analysis.h"
#include "ir/function_kinds.h"
#include "passes/collect_comm_groups.h"
#include "passes/names.h"
#include "target/pto/host_source.h"
#include "target/pto/host_text.h"

namespace tilewire::driver {
namespace {

// The windows of each host function, if the program determines which ranks share them.
bool add_manifests(const ir::ProgramRef& lowered, std::vector<EmittedFile>& files, Diagnostics& diags) {
  size_t hosts = 0;
  for (const ir::FunctionRef& function : lowered->functions) hosts += is_host(function->type);
  for (const ir::FunctionRef& function : lowered->functions) {
    if (!is_host(function->type) || passes::lacks_comm_groups(*lowered, *function)) continue;
    const Signature signature(function);
    const HostAnalysis host(signature, *lowered);
    auto manifest = host.manifest(*lowered, std::nullopt, diags);
    if (!manifest) return false;
    if (manifest->groups.empty()) continue;
    const std::string folder = hosts == 1 ? "orchestration/" : "orchestration/" + function->name + "/";
    files.push_back({folder + "comm_manifest.json", manifest->write(), false, true});
  }
  return true;
}

}  // namespace

std::optional<std::vector<EmittedFile>> pto_host_files(const ir::ProgramRef& lowered, Diagnostics& diags) {
  Diagnostics found;
  const auto program = target::pto::host_program(*lowered);
  // A namespace called main would leave no room for the function of that name.
  passes::Names names = target::pto::host_names();
  names.take("main");
  const std::string& hint = lowered->name_hint;
  const std::string name = names.take(hint.empty() ? "program" : passes::identifier(hint));
  std::vector<EmittedFile> files;
  auto add = [&](target::pto::HostFile file) {
    files.push_back({"host/" + file.name, std::move(file.content), false, true});
  };
  for (auto& file : target::pto::host_source(program, name, found)) add(std::move(file));
  for (auto& file : target::pto::host_interface()) add(std::move(file));
  files.push_back({"kernel_table.json", target::pto::kernel_table(program), false, true});
  const bool good = add_manifests(lowered, files, found) && !found.has_errors();
  diags.append(found);
  if (!good) return std::nullopt;
  return files;
}

}  // namespace tilewire::driver
