#include "check/unreached.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/source_names.h"
#include "check/written_places.h"
#include "interp/code.h"
#include "interp/op_table.h"
#include "ir/visitor.h"
#include "support/diagnostics/check.h"

namespace tilewire::check {
namespace {

using interp::Code;
using interp::Instr;
using interp::Opcode;
using interp::Site;

Finding finding_of(Diagnostic& said, const Tried& tried) {
  said.with_note("tried: " + tried.text);
  said.with_help(tried.help);
  return {.kind = Kind::Unreached, .diagnostic = said, .places = {}, .story = {}, .schedule = {}};
}

class Search {
 public:
  Search(const Code& entry, const ir::Program& written, const std::vector<uint8_t>& reached,
         const Tried& tried)
      : reached_(reached), tried_(tried), written_(written_places(written)) {
    look(entry);
  }

  std::vector<Finding> take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      const Span &x = a.diagnostic.span, &y = b.diagnostic.span;
      return std::tie(x.line, x.column) < std::tie(y.line, y.column);
    });
    return std::move(found_);
  }

 private:
  bool ran(const Code& code, uint32_t pc) const { return reached_[code.first + pc] != 0; }
  static std::pair<SourcePlace, bool> place_of_branch(const Code::Branch& branch) {
    return {place_of(*branch.node), branch.holds};
  }
  // A function that is inlined, or called from several places, ran if one of its copies did.
  bool ran_somewhere(const ir::Node& node) const { return ran_.count(place_of(node)) != 0; }

  void note_ran(const Code& code, std::set<const Code*>& seen) {
    if (!seen.insert(&code).second) return;
    if (ran(code, 0)) ran_.insert(place_of(*code.node));
    for (const Code::Loop& loop : code.loops) {
      if (ran(code, loop.begin)) ran_.insert(place_of(*loop.node));
    }
    for (const Code::Branch& branch : code.branches) {
      if (branch.begin < branch.end && ran(code, branch.begin)) taken_.insert(place_of_branch(branch));
    }
    for (uint32_t pc = 0; pc < code.instrs.size(); ++pc) {
      const Instr& instr = code.instrs[pc];
      if (instr.code != Opcode::Call) continue;
      if (instr.site->blocks != interp::no_slot && ran(code, pc)) ran_.insert(place_of(*instr.node));
      note_ran(*instr.site->callee, seen);
    }
  }

  void look(const Code& entry) {
    std::set<const Code*> seen;
    note_ran(entry, seen);
    visit(entry);
  }

  void visit(const Code& code) {
    if (!visited_.insert(&code).second) return;
    uint32_t skip = 0;  // up to the end of a loop that was told
    for (const Code::Loop& loop : code.loops) {
      if (loop.begin < skip || ran_somewhere(*loop.node)) continue;
      add(*loop.node, "the body of this loop");
      skip = loop.end;
      skipped_[&code].emplace_back(loop.begin, loop.end);
    }
    for (const Code::Branch& branch : code.branches) {
      if (is_skipped(code, branch.begin) || taken_.count(place_of_branch(branch)) ||
          !communicates(code, branch.begin, branch.end)) {
        continue;
      }
      add(*branch.node, branch.holds ? "this branch, which communicates,"
                                     : "the `else` of this branch, which communicates,");
      skipped_[&code].emplace_back(branch.begin, branch.end);
    }
    for (uint32_t pc = 0; pc < code.instrs.size(); ++pc) {
      const Instr& instr = code.instrs[pc];
      if (instr.code == Opcode::Call && !is_skipped(code, pc)) visit_call(instr);
    }
  }

  void visit_call(const Instr& instr) {
    const Site& site = *instr.site;
    const Code& callee = *site.callee;
    if (site.blocks != interp::no_slot && !ran_somewhere(*instr.node)) {
      return add(*instr.node, "this launch");
    }
    if (callee.function && !ran_somewhere(*callee.node)) return add(*callee.node, "`" + callee.name + "`");
    visit(callee);
  }

  // Whether these instructions wait, notify or touch a peer. What they call is told as a function.
  static bool communicates(const Code& code, uint32_t begin, uint32_t end) {
    return std::any_of(code.instrs.begin() + begin, code.instrs.begin() + end,
                       [](const Instr& instr) { return instr.code == Opcode::Op && instr.entry->visible; });
  }

  bool is_skipped(const Code& code, uint32_t pc) const {
    auto own = skipped_.find(&code);
    if (own == skipped_.end()) return false;
    return std::any_of(own->second.begin(), own->second.end(),
                       [pc](const auto& range) { return pc >= range.first && pc < range.second; });
  }

  void add(const ir::Node& node, const std::string& what) {
    if (!written_.has(node) || !told_.insert(place_of(node)).second) return;
    Diagnostics diags;
    found_.push_back(finding_of(diags.report(diag::check_unreached, node.span, {what}), tried_));
  }

  const std::vector<uint8_t>& reached_;
  const Tried& tried_;
  const WrittenPlaces written_;
  std::set<SourcePlace> ran_, told_;
  std::set<std::pair<SourcePlace, bool>> taken_;
  std::set<const Code*> visited_;
  std::map<const Code*, std::vector<std::pair<uint32_t, uint32_t>>> skipped_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> unreached(const ir::ProgramRef& program, const ir::Program& written,
                               std::string_view entry, const std::vector<uint8_t>& reached,
                               const Tried& tried) {
  Diagnostics diags;
  auto image = interp::Image::make(program, entry, diags, source_names(written, *program));
  if (!image || reached.size() != image->instr_count()) return {};
  return Search(image->entry(), written, reached, tried).take();
}

Finding one_round(const Walk& walk, const Tried& tried) {
  Diagnostics diags;
  const char* what = walk.launch ? "a second block of this launch" : "a second round of this loop";
  return finding_of(diags.report(diag::check_one_round, walk.node->span, {what}), tried);
}

void drop_reached_elsewhere(const std::vector<Report*>& reports) {
  using Key = std::tuple<std::string, uint32_t, uint32_t>;
  auto key = [](const Finding& finding) {
    const Span& span = finding.diagnostic.span;
    return Key{span.file ? std::string(span.file->name()) : "", span.line, span.column};
  };
  std::map<Key, size_t> counts;
  for (const Report* report : reports) {
    for (const Finding& finding : report->findings) {
      if (finding.kind == Kind::Unreached) ++counts[key(finding)];
    }
  }
  for (Report* report : reports) {
    std::erase_if(report->findings, [&](const Finding& finding) {
      return finding.kind == Kind::Unreached && counts[key(finding)] < reports.size();
    });
  }
}

}  // namespace tilewire::check
