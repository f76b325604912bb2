// The text of one function while it is written: lines with indentation, names of values that are given out
// once, and constants, which are at its top.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "target/pto/values.h"

namespace tilewire::target::pto {

class FunctionText {
 public:
  // A name like `hint` that no value of the function has, with the %.
  std::string fresh(std::string_view hint);

  void line(std::string text);
  // A line that only matters while `name` is used after it.
  void line_for(const std::string& name, const std::string& text);
  // A value that nothing but its uses needs: without them it is not written.
  void pure_line(const std::string& name, const std::string& rhs);
  // Lines before all others: constants first, then tiles, then what depends only on parameters.
  void allocate(const std::string& name, const std::string& rhs) {
    tiles_.push_back({name + " = " + rhs, name});
  }
  // A buffer of a pipe, which counts by its name.
  void reserve(std::string text) { tiles_.push_back({std::move(text), {}}); }
  void declare(const std::string& name, const std::string& rhs);
  void open(std::string text);    // and what follows is one step deeper
  void middle(std::string text);  // `} else {`
  void close(std::string text = "}");

  // Whether it is the name of a parameter, a constant or a declaration.
  bool is_known_everywhere(const std::string& name) const { return everywhere_.contains(name); }
  void parameter(const std::string& name) { everywhere_.insert(fresh(name)); }

  // The name of a scalar; a constant has one at the top of the function.
  std::string name(const Scalar& scalar);
  // The name of a constant float or integer of `type`.
  std::string integer(int64_t value, const std::string& type);
  std::string real(double value, const std::string& type);

  // Depth of regions: something named inside one is not known after it.
  int depth() const { return depth_; }
  // Constants, prologue and body, indented by `steps`, without unused values.
  std::string finish(int steps) const;

 private:
  struct Line {
    std::string text;
    std::string value;  // the value that it defines or serves, if that is all it does
  };
  // Whether each line is needed; `used` is what the lines after them use.
  static std::vector<bool> needed(const std::vector<Line>& lines, std::set<std::string, std::less<>>& used);

  std::string constant(const std::string& literal, const std::string& hint, const std::string& type);

  std::set<std::string, std::less<>> names_, everywhere_;
  std::map<std::pair<std::string, std::string>, std::string> constants_;  // by literal and type
  std::vector<Line> constant_lines_, tiles_, declarations_, body_;
  int depth_ = 0;
};

}  // namespace tilewire::target::pto
