// One end of a connection between two processes, cut into messages. Nothing here blocks: what does not leave
// at once is kept until `flush`, so that two processes that send to each other never wait for each other.
//
// The socket tells when the other end is gone. Between processes of one host messages take queues in shared
// memory (mail.h) when there is room for them; they are numbered, so that they are heard in order.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "processes/mail.h"
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

  // Messages may come in `in` from now on.
  void receive_mail(MailQueue& in) { mail_.in = &in; }
  // The other end looks into `out`, without a doorbell while it attends.
  void send_mail(MailQueue& out, const std::atomic<uint32_t>& attended) {
    mail_.out = &out;
    mail_.attended = &attended;
  }
  bool has_mail() const { return mail_.in && !mail_.in->empty(); }

  void send(const Message& message);
  // More of what was sent leaves, as far as the system takes it.
  void flush();
  bool has_unsent() const { return !out_.empty(); }

  // What has arrived, in order. False: the other end is closed, and everything it sent was heard, or it sent
  // something else than messages (`garbled`).
  bool receive(const std::function<void(Message&&)>& hear);
  // The same for shared memory alone.
  bool take_mail(const std::function<void(Message&&)>& hear);
  bool garbled() const { return garbled_; }

  // A longer message is taken for garbage.
  static constexpr uint64_t longest = uint64_t{1} << 30;

 private:
  // In front of each message in the socket. One of no bytes is a doorbell, which has no number.
  struct Head {
    uint64_t size, number;
  };
  void put(const Head& head, const std::string& bytes);
  // Those in the socket whose turn it is. False: garbled, or whoever heard one has closed.
  bool take_messages(const std::function<void(Message&&)>& hear);
  bool take(std::string_view bytes, const std::function<void(Message&&)>& hear);

  int fd_ = -1;
  bool garbled_ = false;
  std::string out_, in_;
  Mail mail_;
  uint64_t sent_ = 0, heard_ = 0;  // messages
};

}  // namespace tilewire::processes
