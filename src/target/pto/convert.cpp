#include "target/pto/convert.h"

#include <limits>

namespace tilewire::target::pto {

using namespace ir;

namespace {

bool is_byte(DType dtype) {
  return dtype == DType::Int8 || dtype == DType::UInt8;
}

std::string rounding(RoundMode mode) {
  static constexpr const char* names[] = {"RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"};
  return std::string("{rmode = #pto<round_mode ") + names[static_cast<size_t>(mode)] + ">}";
}
std::string saturating(RoundMode mode) {
  std::string text = rounding(mode);
  text.pop_back();
  return text + ", sat_mode = #pto<saturation_mode ON>}";
}
constexpr const char* exact = "{rmode = #pto<round_mode NONE>}";

class Converter {
 public:
  Converter(FunctionEmitter& e, RoundMode mode, const Span& at) : e_(e), mode_(mode), at_(at) {}

  void run(const Tile& from, DType a, const Tile& to, DType b) {
    if (bits(a) == bits(b) && is_float(a) == is_float(b) && (a == b || !is_float(a)))
      return same_bytes(from, to);
    if (is_float(a) && is_float(b)) return floats(from, a, to, b);
    if (is_float(a)) return to_integer(from, a, to, b);
    if (is_float(b)) return to_float(from, a, to, b);
    integers(from, a, to, b);
  }

 private:
  Tile as(const Tile& like, const std::string& element) { return e_.temporary_like(like, element); }
  void cvt(const Tile& from, const Tile& to, const std::string& how) { e_.op("tcvt", {from}, to, how); }

  void same_bytes(const Tile& from, const Tile& to) {
    Tile pair[] = {e_.with_element(from, to.form.element), to};
    if (pair[0].memory == to.memory) return;
    e_.agree(pair);
    e_.op("tmov", {pair[0]}, pair[1]);
  }

  void floats(const Tile& from, DType a, const Tile& to, DType b) {
    if (a == DType::FP32) return cvt(from, to, rounding(mode_));
    if (b == DType::FP32) return cvt(from, to, exact);
    const Tile wide = as(from, "f32");
    cvt(from, wide, exact);
    cvt(wide, to, rounding(mode_));
  }

  // --- float to integer: saturating, so no scratch tile is needed

  void to_integer(const Tile& from, DType a, const Tile& to, DType b) {
    const bool half_direct = b == DType::Int8 || b == DType::UInt8 || b == DType::Int16 || b == DType::Int32;
    if (a == DType::FP16 && half_direct) return cvt(from, to, saturating(mode_));
    Tile wide = from;
    if (a != DType::FP32) {
      wide = as(from, "f32");
      cvt(from, wide, exact);
    }
    if (b == DType::Int16 || b == DType::Int32 || b == DType::Int64) return cvt(wide, to, saturating(mode_));
    if (b == DType::UInt32 || b == DType::UInt64) return refuse(a, b);
    const Tile whole = as(from, "i32");
    cvt(wide, whole, saturating(mode_));
    const bool is_signed = info(b).is_signed;
    const int64_t top = is_signed ? (int64_t{1} << (bits(b) - 1)) - 1 : (int64_t{1} << bits(b)) - 1;
    with_number(e_, "tmaxs", whole, is_signed ? -top - 1 : 0, whole);
    with_number(e_, "tmins", whole, top, whole);
    from_i32(whole, to, b);
  }

  // --- integer to float

  void to_float(const Tile& from, DType a, const Tile& to, DType b) {
    if (is_byte(a)) {
      if (b == DType::FP16) return cvt(from, to, exact);
      const Tile half = as(from, "f16");
      cvt(from, half, exact);
      return floats(half, DType::FP16, to, b);
    }
    if (a == DType::Int16 && b == DType::FP16) return cvt(from, to, rounding(mode_));
    const Tile wide = b == DType::FP32 ? to : as(from, "f32");
    if (a == DType::Int16 || a == DType::Int32 || a == DType::Int64) {
      cvt(from, wide, rounding(mode_));
    } else if (a == DType::UInt16) {
      const Tile whole = as(from, "i32");
      to_i32(from, a, whole);
      cvt(whole, wide, rounding(mode_));
    } else if (a == DType::UInt32) {
      halves(from, wide);
    } else {
      return refuse(a, b);
    }
    if (b != DType::FP32) floats(wide, DType::FP32, to, b);
  }

  // 65536 * high + low: one rounding, of the sum.
  void halves(const Tile& from, const Tile& to) {
    const Tile bits = signless(e_, from), low = as(from, "i32"), mask = as(from, "i32"),
               high = as(from, "f32");
    fill(e_, mask, e_.number(65535, "i32"));
    e_.op("tand", {bits, mask}, low);
    with_number(e_, "tshrs", bits, 16, mask);  // keeps the sign
    const Tile top = as(from, "i32");
    fill(e_, top, e_.number(65535, "i32"));
    e_.op("tand", {mask, top}, mask);
    cvt(mask, high, rounding(RoundMode::Rint));
    with_real(e_, "tmuls", high, 65536, high);
    cvt(low, to, rounding(RoundMode::Rint));
    e_.op("tadd", {high, to}, to);
  }

  // --- integer to integer: wrapping, by way of i32

  void integers(const Tile& from, DType a, const Tile& to, DType b) {
    if (b == DType::Int64 || b == DType::UInt64) {
      if (a == DType::UInt32) return refuse(a, b);
      if (a == DType::Int32) return cvt(from, to, exact);
      const Tile whole = as(from, "i32");
      to_i32(from, a, whole);
      return cvt(whole, to, exact);
    }
    if (is_byte(a) && b == DType::Int16) {
      const Tile half = as(from, "f16");
      cvt(from, half, exact);
      return cvt(half, to, saturating(RoundMode::Rint));
    }
    if ((a == DType::Int32 || a == DType::UInt32) && bits(b) < 32) {
      const Tile whole = as(from, "i32");
      same_bytes(signless(e_, from), whole);
      return from_i32(whole, to, b);
    }
    if (bits(b) == 32) return to_i32(from, a, signless(e_, to));
    const Tile whole = as(from, "i32");
    to_i32(from, a, whole);
    from_i32(whole, to, b);
  }

  void to_i32(const Tile& from, DType a, const Tile& to) {
    switch (a) {
      case DType::Int8:
      case DType::UInt8: {
        const Tile half = as(from, "f16");
        cvt(from, half, exact);
        return cvt(half, to, saturating(RoundMode::Rint));
      }
      case DType::Int16:
        return cvt(from, to, exact);
      case DType::UInt16: {
        const Tile mask = as(from, "i32");
        fill(e_, mask, e_.number(65535, "i32"));
        cvt(signless(e_, from), to, exact);
        return e_.op("tand", {to, mask}, to);
      }
      case DType::Int64:
      case DType::UInt64: {
        // The lower halves.
        TileForm form = from.form;
        form.element = "i32";
        form.cols *= 2;
        const Extent cols = e_.mul(from.cols, e_.number(2));
        const Tile pairs = e_.seen_as(from, form, from.rows, cols);
        e_.text.line("pto.tgather ins(" + pairs.name + ", {maskPattern = #pto.mask_pattern<P0101>} : " +
                     pairs.type() + ", \"row\") outs(" + to.name + " : " + to.type() + ")");
        return;
      }
      default:
        return same_bytes(signless(e_, from), to);
    }
  }

  // The lower bits of `whole`, which is changed.
  void from_i32(const Tile& whole, const Tile& to, DType b) {
    if (bits(b) == 32) return same_bytes(whole, signless(e_, to));
    if (b == DType::UInt8) {
      const Tile mask = as(whole, "i32");
      fill(e_, mask, e_.number(255, "i32"));
      e_.op("tand", {whole, mask}, whole);
    } else {
      with_number(e_, "tshls", whole, 32 - bits(b), whole);
      with_number(e_, "tshrs", whole, 32 - bits(b), whole);
    }
    if (bits(b) == 16) return cvt(whole, signless(e_, to), saturating(RoundMode::Trunc));
    const Tile middle = as(whole, "i16"), half = as(whole, "f16");
    cvt(whole, middle, saturating(RoundMode::Trunc));
    cvt(middle, half, rounding(RoundMode::Rint));
    cvt(half, to, saturating(RoundMode::Trunc));
  }

  void refuse(DType a, DType b) {
    e_.refuse(at_, "a conversion of " + std::string(info(a).name) + " to " + std::string(info(b).name),
              "no chain of conversions of a3 gives it");
  }

  FunctionEmitter& e_;
  const RoundMode mode_;
  const Span& at_;
};

}  // namespace

Domain domain_of(DType dtype) {
  if (dtype == DType::BF16) return {DType::FP32, "f32"};
  if (is_byte(dtype)) return {DType::Int16, "i16"};
  return {dtype, element_text(dtype)};
}

Domain wide_domain_of(DType dtype) {
  return is_float(dtype) ? Domain{DType::FP32, "f32"} : domain_of(dtype);
}

void convert(FunctionEmitter& e, const Tile& from, DType from_dtype, const Tile& to, DType to_dtype,
             RoundMode mode, const Span& at) {
  Converter(e, mode, at).run(from, from_dtype, to, to_dtype);
}

Tile widened(FunctionEmitter& e, const Tile& tile, DType dtype, const Domain& domain, const Span& at) {
  if (domain.dtype == dtype) return tile;
  const Tile wide = e.temporary_like(tile, domain.element);
  convert(e, tile, dtype, wide, domain.dtype, RoundMode::Rint, at);
  return wide;
}

void narrowed(FunctionEmitter& e, const Tile& from, const Domain& domain, const Tile& to, DType dtype,
              const Span& at) {
  if (domain.dtype == dtype) {
    Tile pair[] = {from, to};
    if (from.memory == to.memory) return;
    e.agree(pair);
    return e.op("tmov", {pair[0]}, pair[1]);
  }
  convert(e, from, domain.dtype, to, dtype, RoundMode::Rint, at);
}

Scalar widened(FunctionEmitter& e, const Scalar& scalar, DType dtype, const Domain& domain) {
  if (domain.dtype == dtype) return scalar;
  if (is_float(dtype)) return e.converted(scalar, dtype, domain.dtype);
  if (scalar.integer && dtype == DType::UInt8)
    return e.number(*scalar.integer & 255, scalar_text(domain.dtype));
  return e.as_integer(scalar, scalar_text(domain.dtype), info(dtype).is_signed);
}

Tile signless(FunctionEmitter& e, const Tile& tile) {
  return tile.form.element.starts_with("u") ? e.with_element(tile, tile.form.element.substr(1)) : tile;
}

void fill(FunctionEmitter& e, const Tile& to, const Scalar& value) {
  e.op("texpands", {{e.text.name(value), value.type}}, signless(e, to));
}

void fill_everywhere(FunctionEmitter& e, const Tile& to, int64_t bits) {
  const int64_t bytes = element_bytes(to.form.element);
  TileForm form = to.form;
  form.element = bytes == 1 ? "i16" : bytes == 8 ? "i32" : bytes == 4 ? "i32" : "i16";
  form.cols = form.cols * bytes / element_bytes(form.element);
  if (bytes == 1) bits = static_cast<int16_t>((bits & 255) * 257);
  // All of the memory: what is not valid is of no matter.
  const bool same = bytes == 2 || bytes == 4;
  const Tile all =
      e.seen_as(to, form, same ? to.rows : e.number(form.rows), same ? to.cols : e.number(form.cols));
  fill(e, all, e.number(bits, form.element));
}

void with_number(FunctionEmitter& e, const std::string& op, const Tile& from, int64_t value, const Tile& to) {
  e.op(op, {from, {e.text.integer(value, from.form.element), from.form.element}}, to);
}

void with_real(FunctionEmitter& e, const std::string& op, const Tile& from, double value, const Tile& to) {
  e.op(op, {from, {e.text.real(value, from.form.element), from.form.element}}, to);
}

}  // namespace tilewire::target::pto
