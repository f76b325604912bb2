// Messages through shared memory and through the socket, in order whatever way each takes.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <thread>

#include "processes/stream.h"

namespace tilewire::processes {
namespace {

struct Pair {
  std::unique_ptr<MailQueue> queue = std::make_unique<MailQueue>();
  std::atomic<uint32_t> attended{0};
  Stream from, to;

  Pair() {
    int ends[2];
    TW_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no sockets for the test");
    from = Stream(ends[0]);
    to = Stream(ends[1]);
    to.receive_mail(*queue);
    from.send_mail(*queue, attended);
  }
};

Message numbered(uint64_t number, size_t bytes = 0) {
  return {.kind = Message::Kind::Gather, .number = number, .text = std::string(bytes, 'x')};
}

TEST(Mail, LongMessagesDoNotOvertakeShortOnes) {
  Pair pair;
  std::vector<uint64_t> heard;
  auto hear = [&](Message&& message) { heard.push_back(message.number); };
  uint64_t sent = 0;
  // Some are longer than the queue, and it fills up between.
  for (int round = 0; round < 20; ++round) {
    for (size_t bytes : {10, 40'000, 0, 30'000, 5, 9'000}) pair.from.send(numbered(sent++, bytes));
    pair.to.receive(hear);
    pair.from.flush();
  }
  while (pair.from.has_unsent()) {
    pair.from.flush();
    EXPECT_TRUE(pair.to.receive(hear));
  }
  EXPECT_TRUE(pair.to.receive(hear));
  ASSERT_EQ(heard.size(), sent);
  for (uint64_t i = 0; i < sent; ++i) EXPECT_EQ(heard[i], i);
}

// Who attends needs no system call to hear it, and does not hear what comes after a message in the socket.
TEST(Mail, WhoAttendsIsNotRungFor) {
  Pair pair;
  pair.attended = 1;
  pair.from.send(numbered(0));
  char byte;
  EXPECT_EQ(recv(pair.to.fd(), &byte, 1, MSG_PEEK), -1);
  pair.from.send(numbered(1, 40'000));
  pair.from.send(numbered(2));
  std::vector<uint64_t> heard;
  auto hear = [&](Message&& message) { heard.push_back(message.number); };
  EXPECT_TRUE(pair.to.take_mail(hear));
  EXPECT_EQ(heard, std::vector<uint64_t>{0});
  EXPECT_TRUE(pair.to.has_mail());
  EXPECT_TRUE(pair.to.receive(hear));
  EXPECT_EQ(heard, (std::vector<uint64_t>{0, 1, 2}));
  pair.attended = 0;
  pair.from.send(numbered(3));
  EXPECT_EQ(recv(pair.to.fd(), &byte, 1, MSG_PEEK), 1);
}

// What was sent before the end is heard before it.
TEST(Mail, TheEndComesLast) {
  Pair pair;
  pair.attended = 1;
  pair.from.send(numbered(0));
  pair.from.close();
  int heard = 0;
  EXPECT_FALSE(pair.to.receive([&](Message&&) { ++heard; }));
  EXPECT_EQ(heard, 1);
  EXPECT_FALSE(pair.to.garbled());
}

TEST(Mail, AQueueGoesRound) {
  MailQueue queue;
  constexpr uint64_t count = 20'000;
  std::thread writer([&] {
    for (uint64_t i = 0; i < count; ++i) {
      while (!queue.push(i, std::string(i % 700, static_cast<char>(i)))) std::this_thread::yield();
    }
  });
  std::string bytes;
  for (uint64_t i = 0; i < count; ++i) {
    while (queue.empty()) std::this_thread::yield();
    ASSERT_EQ(queue.front(), i);
    ASSERT_TRUE(queue.pop(bytes));
    ASSERT_EQ(bytes, std::string(i % 700, static_cast<char>(i)));
  }
  writer.join();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace tilewire::processes
