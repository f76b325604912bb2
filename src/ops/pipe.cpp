#include "ops/pipe.h"

#include <algorithm>
#include <sstream>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::ops {

using namespace ir;

namespace {

// An argument of a call, or its default if it was omitted; null if there is none.
const AttrValue* attr(const Call& call, const char* name) {
  if (const AttrValue* given = find_attr(call.attrs, name)) return given;
  const int param = call.op->param_index(name);
  const auto& by_default = call.op->params[static_cast<size_t>(param)].default_value;
  return by_default ? &*by_default : nullptr;
}

int64_t int_attr(const Call& call, const char* name) {
  return *attr(call, name)->get<int64_t>();
}

int64_t ring_count(const Pipe& pipe) {
  return pipe.dir_mask == 3 ? 2 : 1;
}

}  // namespace

const char* text_of(Ring ring) {
  return ring == Ring::CubeToVector ? "cube to vector" : "vector to cube";
}

std::optional<Pipe> pipe_of(const Call& call) {
  if (call.op != pl::aic_initialize_pipe && call.op != pl::aiv_initialize_pipe) return std::nullopt;
  Pipe pipe{int_attr(call, "id"), int_attr(call, "dir_mask"), int_attr(call, "slot_size"), 0, &call};
  const AttrValue* slots = find_attr(call.attrs, "slot_num");
  pipe.slots = slots ? *slots->get<int64_t>() : ring_count(pipe) == 2 ? 4 : 8;
  return pipe;
}

std::vector<Pipe> pipes_of(const Function& function) {
  struct Find : Visitor<Find> {
    std::vector<Pipe> pipes;
    void visit(const Call& call) {
      if (auto pipe = pipe_of(call)) pipes.push_back(*pipe);
    }
  } find;
  find.walk(*function.body);
  std::sort(find.pipes.begin(), find.pipes.end(), [](const Pipe& a, const Pipe& b) { return a.id < b.id; });
  return find.pipes;
}

std::optional<PipeUse> pipe_use(const Call& call) {
  using Kind = PipeUse::Kind;
  struct Row {
    const Handle* op;
    Kind kind;
    Ring ring;
  };
  static constexpr Row rows[] = {{&pl::tpush_to_aiv, Kind::Push, Ring::CubeToVector},
                                 {&pl::tpop_from_aic, Kind::Pop, Ring::CubeToVector},
                                 {&pl::tfree_to_aic, Kind::Free, Ring::CubeToVector},
                                 {&pl::tpush_to_aic, Kind::Push, Ring::VectorToCube},
                                 {&pl::tpop_from_aiv, Kind::Pop, Ring::VectorToCube},
                                 {&pl::tfree_to_aiv, Kind::Free, Ring::VectorToCube}};
  for (const Row& row : rows) {
    if (call.op != *row.op) continue;
    PipeUse use{row.kind, row.ring, int_attr(call, "id")};
    if (row.kind != Kind::Free)
      use.split = static_cast<SplitMode>(attr(call, "split")->get<EnumValue>()->value);
    return use;
  }
  return std::nullopt;
}

int64_t cell_count(const std::vector<Pipe>& pipes) {
  int64_t cells = 0;
  for (const Pipe& pipe : pipes) cells += ring_count(pipe) * 2 * pipe.slots;
  return cells;
}

// One entry a ring: "0> 8 " is pipe 0, cube to vector, of 8 slots.
std::string rings_text(const std::vector<Pipe>& pipes) {
  std::string text;
  for (const Pipe& pipe : pipes) {
    for (Ring ring : all_rings) {
      if (!pipe.has(ring)) continue;
      text += std::to_string(pipe.id) + (ring == Ring::CubeToVector ? "> " : "< ") +
              std::to_string(pipe.slots) + " ";
    }
  }
  return text;
}

namespace {

struct RingEntry {
  int64_t id = 0, slots = 0;
  Ring ring = Ring::CubeToVector;
};

std::vector<RingEntry> entries_of(const std::string& rings) {
  std::vector<RingEntry> entries;
  std::istringstream text(rings);
  int64_t id = 0, slots = 0;
  char way = 0;
  while (text >> id >> way >> slots) {
    entries.push_back({id, slots, way == '>' ? Ring::CubeToVector : Ring::VectorToCube});
  }
  return entries;
}

// Which cell of which ring it is: "filled[3]". Nothing for a number that no ring has.
struct RingCell {
  std::string name;
  RingEntry ring;
};
std::optional<RingCell> ring_cell(const std::vector<RingEntry>& entries, int64_t cell) {
  int64_t cells = 0;
  for (const RingEntry& entry : entries) cells += 2 * entry.slots;
  if (cells <= 0 || cell < 0) return std::nullopt;
  cell %= cells;
  for (const RingEntry& entry : entries) {
    if (cell < 2 * entry.slots)
      return RingCell{(cell % 2 == 0 ? "filled[" : "emptied[") + std::to_string(cell / 2) + "]", entry};
    cell -= 2 * entry.slots;
  }
  return std::nullopt;
}

}  // namespace

std::string cell_text(const std::string& rings, int64_t cell) {
  const auto found = ring_cell(entries_of(rings), cell);
  if (!found) return "a cell of a pipe";
  return "`" + found->name + "` of pipe " + std::to_string(found->ring.id) + ", " + text_of(found->ring.ring);
}

std::string short_cell_text(const std::string& rings, int64_t cell) {
  const std::vector<RingEntry> entries = entries_of(rings);
  const auto found = ring_cell(entries, cell);
  if (!found) return "a cell of a pipe";
  if (entries.size() == 1) return found->name;
  return found->name + " of pipe " + std::to_string(found->ring.id) +
         (found->ring.ring == Ring::CubeToVector ? ", c2v" : ", v2c");
}

int64_t workspace_bytes(const std::vector<Pipe>& pipes) {
  int64_t bytes = 0;
  for (const Pipe& pipe : pipes) bytes += ring_count(pipe) * pipe.slots * pipe.slot_size;
  return bytes;
}

}  // namespace tilewire::ops
