#include "runtime/manifest_size.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "support/integers.h"

namespace tilewire::runtime {
namespace {

using Step = SizeExpression::Step;

constexpr int deepest = 100;

struct Infix {
  std::string_view text;
  int binding;  // tighter is higher
  Step step;
};
constexpr Infix infixes[] = {
    {"<<", 1, Step::ShiftLeft}, {">>", 1, Step::ShiftRight}, {"+", 2, Step::Add},
    {"-", 2, Step::Subtract},   {"*", 3, Step::Multiply},    {"//", 3, Step::Divide},
    {"%", 3, Step::Remainder},
};

struct Function {
  std::string_view name;
  int arguments;
  Step step;
};
constexpr Function functions[] = {{"world_size", 0, Step::WorldSize},
                                  {"abs", 1, Step::Absolute},
                                  {"min", 2, Step::Least},
                                  {"max", 2, Step::Most}};

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Nothing when the result leaves 64 bits. The divisor is not 0, a shift not negative.
std::optional<int64_t> combined(Step step, int64_t a, int64_t b) {
  switch (step) {
    case Step::Add:
      return checked_add(a, b);
    case Step::Subtract:
      return checked_sub(a, b);
    case Step::Multiply:
      return checked_mul(a, b);
    case Step::Divide:
      return checked_floor_div(a, b);
    case Step::Remainder:
      return checked_floor_mod(a, b);
    case Step::ShiftLeft:
      return checked_shl(a, b);
    case Step::ShiftRight:
      return checked_shr(a, b);
    case Step::Least:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

}  // namespace

class SizeParser {
 public:
  SizeParser(std::string_view text, SizeExpression& into) : text_(text), into_(into) {}

  std::string parse() {
    if (text_.size() > SizeExpression::longest_text) return "it is longer than 4096 characters";
    expression(1);
    if (problem_.empty() && !rest().empty()) unexpected();
    return problem_;
  }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }

  bool take(std::string_view token) {
    if (!problem_.empty() || !rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  void unexpected() {
    fail(rest().empty() ? "it ends too early"
                        : "something else was expected at character " + std::to_string(at_ + 1));
  }

  void emit(Step step, int64_t number = 0) { into_.code_.push_back({step, number}); }

  void expression(int loosest) {
    if (++depth_ > deepest) fail("it nests too deep");
    if (problem_.empty()) operand();
    while (problem_.empty()) {
      const Infix* found = nullptr;
      for (const Infix& infix : infixes) {
        if (rest().starts_with(infix.text)) found = &infix;
      }
      if (!found || found->binding < loosest) break;
      at_ += found->text.size();
      expression(found->binding + 1);
      emit(found->step);
    }
    --depth_;
  }

  void operand() {
    if (take("-")) {
      expression(4);  // tighter than any infix
      emit(Step::Negate);
    } else if (take("(")) {
      expression(1);
      if (!take(")")) unexpected();
    } else if (!rest().empty() && is_digit(rest()[0])) {
      number();
    } else if (!rest().empty() && starts_name(rest()[0])) {
      name();
    } else {
      unexpected();
    }
  }

  void number() {
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number in it is too large");
    at_ = end - text_.data();
    if (at_ < text_.size() && (starts_name(text_[at_]) || text_[at_] == '.')) unexpected();
    emit(Step::Number, value);
  }

  void name() {
    size_t start = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string_view name = text_.substr(start, at_ - start);
    if (take("(")) return call(name);
    auto& names = into_.names_;
    size_t index = std::find(names.begin(), names.end(), name) - names.begin();
    if (index == names.size()) names.emplace_back(name);
    emit(Step::Name, static_cast<int64_t>(index));
  }

  void call(std::string_view name) {
    auto found = std::find_if(std::begin(functions), std::end(functions),
                              [&](const Function& function) { return function.name == name; });
    if (found == std::end(functions))
      return fail("there is no function of this name in sizes: " + std::string(name));
    for (int i = 0; i < found->arguments; ++i) {
      if (i && !take(",")) unexpected();
      if (problem_.empty()) expression(1);
    }
    if (!take(")")) unexpected();
    emit(found->step);
  }

  std::string_view text_;
  SizeExpression& into_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

std::optional<SizeExpression> SizeExpression::parse(std::string_view text, std::string& problem) {
  SizeExpression made;
  made.text_ = text;
  made.constant_.reset();
  problem = SizeParser(text, made).parse();
  if (!problem.empty()) return std::nullopt;
  bool open = std::any_of(made.code_.begin(), made.code_.end(), [](const Code& code) {
    return code.step == Step::Name || code.step == Step::WorldSize;
  });
  if (open) return made;
  auto value = made.evaluate(0, {}, problem);
  return value ? std::optional<SizeExpression>(*value) : std::nullopt;
}

std::string_view SizeExpression::missing(const SizeNames& names) const {
  for (const std::string& name : names_) {
    if (!names.contains(name)) return name;
  }
  return {};
}

std::optional<int64_t> SizeExpression::evaluate(int64_t ranks, const SizeNames& names,
                                                std::string& problem) const {
  if (constant_) return constant_;
  auto fail = [&](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  if (std::string_view name = missing(names); !name.empty()) {
    return fail("`" + std::string(name) + "` has no value");
  }
  std::vector<int64_t> stack;
  for (const Code& code : code_) {
    if (code.step == Step::Number) {
      stack.push_back(code.number);
    } else if (code.step == Step::Name) {
      stack.push_back(names.find(names_[static_cast<size_t>(code.number)])->second);
    } else if (code.step == Step::WorldSize) {
      stack.push_back(ranks);
    } else if (code.step == Step::Negate || code.step == Step::Absolute) {
      if (stack.back() == INT64_MIN) return fail("a value in it leaves 64 bits");
      if (code.step == Step::Negate || stack.back() < 0) stack.back() = -stack.back();
    } else {
      int64_t right = stack.back();
      stack.pop_back();
      if (right == 0 && (code.step == Step::Divide || code.step == Step::Remainder)) {
        return fail("it divides by zero");
      }
      if (right < 0 && (code.step == Step::ShiftLeft || code.step == Step::ShiftRight)) {
        return fail("it shifts by a negative number of bits");
      }
      auto result = combined(code.step, stack.back(), right);
      if (!result) return fail("a value in it leaves 64 bits");
      stack.back() = *result;
    }
  }
  return stack.back();
}

}  // namespace tilewire::runtime
