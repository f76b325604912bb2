#include "explorer.h"

#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "interp/delays.h"

namespace tilewire::check::test {
namespace {

using interp::AgentId;
using interp::CellUse;
using interp::Event;
using interp::StorageId;
using interp::TaskNo;
using interp::World;

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

using Known = std::set<uint32_t>;  // events that come before
using CellKey = std::pair<StorageId, int64_t>;

enum class Mode { Read, Write, Atomic, Look, Add, Set };

bool need_order(Mode a, Mode b) {
  auto cell = [](Mode m) { return m == Mode::Look || m == Mode::Add || m == Mode::Set; };
  auto reads = [](Mode m) { return m == Mode::Read || m == Mode::Look; };
  if (reads(a) && reads(b)) return false;
  if (a == Mode::Atomic && b == Mode::Atomic) return false;
  if (cell(a) && cell(b)) return false;  // two notifies: see is_lost
  return true;
}

bool is_lost(Mode a, Mode b) {
  auto writes = [](Mode m) { return m == Mode::Add || m == Mode::Set; };
  return writes(a) && writes(b) && (a == Mode::Set || b == Mode::Set);
}

struct Past {
  uint64_t name;
  uint64_t block;  // accesses of one block are ordered
  Mode mode;
  StorageId storage;
  interp::Box box;
  ir::DType dtype;
};

// Atomic updates are atomic among themselves where both are of the same elements.
bool same_elements(const Past& a, const Event& b) {
  return a.dtype == b.dtype && (a.box.offset - b.box.offset) % ir::bytes(b.dtype) == 0;
}

// Everything that decides the future: the world, and who knows what.
struct State {
  explicit State(World w) : world(std::move(w)) {}
  World world;
  std::vector<Past> past;
  std::map<AgentId, Known> known;
  std::map<AgentId, uint64_t> names, counts;
  std::map<TaskNo, uint64_t> task_names;
  std::map<TaskNo, Known> task_start, task_end;
  std::map<TaskNo, std::vector<TaskNo>> task_after;
  std::map<AgentId, std::vector<TaskNo>> submitted;
  std::map<AgentId, AgentId> issuers;           // of writes
  std::map<AgentId, std::set<AgentId>> issued;  // notifies that come before what an agent does next
  std::map<TaskNo, std::set<AgentId>> task_issued, end_issued;
  std::map<CellKey, Known> chains;
  std::map<CellKey, int64_t> values;
  std::map<std::pair<uint64_t, CellKey>, std::set<int64_t>> held;  // since an agent last used a cell
};

class Follow final : public interp::EventSink {
 public:
  Follow(State& state, Explored& result) : s_(state), result_(result) {}

  void on(const Event& e) override {
    switch (e.kind) {
      case Event::Kind::Submit: {
        uint64_t name = mix(name_of(e.agent), ++s_.counts[e.agent]);
        s_.task_names[e.task] = name;
        s_.task_start[e.task] = s_.known[e.agent];
        s_.task_issued[e.task] = s_.issued[e.agent];
        s_.task_after[e.task].assign(e.after.begin(), e.after.end());
        s_.submitted[e.agent].push_back(e.task);
        break;
      }
      case Event::Kind::Start:
        if (e.task == interp::no_task) break;
        learn(e.agent, s_.task_start[e.task]);
        expect(e.agent, s_.task_issued[e.task]);
        for (TaskNo earlier : s_.task_after[e.task]) {
          learn(e.agent, s_.task_end[earlier]);
          expect(e.agent, s_.end_issued[earlier]);
        }
        break;
      case Event::Kind::End:
        join_flights(e.agent);
        for (TaskNo child : s_.submitted[e.agent]) {
          learn(e.agent, s_.task_end[child]);
          expect(e.agent, s_.end_issued[child]);
        }
        s_.end_issued[e.task].insert(s_.issued[e.agent].begin(), s_.issued[e.agent].end());
        if (e.task != interp::no_task) {
          s_.task_end[e.task].insert(s_.known[e.agent].begin(), s_.known[e.agent].end());
        }
        break;
      case Event::Kind::Join:
        learn(e.agent, s_.task_end[e.task]);
        expect(e.agent, s_.end_issued[e.task]);
        break;
      case Event::Kind::Issue:
        issue(e);
        break;
      case Event::Kind::Access:
        use(e, e.access == ir::Access::Read     ? (e.cell ? Mode::Look : Mode::Read)
               : e.access == ir::Access::Atomic ? Mode::Atomic
                                                : Mode::Write);
        break;
      case Event::Kind::Signal:
        signal(e);
        break;
      case Event::Kind::Wait:
        use(e, Mode::Look);
        if (e.held) learn(e.agent, s_.chains[key(e)]);
        s_.held[{name_of(e.agent), key(e)}] = {s_.values[key(e)]};
        break;
      case Event::Kind::Update:
        learn(e.agent, s_.chains[key(e)]);
        if (e.held) {
          change(e, Mode::Add, e.agent, false);
        } else {
          use(e, Mode::Look);
          s_.held[{name_of(e.agent), key(e)}] = {s_.values[key(e)]};
        }
        break;
      default:
        break;
    }
  }

  uint64_t name_of(AgentId agent) {
    auto [at, added] = s_.names.emplace(agent, 0);
    if (added) {
      const interp::Agent& a = s_.world.agent(agent);
      at->second =
          mix(a.task == interp::no_task ? 1 : s_.task_names[a.task], static_cast<uint64_t>(a.block) + 1000);
    }
    return at->second;
  }

 private:
  static CellKey key(const Event& e) { return {e.storage, e.box.offset}; }
  void learn(AgentId agent, const Known& more) { s_.known[agent].insert(more.begin(), more.end()); }

  // A remote write comes before the next notify, and the end, of its block.
  void join_flights(AgentId agent) {
    for (auto [flight, issuer] : s_.issuers) {
      if (issuer == agent) learn(agent, s_.known[flight]);
    }
  }

  // Notifies that come before what the agent does next, landed or not.
  void expect(AgentId agent, const std::set<AgentId>& notifies) {
    s_.issued[agent].insert(notifies.begin(), notifies.end());
    for (AgentId flight : notifies) learn(agent, s_.known[flight]);
  }

  void issue(const Event& e) {
    const bool notify = e.access == ir::Access::Signal;
    if (notify) join_flights(e.agent);  // what has been put comes before a notify
    s_.names[e.flight] = mix(name_of(e.agent), mix(77, ++s_.counts[e.agent]));
    s_.known[e.flight] = s_.known[e.agent];
    if (!notify) {
      s_.issuers[e.flight] = e.agent;
      return;
    }
    // Those of one release know nothing of each other.
    for (AgentId earlier : s_.issued[e.agent]) {
      if (earlier + e.joint < e.flight || earlier > e.flight) s_.issued[e.flight].insert(earlier);
    }
    s_.issued[e.agent].insert(e.flight);
  }

  void signal(const Event& e) {
    change(e, e.set ? Mode::Set : Mode::Add, e.flight ? e.flight : e.agent, e.set);
  }

  // A release that is there now. `anew`: what the cell has told before counts no more.
  void change(const Event& e, Mode mode, AgentId actor, bool anew) {
    if (!e.flight) join_flights(e.agent);
    expect(actor, std::set<AgentId>(s_.issued[actor]));
    use(e, mode, actor);
    Known& chain = s_.chains[key(e)];
    if (anew) chain.clear();
    chain.insert(s_.known[actor].begin(), s_.known[actor].end());
    if (e.flight) {
      for (auto& [who, notifies] : s_.issued) {
        if (notifies.count(e.flight)) learn(who, s_.known[e.flight]);
      }
    }
    s_.values[key(e)] = e.value;
    for (auto& [who, values] : s_.held) {
      if (who.second == key(e)) values.insert(e.value);
    }
    s_.held[{name_of(e.agent), key(e)}] = {e.value};
    s_.held[{0, key(e)}].insert({0, e.value});  // ever, by whomever
  }

  void use(const Event& e, Mode mode) { use(e, mode, e.agent); }

  // `actor`: whose knowledge counts, a notify that lands late its own.
  void use(const Event& e, Mode mode, AgentId actor) {
    uint64_t block = name_of(e.agent);
    if (auto flight = s_.issuers.find(e.agent); flight != s_.issuers.end()) block = name_of(flight->second);
    const Known& known = s_.known[actor];
    for (uint32_t i = 0; i < s_.past.size(); ++i) {
      const Past& other = s_.past[i];
      if (other.storage != e.storage || other.block == block || known.count(i)) continue;
      if (!overlap(other.box, e.box)) continue;
      if (is_lost(other.mode, mode)) result_.lost = true;
      if (need_order(other.mode, mode)) result_.race = true;
      if (other.mode == Mode::Atomic && mode == Mode::Atomic && !same_elements(other, e)) result_.race = true;
    }
    const auto index = static_cast<uint32_t>(s_.past.size());
    s_.past.push_back({mix(name_of(actor), ++s_.counts[actor]), block, mode, e.storage, e.box, e.dtype});
    s_.known[actor].insert(index);
  }

  State& s_;
  Explored& result_;
};

class Explorer {
 public:
  explicit Explorer(size_t limit) : limit_(limit) {}

  Explored go(State start) {
    std::vector<State> stack;
    stack.push_back(std::move(start));
    while (!stack.empty()) {
      State state = std::move(stack.back());
      stack.pop_back();
      if (!seen_.insert(fingerprint(state)).second) continue;
      if (++result_.states > limit_) return result_;
      std::vector<AgentId> runnable(state.world.runnable().begin(), state.world.runnable().end());
      if (runnable.empty()) {
        if (!state.world.finished()) judge(state);
        continue;
      }
      for (AgentId agent : runnable) {
        State next = state;
        Follow follow(next, result_);
        next.world.step(agent, &follow);
        if (next.world.error()) continue;
        stack.push_back(std::move(next));
      }
    }
    result_.complete = true;
    return result_;
  }

 private:
  void judge(State& state) {
    bool overtaken = false;
    for (AgentId agent : state.world.blocked()) {
      for (const CellUse& use : state.world.next_cells(agent)) {
        if (use.kind != CellUse::Kind::Wait || use.cmp != ir::WaitCmp::Eq) continue;
        auto cell = CellKey(use.storage, use.offset);
        auto held = state.held.find({state.names[agent], cell});
        // An agent that never used the cell: everything it ever held.
        std::set<int64_t> values = held != state.held.end() ? held->second : all_values(state, cell);
        overtaken |= values.count(use.value) > 0;
      }
    }
    (overtaken ? result_.overshot : result_.deadlock) = true;
  }

  // Under the name 0, which no agent has.
  static std::set<int64_t> all_values(const State& state, const CellKey& cell) {
    auto found = state.held.find({0, cell});
    return found == state.held.end() ? std::set<int64_t>{0} : found->second;
  }

  static uint64_t known_hash(const State& state, const Known& known) {
    uint64_t sum = 0;
    for (uint32_t i : known) sum += mix(state.past[i].name, 5);
    return sum;
  }

  static uint64_t value_hash(const State& state, const interp::Value& value) {
    if (const interp::Scalar* s = value.scalar()) return mix(3, static_cast<uint64_t>(s->i));
    if (const interp::Future* f = value.future()) return mix(4, state.task_names.at(f->task));
    return value.v.index();
  }

  static uint64_t fingerprint(State& state) {
    Explored ignored;
    Follow names(state, ignored);
    uint64_t sum = 0;
    for (AgentId id = 0; id < state.world.agent_count(); ++id) {
      const interp::Agent& agent = state.world.agent(id);
      uint64_t h = mix(names.name_of(id), agent.started);
      h = mix(h, agent.part);
      h = mix(h, agent.flight != nullptr);
      for (const interp::Frame& frame : agent.frames) {
        h = mix(h, frame.pc);
        for (const interp::Value& value : frame.registers) h = mix(h, value_hash(state, value));
      }
      h = mix(h, mix(agent.polls.round_begins, static_cast<uint64_t>(agent.polls.repeated)));
      for (const auto& round : agent.polls.rounds) h = mix(h, mix(round.state.hash, round.first_look));
      for (const auto& look : agent.polls.looks) {
        h = mix(
            h, mix(mix(look.storage, static_cast<uint64_t>(look.offset)), static_cast<uint64_t>(look.value)));
      }
      sum += mix(h, known_hash(state, state.known[id]));
    }
    for (const auto& [cell, chain] : state.chains) {
      sum += mix(mix(cell.first, cell.second), known_hash(state, chain));
    }
    for (const auto& [task, known] : state.task_end) {
      sum += mix(state.task_names[task], known_hash(state, known));
    }
    for (const auto& [cell, value] : state.values) sum += mix(mix(cell.first, cell.second) + 9, value);
    for (const auto& [who, values] : state.held) {
      uint64_t h = mix(mix(who.first, who.second.first), who.second.second);
      for (int64_t value : values) h = mix(h, static_cast<uint64_t>(value));
      sum += h;
    }
    return sum;
  }

  size_t limit_;
  std::unordered_set<uint64_t> seen_;
  Explored result_;
};

}  // namespace

std::string Explored::text() const {
  std::string words;
  if (race) words += " race";
  if (lost) words += " lost";
  if (deadlock) words += " deadlock";
  if (overshot) words += " overshot";
  return words.empty() ? " nothing" : words;
}

Explored explore(const ir::ProgramRef& program, const std::string& entry, int ranks, size_t limit, int calls,
                 interp::Late late) {
  Diagnostics diags;
  auto image = interp::Image::make(program, entry, diags);
  interp::Options options;
  options.ranks = ranks;
  options.calls = calls;
  options.granularity = interp::Granularity::Access;
  options.full_order = true;
  options.in_flight = true;
  options.late_notifies = late;
  options.delays = std::make_shared<interp::Delays>(*image, [](const interp::Instr&) { return true; });
  options.detach = true;
  World world(image, options);
  if (interp::start(world, *program->find(entry), {})) return {};
  return Explorer(limit).go(State(std::move(world)));
}

}  // namespace tilewire::check::test
