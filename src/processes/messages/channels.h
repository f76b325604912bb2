// Memory of ranks on other hosts, reached by messages: one first-in-first-out channel for each pair of
// processes, over any Engine.
//
// Whoever sends numbers its requests, and the process that owns the memory applies them in that order, with
// its own loads, stores and atomics. How far it is rides on every message that goes back, or is asked for; so
// the sender knows what has landed. Nobody waits for a send inside of what arrives: replies are queued.
//
// One lock; one thread at a time uses the engine. Small messages to a process are collected in a packet,
// which leaves with the next signal or question to that process, when it is full, or in the next `poll`.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "processes/messages/engine.h"
#include "processes/messages/local_regions.h"
#include "processes/messages/pieces.h"
#include "runtime/bell.h"
#include "runtime/far_link.h"

namespace tilewire::processes {

class Channels final : public runtime::FarLink, private Receiver {
 public:
  // Groups are NumberedMemory. `alarm` is called once, under the lock, when `broken` says something; `busy`
  // by a worker, as often as `call_when_busy`.
  Channels(std::unique_ptr<Engine> engine, int32_t processes, runtime::Bell& bell,
           std::shared_ptr<LocalRegions> regions, std::function<void()> alarm,
           std::function<void()> busy = {});
  ~Channels() override;

  int32_t process_of(const runtime::GroupMemory& memory, int32_t member) const override;
  void put(const runtime::FarPlace& to, const runtime::Copy& region, uint32_t bits, uint8_t dtype) override;
  void get(const runtime::FarPlace& from, const runtime::Copy& region, runtime::FarDone& done) override;
  void notify(const runtime::FarPlace& cell, int32_t value, uint32_t kind) override;
  void update(const runtime::FarPlace& element, int64_t expected, int64_t value, uint32_t bits, int64_t* old,
              runtime::FarDone& done) override;
  const uint32_t* unlanded() const override { return &unlanded_; }
  bool flush(int32_t process, runtime::FarDone& done) override;
  void forget(runtime::FarDone& done) override;
  bool poll() override;
  // The same, by the thread that does so when no worker does.
  bool serve();

  // Called under the lock where a message writes a cell of a region on which somebody is parked; in place of
  // ringing the bell.
  void on_written_cells(std::function<void()> call) { written_ = std::move(call); }

  // For whoever waits for messages in the system: see Engine.
  int descriptor() const { return engine_->descriptor(); }
  // How often `poll` was called.
  uint64_t polls() const { return polls_.load(std::memory_order_relaxed); }
  // Once workers have polled so many times more: whoever sleeps until the descriptor is readable need not be
  // woken for each message any more.
  void call_when_busy(uint64_t polls) { busy_at_ = this->polls() + polls; }

  // Messages that this process has sent and handled. When they are the same at two moments, nothing was in
  // between; what was sent but not handled anywhere is the sum of the differences.
  struct Traffic {
    uint64_t sent, handled;
  };
  Traffic traffic() const { return {sent_.load(), handled_.load()}; }

  // All that was sent has landed, and every question has its answer.
  bool settled() const;

  // A channel has ended, or carried something that is no message.
  struct Broken {
    int32_t process;
    std::string how;
  };
  std::optional<Broken> broken() const;
  // Whoever waits for something goes on; nothing is sent or received any more.
  void close();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Kind = WireHead::Kind;

  // A get or an update, as one of possibly several messages of it.
  struct Question {
    runtime::FarDone* done;  // null: forgotten
    size_t messages;         // whose replies are missing
  };
  struct Token {
    uint32_t index = 0;
    uint32_t uses = 0;  // part of its number: a reply comes once
    int32_t process = -1;
    Question* question = nullptr;  // null: free
    int64_t* old = nullptr;        // of an update
    Piece piece{};                 // of a get
    std::byte* target = nullptr;
    uint32_t element_bytes = 0;
  };
  struct Answer {
    Kind kind;
    uint64_t token;
    int64_t value;           // to an update
    const std::byte* place;  // to a get: the first element of the region
    WireMessage region;
  };
  struct Peer {
    std::string packet;                        // being filled
    bool waits = false;                        // it is to leave with the next poll
    uint64_t sent = 0, landed = 0, asked = 0;  // requests to it; asked for an acknowledgement
    uint64_t applied = 0;                      // its requests here
    std::deque<Answer> answers;
    WireHead bulk;  // of the message whose bulk bytes arrive
    bool bulk_arrives = false;
    std::vector<std::byte> sink;  // for bulk bytes that nobody waits for
  };
  struct Flush {
    runtime::FarDone* done;
    std::vector<std::pair<int32_t, uint64_t>> awaits;  // processes, and how far they are to be
  };

  // Receiver.
  bool receive(int32_t from, std::span<const std::byte> packet) override;
  std::byte* receive_bulk(int32_t from, std::span<const std::byte> packet, uint64_t bytes) override;
  void bulk_arrived(int32_t from) override;
  void gone(int32_t from, const std::string& how) override;

  // What arrives. False: it makes no sense.
  bool handle(int32_t from, const WireMessage& message);
  std::byte* bulk_place(int32_t from, const WireMessage& message, uint64_t bytes);
  bool apply(int32_t from, const WireMessage& message);
  bool take_reply(int32_t from, const WireMessage& message);
  bool note_landed(int32_t from, uint64_t applied);
  void answer(int32_t to, Answer&& answer);
  // Null: it is not in memory that others may reach. `waiters`: the waiter word there.
  std::byte* place_of(const WireMessage& message, const uint32_t** waiters = nullptr) const;
  Token* token_of(int32_t from, uint64_t token);
  void give_token(Token& token);
  void complete(runtime::FarDone* done);

  // What is sent.
  WireHead head_of(Kind kind, const runtime::FarPlace& place) const;
  std::byte* append(int32_t to, WireHead head, std::span<const WireDim> dims, size_t elements);
  uint64_t send_packet(int32_t to, std::span<const std::byte> bulk = {});
  void send_later(int32_t to);
  void request(int32_t to);
  uint64_t new_token(int32_t to, Question* question, Token** token);
  bool send_waiting();
  bool send_answers();
  void send_answer(int32_t to, const Answer& answer);
  bool pump();
  // Moves messages along until `ready`, or the channels are closed.
  template <class Ready>
  void pump_until(Lock& lock, Ready ready);

  const std::unique_ptr<Engine> engine_;
  runtime::Bell& bell_;
  const std::shared_ptr<LocalRegions> regions_;
  const std::function<void()> alarm_, busy_;
  std::function<void()> written_;

  mutable std::mutex mutex_;
  std::vector<Peer> peers_;
  std::vector<int32_t> waiting_;  // those with a packet that waits
  std::vector<int32_t> asking_;   // those with answers
  std::deque<Token> tokens_;
  std::vector<uint32_t> free_tokens_;
  std::unordered_set<Question*> questions_;
  std::vector<Flush> flushes_;
  std::optional<Broken> broken_;
  uint32_t unlanded_ = 0;  // processes that have not applied all
  std::atomic<bool> closed_{false};
  std::atomic<uint64_t> sent_{0}, handled_{0}, polls_{0}, busy_at_{UINT64_MAX};
};

}  // namespace tilewire::processes
