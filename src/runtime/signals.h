// The functions of abi::Api that are about signals, and how a fiber waits.
#pragma once

#include "abi/abi.h"
#include "runtime/job.h"

namespace tilewire::runtime {

abi::Status wait(abi::Context* context, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site,
                 int32_t* seen) noexcept;
void wake(abi::Context* context, const int32_t* cell) noexcept;
abi::Status yield(abi::Context* context, const int32_t* cell, uint32_t site) noexcept;
void look(abi::Context* context, const int32_t* cell, int32_t value, uint32_t cmp, uint32_t site,
          uint32_t kind) noexcept;
abi::Status poll(abi::Context* context, const abi::Word* carried, uint32_t count, uint32_t depth,
                 uint32_t again, uint32_t site) noexcept;
abi::Status notify(abi::Context* context, int32_t* cell, int32_t value, uint32_t kind, int32_t peer,
                   uint32_t site) noexcept;
abi::Status test(abi::Context* context, const int32_t* cell, int32_t expected, uint32_t cmp, uint32_t site,
                 int32_t* held) noexcept;
abi::Status land(abi::Context* context, uint32_t site) noexcept;
// In updates.cpp.
abi::Status update(abi::Context* context, void* element, int64_t expected, int64_t value, uint32_t bits,
                   uint32_t site, int64_t* old) noexcept;

// Whether the waiter's condition holds, now or soon: spins for a while if another worker may write the value
// and this one has nothing else to do.
bool met_soon(const BlockContext& block, Waiter& waiter);
// `op` needs a fiber, and the block has none: stops the run.
abi::Status cannot_block(BlockContext& block, const char* op);

}  // namespace tilewire::runtime
