// One text and the names it defines at module and class level.
//
// A name of a function body that is not local is looked up here: class constants, `-D` constants, module
// constants, functions, imported modules, built-ins, and last the enclosing Python scope.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/carry.h"
#include "frontend/frontend.h"
#include "frontend/syntax.h"
#include "frontend/value.h"

namespace tilewire::frontend {

// A function of the program as its text defines it; typed once per set of parameter types.
struct FunctionInfo {
  // One typed version.
  struct Version {
    std::vector<ir::TypeRef> param_types;  // null for parameters bound to a known value
    std::vector<Value> known;              // per parameter; UnboundValue where it is a run-time one
    std::string name;                      // of the IR function
    ir::FunctionRef function;              // null while being typed or after an error
    std::vector<int> return_roots;         // per result: the parameter it is, or -1
    bool done = false;
  };

  std::string name;
  struct Scope* scope = nullptr;
  const FunctionDef* def = nullptr;
  ir::FunctionType type = ir::FunctionType::InCore;
  Value attributes;  // of `attrs={...}`: a dict, or nothing
  Range attributes_range;
  ir::SplitMode split = ir::SplitMode::NONE;
  bool is_method = false;  // the first parameter is `self`
  bool called = false;
  std::vector<std::unique_ptr<Version>> versions;
  const void* identity = nullptr;  // of a function from the enclosing Python scope

  std::span<const Param> params() const { return def->params.subspan(is_method ? 1 : 0); }
};

struct Scope {
  explicit Scope(std::unique_ptr<SyntaxTree> tree) : tree(std::move(tree)) {}

  std::unique_ptr<SyntaxTree> tree;
  std::shared_ptr<HostEvaluator> host;  // null: none
  const std::map<std::string, std::string>* command_constants = nullptr;

  struct Constant {
    const Expr* expr = nullptr;
    int element = -1;  // element of the list that `expr` yields; -1: the whole value
    bool evaluating = false;
    bool known = false;
    Value value;
  };
  std::unordered_map<Symbol, Constant> constants;        // module level; the last assignment counts
  std::unordered_map<Symbol, Constant> class_constants;  // of the program class
  struct PythonValue {
    Range place;
    std::string_view what;  // "an expression", "a function", "a class"
  };
  std::unordered_map<Symbol, PythonValue> python_values;  // what only Python can compute
  std::unordered_map<Symbol, FunctionInfo*> functions;    // module level functions, or methods by name
  // Imported names: "pl", "pld", "math", "pl.tile"; empty where the module means nothing here.
  std::unordered_map<Symbol, std::string> modules;
  std::unordered_map<std::string_view, TypeValue> annotations;  // of parameters, by their text
  std::unordered_map<Symbol, Value> resolved;                   // names looked up before
  std::unordered_map<uint64_t, Value> members;                  // attributes of modules looked up before
  CarryAnalysis carries;
  std::vector<std::vector<Value>> free_environments;  // all unset between uses
};

}  // namespace tilewire::frontend
