// Pipes between the cube and the vector half of a kernel: ring buffers of slots, one tile each.
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/registry.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

const char* const no_pipes = "The pass lower_pipes replaces it by accesses to slots and cells.";

int64_t int_attr(const OpCheck& c, const char* name) {
  return *c.attr(name)->get<int64_t>();
}

bool check_positive(OpCheck& c, const char* name) {
  if (!c.attr(name) || int_attr(c, name) > 0) return true;
  c.error(diag::must_be_positive, name, {name, c.op.qualified(), std::to_string(int_attr(c, name))});
  return false;
}

bool check_text(OpCheck& c, const char* name) {
  if (!c.attr(name)->get<std::string>()->empty()) return true;
  c.error(diag::pipe_name, name, {name, c.op.qualified()});
  return false;
}

bool check_id(OpCheck& c) {
  if (int_attr(c, "id") >= 0) return true;
  c.error(diag::pipe_id, "id", {std::to_string(int_attr(c, "id"))});
  return false;
}

TypeRef reserve_rule(OpCheck& c) {
  bool good = check_text(c, "name");
  good = check_positive(c, "size") && good;
  int64_t base = int_attr(c, "base");
  if (base < 0 && base != automatic) {
    c.error(diag::buffer_base, "base", {std::to_string(base)})
        .with_help("write base=pl.AUTO to let the compiler choose");
    good = false;
  }
  return good ? scalar_type(DType::Int32) : nullptr;
}

TypeRef import_rule(OpCheck& c) {
  bool good = check_text(c, "name");
  return check_text(c, "peer_func") && good ? scalar_type(DType::Int32) : nullptr;
}

// The buffer of a direction: needed when the direction is used, else 0.
bool check_buffer(OpCheck& c, const char* name, bool used, int64_t mask) {
  if (!c.has(name)) c.set(name, make<ConstInt>(c.span, int64_t{0}, DType::Int32));
  if (!normalise_int32(c, name)) return false;
  if (!used || constant_value(c.arg(name)) != 0) return true;
  c.error(diag::pipe_buffer, "dir_mask", {std::to_string(mask), name})
      .with_help(
          "pass a buffer: pl.reserve_buffer(...) in the half that pops, pl.import_peer_buffer(...) in the "
          "other");
  return false;
}

TypeRef initialize_rule(OpCheck& c) {
  int64_t mask = int_attr(c, "dir_mask");
  bool good = check_id(c);
  good = check_positive(c, "slot_size") && good;
  good = check_positive(c, "slot_num") && good;
  if (mask < 1 || mask > 3) {
    c.error(diag::pipe_direction, "dir_mask", {std::to_string(mask)});
    return nullptr;
  }
  good = check_buffer(c, "c2v", mask & 1, mask) && good;
  good = check_buffer(c, "v2c", mask & 2, mask) && good;
  return good ? unit_type() : nullptr;
}

TypeRef pop_rule(OpCheck& c) {
  if (!c.annotated) {
    c.error(diag::pop_annotation, {c.op.qualified()})
        .with_help("write t: pl.Tile[[16, 16], pl.FP32] = " + c.op.qualified() + "(...)");
    return nullptr;
  }
  if (!isa<TileType>(c.annotated)) {
    c.error(diag::pop_not_tile, {c.op.qualified(), to_string(c.annotated)});
    return nullptr;
  }
  return check_id(c) ? c.annotated : nullptr;
}

TypeRef push_rule(OpCheck& c) {
  return check_id(c) ? unit_type() : nullptr;
}

Define& pipe_id(Define& def) {
  return def.attr("id", AttrKind::Int, "Which pipe, as it was initialised.").by_default({int64_t{0}});
}

Define& split(Define& def) {
  return def
      .choice<SplitMode>(
          "split",
          "How the tile is shared by two vector lanes: 0 not at all, 1 rows halved, 2 columns halved.")
      .by_default(SplitMode::NONE);
}

void define_buffers(std::vector<Op>& ops) {
  Define reserve(ops, "pl", "reserve_buffer",
                 "Reserves on-chip memory for the slots of a pipe, in the half that pops from it.");
  reserve.attr("name", AttrKind::String, "The name the other half imports it by; not empty.")
      .attr("size", AttrKind::Int, "Bytes: slot size times number of slots.")
      .attr("base", AttrKind::Int, "The address in that memory, or `pl.AUTO`.")
      .by_default({automatic})
      .result("An INT32 handle for the initialisation of the pipe.")
      .rule(reserve_rule);
  Define import(ops, "pl", "import_peer_buffer", "The buffer that the other half has reserved for a pipe.");
  import.attr("name", AttrKind::String, "The name it was reserved by.")
      .attr("peer_func", AttrKind::String, "The function that reserves it: its name, or `self.f`.")
      .result("An INT32 handle for the initialisation of the pipe.")
      .rule(import_rule);
  reserve.no_rule(no_pipes);
  import.no_rule(no_pipes);
  reserve.op().synchronizes = import.op().synchronizes = true;
  reserve.op().functions = import.op().functions =
      function_bit(FunctionType::AIC) | function_bit(FunctionType::AIV);
  for (const char* half : {"aic", "aiv"}) {
    std::string unit = std::string(half) == "aic" ? "cube" : "vector";
    Define def(ops, "pl", half + std::string("_initialize_pipe"),
               "Initialises a pipe in the " + unit + " half of a kernel, before its first push or pop.");
    def.operand("c2v", AcceptInt, Address,
                "The buffer of the direction cube to vector; None or 0 if that is not used.")
        .literal(DType::Int32)
        .optional()
        .operand("v2c", AcceptInt, Address,
                 "The buffer of the direction vector to cube; None or 0 if that is not used.")
        .literal(DType::Int32)
        .optional()
        .attr("dir_mask", AttrKind::Int, "1: cube to vector, 2: vector to cube, 3: both.")
        .attr("slot_size", AttrKind::Int, "Bytes of a slot: those of the whole tile, not of its half.");
    pipe_id(def)
        .attr("slot_num", AttrKind::Int,
              "Slots per direction; 8 for one direction and 4 for both if left out.")
        .optional()
        .no_rule(no_pipes)
        .result("Nothing.")
        .rule(initialize_rule);
    def.op().synchronizes = true;
    def.op().functions = function_bit(unit == "cube" ? FunctionType::AIC : FunctionType::AIV);
  }
}

void define_slots(std::vector<Op>& ops) {
  struct Side {
    const char* name;
    const char* unit;
  };
  for (Side side : {Side{"aiv", "vector"}, Side{"aic", "cube"}}) {
    const std::string name = side.name, unit = side.unit;
    Define push(ops, "pl", "tpush_to_" + name,
                "Waits for a free slot of the pipe to the " + unit +
                    " half, copies a tile into it and marks it ready.");
    push.operand("tile", AcceptTile, Data, "The tile.");
    pipe_id(split(push)).no_rule(no_pipes).result("Nothing.").rule(push_rule);

    Define pop(ops, "pl", "tpop_from_" + name,
               "Waits for a tile from the " + unit +
                   " half. The annotation of the assigned name determines its shape "
                   "and dtype.");
    pipe_id(split(pop))
        .no_rule(no_pipes)
        .result("The tile, as annotated; with a split, this lane's half.")
        .rule(pop_rule);

    Define free(ops, "pl", "tfree_to_" + name,
                "Hands the slot of a popped tile back to the " + unit + " half.");
    free.operand("tile", AcceptTile, Data, "The tile that was popped.");
    pipe_id(free).no_rule(no_pipes).result("Nothing.").rule(push_rule);

    // Each half talks to the other one only.
    push.op().functions = pop.op().functions = free.op().functions =
        function_bit(name == "aiv" ? FunctionType::AIC : FunctionType::AIV);
    pop.op().needs_annotation = true;
    push.op().synchronizes = pop.op().synchronizes = free.op().synchronizes = true;
  }
}

}  // namespace

void define_pipes(std::vector<Op>& ops) {
  define_buffers(ops);
  define_slots(ops);
}

}  // namespace tilewire::ops
