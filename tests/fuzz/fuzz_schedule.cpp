// Any text is either refused with one error or a schedule that is written and read again unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "driver/schedule/schedule_file.h"

using namespace tilewire;

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Diagnostics diags;
  auto schedule = driver::read_schedule({reinterpret_cast<const char*>(data), size}, "input", diags);
  check(diags.all().size() == (schedule ? 0 : 1));
  if (!schedule) {
    check(diags.text().find('\n') == diags.text().size() - 1);  // one line
    return 0;
  }
  for (const ScheduleStep& step : schedule->steps) check(!text_of(*schedule, step).empty());
  auto again = driver::read_schedule(driver::write_schedule(*schedule), "again", diags);
  check(again && *again == *schedule);
  return 0;
}
