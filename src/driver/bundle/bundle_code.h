// Native code of a bundle in this process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "abi/abi.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// A shared object, mapped from a sealed copy in memory, so that what runs is what was checked. Unloaded with
// the last reference: it must outlive every run of its module.
class BundleCode {
 public:
  // `name`: the file the bytes are from. Null after an error.
  static std::shared_ptr<BundleCode> load(std::string_view bytes, const std::string& name,
                                          Diagnostics& diags);
  ~BundleCode();
  BundleCode(const BundleCode&) = delete;

  const abi::Module& module() const { return *module_; }

 private:
  BundleCode() = default;
  void* handle_ = nullptr;
  const abi::Module* module_ = nullptr;
};

}  // namespace tilewire::driver
