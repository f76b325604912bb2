// Ahead-of-time bundles: a program as a folder that runs without its source, the frontend or a compiler.
//
//     DIR/bundle.json                       what is in it, for which machine, signatures, digests
//     DIR/orchestration/comm_manifest.json  window buffers; not there for programs without any
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
  // An object file of its code. Nothing after an error.
  std::function<std::optional<std::string>(bool strided, Diagnostics&)> object;
};

// Writes to the side and renames: `folder` has the whole bundle or is as it was. A bundle or an empty folder
// is replaced, anything else is left alone. False after an error.
bool write_bundle(const BundleContent& content, const std::string& folder, Diagnostics& diags);

// `entry`: empty for the only one. Every file is read and checked before any code is loaded; null after an
// error.
std::shared_ptr<Executable> load_bundle(const std::string& folder, const std::string& entry,
                                        Diagnostics& diags);

// Whether the path is a folder with a bundle.json: what `tilewire run` takes for a bundle.
bool is_bundle(const std::string& path);

}  // namespace tilewire::driver
