#include "runtime/manifest.h"

#include <gtest/gtest.h>

namespace tilewire::runtime {
namespace {

std::string problem_of(std::string_view text) {
  std::string problem;
  EXPECT_FALSE(SizeExpression::parse(text, problem)) << text;
  return problem;
}

std::optional<int64_t> value(std::string_view text, int64_t ranks = 4, const SizeNames& names = {},
                             std::string* why = nullptr) {
  std::string problem;
  auto size = SizeExpression::parse(text, problem);
  EXPECT_TRUE(size) << text << ": " << problem;
  auto result = size ? size->evaluate(ranks, names, problem) : std::nullopt;
  if (why) *why = problem;
  return result;
}

TEST(SizeExpression, FollowsPython) {
  EXPECT_EQ(value("4096"), 4096);
  EXPECT_EQ(value("4 * world_size() * N", 3, {{"N", 5}}), 60);
  EXPECT_EQ(value("2 + 3 * 4 - 1"), 13);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("20 - 4 - 3"), 13);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("7 % -2"), -1);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("1 << 3 + 1"), 16);
  EXPECT_EQ(value("-9 >> 1"), -5);
  EXPECT_EQ(value("max(min(8, n), 2) + abs(-3)", 4, {{"n", 1}}), 5);
  EXPECT_EQ(value(" 4*n_1+ größe ", 4, {{"n_1", 2}, {"größe", 1}}), 9);
}

TEST(SizeExpression, IsAConstantWhenItsPartsAre) {
  std::string problem;
  EXPECT_EQ(SizeExpression::parse("4 * 16 * 64", problem)->constant(), 4096);
  EXPECT_EQ(SizeExpression::parse("4 * 16 * 64", problem)->text(), "4096");
  EXPECT_FALSE(SizeExpression::parse("4 * N", problem)->constant());
  EXPECT_EQ(SizeExpression::parse("4 * N", problem)->text(), "4 * N");
}

TEST(SizeExpression, RefusesOtherText) {
  EXPECT_EQ(problem_of(""), "it ends too early");
  EXPECT_EQ(problem_of("4 *"), "it ends too early");
  EXPECT_EQ(problem_of("(4"), "it ends too early");
  EXPECT_EQ(problem_of("4)"), "something else was expected at character 2");
  EXPECT_EQ(problem_of("4 / 2"), "something else was expected at character 3");
  EXPECT_EQ(problem_of("2 ** 3"), "something else was expected at character 4");
  EXPECT_EQ(problem_of("4N"), "something else was expected at character 2");
  EXPECT_EQ(problem_of("1.5"), "something else was expected at character 2");
  EXPECT_EQ(problem_of("99999999999999999999"), "a number in it is too large");
  EXPECT_EQ(problem_of("open(1)"), "there is no function of this name in sizes: open");
  EXPECT_EQ(problem_of("min(1)"), "something else was expected at character 6");
  EXPECT_EQ(problem_of("world_size(1)"), "something else was expected at character 12");
  EXPECT_EQ(problem_of("1 // 0"), "it divides by zero");
  EXPECT_EQ(problem_of(std::string(200, '(') + "1" + std::string(200, ')')), "it nests too deep");
  EXPECT_EQ(problem_of(std::string(200, '-') + "1"), "it nests too deep");
  EXPECT_EQ(problem_of(std::string(5000, '1')), "it is longer than 4096 characters");
}

TEST(SizeExpression, ChecksItsArithmetic) {
  std::string why;
  for (const char* text : {"N + N", "N * 2", "-N - 2", "N << 1", "1 << N", "abs(-N - 1)", "(-N - 1) // -1"}) {
    EXPECT_FALSE(value(text, 4, {{"N", INT64_MAX}}, &why)) << text;
    EXPECT_EQ(why, "a value in it leaves 64 bits") << text;
  }
  EXPECT_EQ(value("(-N - 1) % -1", 4, {{"N", INT64_MAX}}), 0);
  EXPECT_EQ(value("N >> N", 4, {{"N", INT64_MAX}}), 0);
  EXPECT_FALSE(value("8 // (world_size() - 1)", 1, {}, &why));
  EXPECT_EQ(why, "it divides by zero");
  EXPECT_FALSE(value("1 << -N", 1, {{"N", 1}}, &why));
  EXPECT_EQ(why, "it shifts by a negative number of bits");
  EXPECT_FALSE(value("4 * M", 1, {{"N", 1}}, &why));
  EXPECT_EQ(why, "`M` has no value");
}

Manifest::Slot slot(std::string name, SizeExpression size) {
  return {std::move(name), std::move(size), std::nullopt, false, false};
}

SizeExpression size_of(const char* text) {
  std::string problem;
  return *SizeExpression::parse(text, problem);
}

TEST(Manifest, LaysSlotsOutInOrder) {
  Manifest manifest;
  manifest.groups.push_back(
      {{}, {}, {slot("data_buf", 100), slot("more_buf", size_of("4 * world_size() * N")), slot("sig", 4)}});
  manifest.groups.push_back({{2, 0}, {}, {slot("pair_buf", 64)}});
  Diagnostics diags;
  auto layouts = manifest.resolve(3, {{"N", 10}}, diags);
  ASSERT_TRUE(layouts) << diags.text();
  ASSERT_EQ(layouts->size(), 2U);
  const GroupLayout& first = (*layouts)[0];
  EXPECT_TRUE(first.devices.empty());
  EXPECT_EQ(first.slots[0].offset, 0U);
  EXPECT_EQ(first.slots[1].offset, 128U);
  EXPECT_EQ(first.slots[1].bytes, 120U);
  EXPECT_EQ(first.slots[2].offset, 256U);
  EXPECT_EQ(first.bytes, 320U);
  EXPECT_EQ((*layouts)[1].devices, (std::vector<int32_t>{2, 0}));
  auto resolved = manifest.resolved(3, {{"N", 10}}, diags);
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->groups[0].slots[1].size.constant(), 120);
  EXPECT_EQ(resolved->groups[0].slots[2].offset, 256U);
  EXPECT_EQ(resolved->groups[0].bytes, 320U);
  EXPECT_TRUE(Windows::make(3, *layouts));
}

std::string refusal(const Manifest& manifest, int32_t ranks, const SizeNames& names = {}) {
  Diagnostics diags;
  EXPECT_FALSE(manifest.resolve(ranks, names, diags));
  return diags.text();
}

TEST(Manifest, RefusesSizesThatCannotBe) {
  auto one = [](SizeExpression size) {
    Manifest manifest;
    manifest.groups.push_back({{}, {}, {slot("buf", std::move(size))}});
    return manifest;
  };
  EXPECT_EQ(refusal(one(size_of("4 * n")), 2, {{"n", 0}}),
            "error[TW2412]: window buffer `buf` would have 0 bytes: its size is `4 * n`\n");
  EXPECT_EQ(refusal(one(size_of("4 * n")), 2),
            "error[TW2413]: the size of window buffer `buf` is `4 * n`, but `n` has no value\n");
  EXPECT_EQ(
      refusal(one(size_of("8 // (world_size() - 1)")), 1),
      "error[TW2414]: the size of window buffer `buf`, `8 // (world_size() - 1)`, cannot be computed: it "
      "divides by zero\n");
  EXPECT_EQ(refusal(one(size_of("n")), 1, {{"n", int64_t{1} << 47}}),
            "error[TW2415]: the window buffers of a rank, up to `buf`, would have more than 70368744177664 "
            "bytes\n");
  Manifest subset = one(64);
  subset.groups[0].devices = {0, 4};
  EXPECT_EQ(refusal(subset, 4),
            "error[TW2416]: a communication group has device 4, but the run has 4 ranks\n");
  Manifest placed = one(size_of("n"));
  placed.groups[0].slots.push_back({"next", 64, 64, false, false});
  placed.groups[0].slots[0].offset = 0;
  EXPECT_EQ(refusal(placed, 1, {{"n", 65}}),
            "error[TW2409]: `the manifest`: `buf` and `next` overlap: one ends at byte 65, the other starts "
            "at 64\n");
  placed.groups[0].slots.pop_back();
  placed.groups[0].bytes = 64;
  EXPECT_EQ(refusal(placed, 1, {{"n", 65}}),
            "error[TW2410]: `the manifest`: `buf` ends at byte 65, but `window_bytes` is 64\n");
}

TEST(Manifest, IsWrittenAsVersionThree) {
  Manifest manifest;
  manifest.groups.push_back({{0, 1}, {}, {slot("data_buf", 4096), slot("sig", size_of("4 * world_size()"))}});
  manifest.groups[0].slots[0].load_from_host = true;
  manifest.place();
  EXPECT_EQ(manifest.write(), R"json({
  "comm_groups": [
    {
      "devices": [
        0,
        1
      ],
      "slots": [
        {
          "load_from_host": true,
          "name": "data_buf",
          "nbytes": 4096,
          "offset": 0,
          "store_to_host": false
        },
        {
          "load_from_host": false,
          "name": "sig",
          "nbytes": "4 * world_size()",
          "offset": 4096,
          "store_to_host": false
        }
      ],
      "window_bytes": null
    }
  ],
  "version": 3
}
)json");
  Diagnostics diags;
  auto read = Manifest::read(manifest.write(), "m.json", diags);
  ASSERT_TRUE(read) << diags.text();
  EXPECT_EQ(*read, manifest);
}

TEST(Manifest, KeepsTheShapesOfViews) {
  const std::string file =
      R"json({"version": 3, "comm_groups": [{"devices": [], "window_bytes": null, "slots": [
    {"name": "s", "nbytes": "8 * world_size()", "offset": 0, "load_from_host": false, "store_to_host": false,
     "shape": ["world_size()", 1], "element_bytes": 8},
    {"name": "t", "nbytes": 8, "offset": null, "load_from_host": false, "store_to_host": false,
     "shape": ["N"], "element_bytes": 4}]}]})json";
  Diagnostics diags;
  auto manifest = Manifest::read(file, "m.json", diags);
  ASSERT_TRUE(manifest) << diags.text();
  EXPECT_EQ(Manifest::read(manifest->write(), "again.json", diags), manifest) << diags.text();
  auto layouts = manifest->resolve(3, {}, diags);
  ASSERT_TRUE(layouts) << diags.text();
  EXPECT_EQ((*layouts)[0].slots[0].shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ((*layouts)[0].slots[0].element_bytes, 8);
  EXPECT_TRUE((*layouts)[0].slots[1].shape.empty());  // nobody knows N, which only messages would need
  auto resolved = manifest->resolved(3, {{"N", 2}}, diags);
  ASSERT_TRUE(resolved) << diags.text();
  EXPECT_EQ(resolved->groups[0].slots[0].shape[0].text(), "3");
  EXPECT_EQ(resolved->groups[0].slots[1].shape[0].text(), "2");
}

TEST(Manifest, GivesTheSizeOfARegionThatIsKnown) {
  Manifest manifest;
  manifest.groups.push_back({{}, {}, {slot("data_buf", 4096), slot("sig", 16)}});
  manifest.place();
  EXPECT_EQ(manifest.groups[0].bytes, 4160U);
  EXPECT_EQ(manifest.groups[0].slots[1].offset, 4096U);
}

TEST(Manifest, ReadsBothShapesOfVersionTwo) {
  Diagnostics diags;
  auto manifest = Manifest::read(R"({"version": 2, "comm_groups": [
      {"devices": [0, 1], "slots": [{"name": "a", "nbytes": 4096},
        {"name": "b", "dtype": "bfloat16", "size": 33, "bits_per_element": 16, "load_from_host": true},
        {"name": "c", "dtype": "int4", "size": 3, "bits_per_element": 4}]}]})",
                                 "m.json", diags);
  ASSERT_TRUE(manifest) << diags.text();
  const auto& slots = manifest->groups[0].slots;
  EXPECT_EQ(slots[0].size.constant(), 4096);
  EXPECT_EQ(slots[1].size.constant(), 66);
  EXPECT_TRUE(slots[1].load_from_host);
  EXPECT_EQ(slots[2].size.constant(), 2);
  auto layouts = manifest->resolve(2, {}, diags);
  ASSERT_TRUE(layouts);
  EXPECT_EQ((*layouts)[0].slots[2].offset, 4096U + 128U);
}

std::string unreadable(std::string_view text) {
  Diagnostics diags;
  EXPECT_FALSE(Manifest::read(text, "m.json", diags)) << text;
  EXPECT_EQ(diags.all().size(), 1U) << diags.text();
  return diags.text();
}

// Version 3 with this in place of the slot.
std::string with_slots(const std::string& slots, const std::string& bytes = "4096") {
  return R"({"version": 3, "comm_groups": [{"devices": [], "window_bytes": )" + bytes + R"(, "slots": [)" +
         slots + "]}]}";
}
std::string slot_text(const std::string& name, const std::string& nbytes, const std::string& offset) {
  return R"({"name": )" + name + R"(, "nbytes": )" + nbytes + R"(, "offset": )" + offset +
         R"(, "load_from_host": false, "store_to_host": false})";
}

TEST(ManifestFile, SaysWhatIsNotJson) {
  EXPECT_EQ(unreadable(""), "error[TW2401]: `m.json` is not JSON: it ends too early\n");
  EXPECT_EQ(unreadable(R"({"version": 3, "comm_gr)"),
            "error[TW2401]: `m.json` is not JSON: it ends too early\n");
  EXPECT_EQ(unreadable("{\n  \"version\": 3,,}"),
            "error[TW2401]: `m.json` is not JSON: something else was expected at line 2, column 16\n");
  EXPECT_EQ(unreadable(R"({"version": 1e999})"),
            "error[TW2401]: `m.json` is not JSON: a number in it is too large\n");
  EXPECT_EQ(unreadable(std::string(100000, '[')),
            "error[TW2401]: `m.json` is not JSON: values nest more than 32 deep\n");
  EXPECT_EQ(unreadable("{\"version\": \"\xff\"}"),
            "error[TW2401]: `m.json` is not JSON: something else was expected at line 1, column 14\n");
  EXPECT_EQ(unreadable(R"({"version": 3, "version": 2})"),
            "error[TW2405]: `m.json`: `an object` has the key `version` twice\n");
}

TEST(ManifestFile, SaysWhichKeyIsWrong) {
  EXPECT_EQ(unreadable("[]"), "error[TW2403]: `m.json`: `the file` must be an object, got []\n");
  EXPECT_EQ(unreadable("{}"), "error[TW2402]: `m.json` lacks the key `version`\n");
  EXPECT_EQ(unreadable(R"({"version": "3"})"),
            "error[TW2403]: `m.json`: `version` must be an integer, got \"3\"\n");
  EXPECT_EQ(unreadable(R"({"version": 4})"),
            "error[TW2406]: `m.json` is a manifest of version 4, but only versions 2 and 3 can be read\n");
  EXPECT_EQ(unreadable(R"({"version": 3})"), "error[TW2402]: `m.json` lacks the key `comm_groups`\n");
  EXPECT_EQ(unreadable(R"({"version": 3, "comm_groups": {}})"),
            "error[TW2403]: `m.json`: `comm_groups` must be a list, got {}\n");
  EXPECT_EQ(unreadable(R"({"version": 3, "comm_groups": [{}]})"),
            "error[TW2402]: `m.json` lacks the key `comm_groups[0].devices`\n");
  EXPECT_EQ(unreadable(R"({"version": 2, "comm_groups": [{"devices": [0, -1], "slots": []}]})"),
            "error[TW2404]: `m.json`: `comm_groups[0].devices[1]` must be at least 0, got -1\n");
  // No run has that many ranks.
  EXPECT_EQ(unreadable(R"({"version": 2, "comm_groups": [{"devices": [65536], "slots": []}]})"),
            "error[TW2404]: `m.json`: `comm_groups[0].devices[0]` must be at most 65535, got 65536\n");
  EXPECT_EQ(unreadable(R"({"version": 2, "comm_groups": [{"devices": [0, 0], "slots": []}]})"),
            "error[TW2408]: `m.json`: `comm_groups[0].devices` lists device 0 twice\n");
  EXPECT_EQ(unreadable(R"({"version": 3, "comm_groups": [{"devices": [], "slots": []}]})"),
            "error[TW2402]: `m.json` lacks the key `comm_groups[0].window_bytes`\n");
  EXPECT_EQ(unreadable(with_slots(R"({"name": "a", "nbytes": 64})")),
            "error[TW2402]: `m.json` lacks the key `comm_groups[0].slots[0].offset`\n");
  EXPECT_EQ(unreadable(with_slots(R"({"name": "a", "dtype": "float32", "size": 3, "bits_per_element": 32})")),
            "error[TW2402]: `m.json` lacks the key `comm_groups[0].slots[0].nbytes`\n");
  EXPECT_EQ(
      unreadable(
          R"({"version": 2, "comm_groups": [{"devices": [], "slots": [{"name": "a", "dtype": "float31", "size": 3, "bits_per_element": 31}]}]})"),
      "error[TW2404]: `m.json`: `comm_groups[0].slots[0].dtype` must be the name of an element type, got "
      "\"float31\"\n");
  EXPECT_EQ(
      unreadable(
          R"({"version": 2, "comm_groups": [{"devices": [], "slots": [{"name": "a", "dtype": "float32", "size": 3, "bits_per_element": 16}]}]})"),
      "error[TW2404]: `m.json`: `comm_groups[0].slots[0].bits_per_element` must be 32, the bits of float32, "
      "got 16\n");
}

TEST(ManifestFile, SaysWhichSizeIsWrong) {
  const std::string nbytes = "error[TW2404]: `m.json`: `comm_groups[0].slots[0].nbytes` must be ";
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "-1", "0"))), nbytes + "at least 1, got -1\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "18446744073709551615", "0"))),
            nbytes + "at most 70368744177664, got 18446744073709551615\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "\"1 << 60\"", "0"))),
            nbytes + "1 to 70368744177664 bytes, got \"1 << 60\"\n");
  EXPECT_EQ(
      unreadable(with_slots(slot_text("\"a\"", "\"4 * (N\"", "0"))),
      "error[TW2411]: `m.json`: `comm_groups[0].slots[0].nbytes` is not the size of a buffer: it ends too "
      "early\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "4.5", "0"))),
            "error[TW2403]: `m.json`: `comm_groups[0].slots[0].nbytes` must be an integer, got 4.5\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "64", "32"))),
            "error[TW2404]: `m.json`: `comm_groups[0].slots[0].offset` must be a multiple of 64, got 32\n");
  EXPECT_EQ(
      unreadable(with_slots(slot_text("\"a\"", "65", "0") + "," + slot_text("\"b\"", "64", "64"))),
      "error[TW2409]: `m.json`: `comm_groups[0].slots[0]` and `comm_groups[0].slots[1]` overlap: one ends at "
      "byte 65, the other starts at 64\n");
  EXPECT_EQ(
      unreadable(with_slots(slot_text("\"a\"", "\"N\"", "64") + "," + slot_text("\"b\"", "64", "64"))),
      "error[TW2409]: `m.json`: `comm_groups[0].slots[0]` and `comm_groups[0].slots[1]` overlap: one ends at "
      "byte 65, the other starts at 64\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "65", "0"), "64")),
            "error[TW2410]: `m.json`: `comm_groups[0].slots[0]` ends at byte 65, but "
            "`comm_groups[0].window_bytes` is "
            "64\n");
}

TEST(ManifestFile, SaysWhichNameIsWrong) {
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\"", "64", "0") + "," + slot_text("\"a\"", "64", "64"))),
            "error[TW2407]: `m.json`: `comm_groups[0].slots[0]` and `comm_groups[0].slots[1]` are both named "
            "\"a\"\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"\"", "64", "0"))),
            "error[TW2404]: `m.json`: `comm_groups[0].slots[0].name` must be a string of 1 to 256 printable "
            "characters, got \"\"\n");
  EXPECT_EQ(unreadable(with_slots(slot_text("\"a\\u001b[31m\"", "64", "0"))),
            "error[TW2404]: `m.json`: `comm_groups[0].slots[0].name` must be a string of 1 to 256 printable "
            "characters, got \"a\\u001b[31m\"\n");
}

}  // namespace
}  // namespace tilewire::runtime
