// Packets over MPI point to point.
//
// Receives for packets from anybody are posted ahead and looked at in the order in which they were posted. A
// packet ends with the number of the bulk bytes that follow it in messages of their own, which are received
// where they belong; later packets of that process are kept until they have arrived.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "mpi/interface.h"
#include "processes/messages/engine.h"

namespace tilewire::processes {

class MpiEngine final : public Engine {
 public:
  // `segment_bytes`: bulk bytes are sent in messages of so many at most, as MPI counts with an int.
  MpiEngine(TilewireMpi& mpi, int32_t processes, uint64_t segment_bytes = uint64_t{1} << 30);
  ~MpiEngine() override;
  MpiEngine(const MpiEngine&) = delete;

  uint64_t send(int32_t to, std::string packet, std::span<const std::byte> bulk) override;
  bool has_left(int32_t to, uint64_t number) const override { return out_[to].left >= number; }
  bool has_room(int32_t to) const override { return out_[to].waiting_bytes < room_bytes; }
  bool poll(Receiver& receiver) override;
  int descriptor() const override { return -1; }
  void close() override;

  static constexpr size_t room_bytes = 1 << 20;

 private:
  using Request = TilewireMpiRequest;
  enum Tag : int32_t { PacketTag = 1, BulkTag = 2 };

  struct Slot {
    std::unique_ptr<std::byte[]> bytes;
    Request request{};
    bool posted = false;
  };
  struct Frame {
    std::string packet;
    size_t bytes = 0;                 // with the bulk ones
    std::vector<Request> requests{};  // not done yet, in order
  };
  // To a process.
  struct Out {
    std::deque<Frame> frames;
    uint64_t sent = 0, left = 0;  // packets
    size_t waiting_bytes = 0;
    bool is_sending = false;
  };
  // From a process.
  struct In {
    std::byte* bulk = nullptr;  // where the next bytes go, of those that are missing
    uint64_t bulk_left = 0;
    Request request{};
    std::deque<std::string> held;  // packets behind them
    bool gone = false;
  };

  bool post(Slot& slot);
  void start(int32_t to, const void* bytes, size_t count, Tag tag, Frame& frame);
  bool send_on(int32_t to);
  bool take_bulk(int32_t from, Receiver& receiver);
  bool take_packet(Receiver& receiver);
  // What a packet leads to. False: it makes no sense, and the channel is closed.
  bool read(int32_t from, std::span<const std::byte> bytes, Receiver& receiver);
  bool receive_segment(int32_t from);
  void shut(int32_t process);
  std::string explain(int32_t error) const;
  // Whether the operation ends within a few tests.
  bool ends(Request& request) const;

  TilewireMpi& mpi_;
  const uint64_t segment_bytes_;
  std::vector<Slot> slots_;
  size_t next_ = 0;  // the one that was posted first
  std::vector<Out> out_;
  std::vector<In> in_;
  std::vector<int32_t> sending_, receiving_bulk_;
  // To processes that are gone: MPI may still read them.
  std::vector<std::deque<Frame>> abandoned_;
  std::vector<std::pair<int32_t, std::string>> failed_;  // sends, to be told in the next poll
  bool closed_ = false;
};

}  // namespace tilewire::processes
