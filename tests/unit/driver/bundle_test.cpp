#include "driver/bundle/bundle.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "driver/bundle/bundle_files.h"
#include "driver/bundle/bundle_json.h"
#include "driver/bundle/cpu_features.h"
#include "driver/bundle/link.h"
#include "driver/execute/local_run.h"
#include "driver/sha256.h"
#include "frontend/frontend.h"
#include "ir/op.h"

namespace tilewire::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* scale_text = R"(import tilewire.language as pl
N = pl.dynamic("N")

@pl.jit.incore
def kernel(x: pl.Tensor[[N, 8], pl.FP32], s: pl.Scalar[pl.FP32], at: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    t = pl.load(x, [at, 0], [2, 8])
    y = pl.store(t * s, [at, 0], y)

@pl.jit
def main(x: pl.Tensor[[N, 8], pl.FP32], s: pl.Scalar[pl.FP32], at: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    kernel(x, s, at, y)
)";

std::shared_ptr<Executable> compiled(const char* text, const std::string& target = "cpu") {
  Diagnostics diags;
  auto program = frontend::read_program(frontend::make_source("scale.py", text), {}, diags);
  CompileOptions options;
  options.target = target;
  auto made = program ? Executable::compile(program, options, diags) : nullptr;
  EXPECT_TRUE(made) << diags.text();
  return made;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

class BundleTest : public testing::Test {
 protected:
  BundleTest() {
    std::string pattern = testing::TempDir() + "/bundle_XXXXXX";
    root_ = mkdtemp(pattern.data());
    bundle_ = root_ + "/scale";
  }
  ~BundleTest() override { fs::remove_all(root_); }

  void build() {
    auto executable = compiled(scale_text);
    ASSERT_TRUE(executable);
    Diagnostics diags;
    ASSERT_TRUE(executable->save(bundle_, {}, diags)) << diags.text();
  }

  std::string load_error(const std::string& entry = "") {
    Diagnostics diags;
    EXPECT_FALSE(load_bundle(bundle_, entry, diags));
    std::string text = diags.text();
    for (size_t at; (at = text.find(root_)) != std::string::npos;) text.replace(at, root_.size(), "ROOT");
    return text;
  }

  // bundle.json with one piece of it replaced, and its digest with that of the new text.
  void change(const std::string& from, const std::string& to) {
    std::string text = content_of(bundle_ + "/bundle.json");
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string key = "\"digest\": \"";
    size_t digits = text.find(key) + key.size();
    text.replace(digits, 64, std::string(64, '0'));
    put(bundle_ + "/bundle.json", text.replace(digits, 64, hexadecimal(sha256(text))));
  }

  std::string root_, bundle_;
};

struct Outcome {
  bool ok;
  std::string text;
  std::vector<float> y;
};

// 4 x 8 elements, the last dimension `step` apart.
Outcome call(Executable& executable, int64_t at = 1, int64_t step = 1, std::optional<int64_t> ranks = {}) {
  std::vector<float> x(32 * step);
  Outcome outcome{false, "", std::vector<float>(32, -1.0f)};
  for (int i = 0; i < 32; ++i) x[i * step] = static_cast<float>(i);
  Array from{x.data(), ir::DType::FP32, {4, 8}, {8 * step, step}, true, ""};
  Array to{outcome.y.data(), ir::DType::FP32, {4, 8}, {8, 1}, true, ""};
  Diagnostics diags;
  auto none = [](size_t, const std::vector<int64_t>&) { return Array(); };
  auto bound = executable.signature().bind({from, Number(2.0), Number(at), to}, none, diags);
  CallOptions options;
  options.ranks = ranks;
  if (bound) outcome.ok = executable.call(*bound, options, diags).ok;
  outcome.text = diags.text();
  return outcome;
}

TEST_F(BundleTest, RunsWithoutItsProgram) {
  build();
  fs::remove(bundle_ + "/program.twir");
  Diagnostics diags;
  auto executable = load_bundle(bundle_ + "/", "", diags);
  ASSERT_TRUE(executable) << diags.text();
  fs::remove_all(bundle_);  // everything is in memory
  for (int64_t step : {1, 3}) {
    Outcome outcome = call(*executable, 1, step);
    ASSERT_TRUE(outcome.ok) << outcome.text;
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(outcome.y[i], i < 8 || i >= 24 ? -1.0f : 2.0f * static_cast<float>(i));
  }
}

TEST_F(BundleTest, ChecksArgumentsAsTheProgramDoes) {
  build();
  Diagnostics diags;
  auto program = compiled(scale_text), bundle = load_bundle(bundle_, "main", diags);
  ASSERT_TRUE(bundle) << diags.text();
  ASSERT_EQ(bundle->signature().params().size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const ParameterInfo &a = program->signature().params()[i], &b = bundle->signature().params()[i];
    EXPECT_EQ(a.node->name, b.node->name);
    EXPECT_EQ(ir::to_string(a.node->type), ir::to_string(b.node->type));
    EXPECT_EQ(a.written, b.written);
    EXPECT_EQ(a.dims, b.dims);
    EXPECT_EQ(a.node->span.line, b.node->span.line);
  }
  std::vector<float> x(32), y(40);
  Array from{x.data(), ir::DType::FP32, {4, 8}, {8, 1}, true, ""},
      to{y.data(), ir::DType::FP32, {5, 8}, {8, 1}, true, ""};
  EXPECT_FALSE(bundle->signature().bind({from, Number(2.0), Number(int64_t{0}), to}, {}, diags));
  EXPECT_EQ(diags.text(),
            "error[TW2208]: shape mismatch: dimension `N` is 4 in `x` and 5 in `y`\n  --> scale.py:10:89\n");
}

TEST_F(BundleTest, ShowsTheLineOfARunTimeErrorWhereTheProgramIsThere) {
  build();
  Diagnostics diags;
  auto executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable);
  std::string with_line = call(*executable, 3).text;
  EXPECT_NE(with_line.find("--> scale.py:6:9"), std::string::npos) << with_line;
  EXPECT_NE(with_line.find("t = pl.load(x, [at, 0], [2, 8])"), std::string::npos) << with_line;
  EXPECT_TRUE(call(*executable).ok);
  fs::remove(bundle_ + "/program.twir");
  executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable);
  std::string without = call(*executable, 3).text;
  EXPECT_NE(without.find("--> scale.py:6:9"), std::string::npos) << without;
  EXPECT_EQ(without.find("pl.load(x, [at"), std::string::npos) << without;
}

TEST_F(BundleTest, RunsOnOneRankWithoutAHostFunction) {
  build();
  Diagnostics diags;
  auto executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable);
  EXPECT_TRUE(call(*executable, 1, 1, 1).ok);
  EXPECT_EQ(call(*executable, 1, 1, 2).text.substr(0, 14), "error[TW2227]:");
}

TEST_F(BundleTest, SeveralAreLoadedSideBySide) {
  build();
  std::string other = bundle_ + "_other";
  std::string text = scale_text;
  text.replace(text.find("t * s"), 5, "t - s");
  Diagnostics diags;
  ASSERT_TRUE(compiled(text.c_str())->save(other, {}, diags)) << diags.text();
  for (int round = 0; round < 3; ++round) {
    auto first = load_bundle(bundle_, "", diags), second = load_bundle(other, "", diags);
    ASSERT_TRUE(first && second) << diags.text();
    EXPECT_EQ(call(*first).y[9], 18.0f);
    EXPECT_EQ(call(*second).y[9], 7.0f);
  }
}

TEST_F(BundleTest, LeavesNothingBehind) {
  auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  build();
  auto before = open_files();
  for (int i = 0; i < 3; ++i) {
    Diagnostics diags;
    ASSERT_TRUE(load_bundle(bundle_, "", diags));
  }
  put(bundle_ + "/kernels/main.so", "x");
  load_error();
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

TEST_F(BundleTest, SaysWhatIsMissing) {
  EXPECT_EQ(load_error(), "error[TW2430]: cannot read `ROOT/scale/bundle.json`: No such file or directory\n");
  build();
  EXPECT_EQ(load_error("man"),
            "error[TW2440]: the bundle `ROOT/scale` has no entry `man`\n  = help: it has `main`\n");
  fs::remove(bundle_ + "/kernels/main.so");
  EXPECT_EQ(load_error(),
            "error[TW2430]: cannot read `ROOT/scale/kernels/main.so`: No such file or directory\n");
  fs::create_directory(bundle_ + "/kernels/main.so");
  EXPECT_EQ(load_error(), "error[TW2430]: cannot read `ROOT/scale/kernels/main.so`: it is a folder\n");
}

TEST_F(BundleTest, RefusesFilesThatWereChanged) {
  build();
  const std::string path = bundle_ + "/kernels/main.so", good = content_of(path);
  std::string changed = good;
  changed[changed.size() / 2] ^= 1;
  put(path, changed);
  EXPECT_EQ(load_error(),
            "error[TW2436]: `ROOT/scale/kernels/main.so` is not the file the bundle was built with: its "
            "SHA-256 is " +
                hexadecimal(sha256(changed)) + ", but `bundle.json` has " + hexadecimal(sha256(good)) + "\n");
  put(path, good.substr(0, 100));
  EXPECT_EQ(load_error(),
            "error[TW2435]: `ROOT/scale/kernels/main.so` has 100 bytes, but `bundle.json` says " +
                std::to_string(good.size()) + "\n");
  put(path, good);
  const std::string strided = bundle_ + "/kernels/main.strided.so";
  put(strided, content_of(strided) + " ");
  EXPECT_EQ(load_error(), "error[TW2435]: `ROOT/scale/kernels/main.strided.so` has " +
                              std::to_string(fs::file_size(strided)) + " bytes, but `bundle.json` says " +
                              std::to_string(fs::file_size(strided) - 1) + "\n");
}

TEST_F(BundleTest, RefusesCodeThatIsNone) {
  build();
  const std::string path = bundle_ + "/kernels/main.so", good = content_of(path),
                    digest = hexadecimal(sha256(good));
  auto with = [&](const std::string& code) {
    put(path, code);
    change(digest, hexadecimal(sha256(code)));
    change("\"bytes\": " + std::to_string(good.size()), "\"bytes\": " + std::to_string(code.size()));
    std::string text = load_error();
    change(hexadecimal(sha256(code)), digest);
    change("\"bytes\": " + std::to_string(code.size()), "\"bytes\": " + std::to_string(good.size()));
    return text;
  };
  EXPECT_EQ(with("no code at all"),
            "error[TW2437]: cannot load the code in `ROOT/scale/kernels/main.so`: file too short\n");
  EXPECT_EQ(with(std::string(4096, 'x')),
            "error[TW2437]: cannot load the code in `ROOT/scale/kernels/main.so`: invalid ELF header\n");
}

TEST_F(BundleTest, RefusesBundlesForSomethingElse) {
  build();
  const std::string json = content_of(bundle_ + "/bundle.json");
  change("\"version\": 2", "\"version\": 9");
  EXPECT_EQ(
      load_error(),
      "error[TW2431]: `ROOT/scale/bundle.json` is a bundle of version 9, but this build reads version 2\n");
  put(bundle_ + "/bundle.json", json);
  change("\"abi_version\": " + std::to_string(abi::version), "\"abi_version\": 1");
  EXPECT_EQ(load_error(),
            "error[TW2432]: incompatible bundle: `ROOT/scale` was built for version 1 of the interface to "
            "the runtime, "
            "but this build has version " +
                std::to_string(abi::version) + ": build the bundle again\n");
  put(bundle_ + "/bundle.json", json);
  change(machine_triple(), "riscv64-linux-gnu");
  EXPECT_EQ(load_error(),
            std::string("error[TW2433]: `ROOT/scale` is for riscv64-linux-gnu, but this machine is ") +
                machine_triple() + "\n");
  put(bundle_ + "/bundle.json", json);
  change("\"features\": [", "\"features\": [\"avx1024f\", \"teleport\",");
  EXPECT_EQ(
      load_error(),
      "error[TW2434]: `ROOT/scale` needs a processor with avx1024f and teleport, which this one lacks\n");
}

TEST_F(BundleTest, RefusesDescriptionsThatDoNotFit) {
  build();
  const std::string json = content_of(bundle_ + "/bundle.json");
  auto with = [&](const std::string& from, const std::string& to) {
    put(bundle_ + "/bundle.json", json);
    change(from, to);
    return load_error();
  };
  const std::string file = "`ROOT/scale/bundle.json`";
  EXPECT_EQ(with("tilewire-bundle", "zip"),
            "error[TW2404]: " + file + ": `format` must be \"tilewire-bundle\", got \"zip\"\n");
  EXPECT_EQ(with("\"entries\"", "\"entrances\""), "error[TW2402]: " + file + " lacks the key `entries`\n");
  EXPECT_EQ(with("\"kernels/main.so\": {", "\"../main.so\": {"),
            "error[TW2404]: " + file +
                ": `files[\"../main.so\"]` must be at a path inside the bundle, got another\n");
  EXPECT_EQ(
      with("\"code\": \"kernels/main.so\"", "\"code\": \"kernels/man.so\""),
      "error[TW2404]: " + file + ": `entries[0].code` must be one of `files`, got \"kernels/man.so\"\n");
  EXPECT_EQ(
      with("\"function\": \"main\"", "\"function\": \"man\""),
      "error[TW2438]: `ROOT/scale/kernels/main.so` does not fit `bundle.json`: it has no entry `man`\n");
  EXPECT_EQ(with("\"dtype\": \"FP32\"", "\"dtype\": \"INT8\""),
            "error[TW2438]: `ROOT/scale/kernels/main.so` does not fit `bundle.json`: parameter `x` is of "
            "another type "
            "there\n");
  EXPECT_EQ(with("\"dtype\": \"FP32\"", "\"dtype\": \"TASK_ID\""),
            "error[TW2404]: " + file +
                ": `entries[0].parameters[0].dtype` must be the name of an element type, got "
                "\"TASK_ID\"\n");
  EXPECT_EQ(with("\"N\",", "\"N +\","),
            "error[TW2411]: " + file +
                ": `entries[0].parameters[0].shape[0]` is not the size of a buffer: it ends too "
                "early\n");
  EXPECT_EQ(with("\"N\",", "\"world_size()\","),
            "error[TW2411]: " + file +
                ": `entries[0].parameters[0].shape[0]` is not the size of a buffer: it is not "
                "over dimensions\n");
  EXPECT_EQ(with("\"host\": false", "\"host\": true"),
            "error[TW2402]: " + file + " lacks the key `entries[0].ranks`\n");
  put(bundle_ + "/bundle.json", json.substr(0, json.size() / 2));
  EXPECT_EQ(load_error().substr(0, 24), "error[TW2401]: `ROOT/sca");
  put(bundle_ + "/bundle.json", json);
  Diagnostics diags;
  EXPECT_TRUE(load_bundle(bundle_, "", diags)) << diags.text();
}

TEST_F(BundleTest, RefusesADescriptionThatWasChanged) {
  build();
  const std::string path = bundle_ + "/bundle.json", good = content_of(path);
  std::string changed = good;
  changed.replace(changed.find("8\n"), 1, "4");
  put(path, changed);
  EXPECT_EQ(load_error().substr(0, 14), "error[TW2453]:");
  put(path, good + " ");
  EXPECT_EQ(load_error().substr(0, 14), "error[TW2453]:");
}

// A call is checked against bundle.json and made by the code: edits the digest was recomputed for must not
// let a call through that the code was not built for.
TEST_F(BundleTest, RefusesCodeOfOtherParameters) {
  build();
  const std::string json = content_of(bundle_ + "/bundle.json");
  auto with = [&](const std::string& from, const std::string& to) {
    put(bundle_ + "/bundle.json", json);
    change(from, to);
    return load_error();
  };
  const std::string other =
      "error[TW2438]: `ROOT/scale/kernels/main.so` does not fit `bundle.json`: it was built for other "
      "parameters or windows\n";
  EXPECT_EQ(with("8\n", "4\n"), other);
  EXPECT_EQ(with("\"N\",", "\"M\","), other);
  EXPECT_EQ(with("\"direction\": \"out\"", "\"direction\": \"in\""), other);
  EXPECT_EQ(with("\"name\": \"x\"", "\"name\": \"z\""), other);
  EXPECT_EQ(with("\"strided_code\": \"kernels/main.strided.so\"", "\"strided_code\": \"kernels/main.so\""),
            other);
  EXPECT_EQ(with("\"line\": 10", "\"line\": 11"), other);
}

TEST_F(BundleTest, WritesDimensionsAsItReadsThem) {
  const char* extents[] = {"N + 1",   "2 * N",      "N * 2 + 3", "N // 2",        "(N + 1) // 2 * 4",
                           "N % 3",   "8 - N",      "min(N, 4)", "max(N, M) - 1", "N * (M + 1)",
                           "-N + 16", "N - (M - 1)"};
  int number = 0;
  for (const char* extent : extents) {
    std::string text = scale_text;
    text.replace(text.find("N = "), 0, "M = pl.dynamic(\"M\")\n");
    for (size_t at = 0; (at = text.find("[N, 8]", at)) != std::string::npos; ++at) {
      text.replace(at, 6, "[N, M, 8, " + std::string(extent) + "]");
    }
    text.replace(text.find("[at, 0], [2, 8]"), 15, "[at, 0, 0, 0], [1, 1, 1, 1]");
    text.replace(text.find("[at, 0], y"), 10, "[at, 0, 0, 0], y");
    Diagnostics diags;
    auto executable = compiled(text.c_str());
    ASSERT_TRUE(executable) << extent;
    std::string folder = bundle_ + std::to_string(number++);
    ASSERT_TRUE(executable->save(folder, {}, diags)) << diags.text();
    EXPECT_TRUE(load_bundle(folder, "", diags)) << extent << ": " << diags.text();
  }
}

// Bytes of a file that may be damaged anywhere: the headers are followed only as far as they are there.
TEST_F(BundleTest, FindsTheBuildIdInWhateverIsThere) {
  build();
  std::string code = content_of(bundle_ + "/kernels/main.so");
  EXPECT_EQ(build_id_of(code).size(), 64U);
  EXPECT_EQ(build_id_of(""), "");
  EXPECT_EQ(build_id_of(std::string(4096, 'x')), "");
  for (size_t size = 0; size < std::min<size_t>(code.size(), 1024); ++size) {
    build_id_of(code.substr(0, size));
    std::string damaged = code;
    damaged[size] = '\xff';
    build_id_of(damaged);
  }
}

TEST_F(BundleTest, ReplacesBundlesAndNothingElse) {
  build();
  Diagnostics diags;
  ASSERT_TRUE(compiled(scale_text)->save(bundle_ + "/", {}, diags)) << diags.text();
  EXPECT_TRUE(load_bundle(bundle_, "", diags));
  put(bundle_ + "/notes.txt", "mine");
  EXPECT_FALSE(compiled(scale_text)->save(bundle_, {}, diags));
  EXPECT_NE(
      diags.text().find("holds `notes.txt`, which is not part of the bundle there; nothing was written"),
      std::string::npos);
  EXPECT_EQ(content_of(bundle_ + "/notes.txt"), "mine");
  diags = {};
  fs::create_directory(root_ + "/folder");
  EXPECT_TRUE(compiled(scale_text)->save(root_ + "/folder", {}, diags)) << diags.text();
  put(root_ + "/file", "mine");
  EXPECT_FALSE(compiled(scale_text)->save(root_ + "/file", {}, diags));
  EXPECT_NE(diags.text().find("exists and is not a bundle; nothing was written"), std::string::npos);
  diags = {};
  EXPECT_FALSE(compiled(scale_text)->save("/proc/bundle", {}, diags));
  EXPECT_EQ(diags.text().substr(0, 14), "error[TW2444]:");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 3);  // nothing temporary
}

TEST_F(BundleTest, TakesPathsAsTheyComeFromUsers) {
  auto executable = compiled(scale_text);
  fs::path before = fs::current_path();
  fs::current_path(root_);
  Diagnostics diags;
  for (const char* path : {"plain", "slash/", "./dot/", "deep/er/one", "deep/../dots"}) {
    EXPECT_TRUE(executable->save(path, {}, diags)) << diags.text();
    EXPECT_TRUE(load_bundle(path, "", diags)) << diags.text();
  }
  fs::create_symlink("plain", "link");
  EXPECT_TRUE(executable->save("link", {}, diags)) << diags.text();
  EXPECT_TRUE(fs::is_symlink("link"));
  EXPECT_FALSE(executable->save("", {}, diags));
  EXPECT_EQ(diags.text(), "error[TW2444]: cannot write ``: it has no name\n");
  fs::current_path(before);
}

// Every rank of `first` to the last puts its row where the window was.
std::string shift_text(const std::string& first) {
  return R"(import tilewire.language as pl
import tilewire.language.distributed as pld
NR = pl.dynamic("NR")

@pl.jit.incore
def kernel(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    w = pl.store(pl.load(x) * 2.0, [0, 0], w)
    y = pl.store(pl.load(w), [0, 0], y)

@pl.jit.host
def host(x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range()" +
         first + R"(pld.world_size()):
        kernel(x[r : r + 1, :], w, y[r : r + 1, :], device=r)
)";
}

Outcome call_ranks(Executable& executable, std::optional<int64_t> ranks, const std::string& schedule = "") {
  Outcome outcome{false, "", std::vector<float>(32, -1.0f)};
  std::vector<float> x(32, 3.0f);
  Array from{x.data(), ir::DType::FP32, {4, 8}, {8, 1}, true, ""};
  Array to{outcome.y.data(), ir::DType::FP32, {4, 8}, {8, 1}, true, ""};
  Diagnostics diags;
  auto bound = executable.signature().bind({from, to}, {}, diags);
  CallOptions options;
  options.ranks = ranks;
  options.schedule = schedule;
  if (bound) outcome.ok = executable.call(*bound, options, diags).ok;
  outcome.text = diags.text();
  return outcome;
}

TEST_F(BundleTest, RunsHostFunctions) {
  Diagnostics diags;
  ASSERT_TRUE(compiled(shift_text("").c_str())->save(bundle_, {}, diags)) << diags.text();
  auto executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable) << diags.text();
  Outcome outcome = call_ranks(*executable, 4);
  EXPECT_TRUE(outcome.ok) << outcome.text;
  EXPECT_EQ(outcome.y, std::vector<float>(32, 6.0f));
  std::string unknown = call_ranks(*executable, {}).text;
  EXPECT_EQ(unknown.substr(0, unknown.find('\n')), "error[TW2225]: the number of ranks of `host` is unknown");
  EXPECT_EQ(call_ranks(*executable, 0).text.substr(0, 14), "error[TW2228]:");
  EXPECT_EQ(call_ranks(*executable, 4, "random:1").text,
            "error[TW2451]: a schedule needs code that reports its events, but a bundle has none\n"
            "  = help: compile the program, and call it with the schedule\n");
  EXPECT_FALSE(executable->open(4, diags));
  EXPECT_EQ(diags.text(),
            "error[TW2452]: a bundle keeps no windows between calls\n  = help: compile the program in "
            "Python, and open that\n");
  change("\"orchestration/comm_manifest.json\"", "\"orchestration/other.json\"");
  fs::rename(bundle_ + "/orchestration/comm_manifest.json", bundle_ + "/orchestration/other.json");
  EXPECT_EQ(load_error(),
            "error[TW2439]: `host` allocates window buffer `w`, but the bundle has no "
            "orchestration/comm_manifest.json\n");
}

TEST_F(BundleTest, MayBeForOneNumberOfRanks) {
  auto program = compiled(shift_text("").c_str());
  Diagnostics diags;
  ASSERT_TRUE(program->save(bundle_, 4, diags)) << diags.text();
  auto executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable) << diags.text();
  EXPECT_TRUE(call_ranks(*executable, {}).ok);
  EXPECT_TRUE(call_ranks(*executable, 4).ok);
  EXPECT_EQ(call_ranks(*executable, 3).text,
            "error[TW2441]: the bundle was built for 4 ranks, but the call asks for 3\n");
}

TEST_F(BundleTest, NeedsToKnowItsGroups) {
  auto program = compiled(shift_text("1, ").c_str());
  Diagnostics diags;
  EXPECT_FALSE(program->save(bundle_, {}, diags));
  EXPECT_EQ(diags.text().substr(0, diags.text().find('\n')),
            "error[TW2449]: which ranks share the window buffers of `host` is known only when it is called");
  diags = {};
  ASSERT_TRUE(program->save(bundle_, 4, diags)) << diags.text();
  auto executable = load_bundle(bundle_, "", diags);
  ASSERT_TRUE(executable) << diags.text();
  Outcome outcome = call_ranks(*executable, 4);
  EXPECT_TRUE(outcome.ok) << outcome.text;
  EXPECT_EQ(outcome.y[0], -1.0f);
  EXPECT_EQ(outcome.y[8], 6.0f);
}

TEST_F(BundleTest, ReportsWhatTheLinkerSays) {
  auto executable = compiled(scale_text);
  std::string path = std::getenv("PATH");
  put(root_ + "/ld.lld-19", "#!/bin/sh\necho 'ld: no more disk'\necho again\nexit 1\n");
  fs::permissions(root_ + "/ld.lld-19", fs::perms::owner_all);
  setenv("PATH", root_.c_str(), 1);
  Diagnostics diags;
  bool saved = executable->save(bundle_, {}, diags);
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(saved);
  EXPECT_EQ(diags.text(), "error[TW2447]: linking failed: ld.lld-19: ld: no more disk\n");
}

TEST(BundleDescription, HasNoTextForOtherParameters) {
  auto param = ir::make<ir::Parameter>(Span{}, std::string("t"), ir::task_id_type(), ir::Direction::In);
  BundleEntry entry;
  entry.function = ir::make<ir::Function>(
      Span{}, std::string("f"), ir::FunctionType::Orchestration, std::vector<Ref<const ir::Parameter>>{param},
      std::vector<ir::TypeRef>(), ir::make<ir::Block>(Span{}, std::vector<ir::StmtRef>()));
  BundleDescription bundle;
  bundle.entries.push_back(entry);
  Diagnostics diags;
  EXPECT_FALSE(bundle.write(diags));
  EXPECT_EQ(diags.text(), "error[TW2448]: parameter `t` cannot be described in a bundle: it is pl.TaskId\n");
}

TEST(Windows, NeedMemory) {
  auto program = compiled(shift_text("").c_str());
  runtime::Manifest manifest;
  manifest.groups.push_back({{}, {}, {{"w", int64_t{1} << 45, {}, false, false}}});
  BoundArguments arguments;
  Diagnostics diags;
  bool refused = false;
  EXPECT_FALSE(
      make_windows(manifest, 4, program->signature(), arguments, runtime::local_world(), refused, diags));
  EXPECT_EQ(diags.text(),
            "error[TW2418]: there is not enough memory for the window buffers of 4 ranks, "
            "35184372088832 bytes each\n");
}

TEST_F(BundleTest, NeedsNativeCode) {
  Diagnostics diags;
  EXPECT_FALSE(compiled(scale_text, "interp")->save(bundle_, {}, diags));
  EXPECT_EQ(diags.text(),
            "error[TW2445]: only programs compiled for the cpu target can be saved as a bundle, but this one "
            "is for "
            "`interp`\n");
}

TEST_F(BundleTest, NeedsALinker) {
  auto executable = compiled(scale_text);
  std::string path = std::getenv("PATH");
  setenv("PATH", root_.c_str(), 1);
  Diagnostics diags;
  bool saved = executable->save(bundle_, {}, diags);
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(saved);
  EXPECT_EQ(diags.text(),
            "error[TW2446]: a bundle needs a linker, but none of `ld.lld-19`, `ld.lld`, `ld` is on PATH\n"
            "  = help: install lld-19 or binutils\n");
  EXPECT_FALSE(fs::exists(bundle_));
}

}  // namespace
}  // namespace tilewire::driver
