#include "support/schedule.h"

#include <charconv>
#include <map>

namespace tilewire {

std::string text_of(const ScheduleAgent& agent) {
  std::string text = "rank " + std::to_string(agent.key.rank);
  if (!agent.function.empty()) text += " in `" + agent.function + "`";
  if (agent.key.block > 0) text += ", block " + std::to_string(agent.key.block);
  if (agent.key.call > 0) text += ", call " + std::to_string(agent.key.call + 1);
  return text;
}

Schedule part_of_call(const Schedule& schedule, int32_t call) {
  Schedule part = schedule;
  part.calls = 1;
  if (call + 1 < schedule.calls) part.kind.clear();
  part.agents.clear();
  part.steps.clear();
  std::map<uint32_t, uint32_t> numbers;  // of agents: in the schedule, in the part
  for (uint32_t i = 0; i < schedule.agents.size(); ++i) {
    if (schedule.agents[i].key.call != call) continue;
    numbers.emplace(i, static_cast<uint32_t>(part.agents.size()));
    part.agents.push_back(schedule.agents[i]);
    part.agents.back().key.call = 0;
  }
  for (const ScheduleStep& step : schedule.steps) {
    auto agent = numbers.find(step.agent);
    if (agent == numbers.end()) continue;
    part.steps.push_back(step);
    part.steps.back().agent = agent->second;
  }
  return part;
}

std::optional<ScheduleCell> cell_of(const ScheduleStep& step) {
  const size_t open = step.cell.rfind('[');
  if (open == std::string::npos || !step.cell.ends_with(']')) return std::nullopt;
  ScheduleCell cell{step.cell.substr(0, open)};
  const char* end = step.cell.data() + step.cell.size() - 1;
  const auto [rest, error] = std::from_chars(step.cell.data() + open + 1, end, cell.element);
  if (error != std::errc() || rest != end) return std::nullopt;
  return cell;
}

std::string text_of(const Schedule& schedule, const ScheduleStep& step) {
  return text_of(schedule, step, step.cell);
}

std::string text_of(const Schedule& schedule, const ScheduleStep& step, const std::string& cell) {
  std::string text = text_of(schedule.agents[step.agent]);
  if (step.line != 0) text += ", line " + std::to_string(step.line);
  text += std::string(": ") + name_of(step.event);
  if (!cell.empty()) {
    text += step.event == ScheduleEvent::Look || step.event == ScheduleEvent::Test ? " at `" : " of `";
    text += cell + "` on rank " + std::to_string(step.cell_rank);
  }
  return text;
}

}  // namespace tilewire
