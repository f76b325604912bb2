#include "ir/printer_names.h"

#include <algorithm>

#include "ir/op.h"
#include "support/unicode.h"

namespace tilewire::ir {
namespace {

// Python's keywords, and the names with a meaning in printed text.
bool is_reserved(std::string_view name) {
  static constexpr std::string_view words[] = {
      "False",    "None", "True",   "and",    "as",   "assert", "async",    "await", "break", "class",
      "continue", "def",  "del",    "elif",   "else", "except", "finally",  "float", "for",   "from",
      "global",   "if",   "import", "in",     "is",   "lambda", "nonlocal", "not",   "or",    "pass",
      "pl",       "pld",  "raise",  "return", "self", "try",    "while",    "with",  "yield",
  };
  return std::binary_search(std::begin(words), std::end(words), name);
}

// `x` of `x_12`.
std::string_view without_suffix(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  bool has_suffix = end < name.size() && end > 1 && name[end - 1] == '_';
  return has_suffix ? name.substr(0, end - 1) : name;
}

void collect_window_bases(const BlockRef& block, std::vector<const Var*>& bases) {
  if (!block) return;
  for (const StmtRef& stmt : block->stmts) {
    if (const auto* assign = as<Assign>(stmt)) {
      const auto* call = as<Call>(assign->value);
      if (call && call->op->plain_assignment_only) bases.push_back(assign->var.get());
    } else if (const auto* branch = as<If>(stmt)) {
      collect_window_bases(branch->then_body, bases);
      collect_window_bases(branch->else_body, bases);
    } else if (const auto* loop = as<For>(stmt)) {
      collect_window_bases(loop->body, bases);
    } else if (const auto* loop = as<While>(stmt)) {
      collect_window_bases(loop->before, bases);
      collect_window_bases(loop->body, bases);
    }
  }
}

}  // namespace

std::vector<const Var*> window_bases(const Function& function) {
  std::vector<const Var*> bases;
  collect_window_bases(function.body, bases);
  return bases;
}

std::string identifier(std::string_view text) {
  if (text.empty()) return "v";
  std::string result;
  for (size_t i = 0; i < text.size();) {
    char32_t character;
    size_t length = decode_utf8(text.substr(i), character);
    if (length != 0 && may_be_in_name(character)) {
      result.append(text, i, length);
    } else {
      result += '_';
    }
    i += std::max<size_t>(length, 1);
  }
  if (result[0] >= '0' && result[0] <= '9') result.insert(result.begin(), '_');
  if (is_reserved(result)) result += '_';
  return result;
}

void PrintNames::fix_names_of(const Function& function) {
  for (const auto& param : function.params) fix(param->name);
  for (const Var* base : window_bases(function)) fix(base->name_hint);
}

void PrintNames::begin_function(const Function& function) {
  taken_.clear();
  names_.clear();
  next_suffix_.clear();
  clashed_ = false;
  for (const auto& param : function.params) take_exact(*param);
  for (const Var* base : window_bases(function)) take_exact(*base);
}

void PrintNames::take_exact(const Var& var) {
  auto [place, fresh] = taken_.insert(identifier(var.name_hint));
  names_[&var] = fresh ? &*place : unique(var.name_hint);
}

std::string_view PrintNames::name(const Var& var) {
  const auto* buffer = as<WindowBuffer>(&var);
  const Var& named = buffer ? *buffer->base : var;
  auto [entry, fresh] = names_.try_emplace(&named, nullptr);
  if (fresh) entry->second = unique(named.name_hint);
  return *entry->second;
}

const std::string* PrintNames::unique(std::string_view hint) {
  std::string wanted = identifier(hint);
  auto is_free = [&](const std::string& name) { return !dimension_names_.contains(name); };
  if (is_free(wanted)) {
    auto [place, fresh] = taken_.insert(wanted);
    if (fresh) return &*place;
  }
  std::string stem(without_suffix(wanted));
  int& next = next_suffix_[stem];
  while (true) {
    std::string candidate = stem + "_" + std::to_string(++next);
    if (!is_free(candidate)) continue;
    auto [place, fresh] = taken_.insert(std::move(candidate));
    if (fresh) return &*place;
  }
}

std::string_view PrintNames::name(const DimSymbol& symbol) {
  auto [entry, fresh] = dimension_index_.try_emplace(symbol.name, dimensions_.size());
  if (fresh) {
    std::string base = identifier(symbol.name), chosen = base;
    for (int i = 1; fixed_.contains(chosen) || dimension_names_.contains(chosen); ++i) {
      chosen = base + "_" + std::to_string(i);
    }
    clashed_ = clashed_ || taken_.contains(chosen);
    dimension_names_.insert(chosen);
    dimensions_.push_back({symbol.name, chosen});
  }
  return dimensions_[entry->second].name;
}

}  // namespace tilewire::ir
