// Which tiles and arrays of a kernel share memory because they are one tile at different times, and which are
// in use at once.
//
// A tile of the program is a value, one of the text is memory. Each value has a buffer; values that loops and
// branches hand on, and what an op writes in place, have the same one where no other use is in the way. Where
// one is, the target copies.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/valid_shapes.h"
#include "target/pto/tile_spaces.h"
#include "target/pto/values.h"

namespace tilewire::target::pto {

// How an op produces its result, as far as memory is concerned.
enum class ResultMemory : uint8_t {
  Fresh,    // written whole, elsewhere than the operands
  InPlace,  // written whole; may be where any operand was
  Updates,  // the operand, changed
  Views,    // the operand, seen otherwise
};
struct ResultRule {
  ResultMemory memory = ResultMemory::Fresh;
  int operand = -1;  // of Updates and Views
};

// A set of small numbers.
class Bits {
 public:
  explicit Bits(size_t size = 0) : words_((size + 63) / 64) {}
  bool has(int bit) const { return (words_[word(bit)] >> (bit & 63)) & 1; }
  void add(int bit) { words_[word(bit)] |= uint64_t{1} << (bit & 63); }
  void drop(int bit) { words_[word(bit)] &= ~(uint64_t{1} << (bit & 63)); }
  void join(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool meets(const Bits& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] & other.words_[i]) return true;
    }
    return false;
  }
  template <class F>
  void each(F f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i]; left; left &= left - 1)
        f(static_cast<int>(i * 64) + __builtin_ctzll(left));
    }
  }

 private:
  static size_t word(int bit) { return static_cast<size_t>(bit) / 64; }
  std::vector<uint64_t> words_;
};

struct TileBuffer {
  TileForm form;
  // The valid extent that all values in it have; nothing where they differ or only run time knows it.
  std::optional<std::pair<int64_t, int64_t>> valid;
  std::string hint;
};

class TileStorage {
 public:
  using RuleOf = ResultRule (*)(const ir::Call&, const TileSpaces&);
  TileStorage(const ir::Function& kernel, const TileSpaces& memory, const passes::ValidShapes& valid,
              int64_t unit, RuleOf rule);

  // The buffers of the tiles in a variable: its own, or those of a tuple in their order.
  std::vector<int> buffers(const ir::Expr& var) const;
  int buffer(const ir::Expr& tile) const { return buffers(tile)[0]; }
  const std::vector<TileBuffer>& all() const { return buffers_; }
  // Statements are numbered in the order of the text.
  int position(const ir::Node& stmt) const;
  int positions() const { return static_cast<int>(in_use_.size()); }
  // The first and last position of each loop.
  const std::vector<std::pair<int, int>>& loops() const { return loops_; }
  // The buffers in use while that statement runs.
  const Bits& in_use(int position) const { return in_use_[static_cast<size_t>(position)]; }

 private:
  friend class LiveWalk;
  std::vector<int> values(const ir::Expr& var) const;

  ir::PointerMap<std::pair<int, int>> places_;  // of variables: first value and how many
  std::vector<int> pool_;                       // the numbers of values that they hold
  std::vector<int> buffer_of_;                  // by value
  std::vector<TileBuffer> buffers_;
  ir::PointerMap<int> position_;
  std::vector<Bits> in_use_;
  std::vector<std::pair<int, int>> loops_;
};

// How a tile of the language lies in memory. `unit`: rows of columns, and columns of everything else in vec,
// are a multiple of so many elements. `bias`: a row in Mat on its way to Bias.
TileForm form_of(const ir::TileType& type, ir::MemorySpace space, int64_t unit, bool bias = false);
// How a tile lies in a slot of a pipe: whole boxes of the cube core, row by row.
TileForm slot_form(const ir::TileType& type, bool from_cube);
// What scalars that go to the cube half are sent with.
TileForm token_form();
// An array of integers is memory like a tile; its space is DDR.
TileForm form_of(const ir::ArrayType& type);

}  // namespace tilewire::target::pto
