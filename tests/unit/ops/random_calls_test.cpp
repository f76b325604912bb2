// Calls with arguments nobody would write: no op may throw or crash, an error and a result exclude each
// other, and a call made again from its own operands is the same call.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "calls.h"
#include "ir/printer.h"
#include "ops/windows.h"

namespace tilewire::ops::test {
namespace {

using namespace ir;

class Pool {
 public:
  explicit Pool(uint32_t seed) : random_(seed) {
    const int64_t huge = std::numeric_limits<int64_t>::max();
    for (DType dtype : {DType::FP32, DType::FP16, DType::Int32, DType::Bool, DType::Int8, DType::Int4}) {
      for (auto [r, c] : {std::pair<int64_t, int64_t>{16, 16}, {16, 1}, {1, 16}, {4, 128}, {huge, huge}}) {
        values_.push_back(tile("t", r, c, dtype));
      }
      for (std::vector<int64_t> shape :
           {std::vector<int64_t>{16, 16}, {}, {16}, {0, 4}, {1, 16, 16}, {huge, huge}}) {
        values_.push_back(tensor("x", shape, dtype));
        values_.push_back(window("w", shape, dtype));
      }
      values_.push_back(
          var("a", make<ArrayType>(Span{}, int64_t{4}, dtype == DType::Bool ? dtype : DType::Int32)));
    }
    for (const DTypeInfo& info : all_dtypes()) values_.push_back(scalar("s", info.dtype));
    ExprRef symbol = make<DimSymbol>(Span{}, std::string("NR"));
    values_.push_back(symbol);
    values_.push_back(var("d", make<TensorType>(Span{}, ExprList{symbol, const_index(16)}, DType::FP32)));
    values_.push_back(window("sig", {4, 1}, DType::Int32));
    values_.push_back(window("slot", {1}, DType::Int32));
    for (TypeRef type : {ptr_type(), task_id_type(), comm_ctx_type(), window_buffer_type(), unit_type()}) {
      values_.push_back(var("v", type));
    }
    values_.push_back(
        var("pair", make<TupleType>(Span{}, std::vector<TypeRef>(2, scalar_type(DType::Index)))));
    values_.push_back(make_window_buffer(var("buf", ptr_type()), *good("pld.alloc_window_buffer", {64})));
    for (int64_t n : {int64_t{0}, int64_t{1}, int64_t{16}, int64_t{-1}, huge, -huge - 1}) {
      values_.push_back(const_index(n));
      numbers_.push_back(n);
    }
  }

  size_t below(size_t n) { return random_() % n; }

  // Half of the time something the parameter accepts, if the pool has it.
  ExprRef value(uint16_t wanted) {
    for (int tries = 0; tries < 40; ++tries) {
      const ExprRef& v = values_[below(values_.size())];
      if (below(12) == 0 || accepts(wanted, v->type)) return v;
    }
    return values_[below(values_.size())];
  }

  AttrValue attribute(const OpParam& param) {
    switch (below(10) == 0 ? static_cast<AttrKind>(below(6)) : param.attr_kind) {
      case AttrKind::Bool:
        return {below(2) == 0};
      case AttrKind::Int:
        return {below(2) ? int64_t{1} : numbers_[below(numbers_.size())]};
      case AttrKind::Float:
        return {0.5};
      case AttrKind::String:
        return {std::string(below(3) ? "ge" : "")};
      case AttrKind::DType:
        return {static_cast<DType>(below(all_dtypes().size()))};
      case AttrKind::Enum:
        break;
    }
    EnumId id = param.attr_kind == AttrKind::Enum ? param.enum_id : EnumId::WaitCmp;
    return {EnumValue{id, static_cast<uint8_t>(below(info(id).members.size()))}};
  }

  OpArgument argument(const OpParam& param) {
    OpArgument argument;
    if (below(20) == 0) return argument;
    if (param.kind == OpParam::Attribute) {
      argument.value = attribute(param);
    } else if (param.kind == OpParam::Operand) {
      argument.value = value(param.accepts);
    } else if (below(8) == 0) {
      argument.value = value(param.accepts);
    } else {
      std::vector<OpArgument> items(below(8) == 0 ? below(5) : 2);
      for (OpArgument& item : items) item.value = value(param.accepts);
      argument.value = std::move(items);
    }
    return argument;
  }

 private:
  std::mt19937 random_;
  ExprList values_;
  std::vector<int64_t> numbers_;
};

void make_again(const Call& call, const TypeRef& annotated) {
  Diagnostics diags;
  auto again = create_call(*call.op, call.args, call.attrs, {}, diags, annotated);
  ASSERT_TRUE(again) << diags.text();
  EXPECT_EQ(again->args, call.args) << call.op->qualified();
  EXPECT_EQ(again->attrs, call.attrs) << call.op->qualified();
  EXPECT_EQ(to_string(again->type), to_string(call.type)) << call.op->qualified();
}

TEST(RandomCalls, NeverThrowAndAreStable) {
  const uint32_t seed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Pool pool(seed);
  const TypeRef annotated = tile("t", 8, 8)->type;
  size_t made = 0;
  for (const Op& op : registry().all()) {
    for (int round = 0; round < 150; ++round) {
      std::vector<OpArgument> positional;
      std::vector<OpKeyword> keywords;
      for (const OpParam& param : op.params) {
        if (param.optional && pool.below(3)) continue;
        keywords.push_back({param.name, pool.argument(param), {}});
      }
      if (pool.below(10) == 0) positional.resize(pool.below(4));
      Diagnostics diags;
      auto call = create_call(op, std::move(positional), std::move(keywords), {}, diags, annotated);
      ASSERT_EQ(call == nullptr, diags.has_errors()) << op.qualified() << "\n" << diags.text();
      if (!call) continue;
      ++made;
      make_again(*call, annotated);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(made, registry().all().size() * 10);
}

}  // namespace
}  // namespace tilewire::ops::test
