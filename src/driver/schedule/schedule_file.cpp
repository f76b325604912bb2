#include "driver/schedule/schedule_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "abi/numbers.h"
#include "passes/traits.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"
#include "support/json_reader.h"

namespace tilewire::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr int32_t most_calls = 65536;
constexpr size_t most_agents = size_t{1} << 20;
constexpr size_t most_steps = size_t{1} << 22;
constexpr size_t longest_text = 4096;
constexpr int64_t largest = int64_t{1} << 40;

// --- writing

Json json_of(const ScheduleAgent& agent) {
  Json json{{"rank", agent.key.rank},
            {"dispatch", agent.key.dispatch},
            {"task", agent.key.task},
            {"block", agent.key.block},
            {"function", agent.function}};
  if (agent.key.call > 0) json["call"] = agent.key.call;
  return json;
}

// Whether the event has two outcomes.
bool may_fail(ScheduleEvent event) {
  return event == ScheduleEvent::Test || event == ScheduleEvent::Update;
}

Json json_of(const ScheduleStep& step) {
  Json json{{"agent", step.agent}, {"do", name_of(step.event)}};
  if (step.line != 0) {
    json["line"] = step.line;
    json["column"] = step.column;
    if (step.end_line != 0) {
      json["end_line"] = step.end_line;
      json["end_column"] = step.end_column;
    }
  }
  if (uses_cell(step.event) && !step.cell.empty()) {
    json["cell"] = step.cell;
    json["of"] = step.cell_rank;
  }
  if (may_fail(step.event)) json["held"] = step.held;
  return json;
}

// One element a line.
template <class T>
std::string lines(const std::vector<T>& all) {
  std::string text = "[";
  for (const T& one : all) {
    text += (text.size() > 1 ? ",\n  " : "\n  ") +
            json_of(one).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "]";
}

// --- reading

std::vector<std::string> texts(const JsonValue& list) {
  std::vector<std::string> all;
  for (const JsonValue& value : list.list()) all.push_back(value.text(longest_text));
  return all;
}

ScheduleAgent agent_from(const JsonValue& json, int32_t ranks, int32_t calls) {
  ScheduleAgent agent;
  agent.key.rank = static_cast<int32_t>(json.member("rank").integer(0, ranks - 1));
  agent.key.dispatch = static_cast<int32_t>(json.member("dispatch").integer(0, INT32_MAX));
  agent.key.task = static_cast<int32_t>(json.member("task").integer(-1, INT32_MAX));
  agent.key.block = json.member("block").integer(0, largest);
  if (json.has("call")) agent.key.call = static_cast<int32_t>(json.member("call").integer(0, calls - 1));
  if (agent.key.task < 0 && agent.key.block != 0) {
    json.member("block").refuse(diag::json_key_range,
                                {"0 where the task is -1", json.member("block").shown()});
  }
  agent.function = json.member("function").text(longest_text);
  return agent;
}

ScheduleStep step_from(const JsonValue& json, size_t agents, int32_t ranks) {
  ScheduleStep step;
  step.agent = static_cast<uint32_t>(json.member("agent").integer(0, static_cast<int64_t>(agents) - 1));
  const JsonValue word = json.member("do");
  const std::string text = word.text();
  const auto* known = std::find(std::begin(schedule_event_names), std::end(schedule_event_names), text);
  if (known == std::end(schedule_event_names)) {
    word.refuse(
        diag::json_key_range,
        {"start, submit, notify, wait, test, look, update, issue, land, end or access", word.shown()});
    return step;
  }
  step.event = static_cast<ScheduleEvent>(known - std::begin(schedule_event_names));
  const bool border = step.event == ScheduleEvent::Start || step.event == ScheduleEvent::End;
  if (!border) {
    step.line = static_cast<uint32_t>(json.member("line").integer(1, INT32_MAX));
    step.column = static_cast<uint32_t>(json.member("column").integer(1, INT32_MAX));
    if (json.has("end_line")) {
      step.end_line = static_cast<uint32_t>(json.member("end_line").integer(step.line, INT32_MAX));
      step.end_column = static_cast<uint32_t>(json.member("end_column").integer(1, INT32_MAX));
    }
  }
  // Cells outside windows have no name: those of pipes, and elements that are updated.
  const bool in_window = json.has("cell") || json.has("of") || step.event == ScheduleEvent::Look;
  if (uses_cell(step.event) && in_window) {
    step.cell = json.member("cell").text(longest_text);
    step.cell_rank = static_cast<int32_t>(json.member("of").integer(0, ranks - 1));
  }
  if (may_fail(step.event)) step.held = json.member("held").flag();
  return step;
}

// "M=129"
std::map<std::string, int64_t, std::less<>> dimensions_from(const JsonValue& list) {
  std::map<std::string, int64_t, std::less<>> dimensions;
  for (const JsonValue& value : list.list()) {
    const std::string text = value.text(longest_text);
    const size_t equals = text.find('=');
    int64_t extent = -1;
    if (equals != std::string::npos) {
      std::from_chars(text.data() + equals + 1, text.data() + text.size(), extent);
    }
    if (extent < 0 || extent > largest) value.refuse(diag::json_key_range, {"NAME=EXTENT", value.shown()});
    dimensions[text.substr(0, equals)] = extent;
  }
  return dimensions;
}

bool is_digest(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string write_schedule(const Schedule& schedule) {
  Json head{{"version", 2},
            {"kind", schedule.kind},
            {"ranks", schedule.ranks},
            {"cores", schedule.cores},
            {"program", schedule.program},
            {"constants", schedule.constants},
            {"shapes", schedule.shapes},
            {"inputs", schedule.inputs},
            {"seed", schedule.seed},
            {"dimension", schedule.dimension}};
  if (!schedule.dimensions.empty()) {
    std::vector<std::string> own;
    for (const auto& [name, extent] : schedule.dimensions) own.push_back(name + "=" + std::to_string(extent));
    head["dimensions"] = own;
  }
  if (schedule.hosts > 1) head["hosts"] = schedule.hosts;
  if (schedule.calls > 1) head["calls"] = schedule.calls;
  if (!schedule.entry.empty()) head["entry"] = schedule.entry;
  if (!schedule.split.empty()) head["split"] = schedule.split;
  if (!schedule.told.empty()) head["told"] = schedule.told;
  std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  text += ",\n \"agents\": " + lines(schedule.agents);
  text += ",\n \"steps\": " + lines(schedule.steps);
  return text + "}\n";
}

std::optional<Schedule> read_schedule(std::string_view text, const std::string& name, Diagnostics& diags) {
  JsonReader reader(name, text, diags);
  const JsonValue root = reader.root();
  Schedule schedule;
  root.member("version").integer(2, 2);
  schedule.kind = root.member("kind").text();
  schedule.ranks = static_cast<int32_t>(root.member("ranks").integer(1, abi::most_ranks));
  schedule.cores = static_cast<int32_t>(root.member("cores").integer(0, INT32_MAX));
  if (root.has("hosts")) {
    schedule.hosts = static_cast<int32_t>(root.member("hosts").integer(1, schedule.ranks));
    if (!reader.failed() && schedule.ranks % schedule.hosts != 0) {
      root.member("hosts").refuse(diag::json_key_range,
                                  {"a divisor of the number of ranks", root.member("hosts").shown()});
    }
  }
  if (root.has("calls")) {
    schedule.calls = static_cast<int32_t>(root.member("calls").integer(1, most_calls));
  }
  if (root.has("entry")) schedule.entry = root.member("entry").text(longest_text);
  if (root.has("split")) {
    schedule.split = root.member("split").text();
    if (!reader.failed() && !passes::kernel_split(schedule.split)) {
      root.member("split").refuse(diag::json_key_range,
                                  {"auto, fused or split", root.member("split").shown()});
    }
  }
  schedule.program = root.member("program").text();
  if (!reader.failed() && !is_digest(schedule.program)) {
    root.member("program").refuse(diag::json_key_range,
                                  {"a digest of 64 digits", root.member("program").shown()});
  }
  schedule.constants = texts(root.member("constants"));
  schedule.shapes = texts(root.member("shapes"));
  schedule.inputs = texts(root.member("inputs"));
  schedule.seed = static_cast<uint64_t>(root.member("seed").integer(0, INT64_MAX));
  schedule.dimension = root.member("dimension").integer(0, largest);
  if (root.has("dimensions")) schedule.dimensions = dimensions_from(root.member("dimensions"));
  if (root.has("told")) schedule.told = root.member("told").text(longest_text);
  std::set<AgentKey> keys;
  for (const JsonValue& json : root.member("agents").list(most_agents)) {
    schedule.agents.push_back(agent_from(json, schedule.ranks, schedule.calls));
    if (!reader.failed() && !keys.insert(schedule.agents.back().key).second) {
      json.refuse(diag::json_key_range, {"another agent than those before it", json.shown()});
    }
  }
  for (const JsonValue& json : root.member("steps").list(most_steps)) {
    schedule.steps.push_back(step_from(json, schedule.agents.size(), schedule.ranks));
  }
  return reader.failed() ? std::nullopt : std::optional(std::move(schedule));
}

std::optional<Schedule> read_schedule_file(const std::string& path, Diagnostics& diags) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  constexpr size_t most = size_t{1} << 30;
  char part[1 << 16];
  while (file && text.size() < most) {
    file.read(part, sizeof part);
    text.append(part, static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) {
    const char* why = text.size() >= most ? "it is larger than 1 GiB" : std::strerror(errno);
    diags.report(diag::replay_unreadable, {}, {path, why});
    return std::nullopt;
  }
  return read_schedule(text, path, diags);
}

}  // namespace tilewire::driver
