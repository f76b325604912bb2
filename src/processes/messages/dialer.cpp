#include "processes/messages/dialer.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/clock.h"
#include "support/diagnostics.h"

namespace tilewire::processes {
namespace {

constexpr uint64_t connect_ns = 2'000'000'000, reply_ns = 3'000'000'000;
constexpr long look_ns = 100'000'000;  // for what takes too long

}  // namespace

Dialer::Dialer(std::unique_ptr<Door> door, int32_t own, std::vector<std::string> names)
    : door_(std::move(door)),
      own_(own),
      names_(std::move(names)),
      states_(names_.size()),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  TW_CHECK(events_ >= 0 && timer_ >= 0, "no epoll or timer for connections between hosts");
  epoll_event event{};
  event.events = EPOLLIN;
  for (int descriptor : {door_->listener(), timer_}) {
    TW_CHECK(epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) == 0, "a door that cannot be watched");
  }
}

Dialer::~Dialer() {
  for (Call& call : calls_) hang_up(call);
  close(timer_);
  close(events_);
}

bool Dialer::dial(int32_t process) {
  State& state = states_[process];
  if (state == State::Dialing) return true;
  if (state != State::None || names_[process].empty()) return false;
  state = State::Dialing;
  Call& call = calls_.emplace_back(Call{.process = process});
  try_next(call, runtime::now_ns());
  arm(true);
  return true;
}

bool Dialer::poll(const Connected& connected, const Failed& failed) {
  uint64_t ticks;
  static_cast<void>(!::read(timer_, &ticks, sizeof ticks));
  accept();
  const uint64_t now_ns = runtime::now_ns();
  bool any = false;
  // A guest may end the call to the same process, before or behind its own.
  for (auto call = calls_.begin(); call != calls_.end();) {
    const bool is_guest = call->process < 0;
    const bool over = is_guest ? advance_guest(*call, connected) : advance(*call, now_ns, connected);
    const bool late = !over && now_ns >= call->until_ns && (is_guest || !try_next(*call, now_ns));
    if (late && !is_guest) {
      std::string tried;
      for (const Address& address : DoorName::read(names_[call->process]).addresses) {
        tried += (tried.empty() ? "" : ", ") + address.text();
      }
      states_[call->process] = State::Failed;
      failed(call->process, "no connection with it, tried at " + tried);
    }
    any |= over || late;
    if (over || late) hang_up(*call);
    call = over || late ? calls_.erase(call) : std::next(call);
  }
  if (calls_.empty()) arm(false);
  return any;
}

void Dialer::accept() {
  for (;;) {
    const int guest = accept4(door_->listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (guest < 0) return;
    const Call& call = calls_.emplace_back(Call{.socket = guest, .until_ns = runtime::now_ns() + reply_ns});
    watch(call, EPOLLIN, EPOLL_CTL_ADD);
    arm(true);
  }
}

bool Dialer::read(Call& call, size_t bytes) {
  char piece[sizeof(Greeting)];
  while (call.got.size() < bytes) {
    const ssize_t count = recv(call.socket, piece, std::min(sizeof piece, bytes - call.got.size()), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (count <= 0) return false;
    call.got.append(piece, static_cast<size_t>(count));
  }
  return true;
}

bool Dialer::advance(Call& call, uint64_t now_ns, const Connected& connected) {
  if (call.waits) return false;
  const DoorName name = DoorName::read(names_[call.process]);
  bool good = true;
  if (!call.greeted) {
    pollfd ready{call.socket, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0) return false;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(call.socket, SOL_SOCKET, SO_ERROR, &error, &size);
    const Greeting greeting{{name.password[0], name.password[1]}, static_cast<uint64_t>(own_)};
    good = error == 0 && send(call.socket, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting;
    call.greeted = true;
    call.until_ns = now_ns + reply_ns;
    if (good) watch(call, EPOLLIN, EPOLL_CTL_MOD);
  }
  good = good && read(call, sizeof name.reply);
  if (good && call.got.size() < sizeof name.reply) return false;
  if (!good || std::memcmp(call.got.data(), name.reply, sizeof name.reply) != 0) {
    call.until_ns = 0;  // the next address
    return false;
  }
  states_[call.process] = State::Connected;
  watch(call, 0, EPOLL_CTL_DEL);
  const int one = 1;
  setsockopt(call.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connected(call.process, std::exchange(call.socket, -1));
  return true;
}

bool Dialer::advance_guest(Call& guest, const Connected& connected) {
  Greeting greeting;
  if (!read(guest, sizeof greeting)) return true;
  if (guest.got.size() < sizeof greeting) return false;
  std::memcpy(&greeting, guest.got.data(), sizeof greeting);
  const DoorName& name = door_->own();
  if (std::memcmp(greeting.password, name.password, sizeof name.password) != 0) return true;
  if (greeting.process >= names_.size() || names_[greeting.process].empty()) return true;
  const auto process = static_cast<int32_t>(greeting.process);
  if (states_[process] == State::Connected || states_[process] == State::Failed) return true;
  const auto call =
      std::find_if(calls_.begin(), calls_.end(), [&](const Call& one) { return one.process == process; });
  if (call != calls_.end() && !call->waits && own_ > process) return true;  // that one stays
  if (send(guest.socket, name.reply, sizeof name.reply, MSG_NOSIGNAL) != sizeof name.reply) return true;
  if (call != calls_.end()) {
    hang_up(*call);
    call->process = -1;  // over as one of a guest that has gone
  }
  states_[process] = State::Connected;
  watch(guest, 0, EPOLL_CTL_DEL);
  const int one = 1;
  setsockopt(guest.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connected(process, std::exchange(guest.socket, -1));
  return true;
}

bool Dialer::try_next(Call& call, uint64_t now_ns) {
  hang_up(call);
  DoorName name = DoorName::read(names_[call.process]);
  call.greeted = false;
  call.got.clear();
  while (call.address < name.addresses.size()) {
    Address& address = name.addresses[call.address++];
    address.set_port(name.port);
    call.socket = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (call.socket < 0) continue;
    if (connect(call.socket, address.get(), address.size()) == 0 || errno == EINPROGRESS) {
      call.until_ns = now_ns + connect_ns;
      watch(call, EPOLLOUT, EPOLL_CTL_ADD);
      return true;
    }
    hang_up(call);
  }
  // It may be about to connect with us, and have refused our connection for that.
  call.until_ns = now_ns + reply_ns;
  return !std::exchange(call.waits, true);
}

void Dialer::watch(const Call& call, uint32_t events, int operation) {
  epoll_event event{};
  event.events = events;
  epoll_ctl(events_, operation, call.socket, &event);
}

void Dialer::hang_up(Call& call) {
  if (call.socket >= 0) close(call.socket);
  call.socket = -1;
}

void Dialer::arm(bool on) {
  const itimerspec every{{0, on ? look_ns : 0}, {0, on ? look_ns : 0}};
  timerfd_settime(timer_, 0, &every, nullptr);
}

}  // namespace tilewire::processes
