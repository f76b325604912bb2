// How fast programs are read: lexing and parsing alone, text to verified IR, hash, text and bytes of the
// result, on programs of a thousand to a million lines in both styles.
//
//     build/release/bench/frontend [--lines N]
//
// Times are medians of repetitions in one process. `growth` is the time per line of the whole reading,
// relative to the smaller size above it: 1.0 is linear.
#include "frontend/frontend.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/parser.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"

namespace {

using namespace tilewire;

enum class Style { Class, Function };

// One line per call, indented by steps of four.
class Text {
 public:
  void line(int indent, std::string_view text) {
    out_.append(4 * static_cast<size_t>(indent), ' ').append(text).push_back('\n');
    ++lines_;
  }
  void blank() {
    out_ += '\n';
    ++lines_;
  }
  size_t lines() const { return lines_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  size_t lines_ = 0;
};

constexpr std::string_view tensor = "pl.Tensor[[256, 128], pl.FP32]";
constexpr std::string_view window = "pld.DistributedTensor[[256, 128], pl.FP32]";
constexpr std::string_view signal = "pld.DistributedTensor[[64, 1], pl.INT32]";

std::string header(Style style, const std::string& name, std::string_view arguments) {
  std::string self = style == Style::Class ? "self, " : "";
  return "def " + name + "(" + self + std::string(arguments) + "):";
}

// About forty lines: a loop of loads, elementwise work, a branch, a reduction, a store; then an exchange with
// the next rank. `index` varies the constants, so that no two kernels are equal.
void kernel(Text& text, Style style, int indent, int index) {
  std::string number = std::to_string(index);
  std::string scale = std::to_string(1 + index % 7) + "." + std::to_string(index % 10);
  auto body = [&](int depth, std::string_view line) { text.line(indent + depth, line); };
  body(0, style == Style::Class ? "@pl.function(type=pl.FunctionType.InCore)" : "@pl.jit.incore");
  body(0, header(style, "kernel_" + number,
                 "x: " + std::string(tensor) + ", w: " + std::string(tensor) + ", y: pl.Out[" +
                     std::string(tensor) + "], win: pl.InOut[" + std::string(window) + "], sig: pl.InOut[" +
                     std::string(signal) + "], n: pl.Scalar[pl.INT32]"));
  body(1, "\"\"\"Step " + number + ": scaled softmax of x + w, rows passed on to the next rank.\"\"\"");
  body(1, "ctx = pld.get_comm_ctx(win)");
  body(1, "me = pld.rank(ctx)");
  body(1, "ranks = pld.nranks(ctx)");
  body(1, "peer = (me + 1) % ranks");
  body(1, "source = (me + ranks - 1) % ranks");
  body(1, "total = pl.full([16, 128], dtype=pl.FP32, value=0.0)");
  body(1, "for i in pl.range(16):");
  body(2, "a = pl.load(x, [i * 16, 0], [16, 128])");
  body(2, "b = pl.load(w, [i * 16, 0], [16, 128])");
  body(2, "# the same scale for every row of this tile");
  body(2, "c = a * " + scale + " + b");
  body(2, "largest = pl.row_max(c)");
  body(2, "shifted = pl.exp(pl.row_expand_sub(c, largest))");
  body(2, "weight = pl.row_sum(shifted)");
  body(2, "soft = pl.row_expand_div(shifted, weight)");
  body(2, "if i % 2 == " + std::to_string(index % 2) + ":");
  body(3, "soft = soft * soft");
  body(3, "total = total + soft");
  body(2, "else:");
  body(3, "total = total - soft");
  body(2, "part = pl.maximum(soft, total)");
  body(2, "if n > " + std::to_string(index % 100) + ":");
  body(3, "part = pl.sqrt(pl.abs(part))");
  body(2, "y = pl.store(part, [i * 16, 0], y)");
  body(1, "");
  body(1, "win = pld.tile.remote_store(total, win, peer, [0, 0])");
  body(1, "pld.system.notify(sig, peer, [me, 0], 1)");
  body(1, "seen = pld.system.wait(sig, [source, 0], 1)");
  body(1, "offset = (seen * 16 + " + std::to_string(index % 16) + ") % 240");
  body(1, "got = pl.load(win, [0, 0], [16, 128])");
  body(1, "for j in pl.range(0, 4):");
  body(2, "row = pl.load(y, [j * 64, 0], [16, 128])");
  body(2, "got = got + row * 0.25");
  body(1, "y = pl.store(got, [offset, 0], y)");
  text.blank();
}

void orchestration(Text& text, Style style, int indent, int index, int first_kernel, int kernels) {
  auto body = [&](int depth, std::string_view line) { text.line(indent + depth, line); };
  body(0, style == Style::Class ? "@pl.function(type=pl.FunctionType.Orchestration)" : "@pl.jit");
  body(0, header(style, "step_" + std::to_string(index),
                 "x: " + std::string(tensor) + ", y: pl.Out[" + std::string(tensor) + "], win: pl.InOut[" +
                     std::string(window) + "], sig: pl.InOut[" + std::string(signal) + "]"));
  body(1, "for k in pl.range(4):");
  body(2, "scratch = pl.create_tensor([256, 128], dtype=pl.FP32)");
  std::string self = style == Style::Class ? "self." : "";
  for (int i = first_kernel; i < first_kernel + kernels; ++i) {
    body(2,
         self + "kernel_" + std::to_string(i) + "(x, scratch, y, win, sig, " + std::to_string(i % 50) + ")");
  }
  text.blank();
}

void host(Text& text, Style style, int indent, int orchestrations) {
  auto body = [&](int depth, std::string_view line) { text.line(indent + depth, line); };
  body(0, style == Style::Class ? "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)"
                                : "@pl.jit.host");
  body(0, header(style, "host",
                 "x: pl.Tensor[[NR, 256, 128], pl.FP32], y: pl.Out[pl.Tensor[[NR, 256, 128], "
                 "pl.FP32]]"));
  body(1, "data = pld.alloc_window_buffer([256, 128], dtype=pl.FP32)");
  body(1, "cells = pld.alloc_window_buffer([64, 1], dtype=pl.INT32)");
  body(1, "win = pld.window(data, [256, 128], dtype=pl.FP32)");
  body(1, "sig = pld.window(cells, [64, 1], dtype=pl.INT32)");
  body(1, "for r in pl.range(pld.world_size()):");
  std::string self = style == Style::Class ? "self." : "";
  for (int i = 0; i < orchestrations; ++i) {
    body(2, self + "step_" + std::to_string(i) + "(x[r], y[r], win, sig, device=r)");
  }
}

std::string program_text(Style style, size_t lines) {
  constexpr int kernels_each = 12;
  Text text;
  text.line(0, "import tilewire.language as pl");
  text.line(0, "import tilewire.language.distributed as pld");
  text.blank();
  text.line(0, "NR = pl.dynamic(\"NR\")");
  text.blank();
  int indent = 0;
  if (style == Style::Class) {
    text.line(0, "@pl.program");
    text.line(0, "class Generated:");
    indent = 1;
  }
  int kernels = 0, orchestrations = 0;
  while (text.lines() + 8 < lines || orchestrations == 0) {
    int first = kernels;
    for (int i = 0; i < kernels_each && (i == 0 || text.lines() + 24 < lines); ++i) {
      kernel(text, style, indent, kernels++);
    }
    orchestration(text, style, indent, orchestrations++, first, kernels - first);
  }
  host(text, style, indent, orchestrations);
  return text.take();
}

// `after` is not timed: it frees what the work made.
double median_ms(
    const std::function<void()>& work, const std::function<void()>& after = [] {}) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double sum = 0;
  do {
    auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    sum += times.back();
    after();
  } while (times.size() < 3 || (sum < 300 && times.size() < 25));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Time per line of the whole reading in nanoseconds; negative after an error.
double measure(Style style, size_t wanted, double previous) {
  Ref<const SourceFile> file = frontend::make_source("generated.py", program_text(style, wanted));
  const double lines = static_cast<double>(std::count(file->text().begin(), file->text().end(), '\n'));
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(file, {}, diags);
  if (!program) {
    std::fputs(diags.text().c_str(), stderr);
    return -1;
  }
  double parse = median_ms([&] { frontend::parse(file, frontend::ParseMode::Module, diags); });
  ir::ProgramRef again;
  double read = median_ms([&] { again = frontend::read_program(file, {}, diags); }, [&] { again = nullptr; });
  uint64_t hash = 0;
  double hashed = median_ms([&] { hash ^= ir::structural_hash(program); });
  std::string printed, bytes;
  double print = median_ms([&] { printed = ir::as_python(program); });
  double write = median_ms([&] { bytes = ir::to_bytes(program); });
  double per_line = read * 1e6 / lines;
  char growth[16] = "";
  if (previous > 0) std::snprintf(growth, sizeof growth, "%.2f", per_line / previous);
  std::printf("%-9s %8.0f %9.1f %9.0f %9.1f %9.0f %7s %9.1f %9.1f %9.1f %9.1f\n",
              style == Style::Class ? "class" : "function", lines, parse, lines / parse, read, lines / read,
              growth, hashed, print, write, static_cast<double>(bytes.size()) / 1e6);
  std::fflush(stdout);
  return per_line;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<size_t> sizes = {1000, 10000, 100000, 1000000};
  if (argc == 3 && std::string_view(argv[1]) == "--lines" && std::atoll(argv[2]) > 0) {
    sizes = {static_cast<size_t>(std::atoll(argv[2]))};
  } else if (argc == 3 && std::string_view(argv[1]) == "--text") {
    std::fputs(program_text(Style::Class, std::atoll(argv[2])).c_str(), stdout);
    return 0;
  } else if (argc != 1) {
    std::fputs("usage: frontend [--lines N | --text N]\n", stderr);
    return 2;
  }
  std::printf("%-9s %8s %9s %9s %9s %9s %7s %9s %9s %9s %9s\n", "style", "lines", "parse ms", "klines/s",
              "read ms", "klines/s", "growth", "hash ms", "print ms", "bytes ms", "MB");
  for (Style style : {Style::Class, Style::Function}) {
    double previous = 0;
    for (size_t lines : sizes) {
      previous = measure(style, lines, previous);
      if (previous < 0) return 1;
    }
  }
  return 0;
}
