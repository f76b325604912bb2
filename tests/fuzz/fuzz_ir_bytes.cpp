// Any bytes are either refused with a diagnostic or a verified program, which then survives everything that
// is done with programs: comparing, hashing, printing, dumping, and being written and read again.
//
// Half of the inputs are made by changing one field of one node of a readable input: bytes flipped at random
// seldom get past the reader, and the verifier and the type rules behind it are to see strange programs too.
//
// The corpus is made of programs of tests/lang: `tilewire emit NAME.py --target ir`.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include "ir/dump.h"
#include "ir/fields.h"
#include "ir/mutator.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "ops/registry.h"

using namespace tilewire;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

struct ReplaceOne : ir::Mutator<ReplaceOne> {
  const ir::Node* target = nullptr;
  ir::NodeRef with;
  template <class T>
  ir::NodeRef rewrite(const T& node) {
    return &node == target ? with : ir::NodeRef(rewrite_children(node));
  }
};

class FieldChanger {
 public:
  explicit FieldChanger(unsigned seed) : random_(seed) {}

  // Null when the change gives what no node may hold.
  ir::NodeRef change(const ir::NodeRef& root) {
    collect(*root);
    const ir::Node& target = *nodes_[pick(nodes_.size())];
    try {
      ReplaceOne replace;
      replace.target = &target;
      replace.with = ir::dispatch(target, [&](const auto& node) { return changed(node); });
      return replace.mutate(root);
    } catch (const ir::InvalidNode&) {
      return nullptr;
    }
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  void collect(const ir::Node& node) {
    if (!seen_.insert(&node, 1).second) return;
    ir::for_each_child(node, [&](const auto& child, ir::FieldRole) {
      if (child) collect(*child);
    });
    nodes_.push_back(&node);
  }

  template <class T>
  ir::NodeRef changed(const T& node) {
    if constexpr (ir::field_count < T >> 0) {
      Ref<T> result = ir::copy(node);
      size_t chosen = pick(ir::field_count<T>);
      ir::for_each_field(*result, [&](const auto&, auto& value) {
        if (chosen-- == 0) randomise(value);
      });
      return ir::finish_node(std::move(result));
    } else {
      return ir::ref(&node);
    }
  }

  void randomise(bool& value) { value = !value; }
  void randomise(int64_t& value) {
    static constexpr int64_t interesting[] = {INT64_MIN, -1, 0, 1, 2, 3, 16, 256, INT32_MAX, INT64_MAX};
    value = interesting[pick(std::size(interesting))];
  }
  void randomise(double& value) { value = pick(2) ? -value : 1e300; }
  void randomise(std::string& value) { value = pick(2) ? value + "x" : std::string(pick(3), '\xff'); }
  void randomise(ir::DType& value) { value = static_cast<ir::DType>(pick(ir::all_dtypes().size())); }
  template <ir::LanguageEnum E>
  void randomise(E& value) {
    value = static_cast<E>(pick(ir::info(ir::EnumIdOf<E>::id).members.size()));
  }
  template <class V>
  void randomise(std::optional<V>& value) {
    if (pick(2)) return value.reset();
    randomise(value.emplace());
  }
  void randomise(const ir::Op*& op) {
    auto all = ops::registry().all();
    op = &all[pick(all.size())];
  }
  void randomise(ir::AttrList& attrs) {
    if (!attrs.empty() && pick(2)) return attrs.pop_back();
    const ir::Op* op = nullptr;
    randomise(op);
    ir::AttrValue value{int64_t{0}};
    randomise(std::get<int64_t>(value.value));
    if (pick(2)) value = {static_cast<ir::DType>(pick(ir::all_dtypes().size()))};
    if (!op->params.empty()) attrs.emplace_back(op->params[pick(op->params.size())].name, value);
  }
  void randomise(std::vector<int64_t>& list) { list.push_back(static_cast<int64_t>(pick(4))); }
  template <class T>
  void randomise(Ref<const T>& node) {
    node = nullptr;
    for (int attempt = 0; attempt < 20 && !node; ++attempt) {
      if (const T* other = ir::as<T>(nodes_[pick(nodes_.size())])) node = ir::ref(other);
    }
  }
  template <class T>
  void randomise(std::vector<Ref<const T>>& list) {
    if (list.empty() || pick(4) == 0) list.emplace_back();
    size_t at = pick(list.size());
    if (pick(3) == 0) {
      list.erase(list.begin() + static_cast<ptrdiff_t>(at));
    } else {
      randomise(list[at]);
    }
  }

  std::mt19937 random_;
  ir::PointerMap<uint8_t> seen_;
  std::vector<const ir::Node*> nodes_;
};

std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Diagnostics diags;
  ir::NodeRef node;
  if (seed % 2) node = ir::from_bytes(text_of(data, size), ops::registry(), diags);
  if (node) node = FieldChanger(seed).change(node);
  if (!node) return LLVMFuzzerMutate(data, size, max_size);
  std::string bytes = ir::to_bytes(node);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Diagnostics diags;
  ir::ProgramRef program = ir::program_from_bytes(text_of(data, size), ops::registry(), diags);
  if ((program == nullptr) != diags.has_errors()) abort();
  if (!program) {
    if (diags.text().empty()) abort();
    return 0;
  }
  Diagnostics again_diags;
  ir::ProgramRef again = ir::program_from_bytes(ir::to_bytes(program), ops::registry(), again_diags);
  if (!again || !ir::structurally_equal(program, again)) abort();
  if (ir::structural_hash(program) != ir::structural_hash(again)) abort();
  if (ir::as_python(program) != ir::as_python(again)) abort();
  if (ir::dump(program).empty()) abort();
  return 0;
}
