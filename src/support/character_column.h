// Spans count bytes; people and Python count characters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/source.h"

namespace tilewire {

// Of a byte's column in a line of the span's file, from 1; 0 stays 0. After the end of a line, and without
// the text, a byte counts as a character.
size_t character_column(const Span& span, uint32_t line, uint32_t column);

}  // namespace tilewire
