// Emits programs as text for the PTO assembler of Ascend NPUs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"
#include "target/pto/pipe_scalars.h"

namespace tilewire::target::pto {

// Who assigns the addresses of tiles: the assembler (Two) or the text (Three).
enum class Level : uint8_t { Two, Three };
// "level2" or "level3"; nothing for anything else.
std::optional<Level> level_from_text(std::string_view text);

// The capacities of the memories of a core: see memory_plan.h.
inline constexpr passes::Traits traits{
    .has_pipes = true,
    .splits_kernels = true,
    .stores_products = true,
    .cube_fills = false,
    .lifts_kernel_tensors = true,
    .products_start_sums = true,
    .slot_bytes = slot_bytes,
    .has_halves = has_halves,
    .whole_tile_bytes = 32 << 10,
    .block_bytes = 16 << 10,
    .chunk_bytes = 8192,
};

struct ModuleText {
  std::string name;  // of the kernel
  std::string text;
};
// One module per kernel, of a program lowered with the traits. Nothing after reporting errors; what cannot be
// said is reported everywhere in the program.
std::optional<std::vector<ModuleText>> modules(const ir::Program& lowered, Level level, Diagnostics& diags);

}  // namespace tilewire::target::pto
