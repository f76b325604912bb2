// Ahead-of-time bundles: a program as a folder that runs without source, frontend or compiler.
//
//     DIR/bundle.json                       its content, its machine, signatures, digests
//     DIR/orchestration/comm_manifest.json  window buffers; only if the program has any
//     DIR/kernels/<entry>.so                native code, and <entry>.strided.so for arrays of any strides
//     DIR/program.twir                      the program as it was read, for printing; not needed to run
//
// docs/bundles.md is the page for users.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "driver/execute/executable.h"
#include "driver/host/ranks.h"
#include "runtime/manifest.h"

namespace tilewire::driver {

struct BundleContent {
  ir::ProgramRef program;  // as it was read
  const ir::Function* entry;
  std::string name;            // of the entry, as the user knows it
  runtime::Manifest manifest;  // of the entry
  RankRule ranks;              // of the entry
  // An object file of its code. Empty after an error.
  std::function<std::optional<std::string>(bool strided, Diagnostics&)> object;
};

// Writes to a temporary folder and renames: `folder` has the whole bundle or is unchanged. A bundle or an
// empty folder is replaced; anything else is an error. Returns false after an error.
bool write_bundle(const BundleContent& content, const std::string& folder, Diagnostics& diags);

// `entry`: empty for the only one. Every file is read and checked before any code is loaded; null after an
// error.
std::shared_ptr<Executable> load_bundle(const std::string& folder, const std::string& entry,
                                        Diagnostics& diags);

// Whether the path is a folder with a bundle.json, which `tilewire run` treats as a bundle.
bool is_bundle(const std::string& path);

}  // namespace tilewire::driver
