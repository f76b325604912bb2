#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/wrapped.h"
#include "ops/reference.h"
#include "ops/registry.h"
#include "support/diagnostics/command.h"

namespace tilewire::cli {
namespace {

std::string description(const ir::Op& op) {
  std::string out = wrapped(ops::signature(op), 0) + "\n" + wrapped(op.doc, 2);
  if (!op.params.empty()) out += "\nparameters\n";
  for (const ir::OpParam& param : op.params) {
    out += wrapped(param.name + ": " + ops::describe(param), 2) + wrapped(param.doc, 6);
  }
  out += "\n";
  auto row = [&](std::string_view title, const std::string& text) {
    out += std::string(title) + std::string(12 - title.size(), ' ') + wrapped(text, 12).substr(12);
  };
  if (!op.result_doc.empty()) row("result", op.result_doc);
  row("allowed in", ir::describe_levels(op.levels));
  if (!op.infix.empty()) row("operator", op.infix);
  std::string aliases;
  for (const std::string& alias : op.aliases) {
    aliases += (aliases.empty() ? "" : ", ") + op.module + "." + alias;
  }
  if (!aliases.empty()) row("also", aliases);
  std::string_view title = "effects";
  for (const ir::Effect& effect : op.effects) {
    row(title, ops::describe(op, effect));
    title = "";
  }
  if (op.result_alias >= 0) {
    row("storage", "the result is `" + op.params.at(op.result_alias).name + "` itself");
  }
  return out;
}

void list_all() {
  std::vector<ops::Family> families = ops::families(ops::registry());
  size_t width = 0, count = 0;
  for (const ops::Family& family : families) {
    for (const ir::Op* op : family.ops) width = std::max(width, op->qualified().size());
    count += family.ops.size();
  }
  for (const ops::Family& family : families) {
    std::printf("%s\n", family.name.c_str());
    for (const ir::Op* op : family.ops) {
      std::string name = op->qualified();
      std::string text(ops::summary(*op));
      size_t room = line_width - width - 4;
      if (text.size() > room) text = text.substr(0, text.rfind(' ', room - 3)) + "...";
      std::printf("  %s%s  %s\n", name.c_str(), std::string(width - name.size(), ' ').c_str(), text.c_str());
    }
    std::printf("\n");
  }
  std::printf("%zu ops. `tilewire ops NAME` describes one.\n", count);
}

}  // namespace

int ops(const std::string& name) {
  if (name.empty()) {
    list_all();
    return Fine;
  }
  std::vector<const ir::Op*> found = ops::named(ops::registry(), name);
  if (found.empty()) {
    Diagnostics diags;
    Diagnostic& d = diags.report(diag::no_such_op, {}, {name});
    std::string names;
    for (const std::string& near : ops::similar(ops::registry(), name)) {
      names += (names.empty() ? "`" : ", `") + near + "`";
    }
    d.with_help(names.empty() ? "run `tilewire ops` for a list" : "did you mean " + names + "?");
    std::fputs(diags.text().c_str(), stderr);
    return WrongUsage;
  }
  for (const ir::Op* op : found) {
    if (op != found.front()) std::printf("\n%s\n\n", std::string(line_width, '-').c_str());
    std::fputs(description(*op).c_str(), stdout);
  }
  return Fine;
}

}  // namespace tilewire::cli
