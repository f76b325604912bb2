// The size of a window buffer: a number of bytes, or an expression in Python syntax that is evaluated when a
// program is called, such as `4 * world_size() * N`.
//
// Names are dimensions and integer scalar parameters. There are + - * // % << >>, unary minus, min, max, abs
// and world_size(); arithmetic is on 64 bits and checked. Any text may be parsed: memory and stack stay in
// proportion to its length, which is limited, as is nesting.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire::runtime {

// Values of the names in sizes.
using SizeNames = std::map<std::string, int64_t, std::less<>>;

class SizeExpression {
 public:
  static constexpr size_t longest_text = 4096;

  SizeExpression(int64_t bytes = 0) : text_(std::to_string(bytes)), constant_(bytes) {}
  // An expression of only constants is a constant. Empty if it is not an expression; `problem` is set to why.
  static std::optional<SizeExpression> parse(std::string_view text, std::string& problem);

  const std::string& text() const { return text_; }
  std::optional<int64_t> constant() const { return constant_; }

  // Empty if it overflows 64 bits, divides by zero or uses a name without a value; `problem` is set to which.
  std::optional<int64_t> evaluate(int64_t ranks, const SizeNames& names, std::string& problem) const;
  // The first name in it that has no value; empty when all have one.
  std::string_view missing(const SizeNames& names) const;

  bool operator==(const SizeExpression& other) const { return text_ == other.text_; }

  enum class Step : uint8_t {
    Number,
    Name,
    WorldSize,
    Negate,
    Absolute,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Least,
    Most
  };

  // Postfix: operands before the operation. Empty for constants.
  struct Code {
    Step step;
    int64_t number;  // or the index of a name
  };
  const std::vector<Code>& code() const { return code_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  friend class SizeParser;

  std::string text_;
  std::optional<int64_t> constant_;
  std::vector<Code> code_;
  std::vector<std::string> names_;
};

}  // namespace tilewire::runtime
