// How a family file declares its ops.
//
//     Define(ops, "pl", "tile.exp", "e to the power of every element.")
//         .operand("x", AcceptTile, Data, "The exponents.")
//         .result("A tile of the shape and dtype of `x`.")
//         .rule(unary_rule);
//
// Methods that describe a parameter or an effect (optional, like, region, peer, ...) speak of the one
// declared last. Effects name parameters, so they come after them.
//
// Every operand has a role (docs/internals/checker.md, "Roles"): what a scalar, the elements of a tile, or
// the elements that are read of a tensor, decide. Attributes are constants and have none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace tilewire::ops {

using enum ir::OperandRole;

// The cost of an element (Op::cost) that takes a division or more.
inline constexpr int slow = 12;

class Define {
 public:
  Define(std::vector<ir::Op>& ops, std::string module, std::string name, std::string doc);

  // --- parameters
  Define& operand(std::string name, uint16_t accepts, ir::OperandRole role, std::string doc);
  Define& list(std::string name, uint16_t accepts, ir::OperandRole role, std::string doc);
  Define& attr(std::string name, ir::AttrKind kind, std::string doc);
  template <class E>
  Define& choice(std::string name, std::string doc) {
    attr(std::move(name), ir::AttrKind::Enum, std::move(doc));
    param().enum_id = ir::EnumIdOf<E>::id;
    return *this;
  }
  Define& optional();
  Define& keyword_only();
  Define& literal(ir::DType dtype);
  Define& like(int param_index);
  Define& by_default(ir::AttrValue value);
  template <class E>
  requires std::is_enum_v<E> Define& by_default(E value) {
    return by_default(ir::AttrValue{ir::enum_value(value)});
  }
  Define& required_at(uint8_t levels);

  // --- effects
  Define& effect(ir::Access access, std::string_view param);
  // Without `extent`: one element.
  Define& region(std::string_view offsets, std::string_view extent = {});
  Define& peer(std::string_view param);
  Define& all_peers();
  // Declares `group=`: the sub-group whose ranks peers and roots are counted in.
  Define& group();
  // Declares `members=`, what the pass lower_subgroups writes in place of `group=` where an op goes over
  // ranks.
  Define& members();
  Define& when(std::string_view attr, ir::AttrValue value);
  // What `atomic=` makes of writing `param`: a plain write, or an atomic update. Both get the same region.
  Define& store_effects(std::string_view param, std::string_view offsets, std::string_view extent,
                        std::string_view peer = {});

  // --- the op as a whole
  Define& result(std::string doc);
  Define& alias(std::string name);
  Define& infix(std::string text);
  Define& levels(uint8_t levels);
  Define& rebinds(std::string_view param);  // the result names the storage of this operand
  // How it iterates over elements, what it computes per element, and at what cost (op.h).
  Define& form(ir::OpForm form);
  Define& computes(ir::Elementwise kind, int cost = 1);
  Define& keeps();                      // a call is kept although its result is unused
  Define& no_rule(std::string reason);  // why targets have none
  // What it is made of, and the largest error of that in FP32 (ir/expansion.h).
  Define& expands(std::function<ir::ExprRef(ir::Expansion&)> expansion, int ulp = 0);
  Define& rule(std::function<ir::TypeRef(ir::OpCheck&)> rule);
  // An op that stops the run when something is not as another op needs it (ir/check_ops.h).
  Define& only_checks();
  // The record itself, for the rare field that has no method here.
  ir::Op& op() { return ops_[index_]; }

 private:
  ir::OpParam& param() { return op().params.back(); }
  int index_of(std::string_view param);

  std::vector<ir::Op>& ops_;
  size_t index_;
};

}  // namespace tilewire::ops
