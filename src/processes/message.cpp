#include "processes/message.h"

#include <algorithm>

#include "processes/bytes.h"

namespace tilewire::processes {
namespace {

bool is_row(Diag row) {
  static const std::vector<Diag> rows = all_diags();
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

void write(Writer& to, const Blocked& one) {
  to.number(one.rank);
  to.number(one.block);
  to.number(one.blocks);
  to.text(one.kernel);
  to.number(one.site);
  to.text(one.cell);
  to.number(one.seen);
  to.number(one.cmp);
  to.number(one.expected);
  to.number(one.does);
  to.number(one.for_cores);
  to.number(one.cores);
}

Blocked read_blocked(Reader& from) {
  Blocked one;
  one.rank = from.number<int32_t>();
  one.block = from.number<int64_t>();
  one.blocks = from.number<int64_t>();
  one.kernel = from.text();
  one.site = from.number<uint32_t>();
  one.cell = from.text();
  one.seen = from.number<int64_t>();
  one.cmp = static_cast<uint32_t>(from.choice(abi::Compare::Le));
  one.expected = from.number<int32_t>();
  one.does = from.choice(Blocked::Does::Update);
  one.for_cores = from.number<int64_t>();
  one.cores = from.number<int64_t>();
  return one;
}

void write(Writer& to, const Failure& failure) {
  to.number(failure.cause);
  to.number(failure.fault);
  to.number(failure.site);
  for (int64_t number : failure.numbers) to.number(number);
  to.number(failure.rank);
  to.number(failure.ranks);
  to.number(failure.block);
  to.number(failure.blocks);
  to.text(failure.kernel);
  to.text(failure.text);
  to.number(failure.row);
  to.list(failure.words, [&](const std::string& word) { to.text(word); });
  to.list(failure.blocked, [&](const Blocked& one) { write(to, one); });
}

Failure read_failure(Reader& from) {
  Failure failure;
  failure.cause = from.choice(runtime::last_cause);
  failure.fault = from.number<abi::Fault>();  // describe() has words for those that do not exist
  failure.site = from.number<uint32_t>();
  for (int64_t& number : failure.numbers) number = from.number<int64_t>();
  failure.rank = from.number<int32_t>();
  failure.ranks = from.number<int32_t>();
  failure.block = from.number<int64_t>();
  failure.blocks = from.number<int64_t>();
  failure.kernel = from.text();
  failure.text = from.text();
  failure.row = from.number<Diag>();
  from.list([&] { failure.words.push_back(from.text()); });
  from.list([&] { failure.blocked.push_back(read_blocked(from)); });
  using runtime::Cause;
  const bool has_row = failure.cause == Cause::Row || failure.cause == Cause::World;
  if (has_row && !is_row(failure.row)) from.refuse();
  return failure;
}

}  // namespace

std::string encode(const Message& message) {
  Writer to;
  to.number(message.kind);
  to.number(message.number);
  to.number(message.call);
  to.number(message.turns);
  to.number(message.under_way);
  to.number(static_cast<uint8_t>(message.quiet));
  to.text(message.text);
  to.list(message.terms, [&](const Term& term) {
    to.text(term.name);
    to.text(term.value);
  });
  to.list(message.parts, [&](const std::string& part) { to.text(part); });
  to.number(static_cast<uint8_t>(message.failure.has_value()));
  if (message.failure) write(to, *message.failure);
  to.number(static_cast<uint8_t>(message.waits.has_value()));
  if (message.waits) to.list(*message.waits, [&](const Blocked& one) { write(to, one); });
  return to.take();
}

std::optional<Message> decode(std::string_view bytes) {
  Reader from(bytes);
  Message message;
  message.kind = from.choice(Message::Kind::Ping);
  message.number = from.number<uint64_t>();
  message.call = from.number<uint64_t>();
  message.turns = from.number<uint64_t>();
  message.under_way = from.number<uint64_t>();
  message.quiet = from.number<uint8_t>() != 0;
  message.text = from.text();
  from.list([&] {
    std::string name = from.text(), value = from.text();
    message.terms.push_back({std::move(name), std::move(value)});
  });
  from.list([&] { message.parts.push_back(from.text()); });
  if (from.number<uint8_t>() != 0) message.failure = read_failure(from);
  if (from.number<uint8_t>() != 0) {
    message.waits.emplace();
    from.list([&] { message.waits->push_back(read_blocked(from)); });
  }
  return from.complete() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace tilewire::processes
