// Every operand of every op, and every form, left out of the flow once: what it carries must then be missed.
#include "ops/roles.h"

#include <gtest/gtest.h>

#include "check/check.h"
#include "check/exact.h"
#include "check/flow.h"
#include "interp/op_table.h"
#include "interp/scheduler.h"
#include "ir/make.h"
#include "ops/registry.h"
#include "protocols.h"

namespace tilewire::check::test {
namespace {

using interp::Form;
using interp::Instr;
using interp::Opcode;
using interp::Slot;
using namespace ir;

// --- operands of ops

TypeRef type_for(uint16_t accepts) {
  const ExprList shape = {const_index(4), const_index(4)};
  if (accepts & AcceptTile) return make<TileType>(Span{}, shape, DType::FP32);
  if (accepts & AcceptTensor) return make<TensorType>(Span{}, shape, DType::FP32);
  if (accepts & AcceptWindow) return make<DistributedTensorType>(Span{}, shape, DType::Int32);
  if (accepts & AcceptArray) return make<ArrayType>(Span{}, int64_t{4}, DType::Int32);
  return scalar_type(DType::Index);
}

// A function of one op, one operand of which comes from what a wait saw, followed by branches on its result
// and on an element of it. Registers have no types here: what flows is the same for all.
class OneOp {
 public:
  OneOp(const Op& op, size_t param) : op_(op), param_(param) {
    const Slot seen = emit(*find("pld.system.wait"), {});
    source_ = {code_.instrs.back().node};
    const bool tensor = op.params[param].accepts & (AcceptTensor | AcceptWindow);
    // Elements, where the op reads them; else the place that the tensor names.
    Slot tainted = seen;
    if (tensor && reads()) {
      tainted = emit(*find("pl.tensor.full"), {{2, seen}});
    } else if (tensor) {
      tainted = emit(*find("pl.tensor.slice"), {{0, emit(*find("pl.tensor.create"), {})}, {2, seen}});
    }
    std::map<size_t, Slot> operands;
    for (size_t p = 0; p < op.params.size(); ++p) {
      if (op.params[p].kind == OpParam::Attribute) continue;
      const bool shaped = op.params[p].accepts & (AcceptTensor | AcceptWindow);
      operands[p] = p == param ? tainted : shaped ? emit(*find("pl.tensor.create"), {}) : fresh();
    }
    const Slot result = emit(op, operands);
    call_ = code_.instrs.back().node;
    branch(result);
    branch(emit(*find("pl.tensor.read"), {{0, result}}, scalar_type(DType::FP32)));
    Instr& end = code_.instrs.emplace_back();
    end.code = Opcode::Return;
  }

  // Nothing of the operand is followed but its place: it is only written or signalled, or what is left in it
  // is the result.
  bool is_place() const {
    bool touched = false;
    for (const Effect& e : op_.effects) touched |= e.param == static_cast<int>(param_);
    return touched && (!reads() || op_.result_alias == static_cast<int>(param_));
  }

  // "an address" where the op decides something, "later" where one of the branches does, "" if none.
  std::string decided(const Ignored& ignored) const {
    std::string later;
    for (const Flow::Decision& d : flow_of(code_, &source_, ignored).schedule) {
      if (d.where == call_) return d.what;
      if (d.where == branch_.get()) later = "later";
    }
    return later;
  }

 private:
  static const Op* find(const char* name) { return ops::registry().find(name); }
  bool reads() const {
    bool any = false;
    for (const Effect& e : op_.effects) {
      any |= e.param == static_cast<int>(param_) &&
             (e.access == Access::Read || e.access == Access::ReadWrite || e.access == Access::Update);
    }
    return any;
  }
  Slot fresh() {
    code_.initial.emplace_back();
    return static_cast<Slot>(code_.initial.size() - 1);
  }
  Slot emit(const Op& op, const std::map<size_t, Slot>& given, TypeRef type = nullptr) {
    ExprList args(op.operand_count);
    std::vector<interp::Operand> operands(op.operand_count);
    for (const auto& [param, slot] : given) {
      const auto at = static_cast<size_t>(op.operand_slots[param]);
      args[at] = make<Var>(Span{}, op.params[param].name, type_for(op.params[param].accepts));
      operands[at] = {static_cast<uint32_t>(code_.slots.size()), 1, true};
      code_.slots.push_back(slot);
    }
    if (!type) type = op.name.starts_with("tensor.") ? type_for(AcceptTensor) : scalar_type(DType::Int8);
    auto call = make<Call>(Span{}, &op, std::move(args), AttrList{}, std::move(type));
    code_.keeps.push_back(call);
    const Slot dst = fresh();
    Instr& instr = code_.instrs.emplace_back();
    instr.dst = dst;
    instr.first = static_cast<uint32_t>(code_.operands.size());
    instr.count = static_cast<uint32_t>(operands.size());
    instr.entry = interp::op_entries().find(op);
    instr.node = call.get();
    code_.operands.insert(code_.operands.end(), operands.begin(), operands.end());
    return dst;
  }
  void branch(Slot slot) {
    if (!branch_) branch_ = make<Var>(Span{}, std::string("branch"), scalar_type(DType::Bool));
    Instr& instr = code_.instrs.emplace_back();
    instr.code = Opcode::JumpIfNot;
    instr.a = slot;
    instr.target = static_cast<uint32_t>(code_.instrs.size());
    instr.node = branch_.get();
  }

  const Op& op_;
  size_t param_;
  interp::Code code_;
  const Node* call_ = nullptr;
  Unsettled source_;
  VarRef branch_;
};

TEST(Roles, EveryOperandOfEveryOp) {
  size_t tried = 0;
  for (const Op& op : ops::registry().all()) {
    if (!interp::op_entries().find(op)) continue;  // lowered before anything runs, or a pipe
    for (size_t p = 0; p < op.params.size(); ++p) {
      if (op.params[p].kind == OpParam::Attribute) continue;
      OneOp one(op, p);
      if (one.is_place()) continue;
      const char* what = interp::decided_by(op.params[p].role);
      EXPECT_EQ(one.decided({}), what ? what : "later") << op.qualified() << ", " << op.params[p].name;
      EXPECT_EQ(one.decided({&op, p, {}}), "") << op.qualified() << ", " << op.params[p].name;
      ++tried;
    }
  }
  EXPECT_GT(tried, 200u);
}

// --- forms

// `k` is what rank 0 has seen, 1 or 2; `body` is what `chip` makes of it.
std::string chip(const std::string& body) {
  return R"(
K = pl.dynamic("K")

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def see(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], n: pl.Out[pl.Tensor[[1], pl.INT32]]):
        if pld.rank(pld.get_comm_ctx(s)) == 0:
            pl.write(n, [0], pld.system.wait(s, [0, 0], 1))
        else:
            pld.system.notify(s, 0, [0, 0], 1)
            pld.system.notify(s, 0, [0, 0], 1)
            pl.write(n, [0], pl.const(1, pl.INT32))

    @pl.function(type=pl.FunctionType.InCore)
    def work(self, x: pl.Tensor[[K, 4], pl.FP32], k: pl.Scalar[pl.INT32], y: pl.InOut[pl.Tensor[[4, 4], pl.FP32]]):
        pl.write(y, [0, 0], pl.cast(k, pl.FP32))
        pl.write(y, [1, 0], pl.cast(K, pl.FP32))

    @pl.function(type=pl.FunctionType.InCore)
    def answer(self, k: pl.Scalar[pl.INT32]) -> pl.Scalar[pl.INT32]:
        return k + 1

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[4, 4], pl.FP32], y: pl.InOut[pl.Tensor[[4, 4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        n = pl.create_tensor([1], dtype=pl.INT32)
        self.see(s, n)
        k = pl.read(n, [0])
)" + body +
         R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[2, 4, 4], pl.FP32], y: pl.InOut[pl.Tensor[[2, 4, 4], pl.FP32]]):
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], s, device=r)
)";
}

struct FormCase {
  Form form;
  const char* body;
  const char* tells;  // a decision, or a result, that the form alone leads to; "line: what"
};

const FormCase form_cases[] = {
    {Form::Condition, "        if k == 2:\n            self.work(x, pl.const(1, pl.INT32), y)\n",
     "31: a branch"},
    {Form::LoopBound, "        for i in pl.range(k):\n            self.work(x, pl.const(1, pl.INT32), y)\n",
     "31: a loop"},
    {Form::Argument, "        self.work(x, k, y)\n", "19: `y`"},
    {Form::Result, "        m = self.answer(k)\n        self.work(x, m, y)\n", "19: `y`"},
    {Form::BlockCount, "        with pl.spmd(k):\n            self.work(x, pl.const(1, pl.INT32), y)\n",
     "32: a launch"},
    {Form::Dependency,
     "        ids = pl.array.create(4, pl.TASK_ID)\n"
     "        with pl.at(level=pl.Level.CORE_GROUP) as a:\n            pl.store(pl.load(x), [0, 0], y)\n"
     "        ids[1] = a\n        last = ids[k]\n        self.work(x, pl.const(1, pl.INT32), pl.no_dep(y), "
     "deps=[last])\n",
     "36: a dependency"},
    {Form::Dimension, "        self.work(x[0:k], pl.const(1, pl.INT32), y)\n", "20: `y`"},
    {Form::Place, "        self.work(x, pl.const(1, pl.INT32), y[k:k + 4])\n", "20: an address"},
};

std::set<std::string> tells(const interp::Code& entry, const Ignored& ignored) {
  std::set<std::string> all;
  const Flow flow = flow_of(entry, nullptr, ignored);
  for (const Flow::Decision& d : flow.schedule)
    all.insert(std::to_string(d.where->span.line) + ": " + d.what);
  for (const Flow::Stored& s : flow.results) {
    all.insert(std::to_string(s.where->span.line) + ": " + s.result);
  }
  return all;
}

TEST(Roles, EveryForm) {
  std::set<Form> covered;
  for (const FormCase& c : form_cases) {
    ir::ProgramRef program = read(chip(c.body));
    ASSERT_TRUE(program);
    Diagnostics diags;
    auto image = interp::Image::make(program, "main", diags);
    ASSERT_TRUE(image) << diags.text();
    const char* name = interp::info(c.form).name;
    const std::set<std::string> all = tells(image->entry(), {});
    std::string text;
    for (const std::string& line : all) text += line + "; ";
    EXPECT_TRUE(all.count(c.tells)) << name << ": " << text;
    EXPECT_FALSE(tells(image->entry(), {nullptr, 0, c.form}).count(c.tells)) << name;
    covered.insert(c.form);
  }
  covered.insert(Form::Device);  // below
  EXPECT_EQ(covered.size(), interp::all_forms().size());
  for (const interp::FormInfo& form : interp::all_forms()) {
    EXPECT_EQ(&interp::info(form.form), &form);
    EXPECT_NE(form.role, OperandRole::Unset) << form.name;
    EXPECT_EQ(form.decides == nullptr, form.role == OperandRole::Data) << form.name;
  }
}

// A host function branches on scalars only, so no program has this.
TEST(Roles, Device) {
  interp::Code callee, code;
  callee.instrs.emplace_back().code = Opcode::Return;
  code.initial.resize(1);
  const Op* wait = ops::registry().find("pld.system.wait");
  auto call = make<Call>(Span{}, wait, ExprList(wait->operand_count), AttrList{}, scalar_type(DType::Int32));
  Instr& look = code.instrs.emplace_back();
  look.dst = 0;
  look.entry = interp::op_entries().find(*wait);
  look.node = call.get();
  code.sites.push_back(std::make_unique<interp::Site>());
  code.sites.back()->callee = &callee;
  code.sites.back()->device = 0;
  Instr& dispatch = code.instrs.emplace_back();
  dispatch.code = Opcode::Call;
  dispatch.site = code.sites.back().get();
  dispatch.node = call.get();
  code.instrs.emplace_back().code = Opcode::Return;
  const Flow flow = flow_of(code);
  ASSERT_EQ(flow.schedule.size(), 1u);
  EXPECT_STREQ(flow.schedule[0].what, "a launch");
  EXPECT_TRUE(flow_of(code, nullptr, {nullptr, 0, Form::Device}).schedule.empty());
}

// --- verdicts

// Rank 0 sees 1 or 2, and `use` is what it does with that; rank 1 has notified when it comes to `other`.
std::string seen(const std::string& use, const std::string& other) {
  return ranked(
      "one = pl.full([1, 1], dtype=pl.FP32, value=1.0)\nif me == 0:\n    v = pld.system.wait(s, [0, 0], "
      "1)\n" +
      use + "else:\n    pld.system.notify(s, 0, [0, 0], 1)\n    pld.system.notify(s, 0, [0, 0], 1)\n" +
      other);
}

// Whether the exact tier proves the program.
bool proves(const ir::ProgramRef& program, const Ignored& ignored) {
  Diagnostics diags;
  auto image = interp::Image::make(program, "main", diags);
  interp::Options options;
  options.ranks = 2;
  options.full_order = options.detach = true;
  interp::World world(image, options);
  EXPECT_FALSE(interp::start(world, *program->find("main"), {}));
  Run first(world);
  interp::InOrder scheduler;
  carry_out(
      first,
      [&](Run& run, std::span<const AgentId> runnable) {
        return runnable[scheduler.pick(run.world, runnable)];
      },
      true);
  Cells cells = collect_cells(first.watch.trace());
  const ExactResult exact = decide_exactly(world, image->entry(), first, cells, ignored);
  return exact.applies && exact.races.empty();
}

// One program per role that is wrong in the second schedule only, and proved without the role.
TEST(Roles, VerdictsDependOnThem) {
  auto operand = [](const char* op, const char* param) {
    const Op* found = ops::registry().find(op);
    return Ignored{found, static_cast<size_t>(found->param_index(param)), {}};
  };
  const std::string reads = "    u = pld.tile.remote_load(w, 0, [1], [1])\n";
  struct Case {
    const char* name;
    Ignored ignored;
    std::string text;
  };
  const Case cases[] = {
      {"extent", operand("pl.tile.set_validshape", "valid_shape"),
       seen("    w = pl.store(pl.set_validshape(t, [1, v]), [0], w)\n", reads)},
      {"address", operand("pl.tile.load", "offsets"),
       seen("    u = pl.load(w, [v], [1])\n", "    pld.tile.remote_store(one, w, 0, [2])\n")},
      {"signal value", operand("pld.system.wait", "expected"),
       seen("    pld.system.wait(s, [1, 0], v)\n", "    pld.system.notify(s, 0, [1, 0], 1)\n")},
      {"control", operand("pl.scalar.floordiv", "b"), seen("    x = 4 // (2 - v)\n", "    pass\n")},
      {"condition",
       {nullptr, 0, Form::Condition},
       seen("    if v == 2:\n        w = pl.store(one, [1], w)\n", reads)},
      {"loop bound",
       {nullptr, 0, Form::LoopBound},
       seen("    for i in pl.range(v):\n        w = pl.store(one, [i], w)\n", reads)},
  };
  for (const Case& c : cases) {
    ir::ProgramRef program = read(c.text);
    ASSERT_TRUE(program);
    const Verdict verdict = check(program, "main", {}, {.ranks = 2}).verdict;
    EXPECT_TRUE(verdict == Verdict::Refuted || verdict == Verdict::Invalid)
        << c.name << ": " << name(verdict);
    EXPECT_FALSE(proves(program, {})) << c.name;
    EXPECT_TRUE(proves(program, c.ignored)) << c.name;
  }
}

}  // namespace
}  // namespace tilewire::check::test
