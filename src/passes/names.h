// Names for what passes make: identifiers that programs can be printed with, each given out once.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilewire::passes {

// The nearest identifier to a hint: `log "natural"` is `log_natural`. No keyword, no name of the language's
// modules.
std::string identifier(std::string_view hint);

class Names {
 public:
  // `name`, or with a number after it when it was given out before.
  std::string take(const std::string& name);

 private:
  std::map<std::string, int, std::less<>> taken_;  // name -> the number last tried
};

}  // namespace tilewire::passes
