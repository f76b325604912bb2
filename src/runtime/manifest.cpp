#include "runtime/manifest.h"

#include <algorithm>

#include "support/diagnostics/bundle.h"

namespace tilewire::runtime {
namespace {

constexpr uint64_t rounded(uint64_t bytes) {
  return (bytes + Manifest::alignment - 1) / Manifest::alignment * Manifest::alignment;
}

// How messages name a manifest that was not read from a file.
constexpr const char* unnamed = "the manifest";

class Resolver {
 public:
  Resolver(int32_t ranks, const SizeNames& names, Diagnostics& diags)
      : ranks_(ranks), names_(names), diags_(diags) {}

  bool layout(const Manifest::Group& group, GroupLayout& into) {
    for (int32_t device : group.devices) {
      if (device >= 0 && device < ranks_) continue;
      diags_.report(diag::group_device_outside, {},
                    {std::to_string(device), std::to_string(ranks_) + (ranks_ == 1 ? " rank" : " ranks")});
      return false;
    }
    into.devices = group.devices;
    uint64_t end = 0;
    for (const Manifest::Slot& slot : group.slots) {
      auto bytes = size_of(slot);
      if (!bytes) return false;
      uint64_t offset = slot.offset.value_or(rounded(end));
      if (offset > Manifest::largest_region || *bytes > Manifest::largest_region - offset) {
        diags_.report(diag::window_bytes_too_large, slot.span,
                      {slot.name, std::to_string(Manifest::largest_region)});
        return false;
      }
      into.slots.push_back({slot.name, offset, *bytes, shape_of(slot), slot.element_bytes});
      end = offset + *bytes;
      into.bytes = std::max(into.bytes, rounded(end));
    }
    return check(group, into);
  }

 private:
  std::optional<uint64_t> size_of(const Manifest::Slot& slot) {
    std::string problem;
    auto bytes = slot.size.evaluate(ranks_, names_, problem);
    if (bytes && *bytes > 0) return static_cast<uint64_t>(*bytes);
    const std::string& text = slot.size.text();
    if (std::string_view name = slot.size.missing(names_); !name.empty()) {
      diags_.report(diag::window_bytes_unknown, slot.span, {slot.name, text, std::string(name)});
    } else if (!bytes) {
      diags_.report(diag::window_bytes_failed, slot.span, {slot.name, text, problem});
    } else {
      diags_.report(diag::window_bytes_positive, slot.span, {slot.name, std::to_string(*bytes), text});
    }
    return std::nullopt;
  }

  // Only messages need it, so a shape without a value is left out.
  std::vector<int64_t> shape_of(const Manifest::Slot& slot) const {
    std::vector<int64_t> shape;
    std::string problem;
    for (const SizeExpression& dimension : slot.shape) {
      const auto value = dimension.evaluate(ranks_, names_, problem);
      if (!value) return {};
      shape.push_back(*value);
    }
    return shape;
  }

  // Offsets that were given need not fit the sizes that came out.
  bool check(const Manifest::Group& group, GroupLayout& into) {
    std::vector<const WindowSlot*> order;
    for (const WindowSlot& slot : into.slots) order.push_back(&slot);
    std::sort(order.begin(), order.end(),
              [](const WindowSlot* a, const WindowSlot* b) { return a->offset < b->offset; });
    for (size_t i = 1; i < order.size(); ++i) {
      uint64_t end = order[i - 1]->offset + order[i - 1]->bytes;
      if (end <= order[i]->offset) continue;
      diags_.report(diag::manifest_overlap, {},
                    {unnamed, order[i - 1]->name, order[i]->name, std::to_string(end),
                     std::to_string(order[i]->offset)});
      return false;
    }
    if (!group.bytes) return true;
    if (!order.empty() && order.back()->offset + order.back()->bytes > *group.bytes) {
      diags_.report(diag::manifest_outside, {},
                    {unnamed, order.back()->name, std::to_string(order.back()->offset + order.back()->bytes),
                     "window_bytes", std::to_string(*group.bytes)});
      return false;
    }
    into.bytes = *group.bytes;
    return true;
  }

  int32_t ranks_;
  const SizeNames& names_;
  Diagnostics& diags_;
};

}  // namespace

std::optional<std::vector<GroupLayout>> Manifest::resolve(int32_t ranks, const SizeNames& names,
                                                          Diagnostics& diags) const {
  std::vector<GroupLayout> layouts(groups.size());
  Resolver resolver(ranks, names, diags);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!resolver.layout(groups[i], layouts[i])) return std::nullopt;
  }
  return layouts;
}

std::optional<Manifest> Manifest::resolved(int32_t ranks, const SizeNames& names, Diagnostics& diags) const {
  auto layouts = resolve(ranks, names, diags);
  if (!layouts) return std::nullopt;
  Manifest made = *this;
  for (size_t g = 0; g < made.groups.size(); ++g) {
    made.groups[g].bytes = (*layouts)[g].bytes;
    for (size_t s = 0; s < made.groups[g].slots.size(); ++s) {
      made.groups[g].slots[s].size = static_cast<int64_t>((*layouts)[g].slots[s].bytes);
      made.groups[g].slots[s].offset = (*layouts)[g].slots[s].offset;
      const std::vector<int64_t>& shape = (*layouts)[g].slots[s].shape;
      made.groups[g].slots[s].shape.assign(shape.begin(), shape.end());
    }
  }
  return made;
}

void Manifest::place() {
  for (Group& group : groups) {
    std::optional<uint64_t> end = 0;
    for (Slot& slot : group.slots) {
      if (!slot.offset && end) slot.offset = rounded(*end);
      auto bytes = slot.size.constant();
      bool known = slot.offset && bytes && *bytes > 0 && *slot.offset <= largest_region &&
                   static_cast<uint64_t>(*bytes) <= largest_region;
      end = known ? std::optional(*slot.offset + static_cast<uint64_t>(*bytes)) : std::nullopt;
    }
    bool in_order = std::is_sorted(group.slots.begin(), group.slots.end(),
                                   [](const Slot& a, const Slot& b) { return a.offset < b.offset; });
    if (!group.bytes && end && in_order) group.bytes = rounded(*end);
  }
}

}  // namespace tilewire::runtime
