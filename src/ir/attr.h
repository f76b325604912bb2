// Compile-time attributes of calls and functions: keyword values that are not IR expressions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/dtype.h"
#include "ir/enums.h"

namespace tilewire::ir {

struct AttrValue;
using AttrValueList = std::vector<AttrValue>;

struct AttrValue {
  // The order of alternatives is stored in serialised IR: append only.
  std::variant<bool, int64_t, double, std::string, DType, EnumValue, AttrValueList> value;

  bool operator==(const AttrValue&) const = default;
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

// Sorted by the order of the op's declaration (calls) or by name (functions); values equal to the default
// are left out, so equal calls have equal lists.
using AttrList = std::vector<std::pair<std::string, AttrValue>>;

const AttrValue* find_attr(const AttrList& attrs, std::string_view name);
// As a program writes it: `True`, `3`, `"text"`, `pl.FP32`, `pld.NotifyOp.Set`, `[1, 2]`.
std::string to_string(const AttrValue& value);
// A Python string literal that reads back to `text`.
std::string quote(std::string_view text);
// The shortest text of a float that reads back to the same double; `float("inf")`, `float("nan")`.
std::string float_text(double value);

}  // namespace tilewire::ir
