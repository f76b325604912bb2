#include "tilewire/manifest.h"

#include "driver/bundle/bundle_files.h"
#include "runtime/manifest.h"

namespace tilewire {
namespace {

Manifest to_public(const runtime::Manifest& from) {
  Manifest manifest;
  for (const auto& group : from.groups) {
    Manifest::Group& made = manifest.groups.emplace_back();
    made.devices = group.devices;
    made.window_bytes = group.bytes;
    for (const auto& slot : group.slots) {
      auto bytes = slot.size.constant();
      made.slots.push_back({slot.name,
                            slot.size.text(),
                            bytes ? std::optional<uint64_t>(static_cast<uint64_t>(*bytes)) : std::nullopt,
                            slot.offset,
                            slot.load_from_host,
                            slot.store_to_host,
                            {},
                            slot.element_bytes});
      for (const auto& dimension : slot.shape) made.slots.back().shape.push_back(dimension.text());
    }
  }
  return manifest;
}

runtime::Manifest from_public(const Manifest& from) {
  runtime::Manifest manifest;
  for (const auto& group : from.groups) {
    auto& made = manifest.groups.emplace_back();
    made.devices = group.devices;
    made.bytes = group.window_bytes;
    for (const auto& slot : group.slots) {
      std::string problem;
      auto size = slot.nbytes ? std::optional<runtime::SizeExpression>(static_cast<int64_t>(*slot.nbytes))
                              : runtime::SizeExpression::parse(slot.size, problem);
      if (!size) throw BundleError("the size of `" + slot.name + "` is not the size of a buffer: " + problem);
      made.slots.push_back({slot.name, *size, slot.offset, slot.load_from_host, slot.store_to_host});
      made.slots.back().element_bytes = slot.element_bytes;
      for (const std::string& text : slot.shape) {
        auto dimension = runtime::SizeExpression::parse(text, problem);
        if (!dimension)
          throw BundleError("the shape of `" + slot.name + "` is not one of a buffer: " + problem);
        made.slots.back().shape.push_back(*dimension);
      }
    }
  }
  return manifest;
}

}  // namespace

Manifest Manifest::read(const std::string& path) {
  Diagnostics diags;
  auto text = driver::read_file(path, driver::largest_json, diags);
  if (!text) throw BundleError(diags.text());
  return parse(*text, path);
}

Manifest Manifest::parse(std::string_view json, const std::string& name) {
  Diagnostics diags;
  auto manifest = runtime::Manifest::read(json, name, diags);
  if (!manifest) throw BundleError(diags.text());
  return to_public(*manifest);
}

std::string Manifest::to_json() const {
  return from_public(*this).write();
}

Manifest Manifest::resolve(int ranks, const std::map<std::string, int64_t>& names) const {
  Diagnostics diags;
  auto made = from_public(*this).resolved(ranks, {names.begin(), names.end()}, diags);
  if (!made) throw RunError(diags.text());
  return to_public(*made);
}

}  // namespace tilewire
