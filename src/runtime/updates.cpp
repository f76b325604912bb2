// Atomic updates that return the old value, of modules with hooks; others make them inline.
#include "abi/abi.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {
namespace {

struct Update {
  void* element;
  int64_t expected, value;
  bool compares, wide;

  // Of a window, as waits see it.
  const int32_t* cell() const { return static_cast<const int32_t*>(element); }
  int64_t found() const { return element_value(element, wide); }

  // What was there.
  int64_t carry_out() const {
    return wide ? carry_out_as(static_cast<int64_t*>(element)) : carry_out_as(static_cast<int32_t*>(element));
  }

 private:
  template <class T>
  T carry_out_as(T* at) const {
    const T given = static_cast<T>(value);
    if (!compares) return __atomic_fetch_add(at, given, __ATOMIC_SEQ_CST);
    T seen = static_cast<T>(expected);
    __atomic_compare_exchange_n(at, &seen, given, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return seen;
  }
};

void trace(BlockContext& block, const Update& update, uint32_t site) {
  Run& run = *block.run;
  const uint64_t now = now_ns();
  TraceEvent event = block.event(TraceEvent::Kind::Update, site, now, now);
  event.cell = update.cell();
  event.value = static_cast<int32_t>(update.value);
  event.notify = run.note_notify(update.cell());
  block.worker->trace.push_back(event);
}

}  // namespace

abi::Status update(abi::Context* context, void* element, int64_t expected, int64_t value, uint32_t bits,
                   uint32_t site, int64_t* old) noexcept {
  BlockContext& block = BlockContext::of(context);
  Run& run = *block.run;
  const Update update{element, expected, value, (bits & abi::Compares) != 0, (bits & abi::Wide) != 0};
  if (run.random) {
    run.pause(block);
    run.land_notifies(block, update.cell());
  }
  if (run.replay) {
    ReplayStop stop{.event = ScheduleEvent::Update, .cell = update.cell(), .cmp = 0, .site = site};
    stop.expected = update.compares ? expected : value;
    stop.adds = !update.compares;
    stop.wide = update.wide;
    if (abi::Status status = run.replay->before(block, stop)) return status;
  }
  // One that finds something else has only looked; what writes releases.
  *old = update.found();
  if (!update.compares || *old == expected) {
    if (block.job) block.job->late.land_all();
    if (run.random && block.job) run.land_notifies(block);
    if (run.tracing) trace(block, update, site);
    *old = update.carry_out();
    if (!update.wide) run.wake_parked(update.cell(), *block.worker);
  }
  if (run.replay) return run.replay->behind(block);
  if (run.random) run.pause(block);
  return run.aborted() ? abi::aborted : abi::ok;
}

}  // namespace tilewire::runtime
