#include "ir/structural.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "ir/fields.h"
#include "ir/mutator.h"
#include "ir/visitor.h"
#include "sample.h"

namespace tilewire::ir {
namespace {

void expect_equal(const NodeRef& a, const NodeRef& b) {
  EXPECT_EQ(first_difference(a, b), "");
  EXPECT_TRUE(structurally_equal(a, b));
  EXPECT_EQ(structural_hash(a), structural_hash(b));
}

void expect_different(const NodeRef& a, const NodeRef& b) {
  EXPECT_NE(first_difference(a, b), "");
  EXPECT_FALSE(structurally_equal(a, b));
  EXPECT_NE(structural_hash(a), structural_hash(b));
}

TEST(Structural, NamesAndSpansDoNotCount) {
  ProgramRef plain = sample::program();
  expect_equal(plain, plain);
  expect_equal(plain, sample::program());
  expect_equal(plain, sample::program({.suffix = "_renamed", .first_line = 77}));
}

// The same on every machine and in every process: a change here means that caches keyed by it go stale.
TEST(Structural, HashIsStable) {
  EXPECT_EQ(structural_hash(const_index(3)), 4716273672672193741u);
  EXPECT_EQ(structural_hash(scalar_type(DType::BF16)), 14255315575966386275u);
  EXPECT_EQ(structural_hash(sample::program()), structural_hash(sample::program()));
}

TEST(Structural, PathNamesTheDifference) {
  auto with = [](int64_t value) {
    VarRef a = sample::var("a", sample::scalar(DType::Index));
    ExprRef sum = sample::call("pl.add", {sample::call("pl.add", {a, a}), sample::index(value)});
    VarRef b = sample::var("b", sample::scalar(DType::Index));
    return sample::program_of({sample::function(
        "f", FunctionType::InCore, {}, {}, {sample::assign(a, sample::index(0)), sample::assign(b, sum)})});
  };
  std::string text = first_difference(with(1), with(2));
  EXPECT_EQ(text,
            "functions[0].body.stmts[1].value.args[1].value: ConstInt(value=1, dtype=pl.INDEX) vs "
            "ConstInt(value=2, dtype=pl.INDEX)");
}

TEST(Structural, VariablesCorrespondOneToOne) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("a", t), b = sample::var("b", t), c = sample::var("c", t);
  auto pair = [](const VarRef& x, const VarRef& y) { return sample::list({x, y}); };
  expect_equal(pair(a, b), pair(b, a));
  expect_equal(pair(a, a), pair(b, b));
  expect_different(pair(a, a), pair(a, b));
  expect_different(pair(a, b), pair(c, c));
  expect_different(sample::list({a, b, a}), sample::list({a, b, b}));
  expect_different(a, sample::var("a", sample::scalar(DType::Int32)));
}

TEST(Structural, IdenticalKeepsFreeVariables) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("a", t), b = sample::var("b", t);
  EXPECT_TRUE(identical_but_for_definitions(sample::list({a}), sample::list({a})));
  EXPECT_FALSE(identical_but_for_definitions(sample::list({a}), sample::list({b})));
  auto define = [&](const VarRef& v) {
    return sample::block({sample::assign(v, sample::index(1)), make<Yield>(Span{}, ExprList{v})});
  };
  EXPECT_TRUE(identical_but_for_definitions(define(a), define(b)));
}

TEST(Structural, SharedSubtreesDoNotHideARenaming) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("a", t), b = sample::var("b", t);
  StmtRef use_a = make<Eval>(Span{}, a);
  auto left =
      sample::block({sample::assign(a, sample::index(1)), sample::assign(b, sample::index(1)), use_a});
  auto right =
      sample::block({sample::assign(b, sample::index(1)), sample::assign(a, sample::index(1)), use_a});
  expect_different(left, right);
}

TEST(Structural, FloatsCompareByBits) {
  auto number = [](double value) { return make<ConstFloat>(Span{}, value); };
  expect_different(number(0.0), number(-0.0));
  expect_equal(number(NAN), number(NAN));
  auto attr = [](double value) {
    return make<Call>(Span{}, &sample::op("pl.create"), ExprList{nullptr},
                      AttrList{{"scale", AttrValue{AttrValueList{AttrValue{value}}}}}, unit_type());
  };
  expect_different(attr(0.0), attr(-0.0));
  expect_equal(attr(NAN), attr(NAN));
  expect_different(attr(1.0), attr(2.0));
}

TEST(Structural, WindowBuffersTellTypesApart) {
  auto buffer = [](const char* name, int64_t size) {
    return make<WindowBuffer>(Span{}, sample::var(name, ptr_type()), sample::index(size));
  };
  auto view = [](WindowBufferRef b) {
    return make<DistributedTensorType>(Span{}, ExprList{sample::index(4)}, DType::Int32, nullptr,
                                       std::move(b));
  };
  expect_different(view(buffer("a", 64)), view(buffer("b", 64)));
  expect_different(view(buffer("a", 64)), view(buffer("a", 128)));
  expect_different(view(buffer("a", 64)), view(nullptr));
  expect_equal(view(buffer("a", 64)), view(buffer("a", 64)));
  WindowBufferRef a = buffer("a", 64);
  auto pair = [](TypeRef x, TypeRef y) { return make<TupleType>(Span{}, std::vector<TypeRef>{x, y}); };
  EXPECT_FALSE(structurally_equal(pair(view(a), view(a)), pair(view(a), view(buffer("a", 64)))));
}

TEST(Structural, OrderOfOperandsCounts) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("a", t);
  expect_different(sample::call("pl.add", {a, sample::index(1)}),
                   sample::call("pl.add", {sample::index(1), a}));
}

TEST(Structural, DeeplySharedTypesAreComparedInNoTime) {
  auto tower = [] {
    TypeRef left = sample::tile(1, 2), right = sample::tile(1, 2);
    for (int i = 0; i < 200; ++i) {
      TypeRef a = make<TupleType>(Span{}, std::vector<TypeRef>{left, right});
      TypeRef b = make<TupleType>(Span{}, std::vector<TypeRef>{right, left});
      left = a;
      right = b;
    }
    return left;
  };
  expect_equal(tower(), tower());
}

// --- every field counts -----------------------------------------------------------------------------------

struct Collector : Visitor<Collector> {
  static constexpr bool into_types = true;
  std::vector<const Node*> nodes;
  std::map<const Node*, int> seen;
  template <class T>
  void visit(const T& node) {
    if (seen[&node]++ == 0) nodes.push_back(&node);
    walk_children(node);
  }
};

struct ReplaceOne : Mutator<ReplaceOne> {
  const Node* target = nullptr;
  NodeRef with;
  template <class T>
  NodeRef rewrite(const T& node) {
    return &node == target ? with : NodeRef(rewrite_children(node));
  }
};

// Another value of the same type, or false.
bool change(bool& value) {
  return value = !value, true;
}
bool change(int64_t& value) {
  return ++value, true;
}
bool change(double& value) {
  return value += 1, true;
}
bool change(std::string& value) {
  return value += "x", true;
}
bool change(DType& value) {
  return value = static_cast<DType>((static_cast<size_t>(value) + 1) % all_dtypes().size()), true;
}
template <LanguageEnum E>
bool change(E& value) {
  size_t members = info(EnumIdOf<E>::id).members.size();
  return value = static_cast<E>((static_cast<size_t>(value) + 1) % members), members > 1;
}
template <class V>
bool change(std::optional<V>& value) {
  return value ? change(*value) : (value.emplace(), true);
}
bool change(AttrList& value) {
  return value.emplace_back("extra", AttrValue{true}), true;
}
bool change(const Op*& value) {
  return value = value == &sample::op("pl.add") ? &sample::op("pl.less") : &sample::op("pl.add"), true;
}
bool change(std::vector<int64_t>& value) {
  return value.push_back(99), true;
}
template <class T>
bool change(Ref<const T>& value) {
  if (!value) return false;
  if constexpr (std::is_base_of_v<T, ConstInt>) {
    value = const_index(123456);
  } else if constexpr (std::is_base_of_v<T, ScalarType>) {
    value = scalar_type(DType::UInt64);
  } else {
    value = nullptr;
  }
  return true;
}
template <class T>
bool change(std::vector<Ref<const T>>& value) {
  if (value.empty()) return false;
  return value.pop_back(), true;
}

TEST(Structural, EveryFieldOfEveryClassCounts) {
  ProgramRef program = sample::program();
  uint64_t hash = structural_hash(program);
  Collector all;
  all.walk(program);
  std::map<std::string, int> changed;
  for (const Node* target : all.nodes) {
    dispatch(*target, [&](const auto& node) {
      using T = std::remove_cvref_t<decltype(node)>;
      changed[std::string(class_name<T>)] += 0;
      for_each_field(node, [&](const auto& field, const auto& value) {
        Ref<T> other = copy(node);
        auto& copied = other.get()->*field.member;
        if (!change(copied)) return;
        try {
          ReplaceOne replace;
          replace.target = target;
          replace.with = finish_node(other);
          if (copied == value) return;  // derived from other fields
          ProgramRef after = replace.mutate(program);
          std::string what = std::string(class_name<T>) + "." + field.name;
          if (field.role == FieldRole::Ignored) {
            if (isa<Var>(node)) return;  // bases of window buffers name them
            EXPECT_TRUE(structurally_equal(program, after)) << what;
          } else {
            EXPECT_FALSE(structurally_equal(program, after)) << what;
            EXPECT_FALSE(structurally_equal(after, program)) << what;
            EXPECT_NE(hash, structural_hash(after)) << what;
            expect_equal(after, after);
            ++changed[std::string(class_name<T>)];
          }
        } catch (const InvalidNode&) {
          // No program can hold this value there.
        }
      });
    });
  }
  changed["WindowBufferType"] += 0;  // the type of every window buffer, and no field of any node
  EXPECT_EQ(changed.size(), kind_count) << "the sample has a node of every class";
  for (const auto& [name, count] : changed) {
    bool has_fields =
        name != "PtrType" && name != "TaskIdType" && name != "CommCtxType" && name != "WindowBufferType";
    EXPECT_TRUE(count > 0 || !has_fields) << name;
  }
}

// --- compatibility ----------------------------------------------------------------------------------------

TypeRef shaped(ExprList dims, DType dtype = DType::FP32, TensorViewRef view = nullptr) {
  return make<TensorType>(Span{}, std::move(dims), dtype, std::move(view));
}
ExprRef symbol(const char* name) {
  return make<DimSymbol>(Span{}, std::string(name));
}

TEST(Compatible, DynamicDimensionsStandForOneDimension) {
  ExprRef n = symbol("N");
  EXPECT_TRUE(compatible(shaped({n, n}), sample::tensor({4, 4})));
  EXPECT_FALSE(compatible(shaped({n, n}), sample::tensor({4, 5})));
  EXPECT_TRUE(compatible(shaped({n}), shaped({symbol("M")})));
  EXPECT_FALSE(compatible(sample::tensor({4}), shaped({n})));
  DimBindings dims;
  EXPECT_TRUE(compatible(shaped({n}), sample::tensor({4}), dims));
  EXPECT_FALSE(compatible(shaped({n}), sample::tensor({5}), dims));
  ASSERT_NE(dims.find("N"), nullptr);
  EXPECT_EQ(constant_value(*dims.find("N")), 4);
  EXPECT_FALSE(assignable(shaped({n}), sample::tensor({4})));
  EXPECT_TRUE(assignable(shaped({n}), shaped({symbol("N")})));
}

TEST(Compatible, ComputedDimensionsAreLeftToRunTime) {
  ExprRef twice = sample::call("pl.add", {symbol("N"), symbol("N")});
  EXPECT_TRUE(compatible(shaped({twice}), sample::tensor({8})));
  EXPECT_FALSE(assignable(shaped({twice}), sample::tensor({8})));
}

TEST(Compatible, WindowsPassForTensorsAndNotTheOtherWayRound) {
  TypeRef plain = sample::tensor({4}, DType::Int32);
  auto window = [](WindowBufferRef b) {
    return make<DistributedTensorType>(Span{}, ExprList{sample::index(4)}, DType::Int32, nullptr,
                                       std::move(b));
  };
  auto buffer = [](const char* name) {
    return make<WindowBuffer>(Span{}, sample::var(name, ptr_type()), sample::index(64));
  };
  WindowBufferRef a = buffer("a");
  EXPECT_TRUE(compatible(plain, window(a)));
  EXPECT_FALSE(compatible(window(nullptr), plain));
  EXPECT_TRUE(compatible(window(nullptr), window(a)));
  EXPECT_TRUE(compatible(window(a), window(nullptr)));
  EXPECT_TRUE(compatible(window(a), window(a)));
  EXPECT_FALSE(compatible(window(a), window(buffer("b"))));
}

TEST(Compatible, TilesNeedShapeAndDtypeAndStatedMemory) {
  auto in = [](std::optional<MemorySpace> memory) {
    return make<TileType>(Span{}, ExprList{sample::index(2), sample::index(3)}, DType::FP32, memory);
  };
  EXPECT_TRUE(compatible(in(std::nullopt), in(MemorySpace::Vec)));
  EXPECT_TRUE(compatible(in(MemorySpace::Vec), in(std::nullopt)));
  EXPECT_FALSE(compatible(in(MemorySpace::Vec), in(MemorySpace::Mat)));
  EXPECT_FALSE(compatible(in(std::nullopt), sample::tile(2, 4)));
  EXPECT_FALSE(compatible(in(std::nullopt), sample::tile(2, 3, DType::FP16)));
  EXPECT_FALSE(compatible(in(std::nullopt), sample::tensor({2, 3})));
}

TEST(Compatible, StridesAndLayouts) {
  auto view = [](ExprList stride, Layout layout = Layout::ND) {
    return make<TensorView>(Span{}, std::move(stride), layout);
  };
  ExprList dims = {sample::index(4), sample::index(8)};
  TypeRef dense = shaped(dims),
          padded = shaped(dims, DType::FP32, view({sample::index(16), sample::index(1)}));
  TypeRef stated = shaped(dims, DType::FP32, view({sample::index(8), sample::index(1)}));
  EXPECT_TRUE(compatible(dense, padded));
  EXPECT_TRUE(compatible(stated, dense));
  EXPECT_FALSE(compatible(stated, padded));
  EXPECT_FALSE(compatible(padded, dense));
  EXPECT_FALSE(compatible(dense, shaped(dims, DType::FP32, view({}, Layout::NZ))));
}

TEST(Compatible, Tuples) {
  auto tuple = [](std::vector<TypeRef> types) { return make<TupleType>(Span{}, std::move(types)); };
  EXPECT_TRUE(compatible(tuple({shaped({symbol("N")})}), tuple({sample::tensor({3})})));
  EXPECT_FALSE(compatible(tuple({sample::tensor({3})}), tuple({})));
  EXPECT_FALSE(compatible(unit_type(), sample::scalar(DType::Index)));
}

}  // namespace
}  // namespace tilewire::ir
