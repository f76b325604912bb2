// Messages to users about their programs.
//
// Every message is one row of a table in support/diagnostics: a stable code, a severity and a text with {0},
// {1} for its arguments. Code reports a row, `diag::name` from the header of its section; it never invents a
// message. Text is lower case, code in back-ticks, no full stop. Rendering:
//
//     error[TW0312]: `pld.tensor.allreduce` needs a window, got a plain tensor
//       --> mlp.py:41:12
//        |
//     41 |     y = pld.tensor.allreduce(x, sig)
//        |                              ^ `x` is pl.Tensor[[1, 256], pl.FP32]
//        = help: put `x` in a window: ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace tilewire {

enum class Severity : uint8_t { Error, Warning };

// The code of a row. Rows are named only in the headers of their sections (support/diagnostics/ops.h
// and so on), so that a new row rebuilds only the sources that report that section.
enum class Diag : uint16_t {};

struct DiagInfo {
  int code;
  std::string_view name;
  Severity severity;
  std::string_view text;     // with {0}, {1}, ... for the arguments
  std::string_view example;  // a line of program that triggers it, for docs/diagnostics.md
};

const DiagInfo& diag_info(Diag diag);
std::vector<Diag> all_diags();  // codes ascending

struct Diagnostic {
  Diag id;
  Severity severity;
  Span span;
  std::string message;
  std::string label;  // beside the caret: what was found there
  struct Note {
    Span span;  // may be empty
    std::string text;
  };
  std::vector<Note> notes;
  std::vector<std::string> helps;  // what to write instead

  Diagnostic& with_label(std::string text) &;
  Diagnostic& with_note(std::string text, Span at = {}) &;
  Diagnostic& with_help(std::string text) &;
};

// The whole text of one diagnostic as shown to the user, with a newline at its end.
std::string render(const Diagnostic& diagnostic);

// Collects what is reported, in the order of reporting.
class Diagnostics {
 public:
  // The reference is valid until the next report. An equal message at an equal place is kept once, and after
  // `limit` errors, or as many warnings, no more are kept: follow-up errors must not bury the user.
  Diagnostic& report(Diag id, const Span& span, std::vector<std::string> arguments = {});

  bool has_errors() const { return error_count_ != 0; }
  size_t error_count() const { return error_count_; }
  bool full() const { return error_count_ >= limit; }
  const std::vector<Diagnostic>& all() const { return all_; }
  void append(const Diagnostics& other);
  // Adds a note to everything reported until the matching pop: where an inlined function was called.
  void push_context(std::string text, Span at) { contexts_.push_back({std::move(at), std::move(text)}); }
  void pop_context() { contexts_.pop_back(); }
  // All diagnostics rendered, a blank line between two, and "N errors" at the end when more than one.
  std::string text() const;

  static constexpr size_t limit = 50;

 private:
  Diagnostic& add(Diagnostic diagnostic);

  std::vector<Diagnostic> all_;
  std::vector<Diagnostic> dropped_;  // receives what is not kept
  std::vector<Diagnostic::Note> contexts_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
};

// Reports a broken invariant of Tilewire itself, with its place; never used for errors of users.
[[noreturn]] void internal_error(const char* file, int line, const std::string& what);
#define TW_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::tilewire::internal_error(__FILE__, __LINE__, what))

// `{0}` in `text` replaced by arguments[0] and so on.
std::string expand(std::string_view text, const std::vector<std::string>& arguments);

}  // namespace tilewire
