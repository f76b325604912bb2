#include "processes/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace tilewire::processes {

Stream::Stream(int fd) : fd_(fd) {
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  fcntl(fd_, F_SETFD, FD_CLOEXEC);
}

Stream::Stream(Stream&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      garbled_(other.garbled_),
      out_(std::move(other.out_)),
      in_(std::move(other.in_)),
      mail_(other.mail_),
      sent_(other.sent_),
      heard_(other.heard_) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(garbled_, other.garbled_);
  std::swap(out_, other.out_);
  std::swap(in_, other.in_);
  std::swap(mail_, other.mail_);
  std::swap(sent_, other.sent_);
  std::swap(heard_, other.heard_);
  return *this;
}

void Stream::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  out_.clear();
}

void Stream::send(const Message& message) {
  if (!open()) return;
  const std::string bytes = encode(message);
  const uint64_t number = sent_++;
  if (!mail_.out || !mail_.out->push(number, bytes)) return put({bytes.size(), number}, bytes);
  if (mail_.attended->load() == 0) put({}, "");
}

void Stream::put(const Head& head, const std::string& bytes) {
  out_.append(reinterpret_cast<const char*>(&head), sizeof head);
  out_ += bytes;
  flush();
}

void Stream::flush() {
  size_t sent = 0;
  while (open() && sent < out_.size()) {
    const ssize_t count = ::send(fd_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {  // the other end is gone: `receive` notices
      sent = out_.size();
    }
  }
  out_.erase(0, sent);
}

bool Stream::receive(const std::function<void(Message&&)>& hear) {
  while (open()) {
    char piece[65536];
    const ssize_t count = ::recv(fd_, piece, sizeof piece, 0);
    const int error = errno;
    if (count > 0) in_.append(piece, static_cast<size_t>(count));
    if (!take_messages(hear)) return false;
    if (count == 0) return false;
    if (count < 0 && error != EINTR) return error == EAGAIN || error == EWOULDBLOCK;
  }
  return false;
}

bool Stream::take_mail(const std::function<void(Message&&)>& hear) {
  std::string bytes;
  while (open() && has_mail() && mail_.in->front() == heard_) {
    if (!mail_.in->pop(bytes)) garbled_ = true;
    if (garbled_ || !take(bytes, hear)) return false;
  }
  return open();
}

bool Stream::take_messages(const std::function<void(Message&&)>& hear) {
  size_t at = 0;
  for (;;) {
    if (!take_mail(hear)) return false;
    Head head{};
    if (in_.size() - at < sizeof head) break;
    std::memcpy(&head, in_.data() + at, sizeof head);
    if (head.size > longest) garbled_ = true;
    if (garbled_) return false;
    if (head.size != 0) {
      if (in_.size() - at - sizeof head < head.size) break;
      // The ones before it are in shared memory, where they were written first.
      if (head.number != heard_) garbled_ = true;
      if (garbled_ || !take(std::string_view(in_).substr(at + sizeof head, head.size), hear)) return false;
    }
    at += sizeof head + head.size;
  }
  in_.erase(0, at);
  return true;
}

bool Stream::take(std::string_view bytes, const std::function<void(Message&&)>& hear) {
  auto message = decode(bytes);
  if (!message) garbled_ = true;
  if (garbled_) return false;
  ++heard_;
  hear(std::move(*message));
  return open();
}

}  // namespace tilewire::processes
