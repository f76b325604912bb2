#include "processes/messages/mpi_engine.h"

#include <algorithm>
#include <cstring>

#include "support/diagnostics.h"

namespace tilewire::processes {
namespace {

constexpr size_t most_slots = 64;
constexpr int last_tests = 100;

// Ends a packet.
struct Trailer {
  uint64_t bulk_bytes;
};
constexpr size_t slot_bytes = Engine::longest_packet + sizeof(Trailer);

// What MPI may still read or write stays to the end of the process.
template <class T>
void keep_forever(T&& value) {
  static auto& kept = *new std::vector<std::decay_t<T>>;
  kept.push_back(std::forward<T>(value));
}

}  // namespace

MpiEngine::MpiEngine(TilewireMpi& mpi, int32_t processes, uint64_t segment_bytes)
    : mpi_(mpi),
      segment_bytes_(segment_bytes),
      slots_(most_slots),
      out_(static_cast<size_t>(processes)),
      in_(static_cast<size_t>(processes)) {
  for (Slot& slot : slots_) {
    slot.bytes = std::make_unique_for_overwrite<std::byte[]>(slot_bytes);
    post(slot);
  }
}

MpiEngine::~MpiEngine() {
  close();
}

bool MpiEngine::post(Slot& slot) {
  slot.posted = mpi_.receive(&mpi_, slot.bytes.get(), slot_bytes, -1, PacketTag, &slot.request) == 0;
  return slot.posted;
}

std::string MpiEngine::explain(int32_t error) const {
  char text[256];
  mpi_.explain(&mpi_, error, text, sizeof text);
  return text;
}

uint64_t MpiEngine::send(int32_t to, std::string packet, std::span<const std::byte> bulk) {
  Out& out = out_[to];
  const uint64_t number = ++out.sent;
  TW_CHECK(packet.size() <= longest_packet, "a packet that is too long");
  if (closed_ || in_[to].gone) {
    out.left = number;
    return number;
  }
  const Trailer trailer{bulk.size()};
  packet.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  Frame& frame = out.frames.emplace_back(Frame{.packet = std::move(packet)});
  frame.bytes = frame.packet.size() + bulk.size();
  out.waiting_bytes += frame.bytes;
  start(to, frame.packet.data(), frame.packet.size(), PacketTag, frame);
  for (size_t at = 0; at < bulk.size(); at += segment_bytes_) {
    start(to, bulk.data() + at, std::min<size_t>(segment_bytes_, bulk.size() - at), BulkTag, frame);
  }
  // What is short has left at once.
  if (out.frames.size() == 1) send_on(to);
  if (!out.frames.empty() && !out.is_sending) {
    out.is_sending = true;
    sending_.push_back(to);
  }
  return number;
}

void MpiEngine::start(int32_t to, const void* bytes, size_t count, Tag tag, Frame& frame) {
  Request request{};
  if (const int32_t error = mpi_.send(&mpi_, bytes, static_cast<int32_t>(count), to, tag, &request)) {
    failed_.emplace_back(to, explain(error));
  } else {
    frame.requests.push_back(request);
  }
}

// Drops what has left. Whether anything has.
bool MpiEngine::send_on(int32_t to) {
  Out& out = out_[to];
  bool any = false;
  while (!out.frames.empty()) {
    Frame& frame = out.frames.front();
    while (!frame.requests.empty()) {
      TilewireMpiStatus status{};
      if (const int32_t error = mpi_.test(&mpi_, &frame.requests.front(), &status)) {
        failed_.emplace_back(to, explain(error));
        return any;
      }
      if (!status.done) return any;
      frame.requests.erase(frame.requests.begin());
    }
    out.waiting_bytes -= frame.bytes;
    ++out.left;
    out.frames.pop_front();
    any = true;
  }
  return any;
}

bool MpiEngine::poll(Receiver& receiver) {
  if (closed_) return false;
  bool any = false;
  for (size_t i = 0; i < sending_.size();) {
    Out& out = out_[sending_[i]];
    any |= send_on(sending_[i]);
    if (!out.frames.empty()) {
      ++i;
      continue;
    }
    out.is_sending = false;
    sending_[i] = sending_.back();
    sending_.pop_back();
  }
  for (size_t i = 0; i < receiving_bulk_.size();) {
    const int32_t from = receiving_bulk_[i];
    any |= take_bulk(from, receiver);
    if (in_[from].bulk) {
      ++i;
    } else {
      receiving_bulk_[i] = receiving_bulk_.back();
      receiving_bulk_.pop_back();
    }
  }
  any |= take_packet(receiver);
  for (const auto& [process, how] : failed_) {
    if (in_[process].gone) continue;
    shut(process);
    receiver.gone(process, how.c_str());
  }
  failed_.clear();
  return any;
}

// One at a time: to look for another one takes longer than whoever waits for this one should wait.
bool MpiEngine::take_packet(Receiver& receiver) {
  Slot& slot = slots_[next_];
  TilewireMpiStatus status{};
  if (!slot.posted) return false;
  if (const int32_t error = mpi_.test(&mpi_, &slot.request, &status)) {
    // Of whom it is MPI may not have said; the leader finds out who has ended.
    const bool known = status.from >= 0 && status.from < static_cast<int32_t>(in_.size());
    failed_.emplace_back(known ? status.from : 0, explain(error));
    slot.posted = false;
    return true;
  }
  if (!status.done) return false;
  next_ = (next_ + 1) % slots_.size();
  const std::span<const std::byte> bytes(slot.bytes.get(), static_cast<size_t>(status.bytes));
  In& in = in_[status.from];
  if (in.bulk) {
    in.held.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else if (!in.gone) {
    read(status.from, bytes, receiver);
  }
  post(slot);
  return true;
}

bool MpiEngine::read(int32_t from, std::span<const std::byte> bytes, Receiver& receiver) {
  In& in = in_[from];
  Trailer trailer{};
  bool good = bytes.size() >= sizeof trailer;
  if (good) {
    const auto packet = bytes.first(bytes.size() - sizeof trailer);
    std::memcpy(&trailer, bytes.data() + packet.size(), sizeof trailer);
    if (trailer.bulk_bytes == 0) {
      good = receiver.receive(from, packet);
    } else {
      in.bulk = receiver.receive_bulk(from, packet, trailer.bulk_bytes);
      in.bulk_left = trailer.bulk_bytes;
      good = in.bulk && receive_segment(from);
      if (good && std::find(receiving_bulk_.begin(), receiving_bulk_.end(), from) == receiving_bulk_.end()) {
        receiving_bulk_.push_back(from);
      }
    }
  }
  if (good) return true;
  shut(from);
  receiver.gone(from, "what it sent is not a message");
  return false;
}

bool MpiEngine::receive_segment(int32_t from) {
  In& in = in_[from];
  const auto count = static_cast<int32_t>(std::min(segment_bytes_, in.bulk_left));
  return mpi_.receive(&mpi_, in.bulk, count, from, BulkTag, &in.request) == 0;
}

bool MpiEngine::take_bulk(int32_t from, Receiver& receiver) {
  In& in = in_[from];
  TilewireMpiStatus status{};
  if (const int32_t error = mpi_.test(&mpi_, &in.request, &status)) {
    shut(from);
    receiver.gone(from, explain(error).c_str());
    return true;
  }
  if (!status.done) return false;
  const uint64_t expected = std::min(segment_bytes_, in.bulk_left);
  in.bulk += expected;
  in.bulk_left -= expected;
  bool good = static_cast<uint64_t>(status.bytes) == expected;
  if (good && in.bulk_left > 0) good = receive_segment(from);
  if (!good) {
    in.bulk = nullptr;
    shut(from);
    receiver.gone(from, "what it sent is not a message");
    return true;
  }
  if (in.bulk_left > 0) return true;
  in.bulk = nullptr;
  receiver.bulk_arrived(from);
  while (!in.held.empty() && !in.bulk) {
    const std::string packet = std::move(in.held.front());
    in.held.pop_front();
    if (!read(from, std::as_bytes(std::span(packet)), receiver)) break;
  }
  return true;
}

// Nothing more goes there or comes from there.
void MpiEngine::shut(int32_t process) {
  Out& out = out_[process];
  In& in = in_[process];
  in.gone = true;
  in.held.clear();
  if (in.bulk) mpi_.cancel(&mpi_, &in.request);
  in.bulk = nullptr;
  out.left = out.sent;
  out.waiting_bytes = 0;
  if (!out.frames.empty()) abandoned_.push_back(std::move(out.frames));
  out.frames.clear();
}

bool MpiEngine::ends(Request& request) const {
  for (int i = 0; i < last_tests; ++i) {
    TilewireMpiStatus status{};
    if (mpi_.test(&mpi_, &request, &status) != 0) return false;
    if (status.done) return true;
  }
  return false;
}

// Waits for nobody.
void MpiEngine::close() {
  if (closed_) return;
  closed_ = true;
  const bool over = mpi_.is_over(&mpi_) != 0;
  for (int32_t p = 0; p < static_cast<int32_t>(out_.size()); ++p) {
    if (!over) send_on(p);
    if (over) in_[p].bulk = nullptr;  // there is nothing to be cancelled
    shut(p);
  }
  for (auto& frames : abandoned_) keep_forever(std::move(frames));
  abandoned_.clear();
  for (Slot& slot : slots_) {
    if (!slot.posted) continue;
    const bool undone = !over && mpi_.cancel(&mpi_, &slot.request) == 0 && ends(slot.request);
    if (!undone) keep_forever(std::move(slot.bytes));
  }
  slots_.clear();
}

}  // namespace tilewire::processes
