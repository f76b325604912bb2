// Packets over connected stream sockets, TCP between hosts.
//
// A frame is a prefix, the packet, and the bulk bytes. Packets go through a buffer, which all connections
// share; bulk bytes are received where they belong.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "processes/messages/dialer.h"
#include "processes/messages/engine.h"

namespace tilewire::processes {

class SocketEngine final : public Engine {
 public:
  // By process; -1 where no packets are sent. Now owned.
  explicit SocketEngine(const std::vector<int>& sockets);
  // Connects with a process when there is something to send to it, or it connects with this one.
  SocketEngine(std::unique_ptr<Dialer> dialer, int32_t processes);
  ~SocketEngine() override;
  SocketEngine(const SocketEngine&) = delete;

  uint64_t send(int32_t to, std::string packet, std::span<const std::byte> bulk) override;
  bool has_left(int32_t to, uint64_t number) const override { return peers_[to].left >= number; }
  bool has_room(int32_t to) const override { return peers_[to].waiting_bytes < room_bytes; }
  bool poll(Receiver& receiver) override;
  int descriptor() const override { return events_; }
  void close() override;

  static constexpr size_t room_bytes = 1 << 20;
  // The first word of a frame.
  static constexpr uint32_t mark = 0x54576d31;

 private:
  struct Prefix {
    uint32_t mark;  // tells frames from what others send
    uint32_t packet_bytes;
    uint64_t bulk_bytes;
  };

  struct Frame {
    Prefix prefix;
    std::string packet;
    std::span<const std::byte> bulk;
    size_t sent = 0;
    size_t bytes() const { return sizeof prefix + packet.size() + bulk.size(); }
  };
  struct Peer {
    int socket = -1;
    std::deque<Frame> out;
    uint64_t sent = 0, left = 0;  // packets
    size_t waiting_bytes = 0;
    bool watches_room = false;    // for the socket to take more
    std::vector<std::byte> rest;  // of what has arrived: the beginning of a frame
    std::byte* bulk = nullptr;    // where the next bytes go, of those that are missing
    uint64_t bulk_left = 0;
  };

  void attach(int32_t process, int socket);
  bool dial(Receiver& receiver);
  bool flush(int32_t to);
  void watch(int32_t to, bool room);
  bool receive(int32_t from, Receiver& receiver);
  bool receive_into(Peer& peer, int32_t from, Receiver& receiver);
  bool take_frames(int32_t from, Receiver& receiver);
  void shut(Peer& peer);

  int events_ = -1;
  std::vector<Peer> peers_;
  std::unique_ptr<Dialer> dialer_;  // null: all connections are there
  std::vector<std::byte> in_;       // while something is received
  size_t begin_ = 0, end_ = 0;      // of what is in it and was not looked at
};

}  // namespace tilewire::processes
