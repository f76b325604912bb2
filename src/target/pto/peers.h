// Communication contexts: what a rank knows of its group, and where a window lies at another rank.
//
// There is no operand for a rank in the dialect: a peer's memory is a pointer, this rank's plus the distance
// of the bases in the context.
#pragma once

#include "target/pto/emitter.h"

namespace tilewire::target::pto {

// The context of the group that shares a window. Reports tensors that are none.
Scalar group_context(FunctionEmitter& e, const Tensor& window, const Span& at);
// i32, from a context.
Scalar own_rank(FunctionEmitter& e, const Scalar& context);
Scalar rank_count(FunctionEmitter& e, const Scalar& context);
// The same place in the copy of a rank of the window's group.
Tensor at_peer(FunctionEmitter& e, const Tensor& window, const Scalar& peer, const Span& at);
// One element as a view of one element, for signals; its number counts from the pointer.
Operand cell(FunctionEmitter& e, const Tensor& signal, const std::vector<Scalar>& place);
Operand cell_of_rank(FunctionEmitter& e, const Tensor& signal, const Scalar& rank);

// Orders earlier writes before later ones, for all observers.
void fence(FunctionEmitter& e);
// Makes the writes of others visible to the scalar unit.
void drop_cache(FunctionEmitter& e);

}  // namespace tilewire::target::pto
