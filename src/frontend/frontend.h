// Program text to verified IR: the one way in, used by the command, by Python and by C++ callers.
//
//     Diagnostics diags;
//     auto file = make_source("mlp.py", text);
//     ir::ProgramRef program = frontend::read_program(file, {}, diags);
//     if (!program) std::cerr << diags.text();
//
// A HostEvaluator is asked for names that the text does not define: the Python layer evaluates the expression
// in the scope of the decorated function; the command has none, and reports the missing constant.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::frontend {

class HostEvaluator;

// A decorated function found in the enclosing scope: its text, and the scope its own free names live in.
struct HostFunction {
  Ref<const SourceFile> source;  // starts with its decorators
  std::shared_ptr<HostEvaluator> scope;
  const void* identity = nullptr;  // equal for the same function under any name
};

struct HostNone {};
struct HostModule {
  std::string name;  // "pl" or "pld"
};

// A Python object without a meaning in the language; its attributes and elements may have one.
struct HostOpaque {
  std::string type_name;  // for messages: "SimpleNamespace"
};

struct HostValue {
  std::variant<HostNone, bool, int64_t, double, std::string, ir::DType, ir::EnumValue, ir::ExprRef /* dims */,
               ir::TypeRef, HostFunction, HostModule, HostOpaque, std::vector<HostValue>>
      value;
  bool is_tuple = false;  // whether a vector is a tuple and not a list
};

class HostEvaluator {
 public:
  virtual ~HostEvaluator() = default;
  // The value of a Python expression, or why it has none: "name 'cfg' is not defined".
  virtual std::variant<HostValue, std::string> evaluate(std::string_view expression) = 0;
};

struct Options {
  std::map<std::string, std::string> constants;  // -D NAME=VALUE: Python expressions of constants
  std::shared_ptr<HostEvaluator> host;           // null: none
  // The text is one decorated function or class cut out of a Python file, not a whole file: decorators are
  // not needed to recognise it, and other text is an error.
  bool snippet = false;
  std::string entry;  // function style: the function to start from; empty: all that can be (see docs)
  std::map<std::string, ir::TypeRef> parameter_types;  // of the entry's parameters without annotation
  std::map<std::string, HostValue> parameter_values;   // of those bound to a str, bool, enum or dtype
};

// What to write instead of a name that a module of the language ("pl", "pl.tile", "pl.jit") does not have.
std::string help_for_missing(std::string_view module, std::string_view name);

// Null after errors; warnings may be reported either way. Never throws on bad input.
ir::ProgramRef read_program(const Ref<const SourceFile>& file, const Options& options, Diagnostics& diags);

inline Ref<const SourceFile> make_source(std::string name, std::string text, uint32_t first_line = 1) {
  return Ref<const SourceFile>(new SourceFile(std::move(name), std::move(text), first_line));
}

}  // namespace tilewire::frontend
