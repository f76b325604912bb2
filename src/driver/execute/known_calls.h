// Calls whose arguments have the form of a call that was checked before: same dtypes, shapes and strides.
//
// Binding arguments (Signature::bind) makes objects and texts. The second call of a form needs none of that:
// its words (abi.h) are compared with those of the first and run as they are, without allocating memory. What
// a form cannot answer, such as arrays that may overlap, is left to `bind`.
//
//     abi::Word words[KnownCalls::most_words];   // filled by the caller: dtypes, ranks and writability
//     checked if (auto known = calls.find(words)) ...run known->entry with them
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "abi/abi.h"
#include "driver/execute/arguments.h"

namespace tilewire::driver {

// The code that a call runs.
struct KnownCall {
  const abi::Module* module = nullptr;
  const abi::Function* entry = nullptr;
};

class KnownCalls {
 public:
  static constexpr size_t most_words = 96;
  static constexpr size_t most_result_words = 32;

  explicit KnownCalls(const Signature& signature);

  // The number of words of a call; 0: no call of this signature is ever known.
  size_t word_count() const { return word_count_; }

  // Nothing if no earlier call had this form, or if written memory may overlap with other arguments.
  std::optional<KnownCall> find(std::span<const abi::Word> words) const;

  // For a call whose arguments were bound.
  void add(std::span<const abi::Word> words, KnownCall call);

 private:
  struct Tensor {
    size_t word;  // of its address; extents and strides follow
    size_t rank;
    ir::DType dtype;
    bool written;
  };
  // Bytes that a tensor reaches, from its address.
  struct Reach {
    int64_t first, end;
  };
  struct Form {
    std::vector<abi::Word> words;
    std::vector<Reach> reach;  // one per tensor
    KnownCall call;
  };
  static constexpr size_t most_forms = 8;

  bool matches(const Form& form, std::span<const abi::Word> words) const;
  bool may_overlap(const Form& form, std::span<const abi::Word> words) const;

  std::vector<Tensor> tensors_;
  size_t word_count_ = 0;
  mutable std::mutex mutex_;
  std::vector<Form> forms_;
  size_t next_ = 0;  // the form that a new one replaces when there are enough
};

}  // namespace tilewire::driver
