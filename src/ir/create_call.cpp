// How a call comes to be: arguments are bound to parameters, converted, checked, and the op's rule is run.
//
// Reading a program passes here once per operation, so the path of a correct call looks at no names but
// those of keywords and allocates only what the call itself holds.
#include <algorithm>
#include <array>
#include <cmath>

#include "ir/argument_help.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/written.h"
#include "support/diagnostics/ops.h"
#include "support/near.h"

namespace tilewire::ir {
namespace {

constexpr size_t max_params = 24;

using Places = std::array<const Span*, max_params>;

// What a value is, for "got ...".
std::string what_is(const TypeRef& type) {
  if (auto dtype = scalar_dtype(type)) {
    if (*dtype == DType::Bool) return "a bool";
    return is_float(*dtype) ? "a float scalar" : "an integer scalar";
  }
  if (isa<TileType>(type)) return "a tile";
  if (isa<DistributedTensorType>(type)) return "a window";
  if (isa<TensorType>(type)) return "a tensor";
  if (isa<ArrayType>(type)) return "an array";
  if (isa<TupleType>(type)) return as<TupleType>(type)->types.empty() ? "no value" : "a tuple";
  if (isa<PtrType>(type)) return "a pointer";
  if (isa<TaskIdType>(type)) return "a task id";
  if (isa<CommCtxType>(type)) return "a communication context";
  return "a window buffer";
}

std::string what_is(const AttrValue& value) {
  static constexpr const char* names[] = {"a bool",  "an int",  "a float", "a string",
                                          "a dtype", "an enum", "a list"};
  return names[value.value.index()];
}

std::string what_is(const OpArgument& argument) {
  if (const auto* expr = std::get_if<ExprRef>(&argument.value)) return what_is((*expr)->type);
  if (const auto* value = std::get_if<AttrValue>(&argument.value)) return what_is(*value);
  return std::holds_alternative<std::monostate>(argument.value) ? "None" : "a list";
}

std::string what_is(AttrKind kind, EnumId id) {
  switch (kind) {
    case AttrKind::Bool:
      return "True or False";
    case AttrKind::Int:
      return "an int";
    case AttrKind::Float:
      return "a float";
    case AttrKind::String:
      return "a string";
    case AttrKind::DType:
      return "a dtype such as pl.FP32";
    case AttrKind::Enum:
      break;
  }
  return "a `" + std::string(info(id).module) + "." + std::string(info(id).name) + "`";
}

// "write "eq", "ge" or pld.WaitCmp.Eq, ...": the values of an enumeration as a program may write them.
std::string allowed_values(EnumId id) {
  std::string out;
  for (size_t i = 0; i < info(id).members.size(); ++i) {
    const EnumMember& member = info(id).members[i];
    if (i) out += ", ";
    out += member.text.empty() ? to_string(EnumValue{id, static_cast<uint8_t>(i)}) : quote(member.text);
  }
  return out;
}

// The text that was meant by a sign (`>=`) or a slip.
std::optional<std::string> meant_member(EnumId id, const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"==", "eq"}, {"!=", "ne"}, {">=", "ge"}, {">", "gt"}, {"<=", "le"}, {"<", "lt"}};
  for (const auto& [sign, name] : signs) {
    if (sign == text && enum_from_text(id, name)) return std::string(name);
  }
  std::vector<std::string> texts;
  for (const EnumMember& member : info(id).members) {
    if (!member.text.empty()) texts.emplace_back(member.text);
  }
  return nearest(text, texts);
}

bool is_literal(const ExprRef& expr) {
  if (const auto* i = as<ConstInt>(expr)) return i->dtype == DType::Index;
  const auto* f = as<ConstFloat>(expr);
  return f && f->dtype == DType::FP32;
}

std::optional<DType> element_dtype(const ExprRef& expr) {
  if (!expr) return std::nullopt;
  switch (expr->type->kind()) {
    case kind_of<ScalarType>:
      return static_cast<const ScalarType*>(expr->type.get())->dtype;
    case kind_of<TileType>:
      return static_cast<const TileType*>(expr->type.get())->dtype;
    case kind_of<TensorType>:
    case kind_of<DistributedTensorType>:
      return static_cast<const TensorType*>(expr->type.get())->dtype;
    case kind_of<ArrayType>:
      return static_cast<const ArrayType*>(expr->type.get())->dtype;
    default:
      return std::nullopt;
  }
}

// An integer, as an entry of a list of offsets may be.
bool is_index(const OpArgument& argument) {
  if (const auto* value = std::get_if<AttrValue>(&argument.value)) return value->get<int64_t>();
  const auto* expr = std::get_if<ExprRef>(&argument.value);
  auto dtype = expr ? scalar_dtype((*expr)->type) : std::nullopt;
  return dtype && is_integer(*dtype);
}

// What keywords of other systems are called here.
constexpr std::pair<std::string_view, std::string_view> keywords_elsewhere[] = {
    {"dim", "axis"},          {"dims", "axis"},       {"mask", "valid_shape"},    {"size", "shape"},
    {"dtype", "target_type"}, {"dtype", "out_dtype"}, {"rank", "peer"},           {"pe", "peer"},
    {"dest", "peer"},         {"sem", "signal"},      {"transpose_a", "a_trans"}, {"transpose_b", "b_trans"}};

class CallMaker {
 public:
  CallMaker(const Op& op, const Span& span, Diagnostics& diags) : op_(op), span_(span), diags_(diags) {
    args_.resize(op.operand_count);
  }

  void bind(std::vector<OpArgument>& positional, std::vector<OpKeyword>& keywords);
  void take(ExprList args, AttrList attrs);
  Ref<const Call> finish(TypeRef annotated);

 private:
  Diagnostic& fail(Diag id, const Span& at, std::vector<std::string> arguments) {
    failed_ = true;
    return diags_.report(id, at ? at : span_, std::move(arguments));
  }
  bool takes_unlisted(std::vector<OpArgument>& positional);
  const OpArgument* superfluous(std::span<const OpArgument> positional, size_t limit) const;
  bool misplaced(std::span<const OpArgument> positional, std::span<const OpKeyword> keywords, size_t limit);
  std::string list_help_of(const OpParam& param, const OpArgument& argument);
  TypeRef type_given(int param) const;
  void bind_keyword(OpKeyword& keyword, std::array<OpArgument*, max_params>& bound);
  void unknown_keyword(const OpKeyword& keyword);
  void missing(const OpParam& param);
  ExprRef to_operand(const OpParam& param, OpArgument& argument);
  static ExprRef to_expr(const AttrValue& value, const Span& at);
  ExprRef to_list(const OpParam& param, OpArgument& argument);
  ExprRef spread(const ExprRef& tuple, const Span& at);
  void add_attribute(const OpParam& param, OpArgument& argument);
  void add_attribute(const OpParam& param, AttrValue value, const Span& at);
  bool convert_enum(const OpParam& param, AttrValue& value, const Span& at);
  void check_operand(const OpParam& param, ExprRef& arg, const Span& at);
  void wrong_class(const OpParam& param, const ExprRef& arg, const Span& at, const std::string& text);
  void wrong_argument(const OpParam& param, const OpArgument& argument);
  bool is_signal(const OpParam& param) const;
  std::optional<DType> literal_target(const OpParam& param, const ExprRef& arg) const;
  void convert_literal(const OpParam& param, ExprRef& arg, const Span& at);
  const Span& place(size_t param) const { return places_[param] ? *places_[param] : span_; }

  const Op& op_;
  const Span& span_;
  Diagnostics& diags_;
  ExprList args_;
  AttrList attrs_;
  Places places_{};
  std::vector<const OpArgument*> unlisted_;  // elements of a list that were given one by one
  std::vector<const OpArgument*> listed_;    // those that the help of an error has put into a list
  std::array<OpArgument*, max_params> bound_{};
  std::span<const OpArgument> positional_;
  size_t unknown_keywords_ = 0;
  bool failed_ = false;
};

// `pl.concat(a, b)`, meant to be `pl.concat([a, b])`: one error for all of them.
bool CallMaker::takes_unlisted(std::vector<OpArgument>& positional) {
  if (op_.params.empty() || op_.params[0].kind != OpParam::ListOperand) return false;
  for (const OpArgument& argument : positional) {
    const auto* expr = std::get_if<ExprRef>(&argument.value);
    if (!expr || as<TupleType>((*expr)->type)) break;
    unlisted_.push_back(&argument);
  }
  if (unlisted_.size() > 1) wrong_argument(op_.params[0], positional[0]);
  return unlisted_.size() > 1;
}

void CallMaker::bind(std::vector<OpArgument>& positional, std::vector<OpKeyword>& keywords) {
  if (takes_unlisted(positional)) return;
  positional_ = positional;
  std::array<OpArgument*, max_params>& bound = bound_;
  size_t limit = 0;  // parameters that may be given by position
  while (limit < op_.params.size() && !op_.params[limit].keyword_only) ++limit;
  size_t next = 0;
  for (OpArgument& argument : positional) {
    // `alloc_window_buffer(nbytes)` and `(shape, dtype)`: a list passes over an optional single operand.
    if (next + 1 < limit && op_.params[next].kind == OpParam::Operand && op_.params[next].optional &&
        op_.params[next + 1].kind == OpParam::ListOperand &&
        std::holds_alternative<std::vector<OpArgument>>(argument.value)) {
      ++next;
    }
    if (next == limit) {
      if (const OpArgument* extra = superfluous(positional, limit)) {
        fail(diag::op_too_many_arguments, extra->span,
             {op_.qualified(), std::to_string(limit), std::to_string(positional.size())})
            .with_help("remove `" + written(*extra) + "`");
        return;
      }
      if (next < op_.params.size()) {
        const std::string& name = op_.params[next].name;
        fail(diag::op_keyword_only, argument.span, {op_.qualified(), name})
            .with_help("write `" + name + "=` before it");
      } else {
        fail(diag::op_too_many_arguments, argument.span,
             {op_.qualified(), std::to_string(limit), std::to_string(positional.size())});
      }
      break;
    }
    bound[next++] = &argument;
  }
  for (OpKeyword& keyword : keywords) bind_keyword(keyword, bound);
  if (!failed_ && misplaced(positional, keywords, limit)) return;
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const OpParam& param = op_.params[i];
    if (!bound[i] || std::holds_alternative<std::monostate>(bound[i]->value)) {
      // A keyword that is not known may be meant for it.
      if (!param.optional && unknown_keywords_ == 0) missing(param);
      continue;
    }
    if (std::find(listed_.begin(), listed_.end(), bound[i]) != listed_.end()) continue;
    if (bound[i]->span) places_[i] = &bound[i]->span;
    if (param.kind == OpParam::Attribute) {
      add_attribute(param, *bound[i]);
      continue;
    }
    size_t slot = op_.operand_slots[i];
    args_[slot] = param.kind == OpParam::Operand ? to_operand(param, *bound[i]) : to_list(param, *bound[i]);
  }
}

// One positional argument more than there are parameters by position: the one without which the others fit,
// unless the last is meant for a parameter that must be passed by keyword. Null: none.
const OpArgument* CallMaker::superfluous(std::span<const OpArgument> positional, size_t limit) const {
  if (positional.size() != limit + 1) return nullptr;
  if (limit < op_.params.size() && fits(op_.params[limit], positional.back())) return nullptr;
  for (size_t left_out = positional.size(); left_out-- > 0;) {
    bool good = true;
    for (size_t i = 0; good && i < limit; ++i)
      good = fits(op_.params[i], positional[i < left_out ? i : i + 1]);
    if (good) return &positional[left_out];
  }
  return nullptr;
}

// Arguments that fit the parameters, but not those at their places: one error for all of them.
bool CallMaker::misplaced(std::span<const OpArgument> positional, std::span<const OpKeyword> keywords,
                          size_t limit) {
  const OpArgument* misfit = nullptr;
  std::vector<bool> free(limit);
  for (size_t i = 0; i < limit; ++i) {
    const bool in_order = bound_[i] && !positional.empty() && bound_[i] >= &positional.front() &&
                          bound_[i] <= &positional.back();
    free[i] = !bound_[i] || in_order;
    if (in_order && !misfit && !fits(op_.params[i], *bound_[i])) misfit = bound_[i];
  }
  if (!misfit) return false;
  auto intent = intent_of(op_, positional, free);
  if (!intent) return false;
  auto is_given = [&](size_t i) {
    return !free[i] || std::find(intent->params.begin(), intent->params.end(), static_cast<int>(i)) !=
                           intent->params.end();
  };
  if (!intent->in_order) {
    Diagnostic& d = fail(diag::op_argument_order, misfit->span, {op_.qualified()});
    if (const auto* expr = std::get_if<ExprRef>(&misfit->value)) {
      d.with_label("`" + written(*misfit) + "` is " + to_string((*expr)->type));
    }
    d.with_help("write " + rewritten(op_, span_, positional, keywords, intent->params));
    return true;
  }
  for (size_t i = 0; i < limit; ++i) {
    if (!op_.params[i].optional && !is_given(i)) missing(op_.params[i]);
  }
  if (failed_) return true;
  // Only optional ones are left out, and an argument after them needs its name.
  const std::string& name = op_.params[intent->params[misfit - positional.data()]].name;
  fail(diag::op_keyword_only, misfit->span, {op_.qualified(), name})
      .with_help("write `" + name + "=` before it");
  return true;
}

// Of an operand that may not have been converted yet.
TypeRef CallMaker::type_given(int param) const {
  if (param < 0) return nullptr;
  if (const ExprRef& arg = args_[op_.operand_slots[param]]) return arg->type;
  const auto* expr = bound_[param] ? std::get_if<ExprRef>(&bound_[param]->value) : nullptr;
  return expr && *expr ? (*expr)->type : nullptr;
}

// What to write for an argument that is not a list.
std::string CallMaker::list_help_of(const OpParam& param, const OpArgument& argument) {
  OpParam entry = param;
  entry.kind = OpParam::Operand;
  const bool is_entry = fits(entry, argument);
  std::vector<std::string> entries;
  for (const OpArgument* item : unlisted_) entries.push_back(written(*item));
  if (entries.empty() && is_entry) entries.push_back(written(argument));
  if (entries.empty()) return "pass a list; each entry is " + describe(param.accepts);
  const int index = static_cast<int>(&param - op_.params.data());
  const ListSubject subject = subject_of(op_, index);
  const TypeRef type = type_given(subject.param);
  const auto* tensor = type ? as<TensorType>(type) : nullptr;
  if (!tensor) return list_help(entries, {-1, true}, entries.size(), "");
  const size_t rank = tensor->shape.size();
  // `pl.load(x, i, 0)`: the entries one by one, if enough arguments remain for the parameters after the list.
  const bool in_order =
      !positional_.empty() && &argument >= &positional_.front() && &argument <= &positional_.back();
  if (in_order && rank > 1) {
    const size_t first = &argument - positional_.data();
    size_t required = 0;
    for (size_t i = index + 1; i < op_.params.size(); ++i) {
      const bool named = bound_[i] && (bound_[i] < &positional_.front() || bound_[i] > &positional_.back());
      required += !op_.params[i].optional && !named;
    }
    size_t last = first;
    while (last < positional_.size() && last < first + rank && is_index(positional_[last])) ++last;
    if (last == first + rank && positional_.size() - last >= required) {
      entries.clear();
      for (size_t i = first; i < last; ++i) {
        entries.push_back(written(positional_[i]));
        listed_.push_back(&positional_[i]);
      }
    }
  }
  return list_help(entries, subject, rank, to_string(type));
}

void CallMaker::bind_keyword(OpKeyword& keyword, std::array<OpArgument*, max_params>& bound) {
  int index = op_.param_index(keyword.name);
  if (index < 0) return unknown_keyword(keyword);
  if (bound[index]) {
    fail(diag::op_duplicate_argument, keyword.name_span, {op_.qualified(), std::string(keyword.name)})
        .with_help("leave one of them out");
    return;
  }
  bound[index] = &keyword.argument;
}

void CallMaker::unknown_keyword(const OpKeyword& keyword) {
  if (op_.plain_assignment_only && keyword.name == "name") {
    fail(diag::window_buffer_named, keyword.name_span, {op_.qualified()})
        .with_help("leave `name=` out: in `data_buf = " + op_.qualified() +
                   "(...)` the buffer is called `data_buf`");
    return;
  }
  ++unknown_keywords_;
  std::string all;
  std::vector<std::string> names;
  for (const OpParam& param : op_.params) {
    names.push_back(param.name);
    all += (all.empty() ? "`" : ", `") + param.name + "`";
  }
  Diagnostic& d =
      fail(diag::op_unknown_keyword, keyword.name_span, {op_.qualified(), std::string(keyword.name)});
  auto elsewhere = std::find_if(
      std::begin(keywords_elsewhere), std::end(keywords_elsewhere),
      [&](auto& pair) { return pair.first == keyword.name && op_.param_index(pair.second) >= 0; });
  if (keyword.name == "keepdims" || keyword.name == "keepdim") {
    d.with_help("remove it: reductions always keep the dimension");
  } else if (elsewhere != std::end(keywords_elsewhere)) {
    d.with_help("write `" + std::string(elsewhere->second) + "=`");
  } else if (auto near = nearest(keyword.name, names)) {
    d.with_help("did you mean `" + *near + "`?");
  } else {
    d.with_help(all.empty() ? "it takes no arguments" : "it takes " + all);
  }
}

void CallMaker::missing(const OpParam& param) {
  std::string doc = param.doc.substr(0, param.doc.find(". "));
  while (!doc.empty() && doc.back() == '.') doc.pop_back();
  // Messages start in lower case; a word in capitals (an abbreviation, a dtype) stays as it is.
  bool word = doc.size() > 1 && doc[1] >= 'a' && doc[1] <= 'z';
  if (word && doc[0] >= 'A' && doc[0] <= 'Z') doc[0] = static_cast<char>(doc[0] - 'A' + 'a');
  if (doc.starts_with("A ")) doc[0] = 'a';
  fail(diag::op_missing_argument, span_, {op_.qualified(), param.name})
      .with_note("`" + param.name + "`: " + doc);
}

void CallMaker::wrong_argument(const OpParam& param, const OpArgument& argument) {
  if (param.kind == OpParam::ListOperand) {
    Diagnostic& d =
        fail(diag::op_list_expected, argument.span, {op_.qualified(), param.name, what_is(argument)});
    d.with_help(list_help_of(param, argument));
    return;
  }
  if (std::holds_alternative<std::vector<OpArgument>>(argument.value)) {
    fail(diag::op_list_unexpected, argument.span, {op_.qualified(), param.name})
        .with_help("pass " + describe(param.accepts));
    return;
  }
  fail(diag::op_operand_class, argument.span,
       {op_.qualified(), describe(param.accepts), param.name, what_is(argument)});
}

ExprRef CallMaker::to_operand(const OpParam& param, OpArgument& argument) {
  if (auto* expr = std::get_if<ExprRef>(&argument.value)) return std::move(*expr);
  if (auto* value = std::get_if<AttrValue>(&argument.value)) {
    if (ExprRef expr = to_expr(*value, argument.span)) return expr;
  }
  wrong_argument(param, argument);
  return nullptr;
}

// A Python number as an expression; null if the value is not a number.
ExprRef CallMaker::to_expr(const AttrValue& value, const Span& at) {
  if (const auto* i = value.get<int64_t>()) return make<ConstInt>(at, *i);
  if (const auto* f = value.get<double>()) return make<ConstFloat>(at, *f);
  if (const auto* b = value.get<bool>()) return make<ConstBool>(at, *b);
  return nullptr;
}

ExprRef CallMaker::to_list(const OpParam& param, OpArgument& argument) {
  ExprList elements;
  if (auto* expr = std::get_if<ExprRef>(&argument.value)) {
    if (isa<MakeTuple>(*expr)) return std::move(*expr);
    const auto* type = as<TupleType>((*expr)->type);
    if (type && !type->types.empty()) return spread(*expr, argument.span);
  } else if (auto* list = std::get_if<std::vector<OpArgument>>(&argument.value)) {
    elements.reserve(list->size());
    bool ok = true;
    for (OpArgument& item : *list) {
      if (auto* value = std::get_if<ExprRef>(&item.value)) {
        elements.push_back(std::move(*value));
        continue;
      }
      auto* constant = std::get_if<AttrValue>(&item.value);
      elements.push_back(constant ? to_expr(*constant, item.span) : nullptr);
      if (elements.back()) continue;
      ok = false;
      fail(diag::op_operand_class, item.span,
           {op_.qualified(), describe(param.accepts), param.name, what_is(item)});
    }
    return ok ? make<MakeTuple>(argument.span, std::move(elements)) : nullptr;
  } else if (auto* value = std::get_if<AttrValue>(&argument.value)) {
    if (auto* values = std::get_if<AttrValueList>(&value->value)) {
      for (AttrValue& item : *values) {
        elements.push_back(to_expr(item, argument.span));
        if (elements.back()) continue;
        fail(diag::op_operand_class, argument.span,
             {op_.qualified(), describe(param.accepts), param.name, what_is(item)});
        return nullptr;
      }
      return make<MakeTuple>(argument.span, std::move(elements));
    }
  }
  wrong_argument(param, argument);
  return nullptr;
}

// The elements of a tuple that is not written out, so that a list operand is always a MakeTuple.
ExprRef CallMaker::spread(const ExprRef& tuple, const Span& at) {
  ExprList elements;
  size_t count = as<TupleType>(tuple->type)->types.size();
  for (size_t i = 0; i < count; ++i) {
    elements.push_back(make<TupleGet>(at, tuple, static_cast<int64_t>(i)));
  }
  return make<MakeTuple>(at, std::move(elements));
}

void CallMaker::add_attribute(const OpParam& param, OpArgument& argument) {
  if (auto* value = std::get_if<AttrValue>(&argument.value)) {
    return add_attribute(param, std::move(*value), argument.span);
  }
  if (const auto* expr = std::get_if<ExprRef>(&argument.value)) {
    if (const auto* i = as<ConstInt>(*expr)) return add_attribute(param, {i->value}, argument.span);
    if (const auto* f = as<ConstFloat>(*expr)) return add_attribute(param, {f->value}, argument.span);
    if (const auto* b = as<ConstBool>(*expr)) return add_attribute(param, {b->value}, argument.span);
    fail(diag::op_attribute_not_constant, argument.span, {op_.qualified(), param.name})
        .with_label("`" + written(argument) + "` is " + to_string((*expr)->type));
    return;
  }
  fail(diag::op_attribute_kind, argument.span,
       {op_.qualified(), what_is(param.attr_kind, param.enum_id), param.name, what_is(argument)});
}

// Strings stand for members of an enumeration; split modes are also written 0, 1, 2.
bool CallMaker::convert_enum(const OpParam& param, AttrValue& value, const Span& at) {
  const std::string enum_name =
      std::string(info(param.enum_id).module) + "." + std::string(info(param.enum_id).name);
  if (const auto* text = value.get<std::string>()) {
    if (auto member = enum_from_text(param.enum_id, *text)) {
      value = {*member};
      return true;
    }
    Diagnostic& d = fail(diag::op_unknown_enum_text, at, {quote(*text), param.name, op_.qualified()});
    if (auto meant = meant_member(param.enum_id, *text)) {
      d.with_help("write " + quote(*meant));
    } else {
      d.with_help("write one of " + allowed_values(param.enum_id));
    }
    return false;
  }
  if (const auto* number = value.get<int64_t>(); number && param.enum_id == EnumId::SplitMode) {
    if (*number >= 0 && *number < static_cast<int64_t>(info(param.enum_id).members.size())) {
      value = {EnumValue{param.enum_id, static_cast<uint8_t>(*number)}};
      return true;
    }
    fail(diag::op_unknown_enum_text, at, {std::to_string(*number), param.name, op_.qualified()})
        .with_help("write 0 (none), 1 (up-down), 2 (left-right) or a pl.SplitMode");
    return false;
  }
  if (const auto* member = value.get<EnumValue>()) {
    if (member->id == param.enum_id && member->value < info(param.enum_id).members.size()) return true;
    bool known = member->value < info(member->id).members.size();
    fail(diag::op_wrong_enum, at,
         {op_.qualified(), "a `" + enum_name + "`", param.name, known ? to_string(*member) : "?"})
        .with_help("write one of " + allowed_values(param.enum_id));
    return false;
  }
  fail(diag::op_attribute_kind, at,
       {op_.qualified(), what_is(param.attr_kind, param.enum_id), param.name, what_is(value)})
      .with_help("write one of " + allowed_values(param.enum_id));
  return false;
}

void CallMaker::add_attribute(const OpParam& param, AttrValue value, const Span& at) {
  if (param.attr_kind == AttrKind::Enum) {
    if (!convert_enum(param, value, at)) return;
  } else {
    if (const auto* i = value.get<int64_t>(); i && param.attr_kind == AttrKind::Float) {
      value = {static_cast<double>(*i)};
    }
    // AttrKind lists its kinds in the order of the alternatives of AttrValue.
    if (value.value.index() != static_cast<size_t>(param.attr_kind)) {
      fail(diag::op_attribute_kind, at,
           {op_.qualified(), what_is(param.attr_kind, param.enum_id), param.name, what_is(value)});
      return;
    }
  }
  if (param.default_value && *param.default_value == value) return;
  attrs_.emplace_back(param.name, std::move(value));
}

void CallMaker::take(ExprList args, AttrList attrs) {
  // Optional operands at the end may be left out.
  bool complete = true;
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const OpParam& param = op_.params[i];
    const bool given =
        param.kind == OpParam::Attribute || op_.operand_slots[i] < static_cast<int>(args.size());
    complete = complete && (given || param.optional);
  }
  if (complete && args.size() < op_.operand_count) args.resize(op_.operand_count);
  if (args.size() != op_.operand_count) {
    fail(diag::op_malformed_call, span_,
         {op_.qualified(), std::to_string(op_.operand_count), std::to_string(args.size())});
    return;
  }
  args_ = std::move(args);
  if (!attrs.empty()) {
    for (const auto& [name, value] : attrs) {
      int index = op_.param_index(name);
      if (index < 0 || op_.params[index].kind != OpParam::Attribute) {
        fail(diag::op_unknown_keyword, span_, {op_.qualified(), name});
      }
    }
  }
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const OpParam& param = op_.params[i];
    if (param.kind != OpParam::Attribute) {
      ExprRef& arg = args_[op_.operand_slots[i]];
      if (!arg && !param.optional) missing(param);
      if (arg && param.kind == OpParam::ListOperand && !isa<MakeTuple>(arg)) {
        const auto* type = as<TupleType>(arg->type);
        if (type && !type->types.empty()) {
          arg = spread(arg, span_);
        } else {
          wrong_argument(param, {arg, span_});
        }
      }
      continue;
    }
    bool given = false;
    for (auto& [name, value] : attrs) {
      if (name != param.name) continue;
      if (given) fail(diag::op_duplicate_argument, span_, {op_.qualified(), name});
      if (!given) add_attribute(param, std::move(value), span_);
      given = true;
    }
    if (!given && !param.optional) missing(param);
  }
}

bool contains(const Span& outer, const Span& inner) {
  using Place = std::pair<uint32_t, uint32_t>;
  return outer && inner && outer.file == inner.file &&
         Place(outer.line, outer.column) <= Place(inner.line, inner.column) &&
         Place(inner.end_line, inner.end_column) <= Place(outer.end_line, outer.end_column);
}

// `text`: how the argument is written.
void CallMaker::wrong_class(const OpParam& param, const ExprRef& arg, const Span& at,
                            const std::string& text) {
  std::string label = "`" + text + "` is " + to_string(arg->type);
  auto dtype = scalar_dtype(arg->type);
  bool wants_int = (param.accepts & AcceptInt) && !(param.accepts & AcceptScalar);
  const auto* tensor = as<TensorType>(arg->type);
  if (dtype && wants_int && *dtype == DType::Bool) {
    fail(diag::op_bool_for_int, at, {op_.qualified(), param.name})
        .with_label(label)
        .with_help("write 1 or 0, or pl.cast(x, pl.INT32)");
  } else if (dtype && wants_int) {
    fail(diag::op_not_an_integer, at, {op_.qualified(), param.name, what_is(arg->type)})
        .with_label(label)
        .with_help(isa<ConstFloat>(arg) ? "write an integer" : "convert it: pl.cast(" + text + ", pl.INT32)");
  } else if (tensor && (param.accepts & AcceptWindow)) {
    Diagnostic& d = fail(diag::needs_window, at, {op_.qualified()}).with_label(label);
    const std::string type = to_string(arg->type);
    const std::string contents = type.substr(type.find('['));  // "[[1, 256], pl.FP32]"
    const bool named = isa<Var>(arg) && text.find_first_of(" .([") == std::string::npos;
    if (named) {
      d.with_help("declare the parameter as a window: " + text + ": pl.InOut[pld.DistributedTensor" +
                  contents + "]");
    }
    if (is_signal(param)) {
      d.with_help("allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`");
    } else {
      std::string shape;
      for (const ExprRef& dim : tensor->shape) shape += (shape.empty() ? "" : ", ") + to_string(dim);
      d.with_help("allocate the window on the host: " + (named ? text : std::string("w")) +
                  " = pld.alloc_window([" + shape + "], dtype=pl." + std::string(info(tensor->dtype).name) +
                  ")");
    }
  } else {
    Diagnostic& d = fail(diag::op_operand_class, at,
                         {op_.qualified(), describe(param.accepts), param.name, what_is(arg->type)})
                        .with_label(label);
    if (tensor && (param.accepts & AcceptTile)) {
      d.with_help("load the tensor first: pl.load(" + text + ", offsets, shape)");
    } else if (isa<TileType>(arg->type) && (param.accepts & (AcceptTensor | AcceptWindow))) {
      const bool remote = op_.param_index("peer") >= 0;
      d.with_help(remote
                      ? "write pld.tile.remote_store(tile, window, peer, offsets) to store a tile at a peer"
                      : "pass a tensor; pl.store(tile, offsets, tensor) writes a tile to one");
    }
  }
}

// Whether the op signals through the operand or waits on it.
bool CallMaker::is_signal(const OpParam& param) const {
  return std::any_of(op_.effects.begin(), op_.effects.end(), [&](const Effect& effect) {
    bool signals = effect.access == Access::Signal || effect.access == Access::Wait;
    return signals && &op_.params[effect.param] == &param;
  });
}

void CallMaker::check_operand(const OpParam& param, ExprRef& arg, const Span& at) {
  if (param.kind == OpParam::Operand) {
    if (accepts(param.accepts, arg->type)) return;
    return wrong_class(param, arg, at, written(&at, arg));
  }
  const auto* list = as<MakeTuple>(arg);
  if (!list) return;  // already reported
  for (const ExprRef& element : list->elements) {
    if (accepts(param.accepts, element->type)) continue;
    // A variable's own span is where it was defined, which is here only for temporaries; other expressions
    // know where they stand.
    bool placed = element->span && (!isa<Var>(element) || contains(at, element->span));
    wrong_class(param, element, placed ? element->span : at,
                placed ? written(&element->span, element) : to_string(element));
  }
}

// The dtype a constant given for `param` takes; none where it keeps its own.
std::optional<DType> CallMaker::literal_target(const OpParam& param, const ExprRef& arg) const {
  if (param.literal) return param.literal;
  if (param.like < 0) return std::nullopt;
  const OpParam& other = op_.params[param.like];
  if (other.kind == OpParam::Attribute) {
    const AttrValue* value = find_attr(attrs_, other.name);
    if (!value && other.default_value) value = &*other.default_value;
    const DType* dtype = value ? value->get<DType>() : nullptr;
    return dtype ? std::optional(*dtype) : std::nullopt;
  }
  const ExprRef& operand = args_[op_.operand_slots[param.like]];
  std::optional<DType> dtype = element_dtype(operand);
  // Of two literals an integer follows a float, as in Python; otherwise both stay as they are.
  if (dtype && is_literal(operand) && !(is_float(*dtype) && isa<ConstInt>(arg))) return std::nullopt;
  return dtype;
}

void CallMaker::convert_literal(const OpParam& param, ExprRef& arg, const Span& at) {
  if (!is_literal(arg)) return;
  std::optional<DType> target = literal_target(param, arg);
  if (!target || *target == DType::Bool || *target == DType::TaskId) return;
  std::string dtype_name = "pl." + std::string(info(*target).name);
  if (const auto* i = as<ConstInt>(arg)) {
    if (*target == DType::Index) return;
    if (is_integer(*target)) {
      if (fits(i->value, *target)) {
        arg = make<ConstInt>(arg->span, i->value, *target);
      } else {
        fail(diag::constant_out_of_range, at, {std::to_string(i->value), dtype_name});
      }
      return;
    }
    if (!std::isfinite(round_to(static_cast<double>(i->value), *target))) {
      fail(diag::constant_out_of_range, at, {std::to_string(i->value), dtype_name});
      return;
    }
    arg = make<ConstFloat>(arg->span, static_cast<double>(i->value), *target);
    return;
  }
  double value = as<ConstFloat>(arg)->value;
  if (*target == DType::FP32) return;
  if (is_integer(*target)) {
    fail(diag::constant_not_integer, at, {float_text(value), op_.qualified(), dtype_name})
        .with_help("write an integer, or pl.cast the other operand to pl.FP32");
  } else if (std::isfinite(value) && !std::isfinite(round_to(value, *target))) {
    fail(diag::constant_out_of_range, at, {float_text(value), dtype_name});
  } else {
    arg = make<ConstFloat>(arg->span, value, *target);
  }
}

Ref<const Call> CallMaker::finish(TypeRef annotated) {
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const OpParam& param = op_.params[i];
    if (param.kind == OpParam::Attribute) continue;
    size_t slot = op_.operand_slots[i];
    if (args_[slot]) check_operand(param, args_[slot], place(i));
  }
  if (failed_) return nullptr;
  for (size_t i = 0; i < op_.params.size(); ++i) {
    const OpParam& param = op_.params[i];
    if (param.kind != OpParam::Operand || (param.like < 0 && !param.literal)) continue;
    size_t slot = op_.operand_slots[i];
    if (args_[slot]) convert_literal(param, args_[slot], place(i));
  }
  if (failed_) return nullptr;
  OpCheck check(op_, args_, attrs_, span_, diags_, std::move(annotated), places_.data());
  TypeRef type = op_.rule(check);
  TW_CHECK(type || check.failed(), "the type rule of " + op_.qualified() + " gave no type and no error");
  if (check.failed()) return nullptr;
  Ref<Call> call = make_empty<Call>();
  call->span = span_;
  call->op = &op_;
  call->args = std::move(args_);
  call->attrs = std::move(attrs_);
  call->type = std::move(type);
  return finish_node(std::move(call));
}

}  // namespace

Ref<const Call> create_call(const Op& op, std::vector<OpArgument> positional, std::vector<OpKeyword> keywords,
                            const Span& span, Diagnostics& diags, TypeRef annotated) {
  CallMaker maker(op, span, diags);
  maker.bind(positional, keywords);
  return maker.finish(std::move(annotated));
}

Ref<const Call> create_call(const Op& op, ExprList args, AttrList attrs, const Span& span, Diagnostics& diags,
                            TypeRef annotated) {
  CallMaker maker(op, span, diags);
  maker.take(std::move(args), std::move(attrs));
  return maker.finish(std::move(annotated));
}

}  // namespace tilewire::ir
