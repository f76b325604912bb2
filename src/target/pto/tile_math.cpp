#include "target/pto/tile_math.h"

#include <limits>
#include <utility>

#include "target/pto/convert.h"

namespace tilewire::target::pto {

using namespace ir;

bool is_byte_element(const Tile& tile) {
  return element_bytes(tile.form.element) == 1;
}

Tile halfwords(FunctionEmitter& e, const Tile& tile) {
  if (tile.form.element == "i16") return tile;
  TileForm form = tile.form;
  form.cols = form.cols * element_bytes(form.element) / 2;
  form.element = "i16";
  // All of it: what is not valid is of no matter to ops on bits.
  return e.seen_as(tile, form, e.number(form.rows), e.number(form.cols));
}

void name_mask(FunctionEmitter& e, const Var& result, Tile mask) {
  const auto& type = static_cast<const TileType&>(*result.type);
  if (type.cols() == 1 && !mask.column()) {  // made as the row of the same bytes
    TileForm column = mask.form;
    column.col_major = true;
    std::swap(column.rows, column.cols);
    mask = e.seen_as(mask, column, mask.cols, mask.rows);
  }
  mask.mask = true;
  e.name_tile(result, std::move(mask));
}

void TileMath::sigmoid(const Tile& x, const Tile& to) {
  const Tile t = f32();
  e_.op("tneg", {x}, t);
  e_.op("texp", {t}, t);
  with_real(e_, "tadds", t, 1, t);
  e_.op("trecip", {t}, to);
}

void TileMath::polynomial(const Tile& x, std::initializer_list<double> c, const Tile& sum) {
  auto at = c.end();
  --at;
  with_real(e_, "tmuls", x, *at, sum);
  while (true) {
    with_real(e_, "tadds", sum, *--at, sum);
    if (at == c.begin()) return;
    e_.op("tmul", {sum, x}, sum);
  }
}

// Beyond 7.9 the result is 1 in f32. The quotient has no more than a few ulp of error, near 0 as well.
void TileMath::tanh(const Tile& x, const Tile& to) {
  const Tile t = f32(), square = f32(), low = f32();
  with_real(e_, "tmaxs", x, -7.90531110763549805, t);
  with_real(e_, "tmins", t, 7.90531110763549805, t);
  e_.op("tmul", {t, t}, square);
  polynomial(square,
             {4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05, 5.12229709037114e-08,
              -8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16},
             to);
  e_.op("tmul", {to, t}, to);
  polynomial(square, {4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06},
             low);
  e_.op("tdiv", {to, low}, to);
}

// x = k * pi + r with |r| <= pi / 2; pi in parts that multiply exactly with small k. The cosine takes k +
// 1/2.
void TileMath::sine(const Tile& x, const Tile& to, bool shifted) {
  const Tile k = f32(), r = f32(), t = f32(), whole = i32();
  const std::string nearest = "{rmode = #pto<round_mode RINT>, sat_mode = #pto<saturation_mode ON>}";
  const std::string down = "{rmode = #pto<round_mode FLOOR>, sat_mode = #pto<saturation_mode ON>}";
  const std::string back = "{rmode = #pto<round_mode RINT>}";
  with_real(e_, "tmuls", x, 0.318309873342514038, k);
  if (shifted) with_real(e_, "tsubs", k, 0.5, k);
  e_.op("tcvt", {k}, whole, nearest);
  e_.op("tcvt", {whole}, k, back);
  if (shifted) with_real(e_, "tadds", k, 0.5, k);
  const Tile* from = &x;
  for (double part : {3.140625, 9.67025756835937500e-04, 6.27711415290832520e-07, 1.21545105194e-10}) {
    with_real(e_, "tmuls", k, part, t);
    e_.op("tsub", {*from, t}, r);
    from = &r;
  }
  e_.op("tmul", {r, r}, t);
  polynomial(t, {1, -0.166666666666, 8.3333333333e-03, -1.984126984e-04, 2.7557319e-06, -2.50521e-08}, to);
  e_.op("tmul", {to, r}, to);
  // The sign turns with every k: 1 - 2 * (k - 2 * floor(k / 2)). The cosine falls where the sine rises.
  if (shifted) with_real(e_, "tsubs", k, 0.5, k);
  with_real(e_, "tmuls", k, 0.5, t);
  e_.op("tcvt", {t}, whole, down);
  e_.op("tcvt", {whole}, t, back);
  with_real(e_, "tmuls", t, 2, t);
  e_.op("tsub", {k, t}, t);
  with_real(e_, "tmuls", t, shifted ? 2 : -2, t);
  with_real(e_, "tadds", t, shifted ? -1 : 1, t);
  e_.op("tmul", {to, t}, to);
  // Of infinity, NaN: x - x is 0 for all other numbers.
  e_.op("tsub", {x, x}, t);
  with_real(e_, "tadds", t, 1, t);
  e_.op("tmul", {to, t}, to);
}

// The quotient in f32 is off by parts in 2^23; a second one of what is left, and a step, make it exact.
Tile TileMath::divided(const Tile& a, const Tile& b) {
  const Tile fa = f32(), fb = f32(), q = i32(), r = i32(), step = i32();
  const std::string cut = "{rmode = #pto<round_mode TRUNC>, sat_mode = #pto<saturation_mode ON>}";
  const std::string round = "{rmode = #pto<round_mode RINT>}";
  e_.op("tcvt", {b}, fb, round);
  e_.op("tcvt", {a}, fa, round);
  e_.op("tdiv", {fa, fb}, fa);
  e_.op("tcvt", {fa}, q, cut);
  auto rest = [&] {
    e_.op("tmul", {q, b}, r);
    e_.op("tsub", {a, r}, r);
  };
  rest();
  e_.op("tcvt", {r}, fa, round);
  e_.op("tdiv", {fa, fb}, fa);
  e_.op("tcvt", {fa}, step, cut);
  e_.op("tadd", {q, step}, q);
  rest();
  // Now |r| < 2 |b|. Too far: r has the other sign than a. Not far enough: -|r| <= -|b|, which the least
  // number has too.
  const Tile sign = i32(), t = i32();
  e_.op("txor", {r, b, step}, t);
  with_number(e_, "tshrs", t, 31, t);  // -1 where r and b have different signs, else 0
  fill(e_, sign, e_.number(1, "i32"));
  e_.op("tor", {t, sign}, sign);  // the step that brings r nearer to 0
  const Tile crossed = i32();
  e_.op("txor", {r, a, step}, crossed);
  const Tile other = compare("lt", crossed, 0), left = compare("ne", r, 0);
  const Tile too_far = both(other, left);
  e_.op("tneg", {r}, crossed);
  e_.op("tmin", {crossed, r}, crossed);
  e_.op("tneg", {b}, t);
  e_.op("tmin", {t, b}, t);
  const Tile short_of = compare("le", crossed, t);
  const Tile any = e_.temporary_like(too_far);
  e_.op("tor", {too_far, short_of}, any);
  select(any, sign, 0, step);
  e_.op("tadd", {q, step}, q);
  const Tile divisor = compare("ne", b, 0);
  const Tile result = i32();
  select(divisor, q, 0, result);
  return result;
}

Tile TileMath::compare(const std::string& how, const Tile& a, int64_t b) {
  Tile mask = e_.temporary_like(like_, "i8");
  e_.op("tcmps", {a, {e_.text.integer(b, a.form.element), a.form.element}}, mask,
        "{cmpMode = #pto<cmp " + how + ">}");
  mask.mask = true;
  return mask;
}

Tile TileMath::compare(const std::string& how, const Tile& a, const Tile& b) {
  Tile mask = e_.temporary_like(like_, "i8");
  e_.op("tcmp", {a, b}, mask, "{cmpMode = #pto<cmp " + how + ">}");
  mask.mask = true;
  return mask;
}

Tile TileMath::both(const Tile& a, const Tile& b) {
  e_.op("tand", {a, b}, a);
  return a;
}

// Every bit of it.
void TileMath::fill_mask(const Tile& to, const Scalar& value) {
  const Scalar all = e_.select(value, e_.number(-1, "i16"), e_.number(0, "i16"));
  fill(e_, halfwords(e_, to), all);
}

void TileMath::ones_where(const Tile& mask, const Tile& to) {
  const Tile ones = e_.temporary_like(mask, "f16");
  fill(e_, ones, e_.real(1, "f16"));
  choose(mask, ones, std::nullopt, e_.real(0, "f16"), to);
}

void TileMath::select(const Tile& mask, const Tile& a, int64_t otherwise, const Tile& to) {
  choose(mask, a, std::nullopt, e_.number(otherwise, a.form.element), to);
}

void TileMath::choose(const Tile& mask, const Tile& a, const std::optional<Tile>& b, const Scalar& scalar,
                      const Tile& to) {
  const bool direct = a.form.element != "bf16";
  if (!b && direct) {
    const Tile scratch = e_.temporary_like(a);
    return e_.op("tsels", {mask, a, scratch, {e_.text.name(scalar), scalar.type}}, to);
  }
  Tile other;
  if (b) {
    other = *b;
  } else {
    other = e_.temporary_like(a);
    fill(e_, other, scalar);
  }
  TileForm line;
  line.rows = 1;
  line.cols = 8;
  line.element = "i32";
  const Tile scratch = e_.temporary(line, e_.number(1), e_.number(8));
  e_.op("tsel", {mask, a, other, scratch}, to);
}

Tile TileMath::top_bit_turned(const Tile& x) {
  const Tile top = i32(), scratch = i32(), turned = i32();
  fill(e_, top, e_.number(std::numeric_limits<int32_t>::min(), "i32"));
  e_.op("txor", {x, top, scratch}, turned);
  return turned;
}

}  // namespace tilewire::target::pto
