#include "fake_mpi.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tilewire::processes {
namespace {

constexpr int32_t short_bytes = 4096;

bool match(int32_t wanted, int32_t from) {
  return wanted < 0 || wanted == from;
}

}  // namespace

FakeMpiNetwork::FakeMpiNetwork(int32_t ranks) {
  for (int32_t rank = 0; rank < ranks; ++rank) {
    ranks_.push_back({this, rank, {}, {}});
    TilewireMpi& table = tables_.emplace_back();
    table.version = tilewire_mpi_version;
    table.data = &ranks_.back();
    table.is_over = is_over;
    table.send = send;
    table.receive = receive;
    table.test = test;
    table.cancel = cancel;
    table.explain = explain;
  }
}

size_t FakeMpiNetwork::pending(int32_t rank) {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(operations_.begin(), operations_.end(),
                                           [&](const auto& one) { return one.second.owner == rank; }));
}

void FakeMpiNetwork::fail_sends_to(int32_t rank) {
  std::lock_guard lock(mutex_);
  failing_.insert(rank);
}

int32_t FakeMpiNetwork::is_over(TilewireMpi* table) {
  return rank_of(table).network->over_;
}

uint64_t FakeMpiNetwork::begin(int32_t owner) {
  operations_[++begun_].owner = owner;
  return begun_;
}

void FakeMpiNetwork::meet(const Receive& receive, const Message& message) {
  Operation& received = operations_[receive.operation];
  received.done = true;
  received.from = message.from;
  received.bytes = std::min(message.bytes, receive.bytes);
  if (message.bytes > receive.bytes) received.error = truncated;
  const std::byte* from = message.operation != 0 ? message.place : message.copy.data();
  if (received.bytes > 0) std::memcpy(receive.place, from, static_cast<size_t>(received.bytes));
  if (message.operation != 0) operations_[message.operation].done = true;
}

int32_t FakeMpiNetwork::send(TilewireMpi* table, const void* bytes, int32_t count, int32_t to, int32_t tag,
                             TilewireMpiRequest* request) {
  Rank& own = rank_of(table);
  FakeMpiNetwork& net = *own.network;
  std::lock_guard lock(net.mutex_);
  if (net.is_late()) return used_when_over;
  if (net.failing_.contains(to)) return send_error;
  request->word = net.begin(own.number);
  const auto* place = static_cast<const std::byte*>(bytes);
  Message message{request->word, own.number, tag, {}, place, count};
  if (count <= short_bytes) {
    message.copy.assign(place, place + count);
    message.operation = 0;
    net.operations_[request->word].done = true;
  }
  std::deque<Receive>& posted = net.ranks_[to].posted;
  const auto found = std::find_if(posted.begin(), posted.end(), [&](const Receive& one) {
    return one.tag == tag && match(one.from, own.number);
  });
  if (found == posted.end()) {
    net.ranks_[to].unexpected.push_back(std::move(message));
  } else {
    net.meet(*found, message);
    posted.erase(found);
  }
  return 0;
}

int32_t FakeMpiNetwork::receive(TilewireMpi* table, void* bytes, int32_t count, int32_t from, int32_t tag,
                                TilewireMpiRequest* request) {
  Rank& own = rank_of(table);
  FakeMpiNetwork& net = *own.network;
  std::lock_guard lock(net.mutex_);
  if (net.is_late()) return used_when_over;
  request->word = net.begin(own.number);
  const Receive receive{request->word, from, tag, static_cast<std::byte*>(bytes), count};
  const auto found = std::find_if(own.unexpected.begin(), own.unexpected.end(), [&](const Message& one) {
    return one.tag == tag && match(from, one.from);
  });
  if (found == own.unexpected.end()) {
    own.posted.push_back(receive);
  } else {
    net.meet(receive, *found);
    own.unexpected.erase(found);
  }
  return 0;
}

int32_t FakeMpiNetwork::test(TilewireMpi* table, TilewireMpiRequest* request, TilewireMpiStatus* status) {
  FakeMpiNetwork& net = *rank_of(table).network;
  std::lock_guard lock(net.mutex_);
  if (net.is_late()) return used_when_over;
  status->done = 1;
  if (request->word == 0) return 0;
  const Operation operation = net.operations_[request->word];
  status->done = operation.done && net.random_() % 4 != 0;
  if (!status->done) return 0;
  status->from = operation.from;
  status->bytes = operation.bytes;
  net.operations_.erase(request->word);
  request->word = 0;
  return operation.error;
}

int32_t FakeMpiNetwork::cancel(TilewireMpi* table, TilewireMpiRequest* request) {
  Rank& own = rank_of(table);
  FakeMpiNetwork& net = *own.network;
  std::lock_guard lock(net.mutex_);
  if (net.is_late()) return used_when_over;
  const size_t undone =
      std::erase_if(own.posted, [&](const Receive& one) { return one.operation == request->word; });
  if (undone > 0) net.operations_[request->word].done = true;
  return 0;
}

void FakeMpiNetwork::explain(TilewireMpi*, int32_t error, char* text, int32_t size) {
  std::snprintf(text, static_cast<size_t>(size), "error %d", error);
}

}  // namespace tilewire::processes
