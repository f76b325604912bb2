// One end of a connection between two processes, cut into messages. Nothing here blocks: what does not leave
// at once is kept until `flush`, so that two processes that send to each other never wait for each other.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "processes/message.h"

namespace tilewire::processes {

class Stream {
 public:
  Stream() = default;
  explicit Stream(int fd);  // a connected stream socket, now owned
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream() { close(); }

  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void close();

  void send(const Message& message);
  // More of what was sent leaves, as far as the system takes it.
  void flush();
  bool has_unsent() const { return !out_.empty(); }

  // What has arrived, in order. False: the other end is closed, and everything it sent was heard, or it sent
  // something else than messages (`garbled`).
  bool receive(const std::function<void(Message&&)>& hear);
  bool garbled() const { return garbled_; }

  // A longer message is taken for garbage.
  static constexpr uint64_t longest = uint64_t{1} << 30;

 private:
  bool take_messages(const std::function<void(Message&&)>& hear);

  int fd_ = -1;
  bool garbled_ = false;
  std::string out_, in_;
};

}  // namespace tilewire::processes
