// Shell completion: a script made from the commands and options that the command line has.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace tilewire::cli {
namespace {

struct Command {
  std::string name, summary;
  std::vector<std::string> options;  // "--ranks", "-o"
};

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Command& command = commands.emplace_back(Command{sub->get_name(), sub->get_description(), {}});
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) command.options.push_back("--" + name);
      for (const std::string& name : option->get_snames()) command.options.push_back("-" + name);
    }
  }
  return commands;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return joined(names);
}

std::string for_bash(const std::vector<Command>& commands) {
  std::string out =
      "# Completion of `tilewire` for bash: eval \"$(tilewire completion bash)\"\n"
      "_tilewire() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words=\"" +
      names_of(commands) +
      "\"\n"
      "  else\n"
      "    case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands) {
    out += "      " + command.name + ") words=\"" + joined(command.options) + "\" ;;\n";
  }
  return out +
         "    esac\n"
         "  fi\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ] || [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _tilewire tilewire\n";
}

std::string for_zsh(const std::vector<Command>& commands) {
  return "# Completion of `tilewire` for zsh: eval \"$(tilewire completion zsh)\"\n"
         "autoload -Uz bashcompinit && bashcompinit\n" +
         for_bash(commands);
}

// Within single quotes.
std::string quoted(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '\'' ? "\\'" : std::string(1, c);
  return "'" + out + "'";
}

std::string for_fish(const std::vector<Command>& commands) {
  std::string out = "# Completion of `tilewire` for fish: tilewire completion fish | source\n";
  for (const Command& command : commands) {
    out += "complete -c tilewire -n __fish_use_subcommand -a " + command.name + " -d " +
           quoted(command.summary) + "\n";
    for (const std::string& option : command.options) {
      const bool is_long = option.starts_with("--");
      out += "complete -c tilewire -n '__fish_seen_subcommand_from " + command.name + "' " +
             (is_long ? "-l " + option.substr(2) : "-s " + option.substr(1)) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  const std::vector<Command> commands = commands_of(app);
  return shell == "bash" ? for_bash(commands) : shell == "zsh" ? for_zsh(commands) : for_fish(commands);
}

}  // namespace tilewire::cli
