// Communication manifests: which window buffers a program shares between which ranks, as stored in bundles
// (docs/bundles.md).
//
//     auto manifest = tilewire::Manifest::read("mlp/orchestration/comm_manifest.json");
//     for (const auto& group : manifest.groups)
//       for (const auto& slot : group.slots) std::cout << slot.name << ": " << slot.size << "\n";
//     auto placed = manifest.resolve(4, {{"N", 1024}});   // numbers for all sizes and offsets
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewire/tilewire.h"

namespace tilewire {

struct TILEWIRE_API Manifest {
  struct Slot {
    std::string name;
    std::string size;                // bytes per rank: a number or an expression, "4 * world_size() * N"
    std::optional<uint64_t> nbytes;  // when it is a number
    std::optional<uint64_t> offset;  // in the region of a rank; empty: depends on sizes known only later
    bool load_from_host = false;
    bool store_to_host = false;
    // The shape in which the program views it, for messages. Empty: several shapes, or one known only at
    // run time.
    std::vector<std::string> shape = {};
    int64_t element_bytes = 4;
  };
  struct Group {
    std::vector<int32_t> devices;  // empty: all ranks
    std::optional<uint64_t> window_bytes;
    std::vector<Slot> slots;
  };
  std::vector<Group> groups;

  // Reads versions 2 and 3 of the format. Throws BundleError.
  static Manifest read(const std::string& path);
  static Manifest parse(std::string_view json, const std::string& name = "<string>");
  // Writes version 3.
  std::string to_json() const;
  Manifest resolve(int ranks, const std::map<std::string, int64_t>& names = {}) const;
};

}  // namespace tilewire
