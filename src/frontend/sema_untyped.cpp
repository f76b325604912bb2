#include "frontend/sema_untyped.h"

#include <algorithm>
#include <cctype>

#include "frontend/sema_function.h"
#include "frontend/sema_name.h"
#include "ir/function_kinds.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// Host functions start before orchestration functions, and these before kernels.
int level_of(const FunctionInfo& info) {
  return is_host(info.type) ? 2 : is_orchestration(info.type) ? 1 : 0;
}

bool is_in(std::string_view name, std::string_view text) {
  auto is_part = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + name.size())) return true;
  }
  return false;
}

// Whether a function whose body is not read yet seems to use the name as a bound of loops.
bool is_bound_of_loops(const FunctionInfo& info, std::string_view name) {
  const SourceFile& file = *info.scope->tree->file;
  const auto lines = static_cast<uint32_t>(std::count(file.text().begin(), file.text().end(), '\n'));
  const Span at = info.scope->tree->span(info.def->name_range);
  for (uint32_t number = at.end_line + 1; number <= file.first_line() + lines; ++number) {
    const std::string_view line = file.line(number);
    if (!line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != ')' && line[0] != '#') return false;
    for (std::string_view loop : {"range(", "parallel(", "unroll(", "pipeline(", "spmd("}) {
      const size_t begin = line.find(loop);
      if (begin != std::string_view::npos && is_in(name, line.substr(begin + loop.size()))) return true;
    }
  }
  return false;
}

void report_without_types(Sema& sema, const FunctionInfo& info, const std::vector<const Param*>& params) {
  const std::string first = sema.name_of(params[0]->name);
  std::string others, options;
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string name = sema.name_of(params[i]->name);
    if (i > 0) others += (i == 1 ? "`" : i + 1 == params.size() ? " and `" : ", `") + name + "`";
    options += " --shape " + name + (is_bound_of_loops(info, name) ? "=INDEX" : "=16x256:FP32");
  }
  Diagnostic& d = sema.report(diag::parameter_without_type, params[0]->range, {first, info.name});
  if (!others.empty()) d.with_label("nor " + std::string(params.size() == 2 ? "has " : "have ") + others);
  const std::string type =
      is_bound_of_loops(info, first) ? "pl.Scalar[pl.INDEX]" : "pl.Tensor[[16, 256], pl.FP32]";
  d.with_help(std::string(params.size() == 1 ? "annotate it" : "annotate them") + ", `" + first + ": " +
              type + "`, or give " + (params.size() == 1 ? "its type" : "their types") + ":" + options);
}

}  // namespace

void report_never_called(Sema& sema, const std::vector<FunctionInfo*>& roots) {
  bool any = false;
  for (const FunctionInfo* info : sema.order) any = any || !info->versions.empty();
  int start = 0;
  for (const FunctionInfo* info : roots) start = std::max(start, level_of(*info));
  const bool is_entry_given = !sema.options.entry.empty();
  for (FunctionInfo* info : roots) {
    if (info->type == ir::FunctionType::Inline || !info->versions.empty()) continue;
    sema.current_scope = info->scope;
    const bool is_entry = is_entry_given && info->name == sema.options.entry;
    const bool starts = !any && (is_entry_given ? is_entry : level_of(*info) == start);
    const bool top = info->type == ir::FunctionType::Host || is_entry || starts;
    if (!top && !any) continue;
    std::vector<const Param*> without;
    for (const Param& param : info->params()) {
      auto declared = param_annotation(sema, *info, param);
      if (!declared || !declared->type) without.push_back(&param);
    }
    if (without.empty()) continue;
    if (top) {
      report_without_types(sema, *info, without);
      continue;
    }
    const std::string name = sema.name_of(without[0]->name);
    sema.report(diag::never_called, without[0]->range, {name, info->name})
        .with_help("annotate it, `" + name + ": pl.Tensor[[16, 256], pl.FP32]`, or give its type: --shape " +
                   name + "=16x256:FP32");
  }
}

}  // namespace tilewire::frontend
