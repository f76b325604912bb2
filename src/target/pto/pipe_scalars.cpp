#include "target/pto/pipe_scalars.h"

#include <tuple>

#include "ir/visitor.h"
#include "ops/handles.h"
#include "target/pto/emitter.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

// Tiles that look alike on both sides: the pipe, rows, columns, elements.
using Kind = std::tuple<int64_t, int64_t, int64_t, DType>;

Kind kind_of(int64_t pipe, const TypeRef& type) {
  const auto& tile = static_cast<const TileType&>(*type);
  return {pipe, tile.rows(), tile.cols(), tile.dtype};
}

struct Uses : Visitor<Uses> {
  std::map<const Expr*, int64_t> popped, pushed;  // from and to the cube half; the pipe
  std::map<const Expr*, const Call*> fills;
  std::set<const Expr*> read, otherwise;  // an element of it, or something else

  void visit(const Assign& assign) {
    walk(assign.value);
    const auto* call = as<Call>(assign.value);
    if (!call) return;
    const auto use = ops::pipe_use(*call);
    if (use && use->kind == ops::PipeUse::Kind::Pop && use->ring == ops::Ring::VectorToCube)
      popped[assign.var.get()] = use->id;
    if (call->op == ops::pl::tile::full) fills[assign.var.get()] = call;
  }
  void visit(const Call& call) {
    const auto use = ops::pipe_use(call);
    const bool push = use && use->kind == ops::PipeUse::Kind::Push;
    if (push && use->ring == ops::Ring::VectorToCube) pushed[call.args[0].get()] = use->id;
    if (use && !push) return;
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!call.args[i]) continue;
      if (!isa<Var>(call.args[i])) {
        walk(call.args[i]);
      } else if (call.op == ops::pl::tile::read && i == 0) {
        read.insert(call.args[i].get());
      } else if (!push) {
        otherwise.insert(call.args[i].get());
      }
    }
  }
  void visit(const Var& var) { otherwise.insert(&var); }
};

}  // namespace

PipeScalars::PipeScalars(const Kernel& kernel) {
  Uses uses;
  for (const Function* body : kernel.bodies) uses.walk(*body->body);
  std::set<Kind> kinds, mixed;
  for (const auto& [tile, pipe] : uses.popped) {
    const bool scalar = uses.read.contains(tile) && !uses.otherwise.contains(tile);
    (scalar ? kinds : mixed).insert(kind_of(pipe, tile->type));
  }
  for (const auto& [tile, pipe] : uses.pushed) {
    const Kind kind = kind_of(pipe, tile->type);
    if (!uses.fills.contains(tile) || uses.otherwise.contains(tile)) mixed.insert(kind);
  }
  auto scalar = [&](const Kind& kind) { return kinds.contains(kind) && !mixed.contains(kind); };
  for (const auto& [tile, pipe] : uses.popped) {
    if (!scalar(kind_of(pipe, tile->type))) continue;
    received_.insert(tile);
    pipes_.insert(pipe);
  }
  for (const auto& [tile, pipe] : uses.pushed) {
    if (scalar(kind_of(pipe, tile->type))) sent_[tile] = uses.fills[tile];
  }
}

const Call* PipeScalars::sent(const Expr& tile) const {
  const auto found = sent_.find(&tile);
  return found == sent_.end() ? nullptr : found->second;
}

// A line of the cache holds nothing but cells.
int64_t PipeScalars::cells_at(const ops::Pipe& pipe) const {
  constexpr int64_t line = 64;
  int64_t rings = 0;
  for (ops::Ring ring : ops::all_rings) rings += pipe.has(ring) ? 1 : 0;
  return (rings * slots(pipe) * pipe.slot_size + line - 1) / line * line;
}

int64_t slot_bytes(const TileType* tile, bool from_cube) {
  return tile ? slot_form(*tile, from_cube).bytes() : token_form().bytes();
}

bool has_halves(const TileType& tile, SplitMode mode, bool from_cube) {
  const TileForm form = slot_form(tile, from_cube);
  const int64_t cols = mode == SplitMode::LEFT_RIGHT ? form.cols / 2 : form.cols;
  constexpr int64_t line = 32;
  return form.rows == tile.rows() && form.cols == tile.cols() &&
         cols * element_bytes(form.element) % line == 0;
}

// --- in the text

void FunctionEmitter::begin_scalars(const ops::Pipe& pipe, const std::string& workspace) {
  Allocated made;
  made.tile.form.space = MemorySpace::DDR;
  made.tile.form.rows = made.tile.form.cols = 1;
  made.tile.form.element = "i32";
  made.tile.name = made.tile.memory = text.fresh("scalars");
  allocated_.push_back(made);
  cells_[pipe.id] = {workspace, made.tile.name};
  text.line("pto.local_array_set " + made.tile.name + "[" + text.integer(0, "index") + "], " +
            text.integer(0, "i32") + " : !pto.local_array<1xi32>, i32");
}

std::string FunctionEmitter::next_cell(const ops::Pipe& pipe, const std::string& type) {
  const Cells& cells = cells_.at(pipe.id);
  const std::string zero = text.integer(0, "index"), count = text.fresh("count");
  text.line(count + " = pto.local_array_get " + cells.count + "[" + zero +
            "] : !pto.local_array<1xi32> -> i32");
  const Scalar used = named(count, "i32");
  const Scalar next = arith("remui", add(used, number(1, "i32")), number(pipe.slots, "i32"));
  text.line("pto.local_array_set " + cells.count + "[" + zero + "], " + text.name(next) +
            " : !pto.local_array<1xi32>, i32");
  const int64_t element = element_bytes(type);
  const Scalar at =
      add(mul(as_index(used), number(cell_bytes / element)), number(scalars_sent.cells_at(pipe) / element));
  std::string pointer = cells.workspace;
  if (type != "f32")
    pointer = pure("pto.castptr " + pointer + " : !pto.ptr<f32> -> !pto.ptr<" + type + ">", "cells");
  return pointer + "[" + text.name(at) + "]";
}

void FunctionEmitter::send_scalar(const ops::Pipe& pipe, const Scalar& value) {
  Scalar given = value;
  if (given.type == "index") given = as_integer(given, "i64");
  const std::string cell = next_cell(pipe, given.type);
  text.line("pto.store_scalar " + text.name(given) + ", " + cell + " : !pto.ptr<" + given.type + ">, " +
            given.type);
  write_back();
}

void FunctionEmitter::receive_scalar(const ops::Pipe& pipe, const Var& tile) {
  const std::string type = scalar_text(static_cast<const TileType&>(*tile.type).dtype);
  text.line("pto.cmo.cacheinvalid all #pto.address_space<gm>");
  const std::string cell = next_cell(pipe, type), name = text.fresh("received");
  text.line(name + " = pto.load_scalar " + cell + " : !pto.ptr<" + type + "> -> " + type);
  received_[&tile] = named(name, type);
}

const Scalar* FunctionEmitter::received(const Expr& tile) const {
  const auto found = received_.find(&tile);
  return found == received_.end() ? nullptr : &found->second;
}

}  // namespace tilewire::target::pto
