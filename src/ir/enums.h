// The enumerations of the language, listed once: C++ type, Python name, text form, aliases.
//
// Integer values are ABI and appear in serialised IR: append only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewire::ir {

enum class FunctionType : uint8_t { Opaque, Host, Orchestration, InCore, AIC, AIV, Inline, Group };
enum class Level : uint8_t { HOST, CHIP, CORE_GROUP };
enum class Role : uint8_t { Orchestrator, Worker };
enum class Direction : uint8_t { In, Out, InOut };
enum class MemorySpace : uint8_t { DDR, Vec, Mat, Left, Right, Acc, Bias };
enum class Layout : uint8_t { ND, DN, NZ };
enum class SplitMode : uint8_t { NONE, UP_DOWN, LEFT_RIGHT };
enum class LoopKind : uint8_t { Range, Parallel, Unroll, Pipeline };
enum class ScopeKind : uint8_t { Manual, Storage };
enum class NotifyOp : uint8_t { AtomicAdd, Set };
enum class WaitCmp : uint8_t { Eq, Ge, Ne, Gt, Lt, Le };
enum class AtomicType : uint8_t { None_, Add };
enum class ReduceOp : uint8_t { Sum, Max, Min, Prod };
enum class CmpOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class RoundMode : uint8_t { Rint, Round, Floor, Ceil, Trunc, Odd };
enum class PadValue : uint8_t { Zero, Max, Min };
enum class AllreduceMode : uint8_t { Auto, Mesh, TwoShot, Ring };

// Which enumeration an EnumValue belongs to. The order is stored in serialised IR: append only.
enum class EnumId : uint8_t {
  FunctionType,
  Level,
  Role,
  Direction,
  MemorySpace,
  Layout,
  SplitMode,
  LoopKind,
  NotifyOp,
  WaitCmp,
  AtomicType,
  ReduceOp,
  CmpOp,
  RoundMode,
  PadValue,
  AllreduceMode,
  ScopeKind,
};

struct EnumMember {
  std::string_view name;   // "AtomicAdd"
  std::string_view text;   // the lower-case string accepted in its place ("add"), empty if none
  std::string_view text2;  // a second accepted string ("atomic_add"), empty if none
};

struct EnumInfo {
  EnumId id;
  std::string_view name;                // "NotifyOp"
  std::string_view module;              // "pl" or "pld"; empty: not visible to programs
  std::span<const EnumMember> members;  // index = integer value
};

const EnumInfo& info(EnumId id);
std::span<const EnumInfo> all_enums();

struct EnumValue {
  EnumId id;
  uint8_t value;
  bool operator==(const EnumValue&) const = default;
};

std::string_view member_name(EnumValue value);
// As a program writes it: `pl.Mem.Vec`, `pl.ND`, `pld.NotifyOp.Set`.
std::string to_string(EnumValue value);
// By member name or by one of the lower-case strings.
std::optional<EnumValue> enum_from_text(EnumId id, std::string_view text);

template <class E>
struct EnumIdOf;
#define TW_ENUM_ID(E)                       \
  template <>                               \
  struct EnumIdOf<E> {                      \
    static constexpr EnumId id = EnumId::E; \
  }
TW_ENUM_ID(FunctionType);
TW_ENUM_ID(Level);
TW_ENUM_ID(Role);
TW_ENUM_ID(Direction);
TW_ENUM_ID(MemorySpace);
TW_ENUM_ID(Layout);
TW_ENUM_ID(SplitMode);
TW_ENUM_ID(LoopKind);
TW_ENUM_ID(NotifyOp);
TW_ENUM_ID(WaitCmp);
TW_ENUM_ID(AtomicType);
TW_ENUM_ID(ReduceOp);
TW_ENUM_ID(CmpOp);
TW_ENUM_ID(RoundMode);
TW_ENUM_ID(PadValue);
TW_ENUM_ID(AllreduceMode);
TW_ENUM_ID(ScopeKind);
#undef TW_ENUM_ID

template <class E>
EnumValue enum_value(E e) {
  return {EnumIdOf<E>::id, static_cast<uint8_t>(e)};
}

}  // namespace tilewire::ir
