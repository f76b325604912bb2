// Pipes between the two halves of a kernel. Slots are in the memory of the half that pops, and, on the way,
// in the workspace in global memory, of which each block of a launch has a part.
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/pipe.h"
#include "target/pto/emitter.h"
#include "target/pto/kernel_kind.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

constexpr int64_t workspace_element = 4;  // bytes; the workspace is a pointer to f32

int64_t int_attribute(const Call& call, const char* name) {
  return *attribute(call, name)->get<int64_t>();
}

// What the uses of a pipe in this half say of it.
struct Uses : Visitor<Uses> {
  int64_t id = 0;
  SplitMode split = SplitMode::NONE;
  bool mixed = false;
  bool any = false;
  void visit(const Call& call) {
    walk_children(call);
    const auto use = ops::pipe_use(call);
    if (!use || use->id != id || use->kind == ops::PipeUse::Kind::Free) return;
    mixed = mixed || (any && use->split != split);
    split = use->split;
    any = true;
  }
};

Uses uses_of(const Function& function, int64_t id) {
  Uses uses;
  uses.id = id;
  uses.walk(*function.body);
  return uses;
}

std::string split_text(SplitMode split) {
  return std::to_string(static_cast<int>(split));
}

// --- the buffers

void reserve_buffer(FunctionEmitter& e, const Call& call, const Var* result) {
  const bool cube = kind_of_core(e.function) == Core::Cube;
  const std::string name =
      e.reserve_slots(*attribute(call, "name")->get<std::string>(), int_attribute(call, "size"),
                      cube ? MemorySpace::Mat : MemorySpace::Vec);
  if (result) e.name_scalar(*result, e.named(name, "i32"));
}

void import_buffer(FunctionEmitter& e, const Call& call, const Var* result) {
  const std::string name = e.text.fresh("peer_slots");
  std::string function = *attribute(call, "peer_func")->get<std::string>();
  if (function.starts_with("self.")) function.erase(0, 5);
  e.text.line(name + " = pto.import_reserved_buffer {name = \"" +
              *attribute(call, "name")->get<std::string>() + "\", peer_func = @" + function + "} -> i32");
  if (result) e.name_scalar(*result, e.named(name, "i32"));
}

// This block's part of the workspace, from the slots of a pipe on.
std::string slots_in_workspace(FunctionEmitter& e, const ops::Pipe& pipe, const Span& at) {
  const auto pipes = ops::pipes_of(e.function);
  int64_t before = 0;
  for (const ops::Pipe& other : pipes) {
    if (other.id >= pipe.id) break;
    before += ops::workspace_bytes({other});
  }
  std::string pointer;
  for (const KernelParameter& parameter : e.kernel.parameters) {
    if (parameter.kind == ParameterKind::Tensor &&
        e.kernel.function->params[parameter.index]->name == ops::workspace_name) {
      pointer = "%" + parameter.name;
    }
  }
  if (pointer.empty()) {
    e.refuse(at, "a pipe without a workspace", "slots go through global memory");
    return "%none";
  }
  const int64_t total = ops::workspace_bytes(pipes);
  if (total % workspace_element != 0 || before % workspace_element != 0) {
    e.refuse(at, "slots of " + std::to_string(pipe.slot_size) + " bytes", "slots are a multiple of 4 bytes");
    return pointer;
  }
  const Scalar block = e.as_index(e.named(e.pure("pto.get_block_idx", "block"), "i64"));
  const Scalar elements =
      e.add(e.mul(block, e.number(total / workspace_element)), e.number(before / workspace_element));
  return e.pure("pto.addptr " + pointer + ", " + e.text.name(elements) + " : !pto.ptr<f32> -> !pto.ptr<f32>",
                "fifo");
}

void initialize(FunctionEmitter& e, const Call& call, const Var*) {
  const ops::Pipe pipe = *ops::pipe_of(call);
  const Uses uses = uses_of(e.function, pipe.id);
  if (uses.mixed) {
    e.refuse(call.span, "pipe " + std::to_string(pipe.id) + ", whose tiles are split in different ways",
             "a pipe has one split");
  }
  const int64_t by_default = pipe.dir_mask == 3 ? 4 : 8;
  std::string attributes = "id = " + std::to_string(pipe.id) +
                           ", dir_mask = " + std::to_string(pipe.dir_mask) +
                           ", slot_size = " + std::to_string(pipe.slot_size);
  if (pipe.slots != by_default) attributes += ", slot_num = " + std::to_string(pipe.slots);
  if (uses.split == SplitMode::NONE) attributes += ", nosplit = true";
  std::string operands = "gm_slot_buffer = " + slots_in_workspace(e, pipe, call.span) + " : !pto.ptr<f32>";
  for (ops::Ring ring : ops::all_rings) {
    if (!pipe.has(ring)) continue;
    operands += std::string(", ") + (ring == ops::Ring::CubeToVector ? "c2v" : "v2c") +
                "_consumer_buf = " + e.text.name(e.scalar(pipe.buffer(ring))) + " : i32";
  }
  const bool cube = call.op == ops::pl::aic_initialize_pipe;
  e.text.line(std::string("pto.") + (cube ? "aic" : "aiv") + "_initialize_pipe {" + attributes + "} (" +
              operands + ")");
}

// --- tiles

void push(FunctionEmitter& e, const Call& call, const Var*) {
  const ops::PipeUse use = *ops::pipe_use(call);
  const bool to_vector = use.ring == ops::Ring::CubeToVector;
  Tile tile = e.tile(operand(call, "tile"));
  const MemorySpace wanted = to_vector ? MemorySpace::Acc : MemorySpace::Vec;
  if (tile.form.space != wanted || tile.mask) {
    e.refuse(
        call.span,
        std::string("a push of a tile ") + (tile.mask ? "of packed bits" : "that is not where pushes read"),
        to_vector ? "the cube core pushes results of products"
                  : "the vector core pushes tiles of whole elements");
    return;
  }
  const auto& type = static_cast<const TileType&>(*operand(call, "tile")->type);
  // The cube core sees the whole tile as boxes of 16 rows of 32 bytes.
  const int64_t rows = type.rows() * (use.split == SplitMode::UP_DOWN ? 2 : 1);
  const int64_t cols = type.cols() * (use.split == SplitMode::LEFT_RIGHT ? 2 : 1);
  const bool boxes = to_vector || (rows % 16 == 0 && cols * bytes(type.dtype) % 32 == 0);
  if (tile.form.rows != type.rows() || tile.form.cols != type.cols() || tile.column() || !boxes) {
    e.refuse(call.span, "a push of a tile " + std::to_string(type.rows()) + "x" + std::to_string(type.cols()),
             "slots have no room for the rest of its lines in memory")
        .with_help("push a tile whose rows are a multiple of " + std::to_string(to_vector ? 64 : 32) +
                   " bytes and their number a multiple of 16");
    return;
  }
  e.text.line(std::string("pto.tpush_to_") + (to_vector ? "aiv" : "aic") + "(" + tile.name + " : " +
              tile.type() + ") {id = " + std::to_string(use.id) + ", split = " + split_text(use.split) + "}");
}

void pop(FunctionEmitter& e, const Call& call, const Var* result) {
  const ops::PipeUse use = *ops::pipe_use(call);
  const bool from_cube = use.ring == ops::Ring::CubeToVector;
  const auto& type = static_cast<const TileType&>(*call.type);
  const MemorySpace space = from_cube ? MemorySpace::Vec : MemorySpace::Mat;
  Tile tile;
  tile.form = form_of(type, space, 1);
  tile.form.rows = type.rows();
  tile.form.cols = type.cols();
  tile.form.col_major = !from_cube;
  tile.rows = e.number(type.rows());
  tile.cols = e.number(type.cols());
  tile.name = e.text.fresh(result ? result->name_hint : "popped");
  e.text.line(tile.name + " = pto.tpop_from_" + (from_cube ? "aic" : "aiv") + " {id = " +
              std::to_string(use.id) + ", split = " + split_text(use.split) + "} -> " + tile.type());
  if (!result) return;
  if (!from_cube) return e.name_tile(*result, tile);
  // The slot is handed back while the tile may live on, changed in place or handed on by a loop.
  const Tile own = e.destination(*result, tile.rows, tile.cols);
  if (own.form == tile.form) {
    e.op("tmov", {tile}, own);
  } else {
    const std::string zero = e.text.integer(0, "index");
    e.op("tinsert", {tile, Operand(zero, "index"), Operand(zero, "index")}, own);
  }
}

void free_slot(FunctionEmitter& e, const Call& call, const Var*) {
  const ops::PipeUse use = *ops::pipe_use(call);
  const char* side = use.ring == ops::Ring::CubeToVector ? "aic" : "aiv";
  e.text.line(std::string("pto.tfree_from_") + side + " {id = " + std::to_string(use.id) +
              ", split = " + split_text(uses_of(e.function, use.id).split) + "}");
}

}  // namespace

void add_pipe_rules(RuleTable& table) {
  namespace pl = ops::pl;
  table.add(pl::reserve_buffer, {reserve_buffer, {}, "reserve_buffer in the half that pops", {}});
  table.add(pl::import_peer_buffer, {import_buffer, {}, "import_reserved_buffer", {}});
  table.add(pl::aic_initialize_pipe,
            {initialize, {}, "aic_initialize_pipe on this block's part of the workspace", {}});
  table.add(pl::aiv_initialize_pipe,
            {initialize, {}, "aiv_initialize_pipe on this block's part of the workspace", {}});
  const DtypeSet moved = stored;
  table.add(pl::tpush_to_aiv, {push, moved, "tpush_to_aiv from acc", {}});
  table.add(pl::tpush_to_aic, {push, moved, "tpush_to_aic from vec", {}});
  table.add(pl::tpop_from_aic, {pop, moved, "tpop_from_aic, tmov", {}});
  table.add(pl::tpop_from_aiv, {pop, moved, "tpop_from_aiv", {}});
  table.add(pl::tfree_to_aic, {free_slot, {}, "tfree_from_aic", {}});
  table.add(pl::tfree_to_aiv, {free_slot, {}, "tfree_from_aiv", {}});
  constexpr const char* for_others = "written by lower_pipes for targets without pipes";
  for (const ops::Handle* op :
       {&pl::pipe::cells, &pl::pipe::check_workspace, &pl::pipe::notify, &pl::pipe::slot, &pl::pipe::wait}) {
    table.add(*op, {nullptr, {}, for_others, {}});
  }
}

}  // namespace tilewire::target::pto
