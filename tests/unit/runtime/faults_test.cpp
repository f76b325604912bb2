// The text of everything that can go wrong at run time.
#include <gtest/gtest.h>

#include <atomic>

#include "program.h"
#include "runtime/failure.h"

namespace tilewire::runtime {
namespace {

constexpr uint32_t ge = static_cast<uint32_t>(abi::Compare::Ge);

// A kernel that reports `fault`, as a user sees it.
std::string shown(abi::Fault fault, const char* what, int64_t a = 0, int64_t b = 0, int64_t c = 0,
                  int64_t d = 0) {
  Program program;
  uint32_t site = program.site(what, 12);
  const abi::Function& kernel = program.function("kern", {});
  Body body = [&](Context* context, const Word*) {
    return context->api->fail(context, fault, site, a, b, c, d);
  };
  Outcome outcome =
      program.run([&](Context* context, const Word*) { return submit(context, kernel, body); }, 1);
  EXPECT_EQ(outcome.ending, Ending::Error);
  EXPECT_EQ(outcome.rank, 0);
  EXPECT_EQ(outcome.block, 0);
  std::string all = text(outcome);
  std::string rest = std::string("\n  --> k.py:12:5\n   = ") + what + "\n   = note: in `kern`\n";
  const size_t at = all.find(rest);
  EXPECT_NE(at, std::string::npos) << all;
  const std::string after = at == std::string::npos ? "" : all.substr(at + rest.size());
  EXPECT_TRUE(after.empty() || after.starts_with("   = help: ")) << all;
  return all.substr(0, all.find('\n'));
}

TEST(Faults, EachHasItsText) {
  using abi::Fault;
  EXPECT_EQ(shown(Fault::IndexOutOfRange, "x[i]", 16, 16, 1),
            "error[TW2101]: out of bounds: index 16 is outside dimension 1, which has extent 16");
  EXPECT_EQ(shown(Fault::RegionOutOfRange, "pl.load", 56, 16, 0, 64),
            "error[TW2102]: out of bounds: elements 56 to 71 are outside dimension 0, which has extent 64");
  EXPECT_EQ(shown(Fault::RegionOutOfRange, "pl.load", INT64_MAX, 16, 0, 64),
            "error[TW2102]: out of bounds: elements 9223372036854775807 to ? are outside dimension 0, which "
            "has extent 64");
  EXPECT_EQ(shown(Fault::RegionOutOfRange, "pl.slice", 0, -3, 1, 64),
            "error[TW2112]: negative extent: dimension 1 cannot have extent -3");
  EXPECT_EQ(shown(Fault::ZeroDivisor, "//"), "error[TW2103]: division by zero: `//`");
  EXPECT_EQ(shown(Fault::Narrowing, "pl.cast", int64_t{1} << 40, 0, 32),
            "error[TW2104]: 1099511627776 does not fit pl.INT32");
  EXPECT_EQ(shown(Fault::BlockCount, "pl.spmd", -1),
            "error[TW2105]: invalid launch: it cannot have -1 blocks");
  EXPECT_EQ(shown(Fault::ValidShape, "pl.load", 17, 16, 0),
            "error[TW2106]: out of bounds: valid extent 17 does not fit dimension 0 of the tile, which has "
            "extent 16");
  EXPECT_EQ(shown(Fault::ExtentMismatch, "pl.matmul", 64, 32, 1),
            "error[TW2107]: shape mismatch: `pl.matmul` needs equal extents in dimension 1, got 64 and 32");
  EXPECT_EQ(shown(Fault::NegativeShift, "<<", -2), "error[TW2108]: negative shift count: `<<` by -2");
  EXPECT_EQ(shown(Fault::PeerOutOfRange, "pld.tile.remote_load", 4, 4),
            "error[TW2110]: invalid rank: rank 4 does not exist: there are 4");
  EXPECT_EQ(shown(Fault::AccessOutside, "pl.load", 4096, 4096),
            "error[TW2140]: out of bounds: element 4096 of 4096");
  EXPECT_EQ(shown(Fault::StepZero, "pl.range"), "error[TW2111]: the step of a loop must not be 0");
  EXPECT_EQ(shown(Fault::NegativeExtent, "pl.create_tensor", -1, 0, 0),
            "error[TW2112]: negative extent: dimension 0 cannot have extent -1");
  EXPECT_EQ(shown(Fault::CountAboveCapacity, "pld.tensor.all_to_all_v", 9, 8),
            "error[TW2141]: too many rows: 9 to send, but there is room for 8");
  EXPECT_EQ(shown(Fault::NegativePower, "**", -1),
            "error[TW2109]: negative exponent: an integer raised to the power -1");
  EXPECT_EQ(shown(Fault::RaggedExtent, "pl.reshape", 3, 5),
            "error[TW2118]: `pl.reshape` needs whole rows or parts, got the valid extent 3 x 5");
  EXPECT_EQ(
      shown(Fault::ReshapeCount, "pl.reshape", 16, 24),
      "error[TW2147]: shape mismatch: `pl.reshape` cannot reshape 16 elements to a shape of 24 elements");
  EXPECT_EQ(shown(Fault::ReshapeCount, "pl.reshape", -1, 24),
            "error[TW2147]: shape mismatch: `pl.reshape` cannot reshape a strided tensor to a shape of 24 "
            "elements");
  EXPECT_EQ(
      shown(Fault::SubgroupDivision, "pld.subgroup", 4, 1, 6),
      "error[TW2135]: invalid sub-group: sub-groups of 4 ranks with stride 1 do not divide a group of 6");
  EXPECT_EQ(shown(Fault::MeshSize, "pld.mesh_axis", 6, 8),
            "error[TW2136]: invalid mesh: a mesh of 6 ranks does not fit a group of 8");
  EXPECT_EQ(shown(Fault::MemberOutOfRange, "pld.tile.remote_load", 2, 2),
            "error[TW2137]: invalid rank: rank 2 does not exist in a sub-group of 2");
  EXPECT_EQ(shown(Fault::OtherGroup, "pld.system.notify"),
            "error[TW2138]: the sub-group is not part of the window's group");
  EXPECT_EQ(shown(Fault::PipeWorkspace, "pl.aic_initialize_pipe", 4096, 4, 4096),
            "error[TW2139]: pipe workspace too small: it has 4096 bytes, but a launch of 4 blocks needs 4096 "
            "for each");
}

// Whoever adds a fault adds its text: numbers up to the last are known, the next is not.
TEST(Faults, NoneIsForgotten) {
  int known = 0;
  for (uint32_t i = 0; i < 1000; ++i) {
    Failure failure;
    failure.cause = Cause::Fault;
    failure.fault = static_cast<abi::Fault>(i);
    abi::Module module{};
    if (describe(failure, module).message.find("has no text") == std::string::npos) ++known;
  }
  EXPECT_EQ(known, static_cast<int>(abi::Fault::PipeWorkspace) + 1)
      << "a fault of abi.h has no text, or this "
         "test does not know the last one";
}

TEST(Faults, TheFirstCountsAndSaysItsBlockAndRank) {
  for (int threads : {1, 2, 4}) {
    Program program;
    uint32_t site = program.site("x[i]", 3);
    const abi::Function& kernel = program.function("kern", {});
    std::atomic<int> reported{0};
    Body body = [&](Context* context, const Word*) {
      if (context->block_index < 500) return abi::ok;
      reported++;
      return context->api->fail(context, abi::Fault::IndexOutOfRange, site, context->block_index, 500, 0, 0);
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 1000}); },
        threads);
    EXPECT_EQ(outcome.ending, Ending::Error);
    EXPECT_GE(outcome.block, 500);
    EXPECT_EQ(text(outcome), "error[TW2101]: out of bounds: index " + std::to_string(outcome.block) +
                                 " is outside dimension 0, which has extent 500\n"
                                 " --> k.py:3:5\n"
                                 "  = x[i]\n"
                                 "  = note: in `kern`, block " +
                                 std::to_string(outcome.block) + " of 1000\n");
    EXPECT_LE(reported, threads);
    EXPECT_TRUE(program.run([](Context*, const Word*) { return abi::ok; }, threads).ok());
  }
}

TEST(Faults, InAnOrchestrationFunctionTasksEndToo) {
  Program program;
  uint32_t site = program.site("pl.spmd", 4);
  const abi::Function& kernel = program.function("kern", {});
  Body body = [](Context*, const Word*) { return abi::ok; };
  for (int threads : {1, 2}) {
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          for (int i = 0; i < 100; ++i) submit(context, kernel, body);
          EXPECT_EQ(submit(context, kernel, body, {.blocks = -5, .site = site}), abi::failed);
          EXPECT_EQ(submit(context, kernel, body), abi::aborted);
          return abi::failed;
        },
        threads);
    EXPECT_EQ(text(outcome),
              "error[TW2105]: invalid launch: it cannot have -5 blocks\n --> k.py:4:5\n  = pl.spmd\n");
  }
}

TEST(Faults, MemoryThatIsNotThere) {
  Program program;
  uint32_t site = program.site("pl.create_tensor", 4);
  Outcome outcome = program.run(
      [&](Context* context, const Word*) {
        void* storage = nullptr;
        return context->api->allocate(context, uint64_t{1} << 50, site, &storage);
      },
      1);
  EXPECT_EQ(text(outcome),
            "error[TW2142]: out of memory: 1125899906842624 bytes could not be allocated\n --> k.py:4:5\n");
  const abi::Function& kernel = program.function("wide", {}, 0, uint64_t{1} << 60);
  const abi::Function& fiber = program.function("wide", {}, abi::MayBlock, uint64_t{1} << 60);
  Body body = [](Context*, const Word*) { return abi::ok; };
  for (const abi::Function* each : {&kernel, &fiber}) {
    outcome = program.run([&](Context* context, const Word*) { return submit(context, *each, body); }, 1);
    EXPECT_EQ(text(outcome),
              "error[TW2142]: out of memory: 1152921504606846976 bytes could not be allocated\n  = note: in "
              "`wide`\n");
  }
}

TEST(Faults, TooManyBlockedFibers) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer has no room for 16,000 fibers";
#endif
  Program program;
  uint32_t site = program.site("pld.system.wait", 4);
  const abi::Function& kernel = program.function("kern", {}, abi::MayBlock);
  int32_t never = 0;
  Body body = [&](Context* context, const Word*) {
    int32_t seen;
    return context->api->wait(context, &never, 1, ge, site, &seen);
  };
  Outcome outcome = program.run(
      [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 16'001}); }, 1);
  EXPECT_EQ(
      text(outcome),
      "error[TW2143]: too many waiting tasks: more than 16000 blocks and tasks wait at the same time\n");
  // Known before anything starts.
  Body unreached = [&](Context*, const Word*) {
    ADD_FAILURE() << "a block started";
    return abi::ok;
  };
  outcome = program.run(
      [&](Context* context, const Word*) {
        return submit(context, kernel, unreached, {.blocks = 16'001, .bits = abi::SyncStart, .site = site});
      },
      1);
  EXPECT_EQ(text(outcome),
            "error[TW2143]: too many waiting tasks: more than 16000 blocks and tasks wait at the same time\n "
            "--> k.py:4:5\n");
}

TEST(Faults, BrokenRulesOfTheAbiAreToldApart) {
  Program program;
  const abi::Function& kernel = program.function("kern", {});
  Body silent = [](Context*, const Word*) { return abi::Status{17}; };
  Outcome outcome =
      program.run([&](Context* context, const Word*) { return submit(context, kernel, silent); }, 1);
  EXPECT_EQ(text(outcome),
            "error[TW2146]: internal error: `kern` ended with status 17 and did not say why\n");
  Body waits = [](Context* context, const Word*) {
    int32_t cell = 0, seen;
    return context->api->wait(context, &cell, 1, ge, 0, &seen);
  };
  outcome = program.run([&](Context* context, const Word*) { return submit(context, kernel, waits); }, 1);
  EXPECT_EQ(text(outcome),
            "error[TW2146]: internal error: a wait in `kern`, which was compiled as one that never blocks\n");
}

}  // namespace
}  // namespace tilewire::runtime
