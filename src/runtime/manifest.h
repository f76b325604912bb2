// The communication manifest: which window buffers a program shares between which ranks.
//
// It is what a run needs to know of windows before it starts, and what a bundle stores about them
// (comm_manifest.json, docs/bundles.md). Sizes may depend on the rank count and on arguments; `resolve`
// computes the layouts of runtime::Windows from them, for one call:
//
//     auto layouts = manifest.resolve(4, {{"N", 1024}}, diags);
//     if (layouts) windows = runtime::Windows::make(4, *layouts);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/manifest_size.h"
#include "runtime/windows.h"
#include "support/diagnostics.h"

namespace tilewire::runtime {

struct Manifest {
  struct Slot {
    std::string name;  // unique in the manifest
    SizeExpression size;
    std::optional<uint64_t> offset;  // in the region; empty: after the slot before, at the next 64 bytes
    bool load_from_host = false;
    bool store_to_host = false;
    // The shape in which the program views it, for messages; none: several shapes, or known only at run time.
    std::vector<SizeExpression> shape = {};
    int64_t element_bytes = 4;
    Span span{};  // of its allocation, for messages; it is not written, and makes no difference
    bool operator==(const Slot& other) const {
      return name == other.name && size == other.size && offset == other.offset &&
             load_from_host == other.load_from_host && store_to_host == other.store_to_host &&
             shape == other.shape && element_bytes == other.element_bytes;
    }
  };
  struct Group {
    std::vector<int32_t> devices;   // ranks of the world; empty: all of them
    std::optional<uint64_t> bytes;  // of a rank's region; empty: as many as the slots need
    std::vector<Slot> slots;
    bool operator==(const Group&) const = default;
  };

  std::vector<Group> groups;
  bool operator==(const Manifest&) const = default;

  static constexpr uint64_t alignment = 64;
  static constexpr uint64_t largest_region = uint64_t{1} << 46;

  // The layouts for one call: group for group, slot for slot. Empty after reporting a size that is not
  // positive, too large or without a value, slots that overlap, or a device outside the world. `names`:
  // values of dimensions and integer scalars.
  std::optional<std::vector<GroupLayout>> resolve(int32_t ranks, const SizeNames& names,
                                                  Diagnostics& diags) const;

  // The same with numbers in place of all expressions.
  std::optional<Manifest> resolved(int32_t ranks, const SizeNames& names, Diagnostics& diags) const;

  // Fills in offsets and sizes of regions that are known before any call.
  void place();

  // Reads any text, in version 2 or 3 of the format; `file` names it in messages. Empty after an error.
  static std::optional<Manifest> read(std::string_view text, const std::string& file, Diagnostics& diags);
  // Writes version 3.
  std::string write() const;
};

}  // namespace tilewire::runtime
