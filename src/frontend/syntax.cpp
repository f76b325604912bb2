#include "frontend/syntax.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tilewire::frontend {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Names are short: one multiplication for each eight bytes.
uint32_t hash_name(std::string_view name) {
  constexpr uint64_t first = 0x9E3779B97F4A7C15, second = 0xD6E8FEB86659FD93;
  uint64_t hash = first ^ name.size();
  const char* bytes = name.data();
  size_t left = name.size();
  for (; left > 8; left -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = mix(hash ^ word, second);
  }
  uint64_t word = 0;
  if (left >= 4) {
    uint32_t low, high;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + left - 4, 4);
    word = low | static_cast<uint64_t>(high) << 32;
  } else if (left > 0) {
    auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])); };
    word = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  hash = mix(hash ^ word, second);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

constexpr std::string_view operator_spellings[] = {
    "+", "-", "*",   "/",  "//", "%", "**", "@", "&",  "|",  "^",      "<<", ">>",     "-",
    "+", "~", "not", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
};
static_assert(std::size(operator_spellings) == static_cast<size_t>(Operator::NotIn) + 1);

}  // namespace

void NodeArena::refill(size_t bytes) {
  constexpr size_t usual = 1 << 18;
  if (piece_ == pieces_.size() || pieces_[piece_].size < bytes) {
    size_t size = std::max(bytes, usual);
    pieces_.insert(pieces_.begin() + static_cast<ptrdiff_t>(piece_),
                   {std::make_unique_for_overwrite<std::byte[]>(size), size});
  }
  next_ = pieces_[piece_].bytes.get();
  limit_ = next_ + pieces_[piece_].size;
  ++piece_;
}

void NodeArena::rewind(const Mark& mark) {
  piece_ = mark.piece;
  next_ = mark.next;
  limit_ = piece_ == 0 ? nullptr : pieces_[piece_ - 1].bytes.get() + pieces_[piece_ - 1].size;
}

std::string_view NodeArena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* place = static_cast<char*>(allocate(text.size()));
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

std::string_view spelling(Operator op) {
  return operator_spellings[static_cast<size_t>(op)];
}

std::string_view SyntaxTree::text(const Range& range) const {
  const char* begin = file->line(range.begin.line).data();
  const char* end = file->line(range.end.line).data();
  if (!begin || !end || range.begin.column == 0 || range.end.column == 0) return {};
  begin += range.begin.column - 1;
  end += range.end.column - 1;
  const char* limit = file->text().data() + file->text().size();
  end = std::min(end, limit);
  return begin < end ? std::string_view(begin, end - begin) : std::string_view();
}

void SyntaxTree::grow() {
  std::vector<Slot> bigger(std::max<size_t>(512, slots_.size() * 2));
  size_t mask = bigger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.symbol == 0) continue;
    size_t at = slot.hash & mask;
    while (bigger[at].symbol != 0) at = (at + 1) & mask;
    bigger[at] = slot;
  }
  slots_ = std::move(bigger);
}

Symbol SyntaxTree::intern(std::string_view name) {
  if (name.empty()) return 0;
  if (names_.size() * 2 >= slots_.size()) grow();
  uint32_t hash = hash_name(name);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at].symbol != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && names_[slots_[at].symbol] == name) return slots_[at].symbol;
  }
  const std::string& source = file->text();
  if (std::less<>()(name.data(), source.data()) ||
      !std::less<>()(name.data(), source.data() + source.size())) {
    name = copied_names_.emplace_back(name);
  }
  Symbol symbol = static_cast<Symbol>(names_.size());
  names_.push_back(name);
  slots_[at] = {hash, symbol};
  return symbol;
}

}  // namespace tilewire::frontend
