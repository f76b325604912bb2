#include "processes/messages/socket_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "support/diagnostics.h"

namespace tilewire::processes {
namespace {

constexpr size_t buffer_bytes = 4 * Engine::longest_packet;
constexpr int frames_at_once = 8;
// So much of one process before the others get their turn.
constexpr size_t turn_bytes = 4 << 20;
constexpr uint32_t of_dialer = UINT32_MAX;  // an event

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

SocketEngine::SocketEngine(const std::vector<int>& sockets)
    : events_(epoll_create1(EPOLL_CLOEXEC)), peers_(sockets.size()) {
  TW_CHECK(events_ >= 0, "no epoll for the sockets between hosts");
  for (size_t p = 0; p < sockets.size(); ++p) {
    if (sockets[p] >= 0) attach(static_cast<int32_t>(p), sockets[p]);
  }
}

SocketEngine::SocketEngine(std::unique_ptr<Dialer> dialer, int32_t processes)
    : SocketEngine(std::vector<int>(static_cast<size_t>(processes), -1)) {
  dialer_ = std::move(dialer);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = of_dialer;
  TW_CHECK(epoll_ctl(events_, EPOLL_CTL_ADD, dialer_->descriptor(), &event) == 0,
           "a dialer that cannot be watched");
}

void SocketEngine::attach(int32_t process, int socket) {
  Peer& peer = peers_[process];
  peer.socket = socket;
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = static_cast<uint32_t>(process);
  TW_CHECK(epoll_ctl(events_, EPOLL_CTL_ADD, socket, &event) == 0, "a socket that cannot be watched");
}

SocketEngine::~SocketEngine() {
  close();
  ::close(events_);
}

void SocketEngine::close() {
  dialer_.reset();
  for (Peer& peer : peers_) shut(peer);
}

void SocketEngine::shut(Peer& peer) {
  if (peer.socket >= 0) ::close(peer.socket);
  peer.socket = -1;
  begin_ = end_ = 0;
  peer.out.clear();
  peer.waiting_bytes = 0;
  peer.left = peer.sent;
  peer.bulk_left = 0;
}

uint64_t SocketEngine::send(int32_t to, std::string packet, std::span<const std::byte> bulk) {
  Peer& peer = peers_[to];
  const uint64_t number = ++peer.sent;
  TW_CHECK(packet.size() <= longest_packet, "a packet that is too long");
  if (peer.socket < 0 && !(dialer_ && dialer_->dial(to))) {
    peer.left = number;
    return number;
  }
  const Prefix prefix{mark, static_cast<uint32_t>(packet.size()), bulk.size()};
  const Frame& frame = peer.out.emplace_back(Frame{prefix, std::move(packet), bulk});
  peer.waiting_bytes += frame.bytes();
  if (peer.out.size() == 1 && peer.socket >= 0) flush(to);
  return number;
}

// Connections that are there now, or cannot be.
bool SocketEngine::dial(Receiver& receiver) {
  return dialer_->poll(
      [&](int32_t process, int socket) {
        attach(process, socket);
        if (!peers_[process].out.empty()) flush(process);
      },
      [&](int32_t process, const std::string& how) {
        shut(peers_[process]);
        receiver.gone(process, how);
      });
}

bool SocketEngine::flush(int32_t to) {
  Peer& peer = peers_[to];
  bool any = false;
  while (!peer.out.empty()) {
    std::array<iovec, 3 * frames_at_once> parts;
    size_t count = 0;
    size_t asked = 0;
    for (auto frame = peer.out.begin(); frame != peer.out.end() && count + 3 <= parts.size(); ++frame) {
      size_t skip = frame->sent;
      auto add = [&](const void* bytes, size_t size) {
        const size_t skipped = std::min(skip, size);
        skip -= skipped;
        if (skipped == size) return;
        parts[count++] = {const_cast<char*>(static_cast<const char*>(bytes)) + skipped, size - skipped};
        asked += size - skipped;
      };
      add(&frame->prefix, sizeof frame->prefix);
      add(frame->packet.data(), frame->packet.size());
      add(frame->bulk.data(), frame->bulk.size());
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t result = sendmsg(peer.socket, &message, MSG_NOSIGNAL);
    if (result < 0) {
      if (errno == EINTR) continue;
      if (would_block()) break;
      // The other end is gone, and `receive` notices. What was to be sent does not matter any more.
      peer.out.clear();
      peer.waiting_bytes = 0;
      peer.left = peer.sent;
      break;
    }
    any = true;
    auto sent = static_cast<size_t>(result);
    peer.waiting_bytes -= sent;
    const bool full = sent < asked;
    while (sent > 0) {
      Frame& first = peer.out.front();
      const size_t part = std::min(sent, first.bytes() - first.sent);
      first.sent += part;
      sent -= part;
      if (first.sent < first.bytes()) break;
      peer.out.pop_front();
      ++peer.left;
    }
    if (full) break;
  }
  watch(to, !peer.out.empty());
  return any;
}

void SocketEngine::watch(int32_t to, bool room) {
  Peer& peer = peers_[to];
  if (peer.watches_room == room) return;
  peer.watches_room = room;
  epoll_event event{};
  event.events = EPOLLIN | (room ? EPOLLOUT : 0u);
  event.data.u32 = static_cast<uint32_t>(to);
  epoll_ctl(events_, EPOLL_CTL_MOD, peer.socket, &event);
}

bool SocketEngine::poll(Receiver& receiver) {
  std::array<epoll_event, 16> events;
  const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), 0);
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u32 == of_dialer) {
      any |= dialer_ && dial(receiver);
      continue;
    }
    const auto process = static_cast<int32_t>(events[i].data.u32);
    if (peers_[process].socket >= 0 && (events[i].events & EPOLLOUT) != 0) any |= flush(process);
    if (peers_[process].socket >= 0 && (events[i].events & ~uint32_t{EPOLLOUT}) != 0) {
      any |= receive(process, receiver);
    }
  }
  return any;
}

bool SocketEngine::receive(int32_t from, Receiver& receiver) {
  Peer& peer = peers_[from];
  in_.resize(buffer_bytes);
  begin_ = 0;
  end_ = peer.rest.size();
  std::copy(peer.rest.begin(), peer.rest.end(), in_.begin());
  const bool any = receive_into(peer, from, receiver);
  if (begin_ == end_) {
    peer.rest = {};
  } else {
    peer.rest.assign(in_.begin() + static_cast<ptrdiff_t>(begin_),
                     in_.begin() + static_cast<ptrdiff_t>(end_));
  }
  return any;
}

bool SocketEngine::receive_into(Peer& peer, int32_t from, Receiver& receiver) {
  bool any = false;
  for (size_t taken = 0; taken < turn_bytes;) {
    if (begin_ == end_) begin_ = end_ = 0;
    const bool in_place = peer.bulk_left > 0 && begin_ == end_;
    if (!in_place && end_ == in_.size()) {  // take_frames leaves less than a frame
      std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // Behind the bulk bytes what comes next goes into the buffer with the same call.
    iovec parts[2] = {{peer.bulk, in_place ? peer.bulk_left : 0}, {in_.data() + end_, in_.size() - end_}};
    msghdr message{};
    message.msg_iov = in_place ? parts : parts + 1;
    message.msg_iovlen = in_place ? 2 : 1;
    const size_t room = parts[0].iov_len + parts[1].iov_len;
    const ssize_t result = recvmsg(peer.socket, &message, 0);
    if (result < 0 && would_block()) break;
    if (result <= 0) {
      shut(peer);
      receiver.gone(from, "it has ended");
      return true;
    }
    any = true;
    auto count = static_cast<size_t>(result);
    taken += count;
    const bool drained = count < room;
    if (in_place) {
      const size_t part = std::min<size_t>(count, peer.bulk_left);
      peer.bulk += part;
      peer.bulk_left -= part;
      count -= part;
      if (peer.bulk_left == 0) receiver.bulk_arrived(from);
    }
    end_ += count;
    if (!take_frames(from, receiver)) {
      shut(peer);
      receiver.gone(from, "what it sent is not a message");
      return true;
    }
    if (drained || peer.socket < 0) break;
  }
  return any;
}

// All frames that are complete, up to one whose bulk bytes are still to come.
bool SocketEngine::take_frames(int32_t from, Receiver& receiver) {
  Peer& peer = peers_[from];
  while (peer.bulk_left == 0 && end_ - begin_ >= sizeof(Prefix)) {
    Prefix prefix;
    std::memcpy(&prefix, in_.data() + begin_, sizeof prefix);
    if (prefix.mark != mark || prefix.packet_bytes > longest_packet) return false;
    if (end_ - begin_ < sizeof prefix + prefix.packet_bytes) break;
    const std::span<const std::byte> packet(in_.data() + begin_ + sizeof prefix, prefix.packet_bytes);
    begin_ += sizeof prefix + prefix.packet_bytes;
    if (prefix.bulk_bytes == 0) {
      if (!receiver.receive(from, packet)) return false;
      continue;
    }
    peer.bulk = receiver.receive_bulk(from, packet, prefix.bulk_bytes);
    if (!peer.bulk) return false;
    const size_t here = std::min<size_t>(end_ - begin_, prefix.bulk_bytes);
    std::memcpy(peer.bulk, in_.data() + begin_, here);
    begin_ += here;
    peer.bulk += here;
    peer.bulk_left = prefix.bulk_bytes - here;
    if (peer.bulk_left == 0) receiver.bulk_arrived(from);
  }
  return true;
}

}  // namespace tilewire::processes
