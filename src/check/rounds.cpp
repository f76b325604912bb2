#include "check/rounds.h"

#include <map>

#include "check/written_places.h"
#include "interp/code.h"

namespace tilewire::check {
namespace {

using interp::Code;
using interp::Opcode;

int64_t step_of(const ir::Node& node) {
  const auto* loop = ir::as<ir::For>(&node);
  if (!loop) return 1;
  const auto* step = ir::as<ir::ConstInt>(loop->step);
  return step ? step->value : 0;
}

}  // namespace

std::vector<Walk> walks_taken(const ir::ProgramRef& program, const ir::Program& written,
                              std::string_view entry, const Walks& walks,
                              const std::vector<interp::Rounds>& rounds) {
  Diagnostics diags;
  auto image = interp::Image::make(program, entry, diags);
  if (!image || rounds.size() != image->instr_count()) return {};
  const WrittenPlaces places = written_places(written);
  std::map<SourcePlace, Walk> found;
  auto note = [&](const ir::Node& node, bool launch, const interp::Rounds& most) {
    auto inputs = walks.deciding.find(&node);
    if (inputs == walks.deciding.end() || !places.has(node)) return;
    Walk& walk = found.try_emplace(place_of(node), Walk{&node, launch, step_of(node), {}, {}}).first->second;
    walk.most.take(most);
    walk.inputs |= inputs->second;
  };
  for (const auto& code : image->codes()) {
    // The test of a loop stands in front of its body.
    for (const Code::Loop& loop : code->loops) {
      if (ir::as<ir::For>(loop.node)) note(*loop.node, false, rounds[code->first + loop.begin - 1]);
    }
    for (uint32_t pc = 0; pc < code->instrs.size(); ++pc) {
      const interp::Instr& instr = code->instrs[pc];
      const bool launch = instr.code == Opcode::Call && instr.site->blocks != interp::no_slot;
      if (launch) note(*instr.node, true, rounds[code->first + pc]);
    }
  }
  std::vector<Walk> all;
  for (auto& [place, walk] : found) all.push_back(walk);
  return all;
}

}  // namespace tilewire::check
