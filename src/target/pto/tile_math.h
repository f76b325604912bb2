// What is built from several ops of the dialect: functions of elements, exact division, choices.
#pragma once

#include <optional>

#include "target/pto/emitter.h"

namespace tilewire::target::pto {

class TileMath {
 public:
  // Tiles of the shape of `like`, which is a row if it is a column.
  TileMath(FunctionEmitter& e, const Tile& like) : e_(e), like_(like) {}

  // Of f32; `to` must not be `x`.
  void sigmoid(const Tile& x, const Tile& to);
  void tanh(const Tile& x, const Tile& to);
  void sine(const Tile& x, const Tile& to, bool shifted);  // shifted by a quarter: the cosine
  // Of i32: towards zero, 0 for a zero divisor. A new tile.
  Tile divided(const Tile& a, const Tile& b);

  // Masks.
  Tile compare(const std::string& how, const Tile& a, int64_t b);  // of i16 or i32
  Tile compare(const std::string& how, const Tile& a, const Tile& b);
  Tile both(const Tile& a, const Tile& b);
  void fill_mask(const Tile& to, const Scalar& value);
  void ones_where(const Tile& mask, const Tile& to);  // f16: 1 where it holds, else 0
  // `a` where the mask holds, else the number.
  void select(const Tile& mask, const Tile& a, int64_t otherwise, const Tile& to);
  void choose(const Tile& mask, const Tile& a, const std::optional<Tile>& b, const Scalar& scalar,
              const Tile& to);

  // Of i32: order as signed numbers is that as unsigned ones before.
  Tile top_bit_turned(const Tile& x);

 private:
  Tile f32() { return e_.temporary_like(like_, "f32"); }
  Tile i32() { return e_.temporary_like(like_, "i32"); }
  // `sum` becomes c[0] + x (c[1] + x (...)).
  void polynomial(const Tile& x, std::initializer_list<double> c, const Tile& sum);

  FunctionEmitter& e_;
  const Tile like_;
};

bool is_byte_element(const Tile& tile);
// The same bytes as i16, or the tile itself if it is i16.
Tile halfwords(FunctionEmitter& e, const Tile& tile);
// The result of a call is the mask in that tile.
void name_mask(FunctionEmitter& e, const ir::Var& result, Tile mask);

}  // namespace tilewire::target::pto
