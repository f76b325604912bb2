// Collectives, written out by lower_composite_ops and run by the interpreter: every rank gets what the op
// promises, for any number of ranks and blocks, under any schedule, called again and again on one signal.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "interp/interp.h"
#include "ir/structural.h"
#include "numeric/numeric.h"
#include "passes/lower_composite_ops.h"
#include "passes/pipeline.h"
#include "passes_test.h"
#include "target/cpu/traits.h"

namespace tilewire::passes {
namespace {

struct Sizes {
  int ranks = 1;
  int blocks = 1;
  int hosts = 1;
  int64_t rows = 3, cols = 5;  // of the block of one rank
};

// A kernel that copies `x` to the window `w`, runs `body` and copies `w` to `y`. `x` and `y` have `x_rows`
// and `y_rows` rows a rank.
std::string program(const std::string& body, const Sizes& s, const std::string& dtype, int64_t x_rows,
                    int64_t y_rows) {
  auto shape = [&](int64_t rows) { return "[" + std::to_string(rows) + ", " + std::to_string(s.cols) + "]"; };
  auto host_shape = [&](int64_t rows) {
    return "[NR, " + std::to_string(rows) + ", " + std::to_string(s.cols) + "]";
  };
  std::string n = std::to_string(s.ranks), blocks = std::to_string(s.blocks);
  std::string wide = shape(s.rows * s.ranks);
  std::string text = R"(
import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")
NS = pl.dynamic("NS")


@pl.jit.incore
def k(x: pl.Tensor[XS, pl.DT], y: pl.Out[pl.Tensor[YS, pl.DT]], c: pl.InOut[pl.Tensor[[2, RANKS], pl.INT32]],
      w: pl.InOut[pld.DistributedTensor[LOCAL, pl.DT]], wide: pl.InOut[pld.DistributedTensor[WIDE, pl.DT]],
      other: pl.InOut[pld.DistributedTensor[WIDE, pl.DT]], sig: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]]):
    first = pl.tile.get_block_idx() == 0
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
BODY


@pl.jit
def chip(x: pl.Tensor[XS, pl.DT], y: pl.Out[pl.Tensor[YS, pl.DT]], c: pl.InOut[pl.Tensor[[2, RANKS], pl.INT32]],
         w: pl.InOut[pld.DistributedTensor[LOCAL, pl.DT]], wide: pl.InOut[pld.DistributedTensor[WIDE, pl.DT]],
         other: pl.InOut[pld.DistributedTensor[WIDE, pl.DT]], sig: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]]):
    with pl.spmd(BLOCKS):
        k(x, y, c, w, wide, other, sig)


@pl.jit.host
def host(x: pl.Tensor[HXS, pl.DT], y: pl.Out[pl.Tensor[HYS, pl.DT]], c: pl.InOut[pl.Tensor[[NR, 2, RANKS], pl.INT32]]):
    w = pld.alloc_window(LOCAL, dtype=pl.DT)
    wide = pld.alloc_window(WIDE, dtype=pl.DT)
    other = pld.alloc_window(WIDE, dtype=pl.DT)
    sig = pld.alloc_signal(pld.world_size() * 2 * BLOCKS)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], c[r], w, wide, other, sig, device=r)
)";
  auto put = [&](const std::string& name, const std::string& value) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  };
  std::string indented;
  for (size_t at = 0; at < body.size();) {
    size_t end = std::min(body.find('\n', at), body.size());
    indented += "    " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  put("BODY", indented);
  put("HXS", host_shape(x_rows));
  put("HYS", host_shape(y_rows));
  put("XS", shape(x_rows));
  put("YS", shape(y_rows));
  put("LOCAL", shape(s.rows));
  put("WIDE", wide);
  put("RANKS", n);
  put("BLOCKS", blocks);
  put("pl.DT", "pl." + dtype);
  return text;
}

struct Ran {
  ir::DType dtype;
  std::vector<std::byte> x, y;
  std::vector<int32_t> counts;
  std::string error;

  double at(const std::vector<std::byte>& data, size_t i) const {
    const std::byte* element = data.data() + i * ir::bytes(dtype);
    return ir::is_float(dtype) ? numeric::load_float(dtype, element)
                               : static_cast<double>(numeric::load_integer(dtype, element));
  }
  double given(size_t i) const { return at(x, i); }
  double got(size_t i) const { return at(y, i); }
};

// Element i of rank r's input; small whole numbers, exact in every dtype.
int64_t input(int64_t r, int64_t i) {
  return (r * 7 + i * 3) % 5 + 1;
}

// `rounds`: the inputs get fractions, so that sums depend on their order.
Ran run(const std::string& text, const Sizes& s, ir::DType dtype, int64_t x_rows, int64_t y_rows,
        uint64_t seed, std::vector<int32_t> counts = {}, const Traits& traits = target::cpu::traits,
        bool rounds = false) {
  Ran result{dtype, {}, {}, std::move(counts), ""};
  ir::ProgramRef source = read_text(text);
  if (!source) return result;
  Diagnostics diags;
  ir::ProgramRef lowered = lower(source, traits, diags);
  EXPECT_TRUE(lowered) << diags.text();
  if (!lowered) return result;
  const int64_t ranks = s.ranks, bytes = ir::bytes(dtype);
  result.counts.resize(static_cast<size_t>(2 * ranks * ranks));
  auto array = [&](std::vector<std::byte>& data, int64_t rows) {
    data.resize(static_cast<size_t>(ranks * rows * s.cols * bytes));
    return interp::Array{data.data(), dtype, {ranks, rows, s.cols}, {}};
  };
  interp::Array x = array(result.x, x_rows), y = array(result.y, y_rows);
  for (int64_t i = 0; i < ranks * x_rows * s.cols; ++i) {
    int64_t value = input(i / (x_rows * s.cols), i % (x_rows * s.cols));
    std::byte* element = result.x.data() + i * bytes;
    if (ir::is_float(dtype)) {
      const double part = rounds ? 1.0 / static_cast<double>(i % 97 + 3) : 0;
      numeric::store_float(dtype, element, static_cast<double>(value) + part);
    } else {
      numeric::store_integer(dtype, element, value);
    }
  }
  interp::Array c{result.counts.data(), ir::DType::Int32, {ranks, 2, ranks}, {}};
  interp::RunOptions options;
  options.ranks = s.ranks;
  options.hosts = s.hosts;
  options.poison = true;
  options.in_flight = true;
  interp::Random random(seed);
  options.scheduler = &random;
  std::vector<interp::Argument> args{x, y, c};
  interp::RunResult outcome = interp::run(lowered, "host", args, options);
  if (outcome.error) result.error = outcome.error->text();
  return result;
}

const char* const copy_in = "if first:\n    w = pl.store(pl.load(x), [0, 0], w)\n";
const char* const copy_out = "if first:\n    y = pl.store(pl.load(w), [0, 0], y)\n";

std::string text_of(const Sizes& s) {
  return "ranks " + std::to_string(s.ranks) + ", blocks " + std::to_string(s.blocks) + ", hosts " +
         std::to_string(s.hosts);
}

// Calls `check` for every shape of the team that is tried.
void for_teams(const std::function<void(Sizes)>& check) {
  for (int ranks : {1, 2, 3, 4, 5}) {
    for (int blocks : {1, 3}) {
      check({ranks, blocks});
      if (ranks > 1) check({ranks, blocks, ranks});
      if (ranks == 4) check({ranks, blocks, 2});
    }
  }
}

TEST(LowerCompositeOps, AllreduceInEveryModeTwiceOnOneSignal) {
  for (const char* mode : {"mesh", "two_shot", "ring", "auto"}) {
    std::string call = std::string("w = pld.tensor.allreduce(w, sig, mode=\"") + mode + "\")\n";
    for_teams([&](Sizes s) {
      SCOPED_TRACE(std::string(mode) + ", " + text_of(s));
      Ran r = run(program(copy_in + call + call + copy_out, s, "FP32", s.rows, s.rows), s, ir::DType::FP32,
                  s.rows, s.rows, 17);
      ASSERT_EQ(r.error, "");
      for (int64_t i = 0; i < s.rows * s.cols; ++i) {
        int64_t sum = 0;
        for (int rank = 0; rank < s.ranks; ++rank) sum += input(rank, i);
        for (int rank = 0; rank < s.ranks; ++rank) {
          ASSERT_EQ(r.got(static_cast<size_t>(rank * s.rows * s.cols + i)),
                    static_cast<double>(sum * s.ranks));
        }
      }
    });
  }
}

TEST(LowerCompositeOps, AllreduceOfEveryOpAndDtypeLongerThanAChunk) {
  const int64_t cols = 4100;
  for (auto [dtype, name] : {std::pair{ir::DType::FP32, "FP32"},
                             {ir::DType::FP16, "FP16"},
                             {ir::DType::BF16, "BF16"},
                             {ir::DType::Int32, "INT32"}}) {
    for (const char* how : {"sum", "max", "min", "prod"}) {
      for (auto [mode, hosts] :
           {std::pair{"mesh", 1}, {"two_shot", 1}, {"ring", 1}, {"two_shot", 3}, {"auto", 3}}) {
        SCOPED_TRACE(std::string(name) + " " + how + " " + mode + ", hosts " + std::to_string(hosts));
        Sizes s{3, 1, hosts, 1, cols};
        std::string call =
            std::string("w = pld.tensor.allreduce(w, sig, op=\"") + how + "\", mode=\"" + mode + "\")\n";
        Ran r = run(program(copy_in + call + copy_out, s, name, 1, 1), s, dtype, 1, 1, 5);
        ASSERT_EQ(r.error, "");
        for (int64_t i = 0; i < cols; i += 7) {
          int64_t want = input(0, i);
          for (int rank = 1; rank < 3; ++rank) {
            int64_t v = input(rank, i);
            want = how == std::string("sum")   ? want + v
                   : how == std::string("max") ? std::max(want, v)
                   : how == std::string("min") ? std::min(want, v)
                                               : want * v;
          }
          for (int rank = 0; rank < 3; ++rank) {
            ASSERT_EQ(r.got(static_cast<size_t>(rank * cols + i)), static_cast<double>(want)) << i;
          }
        }
      }
    }
  }
}

// Sums that round, in segments, over blocks: hosts do not change a bit.
TEST(LowerCompositeOps, HostsKeepTheOrderOfRanks) {
  Traits traits = target::cpu::traits;
  traits.chunk_bytes = traits.segment_bytes = 128;
  traits.share_bytes = 64;
  const std::string call = "w = pld.tensor.allreduce(w, sig)\n";
  for (auto [dtype, name] : {std::pair{ir::DType::FP32, "FP32"}, {ir::DType::BF16, "BF16"}}) {
    for (int blocks : {1, 2}) {
      Sizes s{6, blocks, 1, 3, 91};
      const std::string text = program(copy_in + call + call + copy_out, s, name, s.rows, s.rows);
      const Ran alone = run(text, s, dtype, s.rows, s.rows, 1, {}, traits, true);
      ASSERT_EQ(alone.error, "");
      for (int hosts : {2, 3, 6}) {
        s.hosts = hosts;
        SCOPED_TRACE(std::string(name) + ", " + text_of(s));
        const Ran ran = run(text, s, dtype, s.rows, s.rows, 9, {}, traits, true);
        ASSERT_EQ(ran.error, "");
        ASSERT_EQ(ran.y, alone.y);
      }
    }
  }
}

TEST(LowerCompositeOps, BroadcastBarrierAndTheRestInOneKernel) {
  const char* body =
      "if first:\n"
      "    w = pl.store(pl.load(x), [0, 0], w)\n"
      "pld.tensor.barrier(sig)\n"
      "wide = pld.tensor.allgather(w, wide, sig)\n"
      "other = pld.tensor.all_to_all(wide, other, sig)\n"
      "other = pld.tensor.reduce_scatter(other, sig)\n"
      "w = pld.tensor.broadcast(w, sig, root=pld.nranks(ctx) - 1)\n"
      "if first:\n"
      "    y = pl.store(pl.load(wide, [0, 0], [WROWS, COLS]), [0, 0], y)\n"
      "    part = pl.load(other, [me * ROWS, 0], [ROWS, COLS])\n"
      "    y = pl.store(part, [WROWS, 0], y)\n"
      "    y = pl.store(pl.load(w), [WROWS + ROWS, 0], y)\n";
  for_teams([&](Sizes s) {
    SCOPED_TRACE(text_of(s));
    const int64_t wide = s.rows * s.ranks, y_rows = wide + 2 * s.rows;
    std::string text = program(body, s, "INT32", s.rows, y_rows);
    for (auto [name, value] : {std::pair{"WROWS", wide}, {"COLS", s.cols}, {"ROWS", s.rows}}) {
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, std::strlen(name), std::to_string(value));
      }
    }
    Ran r = run(text, s, ir::DType::Int32, s.rows, y_rows, 23);
    ASSERT_EQ(r.error, "");
    const int64_t block = s.rows * s.cols;
    for (int64_t rank = 0; rank < s.ranks; ++rank) {
      auto got = [&](int64_t i) { return r.got(static_cast<size_t>(rank * y_rows * s.cols + i)); };
      for (int64_t i = 0; i < block; ++i) {
        for (int64_t source = 0; source < s.ranks; ++source) {
          ASSERT_EQ(got(source * block + i), static_cast<double>(input(source, i)));
        }
        // All gathered the same, so after the exchange every rank has its own block from everyone.
        int64_t sum = 0;
        for (int64_t source = 0; source < s.ranks; ++source) sum += input(source, i);
        ASSERT_EQ(got(wide * s.cols + i), static_cast<double>(sum));
        ASSERT_EQ(got(wide * s.cols + block + i), static_cast<double>(input(s.ranks - 1, i)));
      }
    }
  });
}

TEST(LowerCompositeOps, CountedRowsMoveAndCountsArrive) {
  for_teams([&](Sizes s) {
    SCOPED_TRACE(text_of(s));
    const int64_t wide = s.rows * s.ranks;
    std::string text = program(
        "other = pld.tensor.all_to_all_v(x, other, sig, c[0], c[1])\n"
        "if first:\n"
        "    y = pl.store(pl.load(other), [0, 0], y)\n",
        s, "FP32", wide, wide);
    std::vector<int32_t> counts;
    for (int rank = 0; rank < s.ranks; ++rank) {
      for (int peer = 0; peer < 2 * s.ranks; ++peer) {
        counts.push_back(peer < s.ranks ? (rank + 2 * peer) % static_cast<int>(s.rows + 1) : -1);
      }
    }
    Ran r = run(text, s, ir::DType::FP32, wide, wide, 3, counts);
    ASSERT_EQ(r.error, "");
    for (int rank = 0; rank < s.ranks; ++rank) {
      for (int source = 0; source < s.ranks; ++source) {
        int32_t count = counts[static_cast<size_t>(source * 2 * s.ranks + rank)];
        EXPECT_EQ(r.counts[static_cast<size_t>((rank * 2 + 1) * s.ranks + source)], count);
        for (int64_t row = 0; row < s.rows; ++row) {
          for (int64_t col = 0; col < s.cols; ++col) {
            int64_t to = (source * s.rows + row) * s.cols + col, from = (rank * s.rows + row) * s.cols + col;
            double want = row < count ? static_cast<double>(input(source, from)) : 0.0;
            EXPECT_EQ(r.got(static_cast<size_t>(rank * wide * s.cols + to)), want);
          }
        }
      }
    }
  });
}

TEST(LowerCompositeOps, ACountAboveTheRoomStopsTheRun) {
  Sizes s{2, 1};
  std::string text = program("other = pld.tensor.all_to_all_v(x, other, sig, c[0], c[1])\n", s, "FP32", 6, 6);
  Ran r = run(text, s, ir::DType::FP32, 6, 6, 3, {1, 4, 0, 0, 1, 1, 0, 0});
  EXPECT_NE(r.error.find("too many rows: 4 to send, but there is room for 3"), std::string::npos) << r.error;
}

// On the host: with a signal, without one, over several blocks, on a group of some of the ranks.
TEST(DispatchHostCollectives, EveryRankOfTheGroupTakesPart) {
  const char* text = R"(
import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")


@pl.jit.incore
def put_in(x: pl.Tensor[[3, 5], pl.FP32], w: pl.Out[pld.DistributedTensor[[3, 5], pl.FP32]]):
    w = pl.store(pl.load(x), [0, 0], w)


@pl.jit.incore
def take_out(w: pld.DistributedTensor[[3, 5], pl.FP32], y: pl.Out[pl.Tensor[[3, 5], pl.FP32]]):
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[NR, 3, 5], pl.FP32], y: pl.Out[pl.Tensor[[NR, 3, 5], pl.FP32]],
         c: pl.InOut[pl.Tensor[[NR, 2, NR], pl.INT32]]):
    w = pld.alloc_window([3, 5], dtype=pl.FP32)
    sig = pld.alloc_signal(2 * pld.world_size())
    pair = pld.alloc_window([3, 5], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        put_in(x[r], w, device=r)
    put_in(x[0], pair, device=0)
    put_in(x[1], pair, device=1)
    w = pld.tensor.allreduce(w, sig)
    w = pld.tensor.allreduce(w, core_num=2, mode="mesh")
    pld.tensor.barrier(sig)
    pair = pld.tensor.allreduce(pair)
    for r in pl.range(pld.world_size()):
        take_out(w, y[r], device=r)
    take_out(pair, y[1], device=1)
)";
  for (int ranks : {2, 3, 4}) {
    Sizes s{ranks, 1};
    Ran r = run(text, s, ir::DType::FP32, s.rows, s.rows, 11);
    ASSERT_EQ(r.error, "") << ranks;
    for (int64_t i = 0; i < s.rows * s.cols; ++i) {
      int64_t sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += input(rank, i);
      for (int rank = 0; rank < ranks; ++rank) {
        int64_t want = rank == 1 ? input(0, i) + input(1, i) : sum * ranks;
        ASSERT_EQ(r.got(static_cast<size_t>(rank * s.rows * s.cols + i)), static_cast<double>(want)) << rank;
      }
    }
  }
}

TEST(LowerCompositeOps, ASecondRunChangesNothing) {
  Sizes s{2, 1};
  std::string text =
      program(std::string(copy_in) + "w = pld.tensor.allreduce(w, sig)\n" + copy_out, s, "BF16", 3, 3);
  Diagnostics diags;
  ir::ProgramRef once = lower(read_text(text), target::cpu::traits, diags);
  ASSERT_TRUE(once) << diags.text();
  EXPECT_TRUE(ir::structurally_equal(once, lower_composite_ops(once, target::cpu::traits, diags)));
}

}  // namespace
}  // namespace tilewire::passes
