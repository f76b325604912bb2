// docs/ops.md and docs/diagnostics.md.
#include "ops/reference.h"

#include <algorithm>
#include <cstdio>

#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/explanations.h"
#include "tools/generators.h"

namespace tilewire::tools {
namespace {

// In a table cell a bar or a line break would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

// The anchor that GitHub generates for a heading with this text.
std::string anchor(std::string_view heading) {
  std::string out;
  for (char c : heading) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-') {
      out += c;
    } else if (c == ' ') {
      out += '-';
    }
  }
  return out;
}

void write_op(std::string& out, const ir::Op& op) {
  out += "### " + op.qualified() + "\n\n```python\n" + ops::signature(op) + "\n```\n\n" + op.doc + "\n";
  if (!op.params.empty()) {
    out += "\n| parameter | takes | |\n|---|---|---|\n";
    for (const ir::OpParam& param : op.params) {
      out += "| `" + param.name + "` | " + cell(ops::describe(param)) + " | " + cell(param.doc) + " |\n";
    }
  }
  out += "\n";
  if (!op.result_doc.empty()) out += "- result: " + op.result_doc + "\n";
  out += "- allowed in: " + ir::describe_levels(op.levels) + "\n";
  if (!op.infix.empty()) out += "- operator: `" + op.infix + "`\n";
  if (!op.aliases.empty()) {
    out += "- also written:";
    for (const std::string& alias : op.aliases) {
      out += (&alias == &op.aliases.front() ? " `" : ", `") + op.module + "." + alias + "`";
    }
    out += "\n";
  }
  for (const ir::Effect& effect : op.effects) out += "- " + ops::describe(op, effect) + "\n";
  if (op.result_alias >= 0) {
    out += "- the result names the same storage as `" + op.params.at(op.result_alias).name + "`\n";
  }
  out += "\n";
}

std::string_view section_title(int code) {
  switch (code / 100) {
    case 1:
      return "Syntax";
    case 3:
      return "Arguments of ops";
    case 4:
      return "Invalid IR";
    case 5:
      return "Serialised programs";
    case 6:
      return "The command";
    case 10:
    case 11:
      return "Names, types and structure";
    case 20:
      return "Compiling";
    case 21:
      return "Running";
    case 22:
      return "Building and loading";
    case 23:
      return "Native code";
    case 24:
      return "Manifests and bundles";
    case 25:
      return "What the checker finds";
    case 26:
    case 27:
      return "PTO";
    default:
      return "Other";
  }
}

}  // namespace

std::string ops_reference() {
  std::string out =
      "# Ops\n\nMade from the op registry by `tilewire-generate`; `tilewire ops NAME` shows the same in a "
      "terminal.\n`pl` is `tilewire.language`, `pld` is `tilewire.language.distributed`. An op of a family "
      "may be "
      "written without it\nwhere its operands tell which is meant: `pl.add(a, b)` is `pl.tile.add` for "
      "tiles.\n\n";
  std::vector<ops::Family> families = ops::families(ops::registry());
  for (const ops::Family& family : families) {
    out += "- [" + family.name + "](#" + anchor(family.name) + "):";
    for (const ir::Op* op : family.ops) {
      std::string_view name = op->name;
      out += (op == family.ops.front() ? " [" : ", [") + std::string(name.substr(name.rfind('.') + 1)) +
             "](#" + anchor(op->qualified()) + ")";
    }
    out += "\n";
  }
  for (const ops::Family& family : families) {
    out += "\n## " + family.name + "\n\n";
    for (const ir::Op* op : family.ops) write_op(out, *op);
    out.pop_back();
  }
  return out;
}

std::string diagnostics_reference() {
  std::vector<Diag> diags = all_diags();
  std::string out =
      "# Diagnostics\n\nAll messages of Tilewire, generated from its table of diagnostics by "
      "`tilewire-generate`.\nThe meaning of a code never changes. `...` stands for a part of the program or "
      "a value.\n";
  std::string_view title;
  for (Diag diag : diags) {
    const DiagInfo& info = diag_info(diag);
    if (section_title(info.code) != title) {
      title = section_title(info.code);
      out += "\n## " + std::string(title) + "\n";
    }
    out += "\n### " + code_text(diag) + "\n\n" +
           (info.severity == Severity::Error ? "Error: " : "Warning: ") + text_with_dots(info) + "\n";
    if (!explanation(diag).empty()) out += "\n" + std::string(explanation(diag)) + "\n";
    if (!info.example.empty()) out += "\n```python\n" + std::string(info.example) + "\n```\n";
  }
  return out;
}

}  // namespace tilewire::tools
