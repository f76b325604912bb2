#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/subprocess.h"
#include "driver/execute/targets.h"
#include "ops/registry.h"
#include "processes/mpi.h"

namespace tilewire::cli {
namespace {

constexpr const char* compiler =
#if defined(__clang__)
    "clang " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

void row(std::string_view title, std::string_view text) {
  std::printf("%-12.*s%.*s\n", static_cast<int>(title.size()), title.data(), static_cast<int>(text.size()),
              text.data());
}

// The value of the first line of /proc/cpuinfo that starts with `key`; empty if none.
std::string cpuinfo(std::string_view key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return "";
}

// Those of the processor's features that decide how fast tile code can be.
std::string cpu_features() {
  std::string all = " " + cpuinfo("flags") + cpuinfo("Features") + " ";
  std::string out;
  for (std::string_view feature :
       {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
        "amx_tile", "amx_bf16", "asimd", "asimdhp", "asimddp", "sve", "sve2", "bf16", "i8mm"}) {
    if (all.find(" " + std::string(feature) + " ") == std::string::npos) continue;
    out += (out.empty() ? "" : " ") + std::string(feature);
  }
  return out.empty() ? "none of those that matter" : out;
}

// The first line that Python prints; nothing without Python, or when it raises.
std::optional<std::string> python_says(const std::string& code) {
  Finished child = run_program({"python3", "-c", code}, /*quiet=*/true);
  if (!child.problem.empty() || child.status != 0 || child.output.empty()) return std::nullopt;
  return child.output.substr(0, child.output.find('\n'));
}

void python_rows() {
  const auto interpreter = python_says("import sys; print(sys.version.split()[0], sys.executable)");
  if (!interpreter) {
    return row("python", "missing: no python3 on PATH; only programs in files can be checked and run");
  }
  const auto package = python_says("import tilewire, sys; print(tilewire.__version__, sys.executable)");
  if (!package) {
    row("python",
        "missing: the package tilewire, for Python " + *interpreter + "; install it: pip install .");
  } else {
    const size_t space = package->find(' ');
    const std::string version = package->substr(0, space);
    std::string text = version + ", by " + package->substr(space + 1);
    if (version != TILEWIRE_VERSION) text += " (this command is " TILEWIRE_VERSION ": run scripts/setup)";
    row("python", text);
  }
  struct Module {
    const char *name, *use;
  };
  for (const Module& module : {Module{"numpy", "outputs that are left out need it"},
                               Module{"ml_dtypes", "arrays of BF16, FP8 and INT4 need it"}}) {
    const std::string name = module.name;
    const auto version = python_says("import " + name + "; print(" + name + ".__version__)");
    row("", version ? name + " " + *version : name + ": missing; " + module.use + ": pip install " + name);
  }
}

bool is_on_path(const std::string& program) {
  return run_program({program, "--version"}, /*quiet=*/true).problem.empty();
}

void world_rows() {
  row("worlds", "local: all ranks in this process");
  row("", is_on_path("mpirun")
              ? "processes: ranks in processes that mpirun starts, on one host or several"
              : "processes: missing; no mpirun on PATH to start them, such as Open MPI's (openmpi-bin)");
  for (processes::MpiKind kind : {processes::MpiKind::OpenMpi, processes::MpiKind::Mpich}) {
    std::string problem;
    const std::string version = processes::version_of(kind, problem);
    const std::string name = std::string(processes::name_of(kind)) + " between hosts: ";
    row("", version.empty() ? name + "missing; " + problem + "; messages take TCP, with TILEWIRE_WORLD"
                            : name + version);
  }
}

}  // namespace

int doctor() {
  row("version", TILEWIRE_VERSION);
  row("compiler", compiler);
  std::string build = TILEWIRE_BUILD_TYPE;
  if (*TILEWIRE_SANITIZE) build += ", sanitizers " TILEWIRE_SANITIZE;
  row("build", build);
  row("ops", std::to_string(ops::registry().all().size()));
  const char* title = "targets";
  for (const driver::Target* target : driver::targets()) {
    const std::string problem = target->problem();
    std::string text = std::string(target->name) + ": " + target->does;
    if (!problem.empty()) text += "; not usable here: " + problem;
    row(std::exchange(title, ""), text);
  }
  world_rows();
  python_rows();
  std::string model = cpuinfo("model name");
  row("processor",
      (model.empty() ? "unknown" : model) + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " online");
  row("features", cpu_features());
  return Fine;
}

}  // namespace tilewire::cli
