// Which name each variable and dynamic dimension gets in printed text.
//
// Within a function two variables never share a name. Parameters and bases of window buffers keep theirs;
// the others get their hint, or the hint with a number when it is taken, is a Python keyword or means
// something else there. Naming depends only on the order of asking, so printing is deterministic.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/printer_expr.h"

namespace tilewire::ir {

// `text` with every character that is not allowed in an identifier replaced; never empty, never a keyword.
std::string identifier(std::string_view text);

// The variables that window buffers of a host function are assigned to, in program order.
std::vector<const Var*> window_bases(const Function& function);

class PrintNames final : public NameSource {
 public:
  // Names that are fixed somewhere in the program: dynamic dimensions stay clear of them.
  void fix(std::string_view name) { fixed_.insert(identifier(name)); }
  void fix_names_of(const Function& function);

  // Forgets the variables of the function before.
  void begin_function(const Function& function);
  // Whether a dimension seen in this function has the name of a variable seen before it: the text so far is
  // wrong, and right when the function is printed again.
  bool clashed() const { return clashed_; }

  std::string_view name(const Var& var) override;
  std::string_view name(const DimSymbol& symbol) override;

  struct Dimension {
    std::string symbol;  // as in pl.dynamic("NR")
    std::string name;    // the name it is assigned to
  };
  // In order of first use.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }

 private:
  const std::string* unique(std::string_view hint);
  void take_exact(const Var& var);

  std::unordered_set<std::string> fixed_;
  std::vector<Dimension> dimensions_;
  std::unordered_map<std::string, size_t> dimension_index_;  // by symbol
  std::unordered_set<std::string> dimension_names_;
  std::unordered_set<std::string> taken_;  // nodes stay in place, so names_ may point into it
  std::unordered_map<const Var*, const std::string*> names_;
  std::unordered_map<std::string, int> next_suffix_;
  bool clashed_ = false;
};

}  // namespace tilewire::ir
