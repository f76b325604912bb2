#include "target/pto/kernel_kind.h"

#include <algorithm>

#include "ir/visitor.h"
#include "ops/handles.h"
#include "target/pto/rules.h"
#include "target/pto/values.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

struct Products : Visitor<Products> {
  bool found = false;
  void visit(const Call& call) {
    walk_children(call);
    const OpForm form = call.op->form;
    found = found || form == OpForm::Matmul || form == OpForm::MatmulAcc || form == OpForm::MatmulBias;
  }
};

struct Smallest : Visitor<Smallest> {
  static constexpr bool into_types = true;
  int64_t bytes = 4;
  void visit(const TileType& type) {
    const std::string element = element_text(type.dtype);
    if (!element.empty()) bytes = std::min(bytes, element_bytes(element));
  }
  void visit(const Call& call) {
    walk_children(call);
    const Rule* rule = rules().find(*call.op);
    auto dtype = dtype_of(call);
    if (rule && rule->masks && dtype && rule->masks(*dtype)) bytes = 1;
  }
};

}  // namespace

Core kind_of_core(const Function& function) {
  if (function.type == FunctionType::AIC) return Core::Cube;
  if (function.type == FunctionType::AIV) return Core::Vector;
  Products products;
  products.walk(*function.body);
  return products.found ? Core::Cube : Core::Vector;
}

bool mixes_cores(const Function& function) {
  struct VectorWork : Visitor<VectorWork> {
    bool found = false;
    void visit(const Call& call) {
      walk_children(call);
      bool tiles = isa<TileType>(call.type) || isa<TupleType>(call.type);
      for (const ExprRef& arg : call.args) tiles = tiles || (arg && isa<TileType>(arg->type));
      const Op& op = *call.op;
      const bool anywhere = op.form == OpForm::Load || op.form == OpForm::Fill || op.form == OpForm::Create ||
                            op.form == OpForm::Matmul || op.form == OpForm::MatmulAcc ||
                            op.form == OpForm::MatmulBias || op.synchronizes || op.needs_annotation ||
                            op == ops::pl::tile::store || op == ops::pl::tile::move ||
                            op == ops::pl::tile::set_validshape;
      found = found || op.module == "pld" || (isa<TileType>(call.type) && !anywhere);
    }
  };
  if (function.type != FunctionType::InCore || kind_of_core(function) != Core::Cube) return false;
  VectorWork work;
  work.walk(*function.body);
  return work.found;
}

int64_t column_unit(const Function& function) {
  Smallest smallest;
  smallest.walk(*function.body);
  return 32 / smallest.bytes;
}

}  // namespace tilewire::target::pto
