#include "processes/messages/channels.h"

#include <sched.h>

#include <algorithm>
#include <array>

#include "abi/abi.h"
#include "abi/numbers.h"
#include "runtime/cells.h"
#include "support/diagnostics.h"

namespace tilewire::processes {

using runtime::FarDone;
using runtime::FarPlace;

namespace {

// A packet holds one of these, its head and its dimensions.
constexpr uint64_t small_bytes = 60 << 10;
constexpr uint64_t bulk_bytes = 128 << 10;
constexpr PieceLimits limits{small_bytes, bulk_bytes};
static_assert(small_bytes + sizeof(WireHead) + most_wire_dims * sizeof(WireDim) <= Engine::longest_packet);

constexpr int rounds_before_yield = 16;

const NumberedMemory& numbered(const runtime::GroupMemory& memory) {
  return static_cast<const NumberedMemory&>(memory);
}

// The bytes of an element that runtime::add knows; 0 for others.
uint32_t addend_bytes(uint8_t dtype) {
  using abi::ElementType;
  switch (static_cast<ElementType>(dtype)) {
    case ElementType::Int16:
    case ElementType::UInt16:
    case ElementType::FP16:
    case ElementType::BF16:
      return 2;
    case ElementType::Int32:
    case ElementType::UInt32:
    case ElementType::FP32:
      return 4;
    case ElementType::Int64:
    case ElementType::UInt64:
    case ElementType::Index:
      return 8;
    default:
      return 0;
  }
}

uint64_t bytes_of(const WireMessage& message) {
  return static_cast<uint64_t>(message.count()) * message.head.element_bytes;
}

}  // namespace

Channels::Channels(std::unique_ptr<Engine> engine, int32_t processes, runtime::Bell& bell,
                   std::shared_ptr<LocalRegions> regions, std::function<void()> alarm,
                   std::function<void()> busy)
    : engine_(std::move(engine)),
      bell_(bell),
      regions_(std::move(regions)),
      alarm_(std::move(alarm)),
      busy_(std::move(busy)),
      written_([this] { bell_.ring(); }),
      peers_(static_cast<size_t>(processes)) {}

Channels::~Channels() {
  close();
}

int32_t Channels::process_of(const runtime::GroupMemory& memory, int32_t member) const {
  return numbered(memory).processes[member];
}

// --- What is sent.

WireHead Channels::head_of(Kind kind, const FarPlace& place) const {
  WireHead head;
  head.kind = kind;
  head.member = place.member;
  head.memory = numbered(*place.memory).number;
  head.offset = place.offset;
  return head;
}

std::byte* Channels::append(int32_t to, WireHead head, std::span<const WireDim> dims, size_t elements) {
  Peer& peer = peers_[to];
  const size_t bytes = sizeof head + dims.size_bytes() + elements;
  if (peer.packet.size() + bytes > Engine::longest_packet) send_packet(to);
  head.applied = peer.applied;
  sent_.fetch_add(1);  // before it can be handled
  return append_message(peer.packet, head, dims, elements);
}

uint64_t Channels::send_packet(int32_t to, std::span<const std::byte> bulk) {
  Peer& peer = peers_[to];
  if (peer.packet.empty()) return 0;
  std::string packet;
  packet.swap(peer.packet);
  return engine_->send(to, std::move(packet), bulk);
}

void Channels::send_later(int32_t to) {
  Peer& peer = peers_[to];
  if (peer.waits) return;
  peer.waits = true;
  waiting_.push_back(to);
}

// Notes one more request to a process.
void Channels::request(int32_t to) {
  Peer& peer = peers_[to];
  if (peer.sent++ == peer.landed) __atomic_store_n(&unlanded_, unlanded_ + 1, __ATOMIC_RELEASE);
}

template <class Ready>
void Channels::pump_until(Lock& lock, Ready ready) {
  for (int round = 1; !closed_ && !ready(); ++round) {
    if (pump()) continue;
    lock.unlock();
    if (round % rounds_before_yield == 0) sched_yield();
    lock.lock();
  }
}

void Channels::put(const FarPlace& to, const runtime::Copy& region, uint32_t bits, uint8_t dtype) {
  const bool adds = (bits & abi::AtomicAdd) != 0;
  const uint32_t element = region.element_bytes;
  const PieceLimits own_limits{small_bytes, adds ? UINT64_MAX : bulk_bytes};
  const std::vector<Piece> pieces =
      cut(region.extents, region.target_strides, region.source_strides, region.rank, element, own_limits);
  const int32_t process = process_of(*to.memory, to.member);
  WireHead head = head_of(Kind::Put, to);
  head.bits = adds ? uint8_t{abi::AtomicAdd} : uint8_t{0};
  head.dtype = dtype;
  head.element_bytes = element;
  Lock lock(mutex_);
  for (const Piece& piece : pieces) {
    pump_until(lock, [&] { return engine_->has_room(process); });
    if (closed_) return;
    std::array<WireDim, most_wire_dims> dims;
    for (size_t i = 0; i < piece.dims.size(); ++i) dims[i] = {piece.dims[i].extent, piece.dims[i].far};
    const std::span<const WireDim> used(dims.data(), piece.dims.size());
    const uint64_t bytes = static_cast<uint64_t>(piece.count) * element;
    const std::byte* source = region.source + piece.near * element;
    head.offset = to.offset + static_cast<uint64_t>(piece.far * element);
    if (bytes > small_bytes) {
      append(process, head, used, 0);
      request(process);
      const uint64_t number = send_packet(process, {source, bytes});
      pump_until(lock, [&] { return engine_->has_left(process, number); });
    } else {
      std::byte* packed = append(process, head, used, bytes);
      copy(Packing(piece, element).pack(source, packed));
      request(process);
      send_later(process);
    }
  }
}

void Channels::get(const FarPlace& from, const runtime::Copy& region, FarDone& done) {
  const uint32_t element = region.element_bytes;
  std::vector<Piece> pieces =
      cut(region.extents, region.source_strides, region.target_strides, region.rank, element, limits);
  const int32_t process = process_of(*from.memory, from.member);
  WireHead head = head_of(Kind::Get, from);
  head.element_bytes = element;
  Lock lock(mutex_);
  if (pieces.empty() || closed_) return complete(&done);
  auto* question = new Question{&done, pieces.size()};
  questions_.insert(question);
  for (Piece& piece : pieces) {
    pump_until(lock, [&] { return engine_->has_room(process); });
    if (closed_) return;  // and the question is answered
    std::array<WireDim, most_wire_dims> dims;
    for (size_t i = 0; i < piece.dims.size(); ++i) dims[i] = {piece.dims[i].extent, piece.dims[i].far};
    head.offset = from.offset + static_cast<uint64_t>(piece.far * element);
    Token* token;
    head.token = new_token(process, question, &token);
    token->target = region.target + piece.near * element;
    token->element_bytes = element;
    token->piece = std::move(piece);
    append(process, head, {dims.data(), token->piece.dims.size()}, 0);
    request(process);
  }
  send_packet(process);
}

void Channels::notify(const FarPlace& cell, int32_t value, uint32_t kind) {
  const int32_t process = process_of(*cell.memory, cell.member);
  WireHead head = head_of(Kind::Notify, cell);
  head.bits = static_cast<uint8_t>(kind);
  head.value = value;
  Lock lock(mutex_);
  pump_until(lock, [&] { return engine_->has_room(process); });
  if (closed_) return;
  append(process, head, {}, 0);
  request(process);
  send_packet(process);
}

void Channels::update(const FarPlace& place, int64_t expected, int64_t value, uint32_t bits, int64_t* old,
                      FarDone& done) {
  const int32_t process = process_of(*place.memory, place.member);
  WireHead head = head_of(Kind::Update, place);
  head.bits = static_cast<uint8_t>(bits);
  head.value = value;
  head.expected = expected;
  Lock lock(mutex_);
  pump_until(lock, [&] { return engine_->has_room(process); });
  if (closed_) return complete(&done);
  auto* question = new Question{&done, 1};
  questions_.insert(question);
  Token* token;
  head.token = new_token(process, question, &token);
  token->old = old;
  append(process, head, {}, 0);
  request(process);
  send_packet(process);
}

bool Channels::flush(int32_t process, FarDone& done) {
  Lock lock(mutex_);
  Flush flush{&done, {}};
  for (int32_t p = 0; p < static_cast<int32_t>(peers_.size()) && !closed_; ++p) {
    Peer& peer = peers_[p];
    if (p == process || peer.landed == peer.sent) continue;
    flush.awaits.emplace_back(p, peer.sent);
    if (peer.asked < peer.sent) {
      append(p, {.kind = Kind::Ask}, {}, 0);
      peer.asked = peer.sent;
    }
    send_packet(p);
  }
  if (flush.awaits.empty()) return true;
  flushes_.push_back(std::move(flush));
  return false;
}

void Channels::forget(FarDone& done) {
  Lock lock(mutex_);
  std::erase_if(flushes_, [&](const Flush& flush) { return flush.done == &done; });
  const auto found =
      std::find_if(questions_.begin(), questions_.end(), [&](const auto* one) { return one->done == &done; });
  if (found == questions_.end()) return;
  Question* question = *found;
  question->done = nullptr;
  // What is on its way to its place goes there.
  auto arrives = [&](const Peer& peer) {
    if (!peer.bulk_arrives || peer.bulk.kind != Kind::Reply || !peer.sink.empty()) return false;
    return tokens_[static_cast<uint32_t>(peer.bulk.token)].question == question;
  };
  pump_until(lock, [&] { return std::none_of(peers_.begin(), peers_.end(), arrives); });
}

bool Channels::poll() {
  const uint64_t polls = polls_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (polls >= busy_at_.load(std::memory_order_relaxed) && busy_at_.exchange(UINT64_MAX) != UINT64_MAX)
    busy_();
  return serve();
}

bool Channels::serve() {
  Lock lock(mutex_, std::try_to_lock);
  return lock && !closed_ && pump();
}

bool Channels::pump() {
  bool any = send_waiting();
  any |= engine_->poll(*this);
  any |= send_answers();
  return any;
}

bool Channels::send_waiting() {
  const bool any = !waiting_.empty();
  for (int32_t process : waiting_) {
    peers_[process].waits = false;
    send_packet(process);
  }
  waiting_.clear();
  return any;
}

bool Channels::send_answers() {
  bool any = false;
  for (size_t i = 0; i < asking_.size();) {
    const int32_t process = asking_[i];
    std::deque<Answer>& answers = peers_[process].answers;
    while (!answers.empty() && engine_->has_room(process)) {
      send_answer(process, answers.front());
      answers.pop_front();
      any = true;
    }
    send_packet(process);
    if (answers.empty()) {
      asking_[i] = asking_.back();
      asking_.pop_back();
    } else {
      ++i;
    }
  }
  return any;
}

void Channels::send_answer(int32_t to, const Answer& answer) {
  WireHead head{.kind = answer.kind, .token = answer.token, .value = answer.value};
  if (!answer.place) {
    append(to, head, {}, 0);
    return;
  }
  const uint64_t bytes = bytes_of(answer.region);
  if (bytes > small_bytes) {
    append(to, head, {}, 0);
    send_packet(to, {answer.place, bytes});
  } else {
    std::byte* packed = append(to, head, {}, bytes);
    copy(Packing(answer.region).pack(answer.place, packed));
  }
}

// --- What arrives.

bool Channels::receive(int32_t from, std::span<const std::byte> packet) {
  while (!packet.empty()) {
    const auto message = read_message(packet);
    if (!message || !handle(from, *message)) return false;
  }
  return true;
}

std::byte* Channels::receive_bulk(int32_t from, std::span<const std::byte> packet, uint64_t bytes) {
  for (;;) {
    const auto message = read_message(packet);
    if (!message) return nullptr;
    if (!packet.empty()) {
      if (!handle(from, *message)) return nullptr;
      continue;
    }
    if (!note_landed(from, message->head.applied)) return nullptr;
    Peer& peer = peers_[from];
    peer.bulk = message->head;
    std::byte* place = bulk_place(from, *message, bytes);
    peer.bulk_arrives = place != nullptr;
    return place;
  }
}

std::byte* Channels::bulk_place(int32_t from, const WireMessage& message, uint64_t bytes) {
  const WireHead& head = message.head;
  if (!message.elements.empty()) return nullptr;
  if (head.kind == Kind::Put) {
    const bool dense = head.dims == 1 && message.dims[0].stride == 1;
    return dense && head.bits == 0 && bytes_of(message) == bytes ? place_of(message) : nullptr;
  }
  const Token* token = head.kind == Kind::Reply ? token_of(from, head.token) : nullptr;
  if (!token || !token->target || !token->piece.is_dense()) return nullptr;
  if (static_cast<uint64_t>(token->piece.count) * token->element_bytes != bytes) return nullptr;
  if (token->question->done) return token->target;
  std::vector<std::byte>& sink = peers_[from].sink;
  sink.resize(bytes);
  return sink.data();
}

void Channels::bulk_arrived(int32_t from) {
  const WireHead& head = peers_[from].bulk;
  peers_[from].bulk_arrives = false;
  peers_[from].sink = {};
  if (head.kind == Kind::Put) {
    ++peers_[from].applied;
  } else {
    give_token(*token_of(from, head.token));
  }
  handled_.fetch_add(1);
}

void Channels::gone(int32_t from, const std::string& how) {
  Peer& peer = peers_[from];
  peer.answers.clear();
  peer.bulk_arrives = false;
  if (broken_) return;
  broken_ = Broken{from, how};
  alarm_();
}

bool Channels::handle(int32_t from, const WireMessage& message) {
  const WireHead& head = message.head;
  if (!note_landed(from, head.applied)) return false;
  bool good = true;
  switch (head.kind) {
    case Kind::Put:
    case Kind::Notify:
    case Kind::Get:
    case Kind::Update:
      good = apply(from, message);
      ++peers_[from].applied;
      break;
    case Kind::Reply:
      good = take_reply(from, message);
      break;
    case Kind::Acknowledge:
      break;
    case Kind::Ask:
      answer(from, {.kind = Kind::Acknowledge, .token = 0, .value = 0, .place = nullptr, .region = {}});
      break;
  }
  handled_.fetch_add(1);  // after what it led to
  return good;
}

void Channels::answer(int32_t to, Answer&& answer) {
  std::deque<Answer>& answers = peers_[to].answers;
  if (answers.empty()) asking_.push_back(to);
  answers.push_back(std::move(answer));
}

std::byte* Channels::place_of(const WireMessage& message, const uint32_t** waiters) const {
  const auto region = regions_->find(message.head.memory, message.head.member);
  if (!region || !inside(message, region->bytes)) return nullptr;
  if (waiters) *waiters = region->waiters;
  return region->base + message.head.offset;
}

bool Channels::apply(int32_t from, const WireMessage& message) {
  WireMessage own = message;
  WireHead& head = own.head;
  const bool wide = head.kind == Kind::Update && (head.bits & abi::Wide) != 0;
  if (head.kind == Kind::Notify || head.kind == Kind::Update) {
    head.element_bytes = wide ? 8 : 4;
    if (head.offset % head.element_bytes != 0) return false;
  }
  const uint32_t* waiters = nullptr;
  std::byte* place = place_of(own, &waiters);
  if (!place) return false;
  switch (head.kind) {
    case Kind::Put: {
      if (own.elements.size() != bytes_of(own)) return false;
      const Packing packing(own);
      const runtime::Copy region = packing.unpack(own.elements.data(), place);
      if ((head.bits & abi::AtomicAdd) == 0) {
        copy(region);
      } else if (addend_bytes(head.dtype) == head.element_bytes && head.offset % head.element_bytes == 0) {
        add(region, head.dtype);
      } else {
        return false;
      }
      return true;
    }
    case Kind::Get: {
      own.elements = {};
      const bool dense = head.dims == 1 && own.dims[0].stride == 1;
      if (bytes_of(own) > small_bytes && !dense) return false;
      answer(from, {.kind = Kind::Reply, .token = head.token, .value = 0, .place = place, .region = own});
      return true;
    }
    case Kind::Notify: {
      const auto kind = static_cast<abi::NotifyKind>(head.bits);
      if (kind != abi::NotifyKind::Add && kind != abi::NotifyKind::Set) return false;
      runtime::write_cell(reinterpret_cast<int32_t*>(place), static_cast<int32_t>(head.value), kind);
      break;
    }
    default: {
      const int64_t old = runtime::update_element(place, head.expected, head.value, head.bits);
      answer(from, {.kind = Kind::Reply, .token = head.token, .value = old, .place = nullptr, .region = {}});
    }
  }
  if (!wide && __atomic_load_n(waiters, __ATOMIC_SEQ_CST) != 0) written_();
  return true;
}

bool Channels::take_reply(int32_t from, const WireMessage& message) {
  Token* token = token_of(from, message.head.token);
  if (!token) return false;
  if (token->target) {
    const uint64_t bytes = static_cast<uint64_t>(token->piece.count) * token->element_bytes;
    if (message.elements.size() != bytes) return false;
    const Packing packing(token->piece, token->element_bytes);
    if (token->question->done) copy(packing.unpack(message.elements.data(), token->target));
  } else if (token->question->done) {
    *token->old = message.head.value;
  }
  give_token(*token);
  return true;
}

bool Channels::note_landed(int32_t from, uint64_t applied) {
  Peer& peer = peers_[from];
  if (applied < peer.landed || applied > peer.sent) return false;
  if (applied == peer.landed) return true;
  peer.landed = applied;
  if (applied == peer.sent) __atomic_store_n(&unlanded_, unlanded_ - 1, __ATOMIC_RELEASE);
  std::erase_if(flushes_, [&](Flush& flush) {
    std::erase_if(flush.awaits, [&](const auto& one) { return peers_[one.first].landed >= one.second; });
    if (flush.awaits.empty()) complete(flush.done);
    return flush.awaits.empty();
  });
  return true;
}

// --- Questions and their answers.

uint64_t Channels::new_token(int32_t to, Question* question, Token** token) {
  if (free_tokens_.empty()) {
    free_tokens_.push_back(static_cast<uint32_t>(tokens_.size()));
    tokens_.emplace_back();
  }
  const uint32_t index = free_tokens_.back();
  free_tokens_.pop_back();
  Token& own = tokens_[index];
  own = {.index = index, .uses = own.uses + 1, .process = to, .question = question};
  *token = &own;
  return uint64_t{own.uses} << 32 | index;
}

Channels::Token* Channels::token_of(int32_t from, uint64_t number) {
  const auto index = static_cast<uint32_t>(number);
  if (index >= tokens_.size()) return nullptr;
  Token& token = tokens_[index];
  const bool good = token.question && token.uses == number >> 32 && token.process == from;
  return good ? &token : nullptr;
}

void Channels::give_token(Token& token) {
  Question* question = token.question;
  token.question = nullptr;
  free_tokens_.push_back(token.index);
  if (--question->messages > 0) return;
  if (question->done) complete(question->done);
  questions_.erase(question);
  delete question;
}

// From here on whoever waits may be gone, and what it waited with.
void Channels::complete(FarDone* done) {
  __atomic_store_n(&done->cell, 1, __ATOMIC_SEQ_CST);
  bell_.ring();
}

bool Channels::settled() const {
  std::lock_guard lock(mutex_);
  return closed_ || (unlanded_ == 0 && questions_.empty());
}

std::optional<Channels::Broken> Channels::broken() const {
  std::lock_guard lock(mutex_);
  return broken_;
}

void Channels::close() {
  closed_ = true;
  std::lock_guard lock(mutex_);
  engine_->close();
  for (Question* question : questions_) {
    if (question->done) complete(question->done);
    delete question;
  }
  questions_.clear();
  for (const Flush& flush : flushes_) complete(flush.done);
  flushes_.clear();
  for (Token& token : tokens_) token.question = nullptr;
  __atomic_store_n(&unlanded_, 0, __ATOMIC_RELEASE);
}

}  // namespace tilewire::processes
