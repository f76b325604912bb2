// The manifest as JSON. Version 3 is written; version 2 has no offsets, and two shapes of slots.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "abi/numbers.h"
#include "runtime/manifest.h"
#include "support/diagnostics/bundle.h"
#include "support/json_reader.h"

namespace tilewire::runtime {
namespace {

constexpr int64_t largest = static_cast<int64_t>(Manifest::largest_region);

class ManifestReader {
 public:
  explicit ManifestReader(JsonReader& reader) : reader_(reader) {}

  Manifest read() {
    JsonValue root = reader_.root();
    JsonValue version = root.member("version");
    version_ = version.integer(INT64_MIN, INT64_MAX);
    if (version_ != 2 && version_ != 3) {
      reader_.refuse(diag::manifest_version, {reader_.file(), std::to_string(version_)});
    }
    Manifest manifest;
    for (const JsonValue& group : root.member("comm_groups").list())
      manifest.groups.push_back(read_group(group));
    return manifest;
  }

 private:
  Manifest::Group read_group(const JsonValue& at) {
    Manifest::Group group;
    JsonValue devices = at.member("devices");
    std::set<int32_t> seen;
    for (const JsonValue& device : devices.list()) {
      group.devices.push_back(static_cast<int32_t>(device.integer(0, abi::most_ranks - 1)));
      if (!seen.insert(group.devices.back()).second) {
        devices.refuse(diag::manifest_device_twice, {std::to_string(group.devices.back())});
      }
    }
    if (version_ == 3) group.bytes = place_of(at.member("window_bytes"));
    std::vector<JsonValue> slots = at.member("slots").list();
    for (const JsonValue& slot : slots) group.slots.push_back(read_slot(slot));
    if (!reader_.failed()) check_places(at, group, slots);
    return group;
  }

  Manifest::Slot read_slot(const JsonValue& at) {
    Manifest::Slot slot;
    slot.name = at.member("name").text();
    auto [entry, fresh] = names_.emplace(slot.name, at.path());
    if (!fresh)
      reader_.refuse(diag::manifest_name_twice, {reader_.file(), entry->second, at.path(), slot.name});
    bool by_elements = version_ == 2 && !at.has("nbytes") && (at.has("dtype") || at.has("size"));
    slot.size = by_elements ? SizeExpression(bytes_of_elements(at)) : size_of(at.member("nbytes"));
    if (version_ == 3) slot.offset = place_of(at.member("offset"));
    if (slot.offset && *slot.offset % Manifest::alignment != 0) {
      at.member("offset").refuse(diag::json_key_range, {"a multiple of 64", std::to_string(*slot.offset)});
    }
    if (version_ == 3 && at.has("shape")) {
      for (const JsonValue& dimension : at.member("shape").list()) slot.shape.push_back(size_of(dimension));
      slot.element_bytes = at.member("element_bytes").integer(1, 8);
    }
    // Older writers of version 2 have no such keys.
    if (version_ == 3 || at.has("load_from_host")) slot.load_from_host = at.member("load_from_host").flag();
    if (version_ == 3 || at.has("store_to_host")) slot.store_to_host = at.member("store_to_host").flag();
    return slot;
  }

  // Of bytes, or of the elements of a dimension.
  SizeExpression size_of(const JsonValue& at) {
    if (!at.is_text()) return at.integer(1, largest);
    std::string problem;
    auto size = SizeExpression::parse(at.text(SizeExpression::longest_text), problem);
    if (!size) {
      at.refuse(diag::manifest_expression, {problem});
    } else if (size->constant() && (*size->constant() < 1 || *size->constant() > largest)) {
      at.refuse(diag::json_key_range, {"1 to " + std::to_string(largest) + " bytes", at.shown()});
    }
    return size.value_or(SizeExpression());
  }

  // A number of bytes from the start of the region, or null where it follows from sizes known later.
  std::optional<uint64_t> place_of(const JsonValue& at) {
    if (at.is_null()) return std::nullopt;
    return static_cast<uint64_t>(at.integer(0, largest));
  }

  int64_t bytes_of_elements(const JsonValue& at) {
    static const std::map<std::string, int64_t, std::less<>> bits = {
        {"bool", 8},          {"int4", 4},        {"int8", 8},     {"int16", 16},
        {"int32", 32},        {"int64", 64},      {"uint8", 8},    {"uint16", 16},
        {"uint32", 32},       {"uint64", 64},     {"float16", 16}, {"bfloat16", 16},
        {"float8_e4m3fn", 8}, {"float8_e5m2", 8}, {"float32", 32}, {"float64", 64}};
    JsonValue dtype = at.member("dtype");
    std::string name = dtype.text();
    auto known = bits.find(name);
    if (known == bits.end())
      dtype.refuse(diag::json_key_range, {"the name of an element type", dtype.shown()});
    int64_t each = at.member("bits_per_element").integer(1, 1024);
    if (known != bits.end() && each != known->second) {
      at.member("bits_per_element")
          .refuse(diag::json_key_range,
                  {std::to_string(known->second) + ", the bits of " + name, std::to_string(each)});
    }
    int64_t count = at.member("size").integer(1, largest);
    if (reader_.failed()) return 0;
    uint64_t bytes = (static_cast<uint64_t>(count) * static_cast<uint64_t>(each) + 7) / 8;  // below 2^56
    if (bytes > Manifest::largest_region) {
      at.member("size").refuse(diag::json_key_range,
                               {"at most " + std::to_string(largest) + " bytes", at.member("size").shown()});
      return 0;
    }
    return static_cast<int64_t>(bytes);
  }

  // What can be known of overlaps before sizes are; `resolve` looks again.
  void check_places(const JsonValue& at, const Manifest::Group& group, const std::vector<JsonValue>& paths) {
    std::map<uint64_t, size_t> by_offset;
    for (size_t i = 0; i < group.slots.size(); ++i) {
      const Manifest::Slot& slot = group.slots[i];
      if (!slot.offset) continue;
      auto [other, fresh] = by_offset.emplace(*slot.offset, i);
      if (!fresh) return overlap(group, paths, other->second, i);
      uint64_t end = *slot.offset + static_cast<uint64_t>(slot.size.constant().value_or(1));
      if (group.bytes && end > *group.bytes) {
        return reader_.refuse(diag::manifest_outside,
                              {reader_.file(), paths[i].path(), std::to_string(end),
                               at.member("window_bytes").path(), std::to_string(*group.bytes)});
      }
    }
    const std::pair<const uint64_t, size_t>* before = nullptr;
    for (const auto& entry : by_offset) {
      if (before) {
        int64_t bytes = group.slots[before->second].size.constant().value_or(1);
        if (before->first + static_cast<uint64_t>(bytes) > entry.first) {
          return overlap(group, paths, before->second, entry.second);
        }
      }
      before = &entry;
    }
  }

  void overlap(const Manifest::Group& group, const std::vector<JsonValue>& paths, size_t first,
               size_t second) {
    const Manifest::Slot& slot = group.slots[first];
    uint64_t end = *slot.offset + static_cast<uint64_t>(slot.size.constant().value_or(1));
    reader_.refuse(diag::manifest_overlap,
                   {reader_.file(), paths[first].path(), paths[second].path(), std::to_string(end),
                    std::to_string(*group.slots[second].offset)});
  }

  JsonReader& reader_;
  int64_t version_ = 3;
  std::map<std::string, std::string> names_;  // where each was found
};

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json json_of(const SizeExpression& size) {
  auto number = size.constant();
  return number ? nlohmann::json(*number) : nlohmann::json(size.text());
}

}  // namespace

std::optional<Manifest> Manifest::read(std::string_view text, const std::string& file, Diagnostics& diags) {
  JsonReader reader(file, text, diags);
  Manifest manifest = ManifestReader(reader).read();
  if (reader.failed()) return std::nullopt;
  return manifest;
}

std::string Manifest::write() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Group& group : groups) {
    nlohmann::json slots = nlohmann::json::array();
    for (const Slot& slot : group.slots) {
      slots.push_back({{"name", slot.name},
                       {"nbytes", json_of(slot.size)},
                       {"offset", or_null(slot.offset)},
                       {"load_from_host", slot.load_from_host},
                       {"store_to_host", slot.store_to_host}});
      if (slot.shape.empty()) continue;
      for (const SizeExpression& dimension : slot.shape) slots.back()["shape"].push_back(json_of(dimension));
      slots.back()["element_bytes"] = slot.element_bytes;
    }
    all.push_back(
        {{"devices", group.devices}, {"window_bytes", or_null(group.bytes)}, {"slots", std::move(slots)}});
  }
  nlohmann::json document = {{"version", 3}, {"comm_groups", std::move(all)}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tilewire::runtime
