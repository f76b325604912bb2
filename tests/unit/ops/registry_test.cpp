// What must hold for every op, whatever it does.
#include "ops/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "calls.h"
#include "ops/handles.h"
#include "ops/roles.h"

namespace tilewire::ops {
namespace {

using namespace ir;
using test::scalar;

std::string place(const Op& op, const OpParam& param) {
  return op.qualified() + ", parameter " + param.name;
}

bool is_sentence(const std::string& text) {
  return text.size() > 3 && text.back() == '.' &&
         (isupper(text[0]) || text[0] == '`' || isdigit(text[0]) || text[0] == 'e');
}

TEST(Registry, EveryOpIsDocumented) {
  for (const Op& op : registry().all()) {
    EXPECT_TRUE(is_sentence(op.doc)) << op.qualified() << ": " << op.doc;
    EXPECT_TRUE(is_sentence(op.result_doc)) << op.qualified() << ": " << op.result_doc;
    for (const OpParam& param : op.params)
      EXPECT_TRUE(is_sentence(param.doc)) << place(op, param) << ": " << param.doc;
  }
}

TEST(Registry, NamesAndLevels) {
  std::set<std::string> names;
  for (const Op& op : registry().all()) {
    EXPECT_TRUE(op.module == "pl" || op.module == "pld") << op.qualified();
    EXPECT_TRUE(names.insert(op.qualified()).second) << op.qualified();
    for (const std::string& alias : op.aliases)
      EXPECT_TRUE(names.insert(op.module + "." + alias).second) << alias;
    EXPECT_NE(op.levels, 0) << op.qualified();
    EXPECT_EQ(registry().find(op.qualified()), &op);
  }
}

TEST(Registry, Parameters) {
  for (const Op& op : registry().all()) {
    std::set<std::string> names;
    bool keyword_only = false;
    for (const OpParam& param : op.params) {
      EXPECT_TRUE(names.insert(param.name).second) << place(op, param);
      EXPECT_TRUE(!keyword_only || param.keyword_only) << place(op, param);
      keyword_only = param.keyword_only;
      if (param.kind == OpParam::Attribute) {
        EXPECT_EQ(param.accepts, 0) << place(op, param);
        if (param.default_value) {
          EXPECT_TRUE(param.optional) << place(op, param);
          EXPECT_EQ(param.default_value->value.index(), static_cast<size_t>(param.attr_kind))
              << place(op, param);
        }
      } else {
        EXPECT_NE(param.accepts, 0) << place(op, param);
        EXPECT_FALSE(param.default_value) << place(op, param);
      }
      EXPECT_LT(param.like, static_cast<int>(op.params.size())) << place(op, param);
      EXPECT_TRUE(param.optional || param.required_at == 0) << place(op, param);
    }
  }
}

// The frontend passes arguments by position, so a required parameter after an optional one must be reachable.
TEST(Registry, OperandSlots) {
  for (const Op& op : registry().all()) {
    ASSERT_EQ(op.operand_slots.size(), op.params.size()) << op.qualified();
    int next = 0;
    for (size_t i = 0; i < op.params.size(); ++i) {
      bool operand = op.params[i].kind != OpParam::Attribute;
      EXPECT_EQ(op.operand_slots[i], operand ? next : -1) << place(op, op.params[i]);
      next += operand;
    }
    EXPECT_EQ(op.operand_count, static_cast<size_t>(next)) << op.qualified();
    if (op.result_alias >= 0) {
      EXPECT_EQ(op.operand_slots[op.result_alias], op.result_alias) << op.qualified();
    }
  }
}

TEST(Registry, EffectsNameTheRightKindOfParameter) {
  for (const Op& op : registry().all()) {
    auto kind = [&](int index) { return op.params[index].kind; };
    int count = static_cast<int>(op.params.size());
    for (const Effect& e : op.effects) {
      ASSERT_TRUE(e.param >= 0 && e.param < count) << op.qualified();
      EXPECT_NE(kind(e.param), OpParam::Attribute) << op.qualified();
      EXPECT_TRUE(op.params[e.param].accepts & (AcceptTensor | AcceptWindow)) << op.qualified();
      EXPECT_LT(std::max({e.peer_param, e.offsets_param, e.extent_param}), count) << op.qualified();
      if (e.peer_param >= 0) {
        EXPECT_EQ(op.params[e.peer_param].accepts, AcceptInt) << op.qualified();
        EXPECT_FALSE(op.params[e.param].accepts & AcceptTensor) << op.qualified() << " touches a peer";
      }
      if (e.all_peers) {
        EXPECT_FALSE(op.params[e.param].accepts & AcceptTensor) << op.qualified() << " touches peers";
      }
      if (e.offsets_param >= 0) {
        EXPECT_EQ(kind(e.offsets_param), OpParam::ListOperand) << op.qualified();
      }
      if (!e.when_attr.empty()) {
        int attr = op.param_index(e.when_attr);
        ASSERT_GE(attr, 0) << op.qualified();
        EXPECT_EQ(op.params[attr].default_value->value.index(), e.when_value.value.index()) << op.qualified();
      }
    }
  }
}

// What an operand decides is declared, and agrees with what effects make of it. Attributes are constants.
TEST(Registry, EveryOperandHasARole) {
  for (const Op& op : registry().all()) {
    for (const OpParam& param : op.params) {
      EXPECT_EQ(param.role == OperandRole::Unset, param.kind == OpParam::Attribute) << place(op, param);
      // Integers that are not computed with say where, how much, or what a signal is.
      if (param.accepts == AcceptInt) {
        EXPECT_NE(param.role, OperandRole::Data) << place(op, param);
      }
    }
    auto role = [&](int index) { return op.params[index].role; };
    for (const Effect& e : op.effects) {
      if (e.peer_param >= 0) {
        EXPECT_EQ(role(e.peer_param), OperandRole::Address) << op.qualified();
      }
      if (e.offsets_param >= 0) {
        EXPECT_EQ(role(e.offsets_param), OperandRole::Address) << op.qualified();
      }
      if (e.extent_param >= 0 && op.params[e.extent_param].kind == OpParam::ListOperand) {
        EXPECT_EQ(role(e.extent_param), OperandRole::Extent) << op.qualified();
      }
    }
  }
}

// Elements of tensors and tiles that do not only become elements.
TEST(Registry, ElementsThatDecide) {
  auto role = [](const char* op, const char* param) {
    const Op& found = *registry().find(op);
    return found.params[found.param_index(param)].role;
  };
  for (const char* op : {"pl.tile.gather", "pl.tensor.gather", "pl.tile.scatter", "pl.tensor.scatter"}) {
    EXPECT_EQ(role(op, "index"), OperandRole::Address) << op;
  }
  EXPECT_EQ(role("pld.tensor.all_to_all_v", "send_counts"), OperandRole::Extent);
  EXPECT_EQ(role("pld.system.enter_collective", "signal"), OperandRole::Address);
  EXPECT_EQ(role("pld.system.enter_collective", "target"), OperandRole::Address);
}

// A scalar operation decides whether the run goes on only where integers can stop it.
TEST(Registry, IntegersThatStopTheRun) {
  auto role = [](const char* op, const ExprRef& a, const ExprRef& b, size_t param) {
    Diagnostics diags;
    auto call = create_call(*registry().find(op), {a, b}, {}, {}, diags);
    return call ? role_in(*call, param) : OperandRole::Unset;
  };
  auto cast = [](DType from, DType to) {
    Diagnostics diags;
    auto call = create_call(*registry().find("pl.scalar.cast"), {scalar("a", from)},
                            {{"target_type", AttrValue{to}}}, {}, diags);
    return call ? role_in(*call, 0) : OperandRole::Unset;
  };
  const ExprRef i = scalar("i", DType::Int32), f = scalar("f", DType::FP32);
  EXPECT_EQ(role("pl.scalar.floordiv", i, i, 1), OperandRole::Control);
  EXPECT_EQ(role("pl.scalar.floordiv", i, i, 0), OperandRole::Data);
  EXPECT_EQ(role("pl.scalar.floordiv", f, f, 1), OperandRole::Data);
  EXPECT_EQ(role("pl.scalar.add", i, i, 1), OperandRole::Data);
  EXPECT_EQ(cast(DType::Int32, DType::Int8), OperandRole::Control);
  EXPECT_EQ(cast(DType::Index, DType::Int32), OperandRole::Control);
  EXPECT_EQ(cast(DType::UInt32, DType::Int32), OperandRole::Control);
  EXPECT_EQ(cast(DType::Int32, DType::UInt64), OperandRole::Control);
  EXPECT_EQ(cast(DType::UInt32, DType::Int64), OperandRole::Data);
  EXPECT_EQ(cast(DType::Int32, DType::Index), OperandRole::Data);
  EXPECT_EQ(cast(DType::Int32, DType::FP16), OperandRole::Data);
  EXPECT_EQ(cast(DType::FP32, DType::Int8), OperandRole::Data);
  EXPECT_EQ(cast(DType::Int32, DType::Bool), OperandRole::Data);
}

// A tensor operand without an effect is one whose elements the op does not touch: each is listed here.
TEST(Registry, EveryTensorOperandHasAnEffect) {
  const std::set<std::string> untouched = {
      "pl.tensor.slice",       "pl.tensor.reshape", "pl.tensor.transpose",
      "pl.tensor.dim",         "pl.no_dep",         "pl.pipe.slot",
      "pld.get_comm_ctx",      "pld.peer_slot",     "pld.system.enter_collective",
      "pld.system.check_group"};
  for (const Op& op : registry().all()) {
    for (size_t i = 0; i < op.params.size(); ++i) {
      if (!(op.params[i].accepts & (AcceptTensor | AcceptWindow))) continue;
      bool found = false;
      for (const Effect& e : op.effects) found = found || e.param == static_cast<int>(i);
      EXPECT_EQ(found, !untouched.contains(op.qualified())) << place(op, op.params[i]);
    }
  }
}

// What is written is handed back, so that the name can be rebound.
TEST(Registry, WritersRebindWhatTheyWrite) {
  const std::set<std::string> exceptions = {"pld.alloc_window_buffer"};
  for (const Op& op : registry().all()) {
    std::set<int> written;
    for (const Effect& e : op.effects) {
      if (e.access == Access::Write || e.access == Access::ReadWrite || e.access == Access::Atomic) {
        written.insert(e.param);
      }
    }
    if (written.empty() || op.note || exceptions.contains(op.qualified())) continue;
    EXPECT_TRUE(written.contains(op.result_alias)) << op.qualified();
  }
}

TEST(Registry, ParametersThatAddressAPeerAreWindows) {
  for (const Op& op : registry().all()) {
    if (op.param_index("peer") < 0) continue;
    bool window = false;
    for (const OpParam& param : op.params) window = window || param.accepts == AcceptWindow;
    EXPECT_TRUE(window) << op.qualified();
  }
}

TEST(Registry, HasEveryOpOfTheLanguage) {
  std::vector<std::string> names;
  auto add = [&](const std::string& prefix, std::initializer_list<const char*> list) {
    for (const char* name : list) names.push_back(prefix + name);
  };
  for (const char* family : {"pl.tile.", "pl.tensor."}) {
    add(family,
        {"add",        "sub",        "mul",      "div",        "rem",         "maximum",    "minimum",
         "and_",       "or_",        "xor",      "shl",        "shr",         "cmp",        "sel",
         "neg",        "abs",        "recip",    "exp",        "log",         "sqrt",       "rsqrt",
         "sin",        "cos",        "relu",     "tanh",       "sigmoid",     "not_",       "row_sum",
         "row_max",    "row_min",    "col_sum",  "col_max",    "col_min",     "row_argmax", "row_argmin",
         "row_expand", "col_expand", "matmul",   "matmul_acc", "matmul_bias", "gather",     "scatter",
         "create",     "full",       "arange",   "ci",         "slice",       "assemble",   "reshape",
         "transpose",  "concat",     "read",     "write",      "dim",         "cast",       "where",
         "fmod",       "clamp",      "lrelu",    "prelu",      "log1p",       "expm1",      "erf",
         "gelu",       "silu",       "softplus", "softmax",    "rms_norm",    "layer_norm", "tri",
         "row_prod",   "col_prod",   "gemv",     "dot",        "sum",         "max",        "min"});
    for (const char* form : {"row_expand_", "col_expand_"}) {
      add(family + std::string(form), {"add", "sub", "mul", "div", "max", "min", "expdif"});
    }
  }
  add("pl.tile.", {"load", "store", "move", "extract", "set_validshape", "fillpad", "sort32", "mrgsort",
                   "cumsum", "get_block_idx", "get_block_num", "get_subblock_idx", "get_subblock_num",
                   "comm_notify", "comm_wait", "comm_test"});
  add("pl.", {"tensor.batch_matmul", "array.create", "array.get", "array.set", "no_task", "no_dep",
              "task_join", "system.task_dummy", "print"});
  add("pl.scalar.", {"add",    "sub",    "mul", "floordiv", "mod", "truediv", "pow", "eq",     "ne",
                     "lt",     "le",     "gt",  "ge",       "and", "or",      "not", "bitand", "bitor",
                     "bitxor", "bitnot", "shl", "shr",      "neg", "min",     "max", "abs",    "cast"});
  add("pl.",
      {"reserve_buffer", "import_peer_buffer", "aic_initialize_pipe", "aiv_initialize_pipe", "tpush_to_aiv",
       "tpush_to_aic", "tpop_from_aic", "tpop_from_aiv", "tfree_to_aic", "tfree_to_aiv"});
  add("pld.", {"world_size", "alloc_window_buffer", "window", "get_comm_ctx", "rank", "nranks", "peer_slot",
               "subgroup", "mesh_axis", "member_rank"});
  add("pld.system.", {"notify", "wait", "test", "notify_all", "wait_all", "defer_wait"});
  add("pld.", {"tile.remote_load", "tile.remote_store"});
  add("pld.tensor.", {"remote_store", "put", "get", "allreduce", "barrier", "broadcast", "allgather",
                      "reduce_scatter", "all_to_all", "all_to_all_v"});
  for (const std::string& name : names) EXPECT_TRUE(registry().find(name)) << name;
}

// What happens elsewhere, or is seen there, or is there for nothing but what it does, stays although nobody
// uses the result.
TEST(Registry, RemovableOpsOnlyReadThisRanksMemory) {
  for (const Op& op : registry().all()) {
    bool seen = op.module == "pld" || op.functions != 0 || op.qualified() == "pl.print" || op.synchronizes;
    for (const Effect& e : op.effects) seen = seen || e.access != Access::Read;
    EXPECT_EQ(op.removable, !seen) << op.qualified();
  }
}

// The op of the same name, and it says the same about elements.
TEST(Registry, CounterpartsAgree) {
  EXPECT_EQ(registry().find("pl.tensor.add")->counterpart, registry().find("pl.tile.add"));
  EXPECT_EQ(registry().find("pl.tensor.slice")->counterpart, nullptr);  // `tile.slice` is an alias
  for (const Op& op : registry().all()) {
    if (!op.counterpart) continue;
    EXPECT_EQ(op.counterpart->counterpart, &op) << op.qualified();
    EXPECT_NE(op.on_tensors, op.counterpart->on_tensors) << op.qualified();
    EXPECT_EQ(op.kind, op.counterpart->kind) << op.qualified();
    EXPECT_EQ(op.cost, op.counterpart->cost) << op.qualified();
    EXPECT_EQ(op.expansion == nullptr, op.counterpart->expansion == nullptr) << op.qualified();
    const bool same = op.module == "pl";  // storing a tensor at a peer is not storing a tile
    EXPECT_TRUE(!same || op.form == op.counterpart->form) << op.qualified();
  }
}

// A handle finds its op and no other.
TEST(Registry, Handles) {
  EXPECT_EQ(&*pl::tile::add, registry().find("pl.tile.add"));
  EXPECT_EQ(pl::scalar::and_->qualified(), "pl.scalar.and");
  EXPECT_TRUE(registry().find("pld.rank") == pld::rank);
  EXPECT_TRUE(*registry().find("pld.rank") != pld::nranks);
}

TEST(Registry, CandidatesPutTilesFirst) {
  auto names = [](std::string_view module, std::string_view name) {
    std::string out;
    for (const Op* op : registry().candidates(module, name)) out += (out.empty() ? "" : " ") + op->name;
    return out;
  };
  EXPECT_EQ(names("pl", "add"), "tile.add tensor.add scalar.add");
  EXPECT_EQ(names("pl", "abs"), "tile.abs tensor.abs scalar.abs");
  EXPECT_EQ(names("pl", "load"), "tile.load");
  EXPECT_EQ(names("pl", "slice"), "tile.extract tensor.slice");
  EXPECT_EQ(names("pl", "tile.slice"), "tile.extract");
  EXPECT_EQ(names("pl", "create_tile"), "tile.create");
  EXPECT_EQ(names("pl", "ci"), "tile.arange tensor.arange");
  EXPECT_EQ(names("pl", "tile.add"), "tile.add");
  EXPECT_EQ(names("pld", "remote_store"), "tile.remote_store tensor.remote_store");
  EXPECT_EQ(names("pld", "add"), "");
  EXPECT_EQ(names("pl", "get"), "");
  EXPECT_EQ(names("pl", std::string(500, 'x')), "");
}

TEST(Registry, Levels) {
  auto levels = [](const char* name) { return describe_levels(registry().find(name)->levels); };
  EXPECT_EQ(levels("pld.world_size"), "host functions");
  EXPECT_EQ(levels("pld.system.wait"), "kernel functions");
  EXPECT_EQ(levels("pld.tensor.allreduce"), "host or kernel functions");
  EXPECT_EQ(levels("pld.rank"), "orchestration or kernel functions");
  EXPECT_EQ(levels("pl.scalar.add"), "anywhere");
}

}  // namespace
}  // namespace tilewire::ops
