#include "driver/execute/known_calls.h"

#include <algorithm>

namespace tilewire::driver {

KnownCalls::KnownCalls(const Signature& signature) {
  // The runtime lays out windows and copies rows for each call of a host function.
  if (signature.entry().type == ir::FunctionType::Host) return;
  size_t words = 0, result_words = 0;
  for (const ParameterInfo& param : signature.params()) {
    if (!param.tensor) {
      ++words;
      continue;
    }
    tensors_.push_back({words, param.dims.size(), param.dtype, param.written});
    words += 1 + 2 * param.dims.size();
  }
  for (const ir::TypeRef& type : signature.entry().return_types) {
    const auto* tensor = ir::as<ir::TensorType>(type);
    result_words += tensor ? 1 + 2 * tensor->shape.size() : 1;
  }
  if (words <= most_words && result_words <= most_result_words) word_count_ = words;
}

bool KnownCalls::matches(const Form& form, std::span<const abi::Word> words) const {
  for (const Tensor& tensor : tensors_) {
    const auto layout = words.subspan(tensor.word + 1, 2 * tensor.rank);
    if (!std::equal(layout.begin(), layout.end(), form.words.begin() + tensor.word + 1)) return false;
  }
  return true;
}

bool KnownCalls::may_overlap(const Form& form, std::span<const abi::Word> words) const {
  for (size_t a = 1; a < tensors_.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const Tensor &one = tensors_[a], &other = tensors_[b];
      if (!one.written && !other.written) continue;
      const abi::Word at = words[one.word], other_at = words[other.word];
      const Reach &reach = form.reach[a], &other_reach = form.reach[b];
      if (at + reach.first < other_at + other_reach.end && other_at + other_reach.first < at + reach.end) {
        return true;
      }
    }
  }
  return false;
}

std::optional<KnownCall> KnownCalls::find(std::span<const abi::Word> words) const {
  std::lock_guard lock(mutex_);
  for (const Form& form : forms_) {
    if (matches(form, words)) return may_overlap(form, words) ? std::nullopt : std::optional(form.call);
  }
  return std::nullopt;
}

void KnownCalls::add(std::span<const abi::Word> words, KnownCall call) {
  if (word_count_ == 0) return;
  Form form{{words.begin(), words.end()}, {}, call};
  for (const Tensor& tensor : tensors_) {
    const abi::Word* extents = &words[tensor.word + 1];
    const abi::Word* strides = extents + tensor.rank;
    const int64_t bytes = ir::bytes(tensor.dtype);
    Reach reach{0, bytes};
    for (size_t i = 0; i < tensor.rank; ++i) {
      const int64_t step = static_cast<int64_t>(strides[i]) * bytes;
      (step < 0 ? reach.first : reach.end) += step * (static_cast<int64_t>(extents[i]) - 1);
    }
    const bool empty = std::find(extents, extents + tensor.rank, abi::Word{0}) != extents + tensor.rank;
    form.reach.push_back(empty ? Reach{0, 0} : reach);
  }
  std::lock_guard lock(mutex_);
  if (std::any_of(forms_.begin(), forms_.end(), [&](const Form& known) { return matches(known, words); }))
    return;
  if (forms_.size() < most_forms) {
    forms_.push_back(std::move(form));
  } else {
    forms_[next_++ % most_forms] = std::move(form);
  }
}

}  // namespace tilewire::driver
