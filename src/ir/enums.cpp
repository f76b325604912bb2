#include "ir/enums.h"

namespace tilewire::ir {
namespace {

using Members = const EnumMember[];
constexpr Members function_types = {{"Opaque", "", ""}, {"Host", "", ""}, {"Orchestration", "", ""},
                                    {"InCore", "", ""}, {"AIC", "", ""},  {"AIV", "", ""},
                                    {"Inline", "", ""}, {"Group", "", ""}};
constexpr Members levels = {{"HOST", "", ""}, {"CHIP", "", ""}, {"CORE_GROUP", "", ""}};
constexpr Members roles = {{"Orchestrator", "", ""}, {"Worker", "", ""}};
constexpr Members directions = {{"In", "", ""}, {"Out", "", ""}, {"InOut", "", ""}};
constexpr Members memory_spaces = {{"DDR", "", ""},   {"Vec", "", ""}, {"Mat", "", ""}, {"Left", "", ""},
                                   {"Right", "", ""}, {"Acc", "", ""}, {"Bias", "", ""}};
constexpr Members layouts = {{"ND", "", ""}, {"DN", "", ""}, {"NZ", "", ""}};
constexpr Members split_modes = {
    {"NONE", "none", ""}, {"UP_DOWN", "up_down", ""}, {"LEFT_RIGHT", "left_right", ""}};
constexpr Members loop_kinds = {
    {"Range", "", ""}, {"Parallel", "", ""}, {"Unroll", "", ""}, {"Pipeline", "", ""}};
constexpr Members notify_ops = {{"AtomicAdd", "add", "atomic_add"}, {"Set", "set", ""}};
constexpr Members wait_cmps = {{"Eq", "eq", ""}, {"Ge", "ge", ""}, {"Ne", "ne", ""},
                               {"Gt", "gt", ""}, {"Lt", "lt", ""}, {"Le", "le", ""}};
constexpr Members atomic_types = {{"None_", "none", ""}, {"Add", "add", ""}};
constexpr Members reduce_ops = {
    {"Sum", "sum", ""}, {"Max", "max", ""}, {"Min", "min", ""}, {"Prod", "prod", ""}};
constexpr Members cmp_ops = {{"Eq", "eq", ""}, {"Ne", "ne", ""}, {"Lt", "lt", ""},
                             {"Le", "le", ""}, {"Gt", "gt", ""}, {"Ge", "ge", ""}};
constexpr Members round_modes = {{"Rint", "rint", ""}, {"Round", "round", ""}, {"Floor", "floor", ""},
                                 {"Ceil", "ceil", ""}, {"Trunc", "trunc", ""}, {"Odd", "odd", ""}};
constexpr Members pad_values = {{"Zero", "zero", ""}, {"Max", "max", ""}, {"Min", "min", ""}};
constexpr Members allreduce_modes = {
    {"Auto", "auto", ""}, {"Mesh", "mesh", ""}, {"TwoShot", "two_shot", ""}, {"Ring", "ring", ""}};
constexpr Members scope_kinds = {{"Manual", "", ""}, {"Storage", "", ""}};

constexpr EnumInfo table[] = {
    {EnumId::FunctionType, "FunctionType", "pl", function_types},
    {EnumId::Level, "Level", "pl", levels},
    {EnumId::Role, "Role", "pl", roles},
    {EnumId::Direction, "Direction", "", directions},
    {EnumId::MemorySpace, "Mem", "pl", memory_spaces},
    {EnumId::Layout, "Layout", "pl", layouts},
    {EnumId::SplitMode, "SplitMode", "pl", split_modes},
    {EnumId::LoopKind, "LoopKind", "", loop_kinds},
    {EnumId::NotifyOp, "NotifyOp", "pld", notify_ops},
    {EnumId::WaitCmp, "WaitCmp", "pld", wait_cmps},
    {EnumId::AtomicType, "AtomicType", "pld", atomic_types},
    {EnumId::ReduceOp, "ReduceOp", "pld", reduce_ops},
    {EnumId::CmpOp, "CmpOp", "pl", cmp_ops},
    {EnumId::RoundMode, "RoundMode", "pl", round_modes},
    {EnumId::PadValue, "PadValue", "pl", pad_values},
    {EnumId::AllreduceMode, "AllreduceMode", "pld", allreduce_modes},
    {EnumId::ScopeKind, "ScopeKind", "", scope_kinds},
};

}  // namespace

const EnumInfo& info(EnumId id) {
  return table[static_cast<size_t>(id)];
}

std::span<const EnumInfo> all_enums() {
  return table;
}

std::string_view member_name(EnumValue value) {
  return info(value.id).members[value.value].name;
}

std::string to_string(EnumValue value) {
  const EnumInfo& e = info(value.id);
  std::string prefix = e.module.empty() ? "" : std::string(e.module) + ".";
  if (value.id != EnumId::Layout) prefix += std::string(e.name) + ".";  // layouts are plain names: pl.ND
  return prefix + std::string(member_name(value));
}

std::optional<EnumValue> enum_from_text(EnumId id, std::string_view text) {
  const EnumInfo& e = info(id);
  for (size_t i = 0; i < e.members.size(); ++i) {
    const EnumMember& m = e.members[i];
    if (text == m.name || (!m.text.empty() && (text == m.text || (!m.text2.empty() && text == m.text2)))) {
      return EnumValue{id, static_cast<uint8_t>(i)};
    }
  }
  return std::nullopt;
}

}  // namespace tilewire::ir
