#include "support/schedule.h"

namespace tilewire {

std::string text_of(const ScheduleAgent& agent) {
  std::string text = "rank " + std::to_string(agent.key.rank);
  if (!agent.function.empty()) text += " in `" + agent.function + "`";
  if (agent.key.block > 0) text += ", block " + std::to_string(agent.key.block);
  return text;
}

std::string text_of(const Schedule& schedule, const ScheduleStep& step) {
  std::string text = text_of(schedule.agents[step.agent]);
  if (step.line != 0) text += ", line " + std::to_string(step.line);
  text += std::string(": ") + name_of(step.event);
  if (!step.cell.empty()) {
    text += step.event == ScheduleEvent::Look || step.event == ScheduleEvent::Test ? " at `" : " of `";
    text += step.cell + "` of rank " + std::to_string(step.cell_rank);
  }
  return text;
}

}  // namespace tilewire
