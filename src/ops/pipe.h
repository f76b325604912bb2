// The meaning of calls of pipe ops: which pipe, which direction, which part of the tile. This is its only
// home.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::ops {

// A direction of a pipe: a ring of slots.
enum class Ring : uint8_t { CubeToVector, VectorToCube };
inline constexpr Ring all_rings[] = {Ring::CubeToVector, Ring::VectorToCube};
const char* text_of(Ring ring);  // "cube to vector"

// A pipe as a half of a kernel initialises it.
struct Pipe {
  int64_t id = 0;
  int64_t dir_mask = 0;
  int64_t slot_size = 0;  // bytes
  int64_t slots = 0;      // of each direction
  const ir::Call* call = nullptr;

  bool has(Ring ring) const { return (dir_mask >> static_cast<int>(ring)) & 1; }
  // The operand with the buffer of a direction.
  const ir::ExprRef& buffer(Ring ring) const { return call->args[static_cast<size_t>(ring)]; }
  bool same_shape(const Pipe& other) const {
    return dir_mask == other.dir_mask && slot_size == other.slot_size && slots == other.slots;
  }
};
// Empty unless the call is `pl.aic_initialize_pipe` or `pl.aiv_initialize_pipe`.
std::optional<Pipe> pipe_of(const ir::Call& call);
// Those that a function initialises, by id.
std::vector<Pipe> pipes_of(const ir::Function& function);

// A push, pop or free.
struct PipeUse {
  enum class Kind : uint8_t { Push, Pop, Free };
  Kind kind;
  Ring ring;
  int64_t id = 0;
  ir::SplitMode split = ir::SplitMode::NONE;  // of a push or pop
};
std::optional<PipeUse> pipe_use(const ir::Call& call);

// Bytes of the workspace of a block: its rings, one after the other.
int64_t workspace_bytes(const std::vector<Pipe>& pipes);

// The cells of a block's pipes: ring after ring, how often each slot was filled and how often it was
// emptied. Each is an INT32 in its own cache line, so that the halves do not share one.
inline constexpr int64_t cell_line = 16;
int64_t cell_count(const std::vector<Pipe>& pipes);
// The rings of these cells as text, and the name of the cell with that number: "`filled[3]` of pipe 0,
// cube to vector".
std::string rings_text(const std::vector<Pipe>& pipes);
std::string cell_text(const std::string& rings, int64_t cell);
// The short form: "filled[3]", or with several rings "filled[3] of pipe 0, c2v".
std::string short_cell_text(const std::string& rings, int64_t cell);

// The parameter for the workspace, of every function that initialises a pipe and of its callers.
inline constexpr const char* workspace_name = "__gm_pipe_buffer";

}  // namespace tilewire::ops
