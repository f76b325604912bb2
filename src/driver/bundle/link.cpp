#include "driver/bundle/link.h"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "driver/bundle/bundle_files.h"
#include "driver/sha256.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* linkers[] = {"ld.lld-19", "ld.lld", "ld"};

// The libraries that generated code may call, as they are loaded in this process; linking with them records
// their names and leaves nothing undefined.
std::vector<std::string> system_libraries() {
  std::vector<std::string> paths;
  auto add = [](dl_phdr_info* info, size_t, void* into) {
    std::string name = fs::path(info->dlpi_name).filename();
    if (name.starts_with("libm.so") || name.starts_with("libc.so") || name.starts_with("libgcc_s.so")) {
      static_cast<std::vector<std::string>*>(into)->emplace_back(info->dlpi_name);
    }
    return 0;
  };
  dl_iterate_phdr(add, &paths);
  return paths;
}

// 0 if the program ran successfully; its output goes to the file `messages`.
int run_program(const std::vector<std::string>& command, const std::string& messages, int& reason) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  reason = posix_spawnp(&child, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (reason != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;  // the exit status was collected elsewhere: its output has to do
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, std::min(text.find('\n'), size_t{300}));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return line;
}

std::optional<std::string> link_in(const TemporaryFolder& folder, std::span<const std::byte> object,
                                   const std::string& build_id, Diagnostics& diags) {
  std::string input = folder.path() + "/code.o", output = folder.path() + "/code.so",
              messages = folder.path() + "/messages";
  if (!write_file(input, {reinterpret_cast<const char*>(object.data()), object.size()}, diags))
    return std::nullopt;
  std::string names;
  for (const char* linker : linkers) {
    std::vector<std::string> command = {linker,
                                        "-shared",
                                        "--no-undefined",
                                        "--hash-style=gnu",
                                        "--build-id=0x" + build_id,
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "-o",
                                        output,
                                        input,
                                        "--as-needed"};
    for (std::string& library : system_libraries()) command.push_back(std::move(library));
    int reason = 0;
    int status = run_program(command, messages, reason);
    if (reason == ENOENT || reason == EACCES) {
      names += (names.empty() ? "`" : ", `") + std::string(linker) + "`";
      continue;
    }
    std::error_code error;
    if (status == 0 && fs::exists(output, error)) return read_file(output, largest_code, diags);
    Diagnostics ignored;
    std::string said =
        reason ? std::strerror(reason) : first_line(read_file(messages, 1 << 20, ignored).value_or(""));
    diags.report(diag::link_failed, {},
                 {std::string(linker) + ": " + (said.empty() ? "it was stopped" : said)});
    return std::nullopt;
  }
  diags.report(diag::no_linker, {}, {names}).with_help("install lld-19 or binutils");
  return std::nullopt;
}

// The `T` at that place of the bytes.
template <typename T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The build ID among the notes of one segment.
std::string build_id_in(std::string_view notes) {
  constexpr std::string_view owner("GNU\0", 4);
  auto padded = [](uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; };
  for (uint64_t at = 0;;) {
    auto note = read_at<ElfW(Nhdr)>(notes, at);
    if (!note) return {};
    uint64_t name = at + sizeof *note, content = name + padded(note->n_namesz);
    if (content > notes.size() || notes.size() - content < note->n_descsz) return {};
    if (note->n_type == NT_GNU_BUILD_ID && notes.substr(name, note->n_namesz) == owner) {
      return hexadecimal(notes.substr(content, note->n_descsz));
    }
    at = content + padded(note->n_descsz);
  }
}

}  // namespace

std::optional<std::string> link_shared(std::span<const std::byte> object, const std::string& build_id,
                                       Diagnostics& diags) {
  const char* place = std::getenv("TMPDIR");
  TemporaryFolder folder(std::string(place && *place ? place : "/tmp") + "/tilewire-link-", diags);
  return folder.made() ? link_in(folder, object, build_id, diags) : std::nullopt;
}

std::string build_id_of(std::string_view shared_object) {
  auto header = read_at<ElfW(Ehdr)>(shared_object, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    auto segment = read_at<ElfW(Phdr)>(shared_object, header->e_phoff + i * header->e_phentsize);
    if (!segment) return {};
    if (segment->p_type != PT_NOTE || segment->p_offset > shared_object.size()) continue;
    std::string found = build_id_in(shared_object.substr(segment->p_offset, segment->p_filesz));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace tilewire::driver
