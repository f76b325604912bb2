// Which parts of arrays ranks of several processes may share, and what is sent after a call.
#include "runtime/array_parts.h"

#include <gtest/gtest.h>

#include "program.h"

namespace tilewire::runtime {
namespace {

const World::Part first_half{.first = 0, .count = 2};

// Rows [from, to) of a [8, 4] array of INT32, used by `rank`.
void add_rows(ArrayParts& parts, int32_t* data, int32_t rank, int64_t from, int64_t to, bool written) {
  const std::vector<abi::Word> words = dense(data + from * 4, {to - from, 4});
  parts.add(rank, tensor(abi::Reads, 2), words.data(), 7, written);
}

TEST(ArrayParts, ConflictsAreBetweenProcessesAndNeedAWriter) {
  struct Case {
    int32_t a, b;
    int64_t to_a, from_b;
    bool writes_a, writes_b, conflict;
  };
  const Case cases[] = {
      {0, 2, 4, 3, true, false, true},    // rank 0 writes row 3, rank 2 reads it
      {0, 2, 4, 3, false, true, true},    // the other way round
      {0, 2, 4, 3, false, false, false},  // both read
      {0, 2, 4, 4, true, true, false},    // no common row
      {0, 1, 4, 3, true, true, false},    // one process
      {2, 3, 4, 3, true, true, false},    // one process elsewhere
  };
  int32_t data[32] = {};
  for (const Case& one : cases) {
    ArrayParts parts;
    add_rows(parts, data, one.b, one.from_b, 8, one.writes_b);
    add_rows(parts, data, one.a, 0, one.to_a, one.writes_a);
    const auto found = parts.conflict(first_half);
    EXPECT_EQ(found.has_value(), one.conflict);
    EXPECT_TRUE(!found || found->first.written);
  }
}

TEST(ArrayParts, ColumnsAreNoConflict) {
  int32_t data[32] = {};
  ArrayParts parts;
  for (int32_t rank = 0; rank < 4; ++rank) {
    std::vector<abi::Word> column = dense(data + rank, {8, 1});
    column[3] = 4;  // from row to row
    parts.add(rank, tensor(abi::Writes, 2), column.data(), 7, true);
  }
  EXPECT_FALSE(parts.conflict(first_half));
  EXPECT_EQ(parts.written().size(), 4u);
}

TEST(ArrayParts, WhatIsWrittenIsListedOnce) {
  int32_t data[32] = {};
  ArrayParts parts;
  for (int call = 0; call < 3; ++call) {
    for (int32_t rank = 0; rank < 4; ++rank) {
      add_rows(parts, data, rank, 2 * rank, 2 * rank + 2, rank % 2 == 0);
    }
  }
  const std::vector<ArrayPart> written = parts.written();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[1].rank, 2);
  EXPECT_EQ(written[1].bytes(), 32u);
}

}  // namespace
}  // namespace tilewire::runtime
