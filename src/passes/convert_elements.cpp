// Joining, gathering and scattering of tensors larger than a tile.
#include "ir/op.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/tensor_converter.h"

namespace tilewire::passes {

using namespace ir;

void TensorConverter::concat(const Call& call, const ExprRef& out) {
  const ExprList& parts = static_cast<const MakeTuple&>(*call.args[0]).elements;
  size_t rank = tensor_type_of(out).shape.size();
  int64_t axis = axis_of(call, 0, rank);
  ExprList offsets(rank, const_index(0));
  for (const ExprRef& part : parts) {
    ExprRef source = memory_of(part, call.span);
    copy_blocks(source, out, offsets, call.span);
    offsets[axis] = ops::sum(offsets[axis], use(tensor_type_of(source).shape[axis]));
  }
}

void TensorConverter::for_each_element(const ExprList& shape, size_t dim, ExprList& index, const Span& span,
                                       const std::function<void()>& body) {
  if (dim == shape.size()) return body();
  for_each_step(shape[dim], 1, "i", span, [&](const Extent& step) {
    index.push_back(step.start);
    for_each_element(shape, dim + 1, index, span, body);
    index.pop_back();
  });
}

ExprRef TensorConverter::read(const ExprRef& tensor, ExprList index, const Span& span) {
  const Op& op = ops::pl::tensor::read;
  return assign_new("v", call_op(op, {tensor, make<MakeTuple>(span, std::move(index))}, {}, span), span);
}

void TensorConverter::gather(const Call& call, const ExprRef& out) {
  const Op& write = ops::pl::tensor::write;
  const Span& span = call.span;
  ExprRef x = memory_of(call.args[0], span), positions = memory_of(call.args[1], span);
  int64_t axis = axis_of(call, -1, tensor_type_of(x).shape.size());
  ExprList index;
  for_each_element(tensor_type_of(out).shape, 0, index, span, [&] {
    ExprList from = index;
    from[axis] = read(positions, index, span);
    ExprRef value = read(x, from, span);
    emit(make<Eval>(span, call_op(write, {out, make<MakeTuple>(span, index), value}, {}, span)));
  });
}

ExprRef TensorConverter::scatter(const Call& call, const Op& op) {
  const Op& write = ops::pl::tensor::write;
  const Span& span = call.span;
  ExprRef x = use(call.args[0]);
  if (plan_.fits(call.args[0]->type) && plan_.fits(call.args[1]->type)) {
    store_whole(whole(call, op, "t"), x, span);
    return x;
  }
  ExprRef positions = apart_from(call.args[1], call.args[0], span);
  ExprRef source = apart_from(call.args[2], call.args[0], span);
  int64_t axis = axis_of(call, -1, tensor_type_of(x).shape.size());
  ExprList index;
  for_each_element(tensor_type_of(positions).shape, 0, index, span, [&] {
    ExprList to = index;
    to[axis] = read(positions, index, span);
    ExprRef value = read(source, index, span);
    emit(make<Eval>(span, call_op(write, {x, make<MakeTuple>(span, to), value}, {}, span)));
  });
  return x;
}

}  // namespace tilewire::passes
