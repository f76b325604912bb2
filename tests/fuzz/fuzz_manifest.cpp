// Any text is either refused with one error or a manifest that is written and read again unchanged; whatever
// layouts it resolves to lie in their regions, apart from each other.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/manifest.h"

using namespace tilewire;

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void check_layouts(const runtime::Manifest& manifest, int32_t ranks, int64_t n) {
  Diagnostics diags;
  auto layouts = manifest.resolve(ranks, {{"N", n}, {"n", n}}, diags);
  check(layouts.has_value() == !diags.has_errors());
  for (size_t g = 0; layouts && g < layouts->size(); ++g) {
    const runtime::GroupLayout& layout = (*layouts)[g];
    check(layout.slots.size() == manifest.groups[g].slots.size());
    for (size_t i = 0; i < layout.slots.size(); ++i) {
      const runtime::WindowSlot& slot = layout.slots[i];
      check(slot.bytes > 0 && slot.offset % runtime::Manifest::alignment == 0);
      check(slot.offset <= layout.bytes && slot.bytes <= layout.bytes - slot.offset);
      const size_t others = std::min<size_t>(i, 64);
      for (size_t k = i - others; k < i; ++k) {
        const runtime::WindowSlot& other = layout.slots[k];
        check(slot.offset + slot.bytes <= other.offset || other.offset + other.bytes <= slot.offset);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Diagnostics diags;
  auto manifest = runtime::Manifest::read({reinterpret_cast<const char*>(data), size}, "input", diags);
  check(diags.all().size() == (manifest ? 0 : 1));
  if (!manifest) {
    check(diags.text().find('\n') == diags.text().size() - 1);  // one line
    return 0;
  }
  auto again = runtime::Manifest::read(manifest->write(), "again", diags);
  check(again && *again == *manifest);
  check_layouts(*manifest, 4, 1024);
  check_layouts(*manifest, 1, -1);
  check_layouts(*manifest, 65536, INT64_MAX);
  return 0;
}
