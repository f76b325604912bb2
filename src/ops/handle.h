// A name for one op that the compiler checks: `pl::tile::add` instead of "pl.tile.add".
//
// handles.h, generated from the records, declares one per op. A handle is a constant: it may be used before
// main and from several threads, and finds its record on first use. Comparing one costs a load.
#pragma once

#include <atomic>

#include "ir/op.h"

namespace tilewire::ops {

class Handle {
 public:
  constexpr explicit Handle(const char* name) : name_(name) {}
  Handle(const Handle&) = delete;

  const ir::Op& operator*() const {
    const ir::Op* op = op_.load(std::memory_order_acquire);
    return op ? *op : find();
  }
  const ir::Op* operator->() const { return &**this; }
  operator const ir::Op&() const { return **this; }

  friend bool operator==(const ir::Op* op, const Handle& handle) { return op == &*handle; }
  friend bool operator==(const ir::Op& op, const Handle& handle) { return &op == &*handle; }

 private:
  const ir::Op& find() const;

  const char* name_;
  mutable std::atomic<const ir::Op*> op_{nullptr};
};

}  // namespace tilewire::ops
