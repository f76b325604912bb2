// How messages name an element of a window or tensor: `sig[1, 0]`, with an index per dimension.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilewire {

// `element` counts in row-major order. Without a shape, or for an element outside it, the index is that
// number: "sig[3]".
std::string element_text(std::string_view name, std::span<const int64_t> shape, int64_t element);

}  // namespace tilewire
