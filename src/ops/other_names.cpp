#include "ops/other_names.h"

#include <algorithm>
#include <cctype>

#include "ir/dtype.h"

namespace tilewire::ops {
namespace {

struct OtherName {
  std::string_view name;  // lower case, without underscores
  std::string_view help;
};

constexpr std::string_view no_double = "there is no 64-bit float: write `pl.FP32`";
constexpr std::string_view rank = "write `pld.rank(ctx)`, with `ctx = pld.get_comm_ctx(window)`";
constexpr std::string_view ranks = "write `pld.nranks(ctx)` in kernels, `pld.world_size()` in host functions";
constexpr std::string_view barrier = "write `pld.tensor.barrier(signal)`";
constexpr std::string_view filled = "write `pl.full(shape, dtype=pl.FP32, value=0.0)`";
constexpr std::string_view empty =
    "write `pl.create_tensor(shape, dtype=pl.FP32)`, or `pl.create_tile` in a kernel";
constexpr std::string_view no_fence =
    "leave it out: a notify makes all earlier writes visible to the wait that it satisfies";

constexpr OtherName other_names[] = {
    {"fp64", no_double},
    {"float64", no_double},
    {"f64", no_double},
    {"double", no_double},
    {"float32", "write `pl.FP32`"},
    {"f32", "write `pl.FP32`"},
    {"float", "write `pl.FP32`"},
    {"float16", "write `pl.FP16`"},
    {"f16", "write `pl.FP16`"},
    {"half", "write `pl.FP16`"},
    {"bfloat16", "write `pl.BF16`"},
    {"float8e4m3fn", "write `pl.FP8E4M3FN`"},
    {"float8e5m2", "write `pl.FP8E5M2`"},
    {"i8", "write `pl.INT8`"},
    {"i16", "write `pl.INT16`"},
    {"i32", "write `pl.INT32`"},
    {"i64", "write `pl.INT64`"},
    {"u8", "write `pl.UINT8`"},
    {"u16", "write `pl.UINT16`"},
    {"u32", "write `pl.UINT32`"},
    {"u64", "write `pl.UINT64`"},
    {"int1", "write `pl.BOOL`"},
    {"myrank", rank},
    {"rankid", rank},
    {"getrank", rank},
    {"mype", rank},
    {"numranks", ranks},
    {"npes", ranks},
    {"nprocs", ranks},
    {"getworldsize", ranks},
    {"numdevices", ranks},
    {"programid", "write `pl.tile.get_block_idx()`"},
    {"blockid", "write `pl.tile.get_block_idx()`"},
    {"blockidx", "write `pl.tile.get_block_idx()`"},
    {"numprograms", "write `pl.tile.get_block_num()`"},
    {"zeros", filled},
    {"ones", "write `pl.full(shape, dtype=pl.FP32, value=1.0)`"},
    {"empty", empty},
    {"cdiv", "write `(a + b - 1) // b`"},
    {"constexpr", "define a constant outside the function: `BLOCK = 64`"},
    {"barrierall", barrier},
    {"syncall", barrier},
    {"putmem", "write `pld.tensor.put(window, peer, x)`"},
    {"getmem", "write `pld.tensor.get(x, peer, window)`"},
    {"signalop", "write `pld.system.notify(signal, peer, offsets, value)`"},
    {"signalwaituntil", "write `pld.system.wait(signal, offsets, expected)`"},
    {"fence", no_fence},
    {"quiet", no_fence},
    {"deviceprint", "write `pl.print(x, \"label\")`"},
};

}  // namespace

std::optional<std::string> known_elsewhere(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const OtherName& other : other_names) {
    if (other.name == plain) return std::string(other.help);
  }
  // `pl.int32`, `pl.bool_`: a dtype in another spelling.
  for (const ir::DTypeInfo& dtype : ir::all_dtypes()) {
    const bool same =
        std::equal(dtype.name.begin(), dtype.name.end(), plain.begin(), plain.end(),
                   [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    if (same) return "write `pl." + std::string(dtype.name) + "`";
  }
  return std::nullopt;
}

}  // namespace tilewire::ops
