// How a process joins the others: who is near it and shares memory, and channels to all others.
#include <sched.h>

#include <algorithm>
#include <new>

#include "abi/abi.h"
#include "processes/bytes.h"
#include "processes/desk.h"
#include "processes/messages/dialer.h"
#include "processes/messages/mpi_engine.h"
#include "processes/messages/socket_engine.h"
#include "processes/mpi.h"
#include "processes/process_world.h"
#include "runtime/run_state.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::processes {

std::unique_ptr<ProcessWorld> ProcessWorld::join(Seat seat, std::optional<Failure>& problem) {
  std::unique_ptr<ProcessWorld> world(new ProcessWorld());
  const std::string host = seat.host;
  Mpi* mpi = seat.mpi;
  world->control_ = std::make_unique<Control>(std::move(seat), *world);
  world->control_->start();
  return world->open_desks(host, problem) && world->open_channels(mpi, problem) ? std::move(world) : nullptr;
}

bool ProcessWorld::open_desks(const std::string& host, std::optional<Failure>& problem) {
  static_assert(offsetof(Desk, check) == SharedFile::check_offset);
  std::string why;
  own_desk_ = SharedFile::make(sizeof(Desk), why);
  std::byte* own = own_desk_.open() ? own_desk_.map(0, sizeof(Desk)) : nullptr;
  if (own) new (own) Desk;  // the check stays
  const cpu_set_t cpus = runtime::allowed_cpus();
  Writer to;
  write_name(to, own ? own_desk_.name() : SharedFileName());
  to.number(cpus);
  to.text(host);
  auto all = gather(to.take(), {{"ABI", std::to_string(abi::version)}});
  desks_.assign(static_cast<size_t>(processes()), nullptr);
  desks_[process()] = reinterpret_cast<Desk*>(own);
  if (!all) {
    problem = refusal_;
    return false;
  }
  std::vector<cpu_set_t> their_cpus;
  std::vector<uint8_t> reached;
  for (int32_t p = 0; p < processes(); ++p) {
    Reader from((*all)[p]);
    const SharedFileName name = read_name(from);
    their_cpus.push_back(from.number<cpu_set_t>());
    std::string unreachable;
    if (p != process() && from.text() == host) {
      const SharedFile file = SharedFile::of(name, unreachable);
      desks_[p] = reinterpret_cast<Desk*>(file.open() ? file.map(0, sizeof(Desk)) : nullptr);
    }
    reached.push_back(desks_[p] != nullptr);
  }
  if (why.empty()) use_mail(true);
  // All have mapped the desks that they can reach, or none goes on. Two are near if each reaches the other.
  Writer second;
  second.text(why);
  second.list(reached, [&](uint8_t one) { second.number(one); });
  auto answers = gather(second.take());
  own_desk_ = SharedFile();
  std::vector<std::string> problems;
  std::vector<std::vector<uint8_t>> reach;
  for (size_t p = 0; answers && p < answers->size(); ++p) {
    Reader from((*answers)[p]);
    problems.push_back(from.text());
    std::vector<uint8_t>& theirs = reach.emplace_back();
    from.list([&] { theirs.push_back(from.number<uint8_t>()); });
    theirs.resize(static_cast<size_t>(processes()));
  }
  if (!answers || refused_for(problems)) {
    problem = refusal_;
    return false;
  }
  cpu_set_t used;
  CPU_ZERO(&used);
  sharers_ = 0;
  for (int32_t p = 0; p < processes(); ++p) {
    auto are_near = [&](int32_t a, int32_t b) { return a == b || (reach[a][b] && reach[b][a]); };
    int32_t first = 0;
    while (!are_near(p, first)) ++first;
    hosts_.push_back(first);
    for (int32_t q = 0; q < p; ++q) some_are_far_ |= !are_near(p, q);
    far_.push_back(!are_near(p, process()));
    if (far_.back()) continue;
    cpu_set_t common;
    CPU_AND(&common, &cpus, &their_cpus[p]);
    CPU_OR(&used, &used, &their_cpus[p]);
    sharers_ += CPU_COUNT(&common) > 0;
  }
  const auto near = std::count(far_.begin(), far_.end(), false);
  spin_ns_ = near <= CPU_COUNT(&used) ? 20'000 : 0;
  use_mail(false);
  return true;
}

bool ProcessWorld::open_channels(Mpi* mpi, std::optional<Failure>& problem) {
  if (!some_are_far_) return true;
  std::unique_ptr<Engine> engine;
  if (mpi) {
    // In all of them, or none.
    const auto answers = gather(mpi->carries_messages() ? "" : "sockets");
    if (!answers) {
      problem = refusal_;
      return false;
    }
    const bool all =
        std::all_of(answers->begin(), answers->end(), [](const auto& one) { return one.empty(); });
    if (all) engine = std::make_unique<MpiEngine>(mpi->calls(), processes());
  }
  if (!engine) engine = connect_sockets(problem);
  if (!engine) return false;
  auto alarm = [this, control = control_.get()] {
    cut_ = true;
    control->poke();
  };
  channels_ =
      std::make_unique<Channels>(std::move(engine), processes(), desks_[process()]->bell, local_regions_,
                                 alarm, [control = control_.get()] { control->poke(); });
  channels_->on_written_cells([this] { ring(process()); });
  served_ = channels_.get();
  control_->poke();
  return true;
}

// Nobody connects yet: most processes never have anything to say to most others.
std::unique_ptr<Engine> ProcessWorld::connect_sockets(std::optional<Failure>& problem) {
  std::string why;
  std::unique_ptr<Door> door;
  {
    Lock lock(control_->mutex());  // the other end may end now
    door = std::make_unique<Door>(control_->address_socket(), why);
  }
  Writer to;
  to.text(why);
  to.text(why.empty() ? door->name() : "");
  const auto all = gather(to.take());
  std::vector<std::string> problems, names;
  for (size_t p = 0; all && p < all->size(); ++p) {
    Reader from((*all)[p]);
    problems.push_back(from.text());
    names.push_back(far_[p] ? from.text() : "");
  }
  if (!all || refused_for(problems, diag::run_no_channel)) {
    problem = refusal_;
    return nullptr;
  }
  return std::make_unique<SocketEngine>(
      std::make_unique<Dialer>(std::move(door), process(), std::move(names)), processes());
}

void ProcessWorld::use_mail(bool receives) {
  Lock lock(control_->mutex());
  const bool leads = process() == 0;
  for (int32_t p = 1; p < processes(); ++p) {
    if (!leads && p != process()) continue;
    const int32_t other = leads ? p : 0;
    if (receives ? !desks_[p] : far_[other]) continue;
    Stream& stream = control_->stream(other);
    Desk& desk = *desks_[p];
    if (receives) {
      stream.receive_mail(leads ? desk.to_leader : desk.from_leader);
    } else {
      stream.send_mail(leads ? desk.from_leader : desk.to_leader, desks_[other]->attended);
    }
  }
  attends_ = !receives;
}

}  // namespace tilewire::processes
