#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/execute/targets.h"
#include "support/diagnostics/command.h"

namespace tilewire::cli {
namespace {

int refuse(Diag id, std::vector<std::string> arguments, const std::string& help, int exit_code) {
  Diagnostics diags;
  Diagnostic& d = diags.report(id, {}, std::move(arguments));
  if (!help.empty()) d.with_help(help);
  std::fputs(diags.text().c_str(), stderr);
  return exit_code;
}

// The whole file or none: a reader never sees half of one.
std::string write_file(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::path part = path;
  part += ".part";
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (!file) return std::strerror(errno);
  bool whole = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  whole = std::fclose(file) == 0 && whole;
  int reason = errno;
  if (whole && std::rename(part.c_str(), path.c_str()) == 0) return "";
  if (whole) reason = errno;
  std::remove(part.c_str());
  return std::strerror(reason);
}

}  // namespace

int emit(const EmitOptions& options) {
  Diagnostics diags;
  const driver::Target* target = driver::target_to_emit(options.target, diags);
  if (!target) {
    std::fputs(diags.text().c_str(), stderr);
    return WrongUsage;
  }
  Input input = read_input(options.input);
  if (!input.program) return input.exit_code;
  auto files = target->emit(input.program,
                            {.entry = options.input.entry,
                             .target = options.target,
                             .split = options.input.kernel_split(),
                             .level = options.level},
                            diags);
  std::fputs(diags.text().c_str(), stderr);
  if (!files) return InvalidProgram;
  if (options.directory.empty()) {
    for (const auto& [name, content, bytes, beside] : *files) {
      if (beside) continue;
      if (bytes && isatty(STDOUT_FILENO)) {
        return refuse(diag::bytes_to_terminal, {}, "write -o DIR, or send the output to a file", WrongUsage);
      }
      if (std::fwrite(content.data(), 1, content.size(), stdout) != content.size()) return Failed;
    }
    return Fine;
  }
  for (const driver::EmittedFile& file : *files) {
    const std::filesystem::path path = std::filesystem::path(options.directory) / file.name;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::string problem = error ? error.message() : write_file(path, file.content);
    if (!problem.empty()) return refuse(diag::output_unwritable, {path.string(), problem}, "", Failed);
    std::printf("%s\n", path.c_str());
  }
  return Fine;
}

}  // namespace tilewire::cli
