#include "processes/collect.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "processes/bytes.h"

namespace tilewire::processes {

bool collect(ProcessWorld& world, Noted& own) {
  const std::string mine = encode(own);
  Writer to;
  to.number(static_cast<uint64_t>(mine.size()));
  const auto all = world.gather(to.take());
  if (!all) return false;
  std::vector<uint64_t> sizes;
  for (const std::string& size : *all) sizes.push_back(Reader(size).number<uint64_t>());
  const auto memory = world.exchange_memory(*std::max_element(sizes.begin(), sizes.end()));
  if (!memory) return false;
  std::memcpy(memory->regions[world.process()], mine.data(), mine.size());
  if (!world.gather("")) return false;  // all are there
  std::vector<std::vector<std::byte>> copies(sizes.size());
  std::vector<const std::byte*> at(sizes.size());
  for (size_t p = 1; p < sizes.size() && world.process() == 0; ++p) {
    at[p] = world.read(*memory, static_cast<int32_t>(p), sizes[p], copies[p]);
  }
  if (world.has_far() && !world.gather("")) return false;
  for (size_t p = 1; p < sizes.size() && world.process() == 0; ++p) {
    auto theirs = decode_noted({reinterpret_cast<const char*>(at[p]), sizes[p]});
    TW_CHECK(theirs, "what a process has noted is something else");
    std::vector<runtime::RankStats>& ranks = own.stats.ranks;
    ranks.insert(ranks.end(), theirs->stats.ranks.begin(), theirs->stats.ranks.end());
    own.stats.wall_ns = std::max(own.stats.wall_ns, theirs->stats.wall_ns);
    own.stats.threads += theirs->stats.threads;
    std::move(theirs->records.begin(), theirs->records.end(), std::back_inserter(own.records));
  }
  return true;
}

std::string encode(const Noted& noted) {
  Writer to;
  to.list(noted.stats.ranks, [&](const runtime::RankStats& rank) { to.number(rank); });
  to.number(noted.stats.wall_ns);
  to.number(noted.stats.threads);
  to.list(noted.records, [&](const runtime::TraceRecord& record) {
    to.number(record.worker);
    to.number(record.event);
    to.text(record.name);
    to.number(record.site);
    to.number(record.launch);
    to.number(record.cell);
    to.text(record.cell_name);
  });
  return to.take();
}

std::optional<Noted> decode_noted(std::string_view bytes) {
  Noted noted;
  Reader from(bytes);
  from.list([&] { noted.stats.ranks.push_back(from.number<runtime::RankStats>()); });
  noted.stats.wall_ns = from.number<uint64_t>();
  noted.stats.threads = from.number<int32_t>();
  from.list([&] {
    runtime::TraceRecord& record = noted.records.emplace_back();
    record.worker = from.number<uint32_t>();
    record.event = from.number<runtime::TraceEvent>();
    record.name = from.text();
    record.site = from.number<uint32_t>();
    record.launch = from.number<uint64_t>();
    record.cell = from.number<uint64_t>();
    record.cell_name = from.text();
  });
  return from.complete() ? std::optional(std::move(noted)) : std::nullopt;
}

}  // namespace tilewire::processes
