#include "target/pto/peers.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

// Elements of a context, seen as i64: both numbers of ranks, then the bases of all regions.
constexpr int64_t numbers_element = 2, first_base = 4;

Scalar element_of(FunctionEmitter& e, const Scalar& context, const Scalar& at, const char* hint) {
  const std::string rhs =
      "pto.load_scalar " + context.name + "[" + e.text.name(at) + "] : !pto.ptr<i64> -> i64";
  return e.named(e.pure(rhs, hint), "i64");
}

// The elements of a window one after the other, where they are without gaps.
bool flat(const Tensor& tensor) {
  if (tensor.extents.empty() || tensor.strides[0].integer != 1) return false;
  for (size_t i = 1; i < tensor.extents.size(); ++i) {
    if (tensor.extents[i].integer != 1) return false;
  }
  return true;
}

}  // namespace

Scalar group_context(FunctionEmitter& e, const Tensor& window, const Span& at) {
  const int parameter = window.parameter >= 0 ? e.kernel.contexts[static_cast<size_t>(window.parameter)] : -1;
  if (parameter < 0) {
    e.refuse(at, "a window that may be one of several", "each context is a parameter of the kernel")
        .with_help("use the parameter itself");
    return e.named("%none", "!pto.ptr<i64>");
  }
  return e.named("%" + e.kernel.parameters[static_cast<size_t>(parameter)].name, "!pto.ptr<i64>");
}

Scalar own_rank(FunctionEmitter& e, const Scalar& context) {
  const Scalar both = element_of(e, context, e.number(numbers_element), "ranks");
  return e.as_integer(both, "i32");
}

Scalar rank_count(FunctionEmitter& e, const Scalar& context) {
  const Scalar both = element_of(e, context, e.number(numbers_element), "ranks");
  return e.as_integer(e.arith("shrui", both, e.number(32, "i64")), "i32");
}

Tensor at_peer(FunctionEmitter& e, const Tensor& window, const Scalar& peer, const Span& at) {
  const std::string element = element_text(window.dtype);
  const Scalar context = group_context(e, window, at);
  const Scalar own = own_rank(e, context);
  if (e.as_index(peer) == e.as_index(own)) return window;
  auto base = [&](const Scalar& rank) {
    return element_of(e, context, e.add(e.as_index(rank), e.number(first_base)), "base");
  };
  const Scalar mine = base(own), theirs = base(peer);
  const Scalar bytes = e.sub(theirs, mine);
  const Scalar elements = e.as_index(e.arith("divsi", bytes, e.number(element_bytes(element), "i64")));
  const std::string type = "!pto.ptr<" + element + ">";
  Tensor there = window;
  there.pointer = e.pure(
      "pto.addptr " + window.pointer + ", " + e.text.name(elements) + " : " + type + " -> " + type, "peer");
  return there;
}

Operand cell(FunctionEmitter& e, const Tensor& signal, const std::vector<Scalar>& place) {
  const Scalar element = e.element_number(signal, place);
  Tensor cells = signal;
  cells.layout = Layout::ND;
  cells.strides = {e.number(1)};
  if (flat(signal)) {
    cells.extents = {signal.extents[0]};
    return e.region(cells, {element}, {e.number(1)});
  }
  cells.extents = {e.number(1)};
  cells.pointer = e.pure(
      "pto.addptr " + signal.pointer + ", " + e.text.name(element) + " : !pto.ptr<i32> -> !pto.ptr<i32>",
      "cell");
  return e.region(cells, {e.number(0)}, {e.number(1)});
}

// Cells are numbered in row-major order, whatever the shape of the window.
Operand cell_of_rank(FunctionEmitter& e, const Tensor& signal, const Scalar& rank) {
  const size_t dimensions = signal.extents.size();
  std::vector<Scalar> place(dimensions, e.number(0));
  Scalar left = rank;
  for (size_t i = dimensions; i-- > 1;) {
    if (signal.extents[i].integer == 1) continue;
    place[i] = e.arith("remsi", left, signal.extents[i]);
    left = e.arith("divsi", left, signal.extents[i]);
  }
  if (dimensions > 0) place[0] = left;
  return cell(e, signal, place);
}

void fence(FunctionEmitter& e) {
  e.text.line("pto.fence.barrier_all #pto.fence_scope<gm>");
}

void drop_cache(FunctionEmitter& e) {
  e.text.line("pto.cmo.cacheinvalid all #pto.address_space<gm>");
}

}  // namespace tilewire::target::pto
