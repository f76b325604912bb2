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
      in_(std::move(other.in_)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(garbled_, other.garbled_);
  std::swap(out_, other.out_);
  std::swap(in_, other.in_);
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
  const uint64_t size = bytes.size();
  out_.append(reinterpret_cast<const char*>(&size), sizeof size);
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
    if (count > 0) {
      in_.append(piece, static_cast<size_t>(count));
      if (!take_messages(hear)) return false;
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      return false;
    } else if (errno != EINTR) {
      return true;
    }
  }
  return false;
}

bool Stream::take_messages(const std::function<void(Message&&)>& hear) {
  size_t at = 0;
  while (in_.size() - at >= sizeof(uint64_t)) {
    uint64_t size;
    std::memcpy(&size, in_.data() + at, sizeof size);
    if (size > longest) garbled_ = true;
    if (garbled_ || in_.size() - at - sizeof size < size) break;
    auto message = decode(std::string_view(in_).substr(at + sizeof size, size));
    if (!message) {
      garbled_ = true;
      break;
    }
    hear(std::move(*message));
    if (!open()) return false;  // who heard it has closed
    at += sizeof size + size;
  }
  in_.erase(0, at);
  return !garbled_;
}

}  // namespace tilewire::processes
