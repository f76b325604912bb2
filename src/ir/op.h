// The record of an op: the only home of everything the compiler knows about it.
//
// `ops` fills these records; there is no other list of ops. Lookup by name, arity and keyword checks, literal
// typing, type rule, effects, levels, printing, Python functions, stubs and the reference page all read them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/elementwise.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

// What an operand may be. A window is a tensor: `Tensor` accepts both, `Window` only the narrower.
enum Accept : uint16_t {
  AcceptScalar = 1,  // any scalar, BOOL included; the type rule narrows
  AcceptInt = 2,     // an integer scalar; BOOL has an error of its own
  AcceptTensor = 4,
  AcceptWindow = 8,
  AcceptTile = 16,
  AcceptArray = 32,
  AcceptWindowBuffer = 64,  // in text, the name alloc_window_buffer was assigned to
  AcceptCommCtx = 128,
  AcceptTaskId = 256,
};
// "a tensor or a tile", for messages.
std::string describe(uint16_t accepts);
bool accepts(uint16_t accepts, const TypeRef& type);

// What a value given for a parameter decides: where information goes that it carries.
enum class OperandRole : uint8_t {
  Unset,
  Data,         // computed with, or written
  Address,      // which element, region, peer or cell
  Extent,       // how many elements
  Control,      // whether, how often or in which way something happens
  SignalValue,  // what a cell is set to, changed by or compared with
  Dependency,   // which tasks come first
};

enum class AttrKind : uint8_t { Bool, Int, Float, String, DType, Enum };

struct OpParam {
  enum Kind : uint8_t { Operand, ListOperand, Attribute };
  std::string name;
  std::string doc;
  Kind kind = Operand;
  OperandRole role = OperandRole::Unset;
  bool optional = false;  // may be left out; operands are then null, attributes take `default_value`
  bool keyword_only = false;
  uint16_t accepts = 0;  // of the operand, or of each element of the list
  // What an integer (INDEX) or float (FP32) constant given here becomes: a fixed dtype, or the dtype of
  // the parameter of that index. Done when the call is made, for text, C++ and Python alike.
  std::optional<DType> literal;
  int like = -1;
  AttrKind attr_kind = AttrKind::Bool;
  EnumId enum_id{};  // of AttrKind::Enum; strings of the enum are accepted too
  std::optional<AttrValue> default_value;
  uint8_t required_at = 0;  // LevelBits at which an optional parameter must be given all the same
};

// What one operand undergoes when the op runs (semantics page, "Effects").
// Update: a cell is read and changed in one step, at once; that acquires and, where it writes, releases.
enum class Access : uint8_t { Read, Write, ReadWrite, Atomic, Signal, Wait, Update };
struct Effect {
  int param = 0;
  Access access = Access::Read;
  int peer_param = -1;  // >= 0: happens in the memory of the rank this parameter names
  int offsets_param =
      -1;  // >= 0: starts at these offsets; else, or when that operand is absent, at the origin
  int extent_param = -1;  // >= 0: a list operand with the extents, or a tile or tensor whose shape they are;
                          // else one element when there are offsets, all of the operand when not
  std::string when_attr;  // non-empty: only when this attribute has (`when_equal`) or has not the value
  AttrValue when_value{false};
  bool when_equal = true;
  bool all_peers = false;  // happens in the memory of every rank of the group
};

enum LevelBits : uint8_t { OnHost = 1, OnOrchestration = 2, OnKernel = 4, Anywhere = 7 };
std::string describe_levels(uint8_t levels);
constexpr uint16_t function_bit(FunctionType type) {
  return static_cast<uint16_t>(1 << static_cast<int>(type));
}

class OpCheck;
class Expansion;

struct Op {
  std::string module;                // "pl" or "pld"
  std::string name;                  // "tile.add", "system.notify", "world_size"; unique with the module
  std::vector<std::string> aliases;  // further names under the module: "create_tile"
  std::string doc;                   // first sentence, then details
  std::string result_doc;
  std::string infix;  // "+": printed between its two operands; "-x": prefix operators start alike
  std::vector<OpParam> params;
  std::vector<Effect> effects;
  uint8_t levels = OnKernel;
  int result_alias = -1;               // >= 0: the result names the same storage as this operand
  bool needs_annotation = false;       // the result type comes from the assigned name's annotation (pops)
  bool plain_assignment_only = false;  // only `name = op(...)`: alloc_window_buffer
  int result_peer = -1;        // >= 0: the result names memory of the rank this parameter names (peer_slot)
  int group_param = -1;        // >= 0: a context whose ranks its peers and roots are counted in
  uint16_t functions = 0;      // bits of the FunctionTypes it may be used in; 0: any that its levels allow
  bool synchronizes = false;   // keeps its order among effects although no operand shows one: pipes
  OpForm form = OpForm::None;  // of ops on tiles and tensors; the same on both
  Elementwise kind = Elementwise::None;
  uint8_t cost =
      1;  // of one element, in additions; from 2 on, recomputing costs more than an access to memory
  bool note = false;    // has no effect in its place: its effects are those of the function as a whole
  bool keeps = false;   // kept although its result is unused and no effect shows: others rely on it
  int scratch = -1;     // a parameter whose value is ignored
  std::string no_rule;  // why targets, and interpreters unless they have one, have no rule for it
  // Its expression by other ops, if it has one (expansion.h); null: interpreter and targets have rules.
  std::function<ExprRef(Expansion&)> expansion;
  int ulp = 0;  // of an expansion: the largest error against the exact result, FP32
  // Checks what the declaration cannot express and returns the result type; null after reporting an error.
  std::function<TypeRef(OpCheck&)> rule;

  std::string qualified() const { return module + "." + name; }
  int param_index(std::string_view param_name) const;  // -1: none
  // Position of each param within Call::args, -1 for attributes.
  std::vector<int> operand_slots;
  size_t operand_count = 0;

  // Set by the table.
  uint16_t index = 0;               // within OpTable::all
  bool on_tensors = false;          // of the `tensor` family
  bool removable = false;           // a call may be dropped if its result is unused
  const Op* counterpart = nullptr;  // of the same name on tiles, of an op on tensors; and the reverse
};

// All ops, immutable once built.
class OpTable {
 public:
  explicit OpTable(std::vector<Op> ops);
  OpTable(const OpTable&) = delete;

  std::span<const Op> all() const { return ops_; }
  const Op* find(std::string_view qualified_name) const;  // "pl.tile.add", "pld.system.notify"
  // The ops a program may mean by `pl.add` or `pld.remote_store`: the op of that full name, or those whose
  // name without its family (`tile.`, `tensor.`, `scalar.`, ...) or an alias is that. Tile before tensor.
  std::span<const Op* const> candidates(std::string_view module, std::string_view name) const;
  // The op on tiles of that form that computes so (`tile.row_max`, `tile.add`); null: none.
  const Op* on_tiles(OpForm form, Elementwise kind) const;

 private:
  std::vector<Op> ops_;
  std::map<std::string, const Op*, std::less<>> by_name_;
  std::map<std::string, std::vector<const Op*>, std::less<>> by_short_name_;
};

// The view a type rule has of the call being made. It may replace operands (to normalise them).
class OpCheck {
 public:
  // `places`: where the value of each parameter is written, null if that is not known; null: nowhere.
  OpCheck(const Op& op, ExprList& args, const AttrList& attrs, const Span& span, Diagnostics& diags,
          TypeRef annotated, const Span* const* places = nullptr)
      : op(op),
        args(args),
        attrs(attrs),
        span(span),
        diags(diags),
        annotated(std::move(annotated)),
        places_(places) {}

  const Op& op;
  ExprList& args;         // per operand, null where absent
  const AttrList& attrs;  // without defaults; use attr()
  const Span& span;
  Diagnostics& diags;
  const TypeRef annotated;  // of the assigned name; null: none

  // Operand and attribute by parameter name; a name the op does not declare is an internal error.
  const ExprRef& arg(std::string_view name) const;
  bool has(std::string_view name) const { return arg(name) != nullptr; }
  void set(std::string_view name, ExprRef value);
  const TensorType* tensor(std::string_view name) const;
  const TileType* tile(std::string_view name) const;
  const DistributedTensorType* window(std::string_view name) const;
  std::optional<DType> dtype(std::string_view name) const;  // of a scalar, tensor, tile or array operand
  const ExprList& list(std::string_view name) const;        // elements of a list operand; empty if absent
  // Of the attribute, or of its default; null when it has neither.
  const AttrValue* attr(std::string_view name) const;
  bool flag(std::string_view name) const;
  template <class E>
  E enum_attr(std::string_view name) const {
    return static_cast<E>(attr(name)->get<EnumValue>()->value);
  }

  // Reports at the value of that parameter, an operand labelled "`x` is <type>"; at the call if it has none.
  Diagnostic& error(Diag id, std::string_view operand, std::vector<std::string> arguments);
  // Reports at the call.
  Diagnostic& error(Diag id, std::vector<std::string> arguments);
  bool failed() const { return failed_; }

 private:
  size_t slot(std::string_view name) const;
  const Span* const* places_;
  bool failed_ = false;
};

// An argument as it was written, before it is bound to a parameter.
struct OpArgument {
  std::variant<std::monostate, ExprRef, AttrValue, std::vector<OpArgument>> value;  // monostate: None
  Span span;
};
struct OpKeyword {
  std::string_view name;
  OpArgument argument;
  Span name_span;
};

// Binds arguments to parameters, checks them, runs the type rule. Null after reporting every violation.
Ref<const Call> create_call(const Op& op, std::vector<OpArgument> positional, std::vector<OpKeyword> keywords,
                            const Span& span, Diagnostics& diags, TypeRef annotated = nullptr);
// The first parameter that must be given at this level (one of LevelBits) and is absent; null if none.
const OpParam* missing_at(const Call& call, uint8_t level);
// The same as create_call above, for operands already bound (args as in Call::args).
Ref<const Call> create_call(const Op& op, ExprList args, AttrList attrs, const Span& span, Diagnostics& diags,
                            TypeRef annotated = nullptr);

// Whether an effect of the call's op takes place in this call: its operand is given and its condition holds.
bool happens(const Effect& effect, const Call& call);

// A type or a short expression as a program writes it, for messages and the printer:
// `pl.Tensor[[NR, 256], pl.FP32]`; unknown dimensions are `?`.
std::string to_string(const TypeRef& type);

}  // namespace tilewire::ir
