// Any text is either refused with one error or the description of a bundle, whose signatures stand all that
// is done with signatures, and which is written and read again unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "driver/bundle/bundle_json.h"
#include "ir/op.h"
#include "ops/evaluate.h"

using namespace tilewire;

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void use(const driver::BundleEntry& entry) {
  for (const auto& param : entry.function->params) {
    check(!ir::to_string(param->type).empty());
    const auto* tensor = ir::as<ir::TensorType>(param->type);
    for (size_t i = 0; tensor && i < tensor->shape.size(); ++i) {
      ops::evaluate_integer(*tensor->shape[i],
                            [](std::string_view) { return std::optional<int64_t>(INT64_MAX); });
      ops::missing_symbol(*tensor->shape[i], [](std::string_view) { return std::optional<int64_t>(); });
    }
  }
  std::string problem;
  for (const auto& from : entry.ranks.from) from.evaluate(4, {{"N", INT64_MIN}}, problem);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Diagnostics diags;
  auto bundle = driver::BundleDescription::read({reinterpret_cast<const char*>(data), size}, "input", diags);
  check(diags.all().size() == (bundle ? 0 : 1));
  if (!bundle) {
    check(diags.text().find('\n') == diags.text().size() - 1);  // one line
    return 0;
  }
  for (const driver::BundleEntry& entry : bundle->entries) use(entry);
  Diagnostics ignored;
  bundle->is_intact({reinterpret_cast<const char*>(data), size}, "input", ignored);
  auto text = bundle->write(diags);
  if (!text) return 0;  // a dimension that is named like a scalar has no text
  auto again = driver::BundleDescription::read(*text, "again", diags);
  check(again && again->write(diags) == text);
  check(again->is_intact(*text, "again", diags));
  for (size_t i = 0; i < bundle->entries.size(); ++i) {
    // What the code was built for is what the description says of it.
    auto written = bundle->interface_digest(bundle->entries[i], false, diags);
    check(written && written == again->interface_digest(again->entries[i], false, diags));
    check(written != again->interface_digest(again->entries[i], true, diags));
  }
  return 0;
}
