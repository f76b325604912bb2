#include "ops/check_pipes.h"

#include <algorithm>
#include <map>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/registry.h"
#include "support/diagnostics/verifier.h"
#include "support/near.h"

namespace tilewire::ops {
namespace {

using namespace ir;

struct PipeBuffers : Visitor<PipeBuffers> {
  const Op* reserve = registry().find("pl.reserve_buffer");
  const Op* import = registry().find("pl.import_peer_buffer");
  std::vector<std::string> reserved;  // names
  std::vector<const Call*> imports;

  void visit(const Call& call) {
    if (call.op == reserve) reserved.push_back(text(call, "name"));
    if (call.op == import) imports.push_back(&call);
    walk_children(call);
  }
  static std::string text(const Call& call, const char* attr) {
    return *find_attr(call.attrs, attr)->get<std::string>();
  }
};

void suggest(Diagnostic& d, const std::string& name, const std::vector<std::string>& known) {
  if (auto near = nearest(name, known)) d.with_help("did you mean `" + *near + "`?");
}

}  // namespace

void check_pipes(const Program& program, Diagnostics& diags) {
  std::map<std::string, PipeBuffers> functions;
  std::vector<std::string> names;
  for (const FunctionRef& function : program.functions) {
    functions[function->name].walk(*function);
    names.push_back(function->name);
  }
  for (const auto& [name, buffers] : functions) {
    for (const Call* call : buffers.imports) {
      const std::string peer = PipeBuffers::text(*call, "peer_func");
      const std::string buffer = PipeBuffers::text(*call, "name");
      auto found = functions.find(peer);
      if (found == functions.end()) {
        suggest(diags.report(diag::peer_function, call->span, {peer}), peer, names);
        continue;
      }
      const std::vector<std::string>& reserved = found->second.reserved;
      if (std::find(reserved.begin(), reserved.end(), buffer) != reserved.end()) continue;
      Diagnostic& d = diags.report(diag::peer_buffer, call->span, {peer, buffer});
      if (reserved.empty()) {
        d.with_help("write `pl.reserve_buffer(name=\"" + buffer + "\", size=...)` in `" + peer + "`");
      } else {
        suggest(d, buffer, reserved);
      }
    }
  }
}

}  // namespace tilewire::ops
