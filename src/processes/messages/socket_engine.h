// Packets over connected stream sockets, TCP between hosts.
//
// A frame is a prefix, the packet, and the bulk bytes. Packets go through a buffer; bulk bytes are received
// where they belong.
#pragma once

#include <deque>
#include <vector>

#include "processes/messages/engine.h"

namespace tilewire::processes {

class SocketEngine final : public Engine {
 public:
  // By process; -1 where no packets are sent. Now owned.
  explicit SocketEngine(const std::vector<int>& sockets);
  ~SocketEngine() override;
  SocketEngine(const SocketEngine&) = delete;

  uint64_t send(int32_t to, std::string packet, std::span<const std::byte> bulk) override;
  bool has_left(int32_t to, uint64_t number) const override { return peers_[to].left >= number; }
  bool has_room(int32_t to) const override { return peers_[to].waiting_bytes < room_bytes; }
  bool poll(Receiver& receiver) override;
  int descriptor() const override { return events_; }
  void close() override;

  static constexpr size_t room_bytes = 1 << 20;

 private:
  struct Prefix {
    uint32_t mark;  // tells frames from what others send
    uint32_t packet_bytes;
    uint64_t bulk_bytes;
  };
  static constexpr uint32_t mark = 0x54576d31;

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
    bool watches_room = false;  // for the socket to take more
    std::vector<std::byte> in;
    size_t begin = 0, end = 0;  // of what has arrived and was not looked at
    std::byte* bulk = nullptr;  // where the next bytes go, of those that are missing
    uint64_t bulk_left = 0;
  };

  bool flush(int32_t to);
  void watch(int32_t to, bool room);
  bool receive(int32_t from, Receiver& receiver);
  bool take_frames(int32_t from, Receiver& receiver);
  void shut(Peer& peer);

  int events_ = -1;
  std::vector<Peer> peers_;
};

}  // namespace tilewire::processes
