// What passes may know of the target that they lower a program for.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "ir/enums.h"

namespace tilewire::ir {
struct Op;
struct TileType;
}  // namespace tilewire::ir

namespace tilewire::passes {

// A row of the table for mode="auto" of allreduce. The first row that has room for the ranks and the bytes of
// an operand determines the mode. Rows of one number of ranks are adjacent; the last of them and the last of
// all numbers have room for any.
struct ModeRow {
  int64_t ranks, bytes;  // at most
  ir::AllreduceMode mode;
};
inline constexpr int64_t any = std::numeric_limits<int64_t>::max();
inline constexpr ModeRow always_two_shot[] = {{any, any, ir::AllreduceMode::TwoShot}};

// A row of the table for mode="auto" of allreduce with ranks on several hosts: the first row that has room
// for the hosts, the ranks of each and the bytes of an operand determines the form. Chain: host by host, each
// adding its rows to the sum of the hosts before; otherwise as on one host. Sums of 16 bits and windows with
// strides have no chain.
struct HostRow {
  int64_t hosts, ranks, bytes;  // at most
  enum class Form : uint8_t { AsOnOne, Chain } form;
};

struct Traits {
  // Kernels stay as they were written where they can: no pass turns tensor ops into tile ops.
  bool written_kernels = false;
  // The host dispatches kernels that return only parameters, without a function that does nothing but submit
  // them.
  bool dispatches_kernels = false;
  // Puts a `pld.system.enter_collective` before the ops that a collective was lowered to.
  bool marks_collectives = false;

  // No entry is called with one array for two parameters of which it writes one.
  bool arguments_apart = true;

  // The target runs cube and vector halves side by side and has pipes between them.
  bool has_pipes = false;

  // A push waits for its slot before the loads and tile ops right before it, so that the tile is made in the
  // slot. Their data may be overwritten only after the push, so the loads may come later.
  bool pushes_wait_early = false;

  // Kernels that mix products and vector work are split into a cube and a vector half.
  bool splits_kernels = false;

  // The cube core stores what it accumulates, so kernels of only loads, products and stores run there.
  bool stores_products = false;

  // The cube half fills no tiles with values, except sums that start as zeros.
  bool cube_fills = true;

  // Kernels have no memory outside the core except their arguments.
  bool lifts_kernel_tensors = false;

  // Products are added to zeros and to products only, and take a bias that was just loaded.
  bool products_start_sums = false;

  // Bytes of a slot for a tile that comes from the cube half or goes there; for a scalar that goes
  // there where it is null. Null: the bytes of the elements.
  int64_t (*slot_bytes)(const ir::TileType* tile, bool from_cube) = nullptr;
  // Whether two vector lanes can each have a half of such a tile. Null: they can.
  bool (*has_halves)(const ir::TileType& tile, ir::SplitMode mode, bool from_cube) = nullptr;

  // Whether the target has its own rule for an op that has an expansion. Such a rule equals the
  // expansion bit for bit. Null: there are none.
  bool (*has_rule)(const ir::Op&) = nullptr;

  // The maximum size in bytes of a tensor that becomes a tile as a whole, and of one block of a larger one.
  int64_t whole_tile_bytes = 256 << 10;
  int64_t block_bytes = 64 << 10;
  // The maximum size in bytes of a chunk of a collective.
  int64_t chunk_bytes = 8192;
  std::span<const ModeRow> allreduce_modes = always_two_shot;
  // Empty: the ranks of a run live on one host.
  std::span<const HostRow> allreduce_on_hosts = {};
  // Of a chain: the bytes sent from host to host with one signal, and the least that the ranks of a host
  // share the work of. Anything smaller takes less time than one more message.
  int64_t segment_bytes = 256 << 10;
  int64_t share_bytes = 16 << 10;
};

// The tasks and kernels that a target with these traits gets, for a run that is followed step by step.
inline Traits for_checking(Traits traits) {
  traits.dispatches_kernels = traits.marks_collectives = true;
  traits.pushes_wait_early = false;  // races of the program must show
  traits.has_rule = nullptr;         // the interpreter, which runs them, has no rules of its own
  return traits;
}

// The user's choice: the target's default, or kernels as they were written, or in halves where that is
// possible.
enum class KernelSplit : uint8_t { Auto, Fused, Split };
// "auto", "fused" or "split"; empty for anything else.
inline std::optional<KernelSplit> kernel_split(std::string_view text) {
  if (text == "auto") return KernelSplit::Auto;
  if (text == "fused") return KernelSplit::Fused;
  if (text == "split") return KernelSplit::Split;
  return std::nullopt;
}
inline Traits with_split(Traits traits, KernelSplit split) {
  if (split != KernelSplit::Auto) traits.splits_kernels = split == KernelSplit::Split;
  return traits;
}

// With the tasks that are checked, and otherwise as it was written where that can be: an oracle for the
// passes that rewrite kernels. Collectives mean what those make of them.
inline Traits for_interp(Traits traits) {
  traits = for_checking(traits);
  traits.written_kernels = true;
  traits.arguments_apart = false;
  return traits;
}

}  // namespace tilewire::passes
