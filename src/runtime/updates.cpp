// Atomic updates that return the old value, as far as generated code does not make them inline: those that
// have to be sent or must not come too early, and with hooks all of them.
#include "runtime/run_state.h"
#include "runtime/signals.h"

namespace tilewire::runtime {
namespace {

struct Update {
  void* element;
  int64_t expected, value;
  uint32_t bits;

  bool compares() const { return (bits & abi::Compares) != 0; }
  bool wide() const { return (bits & abi::Wide) != 0; }
  // Of a window, as waits see it.
  const int32_t* cell() const { return static_cast<const int32_t*>(element); }
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
  const Update update{element, expected, value, bits};
  if (run.random) {
    run.pause(block);
    run.land_notifies(block, update.cell());
  }
  if (run.replay) {
    ReplayStop stop{.event = ScheduleEvent::Update, .cell = update.cell(), .cmp = 0, .site = site};
    stop.expected = update.compares() ? expected : value;
    stop.adds = !update.compares();
    stop.wide = update.wide();
    if (abi::Status status = run.replay->before(block, stop)) return status;
  }
  if (run.far.any()) {
    if (abi::Status status = run.far.release(block, element, site)) return status;
  }
  if (run.far.has(element)) {
    if (block.job) block.job->late.land_all();
    if (run.random && block.job) run.land_notifies(block);
    if (run.tracing) trace(block, update, site);
    return run.far.update(block, element, expected, value, bits, site, old);
  }
  // One that finds something else has only looked; what writes releases.
  *old = element_value(element, update.wide());
  if (!update.compares() || *old == expected) {
    if (block.job) block.job->late.land_all();
    if (run.random && block.job) run.land_notifies(block);
    if (run.tracing) trace(block, update, site);
    *old = update_element(element, expected, value, bits);
    if (!update.wide()) run.wake_parked(update.cell(), *block.worker);
  }
  if (run.replay) return run.replay->behind(block);
  if (run.random) run.pause(block);
  return run.aborted() ? abi::aborted : abi::ok;
}

}  // namespace tilewire::runtime
