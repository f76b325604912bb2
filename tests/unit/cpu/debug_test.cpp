// Code for finding mistakes: checks of every access, and line tables.
#include <gtest/gtest.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <filesystem>
#include <set>

#include "harness.h"

namespace tilewire::target::cpu {
namespace {

// --- every access

// The kernels look at rows `n` and later of tensors that have eight; none checks where.
const char* const planted = R"(import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def loads(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        t = pl.load(x, [n, 0], [4, 40])
        y = pl.store(t * 2.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def stores(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [4, 40])
        y = pl.store(t + 1.0, [n, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def copies(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        y = pl.store(pl.load(x, [n, 0], [4, 40]), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def masked(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        t = pl.load(x, [n, 0], [4, 40], valid_shape=[4, 30 + n // 1000])
        y = pl.store(pl.exp(t), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def elements(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        v = pl.read(x, [n + 3, 0])
        pl.write(y, [0, 0], v)

    @pl.function(type=pl.FunctionType.InCore)
    def products(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        a = pl.load(x, [n, 0], [4, 40])
        y = pl.store(pl.matmul(a, a, b_trans=True), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def chosen(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        s = pl.create_tensor([8, 40], dtype=pl.FP32)
        s[...] = x
        for i in pl.range(2):
            s = pl.store(pl.load(s, [n, 0], [4, 40]) + 1.0, [n, 0], s)
        y = pl.store(pl.load(s, [0, 0], [8, 40]), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def shifted(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.InOut[pl.Tensor[[8, 40], pl.FP32]]):
        t = pl.load(y, [n, 0], [4, 40])
        y = pl.store(t * 2.0, [n - 2, 0], y)
)";

struct Planted {
  const char* entry;
  uint32_t line;
};
class Accesses : public testing::TestWithParam<Planted> {};

TEST_P(Accesses, OutsideTheirTensorAreFound) {
  Case c{planted, GetParam().entry};
  Options options;
  options.bounds = options.trusting = true;
  for (int strided = 0; strided < 2; ++strided) {
    options.strided = strided;
    c.scalars["n"] = 4;
    EXPECT_EQ(difference(c, options), "");
    for (int n : {5, 8, 1000, -4}) {
      c.scalars["n"] = n;
      auto found = failure(c, options);
      ASSERT_TRUE(found) << n;
      EXPECT_EQ(found->fault, abi::Fault::AccessOutside) << n;
      EXPECT_EQ(found->line, GetParam().line) << n;
      EXPECT_EQ(found->b, 320);
      EXPECT_TRUE(n > 5 ? found->a >= 320 : n < 0 ? found->a < 0 : found->a >= 200) << found->a;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, Accesses,
                         testing::Values(Planted{"loads", 8}, Planted{"stores", 14}, Planted{"copies", 18},
                                         Planted{"masked", 22}, Planted{"elements", 27},
                                         Planted{"products", 33}, Planted{"chosen", 40},
                                         Planted{"shifted", 45}),
                         [](const auto& info) { return std::string(info.param.entry); });

// Whatever the compiler emits stays inside.
TEST(Accesses, OfRightProgramsAreInside) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TILEWIRE_SOURCE_DIR) + "/tests/unit/cpu/kernels")) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(".py")) continue;
    for (FileCase& c : cases_of(entry.path().string())) {
      c.options.bounds = true;
      c.options.opt = 0;  // compiles faster
      EXPECT_EQ(problem(c), "") << entry.path() << " " << c.title;
    }
  }
}

// --- lines

std::set<std::pair<std::string, uint64_t>> lines_of(const Code& module) {
  auto bytes = module.object();
  llvm::StringRef data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(data, "object"));
  EXPECT_TRUE(static_cast<bool>(object));
  std::set<std::pair<std::string, uint64_t>> found;
  auto dwarf = llvm::DWARFContext::create(**object);
  for (const auto& unit : dwarf->compile_units()) {
    const auto* table = dwarf->getLineTableForUnit(unit.get());
    if (!table) continue;
    for (const auto& row : table->Rows) {
      std::string file;
      table->getFileNameByIndex(row.File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, file);
      found.emplace(file, row.Line);
    }
  }
  return found;
}

TEST(Lines, OfObjectFilesAreThoseOfTheOps) {
  const char* text = R"(import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[8, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [8, 64])
    e = pl.exp(
        t
    )
    s = pl.row_sum(e)
    p = pl.row_expand_div(e, s)
    q = pl.matmul(p, pl.load(w, [0, 0], [64, 64]))
    y = pl.store(q, [0, 0], y)
)";
  std::string errors;
  Options options;
  options.in_memory = false;
  auto object = compiled(text, options, errors);
  ASSERT_TRUE(object) << errors;
  auto lines = lines_of(*object);
  for (uint64_t line : {5, 7, 10, 11, 12, 13}) EXPECT_TRUE(lines.count({"test.py", line})) << line;
  for (const auto& [file, line] : lines) EXPECT_TRUE(line == 0 || (line >= 5 && line <= 13)) << file << line;

  // Code that is run at once has none.
  auto quick = compiled(text, {}, errors);
  ASSERT_TRUE(quick) << errors;
  EXPECT_TRUE(lines_of(*quick).empty());
}

}  // namespace
}  // namespace tilewire::target::cpu
