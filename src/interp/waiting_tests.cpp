#include "interp/waiting_tests.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "interp/op_table.h"
#include "ops/handles.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// The origin of a register's value: a register before the test, or something computed since.
struct Content {
  enum class Kind : uint8_t { Before, Answer, Seen } kind = Kind::Before;
  Slot slot = no_slot;  // of Before
  bool answer = false;
  bool operator==(const Content&) const = default;
};

// An agent on its way from a test to the first instruction that does more than pass the answer on.
class Way {
 public:
  Way(const Code& code, uint32_t test, bool answer) : code_(code), pc_(test + 1) {
    put(code.instrs[test].dst, {Content::Kind::Answer, no_slot, answer});
  }

  uint32_t pc() const { return pc_; }
  const Instr& next() const { return code_.instrs[pc_]; }

  // False where the next instruction does more.
  bool go_on() {
    const Instr& instr = next();
    switch (instr.code) {
      case Opcode::Op: {
        if (static_cast<const Call&>(*instr.node).op != ops::pl::scalar::not_) return false;
        const Operand& operand = code_.operands[instr.first];
        const std::optional<bool> answer = answer_in(code_.slots[operand.first]);
        if (!answer) return false;
        put(instr.dst, {Content::Kind::Answer, no_slot, !*answer});
        break;
      }
      case Opcode::Move:
        put(instr.dst, in(instr.a));
        break;
      case Opcode::Round:
        break;
      case Opcode::Jump:
        pc_ = instr.target;
        return true;
      case Opcode::JumpIfNot: {
        const std::optional<bool> answer = answer_in(instr.a);
        if (!answer) return false;
        pc_ = *answer ? pc_ + 1 : instr.target;
        return true;
      }
      default:
        return false;
    }
    ++pc_;
    return true;
  }

  void pass_wait() {
    put(next().dst, {Content::Kind::Seen, no_slot, false});
    ++pc_;
  }

  // Whether the next instruction asks what `test` asks.
  bool asks_the_same(const Instr& test) const {
    if (next().count != test.count) return false;
    for (uint32_t i = 0; i < test.count; ++i) {
      const Operand &asked = code_.operands[test.first + i], &here = code_.operands[next().first + i];
      if (asked.count != here.count) return false;
      for (uint32_t k = 0; k < asked.count; ++k) {
        const Slot slot = code_.slots[asked.first + k];
        if (in(code_.slots[here.first + k]) != Content{Content::Kind::Before, slot, false}) return false;
      }
    }
    return static_cast<const Call&>(*test.node).attrs == static_cast<const Call&>(*next().node).attrs;
  }

  // Whether everything that still matters is as it was before the test.
  bool changed_nothing() const { return same_live({}); }
  bool meets(const Way& other) const { return pc_ == other.pc_ && same_live(other.contents_); }

 private:
  using Contents = std::map<Slot, Content>;

  static Content in(const Contents& contents, Slot slot) {
    auto found = contents.find(slot);
    return found == contents.end() ? Content{Content::Kind::Before, slot, false} : found->second;
  }
  Content in(Slot slot) const { return in(contents_, slot); }
  void put(Slot slot, Content content) { contents_[slot] = content; }
  std::optional<bool> answer_in(Slot slot) const {
    const Content content = in(slot);
    return content.kind == Content::Kind::Answer ? std::optional(content.answer) : std::nullopt;
  }

  bool same_live(const Contents& other) const {
    const std::vector<bool>& live = code_.liveness().at(pc_);
    auto same = [&](const auto& written) {
      const Slot slot = written.first;
      return !live[slot] || in(slot) == in(other, slot);
    };
    return std::all_of(contents_.begin(), contents_.end(), same) &&
           std::all_of(other.begin(), other.end(), same);
  }

  const Code& code_;
  uint32_t pc_;
  Contents contents_;
};

constexpr int longest_way = 64;

bool is_wait_for(const Instr& instr, const Instr& test) {
  if (instr.code != Opcode::Op) return false;
  const Op* asks = static_cast<const Call&>(*test.node).op;
  const Op* waits = static_cast<const Call&>(*instr.node).op;
  return asks == ops::pld::system::test ? waits == ops::pld::system::wait : waits == ops::pl::tile::comm_wait;
}

// Of a cell that only grows the answer stays yes. And an equality that has been overtaken is an error of its
// own, which is told by the look before.
bool asks_for_at_least(const Instr& test) {
  const AttrValue* cmp = find_attr(static_cast<const Call&>(*test.node).attrs, "cmp");
  if (!cmp) return true;
  const auto asked = static_cast<WaitCmp>(cmp->get<EnumValue>()->value);
  return asked == WaitCmp::Ge || asked == WaitCmp::Gt;
}

bool waits(const Code& code, uint32_t test) {
  const Instr& asks = code.instrs[test];
  if (!asks_for_at_least(asks)) return false;
  Way no(code, test, false);
  for (int i = 0; i < longest_way && no.go_on(); ++i) {
    if (no.pc() == test) return no.changed_nothing();
  }
  if (!is_wait_for(no.next(), asks) || !no.asks_the_same(asks)) return false;
  no.pass_wait();
  std::vector<Way> after_yes{Way(code, test, true)};
  for (int i = 0; i < longest_way; ++i) {
    Way further = after_yes.back();
    if (!further.go_on()) break;
    after_yes.push_back(std::move(further));
  }
  for (int i = 0; i < longest_way; ++i) {
    for (const Way& yes : after_yes) {
      if (yes.meets(no)) return true;
    }
    if (!no.go_on()) return false;
  }
  return false;
}

}  // namespace

WaitingTests::WaitingTests(const Image& image) {
  for (const auto& code : image.codes()) {
    for (uint32_t pc = 0; pc < code->instrs.size(); ++pc) {
      const Instr& instr = code->instrs[pc];
      if (instr.code == Opcode::Op && instr.entry->polls && waits(*code, pc)) tests_.insert(instr.node);
    }
  }
}

}  // namespace tilewire::interp
