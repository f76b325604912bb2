// The source texts of a program, for errors that know only the name of a file and a line.
#pragma once

#include <map>
#include <string>

#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

class Sources {
 public:
  explicit Sources(const ir::Program& program);

  // Reports an error, shown with its source line where the program has the text.
  void report(const Diagnostic& error, Diagnostics& diags) const;

 private:
  std::map<std::string, Ref<const SourceFile>> files_;
};

}  // namespace tilewire::driver
