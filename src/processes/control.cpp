#include "processes/control.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/ready_queue.h"
#include "runtime/run_state.h"

namespace tilewire::processes {
namespace {

// So long a process that leaves goes on sending what others have not taken yet.
constexpr uint64_t farewell_ns = 1'000'000'000;
constexpr uint64_t own_sleep_ns = 1'000'000'000;  // as in the leader

// A process is in one world at most.
std::atomic<Control*> current{nullptr};

void note(const std::string& text) {
  std::fprintf(stderr, "tilewire: %s\n", text.c_str());
}

}  // namespace

// The streams belong to the parent: while a child holds them, nobody would notice the parent's end.
void Control::forget_in_child() {
  Control* control = current.exchange(nullptr);
  if (!control) return;
  control->forked_ = true;
  for (Stream& stream : control->streams_) {
    if (stream.open()) close(stream.fd());
  }
}

Control::Control(Seat seat, Listener& listener)
    : process_(seat.process),
      processes_(seat.processes),
      limits_(seat.limits),
      listener_(listener),
      streams_(static_cast<size_t>(seat.processes)) {
  TW_CHECK(!current.load(), "a process that is in two worlds");
  static const int registered = pthread_atfork(nullptr, nullptr, forget_in_child);
  static_cast<void>(registered);
  for (size_t i = 0; i < seat.streams.size(); ++i) {
    streams_[process_ == 0 ? i + 1 : 0] = std::move(seat.streams[i]);
  }
  if (process_ == 0) {
    leader_.emplace(
        processes_, [this](int32_t to, const Message& message) { send(to, message); }, note, limits_);
  }
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  TW_CHECK(wake_ >= 0, "no eventfd for the control thread");
  heard_ns_ = ticked_ns_ = runtime::now_ns();
  current = this;
}

void Control::start() {
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Control::~Control() {
  leave();
}

void Control::leave() {
  if (std::exchange(left_, true)) return;
  if (forked()) {
    thread_.detach();  // there is none
    close(wake_);
    for (Stream& stream : streams_) stream = Stream();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    if (process_ == 0) {
      for (int32_t p = 1; p < processes_; ++p) streams_[p].send({.kind = Message::Kind::Bye});
    } else {
      streams_[0].send({.kind = Message::Kind::Bye});
    }
    leaving_ = true;
  }
  poke();
  thread_.join();
  close(wake_);
  current = nullptr;
}

void Control::poke() {
  const uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof one));
}

void Control::send(int32_t process, const Message& message) {
  if (process == process_) {
    to_here_.push_back(message);
    return;
  }
  streams_[process].send(message);
  if (streams_[process].has_unsent()) poke();
}

void Control::say(Message&& message) {
  if (process_ != 0) {
    send(0, message);
    return;
  }
  to_leader_.push_back(std::move(message));
  deliver();
}

// What process 0 has told itself. One message may lead to others; they are heard in order.
void Control::deliver() {
  if (delivering_) return;
  delivering_ = true;
  while (!to_leader_.empty() || !to_here_.empty()) {
    if (!to_leader_.empty()) {
      Message message = std::move(to_leader_.front());
      to_leader_.pop_front();
      leader_->hear(0, std::move(message), runtime::now_ns());
    } else {
      Message message = std::move(to_here_.front());
      to_here_.pop_front();
      listener_.hear(std::move(message));
    }
  }
  delivering_ = false;
}

bool Control::has_unsent() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const Stream& s) { return s.has_unsent(); });
}

void Control::tick(uint64_t now_ns) {
  if (leader_) {
    leader_->tick(now_ns);
    deliver();
  } else if (streams_[0].open()) {
    // Kept from running itself, this process could not hear.
    if (!listener_.waits() || now_ns - ticked_ns_ > own_sleep_ns) heard_ns_ = now_ns;
    if (now_ns - heard_ns_ > limits_.silence_ns) {
      streams_[0].close();
      listener_.leader_gone(limits_.silence());
    }
  }
  ticked_ns_ = now_ns;
}

// Everything that has arrived.
void Control::listen() {
  for (int32_t p = 0; p < processes_; ++p) {
    if (!streams_[p].open()) continue;
    streams_[p].flush();
    if (!leaving_) listen(p, From::Socket);
  }
}

void Control::listen(int32_t process, From from) {
  Stream& stream = streams_[process];
  const auto hear = [&](Message&& message) {
    heard_ns_ = runtime::now_ns();
    if (leader_) {
      leader_->hear(process, std::move(message), heard_ns_);
      deliver();
    } else {
      listener_.hear(std::move(message));
    }
  };
  const bool open = from == From::Socket ? stream.receive(hear) : stream.take_mail(hear);
  if (open || !stream.open()) return;
  const char* how = stream.garbled() ? makes_no_sense : "it has ended";
  stream.close();
  if (leader_) {
    leader_->gone(process, how);
    deliver();
  } else {
    listener_.leader_gone(how);
  }
}

void Control::attend(std::unique_lock<std::mutex>& lock, std::atomic<uint32_t>& attended,
                     const std::function<bool()>& ready, uint64_t limit_ns, bool gives_way) {
  constexpr int looks = 50;
  const auto has_mail = [&] {
    return std::any_of(streams_.begin(), streams_.end(), [](const Stream& s) { return s.has_mail(); });
  };
  const auto take_mail = [&] {
    for (int32_t p = 0; p < processes_; ++p) {
      if (streams_[p].open() && streams_[p].has_mail()) listen(p, From::Mail);
    }
  };
  attended = 1;
  const uint64_t until_ns = runtime::now_ns() + limit_ns;
  do {
    take_mail();
    if (ready()) break;
    lock.unlock();
    for (int i = 0; i < looks && !has_mail(); ++i) {
      if (gives_way) {
        sched_yield();
        if (runtime::now_ns() >= until_ns) break;
      } else {
        runtime::SpinLock::pause();
      }
    }
    lock.lock();
  } while (runtime::now_ns() < until_ns);
  attended = 0;
  take_mail();
}

void Control::work() {
  uint64_t leaves_ns = 0;
  bool served = false;  // the descriptor of messages about memory was readable
  for (;;) {
    const Listener::Service service = listener_.serve(served);
    std::vector<pollfd> waits{{wake_, POLLIN, 0}, {service.descriptor, POLLIN, 0}};
    uint64_t sleep_ns = std::min(limits_.tick_ns(), service.pause_ns.value_or(UINT64_MAX));
    {
      std::lock_guard lock(mutex_);
      const uint64_t now_ns = runtime::now_ns();
      if (leaving_ && leaves_ns == 0) leaves_ns = now_ns + farewell_ns;
      if (leaving_ && (!has_unsent() || now_ns >= leaves_ns)) break;
      // Always: whoever begins to wait for others does not wake this thread for it.
      if (now_ns - ticked_ns_ >= limits_.tick_ns()) tick(now_ns);
      if (auto later = listener_.look(now_ns)) sleep_ns = std::min(sleep_ns, *later);
      for (const Stream& stream : streams_) {
        if (!stream.open()) continue;
        const short events = (leaving_ ? 0 : POLLIN) | (stream.has_unsent() ? POLLOUT : 0);
        waits.push_back({stream.fd(), events, 0});
      }
    }
    const timespec time{static_cast<time_t>(sleep_ns / 1'000'000'000),
                        static_cast<long>(sleep_ns % 1'000'000'000)};
    ppoll(waits.data(), waits.size(), &time, nullptr);
    served = waits[1].revents != 0;
    uint64_t pokes;
    static_cast<void>(!read(wake_, &pokes, sizeof pokes));
    std::lock_guard lock(mutex_);
    listen();
  }
}

}  // namespace tilewire::processes
