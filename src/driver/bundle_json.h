// bundle.json: what a bundle holds, what it was built for, and the signature of its entry points. Everything
// needed to check a call and to find the code is here, so that a bundle runs without program.twir.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/rank_rule.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

inline constexpr int64_t bundle_version = 1;

// An array or number that an entry returns.
struct BundleResult {
  bool tensor = false;
  ir::DType dtype = ir::DType::FP32;
  int64_t rank = 0;
};

struct BundleEntry {
  std::string name;          // as the user knows it
  ir::FunctionRef function;  // name in the tables of the code, level and parameters; the body is empty
  std::vector<BundleResult> results;
  RankRule ranks;
  std::string code;     // of arrays whose last dimension is contiguous: a key of `files`
  std::string strided;  // of any arrays
};

struct BundleDescription {
  struct File {
    uint64_t bytes = 0;
    std::string sha256;
  };

  int64_t abi_version = 0;
  std::string triple;
  std::vector<std::string> features;  // of the processor, that the code may use
  std::vector<BundleEntry> entries;
  std::map<std::string, File> files;  // by path in the folder

  // Any text; `file` names it in messages. Nothing after an error.
  static std::optional<BundleDescription> read(std::string_view text, const std::string& file,
                                               Diagnostics& diags);
  // Nothing after reporting a parameter that has no text.
  std::optional<std::string> write(Diagnostics& diags) const;
};

}  // namespace tilewire::driver
