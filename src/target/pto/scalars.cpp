// Scalar arithmetic. Integers have no sign in the text, so the op says it; floats are computed in f32 and
// rounded.
#include <cmath>
#include <limits>

#include "ir/printer.h"
#include "numeric/numeric.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

int width(const std::string& type) {
  if (type == "index") return 64;
  const size_t digits = type.find_first_of("0123456789");
  return std::stoi(type.substr(digits));
}

bool is_float_type(const std::string& type) {
  return type == "f32" || type == "f16" || type == "bf16";
}

int64_t wrap(int64_t value, const std::string& type) {
  const int bits = width(type);
  if (bits >= 64) return value;
  if (bits == 1) return value & 1;
  const int shift = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

std::optional<int64_t> folded(std::string_view op, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  if (op == "addi") return static_cast<int64_t>(x + y);
  if (op == "subi") return static_cast<int64_t>(x - y);
  if (op == "muli") return static_cast<int64_t>(x * y);
  if (op == "andi") return a & b;
  if (op == "ori") return a | b;
  if (op == "xori") return a ^ b;
  if (op == "minsi") return std::min(a, b);
  if (op == "maxsi") return std::max(a, b);
  // The most negative number has no quotient with -1; a zero divisor stops the kernel.
  if (b == 0 || b == -1) return std::nullopt;
  const int64_t quotient = a / b, rest = a % b;
  if (op == "divsi") return quotient;
  if (op == "remsi") return rest;
  if (op == "floordivsi") return quotient - (rest != 0 && (rest < 0) != (b < 0));
  if (op == "ceildivsi") return quotient + (rest != 0 && (rest < 0) == (b < 0));
  return std::nullopt;
}

}  // namespace

const std::string* FunctionEmitter::known_name(const std::string& rhs) const {
  for (const auto& region : known_) {
    auto found = region.find(rhs);
    if (found != region.end()) return &found->second;
  }
  return nullptr;
}

std::string FunctionEmitter::pure(const std::string& rhs, std::string_view hint) {
  if (const std::string* known = known_name(rhs)) return *known;
  std::string name = text.fresh(hint);
  text.pure_line(name, rhs);
  known_.back()[rhs] = name;
  return name;
}

std::string FunctionEmitter::once(const std::string& rhs, std::string_view hint) {
  for (size_t at = rhs.find('%'); at != std::string::npos; at = rhs.find('%', at + 1)) {
    const size_t end = rhs.find_first_of(", ])", at);
    if (!text.is_known_everywhere(rhs.substr(at, end - at))) return pure(rhs, hint);
  }
  auto [found, is_new] = known_.front().try_emplace(rhs);
  if (is_new) {
    found->second = text.fresh(hint);
    text.declare(found->second, rhs);
  }
  return found->second;
}

// Nothing that the assembler would fold may be left: it takes a carry that was folded away for the carry
// itself.
Scalar FunctionEmitter::arith(std::string_view op, const Scalar& a, const Scalar& b) {
  if (a.integer && b.integer) {
    if (auto value = folded(op, *a.integer, *b.integer)) return number(wrap(*value, a.type), a.type);
  }
  const bool adds = op == "addi", subtracts = op == "subi";
  if (b.integer == 0 && (adds || subtracts || op == "ori" || op == "xori" || op == "shli" || op == "shrsi"))
    return a;
  if (a.integer == 0 && (adds || op == "ori" || op == "xori")) return b;
  if (a.type == "i1" && op == "ori" && (a.integer == 1 || b.integer == 1)) return number(1, "i1");
  if (a.type == "i1" && op == "andi" && a.integer == 1) return b;
  if (a.type == "i1" && op == "andi" && b.integer == 1) return a;
  if (b.integer == 1 &&
      (op == "muli" || op == "divsi" || op == "divui" || op == "floordivsi" || op == "ceildivsi")) {
    return a;
  }
  if (a.integer == 1 && op == "muli") return b;
  if ((a.integer == 0 || b.integer == 0) && (op == "muli" || op == "andi")) return number(0, a.type);
  const bool same = !a.constant() && a.name == b.name;
  if (same &&
      (op == "minsi" || op == "maxsi" || op == "minui" || op == "maxui" || op == "andi" || op == "ori"))
    return a;
  if (same && (subtracts || op == "xori")) return number(0, a.type);
  if ((adds || subtracts) && b.integer) {  // (x + 1) - 1
    auto inner = sums_.find(a.name);
    if (inner != sums_.end()) {
      const int64_t sum = adds ? inner->second.second + *b.integer : inner->second.second - *b.integer;
      return add(inner->second.first, number(wrap(sum, a.type), a.type));
    }
    std::string name = pure("arith." + std::string(op) + " " + a.name + ", " + text.name(b) + " : " + a.type);
    sums_[name] = {a, adds ? *b.integer : -*b.integer};
    return named(name, a.type);
  }
  return named(pure("arith." + std::string(op) + " " + text.name(a) + ", " + text.name(b) + " : " + a.type),
               a.type);
}

Scalar FunctionEmitter::compare(std::string_view predicate, const Scalar& a, const Scalar& b) {
  if (a.integer && b.integer) {
    const int64_t x = *a.integer, y = *b.integer;
    if (predicate == "eq") return number(x == y, "i1");
    if (predicate == "ne") return number(x != y, "i1");
    if (predicate == "slt") return number(x < y, "i1");
    if (predicate == "sle") return number(x <= y, "i1");
    if (predicate == "sgt") return number(x > y, "i1");
    if (predicate == "sge") return number(x >= y, "i1");
  }
  const char* op = is_float_type(a.type) ? "arith.cmpf " : "arith.cmpi ";
  return named(
      pure(op + std::string(predicate) + ", " + text.name(a) + ", " + text.name(b) + " : " + a.type, "is"),
      "i1");
}

Scalar FunctionEmitter::select(const Scalar& condition, const Scalar& yes, const Scalar& no) {
  if (condition.integer) return *condition.integer ? yes : no;
  if (text.name(yes) == text.name(no)) return yes;
  return named(pure("arith.select " + condition.name + ", " + text.name(yes) + ", " + text.name(no) + " : " +
                    yes.type),
               yes.type);
}

Scalar FunctionEmitter::as_index(const Scalar& value, bool is_signed) {
  if (value.type == "index") return value;
  if (value.integer)
    return number(is_signed || *value.integer >= 0
                      ? *value.integer
                      : *value.integer & ((int64_t{1} << width(value.type)) - 1));
  const char* op = is_signed ? "arith.index_cast " : "arith.index_castui ";
  auto back = sums_.find("cast " + value.name);
  if (back != sums_.end() && back->second.first.type == "index") return back->second.first;
  std::string name = pure(op + value.name + " : " + value.type + " to index");
  sums_["cast " + name] = {value, 0};
  return named(name, "index");
}

Scalar FunctionEmitter::as_integer(const Scalar& value, const std::string& type, bool is_signed) {
  if (value.type == type) return value;
  if (value.integer) return number(wrap(*value.integer, type), type);
  auto back = sums_.find("cast " + value.name);
  if (back != sums_.end() && back->second.first.type == type) return back->second.first;
  std::string op;
  if (value.type == "index") {
    op = "arith.index_cast ";
  } else if (type == "index") {
    return as_index(value, is_signed);
  } else if (width(type) < width(value.type)) {
    op = "arith.trunci ";
  } else {
    op = is_signed ? "arith.extsi " : "arith.extui ";
  }
  std::string name = pure(op + value.name + " : " + value.type + " to " + type);
  if (width(type) >= width(value.type)) sums_["cast " + name] = {value, 0};
  return named(name, type);
}

Scalar FunctionEmitter::kept_apart(const Scalar& value) {
  const bool is_index = value.type == "index", is_bool = value.type == "i1";
  Scalar bits = value;
  if (is_index) bits = as_integer(value, "i64");
  if (is_bool) bits = named(pure("arith.extui " + text.name(value) + " : i1 to i32"), "i32");
  if (value.type == "f32") bits = named(pure("arith.bitcast " + text.name(value) + " : f32 to i32"), "i32");
  if (value.type == "f16" || value.type == "bf16") {
    bits = named(pure("arith.bitcast " + text.name(value) + " : " + value.type + " to i16"), "i16");
  }
  const std::string array = "!pto.local_array<1x" + bits.type + ">";
  const std::string memory_name = text.fresh("save"), zero = text.integer(0, "index");
  text.declare(memory_name, "pto.declare_local_array -> " + array);
  text.line("pto.local_array_set " + memory_name + "[" + zero + "], " + text.name(bits) + " : " + array +
            ", " + bits.type);
  Scalar old = named(text.fresh("saved"), bits.type);
  text.line(old.name + " = pto.local_array_get " + memory_name + "[" + zero + "] : " + array + " -> " +
            bits.type);
  if (is_index) return named(pure("arith.index_cast " + old.name + " : i64 to index"), "index");
  if (is_bool) return compare("ne", old, number(0, "i32"));
  if (is_float_type(value.type)) {
    return named(pure("arith.bitcast " + old.name + " : " + bits.type + " to " + value.type), value.type);
  }
  return old;
}

Scalar FunctionEmitter::real(double value, const std::string& type) {
  if (std::isfinite(value)) return {"", type, {}, value};
  // Constants cannot be infinite: the bits go through memory, where they are not folded.
  const DType dtype = type == "f16" ? DType::FP16 : type == "bf16" ? DType::BF16 : DType::FP32;
  const std::string bits_type = type == "f32" ? "i32" : "i16";
  int64_t bits = dtype == DType::FP16 ? 0x7c00 : dtype == DType::BF16 ? 0x7f80 : 0x7f800000;
  if (std::isnan(value)) bits |= dtype == DType::FP16 ? 0x200 : dtype == DType::BF16 ? 0x40 : 0x400000;
  if (std::signbit(value)) bits |= bits_type == "i16" ? 0x8000 : int64_t{0x80000000};
  Scalar apart = kept_apart(number(wrap(bits, bits_type), bits_type));
  return named(pure("arith.bitcast " + apart.name + " : " + bits_type + " to " + type), type);
}

void FunctionEmitter::trap_if(const Scalar& condition) {
  if (condition.integer == 0) return;
  // Who has come past it once need not ask again.
  const std::string asked = "trap " + text.name(condition);
  if (known_name(asked)) return;
  known_.back()[asked] = {};
  text.open("scf.if " + text.name(condition) + " {");
  text.line("pto.trap");
  text.close();
}

// --- expressions

bool is_scalar_op(const Op& op) {
  return op.module == "pl" && op.name.starts_with("scalar.");
}

namespace {

class ScalarWriter {
 public:
  explicit ScalarWriter(FunctionEmitter& e) : e_(e) {}

  Scalar call(const Call& call) {
    const Elementwise op = call.op->kind;
    const DType dtype = *scalar_dtype(call.args[0]->type);
    const Scalar a = e_.scalar(call.args[0]);
    if (op == Elementwise::None) return e_.converted(a, dtype, *scalar_dtype(call.type));
    Scalar b;
    if (call.args.size() > 1) b = e_.scalar(call.args[1]);
    if (is_comparison(op)) return comparison(op, dtype, a, b);
    if (is_float(dtype)) return in_f32(op, call, dtype, a, b);
    return integers(op, call, dtype, a, b);
  }

 private:
  Scalar comparison(Elementwise op, DType dtype, const Scalar& a, const Scalar& b) {
    static constexpr const char* of_floats[] = {"oeq", "une", "olt", "ole", "ogt", "oge"};
    static constexpr const char* of_signed[] = {"eq", "ne", "slt", "sle", "sgt", "sge"};
    static constexpr const char* of_unsigned[] = {"eq", "ne", "ult", "ule", "ugt", "uge"};
    const auto i = static_cast<size_t>(op) - static_cast<size_t>(Elementwise::Eq);
    if (is_float(dtype)) return e_.compare(of_floats[i], widened(a), widened(b));
    const bool is_signed = dtype != DType::Bool && info(dtype).is_signed;
    return e_.compare(is_signed ? of_signed[i] : of_unsigned[i], a, b);
  }

  Scalar widened(const Scalar& a) {
    if (a.type == "f32") return a;
    if (a.real) return {"", "f32", {}, a.real};
    return e_.named(e_.pure("arith.extf " + a.name + " : " + a.type + " to f32"), "f32");
  }
  Scalar f32(const std::string& op, const Scalar& a, const Scalar& b) {
    return e_.named(e_.pure("arith." + op + " " + e_.text.name(a) + ", " + e_.text.name(b) + " : f32"),
                    "f32");
  }
  Scalar negated(const Scalar& a) {
    if (a.real) return {"", "f32", {}, -*a.real};
    return e_.named(e_.pure("arith.negf " + e_.text.name(a) + " : f32"), "f32");
  }
  // `addf` is refused by the assembler.
  Scalar sum(const Scalar& a, const Scalar& b) { return f32("subf", a, negated(b)); }
  Scalar f(double value) { return {"", "f32", {}, value}; }

  // Of the magnitude of a: everything from 2^23 on is whole.
  Scalar floor(const Scalar& x) {
    const Scalar large = e_.compare("oge", magnitude(x), f(8388608.0));
    const Scalar small = e_.select(e_.compare("olt", magnitude(x), f(8388608.0)), x, f(0));
    const std::string whole = e_.pure("arith.fptosi " + e_.text.name(small) + " : f32 to i32");
    const Scalar back = e_.named(e_.pure("arith.sitofp " + whole + " : i32 to f32"), "f32");
    const Scalar down = e_.select(e_.compare("ogt", back, small), f32("subf", back, f(1)), back);
    const Scalar nan = e_.compare("une", x, x);
    return e_.select(nan, x, e_.select(large, x, down));
  }
  Scalar magnitude(const Scalar& x) {
    const std::string bits = e_.pure("arith.bitcast " + e_.text.name(x) + " : f32 to i32");
    const Scalar cleared = e_.arith("andi", e_.named(bits, "i32"), e_.number(0x7fffffff, "i32"));
    return e_.named(e_.pure("arith.bitcast " + cleared.name + " : i32 to f32"), "f32");
  }
  Scalar with_sign_of(const Scalar& x, const Scalar& sign) {
    const Scalar bits = e_.named(e_.pure("arith.bitcast " + e_.text.name(sign) + " : f32 to i32"), "i32");
    const Scalar top = e_.arith("andi", bits, e_.number(std::numeric_limits<int32_t>::min(), "i32"));
    const Scalar rest =
        e_.named(e_.pure("arith.bitcast " + e_.text.name(magnitude(x)) + " : f32 to i32"), "i32");
    return e_.named(e_.pure("arith.bitcast " + e_.arith("ori", rest, top).name + " : i32 to f32"), "f32");
  }

  // Python's remainder: the sign of the divisor.
  Scalar modulo(const Scalar& a, const Scalar& b) {
    const Scalar rest = f32("remf", a, b);
    const Scalar zero = e_.compare("oeq", rest, f(0));
    const Scalar differs = e_.arith("xori", e_.compare("olt", rest, f(0)), e_.compare("olt", b, f(0)));
    const Scalar turned = e_.select(differs, sum(rest, b), rest);
    return e_.select(zero, with_sign_of(f(0), b), turned);
  }
  Scalar floor_divided(const Scalar& a, const Scalar& b) {
    const Scalar rest = modulo(a, b);
    const Scalar quotient = f32("divf", f32("subf", a, rest), b);
    const Scalar down = floor(quotient);
    const Scalar off = e_.compare("ogt", f32("subf", quotient, down), f(0.5));
    const Scalar near = e_.select(off, sum(down, f(1)), down);
    const Scalar plain = f32("divf", a, b);
    // Nothing is left of the sign of a zero, and a zero divisor divides as `/` does.
    const Scalar zero = e_.compare("oeq", near, f(0));
    const Scalar by_zero = e_.compare("oeq", b, f(0));
    return e_.select(by_zero, plain, e_.select(zero, with_sign_of(f(0), plain), near));
  }

  Scalar in_f32(Elementwise op, const Call& call, DType dtype, const Scalar& x, const Scalar& y) {
    const Scalar a = widened(x), b = y.type.empty() ? Scalar{} : widened(y);
    return narrowed(float_op(op, call, a, b), dtype);
  }
  Scalar narrowed(const Scalar& value, DType dtype) {
    const std::string type = scalar_text(dtype);
    if (type == "f32") return value;
    return e_.named(e_.pure("arith.truncf " + e_.text.name(value) + " : f32 to " + type), type);
  }

  Scalar float_op(Elementwise op, const Call& call, const Scalar& a, const Scalar& b) {
    switch (op) {
      case Elementwise::Add:
        return sum(a, b);
      case Elementwise::Sub:
        return f32("subf", a, b);
      case Elementwise::Mul:
        return f32("mulf", a, b);
      case Elementwise::Div:
        return f32("divf", a, b);
      case Elementwise::Max:
      case Elementwise::Min: {
        const Scalar first = e_.compare(op == Elementwise::Max ? "oge" : "ole", a, b);
        return e_.select(e_.arith("ori", first, e_.compare("une", a, a)), a, b);
      }
      case Elementwise::FloorDiv:
        return floor_divided(a, b);
      case Elementwise::Mod:
        return modulo(a, b);
      case Elementwise::Neg:
        return negated(a);
      case Elementwise::Abs:
        return magnitude(a);
      case Elementwise::Pow:
        return power(call, a, b);
      default:
        internal_error(__FILE__, __LINE__, "not an op of floats");
    }
  }

  Scalar power(const Call& call, const Scalar& a, const Scalar& b) {
    const double exponent = b.real.value_or(-1);
    if (exponent != std::floor(exponent) || exponent < 0 || exponent > 64) {
      e_.refuse(call.span, "`**` of floats with an exponent that is no small whole constant",
                "there are no functions of scalars")
          .with_help("compute it on the host, or on a tile");
      return a;
    }
    Scalar result = f(1);
    for (int i = 0; i < static_cast<int>(exponent); ++i) result = i == 0 ? a : f32("mulf", result, a);
    return result;
  }

  Scalar integers(Elementwise op, const Call& call, DType dtype, const Scalar& a, const Scalar& b) {
    const std::string type = scalar_text(dtype);
    const bool is_signed = dtype != DType::Bool && info(dtype).is_signed;
    switch (op) {
      case Elementwise::Add:
        return e_.add(a, b);
      case Elementwise::Sub:
        return e_.sub(a, b);
      case Elementwise::Mul:
        return e_.mul(a, b);
      case Elementwise::Max:
        return e_.arith(is_signed ? "maxsi" : "maxui", a, b);
      case Elementwise::Min:
        return e_.arith(is_signed ? "minsi" : "minui", a, b);
      case Elementwise::And:
        return e_.arith("andi", a, b);
      case Elementwise::Or:
        return e_.arith("ori", a, b);
      case Elementwise::Xor:
        return e_.arith("xori", a, b);
      case Elementwise::Not:
        return e_.arith("xori", a, e_.number(dtype == DType::Bool ? 1 : -1, type));
      case Elementwise::Neg:
        return e_.sub(e_.number(0, type), a);
      case Elementwise::Abs:
        if (!is_signed) return a;
        return e_.select(e_.compare("slt", a, e_.number(0, type)), e_.sub(e_.number(0, type), a), a);
      case Elementwise::FloorDiv:
        check_divisor(b);
        return e_.arith(is_signed ? "floordivsi" : "divui", a, b);
      case Elementwise::Mod:
        check_divisor(b);
        if (!is_signed) return e_.arith("remui", a, b);
        return e_.sub(a, e_.mul(e_.arith("floordivsi", a, b), b));
      case Elementwise::Shl:
      case Elementwise::Shr:
        return shifted(op, a, b, is_signed);
      case Elementwise::Pow:
        return integer_power(a, b, is_signed);
      default:
        internal_error(__FILE__, __LINE__, "not an op of integers: " + call.op->qualified());
    }
  }

  void check_divisor(const Scalar& b) { e_.trap_if(e_.compare("eq", b, e_.number(0, b.type))); }

  Scalar shifted(Elementwise op, const Scalar& a, const Scalar& b, bool is_signed) {
    const int bits = width(a.type);
    if (is_signed) e_.trap_if(e_.compare("slt", b, e_.number(0, b.type)));
    const Scalar last = e_.number(bits - 1, b.type);
    const Scalar over = e_.compare(is_signed ? "sgt" : "ugt", b, last);
    const Scalar count =
        b.integer ? e_.number(std::min<int64_t>(*b.integer, bits - 1), b.type) : e_.arith("minui", b, last);
    const char* name = op == Elementwise::Shl ? "shli" : is_signed ? "shrsi" : "shrui";
    const Scalar moved = e_.arith(name, a, count);
    if (op == Elementwise::Shr && is_signed) return moved;
    return e_.select(over, e_.number(0, a.type), moved);
  }

  Scalar integer_power(const Scalar& a, const Scalar& b, bool is_signed) {
    if (b.integer && *b.integer >= 0 && *b.integer <= 16) {
      Scalar result = e_.number(1, a.type);
      for (int64_t i = 0; i < *b.integer; ++i) result = e_.mul(result, a);
      return result;
    }
    if (is_signed) e_.trap_if(e_.compare("slt", b, e_.number(0, b.type)));
    const Scalar rounds = e_.as_index(b, is_signed);
    const std::string result = e_.text.fresh("power"), i = e_.text.fresh("i"),
                      so_far = e_.text.fresh("so_far");
    const std::string zero = e_.text.integer(0, "index"), one = e_.text.integer(1, "index");
    e_.text.open(result + " = scf.for " + i + " = " + zero + " to " + e_.text.name(rounds) + " step " + one +
                 " iter_args(" + so_far + " = " + e_.text.integer(1, a.type) + ") -> (" + a.type + ") {");
    const std::string next = e_.text.fresh("next");
    e_.text.line(next + " = arith.muli " + so_far + ", " + e_.text.name(a) + " : " + a.type);
    e_.text.line("scf.yield " + next + " : " + a.type);
    e_.text.close();
    return e_.named(result, a.type);
  }

  FunctionEmitter& e_;
};

}  // namespace

Scalar FunctionEmitter::converted(const Scalar& value, DType from, DType to) {
  if (from == to) return value;
  const std::string type = scalar_text(to);
  if (type.empty() || scalar_text(from).empty()) return value;  // refused where it was declared
  auto f32 = [&](const Scalar& x) {
    if (x.type == "f32") return x;
    if (x.real) return Scalar{"", "f32", {}, x.real};
    return named(pure("arith.extf " + text.name(x) + " : " + x.type + " to f32"), "f32");
  };
  if (to == DType::Bool) {
    if (is_float(from)) return compare("une", f32(value), Scalar{"", "f32", {}, 0.0});
    return compare("ne", value, number(0, value.type));
  }
  if (is_float(to)) {
    if (value.real) return {"", type, {}, round_to(*value.real, to)};
    if (value.integer) return {"", type, {}, round_to(static_cast<double>(*value.integer), to)};
    Scalar wide = value;
    if (!is_float(from)) {
      const bool is_signed = from != DType::Bool && info(from).is_signed;
      const Scalar integer = value.type == "index" ? as_integer(value, "i64") : value;
      wide = named(pure(std::string("arith.") + (is_signed ? "sitofp " : "uitofp ") + integer.name + " : " +
                        integer.type + " to f32"),
                   "f32");
    } else {
      wide = f32(value);
    }
    return type == "f32" ? wide : named(pure("arith.truncf " + text.name(wide) + " : f32 to " + type), type);
  }
  if (is_float(from)) {
    // To nearest even, saturating; NaN becomes 0.
    const bool is_signed = info(to).is_signed;
    const int bits = ir::bits(to);
    const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0,
                 high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
    const Scalar x = f32(value), zero{"", "f32", {}, 0.0};
    const Scalar above = compare("oge", x, Scalar{"", "f32", {}, high});
    const Scalar below = compare("ole", x, Scalar{"", "f32", {}, low});
    const Scalar inside = arith("andi", compare("olt", x, Scalar{"", "f32", {}, high}),
                                compare("ogt", x, Scalar{"", "f32", {}, low}));
    const Scalar safe = select(inside, x, zero);
    const std::string cut = pure("arith.fptosi " + text.name(safe) + " : f32 to i64");
    const std::string back = pure("arith.sitofp " + cut + " : i64 to f32");
    const std::string rest = pure("arith.subf " + text.name(safe) + ", " + back + " : f32");
    const Scalar whole = named(cut, "i64"), part = named(rest, "f32");
    const Scalar odd = compare("ne", arith("andi", whole, number(1, "i64")), number(0, "i64"));
    const Scalar half{"", "f32", {}, 0.5}, minus{"", "f32", {}, -0.5};
    const Scalar up =
        arith("ori", compare("ogt", part, half), arith("andi", odd, compare("oeq", part, half)));
    const Scalar down =
        arith("ori", compare("olt", part, minus), arith("andi", odd, compare("oeq", part, minus)));
    Scalar rounded =
        select(up, add(whole, number(1, "i64")), select(down, sub(whole, number(1, "i64")), whole));
    const int64_t largest = bits >= 64 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(high) - 1;
    const int64_t smallest =
        bits >= 64 && is_signed ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(low);
    rounded = select(above, number(largest, "i64"), select(below, number(smallest, "i64"), rounded));
    return as_integer(rounded, type);
  }
  // Integers that do not fit stop the run.
  const bool was_signed = from != DType::Bool && info(from).is_signed;
  if (value.integer) return number(wrap(*value.integer, type), type);
  const bool fits_always = ir::bits(to) > ir::bits(from) || from == DType::Bool ||
                           (ir::bits(to) == ir::bits(from) && was_signed == info(to).is_signed);
  Scalar narrow = as_integer(value, type, was_signed);
  if (fits_always && (info(to).is_signed || !was_signed)) return narrow;
  if (ir::bits(to) == ir::bits(from)) {  // a sign more or less
    trap_if(compare("slt", value, number(0, value.type)));
    return narrow;
  }
  if (ir::bits(to) > ir::bits(from)) {
    trap_if(compare("slt", value, number(0, value.type)));
    return narrow;
  }
  Scalar again = info(to).is_signed ? as_integer(narrow, value.type) : value;
  if (info(to).is_signed) {
    // The way back is not to be folded: it is what is compared.
    again = named(pure(std::string(value.type == "index" ? "arith.index_cast " : "arith.extsi ") +
                       narrow.name + " : " + type + " to " + value.type),
                  value.type);
    trap_if(compare("ne", again, value));
  } else {
    const int64_t largest = (int64_t{1} << ir::bits(to)) - 1;
    trap_if(compare("ugt", value, number(largest, value.type)));
  }
  return narrow;
}

Scalar FunctionEmitter::scalar(const ExprRef& expr) {
  if (const auto* constant = as<ConstInt>(expr)) {
    const std::string type = scalar_text(constant->dtype);
    return number(type.empty() ? constant->value : wrap(constant->value, type), type);
  }
  if (const auto* constant = as<ConstBool>(expr)) return number(constant->value, "i1");
  if (const auto* constant = as<ConstFloat>(expr)) return real(constant->value, scalar_text(constant->dtype));
  if (const auto* symbol = as<DimSymbol>(expr)) {
    auto found = symbols_.find(symbol->name);
    if (found != symbols_.end()) return found->second;
    refuse(expr->span, "the dimension `" + symbol->name + "`", "no parameter of the kernel tells it");
    return number(0);
  }
  if (const auto* made = as<Call>(expr)) {
    if (is_scalar_op(*made->op)) return ScalarWriter(*this).call(*made);
    const VarRef var = make<Var>(expr->span, "v", expr->type);
    nested_.push_back(var);
    call(*made, var.get());
    return scalars_[var.get()];
  }
  auto found = scalars_.find(expr.get());
  TW_CHECK(found != scalars_.end(), "a scalar used before it is defined: " + to_string(expr));
  return found->second;
}

Scalar FunctionEmitter::index(const ExprRef& expr) {
  const DType dtype = *scalar_dtype(expr->type);
  return as_index(scalar(expr), dtype != DType::Bool && info(dtype).is_signed);
}

std::vector<Scalar> FunctionEmitter::indices(const ExprRef& list) {
  std::vector<Scalar> found;
  for (const ExprRef& element : as<MakeTuple>(list)->elements) found.push_back(index(element));
  return found;
}

}  // namespace tilewire::target::pto
