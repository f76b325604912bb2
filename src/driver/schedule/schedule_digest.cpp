#include "driver/schedule/schedule_digest.h"

#include <map>
#include <set>
#include <vector>

#include "driver/sha256.h"
#include "ir/printer.h"
#include "ir/visitor.h"

namespace tilewire::driver {
namespace {

// Functions that are called, and the lines of everything.
struct Reached : ir::Visitor<Reached> {
  std::set<std::string> callees;
  std::string lines;

  void visit(const ir::Call& call) {
    lines += std::to_string(call.span.line) + " ";
    walk_children(call);
  }
  void visit(const ir::FunctionCall& call) {
    lines += std::to_string(call.span.line) + " ";
    callees.insert(call.callee);
    walk_children(call);
  }
};

}  // namespace

std::string schedule_digest(const ir::Program& program, const ir::Function& entry) {
  std::map<std::string, std::string> texts;  // by name
  std::vector<std::string> left{entry.name};
  while (!left.empty()) {
    const std::string name = std::move(left.back());
    left.pop_back();
    const ir::FunctionRef function = program.find(name);
    auto [place, fresh] = texts.try_emplace(name);
    if (!function || !fresh) continue;
    Reached reached;
    reached.walk(function);
    place->second = ir::as_python(function) + "\n" + reached.lines + "\n";
    left.insert(left.end(), reached.callees.begin(), reached.callees.end());
  }
  Sha256 hash;
  for (const auto& [name, text] : texts) hash.add(name + "\n" + text);
  return hexadecimal(hash.digest());
}

}  // namespace tilewire::driver
