#include "ir/param_effects.h"

#include <utility>

namespace tilewire::ir {
namespace {

constexpr std::pair<EffectBits, std::string_view> words[] = {
    {EffectReads, "read"},
    {EffectWrites, "write"},
    {EffectAtomic, "atomic"},
    {EffectCommunicates, "communicate"},
};

// Calls f with each part of `text` between separators; false as soon as one is not accepted.
template <class F>
bool each_part(std::string_view text, std::string_view separator, F f) {
  while (true) {
    const size_t end = text.find(separator);
    if (!f(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + separator.size());
  }
}

}  // namespace

std::string to_text(const ParamEffects& effects) {
  std::string text;
  for (uint8_t bits : effects) {
    if (!text.empty()) text += ", ";
    std::string entry;
    for (const auto& [bit, word] : words) {
      if (bits & bit) entry += (entry.empty() ? "" : "+") + std::string(word);
    }
    text += entry.empty() ? "-" : entry;
  }
  return text;
}

std::optional<ParamEffects> param_effects(std::string_view text) {
  ParamEffects effects;
  if (text.empty()) return effects;
  auto word = [&](std::string_view part) {
    for (const auto& [bit, name] : words) {
      if (part != name || (effects.back() & bit)) continue;
      effects.back() |= bit;
      return true;
    }
    return false;
  };
  const bool ok = each_part(text, ", ", [&](std::string_view part) {
    effects.push_back(0);
    return part == "-" || each_part(part, "+", word);
  });
  if (!ok) return std::nullopt;
  return effects;
}

}  // namespace tilewire::ir
