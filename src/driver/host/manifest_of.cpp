#include "driver/host/manifest_of.h"

#include <algorithm>

#include "driver/host/size_text.h"
#include "ir/op.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
std::optional<runtime::Manifest> manifest_of(const ir::Program& program, const ir::Function& host,
                                             std::optional<int64_t> ranks, Diagnostics& diags) {
  AssignedValues values(host);
  SizeWriter writer(host, ranks, values);
  runtime::Manifest manifest;
  for (const auto& group : program.comm_groups) {
    runtime::Manifest::Group made;
    made.devices.assign(group->devices.begin(), group->devices.end());
    for (const ir::WindowBufferRef& slot : group->slots) {
      if (!values.allocates(*slot)) continue;
      std::string problem;
      auto size = writer.write(slot->size, problem);
      if (!size) {
        diags.report(diag::window_size_not_closed, slot->base->span, {slot->name, problem});
        continue;
      }
      made.slots.push_back(
          {slot->name, *size, std::nullopt, slot->load_from_host != nullptr, slot->store_to_host != nullptr});
    }
    if (!made.slots.empty()) manifest.groups.push_back(std::move(made));
  }
  if (diags.has_errors()) return std::nullopt;
  manifest.place();
  return manifest;
}

runtime::SizeNames size_names(const Signature& signature, const BoundArguments& arguments) {
  runtime::SizeNames names = arguments.dimensions;
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    const auto* number = std::get_if<Number>(&arguments.values[i]);
    const ParameterInfo& param = signature.params()[i];
    if (!number || !ir::is_integer(param.dtype)) continue;
    if (const auto* value = std::get_if<int64_t>(number)) names.emplace(param.node->name, *value);
    if (const auto* value = std::get_if<uint64_t>(number)) {
      names.emplace(param.node->name, static_cast<int64_t>(std::min<uint64_t>(*value, INT64_MAX)));
    }
  }
  return names;
}

}  // namespace tilewire::driver
