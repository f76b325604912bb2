// bundle.json: the content of a bundle, its machine, and the signature of its entry points. Everything
// needed to check a call and to find the code is here, so that a bundle runs without program.twir.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/host/ranks.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

inline constexpr int64_t bundle_version = 2;

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
  std::string strided;  // of any arrays, and of one array for two parameters
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
  std::string digest;                 // of the text it was read from, as stored in it; see `is_intact`

  // Any text; `file` names it in messages. Empty after an error.
  static std::optional<BundleDescription> read(std::string_view text, const std::string& file,
                                               Diagnostics& diags);
  // Empty after reporting a parameter that has no text. The text contains its digest.
  std::optional<std::string> write(Diagnostics& diags) const;

  // Whether `text`, which this was read from, is what `write` returned. Reports if not.
  bool is_intact(std::string_view text, const std::string& file, Diagnostics& diags) const;

  // SHA-256, in hexadecimal, of all that a call of `entry` is checked against before its code runs: machine,
  // parameters, results, rank rule and manifest. Code carries the one it was built for, so that a description
  // that was edited never calls it. Empty after reporting a parameter that has no text.
  std::optional<std::string> interface_digest(const BundleEntry& entry, bool strided,
                                              Diagnostics& diags) const;
};

inline constexpr const char* manifest_path = "orchestration/comm_manifest.json";
inline constexpr const char* program_path = "program.twir";

}  // namespace tilewire::driver
