#include "frontend/fold.h"

#include <cmath>
#include <limits>

#include "support/integers.h"

namespace tilewire::frontend {
namespace {

constexpr const char* too_large = "the result does not fit 64 bits";

// Python counts True as 1; the language does not (a bool where an int is needed is an error), so only real
// numbers fold.
std::optional<double> as_double(const Value& v) {
  if (const auto* i = v.get<int64_t>()) return static_cast<double>(*i);
  if (const auto* d = v.get<double>()) return *d;
  return std::nullopt;
}

template <class T>
Folded comparison(Operator op, const T& a, const T& b) {
  switch (op) {
    case Operator::Eq:
      return Value(a == b);
    case Operator::Ne:
      return Value(a != b);
    case Operator::Lt:
      return Value(a < b);
    case Operator::Le:
      return Value(a <= b);
    case Operator::Gt:
      return Value(a > b);
    case Operator::Ge:
      return Value(a >= b);
    default:
      return std::nullopt;
  }
}

Folded integers(Operator op, int64_t a, int64_t b) {
  auto fitting = [](Checked result) -> Folded {
    if (!result) return std::string(too_large);
    return Value(*result);
  };
  switch (op) {
    case Operator::Add:
      return fitting(checked_add(a, b));
    case Operator::Sub:
      return fitting(checked_sub(a, b));
    case Operator::Mul:
      return fitting(checked_mul(a, b));
    case Operator::Div:
      if (b == 0) return std::string("division by zero");
      return Value(static_cast<double>(a) / static_cast<double>(b));
    case Operator::FloorDiv:
    case Operator::Mod:
      if (b == 0) return std::string("integer division by zero");
      return fitting(op == Operator::Mod ? checked_floor_mod(a, b) : checked_floor_div(a, b));
    case Operator::Pow:
      if (b < 0) return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
      return fitting(checked_pow(a, b));
    case Operator::BitAnd:
      return Value(a & b);
    case Operator::BitOr:
      return Value(a | b);
    case Operator::BitXor:
      return Value(a ^ b);
    case Operator::Shl:
    case Operator::Shr:
      if (b < 0) return std::string("negative shift count");
      return fitting(op == Operator::Shl ? checked_shl(a, b) : checked_shr(a, b));
    default:
      return comparison(op, a, b);
  }
}

Folded floats(Operator op, double a, double b) {
  switch (op) {
    case Operator::Add:
      return Value(a + b);
    case Operator::Sub:
      return Value(a - b);
    case Operator::Mul:
      return Value(a * b);
    case Operator::Div:
      if (b == 0) return std::string("division by zero");
      return Value(a / b);
    case Operator::FloorDiv:
      if (b == 0) return std::string("division by zero");
      return Value(std::floor(a / b));
    case Operator::Mod:
      if (b == 0) return std::string("division by zero");
      return Value(a - b * std::floor(a / b));
    case Operator::Pow:
      return Value(std::pow(a, b));
    default:
      return comparison(op, a, b);
  }
}

Folded lists(Operator op, const Value& a, const Value& b) {
  const auto *x = a.get<ListValue>(), *y = b.get<ListValue>();
  if (op == Operator::Add && x && y && x->is_tuple == y->is_tuple) {
    std::vector<Value> items = *x->items;
    items.insert(items.end(), y->items->begin(), y->items->end());
    return make_list(std::move(items), x->is_tuple);
  }
  const auto* n = x ? b.get<int64_t>() : a.get<int64_t>();
  const ListValue* list = x ? x : y;
  if (op == Operator::Mul && list && n) {
    constexpr int64_t most = 1 << 20;  // a shape or table, not a way to fill memory
    if (*n > 0 && static_cast<int64_t>(list->items->size()) > most / *n)
      return std::string("the list is too long");
    std::vector<Value> items;
    for (int64_t i = 0; i < *n; ++i) items.insert(items.end(), list->items->begin(), list->items->end());
    return make_list(std::move(items), list->is_tuple);
  }
  return std::nullopt;
}

Folded strings(Operator op, const std::string& a, const std::string& b) {
  return op == Operator::Add ? Folded(Value(a + b)) : comparison(op, a, b);
}

Folded to_int(double value) {
  if (std::isnan(value) || std::fabs(value) >= 9.2e18) return std::string("the value does not fit an int");
  return Value(static_cast<int64_t>(value));
}

Folded extreme(Builtin builtin, const std::vector<Value>& args) {
  const ListValue* list = args.size() == 1 ? args[0].get<ListValue>() : nullptr;
  const std::vector<Value>& items = list ? *list->items : args;
  if (items.empty()) return std::string("an empty list has no minimum or maximum");
  const Value* best = nullptr;
  for (const Value& item : items) {
    if (!as_double(item)) return std::nullopt;
    if (!best) {
      best = &item;
      continue;
    }
    auto less = fold_binary(builtin == Builtin::Min ? Operator::Lt : Operator::Gt, item, *best);
    if (*std::get<Value>(*less).get<bool>()) best = &item;
  }
  return *best;
}

Folded float_from(const Value& v) {
  if (auto d = as_double(v)) return Value(*d);
  if (const auto* s = v.get<std::string>()) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    if (*s == "inf" || *s == "+inf" || *s == "infinity") return Value(inf);
    if (*s == "-inf" || *s == "-infinity") return Value(-inf);
    if (*s == "nan") return Value(std::numeric_limits<double>::quiet_NaN());
    char* end = nullptr;
    double d = std::strtod(s->c_str(), &end);
    if (!s->empty() && *end == 0) return Value(d);
    return "could not convert " + ir::quote(*s) + " to a float";
  }
  return std::nullopt;
}

}  // namespace

Folded fold_binary(Operator op, const Value& a, const Value& b) {
  if (op == Operator::Is || op == Operator::IsNot) {
    if (!is_known(a) && !b.is<NoneValue>()) return std::nullopt;
    bool same = known_equal(a, b) && a.v.index() == b.v.index();
    return Value(same == (op == Operator::Is));
  }
  if (op == Operator::In || op == Operator::NotIn) {
    const auto* list = b.get<ListValue>();
    if (!list || !is_known(a) || !is_known(b)) return std::nullopt;
    bool found = false;
    for (const Value& item : *list->items) found = found || known_equal(a, item);
    return Value(found == (op == Operator::In));
  }
  if (!is_known(a) || !is_known(b)) {
    if (a.is<ListValue>() || b.is<ListValue>()) return lists(op, a, b);
    return std::nullopt;
  }
  if (const auto* i = a.get<int64_t>(), *j = b.get<int64_t>(); i && j) return integers(op, *i, *j);
  if (auto x = as_double(a), y = as_double(b); x && y) return floats(op, *x, *y);
  if (op == Operator::Eq) return Value(known_equal(a, b));
  if (op == Operator::Ne) return Value(!known_equal(a, b));
  if (const auto* s = a.get<std::string>(), *t = b.get<std::string>(); s && t) return strings(op, *s, *t);
  return lists(op, a, b);
}

Folded fold_unary(Operator op, const Value& a) {
  if (op == Operator::Not) {
    if (auto t = truth(a)) return Value(!*t);
    return std::nullopt;
  }
  if (const auto* i = a.get<int64_t>()) {
    if (op == Operator::Neg) return integers(Operator::Sub, 0, *i);
    if (op == Operator::Pos) return Value(*i);
    if (op == Operator::Invert) return Value(~*i);
  }
  if (const auto* d = a.get<double>()) {
    if (op == Operator::Neg) return Value(-*d);
    if (op == Operator::Pos) return Value(*d);
  }
  return std::nullopt;
}

Folded fold_builtin(Builtin builtin, const std::vector<Value>& args) {
  if (builtin == Builtin::Min || builtin == Builtin::Max)
    return args.empty() ? std::nullopt : extreme(builtin, args);
  if (args.size() != 1) return std::nullopt;
  const Value& a = args[0];
  if (builtin == Builtin::Len) {
    if (const auto* list = a.get<ListValue>()) return Value(static_cast<int64_t>(list->items->size()));
    if (const auto* s = a.get<std::string>()) return Value(static_cast<int64_t>(s->size()));
    return std::nullopt;
  }
  if (builtin == Builtin::Sum) {
    const auto* list = a.get<ListValue>();
    if (!list) return std::nullopt;
    Folded total = Folded(Value(int64_t{0}));
    for (const Value& item : *list->items) {
      total = fold_binary(Operator::Add, std::get<Value>(*total), item);
      if (!total || std::holds_alternative<std::string>(*total)) return total;
    }
    return total;
  }
  if (builtin == Builtin::Float) return float_from(a);
  if (builtin == Builtin::Bool) {
    if (auto t = truth(a)) return Value(*t);
    return std::nullopt;
  }
  auto d = as_double(a);
  if (!d) return std::nullopt;
  const auto* i = a.get<int64_t>();
  switch (builtin) {
    case Builtin::Int:
      return i ? Folded(a) : to_int(*d);
    case Builtin::Abs:
      return i ? integers(*i < 0 ? Operator::Sub : Operator::Add, 0, *i) : Folded(Value(std::fabs(*d)));
    case Builtin::Round:
      return i ? Folded(a) : to_int(std::nearbyint(*d));
    case Builtin::Ceil:
      return i ? Folded(a) : to_int(std::ceil(*d));
    case Builtin::Floor:
      return i ? Folded(a) : to_int(std::floor(*d));
    case Builtin::Sqrt:
      if (*d < 0) return std::string("the square root of a negative number");
      return Value(std::sqrt(*d));
    case Builtin::Log:
    case Builtin::Log2:
      if (*d <= 0) return std::string("the logarithm of a number that is not positive");
      return Value(builtin == Builtin::Log ? std::log(*d) : std::log2(*d));
    case Builtin::Exp:
      return Value(std::exp(*d));
    default:
      return std::nullopt;
  }
}

std::optional<bool> truth(const Value& value) {
  if (const auto* b = value.get<bool>()) return *b;
  if (const auto* i = value.get<int64_t>()) return *i != 0;
  if (const auto* d = value.get<double>()) return *d != 0;
  if (const auto* s = value.get<std::string>()) return !s->empty();
  if (const auto* l = value.get<ListValue>()) return !l->items->empty();
  if (value.is<NoneValue>()) return false;
  if (value.is<ir::DType>() || value.is<ir::EnumValue>()) return true;
  return std::nullopt;
}

}  // namespace tilewire::frontend
