// What the semantics of an op can access: operands, regions, the world.
#pragma once

#include <span>
#include <vector>

#include "interp/world.h"
#include "ir/op.h"

namespace tilewire::interp {

// A row-major or strided block of elements, of a tile's valid part or of a tensor.
struct View {
  DType dtype = DType::FP32;
  const std::byte* base = nullptr;
  Dims shape, strides;
};

// A part of a tensor that an effect of the op touches in this call.
struct Region {
  const ir::Effect* effect = nullptr;
  Tensor part;
};

class Context {
 public:
  Context(World& world, AgentId agent, const Instr& instr, EventSink* sink)
      : world(world),
        agent_id(agent),
        instr(instr),
        call(static_cast<const ir::Call&>(*instr.node)),
        sink(sink) {}

  World& world;
  const AgentId agent_id;
  const Instr& instr;
  const ir::Call& call;
  EventSink* const sink;
  Value result;
  bool again = false;  // the op has more parts: its next step is the same instruction

  const Agent& agent() const { return world.agent(agent_id); }
  const Frame& frame() const { return agent().top(); }

  // --- operands, by their position in Call::args
  bool has(size_t operand) const { return at(operand).given; }
  const Value& value(size_t operand) const { return slot(at(operand).first); }
  const Scalar& scalar(size_t operand) const { return *value(operand).scalar(); }
  int64_t integer(size_t operand) const { return scalar(operand).i; }
  const Tensor& tensor(size_t operand) const { return *value(operand).tensor(); }
  const Tile& tile(size_t operand) const { return *value(operand).tile(); }
  size_t list_size(size_t operand) const { return at(operand).count; }
  const Value& element(size_t operand, size_t i) const { return slot(at(operand).first + i); }
  Dims integers(size_t operand) const;

  // Whether the result of the op is used.
  bool result_used() const;

  // --- attributes; null, or false, when absent and without default
  const ir::AttrValue* attr(std::string_view name) const;
  bool flag(std::string_view name) const;
  int64_t int_attr(std::string_view name) const;
  template <class E>
  E enum_attr(std::string_view name) const {
    return static_cast<E>(attr(name)->get<ir::EnumValue>()->value);
  }
  // An axis attribute, counted from the end when negative.
  size_t axis(std::string_view name, size_t rank) const;

  // --- regions of the effects that happen; checked against the tensors before the op runs
  const std::vector<Region>& regions() const { return regions_; }
  // Of the effect on this operand.
  const Tensor& region(size_t operand) const;
  void resolve_regions();
  void report_accesses();

  // --- who takes part
  // Of the group of a context, numbered as the window's group numbers them.
  Members members(const CommCtx& ctx) const;
  // The value of the list operand `members`.
  Members members_operand(size_t operand) const;
  // The context given as `group`, which has to be of the window's group; null: none.
  const CommCtx* group_of(const Tensor& window) const;
  // Returns the number; fails if there is no such member.
  int64_t member(const Members& members, int64_t number) const;
  // The rank of the run for a peer of this call.
  int peer(const Tensor& window, int64_t number) const;

  // --- data
  View view(const Tensor& tensor) const;
  View view(const Tile& tile) const { return view(tile, tile.valid_rows, tile.valid_cols); }
  View view(const Tile& tile, int64_t rows, int64_t cols) const;
  // Of a tile operand, its valid part; of a tensor operand, all of it.
  View view(size_t operand) const;
  std::byte* writable(const Tensor& tensor);
  // A tile of the given shape, filled with zeros or poison, to be written through `data` and finished.
  std::shared_ptr<Buffer> new_elements(DType dtype, int64_t count);
  Tensor new_tensor(DType dtype, Dims shape);
  // Poisons the elements of a tensor that this kernel created, in runs that poison; ignores other tensors.
  void forget_elements(const Tensor& tensor);

 private:
  const Operand& at(size_t operand) const { return frame().code->operands[instr.first + operand]; }
  const Value& slot(size_t index) const { return frame().registers[frame().code->slots[index]]; }
  void add_region(const ir::Effect& effect, const Tensor& tensor);
  std::vector<Region> regions_;
};

// `offsets` and `extents` of `tensor`; fails when they reach outside. `single`: one element is meant.
Tensor narrow(const Tensor& tensor, const Dims& offsets, const Dims& extents, bool single = false);
// Elements of a shape, or failure when they are more than 64 bits can count or an extent is negative.
int64_t checked_count(const Dims& shape, DType dtype);

}  // namespace tilewire::interp
