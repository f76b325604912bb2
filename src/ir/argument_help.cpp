#include "ir/argument_help.h"

#include <algorithm>

#include "ir/written.h"

namespace tilewire::ir {
namespace {

constexpr size_t most_arguments = 8;  // of a call whose order is tried: the cost of an error stays bounded

bool fits(const OpParam& param, const AttrValue& value) {
  if (param.kind == OpParam::Attribute) {
    if (param.attr_kind == AttrKind::Enum) {
      const auto* text = value.get<std::string>();
      const auto* member = value.get<EnumValue>();
      return (text && enum_from_text(param.enum_id, *text)) || (member && member->id == param.enum_id);
    }
    const bool whole = param.attr_kind == AttrKind::Float && value.get<int64_t>();
    return whole || value.value.index() == static_cast<size_t>(param.attr_kind);
  }
  if (const auto* values = std::get_if<AttrValueList>(&value.value)) {
    return param.kind == OpParam::ListOperand &&
           std::all_of(values->begin(), values->end(), [](const AttrValue& v) { return v.get<int64_t>(); });
  }
  if (param.kind == OpParam::ListOperand) return false;
  if (value.get<int64_t>()) return param.accepts & (AcceptInt | AcceptScalar);
  return (value.get<double>() || value.get<bool>()) && (param.accepts & AcceptScalar);
}

// Tries the parameters from `next` on for the arguments that have none yet.
class Assignment {
 public:
  Assignment(const Op& op, std::span<const OpArgument> arguments, const std::vector<bool>& free)
      : op_(op), arguments_(arguments), free_(free), params_(arguments.size(), -1) {}

  bool in_order(size_t argument, size_t next) {
    if (argument == arguments_.size()) return true;
    for (size_t i = next; i < free_.size(); ++i) {
      if (!free_[i] || !ir::fits(op_.params[i], arguments_[argument])) continue;
      params_[argument] = static_cast<int>(i);
      if (in_order(argument + 1, i + 1)) return true;
    }
    return false;
  }

  bool in_any_order(size_t next, size_t placed, bool all_required) {
    if (next == free_.size()) return placed == arguments_.size();
    const OpParam& param = op_.params[next];
    if (free_[next]) {
      for (size_t i = 0; i < arguments_.size(); ++i) {
        if (params_[i] >= 0 || !ir::fits(param, arguments_[i])) continue;
        params_[i] = static_cast<int>(next);
        if (in_any_order(next + 1, placed + 1, all_required)) return true;
        params_[i] = -1;
      }
      if (all_required && !param.optional) return false;
    }
    return in_any_order(next + 1, placed, all_required);
  }

  std::vector<int> take() { return std::move(params_); }

 private:
  const Op& op_;
  std::span<const OpArgument> arguments_;
  const std::vector<bool>& free_;
  std::vector<int> params_;
};

// The name before the parenthesis, as the program writes it.
std::string name_written(const Op& op, const Span& call) {
  if (!call || !call.file) return op.qualified();
  std::string_view line = call.file->line(call.line);
  if (call.column == 0 || call.column > line.size()) return op.qualified();
  line.remove_prefix(call.column - 1);
  const size_t end = line.find('(');
  const bool name = end != std::string_view::npos && end > 0 &&
                    line.substr(0, end).find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_.") == std::string_view::npos;
  return name ? std::string(line.substr(0, end)) : op.qualified();
}

}  // namespace

std::string written(const OpArgument& argument) {
  const Span& at = argument.span;
  if (!at || !at.file || at.line != at.end_line || at.end_column <= at.column) return "...";
  std::string_view line = at.file->line(at.line);
  const size_t length = at.end_column - at.column;
  const bool there = at.column - 1 + length <= line.size() && length < 40;
  return there ? std::string(line.substr(at.column - 1, length)) : "...";
}

ListSubject subject_of(const Op& op, int list_param) {
  for (const Effect& effect : op.effects) {
    if (effect.offsets_param == list_param) return {effect.param, true};
    if (effect.extent_param == list_param) return {effect.param, false};
  }
  return {};
}

std::string list_help(std::vector<std::string> entries, const ListSubject& subject, size_t rank,
                      const std::string& subject_text) {
  const bool write = subject.offsets && entries.size() <= rank;
  if (write) entries.resize(rank, "0");
  if (!write && entries.size() != rank) {
    return "give one " + std::string(subject.offsets ? "offset" : "extent") + " for each dimension of " +
           subject_text;
  }
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ", ") + entry;
  return "write [" + text + "]";
}

bool fits(const OpParam& param, const OpArgument& argument) {
  if (const auto* expr = std::get_if<ExprRef>(&argument.value)) {
    const bool tuple = isa<TupleType>((*expr)->type);
    if (param.kind == OpParam::ListOperand) return tuple;
    if (param.kind == OpParam::Attribute) return isa<ConstInt>(*expr) || isa<ConstFloat>(*expr);
    return !tuple && accepts(param.accepts, (*expr)->type);
  }
  if (const auto* value = std::get_if<AttrValue>(&argument.value)) return fits(param, *value);
  if (const auto* list = std::get_if<std::vector<OpArgument>>(&argument.value)) {
    if (param.kind != OpParam::ListOperand) return false;
    OpParam entry = param;
    entry.kind = OpParam::Operand;
    return std::all_of(list->begin(), list->end(), [&](const OpArgument& item) { return fits(entry, item); });
  }
  return param.optional;
}

std::optional<Intent> intent_of(const Op& op, std::span<const OpArgument> positional,
                                const std::vector<bool>& free) {
  if (positional.size() > most_arguments) return std::nullopt;
  Assignment in_order(op, positional, free);
  if (in_order.in_order(0, 0)) return Intent{in_order.take(), true};
  for (bool all_required : {true, false}) {
    Assignment any(op, positional, free);
    if (any.in_any_order(0, 0, all_required)) return Intent{any.take(), false};
  }
  return std::nullopt;
}

std::string rewritten(const Op& op, const Span& call, std::span<const OpArgument> positional,
                      std::span<const OpKeyword> keywords, const std::vector<int>& params) {
  std::string text;
  bool by_name = false;  // after a parameter that is left out
  for (size_t i = 0; i < op.params.size(); ++i) {
    const OpParam& param = op.params[i];
    auto given = std::find(params.begin(), params.end(), static_cast<int>(i));
    auto keyword = std::find_if(keywords.begin(), keywords.end(),
                                [&](const OpKeyword& k) { return k.name == param.name; });
    std::string value;
    if (given != params.end()) {
      value = (by_name ? param.name + "=" : "") + written(positional[given - params.begin()]);
    } else if (keyword != keywords.end()) {
      by_name = true;
      value = param.name + "=" + written(keyword->argument);
    } else if (param.optional) {
      by_name = true;
      continue;
    } else {
      value = param.name;
    }
    text += (text.empty() ? "" : ", ") + value;
  }
  return name_written(op, call) + "(" + text + ")";
}

}  // namespace tilewire::ir
