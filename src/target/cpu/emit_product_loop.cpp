// Loops over the tiles of one matrix product:
//
//     for k in pl.range(0, K, 64):
//         acc = pl.matmul_acc(acc, pl.load(a, [i, k], [M, 64]), pl.load(b, [k, j], [64, N]))
//
// is one product with all of K, read where the matrices lie. The kernels of matmul.h block it better than
// tiles chosen for another machine can.
#include "ir/op.h"
#include "ir/visitor.h"
#include "target/cpu/emitter.h"
#include "target/cpu/matmul.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

struct Uses : Visitor<Uses> {
  explicit Uses(const Var* var) : var(var) {}
  const Var* var;
  bool found = false;
  void visit(const Var& v) { found |= &v == var; }
};

bool depends_on(const ExprRef& expr, const Var* var) {
  Uses uses(var);
  uses.walk(expr);
  return uses.found;
}

bool flag(const Call& call, const char* name) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value && *value->get<bool>();
}

bool is_unit(Value* stride) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(stride);
  return constant && constant->isOne();
}

// One operand: a load whose place along k follows the loop variable.
struct Factor {
  const Call* load = nullptr;
  size_t k_dim = 0;
  int64_t scale = 0;  // of the loop variable in the offset along k
};

struct Match {
  const Call* product = nullptr;
  Factor a, b;
};

const ExprList& elements(const ExprRef& list) {
  return static_cast<const MakeTuple&>(*list).elements;
}

class Matcher {
 public:
  explicit Matcher(const For& loop) : loop_(loop) {}

  std::optional<Match> run() {
    if (loop_.iter_args.size() != 1 || !isa<TileType>(loop_.iter_args[0]->type)) return std::nullopt;
    Match match;
    const Yield* yield = nullptr;
    for (const StmtRef& stmt : loop_.body->stmts) {
      if (const auto* last = as<Yield>(stmt)) {
        yield = last;
        continue;
      }
      const auto* assign = as<Assign>(stmt);
      const auto* call = assign ? as<Call>(assign->value) : nullptr;
      const Lowering* lowering = call ? find_lowering(call->op) : nullptr;
      if (!lowering || match.product) return std::nullopt;
      if (lowering->op_class == OpClass::Load && !peer_operand(*call)) {
        loads_.emplace_back(assign->var.get(), call);
      } else if (lowering->op_class == OpClass::Alias && isa<Var>(call->args[0])) {
        const Call* load = load_of(call->args[0]);
        if (!load) return std::nullopt;
        loads_.emplace_back(assign->var.get(), load);
      } else if (lowering->product_loop) {
        match.product = call;
        result_ = assign->var.get();
      } else {
        return std::nullopt;
      }
    }
    if (!match.product || !yield || yield->values[0].get() != result_) return std::nullopt;
    if (match.product->args[0] != loop_.iter_args[0]) return std::nullopt;
    bool good = factor(match.product->args[1], flag(*match.product, "a_trans") ? 0 : 1, match.a) &&
                factor(match.product->args[2], flag(*match.product, "b_trans") ? 1 : 0, match.b);
    return good ? std::optional(match) : std::nullopt;
  }

 private:
  const Call* load_of(const ExprRef& var) const {
    for (const auto& [name, call] : loads_) {
      if (name == var.get()) return call;
    }
    return nullptr;
  }

  // `k_axis`: 0 when k runs down the rows of the tile, 1 along its columns.
  bool factor(const ExprRef& operand, size_t k_axis, Factor& out) const {
    const Call* load = load_of(operand);
    if (!load || (load->args.size() > 3 && load->args[3])) return false;
    const auto& type = static_cast<const TileType&>(*operand->type);
    const ExprList& offsets = elements(load->args[1]);
    if (offsets.size() < 2) return false;
    out.load = load;
    out.k_dim = offsets.size() - 2 + k_axis;
    int64_t tile_k = k_axis == 0 ? type.rows() : type.cols();
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (i == out.k_dim || !depends_on(offsets[i], loop_.loop_var.get())) continue;
      return false;
    }
    auto scale = scale_of(offsets[out.k_dim]);
    auto step = constant_value(loop_.step);
    if (!scale || !step || *step <= 0 || *scale * *step != tile_k) return false;
    out.scale = *scale;
    return true;
  }

  std::optional<int64_t> scale_of(const ExprRef& offset) const {
    if (offset == loop_.loop_var) return 1;
    const auto* call = as<Call>(offset);
    const Lowering* lowering = call ? find_lowering(call->op) : nullptr;
    if (!lowering || !lowering->multiplies) return std::nullopt;
    for (int i = 0; i < 2; ++i) {
      if (call->args[i] == loop_.loop_var) return constant_value(call->args[1 - i]);
    }
    return std::nullopt;
  }

  const For& loop_;
  std::vector<std::pair<const Var*, const Call*>> loads_;
  const Var* result_ = nullptr;
};

}  // namespace

bool FunctionEmitter::product_loop(const For& stmt, Value* start, Value* rounds) {
  auto match = Matcher(stmt).run();
  if (!match) return false;
  const Call& product = *match->product;
  int acc = plan.leaves(stmt.iter_args[0].get())[0].id;
  const auto* yield = as<Yield>(stmt.body->stmts.back());
  int result = plan.leaves(yield->values[0].get())[0].id;
  if (plan.values[acc].web != plan.values[result].web || plan.values[result].scratch < 0) return false;
  for (const Factor* factor : {&match->a, &match->b}) {
    if (!is_unit(tensor(factor->load->args[0]).strides.back())) return false;
  }
  const LoopPlan& loop_plan = plan.loop(&stmt);
  std::vector<Carried> carried;
  std::vector<Value*> values;
  enter_loop(stmt.init_values, stmt.iter_args, loop_plan, carried, values);
  for (const Carried& c : carried) bind(c, c.id, values, nullptr);
  TileView to = tiles_[acc];
  when(b.CreateICmpSGT(rounds, i64(0)), [&] {
    auto whole = [&](const Factor& factor) {
      std::vector<Value*> offsets, extents;
      const ExprList& places = elements(factor.load->args[1]);
      const ExprList& shape = elements(factor.load->args[2]);
      for (size_t i = 0; i < places.size(); ++i) {
        bool along_k = i == factor.k_dim;
        offsets.push_back(along_k ? b.CreateMul(start, i64(factor.scale)) : index(places[i]));
        extents.push_back(along_k ? b.CreateMul(rounds, index(shape[i])) : index(shape[i]));
      }
      return region(tensor(factor.load->args[0]), offsets, extents, *factor.load);
    };
    TileView x = whole(match->a), y = whole(match->b);
    MatmulArgs args;
    args.dtype = tensor(match->a.load->args[0]).dtype;
    args.a_trans = flag(product, "a_trans");
    args.b_trans = flag(product, "b_trans");
    args.accumulate = true;
    args.m = minimum(args.a_trans ? x.cols : x.rows, to.rows);
    args.n = minimum(args.b_trans ? y.rows : y.cols, to.cols);
    args.k = args.a_trans ? x.rows : x.cols;
    args.a = x.data;
    args.b = y.data;
    args.c = to.data;
    args.a_stride = x.row_stride;
    args.b_stride = y.row_stride;
    args.c_stride = to.row_stride;
    args.scratch = arena_at(plan.values[result].scratch);
    touch_operands(*this, args);
    emit_matmul(b, module.machine, args);
  });
  bind_results(stmt.results, carried, values, stmt.init_values);
  return true;
}

}  // namespace tilewire::target::cpu
