#include "driver/execute/sources.h"

#include "ir/op.h"
#include "ir/visitor.h"

namespace tilewire::driver {
namespace {

// Finds the node at a position: a call of the named op, if there is one, or anything else.
class FindPlace final : public ir::Visitor<FindPlace> {
 public:
  FindPlace(const Span& wanted, const std::string& op) : wanted_(wanted), op_(op) {}

  // The same position in the text that was read; as it was when the program has nothing there.
  Span found() const { return call_ ? call_ : other_ ? other_ : wanted_; }

  template <class T>
  void visit(const T& node) {
    if (is_here(node.span)) {
      if constexpr (std::is_same_v<T, ir::Call>) {
        // In messages with its module: "pl.tile.load".
        if (!call_ && (op_.empty() || op_.ends_with(node.op->name))) call_ = node.span;
      }
      if (!other_) other_ = start_of(node.span);
    }
    walk_children(node);
  }

 private:
  bool is_here(const Span& span) const {
    return span.file && span.line == wanted_.line && span.column == wanted_.column &&
           span.file->name() == wanted_.file->name();
  }
  static Span start_of(const Span& span) {
    return {span.file, span.line, span.column, span.line, span.column + 1};
  }

  const Span& wanted_;
  const std::string& op_;
  Span call_, other_;
};

Span with_text(const ir::Program& program, const Span& span, const std::string& op) {
  if (!span.file || !span.file->text().empty()) return span;
  FindPlace place(span, op);
  for (const ir::FunctionRef& function : program.functions) place.walk(function);
  return place.found();
}

}  // namespace

void report_with_source(const ir::Program& program, const Diagnostic& error, Diagnostics& diags) {
  Diagnostic shown = error;
  shown.span = with_text(program, error.span, error.label);
  for (Diagnostic::Note& note : shown.notes) note.span = with_text(program, note.span, {});
  diags.report(error.id, shown.span) = shown;
}

}  // namespace tilewire::driver
