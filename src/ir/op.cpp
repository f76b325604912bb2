#include "ir/op.h"

#include <algorithm>

#include "ir/printer.h"
#include "ir/written.h"

namespace tilewire::ir {
namespace {

constexpr size_t max_params = 24;  // create_call binds into arrays of this size

// Families whose ops a program may name without the family: `pl.add` for `pl.tile.add`. The order is the
// order of candidates.
constexpr std::string_view short_families[] = {"tile", "tensor", "scalar"};

constexpr std::string_view tile_family = "tile.", tensor_family = "tensor.";

size_t family_rank(std::string_view name) {
  std::string_view family = name.substr(0, std::min(name.find('.'), name.size()));
  return std::find(std::begin(short_families), std::end(short_families), family) - std::begin(short_families);
}

// The name without its family, or empty where the family may not be left out.
std::string_view short_name(std::string_view name) {
  size_t dot = name.find('.');
  if (dot == std::string_view::npos || family_rank(name) == std::size(short_families)) return {};
  return name.substr(dot + 1);
}

void complete(Op& op) {
  TW_CHECK(op.params.size() <= max_params, op.qualified() + " has too many parameters");
  TW_CHECK(op.rule != nullptr, op.qualified() + " has no type rule");
  op.operand_slots.clear();
  op.operand_count = 0;
  for (const OpParam& param : op.params) {
    bool operand = param.kind != OpParam::Attribute;
    op.operand_slots.push_back(operand ? static_cast<int>(op.operand_count) : -1);
    op.operand_count += operand;
  }
}

// Nothing but reading this rank's memory happens, and nothing of it is seen elsewhere.
bool may_be_removed(const Op& op) {
  if (op.keeps || op.note || op.functions != 0 || op.synchronizes || op.plain_assignment_only) return false;
  return std::all_of(op.effects.begin(), op.effects.end(), [](const Effect& effect) {
    return effect.access == Access::Read && effect.peer_param < 0 && !effect.all_peers;
  });
}

std::string join_words(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return out;
}

}  // namespace

std::string written(const Span* place, const ExprRef& expr) {
  constexpr size_t longest = 48;
  if (!place || !*place || !place->file) return to_string(expr);
  std::string_view text = place->file->line(place->line);
  if (place->column == 0 || place->column > text.size()) return to_string(expr);
  text.remove_prefix(place->column - 1);
  const bool one_line = place->line == place->end_line && place->end_column > place->column;
  if (one_line) text = text.substr(0, place->end_column - place->column);
  if (one_line && text.size() <= longest) return std::string(text);
  return std::string(text.substr(0, std::min(text.size(), longest))) + "...";
}

std::string describe(uint16_t accepts) {
  std::vector<std::string> words;
  if (accepts & AcceptTensor) {
    words.push_back("a tensor");
  } else if (accepts & AcceptWindow) {
    words.push_back("a window");
  }
  if (accepts & AcceptTile) words.push_back("a tile");
  if (accepts & AcceptScalar) {
    words.push_back("a scalar");
  } else if (accepts & AcceptInt) {
    words.push_back("an integer");
  }
  if (accepts & AcceptArray) words.push_back("an array");
  if (accepts & AcceptWindowBuffer) words.push_back("a window buffer");
  if (accepts & AcceptCommCtx) words.push_back("a communication context");
  if (accepts & AcceptTaskId) words.push_back("a task id");
  return join_words(words);
}

bool accepts(uint16_t accepts, const TypeRef& type) {
  switch (type->kind()) {
    case kind_of<ScalarType>:
      return (accepts & AcceptScalar) ||
             ((accepts & AcceptInt) && is_integer(static_cast<const ScalarType*>(type.get())->dtype));
    case kind_of<TileType>:
      return accepts & AcceptTile;
    case kind_of<TensorType>:
      return accepts & AcceptTensor;
    case kind_of<DistributedTensorType>:
      return accepts & (AcceptTensor | AcceptWindow);
    case kind_of<ArrayType>:
      return accepts & AcceptArray;
    case kind_of<WindowBufferType>:
      return accepts & AcceptWindowBuffer;
    case kind_of<CommCtxType>:
      return accepts & AcceptCommCtx;
    case kind_of<TaskIdType>:
      return accepts & AcceptTaskId;
    default:
      return false;
  }
}

std::string describe_levels(uint8_t levels) {
  if (levels == Anywhere) return "anywhere";
  std::vector<std::string> words;
  if (levels & OnHost) words.push_back("host");
  if (levels & OnOrchestration) words.push_back("orchestration");
  if (levels & OnKernel) words.push_back("kernel");
  return join_words(words) + " functions";
}

int Op::param_index(std::string_view param_name) const {
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string& name = params[i].name;
    // Rules ask by name on every call; the first letter settles most comparisons.
    if (name.size() == param_name.size() && name[0] == param_name[0] && name == param_name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

OpTable::OpTable(std::vector<Op> ops) : ops_(std::move(ops)) {
  auto add_candidate = [this](const Op& op, std::string_view name) {
    auto& list = by_short_name_[op.module + "." + std::string(name)];
    if (std::find(list.begin(), list.end(), &op) == list.end()) list.push_back(&op);
  };
  for (Op& op : ops_) {
    complete(op);
    op.index = static_cast<uint16_t>(&op - ops_.data());
    op.removable = may_be_removed(op);
    op.on_tensors = op.name.starts_with(tensor_family);
    std::vector<std::string> names = op.aliases;
    names.push_back(op.name);
    for (const std::string& name : names) {
      // A plain alias (`create_tile`) may be shared by two ops; a name with a family may not.
      bool full = &name == &names.back() || name.find('.') != std::string::npos;
      if (full) {
        bool fresh = by_name_.emplace(op.module + "." + name, &op).second;
        TW_CHECK(fresh, "two ops are called " + op.module + "." + name);
      }
      add_candidate(op, name);
      if (!short_name(name).empty()) add_candidate(op, short_name(name));
    }
  }
  for (Op& op : ops_) {
    if (!op.on_tensors) continue;
    std::string name = std::string(tile_family) + op.name.substr(tensor_family.size());
    auto found = by_name_.find(op.module + "." + name);
    if (found == by_name_.end() || found->second->name != name) continue;  // an alias is another op
    op.counterpart = found->second;
    ops_[found->second->index].counterpart = &op;
  }
  for (auto& [name, list] : by_short_name_) {
    std::sort(list.begin(), list.end(), [](const Op* a, const Op* b) {
      return std::pair(family_rank(a->name), a) < std::pair(family_rank(b->name), b);
    });
  }
}

const Op* OpTable::find(std::string_view qualified_name) const {
  auto found = by_name_.find(qualified_name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Op* OpTable::on_tiles(OpForm form, Elementwise kind) const {
  for (const Op& op : ops_) {
    if (op.form == form && op.kind == kind && !op.on_tensors) return &op;
  }
  return nullptr;
}

std::span<const Op* const> OpTable::candidates(std::string_view module, std::string_view name) const {
  char key[96];
  if (module.size() + 1 + name.size() > sizeof key) return {};
  module.copy(key, module.size());
  key[module.size()] = '.';
  name.copy(key + module.size() + 1, name.size());
  auto found = by_short_name_.find(std::string_view(key, module.size() + 1 + name.size()));
  return found == by_short_name_.end() ? std::span<const Op* const>() : found->second;
}

size_t OpCheck::slot(std::string_view name) const {
  int index = op.param_index(name);
  TW_CHECK(index >= 0 && op.operand_slots[index] >= 0,
           op.qualified() + " has no operand " + std::string(name));
  return op.operand_slots[index];
}

const ExprRef& OpCheck::arg(std::string_view name) const {
  return args[slot(name)];
}

void OpCheck::set(std::string_view name, ExprRef value) {
  args[slot(name)] = std::move(value);
}

const TensorType* OpCheck::tensor(std::string_view name) const {
  const ExprRef& operand = arg(name);
  return operand ? as<TensorType>(operand->type) : nullptr;
}

const TileType* OpCheck::tile(std::string_view name) const {
  const ExprRef& operand = arg(name);
  return operand ? as<TileType>(operand->type) : nullptr;
}

const DistributedTensorType* OpCheck::window(std::string_view name) const {
  const ExprRef& operand = arg(name);
  return operand ? as<DistributedTensorType>(operand->type) : nullptr;
}

std::optional<DType> OpCheck::dtype(std::string_view name) const {
  const ExprRef& operand = arg(name);
  if (!operand) return std::nullopt;
  const TypeRef& type = operand->type;
  if (const auto* t = as<TensorType>(type)) return t->dtype;
  if (const auto* t = as<TileType>(type)) return t->dtype;
  if (const auto* t = as<ArrayType>(type)) return t->dtype;
  return scalar_dtype(type);
}

const ExprList& OpCheck::list(std::string_view name) const {
  static const ExprList none;
  const auto* tuple = as<MakeTuple>(arg(name));
  return tuple ? tuple->elements : none;
}

const AttrValue* OpCheck::attr(std::string_view name) const {
  if (const AttrValue* value = find_attr(attrs, name)) return value;
  int index = op.param_index(name);
  TW_CHECK(index >= 0 && op.params[index].kind == OpParam::Attribute,
           op.qualified() + " has no attribute " + std::string(name));
  const auto& value = op.params[index].default_value;
  return value ? &*value : nullptr;
}

bool OpCheck::flag(std::string_view name) const {
  const AttrValue* value = attr(name);
  return value && *value->get<bool>();
}

Diagnostic& OpCheck::error(Diag id, std::string_view operand, std::vector<std::string> arguments) {
  failed_ = true;
  int index = op.param_index(operand);
  TW_CHECK(index >= 0, op.qualified() + " has no parameter " + std::string(operand));
  int position = op.operand_slots[index];
  const Span* place = places_ ? places_[index] : nullptr;
  Diagnostic& d = diags.report(id, place && *place ? *place : span, std::move(arguments));
  if (position < 0 || !args[position]) return d;
  const ExprRef& expr = args[position];
  // A list or a constant is visible in the source line already.
  if (isa<MakeTuple>(expr) || isa<ConstInt>(expr) || isa<ConstFloat>(expr) || isa<ConstBool>(expr)) return d;
  return d.with_label("`" + written(place, expr) + "` is " + to_string(expr->type));
}

Diagnostic& OpCheck::error(Diag id, std::vector<std::string> arguments) {
  failed_ = true;
  return diags.report(id, span, std::move(arguments));
}

bool happens(const Effect& effect, const Call& call) {
  const Op& op = *call.op;
  int slot = op.operand_slots[effect.param];
  if (slot < 0 || !call.args[slot]) return false;
  if (effect.when_attr.empty()) return true;
  const AttrValue* value = find_attr(call.attrs, effect.when_attr);
  if (!value) {
    const auto& by_default = op.params[op.param_index(effect.when_attr)].default_value;
    value = by_default ? &*by_default : nullptr;
  }
  return (value && *value == effect.when_value) == effect.when_equal;
}

const OpParam* missing_at(const Call& call, uint8_t level) {
  const Op& op = *call.op;
  for (size_t i = 0; i < op.params.size(); ++i) {
    const OpParam& param = op.params[i];
    if (!(param.required_at & level)) continue;
    int slot = op.operand_slots[i];
    bool given = slot >= 0 ? static_cast<size_t>(slot) < call.args.size() && call.args[slot] != nullptr
                           : find_attr(call.attrs, param.name) != nullptr;
    if (!given) return &param;
  }
  return nullptr;
}

}  // namespace tilewire::ir
