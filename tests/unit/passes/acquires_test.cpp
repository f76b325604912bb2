// Which operations may make visible what other tasks have done.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/mark_polls.h"
#include "passes_test.h"

namespace tilewire::passes {
namespace {

struct Sorted : ir::Visitor<Sorted> {
  std::set<std::string> acquire, others;
  void visit(const ir::Call& call) {
    walk_children(call);
    (may_acquire(call) ? acquire : others).insert(call.op->qualified());
  }
};

// Of all that the programs of the language use, before and after lowering.
TEST(Acquires, AreWaitsTestsLooksAndUpdates) {
  Sorted sorted;
  for (const std::string& file : program_files()) {
    for (const std::string& text : {file_text(file), after("", file_text(file))}) {
      if (ir::ProgramRef program = read_text(text)) sorted.walk(*program);
    }
  }
  for (const char* name :
       {"pld.system.wait", "pld.system.test", "pld.system.wait_all", "pld.system.fetch_add",
        "pld.system.compare_exchange", "pl.tensor.atomic_add", "pl.tensor.atomic_cas", "pl.tensor.read"}) {
    EXPECT_TRUE(sorted.acquire.contains(name)) << name;
  }
  for (const char* name :
       {"pld.system.notify", "pld.system.notify_all", "pld.tensor.put", "pld.tensor.get",
        "pld.tile.remote_load", "pld.tile.remote_store", "pl.tile.load", "pl.tile.store", "pl.tile.add"}) {
    EXPECT_TRUE(sorted.others.contains(name)) << name;
    EXPECT_FALSE(sorted.acquire.contains(name)) << name;
  }
}

}  // namespace
}  // namespace tilewire::passes
