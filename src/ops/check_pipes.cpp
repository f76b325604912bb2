#include "ops/check_pipes.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/op.h"
#include "ir/printer.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/pipe.h"
#include "support/diagnostics/verifier.h"
#include "support/near.h"

namespace tilewire::ops {
namespace {

using namespace ir;

constexpr int64_t slot_alignment = 32;

const char* text_of(SplitMode mode) {
  return mode == SplitMode::NONE ? "not at all" : mode == SplitMode::UP_DOWN ? "by rows" : "by columns";
}

// The whole tile of which a vector lane has its part.
TypeRef whole_tile(const TypeRef& type, SplitMode split) {
  const auto& tile = static_cast<const TileType&>(*type);
  const int64_t rows = tile.rows() * (split == SplitMode::UP_DOWN ? 2 : 1);
  const int64_t cols = tile.cols() * (split == SplitMode::LEFT_RIGHT ? 2 : 1);
  return make<TileType>(Span{}, ExprList{const_index(rows), const_index(cols)}, tile.dtype);
}

int64_t bytes_of(const TypeRef& type) {
  const auto& tile = static_cast<const TileType&>(*type);
  return tile.rows() * tile.cols() * bytes(tile.dtype);
}

// What one function does with pipes, in program order.
struct HalfPipes : Visitor<HalfPipes> {
  struct Used {
    PipeUse use;
    const Call* call;
    TypeRef tile;  // the whole one; null for a free
  };
  struct Initialised {
    Pipe pipe;
    size_t before;  // number of uses before it
    bool nested;
  };
  const Function* function = nullptr;
  std::vector<Initialised> pipes;
  std::vector<Used> uses;
  std::map<std::string, int64_t> reserved;  // bytes by name
  std::vector<const Call*> imports, in_condition;
  std::map<const Var*, const Call*> defined;  // by a call
  int depth = 0;
  bool condition = false;
  // Where tiles were handed back, and the blocks around that place.
  struct Freed {
    const Call* call;
    std::vector<const Node*> blocks;
  };
  std::map<const Var*, Freed> freed;
  std::map<const Var*, std::pair<const Stmt*, const Call*>>
      used_after;  // the first such statement, and the free
  std::vector<const Node*> blocks;
  const Stmt* statement = nullptr;

  void visit(const Block& block) {
    blocks.push_back(&block);
    for (const StmtRef& stmt : block.stmts) {
      statement = stmt.get();
      walk(stmt);
    }
    blocks.pop_back();
  }
  void visit(const Var& var) {
    auto found = freed.find(&var);
    if (found == freed.end()) return;
    const auto& around = found->second.blocks;
    const bool behind =
        around.size() <= blocks.size() && std::equal(around.begin(), around.end(), blocks.begin());
    if (behind) used_after.emplace(&var, std::pair(statement, found->second.call));
  }

  void visit(const Assign& assign) {
    if (const auto* call = as<Call>(assign.value)) defined[assign.var.get()] = call;
    walk_children(assign);
  }
  void visit(const If& branch) { nested(branch); }
  void visit(const For& loop) { nested(loop); }
  void visit(const While& loop) {
    condition = true;
    walk(*loop.before);
    condition = false;
    ++depth;
    walk(*loop.body);
    --depth;
  }
  template <class T>
  void nested(const T& node) {
    ++depth;
    walk_children(node);
    --depth;
  }

  void visit(const Call& call) {
    walk_children(call);
    if (call.op == pl::reserve_buffer)
      reserved[text(call, "name")] = *find_attr(call.attrs, "size")->get<int64_t>();
    if (call.op == pl::import_peer_buffer) imports.push_back(&call);
    auto pipe = pipe_of(call);
    if (pipe) pipes.push_back({*pipe, uses.size(), depth > 0});
    auto use = pipe_use(call);
    if (condition && (pipe || use)) in_condition.push_back(&call);
    if (!use) return;
    TypeRef tile;
    if (use->kind == PipeUse::Kind::Push) tile = call.args[0]->type;
    if (use->kind == PipeUse::Kind::Pop) tile = call.type;
    const bool lane = function->type == FunctionType::AIV;
    if (tile) tile = whole_tile(tile, lane ? use->split : SplitMode::NONE);
    uses.push_back({*use, &call, tile});
    const auto* var = use->kind == PipeUse::Kind::Free ? as<Var>(call.args[0]) : nullptr;
    if (var) freed.emplace(var, Freed{&call, blocks});
  }

  static std::string text(const Call& call, const char* attr) {
    return *find_attr(call.attrs, attr)->get<std::string>();
  }
  const Initialised* find(int64_t id) const {
    auto found =
        std::find_if(pipes.begin(), pipes.end(), [&](const Initialised& p) { return p.pipe.id == id; });
    return found == pipes.end() ? nullptr : &*found;
  }
};
using Halves = std::map<std::string, HalfPipes>;

void suggest(Diagnostic& d, const std::string& name, const std::vector<std::string>& known) {
  if (auto near = nearest(name, known)) d.with_help("did you mean `" + *near + "`?");
}

// --- one function

void check_uses(const HalfPipes& half, Diagnostics& diags) {
  for (const Call* call : half.in_condition) {
    diags.report(diag::pipe_in_condition, call->span, {call->op->qualified()});
  }
  for (const auto& [var, place] : half.used_after) {
    diags.report(diag::used_after_free, place.first->span, {var->name_hint})
        .with_note("it was handed back here", place.second->span);
  }
  for (size_t i = 0; i < half.uses.size(); ++i) {
    const auto& [use, call, tile] = half.uses[i];
    const std::string &op = call->op->qualified(), id = std::to_string(use.id);
    const auto* found = half.find(use.id);
    if (!found || found->before > i) {
      Diagnostic& d = diags.report(diag::pipe_not_initialised, call->span, {op, id, half.function->name});
      if (found) {
        d.with_note("pipe " + id + " is initialised here, behind it", found->pipe.call->span);
      } else if (half.pipes.size() == 1) {
        d.with_help("did you mean id=" + std::to_string(half.pipes[0].pipe.id) + "?");
      } else {
        const char* half_name = half.function->type == FunctionType::AIC ? "aic" : "aiv";
        d.with_help(std::string("call pl.") + half_name + "_initialize_pipe(..., id=" + id + ") first");
      }
      continue;
    }
    const Pipe& pipe = found->pipe;
    if (!pipe.has(use.ring)) {
      diags
          .report(diag::pipe_one_way, call->span,
                  {op, ops::text_of(use.ring), id, std::to_string(pipe.dir_mask)})
          .with_help("initialise it with dir_mask=3, which allows both directions");
      continue;
    }
    if (tile && bytes_of(tile) > pipe.slot_size) {
      Diagnostic& d = diags.report(diag::slot_too_small, call->span,
                                   {id, std::to_string(pipe.slot_size), std::to_string(bytes_of(tile))});
      d.with_label(to_string(tile));
      d.with_note("`slot_size` of the pipe is given here", pipe.call->span);
      if (use.split != SplitMode::NONE)
        d.with_help("make the slot larger: it holds the tiles of both vector lanes");
    }
    if (use.kind != PipeUse::Kind::Free) continue;
    auto source = half.defined.find(as<Var>(call->args[0]));
    auto popped = source == half.defined.end() ? std::nullopt : pipe_use(*source->second);
    const bool known = source != half.defined.end();
    const bool right =
        popped && popped->kind == PipeUse::Kind::Pop && popped->id == use.id && popped->ring == use.ring;
    if (known && !right) {
      diags.report(diag::free_not_popped, call->span, {op, id, ops::text_of(use.ring)})
          .with_note("the tile is made here", source->second->span);
    }
  }
}

void check_pipe(const HalfPipes& half, const Pipe& pipe, Diagnostics& diags) {
  if (pipe.slot_size % slot_alignment != 0) {
    diags.report(diag::slot_alignment, pipe.call->span, {std::to_string(pipe.slot_size)});
  }
  for (Ring ring : all_rings) {
    auto made = half.defined.find(as<Var>(pipe.buffer(ring)));
    if (!pipe.has(ring) || made == half.defined.end() || made->second->op != pl::reserve_buffer) continue;
    const int64_t size = *find_attr(made->second->attrs, "size")->get<int64_t>();
    const int64_t needed = pipe.slots * pipe.slot_size;
    if (size >= needed) continue;
    diags
        .report(diag::pipe_buffer_small, made->second->span,
                {std::to_string(pipe.id), ops::text_of(ring), std::to_string(needed),
                 std::to_string(pipe.slots), std::to_string(pipe.slot_size), std::to_string(size)})
        .with_note("the pipe is initialised here", pipe.call->span);
  }
}

void check_function(const HalfPipes& half, Diagnostics& diags) {
  for (const auto& param : half.function->params) {
    if (param->name != workspace_name) continue;
    const auto* type = as<TensorType>(param->type);
    if (type && type->dtype == DType::UInt8 && type->shape.size() == 1 && !type->view) continue;
    diags.report(diag::workspace_type, param->span, {half.function->name, to_string(param->type)})
        .with_help("annotate it with pl.InOut[pl.Tensor[[BYTES], pl.UINT8]], or leave it to the compiler");
  }
  std::set<int64_t> seen;
  for (const auto& [pipe, before, nested] : half.pipes) {
    if (!seen.insert(pipe.id).second) {
      diags.report(diag::pipe_twice, pipe.call->span, {std::to_string(pipe.id), half.function->name});
    } else if (nested) {
      diags.report(diag::pipe_in_branch, pipe.call->span, {std::to_string(pipe.id)})
          .with_help("initialise it once, at the start of the function");
    }
    check_pipe(half, pipe, diags);
  }
  check_uses(half, diags);
}

void check_imports(const Halves& functions, const HalfPipes& half, const std::vector<std::string>& names,
                   Diagnostics& diags) {
  for (const Call* call : half.imports) {
    const std::string peer = HalfPipes::text(*call, "peer_func");
    const std::string buffer = HalfPipes::text(*call, "name");
    auto found = functions.find(peer);
    if (found == functions.end()) {
      suggest(diags.report(diag::peer_function, call->span, {peer}), peer, names);
      continue;
    }
    const auto& reserved = found->second.reserved;
    if (reserved.contains(buffer)) continue;
    Diagnostic& d = diags.report(diag::peer_buffer, call->span, {peer, buffer});
    if (reserved.empty()) {
      d.with_help("write `pl.reserve_buffer(name=\"" + buffer + "\", size=...)` in `" + peer + "`");
    } else {
      std::vector<std::string> known;
      for (const auto& [name, size] : reserved) known.push_back(name);
      suggest(d, buffer, known);
    }
  }
}

// --- the two halves of a Group

struct Ends {
  const std::string& group;
  const HalfPipes &cube, &vector;
  Diagnostics& diags;

  void check() {
    for (const auto& one : cube.pipes) agree(one.pipe);
    for (const auto& one : vector.pipes) {
      if (!cube.find(one.pipe.id)) missing(vector, cube, one.pipe);
    }
    check_lanes();
    std::set<std::pair<int64_t, Ring>> rings;
    for (const HalfPipes* half : {&cube, &vector}) {
      for (const auto& used : half->uses) rings.emplace(used.use.id, used.use.ring);
    }
    for (const auto& [id, ring] : rings) {
      const bool forth = ring == Ring::CubeToVector;
      tiles(id, ring, forth ? cube : vector, forth ? vector : cube);
    }
  }

 private:
  void missing(const HalfPipes& has, const HalfPipes& has_not, const Pipe& pipe) {
    diags.report(diag::pipe_other_half, pipe.call->span,
                 {has.function->name, std::to_string(pipe.id), group, has_not.function->name});
  }

  void agree(const Pipe& pipe) {
    const auto* other = vector.find(pipe.id);
    if (!other) return missing(cube, vector, pipe);
    if (pipe.same_shape(other->pipe)) return;
    auto text = [&](const Pipe& one, const Pipe& another) {
      std::string text;
      auto add = [&](const char* name, int64_t value, int64_t theirs) {
        if (value != theirs)
          text += (text.empty() ? "" : ", ") + std::string(name) + "=" + std::to_string(value);
      };
      add("dir_mask", one.dir_mask, another.dir_mask);
      add("slot_size", one.slot_size, another.slot_size);
      add("slot_num", one.slots, another.slots);
      return text;
    };
    diags
        .report(diag::pipe_halves_differ, pipe.call->span,
                {group, std::to_string(pipe.id), text(pipe, other->pipe), cube.function->name,
                 text(other->pipe, pipe), vector.function->name})
        .with_note("the other half initialises it here", other->pipe.call->span);
  }

  void check_lanes() {
    const Call *once = nullptr, *twice = nullptr;
    for (const auto& used : vector.uses) {
      if (used.use.kind == PipeUse::Kind::Free) continue;
      (used.use.split == SplitMode::NONE ? once : twice) = used.call;
    }
    if (!once || !twice) return;
    diags.report(diag::pipe_lanes, once->span, {vector.function->name})
        .with_label("not split")
        .with_note("split over two lanes", twice->span)
        .with_help("pass the same `split=` to all of its pushes and pops");
  }

  // What one end pushes and the other one pops.
  void tiles(int64_t id, Ring ring, const HalfPipes& from, const HalfPipes& to) {
    auto of = [&](const HalfPipes& half, PipeUse::Kind kind) {
      std::vector<const HalfPipes::Used*> list;
      for (const auto& used : half.uses) {
        if (used.use.id == id && used.use.ring == ring && used.use.kind == kind) list.push_back(&used);
      }
      return list;
    };
    const auto pushes = of(from, PipeUse::Kind::Push), pops = of(to, PipeUse::Kind::Pop);
    if (pushes.empty()) return;
    for (const auto* pop : pops) {
      auto same_split = [&](const auto* push) { return push->use.split == pop->use.split; };
      if (std::none_of(pushes.begin(), pushes.end(), same_split)) {
        const auto* push = pushes.front();
        diags
            .report(diag::pipe_splits_differ, pop->call->span,
                    {std::to_string(id), ops::text_of(ring), text_of(pop->use.split), to.function->name,
                     text_of(push->use.split), from.function->name})
            .with_note("pushed here", push->call->span);
        continue;
      }
      auto same_tile = [&](const auto* push) { return to_string(push->tile) == to_string(pop->tile); };
      if (std::any_of(pushes.begin(), pushes.end(), same_tile)) continue;
      const auto* push = pushes.front();
      diags
          .report(diag::pop_other_type, pop->call->span,
                  {to.function->name, to_string(pop->tile), std::to_string(id), ops::text_of(ring),
                   from.function->name, to_string(push->tile)})
          .with_note("pushed here", push->call->span);
    }
  }
};

void check_group(const Function& group, const Halves& functions, Diagnostics& diags) {
  for (const TypeRef& type : group.return_types) {
    if (isa<TensorType>(type)) continue;
    diags.report(diag::group_scalar, group.span, {group.name, to_string(type)})
        .with_help("store the value in a tensor: a parameter pl.Out[...] that the half writes");
  }
  const HalfPipes *cube = nullptr, *vector = nullptr;
  for (const StmtRef& stmt : group.body->stmts) {
    ExprRef value;
    if (const auto* assign = as<Assign>(stmt)) value = assign->value;
    if (const auto* eval = as<Eval>(stmt)) value = eval->value;
    const auto* call = as<FunctionCall>(value);
    auto found = call ? functions.find(call->callee) : functions.end();
    if (found == functions.end()) continue;
    if (found->second.function->type == FunctionType::AIC) cube = &found->second;
    if (found->second.function->type == FunctionType::AIV) vector = &found->second;
  }
  if (cube && vector) Ends{group.name, *cube, *vector, diags}.check();
}

}  // namespace

void check_pipes(const Program& program, Diagnostics& diags) {
  Halves functions;
  std::vector<std::string> names;
  for (const FunctionRef& function : program.functions) {
    HalfPipes& half = functions[function->name];
    half.function = function.get();
    half.walk(*function->body);
    names.push_back(function->name);
  }
  for (const auto& [name, half] : functions) {
    check_imports(functions, half, names, diags);
    check_function(half, diags);
  }
  for (const FunctionRef& function : program.functions) {
    if (function->type == FunctionType::Group) check_group(*function, functions, diags);
  }
}

}  // namespace tilewire::ops
