// Ops that work element by element, on tiles of one shape.
//
// The vector unit computes with i16, i32, f16 and f32, each op with some of them; others are converted
// (convert.h). Columns are worked on as rows of the same bytes.
#include "ops/handles.h"
#include "ops/registry.h"
#include "target/pto/convert.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"
#include "target/pto/tile_math.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

// An operand of an elementwise op: a tile, as a row, or a scalar.
struct Side {
  bool is_tile = false;
  Tile tile;
  Scalar scalar;
};

// The operands of a call and where the result goes, in one shape and one valid extent.
struct Sides {
  std::vector<Side> operands;
  Tile to;
};

Sides sides_of(FunctionEmitter& e, const Call& call, const Var& result, bool masks = false) {
  Sides sides;
  std::vector<Tile> tiles;
  for (const ExprRef& arg : call.args) {
    Side side;
    side.is_tile = isa<TileType>(arg->type);
    if (side.is_tile) {
      Tile tile = e.tile(arg);
      const bool boolean = as<TileType>(arg->type)->dtype == DType::Bool;
      if (boolean && masks) tile = e.as_mask(tile);
      tiles.push_back(e.as_row(tile));
    } else {
      side.scalar = e.scalar(arg);
    }
    sides.operands.push_back(side);
  }
  auto [rows, cols] = e.common_extent(tiles);
  const bool column = static_cast<const TileType&>(*result.type).cols() == 1;
  const Tile to = e.destination(result, column ? cols : rows, column ? rows : cols);
  tiles.push_back(e.as_row(to));
  e.agree(tiles);
  sides.to = tiles.back();
  size_t next = 0;
  for (Side& side : sides.operands) {
    if (side.is_tile) side.tile = tiles[next++];
  }
  return sides;
}

// --- two operands

const char* name_of(Elementwise kind) {
  switch (kind) {
    case Elementwise::Add:
      return "tadd";
    case Elementwise::Sub:
      return "tsub";
    case Elementwise::Mul:
      return "tmul";
    case Elementwise::Max:
      return "tmax";
    case Elementwise::Min:
      return "tmin";
    case Elementwise::Div:
      return "tdiv";
    case Elementwise::Rem:
      return "tfmod";
    case Elementwise::And:
      return "tand";
    case Elementwise::Or:
      return "tor";
    case Elementwise::Xor:
      return "txor";
    case Elementwise::Shl:
      return "tshl";
    case Elementwise::Shr:
      return "tshr";
    default:
      internal_error(__FILE__, __LINE__, "no op of two tiles");
  }
}

// A scalar operand as a tile.
Tile as_tile(FunctionEmitter& e, const Side& side, const Tile& like) {
  if (side.is_tile) return side.tile;
  const Tile all = e.temporary_like(like);
  fill(e, all, side.scalar);
  return all;
}

bool commutes(Elementwise kind) {
  return kind == Elementwise::Add || kind == Elementwise::Mul || kind == Elementwise::Max ||
         kind == Elementwise::Min;
}

// In the domain: `a` and `b` are of its type, and so is `to`.
void arithmetic(FunctionEmitter& e, Elementwise kind, Side a, Side b, const Tile& to) {
  if (!a.is_tile && commutes(kind)) std::swap(a, b);
  const std::string name = name_of(kind);
  const bool is_unsigned = to.form.element.starts_with("u");
  const bool sign_matters = kind == Elementwise::Max || kind == Elementwise::Min || kind == Elementwise::Rem;
  if (a.is_tile && !b.is_tile && !(is_unsigned && sign_matters)) {
    return e.op(name + "s", {signless(e, a.tile), {e.text.name(b.scalar), b.scalar.type}}, signless(e, to));
  }
  if (!a.is_tile && kind == Elementwise::Div) {
    return e.op("tdivs", {{e.text.name(a.scalar), a.scalar.type}, b.tile}, to);
  }
  e.op(name, {as_tile(e, a, to), as_tile(e, b, to)}, to);
}

Side widened(FunctionEmitter& e, const Side& side, DType dtype, const Domain& domain, const Span& at) {
  Side wide = side;
  if (side.is_tile) {
    wide.tile = widened(e, side.tile, dtype, domain, at);
  } else {
    wide.scalar = widened(e, side.scalar, dtype, domain);
  }
  return wide;
}

DType dtype_at(const Call& call) {
  return *dtype_of(call);
}

// Calls `compute` with operands and a result in the domain.
template <class Compute>
void in_domain(FunctionEmitter& e, const Call& call, const Var& result, const Domain& domain,
               Compute compute) {
  Sides sides = sides_of(e, call, result);
  const DType dtype = dtype_at(call);
  for (Side& side : sides.operands) side = widened(e, side, dtype, domain, call.span);
  if (domain.dtype == dtype) return compute(sides.operands, sides.to);
  const Tile wide = e.temporary_like(sides.to, domain.element);
  compute(sides.operands, wide);
  narrowed(e, wide, domain, sides.to, dtype, call.span);
}

void binary(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  in_domain(e, call, *result, domain_of(dtype_at(call)), [&](std::vector<Side>& operands, const Tile& to) {
    arithmetic(e, call.op->kind, operands[0], operands[1], to);
  });
}

// Integers are divided in i32, and remainders follow from quotients.
void divide(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = dtype_at(call);
  if (is_float(dtype)) return binary(e, call, result);
  in_domain(e, call, *result, {DType::Int32, "i32"}, [&](std::vector<Side>& operands, const Tile& to) {
    const Tile a = as_tile(e, operands[0], to), b = as_tile(e, operands[1], to);
    TileMath math(e, to);
    const Tile quotient = math.divided(a, b);
    if (call.op->kind == Elementwise::Div) {
      e.op("tmov", {quotient}, to);
      return;
    }
    // a - q * b; nothing is left of a zero divisor.
    const Tile mask = math.compare("ne", b, 0);
    e.op("tmul", {quotient, b}, quotient);
    e.op("tsub", {a, quotient}, quotient);
    math.select(mask, quotient, 0, to);
  });
}

void bits(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = dtype_at(call);
  const bool boolean = dtype == DType::Bool;
  Sides sides = sides_of(e, call, *result, true);
  const std::string name = name_of(call.op->kind);
  std::vector<Tile> tiles;
  for (Side& side : sides.operands) {
    if (!side.is_tile && boolean) {
      tiles.push_back(e.temporary_like(sides.to));
      TileMath(e, sides.to).fill_mask(tiles.back(), side.scalar);
    } else if (!side.is_tile && is_byte_element(sides.to)) {
      // No fill of bytes: the same byte twice in i16.
      const Tile all = e.temporary_like(sides.to);
      const Scalar wide = e.as_integer(side.scalar, "i16", false);
      const Scalar twice = e.arith("ori", e.arith("shli", wide, e.number(8, "i16")),
                                   e.arith("andi", wide, e.number(255, "i16")));
      fill(e, halfwords(e, all), twice);
      tiles.push_back(all);
    } else {
      tiles.push_back(as_tile(e, side, sides.to));
    }
  }
  std::vector<Operand> ins(tiles.begin(), tiles.end());
  if (call.op->kind == Elementwise::Xor) ins.emplace_back(e.temporary_like(sides.to));
  e.op(name, ins, sides.to);
  if (boolean) name_mask(e, *result, sides.to);
}

// Counts at and above the width leave nothing, or the sign.
void shift(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = dtype_at(call);
  const int64_t width = bits(dtype);
  const bool left = call.op->kind == Elementwise::Shl;
  const bool is_signed = info(dtype).is_signed;
  in_domain(e, call, *result, domain_of(dtype), [&](std::vector<Side>& operands, const Tile& to) {
    const std::string name = name_of(call.op->kind);
    const Tile a = as_tile(e, operands[0], to);
    TileMath math(e, to);
    if (!operands[1].is_tile && operands[1].scalar.integer) {
      const int64_t mask = width == 8 ? 255 : width == 16 ? 65535 : 0xffffffff;
      const int64_t count = *operands[1].scalar.integer & mask;
      if (count >= width && (left || !is_signed))
        return fill(e, to, e.number(0, signless(e, to).form.element));
      const Tile from = left ? signless(e, a) : a, target = left ? signless(e, to) : to;
      const std::string type = signless(e, to).form.element;
      return e.op(name + "s", {from, {e.text.integer(std::min(count, width - 1), type), type}}, target);
    }
    const Tile count = signless(e, as_tile(e, operands[1], to));
    const Tile small = math.both(math.compare("ge", count, 0), math.compare("lt", count, width));
    const Tile safe = e.temporary_like(count);
    math.select(small, count, width - 1, safe);
    const Tile moved = e.temporary_like(to);
    e.op(name, {a, e.with_element(safe, to.form.element)}, moved);
    if (!left && is_signed) {
      e.op("tmov", {moved}, to);
    } else {
      math.select(small, signless(e, moved), 0, signless(e, to));
    }
  });
}

// --- one operand

void unary(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = dtype_at(call);
  const Elementwise kind = call.op->kind;
  const bool wide = kind == Elementwise::Sin || kind == Elementwise::Cos || kind == Elementwise::Tanh ||
                    kind == Elementwise::Sigmoid;
  const Domain domain = wide ? Domain{DType::FP32, "f32"} : domain_of(dtype);
  in_domain(e, call, *result, domain, [&](std::vector<Side>& operands, const Tile& to) {
    const Tile& x = operands[0].tile;
    TileMath math(e, to);
    const bool is_unsigned = !is_float(dtype) && !info(dtype).is_signed;
    switch (kind) {
      case Elementwise::Neg:
        return e.op("tneg", {signless(e, x)}, signless(e, to));
      case Elementwise::Abs: {
        if (is_float(dtype)) return e.op("tabs", {x}, to);
        if (is_unsigned) return e.copy(x, to, call.span);
        const Tile minus = e.temporary_like(to);
        e.op("tneg", {x}, minus);
        return e.op("tmax", {x, minus}, to);
      }
      case Elementwise::Relu:
        if (is_unsigned) return e.copy(x, to, call.span);
        if (to.form.element == "i16") return with_number(e, "tmaxs", x, 0, to);
        return e.op("trelu", {x}, to);
      case Elementwise::Recip:
        return e.op("trecip", {x}, to);
      case Elementwise::Exp:
        return e.op("texp", {x}, to);
      case Elementwise::Log:
        return e.op("tlog", {x}, to);
      case Elementwise::Sqrt:
        return e.op("tsqrt", {x}, to);
      case Elementwise::Rsqrt:
        return e.op("trsqrt", {x}, to);
      case Elementwise::Sigmoid:
        return math.sigmoid(x, to);
      case Elementwise::Tanh:
        return math.tanh(x, to);
      case Elementwise::Sin:
        return math.sine(x, to, false);
      case Elementwise::Cos:
        return math.sine(x, to, true);
      default:
        internal_error(__FILE__, __LINE__, "no op of one tile");
    }
  });
}

// Any integers are halfwords to it.
void invert(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const bool boolean = dtype_at(call) == DType::Bool;
  Sides sides = sides_of(e, call, *result, true);
  e.op("tnot", {halfwords(e, sides.operands[0].tile)}, halfwords(e, sides.to));
  if (boolean) name_mask(e, *result, sides.to);
}

// --- comparing and choosing

CmpOp swapped(CmpOp op) {
  switch (op) {
    case CmpOp::Lt:
      return CmpOp::Gt;
    case CmpOp::Le:
      return CmpOp::Ge;
    case CmpOp::Gt:
      return CmpOp::Lt;
    case CmpOp::Ge:
      return CmpOp::Le;
    default:
      return op;
  }
}

const char* text_of(CmpOp op) {
  static constexpr const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  return names[static_cast<size_t>(op)];
}

// i16 tiles are compared as i32, bytes as f16, unsigned words with their top bit turned over.
Domain compared_in(DType dtype, bool with_scalar) {
  switch (dtype) {
    case DType::BF16:
      return {DType::FP32, "f32"};
    case DType::Int8:
    case DType::UInt8:
      return {DType::FP16, "f16"};
    case DType::Int16:
      return with_scalar ? Domain{DType::Int16, "i16"} : Domain{DType::Int32, "i32"};
    case DType::UInt16:
      return {DType::Int32, "i32"};
    default:
      return {dtype, element_text(dtype)};
  }
}

void compare(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = dtype_at(call);
  CmpOp op = enum_attribute<CmpOp>(call, "op");
  Sides sides = sides_of(e, call, *result, true);
  Side a = sides.operands[0], b = sides.operands[1];
  if (!a.is_tile) {
    std::swap(a, b);
    op = swapped(op);
  }
  const Tile& to = sides.to;
  TileMath math(e, a.tile);
  if (dtype == DType::Bool) {
    Tile other = b.tile;
    if (!b.is_tile) {
      other = e.temporary_like(to);
      math.fill_mask(other, b.scalar);
    }
    e.op("txor", {a.tile, other, e.temporary_like(to)}, to);
    if (op == CmpOp::Eq) e.op("tnot", {halfwords(e, to)}, halfwords(e, to));
    return name_mask(e, *result, to);
  }
  const Domain domain = compared_in(dtype, !b.is_tile);
  a.tile = widened(e, a.tile, dtype, domain, call.span);
  if (b.is_tile) b.tile = widened(e, b.tile, dtype, domain, call.span);
  if (!b.is_tile) {
    const bool converts = domain.dtype != dtype;
    if (converts && is_float(domain.dtype)) b.scalar = e.converted(b.scalar, dtype, domain.dtype);
    if (converts && !is_float(domain.dtype))
      b.scalar = e.as_integer(b.scalar, domain.element, info(dtype).is_signed);
  }
  if (dtype == DType::UInt32) {
    const bool ordered = op != CmpOp::Eq && op != CmpOp::Ne;
    b.tile = signless(e, as_tile(e, b, a.tile));
    a.tile = signless(e, a.tile);
    b.is_tile = true;
    if (ordered) {
      a.tile = math.top_bit_turned(a.tile);
      b.tile = math.top_bit_turned(b.tile);
    }
  }
  const std::string how = std::string("{cmpMode = #pto<cmp ") + text_of(op) + ">}";
  if (b.is_tile) {
    e.op("tcmp", {a.tile, b.tile}, to, how);
  } else {
    e.op("tcmps", {a.tile, {e.text.name(b.scalar), b.scalar.type}}, to, how);
  }
  name_mask(e, *result, to);
}

void choose(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType dtype = static_cast<const TileType&>(*result->type).dtype;
  Sides sides = sides_of(e, call, *result, true);
  const Tile& mask = sides.operands[0].tile;
  Side a = sides.operands[1], b = sides.operands[2];
  const Tile& to = sides.to;
  TileMath math(e, to);
  if (dtype == DType::Bool) {
    // (mask and a) or (not mask and b)
    Tile parts[2];
    for (int i : {0, 1}) {
      const Side& side = i == 0 ? a : b;
      parts[i] = e.temporary_like(to);
      if (side.is_tile) {
        e.op("tand", {mask, side.tile}, parts[i]);
      } else {
        math.fill_mask(parts[i], side.scalar);
        e.op("tand", {mask, parts[i]}, parts[i]);
      }
      if (i == 1) {
        const Tile without = e.temporary_like(to);
        e.op("tnot", {halfwords(e, mask)}, halfwords(e, without));
        if (side.is_tile) {
          e.op("tand", {without, side.tile}, parts[i]);
        } else {
          math.fill_mask(parts[i], side.scalar);
          e.op("tand", {without, parts[i]}, parts[i]);
        }
      }
    }
    e.op("tor", {parts[0], parts[1]}, to);
    return name_mask(e, *result, to);
  }
  const bool byte = dtype == DType::Int8 || dtype == DType::UInt8;
  const Domain domain = byte ? Domain{DType::FP16, "f16"} : Domain{dtype, element_text(dtype)};
  for (Side* side : {&a, &b}) {
    if (side->is_tile) side->tile = signless(e, widened(e, side->tile, dtype, domain, call.span));
    if (!side->is_tile && byte) side->scalar = e.converted(side->scalar, dtype, DType::FP16);
  }
  const Tile wide = byte ? e.temporary_like(to, "f16") : signless(e, to);
  math.choose(mask, as_tile(e, a, wide), b.is_tile ? std::optional(b.tile) : std::nullopt, b.scalar, wide);
  if (byte) narrowed(e, wide, domain, to, dtype, call.span);
}

void cast(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const DType from = dtype_at(call), to_dtype = static_cast<const TileType&>(*result->type).dtype;
  const RoundMode mode = enum_attribute<RoundMode>(call, "mode");
  if (element_text(to_dtype).empty()) {
    e.refuse(call.span, "a conversion to " + std::string(info(to_dtype).name),
             "the dialect has no such elements on a3");
    e.destination(*result, e.tile(call.args[0]).rows, e.tile(call.args[0]).cols);
    return;
  }
  Sides sides = sides_of(e, call, *result, true);
  const Tile& x = sides.operands[0].tile;
  const Tile& to = sides.to;
  TileMath math(e, x);
  if (from == DType::Bool && to_dtype == DType::Bool) {
    e.op("tmov", {x}, to);
    return name_mask(e, *result, to);
  }
  if (from == DType::Bool) {
    const Tile half = e.temporary_like(to, "f16");
    math.ones_where(x, half);
    return convert(e, half, DType::FP16, to, to_dtype, RoundMode::Rint, call.span);
  }
  if (to_dtype == DType::Bool) {
    Domain domain = compared_in(from, true);
    if (ir::bits(from) == 64) {  // no number but 0 becomes 0 in f32
      const Tile real = e.temporary_like(x, "f32");
      convert(e, x, DType::Int64, real, DType::FP32, RoundMode::Rint, call.span);
      e.op("tcmps", {real, {e.text.real(0, "f32"), "f32"}}, to, "{cmpMode = #pto<cmp ne>}");
      return name_mask(e, *result, to);
    }
    if (from == DType::UInt32) domain = {DType::Int32, "i32"};
    const Tile wide = from == DType::UInt32 ? signless(e, x) : widened(e, x, from, domain, call.span);
    const std::string zero =
        is_float(domain.dtype) ? e.text.real(0, domain.element) : e.text.integer(0, domain.element);
    e.op("tcmps", {wide, {zero, domain.element}}, to, "{cmpMode = #pto<cmp ne>}");
    return name_mask(e, *result, to);
  }
  convert(e, x, from, to, to_dtype, mode, call.span);
}

bool always(DType) {
  return true;
}
bool of_integers(DType dtype) {
  return !is_float(dtype);
}
bool never(DType) {
  return false;
}
bool of_bytes(DType dtype) {
  return dtype == DType::Int8 || dtype == DType::UInt8 || dtype == DType::Bool;
}

}  // namespace

void add_elementwise_rules(RuleTable& table) {
  namespace tile = ops::pl::tile;
  constexpr ResultRule in_place{ResultMemory::InPlace, -1};
  constexpr ResultRule apart{ResultMemory::Fresh, -1};
  const DtypeSet numbers = floats | small_integers;
  const DtypeSet whole = small_integers | booleans;
  const DtypeSet divided{DType::Int8, DType::Int16, DType::Int32, DType::UInt8, DType::UInt16};
  const std::string chain = "; BF16 in f32, bytes in i16";
  table.add(tile::add, {binary, numbers, "tadd, tadds" + chain, in_place, never});
  table.add(tile::sub, {binary, numbers, "tsub, tsubs" + chain, in_place, never});
  table.add(tile::mul, {binary, numbers, "tmul, tmuls" + chain, in_place, never});
  table.add(tile::maximum, {binary, numbers, "tmax, tmaxs" + chain, in_place, never});
  table.add(tile::minimum, {binary, numbers, "tmin, tmins" + chain, in_place, never});
  table.add(tile::div, {divide, floats | divided, "tdiv, tdivs; integers in f32, corrected to be exact",
                        apart, of_integers});
  table.add(tile::rem,
            {divide, floats | divided, "tfmod, tfmods; integers from the quotient", apart, of_integers});
  for (const ops::Handle* op : {&tile::and_, &tile::or_, &tile::xor_}) {
    table.add(*op, {bits, whole, "tand, tor, txor; masks too", in_place, of_bytes});
  }
  for (const ops::Handle* op : {&tile::shl, &tile::shr}) {
    table.add(*op, {shift, small_integers, "tshl, tshr with a constant or a checked count", apart, always});
  }
  table.add(tile::neg, {unary, numbers, "tneg" + chain, in_place, never});
  table.add(tile::abs, {unary, numbers, "tabs; integers by tneg and tmax", in_place, never});
  table.add(tile::relu, {unary, numbers, "trelu; INT16 by tmaxs", in_place, never});
  table.add(tile::recip, {unary, floats, "trecip; BF16 in f32", apart, never});
  table.add(tile::exp, {unary, floats, "texp; BF16 in f32", in_place, never});
  table.add(tile::log, {unary, floats, "tlog; BF16 in f32", in_place, never});
  table.add(tile::sqrt, {unary, floats, "tsqrt; BF16 in f32", in_place, never});
  table.add(tile::rsqrt, {unary, floats, "trsqrt; BF16 in f32", in_place, never});
  table.add(tile::sigmoid, {unary, floats, "tneg, texp, tadds, trecip in f32", apart, never});
  table.add(tile::tanh, {unary, floats, "a quotient of polynomials in f32", apart, never});
  table.add(tile::sin, {unary, floats, "a polynomial in f32 of what multiples of pi leave", apart, never});
  table.add(tile::cos, {unary, floats, "a polynomial in f32 of what multiples of pi leave", apart, never});
  table.add(tile::not_, {invert, whole | wide_integers, "tnot of i16", in_place, of_bytes});
  table.add(tile::cmp, {compare, numbers | booleans, "tcmp, tcmps into a packed mask", apart, always});
  table.add(tile::sel, {choose, numbers | booleans, "tsel, tsels; bytes in f16", apart, always});
  table.add(tile::cast, {cast, stored, "tcvt, or a chain of them", apart, of_bytes});
}

}  // namespace tilewire::target::pto
