#include "target/pto/kernel_kind.h"

#include <algorithm>

#include "ir/visitor.h"
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

int64_t column_unit(const Function& function) {
  Smallest smallest;
  smallest.walk(*function.body);
  return 32 / smallest.bytes;
}

}  // namespace tilewire::target::pto
