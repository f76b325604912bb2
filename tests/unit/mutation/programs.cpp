// A rank writes its operand, calls the collective, copies what it got to `y` and begins anew: it overwrites
// and reads whatever the collective has given back to it. Of several blocks each does so with one row, and
// not with the one a lowering is likely to give it, so that it needs what the others have done.
#include "programs.h"

#include <algorithm>
#include <cstring>

namespace tilewire::mutation {
namespace {

// Of the window of one rank.
constexpr int64_t rows = 3, rounds = 3;
struct Collective {
  const char* name;
  const char* write;  // fills the operands for round `i`
  const char* call;
  const char* read;     // copies the results
  int64_t cols;         // of a row,
  int64_t blocks_cols;  // and where blocks share the work: whoever works in chunks of 8 KiB has more than one
  bool wide = false;    // a block of rows for every rank comes in or out
  // Of what goes from host to host: a chunk of 8 KiB and a short one, so that a window has more segments than
  // are under way. A smaller one leaves some of the blocks without a segment.
  int64_t segment_bytes = 8384;
};

// AT is the first of the own rows, ROWS their number, NEAR a row that another block wrote.
const char* const write_w = "w = pl.store(pl.load(x, [i * 3 + AT, 0], [ROWS, COLS]), [AT, 0], w)";
const char* const read_w = "y = pl.store(pl.load(w, [AT, 0], [ROWS, COLS]), [i * 3 + AT, 0], y)";
const char* const write_wide = R"(for s in pl.range(n):
    wide = pl.store(pl.load(x, [(i * n + s) * 3 + AT, 0], [ROWS, COLS]), [s * 3 + AT, 0], wide))";
const char* const read_wide = R"(for s in pl.range(n):
    y = pl.store(pl.load(wide, [s * 3 + AT, 0], [ROWS, COLS]), [(i * n + s) * 3 + AT, 0], y))";
const char* const read_own =
    "y = pl.store(pl.load(wide, [me * 3 + AT, 0], [ROWS, COLS]), [i * 3 + AT, 0], y)";
const char* const read_other = R"(for s in pl.range(n):
    y = pl.store(pl.load(other, [s * 3 + AT, 0], [ROWS, COLS]), [(i * n + s) * 3 + AT, 0], y))";
const char* const write_counts = R"(for s in pl.range(n):
    wide = pl.store(pl.load(x, [(i * n + s) * 3 + AT, 0], [ROWS, COLS]), [s * 3 + AT, 0], wide)
    if AT == 0:
        out = pl.write(out, [s], pl.read(sent, [i, s])))";
const char* const read_counts = R"(for s in pl.range(n):
    y = pl.store(pl.load(other, [s * 3 + AT, 0], [ROWS, COLS]), [(i * n + s) * 3 + AT, 0], y)
    if AT == 0:
        got = pl.write(got, [i, s], pl.read(into, [s])))";
// A barrier orders what programs do themselves: even rounds write, odd ones read from the neighbour.
const char* const write_even = R"(if i % 2 == 0:
    w = pl.store(pl.load(x, [i * 3 + AT, 0], [ROWS, COLS]), [AT, 0], w)
else:
    near = pld.tile.remote_load(w, (me + 1) % n, [NEAR, 0], [ROWS, COLS])
    y = pl.store(near, [i * 3 + AT, 0], y))";

const Collective collectives[] = {
    {"mesh", write_w, "w = pld.tensor.allreduce(w, SIGNAL, mode=\"mesh\")", read_w, 1000, 2100},
    {"two_shot", write_w, "w = pld.tensor.allreduce(w, SIGNAL, mode=\"two_shot\")", read_w, 2800, 8400},
    {"ring", write_w, "w = pld.tensor.allreduce(w, SIGNAL, mode=\"ring\")", read_w, 2800, 8400},
    {"auto, short", write_w, "w = pld.tensor.allreduce(w, SIGNAL)", read_w, 22, 67, false, 64},
    {"auto, long", write_w, "w = pld.tensor.allreduce(w, SIGNAL)", read_w, 2800, 8400},
    {"barrier", write_even, "pld.tensor.barrier(SIGNAL)", "pass", 40, 40},
    {"broadcast", write_w, "w = pld.tensor.broadcast(w, SIGNAL, root=(i + i // 2 * (n - 3)) % n)", read_w, 40,
     40},
    {"allgather", write_w, "wide = pld.tensor.allgather(w, wide, SIGNAL)", read_wide, 40, 40, true},
    {"reduce_scatter", write_wide, "wide = pld.tensor.reduce_scatter(wide, SIGNAL)", read_own, 750, 2200,
     true},
    {"all_to_all", write_wide, "other = pld.tensor.all_to_all(wide, other, SIGNAL)", read_other, 40, 40,
     true},
    {"all_to_all_v", write_counts, "other = pld.tensor.all_to_all_v(wide, other, SIGNAL, out, into)",
     read_counts, 40, 40, true},
};

void put(std::string& text, const std::string& name, const std::string& value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
}

std::string indented(const std::string& text, size_t spaces) {
  std::string result = std::string(spaces, ' ') + text;
  put(result, "\n", "\n" + std::string(spaces, ' '));
  return result;
}

const char* const head = R"(import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")
NS = pl.dynamic("NS")
)";
const char* const params =
    "x: pl.Tensor[[ALL, COLS], pl.FP32], y: pl.InOut[pl.Tensor[[ALL, COLS], pl.FP32]], "
    "sent: pl.Tensor[[3, NR], pl.INT32], got: pl.InOut[pl.Tensor[[3, NR], pl.INT32]], "
    "w: pl.InOut[pld.DistributedTensor[[3, COLS], pl.FP32]], "
    "wide: pl.InOut[pld.DistributedTensor[[NR * 3, COLS], pl.FP32]], "
    "other: pl.InOut[pld.DistributedTensor[[NR * 3, COLS], pl.FP32]], "
    "out: pl.InOut[pld.DistributedTensor[[NR], pl.INT32]], "
    "into: pl.InOut[pld.DistributedTensor[[NR], pl.INT32]]";
const char* const who = R"(    ctx = pld.get_comm_ctx(w)
    n = pld.nranks(ctx)
    me = pld.rank(ctx)
)";
const char* const host = R"(
@pl.jit.host
def main(x: pl.Tensor[[NR, ALL, COLS], pl.FP32], y: pl.InOut[pl.Tensor[[NR, ALL, COLS], pl.FP32]],
         sent: pl.Tensor[[NR, 3, NR], pl.INT32], got: pl.InOut[pl.Tensor[[NR, 3, NR], pl.INT32]]):
    n = pld.world_size()
    w = pld.alloc_window([3, COLS], dtype=pl.FP32)
    wide = pld.alloc_window([n * 3, COLS], dtype=pl.FP32)
    other = pld.alloc_window([n * 3, COLS], dtype=pl.FP32)
    out = pld.alloc_window([n], dtype=pl.INT32)
    into = pld.alloc_window([n], dtype=pl.INT32)
)";

std::string in_kernel(const Collective& collective, bool blocks) {
  std::string text = head;
  text += "\n\n@pl.jit.incore\ndef k(PARAMS, sig: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]]):\n";
  text += who;
  text += blocks ? "    b = pl.tile.get_block_idx()\n" : "";
  text += "    for i in pl.range(3):\n";
  for (const char* part : {collective.write, collective.call, collective.read}) {
    text += indented(part, 8) + "\n";
  }
  text += "\n\n@pl.jit\ndef chip(PARAMS, sig: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]]):\n";
  text += blocks ? "    with pl.spmd(3):\n    " : "";
  text += "    k(x, y, sent, got, w, wide, other, out, into, sig)\n\n";
  text += host;
  text += std::string("    sig = pld.alloc_signal(n * ") + (blocks ? "6" : "2") + ")\n";
  text += "    for r in pl.range(n):\n";
  text += "        chip(x[r], y[r], sent[r], got[r], w, wide, other, out, into, sig, device=r)\n";
  put(text, "SIGNAL", "sig");
  put(text, "NEAR", blocks ? "b" : "0");
  put(text, "AT", blocks ? "2 - b" : "0");
  put(text, "ROWS", blocks ? "1" : "3");
  return text;
}

std::string on_host(const Collective& collective) {
  std::string text = head;
  for (auto [name, body] : {std::pair{"write", collective.write}, {"read", collective.read}}) {
    text += std::string("\n\n@pl.jit.incore\ndef ") + name + "(PARAMS, i: pl.Scalar[pl.INDEX]):\n" + who;
    text += indented(body, 4) + "\n";
  }
  text += std::string("\n") + host + "    for i in pl.range(3):\n";
  auto dispatch = [&](const char* name) {
    text += "        for r in pl.range(n):\n            ";
    text += name;
    text += "(x[r], y[r], sent[r], got[r], w, wide, other, out, into, i, device=r)\n";
  };
  dispatch("write");
  text += indented(collective.call, 8) + "\n";
  dispatch("read");
  put(text, "SIGNAL, out, into", "send_counts=out, recv_counts=into");  // the compiler makes one
  put(text, ", SIGNAL", "");
  put(text, "SIGNAL", "");
  put(text, "NEAR", "0");
  put(text, "AT", "0");
  put(text, "ROWS", "3");
  return text;
}

}  // namespace

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Collective& collective : collectives) {
    auto add = [&](const char* where, std::string text, int64_t cols) {
      put(text, "PARAMS", params);
      put(text, "ALL", collective.wide ? "NR * 9" : "9");
      put(text, "COLS", std::to_string(cols));
      all.push_back({std::string(collective.name) + where, std::move(text), cols, collective.wide,
                     collective.segment_bytes});
    };
    add("", in_kernel(collective, false), collective.cols);
    add(", blocks", in_kernel(collective, true), collective.blocks_cols);
    add(", host", on_host(collective), collective.cols);
  }
  return all;
}

Arguments::Arguments(const Case& of, int64_t ranks) {
  const int64_t all_rows = (of.wide ? ranks : 1) * rounds * rows, cols = of.cols;
  uint32_t state = 1;
  auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  x_.resize(static_cast<size_t>(ranks * all_rows * cols));
  for (float& value : x_) value = static_cast<float>(random()) / (1u << 23) - 1;
  y_.resize(x_.size());
  sent_.resize(static_cast<size_t>(ranks * rounds * ranks));
  for (int32_t& count : sent_) count = static_cast<int32_t>(random() % (rows + 1));
  got_.resize(sent_.size());
  clear();
  all_ = {interp::Array{x_.data(), ir::DType::FP32, {ranks, all_rows, cols}, {}},
          interp::Array{y_.data(), ir::DType::FP32, {ranks, all_rows, cols}, {}},
          interp::Array{sent_.data(), ir::DType::Int32, {ranks, rounds, ranks}, {}},
          interp::Array{got_.data(), ir::DType::Int32, {ranks, rounds, ranks}, {}}};
}

void Arguments::clear() {
  std::fill(y_.begin(), y_.end(), 0.0f);
  std::fill(got_.begin(), got_.end(), -1);
}

std::vector<std::byte> Arguments::written() const {
  std::vector<std::byte> bytes(y_.size() * sizeof(float) + got_.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), y_.data(), y_.size() * sizeof(float));
  std::memcpy(bytes.data() + y_.size() * sizeof(float), got_.data(), got_.size() * sizeof(int32_t));
  return bytes;
}

}  // namespace tilewire::mutation
