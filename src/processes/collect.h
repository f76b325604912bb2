// After a call: what its parts of the world have noted, in process 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/process_world.h"
#include "runtime/run.h"
#include "runtime/trace_records.h"

namespace tilewire::processes {

struct Noted {
  runtime::Stats stats;
  std::vector<runtime::TraceRecord> records;
};

// Adds what the other processes have noted, in process 0. All processes call this, last before they leave
// `admit`. False, and nothing was added, when the world refused (ProcessWorld::refusal) or there is no
// memory.
bool collect(ProcessWorld& world, Noted& own);

std::string encode(const Noted& noted);
// Nothing when the bytes are something else.
std::optional<Noted> decode_noted(std::string_view bytes);

}  // namespace tilewire::processes
