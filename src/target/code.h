// Native code that a target made of a program: what the driver needs to know of it. A module is immutable; it
// may be run by many threads and must outlive what runs it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "abi/abi.h"

namespace tilewire::target {

struct CodeOptions {
  bool hooks = false;      // report accesses and task borders through Api::hook
  bool bounds = false;     // check every access, not only every region
  bool strided = false;    // arrays may have any stride in their last dimension
  bool in_memory = true;   // code that can run now; without it, only the object file is made
  bool keep_text = false;  // keep the target's text for text()
};

class Code {
 public:
  virtual ~Code() = default;
  virtual const abi::Module* module() const = 0;  // null when not in memory
  virtual std::string text() const = 0;           // empty unless CodeOptions::keep_text
  // An ELF object with the symbol abi::module_symbol.
  virtual std::span<const std::byte> object() const = 0;
};

}  // namespace tilewire::target
