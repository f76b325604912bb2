// Any bytes are either refused or a message that is written and read again unchanged, and whose failure has
// words. The leader takes any messages of its processes, in any order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "processes/leader.h"
#include "processes/message.h"

using namespace tilewire;
using namespace tilewire::processes;

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

// How many bytes of the input the next message has, and who sends it.
struct Head {
  uint8_t process;
  uint8_t bytes;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int32_t processes = 3;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  uint64_t now_ns = 0;
  const auto send = [](int32_t to, const Message& message) {
    check(to >= 0 && to < processes && decode(encode(message)));
  };
  Leader leader(
      processes, send, [](const std::string&) {}, Limits());
  while (input.size() >= sizeof(Head)) {
    Head head;
    std::memcpy(&head, input.data(), sizeof head);
    input.remove_prefix(sizeof head);
    const std::string_view bytes = input.substr(0, head.bytes == UINT8_MAX ? input.size() : head.bytes);
    input.remove_prefix(bytes.size());
    auto message = decode(bytes);
    if (!message) continue;
    const std::string written = encode(*message);
    const auto again = decode(written);
    check(again && encode(*again) == written);
    if (message->failure) check(!describe(*message->failure, abi::Module{}).message.empty());
    leader.hear(head.process % processes, std::move(*message), now_ns += 100'000'000);
    if (head.process >= 128) leader.tick(now_ns);
  }
  return 0;
}
