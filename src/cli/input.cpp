#include "cli/input.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "check/report.h"
#include "cli/subprocess.h"
#include "frontend/frontend.h"
#include "ir/serialize.h"
#include "ops/registry.h"
#include "support/diagnostics/command.h"
#include "support/near.h"
#include "support/unicode.h"

namespace tilewire::cli {
namespace {

// Positions in a source are 32 bits wide.
constexpr uint64_t largest_file = uint64_t{1} << 31;

Input refused(const Diagnostics& diags, int exit_code) {
  std::fputs(diags.text().c_str(), stderr);
  return {nullptr, exit_code, messages_of(diags)};
}

bool read_file(const std::string& path, std::string& content, Diagnostics& diags) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    diags.report(diag::input_is_folder, {}, {path}).with_help("name a .py program or a .twir file in it");
    return false;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  auto unreadable = [&] {
    diags.report(diag::input_unreadable, {}, {path, std::strerror(errno)});
    return false;
  };
  if (!file) return unreadable();
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    content.append(buffer, count);
    if (content.size() > largest_file) {
      diags.report(diag::input_too_large, {}, {path});
      return false;
    }
  }
  return std::ferror(file.get()) ? unreadable() : true;
}

// "NAME=REST"; returns false if there is no such name.
bool split_setting(std::string_view text, std::string& name, std::string& rest) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_name(text.substr(0, equals))) return false;
  name = text.substr(0, equals);
  rest = text.substr(equals + 1);
  return !rest.empty();
}

// "4x16:FP32" or "INT32"; null when it is neither.
ir::TypeRef parse_shape(std::string_view text) {
  size_t colon = text.find(':');
  std::string_view dtype_name = colon == std::string_view::npos ? text : text.substr(colon + 1);
  std::optional<ir::DType> dtype = ir::dtype_from_name(dtype_name);
  if (!dtype) return nullptr;
  if (colon == std::string_view::npos) return ir::scalar_type(*dtype);
  ir::ExprList dims;
  std::string_view rest = text.substr(0, colon);
  for (bool more = true; more;) {
    size_t cross = rest.find('x');
    std::string_view number = rest.substr(0, cross);
    int64_t value = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || value <= 0) return nullptr;
    dims.push_back(ir::const_index(value));
    more = cross != std::string_view::npos;
    if (more) rest.remove_prefix(cross + 1);
  }
  return ir::make<ir::TensorType>({}, std::move(dims), *dtype);
}

bool read_settings(const InputOptions& options, frontend::Options& result, Diagnostics& diags) {
  std::string name, rest;
  for (const std::string& text : options.constants) {
    if (split_setting(text, name, rest)) {
      result.constants[name] = rest;
    } else {
      diags.report(diag::bad_define, {}, {text}).with_help("write -D NAME=VALUE, for example -D HIDDEN=1024");
    }
  }
  for (const std::string& text : options.shapes) {
    if (auto setting = parse_shape_setting(text)) {
      result.parameter_types.insert(*setting);
    } else {
      diags.report(diag::bad_shape, {}, {text})
          .with_help("write --shape x=4x16:FP32 for a tensor, --shape n=INT32 for a scalar");
    }
  }
  result.entry = options.entry;
  return !diags.has_errors();
}

// The names of a text, with those in comments and strings.
std::set<std::string> names_in(std::string_view text) {
  std::set<std::string> names;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    const bool of_name = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
    if (of_name) {
      word += c;
    } else if (!word.empty()) {
      names.insert(std::move(word));
      word.clear();
    }
  }
  return names;
}

// False after reporting constants that the text does not mention.
bool knows_constants(const frontend::Options& settings, const std::string& file, std::string_view text,
                     Diagnostics& diags) {
  if (settings.constants.empty()) return true;
  const std::set<std::string> names = names_in(text);
  for (const auto& [name, value] : settings.constants) {
    if (names.count(name)) continue;
    Diagnostic& said = diags.report(diag::unknown_constant, {}, {name, file});
    const auto near = nearest(name, {names.begin(), names.end()});
    if (near) said.with_help("did you mean `" + *near + "`?");
  }
  return !diags.has_errors();
}

// The magic is also a name a program could start with, but no text goes on with half a character.
bool is_serialised(const std::string& path, std::string_view content) {
  if (std::filesystem::path(path).extension() == ".twir") return true;
  return content.size() > 4 && content.starts_with("TWIR") && continues_character(content[4]);
}

Input read_from_file(const InputOptions& options) {
  Diagnostics diags;
  frontend::Options settings;
  std::string content;
  if (!read_settings(options, settings, diags) || !read_file(options.file, content, diags)) {
    return refused(diags, WrongUsage);
  }
  if (content.empty()) {
    diags.report(diag::input_empty, {}, {options.file});
    return refused(diags, InvalidProgram);
  }
  ir::ProgramRef program;
  if (is_serialised(options.file, content)) {
    if (!options.constants.empty() || !options.shapes.empty() || !options.entry.empty()) {
      diags.report(diag::settings_without_text, {}, {options.file});
      return refused(diags, WrongUsage);
    }
    program = ir::program_from_bytes(content, ops::registry(), diags);
  } else if (!knows_constants(settings, options.file, content, diags)) {
    return refused(diags, WrongUsage);
  } else {
    program =
        frontend::read_program(frontend::make_source(options.file, std::move(content)), settings, diags);
  }
  if (!program) return refused(diags, InvalidProgram);
  std::fputs(diags.text().c_str(), stderr);
  return {program, Fine};
}

// Imports a file and answers, on the standard output it was given: P and a serialised program, D and rendered
// diagnostics, or E and a reason. What the file itself prints goes to standard error.
constexpr const char* python_side = R"python(
import os, sys
answer_to = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)

def answer(tag, data):
    answer_to.write(tag + (data if isinstance(data, bytes) else data.encode("utf-8", "replace")))
    answer_to.close()
    sys.stdout.flush()
    sys.exit(0)

path, name = sys.argv[1:3]
try:
    import tilewire
except ImportError as error:
    answer(b"E", f"{sys.executable} cannot import the package `tilewire`: {error}")

import importlib.machinery, importlib.util
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
loader = importlib.machinery.SourceFileLoader("__tilewire_input__", path)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
sys.modules[loader.name] = module
try:
    try:
        loader.exec_module(module)
    except (tilewire.Error, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        import traceback
        traceback.print_exc()
        answer(b"E", f"importing it raised {type(error).__name__}")
    value = module
    for part in name.split("."):
        if not hasattr(value, part):
            answer(b"E", f"it has no `{name}`")
        value = getattr(value, part)
    if not hasattr(value, "serialize"):
        value = getattr(value, "program", value)
    if not hasattr(value, "serialize"):
        answer(b"E", f"`{name}` is {type(value).__name__}, not a program or a decorated function")
    data = value.serialize()
except tilewire.ProgramError as error:
    import dataclasses, json
    parts = [str(error)]
    for said in error.diagnostics:
        fields = dataclasses.asdict(said)
        for name in ("end_line", "end_column", "rendered"):
            del fields[name]
        fields["code"] = int(said.code[2:])
        parts.append(("E" if said.severity == "error" else "W") + json.dumps(fields))
    answer(b"D", "\0".join(parts))
answer(b"P", data)
)python";

// `said`: the text, then each message, with "E" in front of those that are errors; between them "\0".
Input refused_in_python(std::string_view said) {
  const std::string_view text = said.substr(0, said.find('\0'));
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  Input input{nullptr, InvalidProgram};
  for (size_t at = text.size(); at + 1 < said.size();) {
    const size_t end = std::min(said.find('\0', at + 1), said.size());
    input.messages.all.emplace_back(said.substr(at + 2, end - at - 2));
    if (said[at + 1] == 'E' && input.messages.invalid.empty())
      input.messages.invalid = input.messages.all.back();
    at = end;
  }
  return input;
}

Input read_from_python(const std::string& place) {
  Diagnostics diags;
  size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == place.size()) {
    diags.report(diag::bad_python_place, {}, {place}).with_help("write --python FILE:NAME");
    return refused(diags, WrongUsage);
  }
  std::string path = place.substr(0, colon), name = place.substr(colon + 1), content;
  if (!read_file(path, content, diags)) return refused(diags, WrongUsage);
  auto failed = [&](const std::string& reason) {
    diags.report(diag::python_failed, {}, {path, reason});
    return refused(diags, Failed);
  };
  Finished child = run_program({"python3", "-c", python_side, path, name});
  if (!child.problem.empty()) return failed("python3 could not be started: " + child.problem);
  std::string_view answer = child.output;
  if (child.status != 0 || answer.empty()) {
    return failed("python3 ended with status " + std::to_string(child.status) + " and no program");
  }
  std::string_view data = answer.substr(1);
  if (answer[0] == 'E') return failed(std::string(data));
  if (answer[0] == 'D') return refused_in_python(data);
  ir::ProgramRef program = ir::program_from_bytes(data, ops::registry(), diags);
  if (!program) return refused(diags, InvalidProgram);
  std::fputs(diags.text().c_str(), stderr);
  return {program, Fine};
}

}  // namespace

Messages messages_of(const Diagnostics& diags) {
  Messages messages;
  for (const Diagnostic& said : diags.all()) {
    messages.all.push_back(check::json_of(said));
    if (said.severity == Severity::Error && messages.invalid.empty()) messages.invalid = messages.all.back();
  }
  return messages;
}

int exit_code_for(const Diagnostics& diags, int otherwise) {
  const int code = diags.all().empty() ? 0 : diag_info(diags.all().front().id).code;
  // Of section 22 arguments and options; not what the program has to start from, the installation and worlds.
  const bool of_entry = code >= 2216 && code <= 2219;
  const bool of_arguments = code >= 2201 && code <= 2238 && code != 2221 && code != 2224 && !of_entry;
  return code / 100 == 6 || of_arguments ? WrongUsage : otherwise;
}

Input read_input(const InputOptions& options) {
  return options.python.empty() ? read_from_file(options) : read_from_python(options.python);
}

std::optional<std::pair<std::string, ir::TypeRef>> parse_shape_setting(const std::string& text) {
  std::string name, rest;
  ir::TypeRef type = split_setting(text, name, rest) ? parse_shape(rest) : nullptr;
  if (!type) return std::nullopt;
  return std::pair(name, type);
}

std::map<std::string, ir::TypeRef, std::less<>> given_shapes(const InputOptions& options) {
  std::map<std::string, ir::TypeRef, std::less<>> shapes;
  for (const std::string& text : options.shapes) {
    if (auto setting = parse_shape_setting(text)) shapes.insert_or_assign(setting->first, setting->second);
  }
  return shapes;
}

}  // namespace tilewire::cli
