// Pipes between the two halves of a kernel. Slots are in the memory of the half that pops, and, on the way,
// in the workspace in global memory, of which each block of a launch has a part.
#include <algorithm>

#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/pipe.h"
#include "target/pto/convert.h"
#include "target/pto/emitter.h"
#include "target/pto/kernel_kind.h"
#include "target/pto/parts.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

constexpr int64_t workspace_element = 4;  // bytes; the workspace is a pointer to f32

int64_t int_attribute(const Call& call, const char* name) {
  return *attribute(call, name)->get<int64_t>();
}

// The properties of a pipe that follow from its uses in this half.
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

// The most tiles that a half has popped and not freed at once.
struct Popped : Visitor<Popped> {
  int64_t id = 0, now = 0, most = 0;
  void visit(const Call& call) {
    walk_children(call);
    const auto use = ops::pipe_use(call);
    if (!use || use->id != id) return;
    if (use->kind == ops::PipeUse::Kind::Pop) most = std::max(most, ++now);
    if (use->kind == ops::PipeUse::Kind::Free) --now;
  }
  void visit(const If& branch) {
    const int64_t before = now;
    walk(*branch.then_body);
    if (!branch.else_body) return;
    const int64_t after = std::max(now, before);
    now = before;
    walk(*branch.else_body);
    now = std::max(now, after);
  }
};

// Slots in the memory of the half that pops, the same number for both.
int64_t local_slots(FunctionEmitter& e, const ops::Pipe& pipe) {
  int64_t needed = 1;
  for (const Function* body : e.kernel.bodies) {
    Popped popped;
    popped.id = pipe.id;
    popped.walk(*body->body);
    needed = std::max(needed, popped.most);
  }
  return std::min(e.scalars_sent.slots(pipe), std::max(needed, e.slots));
}

std::string split_text(SplitMode split) {
  return std::to_string(static_cast<int>(split));
}

// --- the buffers

void reserve_buffer(FunctionEmitter& e, const Call& call, const Var* result) {
  const bool cube = kind_of_core(e.function) == Core::Cube;
  int64_t size = int_attribute(call, "size");
  for (const ops::Pipe& pipe : ops::pipes_of(e.function)) {
    const auto ring = cube ? ops::Ring::VectorToCube : ops::Ring::CubeToVector;
    const bool all = size == pipe.slots * pipe.slot_size;
    if (pipe.has(ring) && pipe.buffer(ring).get() == result && all)
      size = local_slots(e, pipe) * pipe.slot_size;
  }
  const std::string name = e.reserve_slots(*attribute(call, "name")->get<std::string>(), size,
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
  const int64_t slots = e.scalars_sent.slots(pipe);
  if (slots != by_default) attributes += ", slot_num = " + std::to_string(slots);
  if (const int64_t local = local_slots(e, pipe); local != slots)
    attributes += ", local_slot_num = " + std::to_string(local);
  if (uses.split == SplitMode::NONE) attributes += ", nosplit = true";
  if (slots < 1) e.refuse(call.span, "a scalar through a pipe of one slot", "it takes two");
  const std::string workspace = slots_in_workspace(e, pipe, call.span);
  if (e.scalars_sent.uses(pipe)) e.begin_scalars(pipe, workspace);
  std::string operands = "gm_slot_buffer = " + workspace + " : !pto.ptr<f32>";
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

ops::Pipe pipe_of_use(FunctionEmitter& e, const ops::PipeUse& use) {
  for (const ops::Pipe& pipe : ops::pipes_of(e.function)) {
    if (pipe.id == use.id) return pipe;
  }
  return {};
}

void write_push(FunctionEmitter& e, const ops::PipeUse& use, const Tile& tile) {
  const bool to_vector = use.ring == ops::Ring::CubeToVector;
  e.text.line(std::string("pto.tpush_to_") + (to_vector ? "aiv" : "aic") + "(" + tile.name + " : " +
              tile.type() + ") {id = " + std::to_string(use.id) + ", split = " + split_text(use.split) + "}");
}

// How the part of a tile lies in a slot that this half pushes or pops. Nothing after reporting that lanes
// cannot share it.
std::optional<TileForm> part_of_slot(FunctionEmitter& e, const Call& call, const TileType& type,
                                     const ops::PipeUse& use) {
  const bool from_cube = use.ring == ops::Ring::CubeToVector;
  const bool lane = kind_of_core(e.function) == Core::Vector;
  if (use.split == SplitMode::NONE) return slot_form(type, from_cube);
  const int64_t rows = type.rows() * (lane && use.split == SplitMode::UP_DOWN ? 2 : 1);
  const int64_t cols = type.cols() * (lane && use.split == SplitMode::LEFT_RIGHT ? 2 : 1);
  const auto whole = make<TileType>(call.span, ExprList{const_index(rows), const_index(cols)}, type.dtype);
  if (!has_halves(*whole, use.split, from_cube)) {
    e.refuse(call.span,
             "a tile " + std::to_string(rows) + "x" + std::to_string(cols) + " that two lanes share",
             "a half of it is not made of whole boxes of the cube core")
        .with_help("use split=0, or tiles whose rows and columns are multiples of 32");
    return std::nullopt;
  }
  TileForm form = slot_form(*whole, from_cube);
  if (lane && use.split == SplitMode::UP_DOWN) form.rows /= 2;
  if (lane && use.split == SplitMode::LEFT_RIGHT) form.cols /= 2;
  return form;
}

void check_slot(FunctionEmitter& e, const Call& call, const TileForm& part, const ops::PipeUse& use) {
  const bool halves = use.split != SplitMode::NONE && kind_of_core(e.function) == Core::Vector;
  const int64_t needed = part.bytes() * (halves ? 2 : 1);
  const int64_t there = pipe_of_use(e, use).slot_size;
  if (needed <= there) return;
  const auto& type = static_cast<const TileType&>(*operand(call, "tile")->type);
  e.refuse(call.span,
           "a push of a tile " + std::to_string(type.rows()) + "x" + std::to_string(type.cols()) +
               " into slots of " + std::to_string(there) + " bytes",
           "whole boxes of the cube core take " + std::to_string(needed))
      .with_help("give the pipe slot_size=" + std::to_string(needed));
}

// Whether the other half says what is valid of tiles that it pops from a ring: of some of them.
bool pops_state_extents(const FunctionEmitter& e, const ops::PipeUse& use) {
  struct Pops : Visitor<Pops> {
    const TileSpaces& memory;
    const ops::PipeUse& wanted;
    bool any = false, stated = false;
    Pops(const TileSpaces& m, const ops::PipeUse& w) : memory(m), wanted(w) {}
    void visit(const Assign& assign) {
      walk_children(assign);
      const auto* call = as<Call>(assign.value);
      const auto pop = call ? ops::pipe_use(*call) : std::nullopt;
      if (!pop || pop->kind != ops::PipeUse::Kind::Pop || pop->id != wanted.id || pop->ring != wanted.ring)
        return;
      any = true;
      stated = stated || memory.cut_of_popped(*assign.var);
    }
  };
  for (const Function* body : e.kernel.bodies) {
    if (body == &e.function) continue;
    const TileSpaces memory(*body);
    Pops pops(memory, use);
    pops.walk(*body->body);
    if (pops.any && !pops.stated) return false;
  }
  return true;
}

void push(FunctionEmitter& e, const Call& call, const Var*) {
  const ops::PipeUse use = *ops::pipe_use(call);
  const bool to_vector = use.ring == ops::Ring::CubeToVector;
  const ExprRef pushed = operand(call, "tile");
  if (const Call* fill = e.scalars_sent.sent(*pushed)) {
    e.send_scalar(pipe_of_use(e, use), e.scalar(operand(*fill, "value")));
    const Tile token = e.temporary(token_form(), e.number(1), e.number(8));
    e.op("texpands", {{e.text.integer(0, "i32"), "i32"}}, token);
    return write_push(e, use, token);
  }
  Tile tile = e.tile(pushed);
  const MemorySpace wanted = to_vector ? MemorySpace::Acc : MemorySpace::Vec;
  if (tile.form.space != wanted) {
    e.refuse(call.span, "a push of a tile that is not where pushes read",
             to_vector ? "the cube core pushes results of products"
                       : "the vector core pushes tiles that it has computed or loaded");
    return;
  }
  const auto part = part_of_slot(e, call, static_cast<const TileType&>(*pushed->type), use);
  if (!part) return;
  check_slot(e, call, *part, use);
  const auto& type = static_cast<const TileType&>(*pushed->type);
  const bool full = tile.rows.integer == type.rows() && tile.cols.integer == type.cols();
  if (!full && !pops_state_extents(e, use)) {
    e.refuse(call.span, "a push of a tile that is not valid everywhere", "a slot does not say what is valid")
        .with_help("say it after the pop: pl.set_validshape(t, [rows, cols])");
    return;
  }
  // A sum of no products would be zeros, and the cube core has none to push.
  if (to_vector && tile.started) e.trap_if(e.arith("xori", *tile.started, e.number(1, "i1")));
  if (to_vector) return write_push(e, use, tile);
  tile = e.as_bytes(tile);
  if (tile.form == *part) return write_push(e, use, tile);
  // Moved into whole boxes, of which it is the first rows and columns.
  const Tile boxes = e.temporary(*part, tile.rows, tile.cols);
  if (tile.column()) {
    widen_column(e, tile, boxes);
  } else {
    put_part(e, tile, boxes, e.number(0), e.number(0));
  }
  write_push(e, use, boxes);
}

// A tile out of a slot into memory of its own: of other rows, columns or elements than the boxes it came in.
void take_out(FunctionEmitter& e, const Tile& slot, const Tile& own, const Var& result) {
  const DType dtype = static_cast<const TileType&>(*result.type).dtype;
  if (slot.form.element != own.form.element) {  // a sum that the product rounds
    TileForm form = own.form;
    form.element = slot.form.element;
    const Tile sum = e.temporary(form, own.rows, own.cols);
    take_out(e, slot, sum, result);
    return convert(e, sum, is_float(dtype) ? DType::FP32 : DType::Int32, own, dtype, RoundMode::Rint,
                   result.span);
  }
  if (own.column()) return narrow_column(e, slot, own);
  if (own.form == slot.form) return e.op("tmov", {slot}, own);
  take_part(e, slot, own, e.number(0), e.number(0));
}

void pop(FunctionEmitter& e, const Call& call, const Var* result) {
  const ops::PipeUse use = *ops::pipe_use(call);
  const bool from_cube = use.ring == ops::Ring::CubeToVector;
  const auto& type = static_cast<const TileType&>(*call.type);
  const bool scalar = result && e.scalars_sent.received(*result);
  const auto part = scalar ? std::optional(token_form()) : part_of_slot(e, call, type, use);
  Tile tile;
  if (part) tile.form = *part;
  tile.form.space = from_cube ? MemorySpace::Vec : MemorySpace::Mat;
  if (!from_cube) {
    tile.form.col_major = true;
    tile.form.boxes = Boxes::Rows;
  }
  tile.rows = e.number(scalar ? 1 : type.rows());
  tile.cols = e.number(scalar ? 8 : type.cols());
  const Call* cut = result ? e.memory.cut_of_popped(*result) : nullptr;
  const ExprRef valid = cut ? operand(*cut, "valid_shape") : nullptr;
  if (valid && e.known_here(valid)) {
    const std::vector<Scalar> extents = e.indices(valid);
    tile.rows = extents[0];
    tile.cols = extents[1];
    tile.dynamic = !tile.rows.integer || !tile.cols.integer;
  }
  tile.name = e.text.fresh(result ? result->name_hint : "popped");
  const std::string extent =
      tile.dynamic ? "(" + e.text.name(tile.rows) + ", " + e.text.name(tile.cols) + ") " : "";
  e.text.line(tile.name + " = pto.tpop_from_" + (from_cube ? "aic" : "aiv") + " " + extent + "{id = " +
              std::to_string(use.id) + ", split = " + split_text(use.split) + "} -> " + tile.type());
  if (!result) return;
  if (scalar) e.receive_scalar(pipe_of_use(e, use), *result);
  if (!from_cube) return e.name_tile(*result, tile);
  // The slot is handed back while the tile may live on, changed in place or handed on by a loop.
  take_out(e, tile, e.destination(*result, tile.rows, tile.cols), *result);
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
