// What processes send each other: whole, in order, and safe from whoever sends something else.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "processes/message.h"
#include "processes/stream.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::processes {
namespace {

Message full_message() {
  Message message{
      .kind = Message::Kind::Waits, .number = 7, .call = 8, .turns = 9, .quiet = true, .text = "t"};
  message.terms = {{"a", "1"}, {"b", std::string("\0x", 2)}};
  message.parts = {"", "part"};
  Failure failure;
  failure.cause = runtime::Cause::Row;
  failure.row = diag::run_step_zero;
  failure.words = {"w"};
  failure.rank = 3;
  failure.kernel = "k";
  failure.numbers[3] = -1;
  message.failure = failure;
  message.waits = {{.rank = 2, .block = 1, .cell = "c", .seen = 5, .cmp = 1, .expected = 6}};
  return message;
}

TEST(Messages, ComeBackAsTheyWere) {
  const std::string bytes = encode(full_message());
  const auto read = decode(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode(*read), bytes);
  EXPECT_EQ(read->kind, Message::Kind::Waits);
  EXPECT_EQ(read->terms[1].value, std::string("\0x", 2));
  EXPECT_EQ(read->failure->rank, 3);
  EXPECT_EQ(read->failure->numbers[3], -1);
  EXPECT_EQ(read->waits->at(0).cell, "c");
}

TEST(Messages, PartsOfOneAreNone) {
  const std::string bytes = encode(full_message());
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode(bytes + "x"));
}

TEST(Messages, ChangedBytesAreReadOrRefused) {
  std::mt19937 random(1);
  const std::string bytes = encode(full_message());
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = bytes;
    for (int i = 0; i <= round % 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    if (auto read = decode(changed)) {
      if (read->failure) describe(*read->failure, abi::Module{});  // has words, whatever it is
    }
  }
}

TEST(Streams, LargeMessagesArriveWholeAndNothingBlocks) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Stream from(ends[0]), to(ends[1]);
  const std::string large(3'000'000, 'x');
  for (int i = 0; i < 3; ++i) {
    from.send({.kind = Message::Kind::Gather, .number = static_cast<uint64_t>(i), .text = large});
  }
  EXPECT_TRUE(from.has_unsent());
  std::vector<uint64_t> heard;
  while (heard.size() < 3) {
    from.flush();
    ASSERT_TRUE(to.receive([&](Message&& message) {
      EXPECT_EQ(message.text, large);
      heard.push_back(message.number);
    }));
  }
  EXPECT_EQ(heard, (std::vector<uint64_t>{0, 1, 2}));
  from.send({.kind = Message::Kind::Bye});
  from.close();
  bool bye = false;
  EXPECT_FALSE(to.receive([&](Message&&) { bye = true; }));
  EXPECT_TRUE(bye);
  EXPECT_FALSE(to.garbled());
}

TEST(Streams, WhatIsNoMessageEndsTheConnection) {
  for (const std::string& bytes : {std::string(64, '\xFF'), std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string("\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x77", 17)}) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Stream to(ends[1]);
    ASSERT_EQ(write(ends[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_FALSE(to.receive([](Message&&) { FAIL(); }));
    EXPECT_TRUE(to.garbled());
    close(ends[0]);
  }
}

}  // namespace
}  // namespace tilewire::processes
