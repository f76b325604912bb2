#include "ir/verifier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/fields.h"
#include "sample.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ir {
namespace {

using sample::assign;
using sample::block;
using sample::call;
using sample::function;
using sample::index;
using sample::param;
using sample::program_of;
using sample::scalar;
using sample::tensor;
using sample::var;
using Params = std::vector<Ref<const Parameter>>;
using Stmts = std::vector<StmtRef>;

const TypeRef index_type = scalar_type(DType::Index);

void expect_fine(const ProgramRef& program) {
  Diagnostics diags;
  EXPECT_TRUE(verify(*program, diags)) << diags.text();
  EXPECT_TRUE(diags.all().empty());
}

// Exactly this error, with and without type rules unless it is one of theirs.
std::string error_of(const ProgramRef& program, Diag id, bool needs_rules = false) {
  Diagnostics diags;
  EXPECT_FALSE(verify(*program, diags));
  EXPECT_EQ(diags.all().size(), 1u) << diags.text();
  if (diags.all().empty()) return "";
  EXPECT_EQ(diags.all()[0].id, id) << diags.text();
  Diagnostics quick;
  EXPECT_EQ(verify(*program, quick, {.type_rules = false}), needs_rules);
  return diags.all()[0].message;
}

ProgramRef kernel(Stmts stmts, Params params = {}, std::vector<TypeRef> returns = {}) {
  return program_of(
      {function("f", FunctionType::InCore, std::move(params), std::move(returns), std::move(stmts))});
}

StmtRef yield(ExprList values) {
  return make<Yield>(Span{}, std::move(values));
}
StmtRef ret(ExprList values) {
  return make<Return>(Span{}, std::move(values));
}
StmtRef eval(ExprRef value) {
  return make<Eval>(Span{}, std::move(value));
}
ExprRef flag() {
  return make<ConstBool>(Span{}, true);
}
StmtRef loop(ExprList inits, VarList args, Stmts body, VarList results, ExprRef step = index(1)) {
  return make<For>(Span{}, LoopKind::Range, index(0), index(4), std::move(step), std::move(inits),
                   var("i", index_type), std::move(args), block(std::move(body)), std::move(results));
}
StmtRef branch(Stmts taken, Stmts other, VarList results) {
  return make<If>(Span{}, flag(), block(std::move(taken)), block(std::move(other)), std::move(results));
}
Ref<const FunctionCall> call_function(std::string name, ExprList args, ExprRef device = nullptr,
                                      ExprRef blocks = nullptr, ExprList deps = {}, TypeRef type = nullptr) {
  return make<FunctionCall>(Span{}, std::move(name), std::move(args), std::move(device), std::move(blocks),
                            std::move(deps), std::move(type));
}

TEST(Verifier, AcceptsTheSample) {
  expect_fine(sample::program());
  verify_or_die(*sample::program(), "building the sample");
}

TEST(Verifier, VariablesAreDefinedOnce) {
  VarRef a = var("a", index_type);
  EXPECT_EQ(error_of(kernel({assign(a, index(1)), assign(a, index(2))}), diag::var_redefined),
            "`a` is defined more than once");
  FunctionRef f = function("f", FunctionType::InCore, {}, {}, {assign(a, index(1))});
  FunctionRef g = function("g", FunctionType::InCore, {}, {}, {assign(a, index(1))});
  error_of(program_of({f, g}), diag::var_redefined);
}

TEST(Verifier, VariablesAreUsedInScope) {
  VarRef a = var("a", index_type);
  EXPECT_EQ(error_of(kernel({eval(a), assign(a, index(1))}), diag::var_undefined),
            "`a` is used before it is defined");
  error_of(kernel({assign(a, call("pl.add", {a, index(1)}))}), diag::var_undefined);
  EXPECT_EQ(error_of(kernel({branch({assign(a, index(1))}, {}, {}), eval(a)}), diag::var_out_of_scope),
            "`a` is used outside the block that defines it");
  error_of(kernel({branch({assign(a, index(1))}, {eval(a)}, {})}), diag::var_out_of_scope);
  auto i = var("i", index_type);
  StmtRef with_i = make<For>(Span{}, LoopKind::Range, index(0), index(4), index(1), ExprList{}, i, VarList{},
                             block({eval(i)}), VarList{});
  expect_fine(kernel({with_i}));
  error_of(kernel({with_i, eval(i)}), diag::var_out_of_scope);
  error_of(kernel({loop({}, {}, {assign(a, index(1))}, {}), eval(a)}), diag::var_out_of_scope);
}

TEST(Verifier, WhatAWhileComputesBeforeItsConditionIsSeenInItsBody) {
  VarRef more = var("more", scalar(DType::Bool));
  auto with = [&](Stmts body, Stmts after) {
    Stmts all = {make<While>(Span{}, ExprList{}, VarList{}, block({assign(more, flag())}), more,
                             block(std::move(body)), VarList{})};
    all.insert(all.end(), after.begin(), after.end());
    return kernel(all);
  };
  expect_fine(with({eval(more)}, {}));
  error_of(with({}, {eval(more)}), diag::var_out_of_scope);
}

TEST(Verifier, TypesMayUseOnlyVariablesInScope) {
  VarRef n = var("n", index_type);
  TypeRef sized = make<TensorType>(Span{}, ExprList{n}, DType::FP32);
  auto host = [](Stmts stmts) {
    return program_of({function("h", FunctionType::Host, {}, {}, std::move(stmts))});
  };
  Params params = {param("x", sized)};
  expect_fine(host({assign(n, index(4))}));
  error_of(program_of({function("h", FunctionType::Host, params, {}, {assign(n, index(4))})}),
           diag::var_undefined);
}

TEST(Verifier, YieldsFitTheirStatement) {
  VarRef r = var("r", index_type), a = var("a", index_type);
  expect_fine(kernel({branch({yield({index(1)})}, {yield({index(2)})}, {r})}));
  EXPECT_EQ(error_of(kernel({branch({yield({index(1)})}, {}, {r})}), diag::yield_missing),
            "a block that yields 1 value must end in a yield statement");
  EXPECT_EQ(error_of(kernel({branch({yield({index(1)})}, {yield({})}, {r})}), diag::yield_count),
            "the yield has 0 values, its statement needs 1");
  error_of(kernel({branch({yield({index(1)})}, {yield({flag()})}, {r})}), diag::carried_type);
  error_of(kernel({yield({index(1)})}), diag::yield_misplaced);
  error_of(kernel({branch({yield({})}, {}, {})}), diag::yield_misplaced);
  error_of(kernel({branch({yield({index(1)}), yield({index(1)})}, {yield({index(1)})}, {r})}),
           diag::yield_misplaced);
  StmtRef no_else = make<If>(Span{}, flag(), block({yield({index(1)})}), BlockRef(), VarList{r});
  EXPECT_EQ(error_of(kernel({no_else}), diag::branch_without_else),
            "a branch that yields 1 value needs an `else`");
  expect_fine(kernel({loop({index(0)}, {a}, {yield({a})}, {r})}));
}

TEST(Verifier, LoopsCarryAsManyAsTheyGive) {
  VarRef a = var("a", index_type), r = var("r", index_type), wrong = var("w", scalar(DType::Bool));
  EXPECT_EQ(error_of(kernel({loop({}, {a}, {yield({a})}, {r})}), diag::carried_count),
            "the loop has 0 initial values, 1 carried variable and 1 result");
  error_of(kernel({loop({index(0)}, {a}, {yield({a})}, {})}), diag::carried_count);
  EXPECT_EQ(error_of(kernel({loop({flag()}, {a}, {yield({a})}, {r})}), diag::carried_type),
            "the carried variable `a` is pl.Scalar[pl.INDEX], got pl.Scalar[pl.BOOL]");
  error_of(kernel({loop({index(0)}, {a}, {yield({a})}, {wrong})}), diag::carried_type);
  error_of(kernel({loop({index(0)}, {a}, {yield({flag()})}, {r})}), diag::carried_type);
}

TEST(Verifier, CarriedTilesComparePhysicalShapeOnly) {
  auto in = [](std::optional<MemorySpace> memory) {
    return make<TileType>(Span{}, ExprList{index(2), index(2)}, DType::FP32, memory);
  };
  VarRef t = var("t", in(MemorySpace::Vec)), a = var("a", in(std::nullopt)), r = var("r", in(std::nullopt));
  auto pop = call("pl.pop", {}, {{"id", AttrValue{int64_t{0}}}}, in(MemorySpace::Vec));
  expect_fine(kernel({assign(t, pop), loop({t}, {a}, {yield({a})}, {r})}));
  VarRef small = var("s", sample::tile(2, 1)), r2 = var("r", in(std::nullopt)),
         a2 = var("a", in(std::nullopt));
  auto pop_small = call("pl.pop", {}, {{"id", AttrValue{int64_t{0}}}}, sample::tile(2, 1));
  error_of(kernel({assign(small, pop_small), loop({small}, {a2}, {yield({a2})}, {r2})}), diag::carried_type);
}

TEST(Verifier, ReturnsFitTheSignature) {
  expect_fine(kernel({ret({index(1)})}, {}, {index_type}));
  EXPECT_EQ(error_of(kernel({branch({ret({})}, {}, {})}), diag::return_misplaced),
            "a return may only be the last statement of a function");
  error_of(kernel({ret({}), eval(index(1))}), diag::return_misplaced);
  EXPECT_EQ(error_of(kernel({ret({index(1)})}), diag::return_count),
            "`f` returns 1 value, its signature has 0");
  error_of(kernel({}, {}, {index_type}), diag::return_count);
  EXPECT_EQ(error_of(kernel({ret({flag()})}, {}, {index_type}), diag::return_type_differs),
            "`f` returns pl.Scalar[pl.BOOL], its signature has pl.Scalar[pl.INDEX]");
}

TEST(Verifier, AssignmentsKeepTheType) {
  EXPECT_EQ(error_of(kernel({assign(var("a", index_type), flag())}), diag::assigned_type),
            "`a` is pl.Scalar[pl.INDEX], the value assigned to it is pl.Scalar[pl.BOOL]");
}

TEST(Verifier, AValueHasOneVariable) {
  VarRef a = var("a", index_type), b = var("b", index_type);
  EXPECT_EQ(error_of(kernel({assign(a, index(1)), assign(b, a)}), diag::assigned_name),
            "`b` is only another name for its value");
  ExprRef pair = sample::list({index(1), index(2)});
  error_of(kernel({assign(var("p", pair->type), pair)}), diag::assigned_name);
}

TEST(Verifier, CallsAreWhatTheirOpMakesOfThem) {
  auto raw = [](const char* name, ExprList args, TypeRef type, AttrList attrs = {}) {
    return kernel(
        {eval(make<Call>(Span{}, &sample::op(name), std::move(args), std::move(attrs), std::move(type)))});
  };
  EXPECT_EQ(error_of(raw("pl.add", {index(1)}, index_type), diag::call_operand_count),
            "`pl.add` has 2 operands, this call has 1");
  ExprRef small = make<ConstInt>(Span{}, 1, DType::Int32), wide = make<ConstInt>(Span{}, 1, DType::Int64);
  EXPECT_EQ(error_of(raw("pl.add", {small, wide}, index_type), diag::call_breaks_rule, true),
            "the arguments of `pl.add` are not what it accepts");
  error_of(raw("pl.add", {small, nullptr}, index_type), diag::call_breaks_rule, true);
  error_of(raw("pl.add", {small, small}, scalar(DType::Int32), {{"what", AttrValue{true}}}),
           diag::call_breaks_rule, true);
  EXPECT_EQ(
      error_of(raw("pl.add", {small, small}, index_type), diag::call_result_type, true),
      "`pl.add` returns pl.Scalar[pl.INT32] for these arguments, but the call says pl.Scalar[pl.INDEX]");
  EXPECT_EQ(error_of(raw("pl.add", {small, index(1)}, scalar(DType::Int32)), diag::call_not_normal, true),
            "the arguments of `pl.add` are not in their normal form");
}

TEST(Verifier, ABrokenRuleIsQuoted) {
  ExprRef small = make<ConstInt>(Span{}, 1, DType::Int32), wide = make<ConstInt>(Span{}, 1, DType::Int64);
  auto bad = make<Call>(Span{}, &sample::op("pl.add"), ExprList{small, wide}, AttrList{}, index_type);
  Diagnostics diags;
  verify(*kernel({eval(bad)}), diags);
  ASSERT_EQ(diags.all().at(0).notes.size(), 1u);
  EXPECT_EQ(diags.all()[0].notes[0].text,
            "type mismatch: `pl.add` mixes pl.Scalar[pl.INT32] and pl.Scalar[pl.INT64]");
}

TEST(Verifier, OpsStandAtTheirLevel) {
  ExprRef shape = sample::list({index(2), index(2)});
  auto with = [&](FunctionType type, bool scope) {
    auto x = param("x", tensor({4, 4}));
    StmtRef stmt = eval(call("pl.load", {x, shape, shape}));
    if (scope) stmt = make<AtScope>(Span{}, ExprList{}, block({stmt}));
    return program_of({function("f", type, {x}, {}, {stmt})});
  };
  for (FunctionType type :
       {FunctionType::InCore, FunctionType::AIC, FunctionType::AIV, FunctionType::Inline}) {
    expect_fine(with(type, false));
  }
  EXPECT_EQ(error_of(with(FunctionType::Host, false), diag::op_at_wrong_level),
            "`pl.load` works in kernel functions, not in a host function");
  error_of(with(FunctionType::Orchestration, false), diag::op_at_wrong_level);
  Diagnostics of_group;
  verify(*with(FunctionType::Group, false), of_group);
  EXPECT_NE(of_group.text().find("`pl.load` works in kernel functions, not in a Group function"),
            std::string::npos)
      << of_group.text();
  expect_fine(with(FunctionType::Orchestration, true));
  expect_fine(with(FunctionType::Opaque, true));
  EXPECT_EQ(error_of(with(FunctionType::InCore, true), diag::scope_misplaced),
            "`pl.at` is only allowed in an orchestration function, outside other scopes");
  StmtRef nested = make<SpmdScope>(Span{}, index(2), ExprList{}, VarRef(),
                                   block({make<AtScope>(Span{}, ExprList{}, block({}))}));
  error_of(program_of({function("f", FunctionType::Orchestration, {}, {}, {nested})}), diag::scope_misplaced);
  StmtRef create = eval(call("pl.create", {shape}, {{"scale", AttrValue{1.0}}}));
  EXPECT_EQ(error_of(program_of({function("f", FunctionType::Orchestration, {}, {},
                                          {make<AtScope>(Span{}, ExprList{}, block({create}))})}),
                     diag::op_at_wrong_level),
            "`pl.create` works in orchestration functions, not in a kernel scope");
}

TEST(Verifier, OnlyScalarArithmeticNests) {
  VarRef a = var("a", sample::tile(2, 2));
  auto pop = call("pl.pop", {}, {{"id", AttrValue{int64_t{0}}}}, sample::tile(2, 2));
  expect_fine(kernel({eval(call("pl.add", {call("pl.add", {index(1), index(2)}), index(3)}))}));
  EXPECT_EQ(error_of(kernel({eval(call("pl.tile_add", {pop, pop}))}), diag::call_nested),
            "`pl.pop` must be the value of a statement of its own");
}

// --- calls of functions -----------------------------------------------------------------------------------

// `caller` calls an empty function of type `callee`.
ProgramRef calling(FunctionType caller, FunctionType callee, ExprRef device = nullptr,
                   ExprRef blocks = nullptr, ExprList deps = {}) {
  Params params;
  for (const ExprRef& dep : deps) params.push_back(ref(as<Parameter>(dep)));
  return program_of({function("g", callee, {}, {}, {}),
                     function("f", caller, params, {},
                              {eval(call_function("g", {}, std::move(device), std::move(blocks), deps))})});
}

TEST(Verifier, WhoMayCallWhom) {
  using enum FunctionType;
  for (FunctionType callee : {Orchestration, Opaque, InCore}) {
    expect_fine(calling(Host, callee, index(0)));
    EXPECT_EQ(error_of(calling(Host, callee), diag::dispatch_without_device),
              "a call of `g` from the host needs `device=`");
  }
  for (FunctionType caller : {Orchestration, Opaque}) {
    for (FunctionType callee : {InCore, Inline}) expect_fine(calling(caller, callee));
    for (FunctionType callee : {Host, Orchestration, Opaque}) {
      error_of(calling(caller, callee), diag::callee_at_wrong_level);
    }
  }
  // The halves of a kernel wait for each other: only a Group starts them.
  for (FunctionType half : {AIC, AIV}) {
    error_of(calling(Host, half, index(0)), diag::callee_at_wrong_level);
    error_of(calling(Orchestration, half), diag::callee_at_wrong_level);
  }
  for (FunctionType caller : {InCore, AIC, AIV}) {
    expect_fine(calling(caller, Inline));
    error_of(calling(caller, InCore), diag::callee_at_wrong_level);
    error_of(calling(caller, Orchestration), diag::callee_at_wrong_level);
  }
  EXPECT_EQ(error_of(calling(InCore, InCore), diag::callee_at_wrong_level), "a kernel may not call a kernel");
  error_of(calling(Host, Host, index(0)), diag::callee_at_wrong_level);
  EXPECT_EQ(error_of(program_of({function("f", Orchestration, {}, {}, {eval(call_function("h", {}))})}),
                     diag::callee_unknown),
            "the program has no function `h`");
}

TEST(Verifier, KernelsAreCalledFromSpmdBodiesOrAreAllOfAScope) {
  auto scoped = [](bool spmd, bool twice) {
    StmtRef call = eval(call_function("g", {}));
    BlockRef body = twice ? block({call, call}) : block({call});
    StmtRef scope = make<AtScope>(Span{}, ExprList{}, body);
    if (spmd) scope = make<SpmdScope>(Span{}, index(4), ExprList{}, VarRef(), body);
    return program_of({function("g", FunctionType::InCore, {}, {}, {}),
                       function("f", FunctionType::Orchestration, {}, {}, {scope})});
  };
  expect_fine(scoped(true, true));
  expect_fine(scoped(false, false));
  Diagnostics diags;
  EXPECT_FALSE(verify(*scoped(false, true), diags));
  ASSERT_FALSE(diags.all().empty());
  EXPECT_EQ(diags.all()[0].message, "a kernel scope may not call a kernel");
}

TEST(Verifier, KeywordsOfCalls) {
  using enum FunctionType;
  auto task = param("t", task_id_type());
  expect_fine(calling(Host, InCore, index(0), index(4)));
  expect_fine(calling(Orchestration, InCore, nullptr, index(4), {task}));
  EXPECT_EQ(error_of(calling(Orchestration, InCore, index(0)), diag::keyword_at_wrong_level),
            "`device=` has no meaning in a call of a kernel from an orchestration function");
  error_of(calling(Host, Orchestration, index(0), index(2)), diag::keyword_at_wrong_level);
  error_of(calling(Host, InCore, index(0), nullptr, {param("t", task_id_type())}),
           diag::keyword_at_wrong_level);
  EXPECT_EQ(error_of(calling(Host, InCore, index(-1)), diag::device_negative),
            "a device must not be negative, got -1");
  EXPECT_EQ(error_of(calling(Host, InCore, flag()), diag::integer_needed),
            "the device must be an integer scalar, got pl.Scalar[pl.BOOL]");
  error_of(calling(Orchestration, InCore, nullptr, nullptr, {param("t", index_type)}), diag::dependency_type);
  auto tasks = param("t", make<ArrayType>(Span{}, int64_t{4}, DType::TaskId));
  expect_fine(calling(Orchestration, InCore, nullptr, nullptr, {tasks}));
}

TEST(Verifier, ArgumentsFitParameters) {
  ExprRef n = make<DimSymbol>(Span{}, std::string("N"));
  TypeRef dynamic = make<TensorType>(Span{}, ExprList{n}, DType::FP32);
  auto with = [&](ExprList args, Params params, TypeRef type = nullptr, std::vector<TypeRef> returns = {}) {
    auto x = param("x", dynamic), y = param("y", dynamic, Direction::Out);
    Stmts body;
    if (!returns.empty()) body.push_back(ret({x}));
    return program_of({function("g", FunctionType::InCore, {x, y}, returns, body),
                       function("f", FunctionType::Orchestration, params, {},
                                {eval(call_function("g", args, nullptr, nullptr, {}, type))})});
  };
  auto a = param("a", tensor({4})), b = param("b", tensor({4})), c = param("c", tensor({5}));
  auto s = param("s", index_type);
  expect_fine(with({a, b}, {a, b}));
  EXPECT_EQ(error_of(with({a}, {a}), diag::function_argument_count), "`g` has 2 parameters, this call has 1");
  EXPECT_EQ(error_of(with({a, c}, {a, c}), diag::function_argument_type),
            "`y` of `g` is pl.Tensor[[N], pl.FP32], got pl.Tensor[[5], pl.FP32]");
  error_of(with({s, a}, {s, a}), diag::function_argument_type);
  expect_fine(with({a, b}, {a, b}, tensor({4}), {dynamic}));
  EXPECT_EQ(error_of(with({a, b}, {a, b}, tensor({5}), {dynamic}), diag::function_result_type),
            "`g` returns pl.Tensor[[N], pl.FP32], the call says pl.Tensor[[5], pl.FP32]");
  error_of(with({a, b}, {a, b}, nullptr, {dynamic}), diag::function_result_type);
}

TEST(Verifier, WrittenParametersNeedAVariable) {
  TypeRef pair = make<TupleType>(Span{}, std::vector<TypeRef>{tensor({4})});
  auto both = param("both", pair), y = param("y", tensor({4}), Direction::Out);
  auto program =
      program_of({function("g", FunctionType::InCore, {y}, {}, {}),
                  function("f", FunctionType::Orchestration, {both}, {},
                           {eval(call_function("g", {make<TupleGet>(Span{}, both, int64_t{0})}))})});
  EXPECT_EQ(error_of(program, diag::function_argument_direction),
            "`y` of `g` is written and needs a variable");
}

TEST(Verifier, CallsOfFunctionsAreStatements) {
  auto program = program_of(
      {function("g", FunctionType::InCore, {}, {index_type}, {ret({index(1)})}),
       function("f", FunctionType::Orchestration, {}, {},
                {eval(sample::list({call_function("g", {}, nullptr, nullptr, {}, index_type)}))})});
  EXPECT_EQ(error_of(program, diag::call_nested), "`g` must be the value of a statement of its own");
}

TEST(Verifier, GroupsPairOneCubeAndOneVectorFunction) {
  auto with = [](Stmts body) {
    return program_of({function("c", FunctionType::AIC, {}, {}, {}),
                       function("v", FunctionType::AIV, {}, {}, {}),
                       function("g", FunctionType::Group, {}, {}, std::move(body))});
  };
  StmtRef cube = eval(call_function("c", {})), vector = eval(call_function("v", {}));
  expect_fine(with({cube, vector}));
  expect_fine(with({vector, cube, ret({})}));
  error_of(with({cube}), diag::group_body);
  error_of(with({cube, cube}), diag::group_body);
  error_of(with({cube, vector, vector}), diag::group_body);
  error_of(with({cube, vector, loop({}, {}, {}, {})}), diag::group_body);
}

TEST(Verifier, InlineFunctionsDoNotCallThemselves) {
  auto calls = [](const char* name, const char* callee) {
    return function(name, FunctionType::Inline, {}, {}, {eval(call_function(callee, {}))});
  };
  EXPECT_EQ(error_of(program_of({calls("f", "f")}), diag::recursive_function), "recursion: `f` calls itself");
  error_of(program_of({calls("f", "g"), calls("g", "h"), calls("h", "f")}), diag::recursive_function);
  expect_fine(
      program_of({calls("f", "g"), calls("g", "h"), function("h", FunctionType::Inline, {}, {}, {})}));
}

// --- statements and names ---------------------------------------------------------------------------------

TEST(Verifier, ConditionsAndBounds) {
  StmtRef bad_if = make<If>(Span{}, index(1), block({}), BlockRef(), VarList{});
  EXPECT_EQ(error_of(kernel({bad_if}), diag::condition_type),
            "a condition must be a BOOL scalar, got pl.Scalar[pl.INDEX]");
  StmtRef bad_while = make<While>(Span{}, ExprList{}, VarList{}, block({}), index(1), block({}), VarList{});
  error_of(kernel({bad_while}), diag::condition_type);
  EXPECT_EQ(error_of(kernel({loop({}, {}, {}, {}, index(0))}), diag::loop_step),
            "the step of a loop must not be 0");
  auto n = param("n", index_type);
  expect_fine(kernel({loop({}, {}, {}, {}, n)}, {n}));  // 0 is an error of the run
  StmtRef bounds = make<For>(Span{}, LoopKind::Range, flag(), index(4), index(1), ExprList{},
                             var("i", index_type), VarList{}, block({}), VarList{});
  EXPECT_EQ(error_of(kernel({bounds}), diag::integer_needed),
            "the start of a loop must be an integer scalar, got pl.Scalar[pl.BOOL]");
}

TEST(Verifier, ScopesGiveTensorsAndTaskIds) {
  auto with = [](VarList results, VarRef task, ExprList values) {
    StmtRef scope = make<AtScope>(Span{}, ExprList{}, block({yield(values)}), results, task);
    return program_of({function("f", FunctionType::Orchestration, {param("x", tensor({4}))}, {}, {scope})});
  };
  EXPECT_EQ(error_of(with({var("n", index_type)}, nullptr, {index(1)}), diag::scope_result),
            "a scope may only yield tensors, `n` is pl.Scalar[pl.INDEX]");
  StmtRef scope = make<AtScope>(Span{}, ExprList{index(1)}, block({}));
  error_of(program_of({function("f", FunctionType::Orchestration, {}, {}, {scope})}), diag::dependency_type);
  StmtRef named = make<AtScope>(Span{}, ExprList{}, block({}), VarList{}, var("t", index_type));
  error_of(program_of({function("f", FunctionType::Orchestration, {}, {}, {named})}), diag::dependency_type);
}

// An orchestration function of `x`, with kernels that it may call.
struct Scoped {
  Ref<const Parameter> x = param("x", tensor({4}));
  VarRef t = var("t", tensor({4})), r = var("r", tensor({4}));
  StmtRef create = assign(t, created_one());

  static StmtRef scope(Stmts stmts, ScopeKind kind = ScopeKind::Storage) {
    return make<WithScope>(Span{}, kind, block(std::move(stmts)));
  }
  // What a kernel returns: its first or second parameter, or a tensor of its own.
  static FunctionRef kernel(std::string name, int returned) {
    Params params = {param("a", tensor({4})), param("b", tensor({4}))};
    VarRef own = var("own", tensor({4}));
    VarRef result = returned == 0 ? VarRef(params[0]) : returned == 1 ? VarRef(params[1]) : own;
    return function(
        std::move(name), FunctionType::InCore, params, {tensor({4})},
        {assign(own, call_function("make", {}, nullptr, nullptr, {}, tensor({4}))), ret({result})});
  }
  ProgramRef with(Stmts stmts, std::vector<TypeRef> returns = {}) const {
    VarRef made = var("made", tensor({4}));
    FunctionRef make_one =
        function("make", FunctionType::Inline, {}, {tensor({4})}, {assign(made, created_one()), ret({made})});
    return program_of({function("f", FunctionType::Orchestration, {x}, std::move(returns), std::move(stmts)),
                       kernel("first", 0), kernel("second", 1), kernel("fresh", 2), make_one});
  }
  static ExprRef created_one() {
    return call("pl.create", {sample::list({index(4)})}, {{"scale", AttrValue{1.0}}});
  }
  static ExprRef called(std::string name, ExprRef a, ExprRef b) {
    return call_function(std::move(name), {std::move(a), std::move(b)}, nullptr, nullptr, {}, tensor({4}));
  }
  std::string error(Stmts stmts, std::vector<TypeRef> returns = {}) const {
    return error_of(with(std::move(stmts), std::move(returns)), diag::created_in_ended_scope);
  }
};

TEST(Verifier, WhatAScopeCreatesIsNotUsedAfterIt) {
  Scoped s;
  const std::string t = "`t` was created in a `pl.scope` that has ended";
  const std::string r = "`r` was created in a `pl.scope` that has ended";
  EXPECT_EQ(s.error({s.scope({s.create}), eval(s.called("first", s.t, s.x))}), t);
  EXPECT_EQ(s.error({s.scope({s.create}), ret({s.t})}, {tensor({4})}), t);
  EXPECT_EQ(s.error({s.scope({s.create}), assign(s.r, call("pl.view", {s.t}))}), t);
  EXPECT_EQ(s.error({s.scope({s.create, assign(s.r, call("pl.view", {s.t}))}), eval(s.r)}), r);
  EXPECT_EQ(s.error({s.scope({s.scope({s.create}), eval(s.t)})}), t);
  // Created in the inner scope or not, it is gone after the outer one.
  EXPECT_EQ(s.error({s.scope({s.scope({s.create}, ScopeKind::Manual)}), eval(s.t)}), t);
  expect_fine(s.with({s.scope({s.create, eval(s.called("first", s.t, s.x))})}));
  expect_fine(s.with({s.scope({s.create}, ScopeKind::Manual), eval(s.t)}));
  expect_fine(s.with({s.create, s.scope({assign(s.r, call("pl.view", {s.t}))}), eval(s.r)}));
}

TEST(Verifier, WhatAScopeCreatesIsNotCarriedOutOfIt) {
  Scoped s;
  const std::string r = "`r` was created in a `pl.scope` that has ended";
  VarRef arg = var("arg", tensor({4})), last = var("last", tensor({4}));
  EXPECT_EQ(s.error({loop({s.x}, {arg}, {s.scope({s.create}), yield({s.t})}, {last})}),
            "`t` was created in a `pl.scope` that has ended");
  StmtRef chosen = branch({yield({s.t})}, {yield({s.x})}, {s.r});
  EXPECT_EQ(s.error({s.scope({s.create, chosen}), eval(s.r)}), r);
  StmtRef carried = loop({s.x}, {arg}, {eval(arg), yield({s.t})}, {s.r});
  EXPECT_EQ(s.error({s.scope({s.create, carried}), eval(s.r)}), r);
  StmtRef task = make<AtScope>(Span{}, ExprList{}, block({yield({s.t})}), VarList{s.r});
  EXPECT_EQ(s.error({s.scope({s.create, task}), eval(s.r)}), r);
  expect_fine(s.with({s.scope({branch({yield({s.x})}, {yield({s.x})}, {s.r})}), eval(s.r)}));
}

TEST(Verifier, WhatAScopeCreatesIsNotReturnedOutOfItByAKernel) {
  Scoped s;
  const std::string r = "`r` was created in a `pl.scope` that has ended";
  auto after = [&](std::string kernel, const VarRef& a, const VarRef& b) -> Stmts {
    return {s.scope({s.create, assign(s.r, s.called(std::move(kernel), a, b))}), eval(s.r)};
  };
  EXPECT_EQ(s.error(after("first", s.t, s.x)), r);
  EXPECT_EQ(s.error(after("second", s.x, s.t)), r);
  EXPECT_EQ(s.error(after("fresh", s.x, s.x)), r);
  expect_fine(s.with(after("first", s.x, s.t)));
  expect_fine(s.with(after("second", s.t, s.x)));
  // Of a tuple, one element may be used after the scope and another may not.
  auto pair = [&](int64_t element) {
    Params params = {param("a", tensor({4})), param("b", tensor({4}))};
    FunctionRef swap = function("swap", FunctionType::InCore, params, {tensor({4}), tensor({4})},
                                {ret({params[1], params[0]})});
    VarRef both = var("both", make<TupleType>(Span{}, std::vector<TypeRef>{tensor({4}), tensor({4})}));
    StmtRef call = assign(both, call_function("swap", {s.x, s.t}, nullptr, nullptr, {}, both->type));
    StmtRef use = assign(s.r, make<TupleGet>(Span{}, both, element));
    return program_of({swap, function("f", FunctionType::Orchestration, {s.x}, {},
                                      {s.scope({s.create, call, use}), eval(s.r)})});
  };
  EXPECT_EQ(error_of(pair(0), diag::created_in_ended_scope), r);
  expect_fine(pair(1));
}

WindowBufferRef buffer(const VarRef& base, ExprRef size = index(64)) {
  return make<WindowBuffer>(Span{}, base, std::move(size));
}
ProgramRef host(Stmts stmts, std::vector<Ref<const CommGroup>> groups = {}) {
  return program_of({function("h", FunctionType::Host, {}, {}, std::move(stmts))}, std::move(groups));
}
StmtRef view(const WindowBufferRef& b) {
  auto window = call("pl.window", {b, sample::list({index(4)})}, {{"dtype", AttrValue{DType::Int32}}});
  return assign(var("w", window->type), window);
}

TEST(Verifier, WindowBuffersAreAllocatedAndNamedOnce) {
  VarRef base = var("buf", ptr_type()), other = var("buf", ptr_type());
  StmtRef alloc = assign(base, call("pl.alloc", {index(64)}));
  StmtRef alloc_other = assign(other, call("pl.alloc", {index(64)}));
  expect_fine(host({alloc, view(buffer(base))}));
  error_of(host({view(buffer(base)), alloc}), diag::var_undefined);
  EXPECT_EQ(
      error_of(host({alloc, view(buffer(base)), alloc_other, view(buffer(other))}), diag::window_buffer_name),
      "two window buffers have the name `buf`");
  // A run has the buffers of one host function.
  expect_fine(program_of({function("g", FunctionType::Host, {}, {}, {alloc, view(buffer(base))}),
                          function("h", FunctionType::Host, {}, {}, {alloc_other, view(buffer(other))})}));
  auto p = param("buf", ptr_type());
  auto program = program_of({function("h", FunctionType::Host, {p}, {}, {view(buffer(p))})});
  EXPECT_EQ(error_of(program, diag::window_buffer_base), "the window buffer `buf` is never allocated");
  EXPECT_EQ(error_of(host({eval(call("pl.alloc", {index(64)}))}), diag::plain_assignment),
            "`pl.alloc` may only be the right-hand side of `name = ...`");
  VarRef size = var("n", index_type);
  error_of(host({alloc, view(buffer(base, size))}), diag::var_undefined);
}

TEST(Verifier, GroupsHoldBuffersOfTheProgramOnce) {
  VarRef base = var("buf", ptr_type());
  StmtRef alloc = assign(base, call("pl.alloc", {index(64)}));
  auto group = [](std::vector<WindowBufferRef> slots) {
    return make<CommGroup>(Span{}, std::vector<int64_t>{0, 1}, std::move(slots));
  };
  WindowBufferRef b = buffer(base), stranger = buffer(var("other", ptr_type()));
  expect_fine(host({alloc, view(b)}, {group({b})}));
  error_of(host({alloc, view(b)}, {group({b, stranger})}), diag::window_buffer_base);
  EXPECT_EQ(error_of(host({alloc, view(b)}, {group({b}), group({b})}), diag::buffer_in_two_groups),
            "the window buffer `buf` is listed more than once in communication groups");
}

TEST(Verifier, NamesAreUnique) {
  FunctionRef f = function("f", FunctionType::InCore, {}, {}, {}),
              g = function("f", FunctionType::AIC, {}, {}, {});
  EXPECT_EQ(error_of(program_of({f, g}), diag::function_name_twice), "the program has two functions `f`");
  EXPECT_EQ(
      error_of(kernel({}, {param("x", index_type), param("x", index_type)}), diag::parameter_name_twice),
      "`f` has two parameters `x`");
  EXPECT_EQ(error_of(kernel({}, {param("n", index_type, Direction::Out)}), diag::parameter_direction),
            "`n` of `f` is pl.Scalar[pl.INDEX] and can only be In, not Out");
}

TEST(Verifier, NestingIsBounded) {
  auto nested = [](int levels) {
    Stmts body;
    for (int i = 0; i < levels; ++i) body = {branch(body, {}, {})};
    return kernel(body);
  };
  expect_fine(nested(300));
  EXPECT_EQ(error_of(nested(600), diag::ir_too_deep), "the program is nested too deeply");
  TypeRef type = index_type;
  for (int i = 0; i < 300; ++i) type = make<TupleType>(Span{}, std::vector<TypeRef>{type});
  error_of(kernel({}, {param("x", type)}), diag::ir_too_deep);
}

TEST(Verifier, ReportsAllThatIsWrongUpToTheLimit) {
  Stmts many;
  for (int i = 0; i < 200; ++i) many.push_back(eval(var("v" + std::to_string(i), index_type)));
  Diagnostics diags;
  EXPECT_FALSE(verify(*kernel(many), diags));
  EXPECT_EQ(diags.error_count(), Diagnostics::limit);
  EXPECT_FALSE(verify(*kernel(many), diags)) << "also when no more can be kept";
}

TEST(Verifier, PointsAtTheStatement) {
  Ref<const SourceFile> file(new SourceFile("f.py", "first\nsecond\n"));
  Span span{file, 2, 1, 2, 7};
  StmtRef bad = make<Eval>(span, var("v", index_type));
  Diagnostics diags;
  verify(*kernel({bad}), diags);
  EXPECT_EQ(to_string(diags.all().at(0).span), "f.py:2:1");
}

TEST(Verifier, WrongIrOfOursIsAnInternalErrorWithADump) {
  auto program = kernel({eval(var("lost", index_type))});
  try {
    verify_or_die(*program, "the test pass");
    FAIL();
  } catch (const std::logic_error& error) {
    std::string text = error.what();
    EXPECT_NE(text.find("after the test pass"), std::string::npos);
    EXPECT_NE(text.find("TW0402"), std::string::npos);
    EXPECT_NE(text.find("Program"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilewire::ir
