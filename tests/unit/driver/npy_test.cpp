#include "driver/inputs/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilewire::driver {
namespace {

std::string header(const std::string& dict, char version = 1) {
  std::string text = dict;
  text += std::string(63 - (10 + text.size()) % 64, ' ') + "\n";
  std::string start("\x93NUMPY", 6);
  start += {version, '\0', static_cast<char>(text.size()), static_cast<char>(text.size() >> 8)};
  if (version > 1) start += {'\0', '\0'};
  return start + text;
}

std::string refusal(const std::string& bytes) {
  Diagnostics diags;
  EXPECT_FALSE(npy_from_bytes(bytes, "a.npy", ir::DType::FP32, diags));
  return diags.all().empty() ? "" : diags.all()[0].message;
}

class NpyFile : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "/npy_test_" + std::to_string(getpid()) + ".npy";
  ~NpyFile() override { std::filesystem::remove(path_); }
};

TEST_F(NpyFile, WhatIsWrittenIsRead) {
  OwnedArray array(ir::DType::FP32, {2, 3});
  auto* data = static_cast<float*>(array.array().data);
  for (int i = 0; i < 6; ++i) data[i] = 1.5F * static_cast<float>(i);
  Diagnostics diags;
  ASSERT_TRUE(write_npy(path_, array.array(), diags));
  auto read = read_npy(path_, ir::DType::FP32, diags);
  ASSERT_TRUE(read) << diags.text();
  EXPECT_EQ(read->array().shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(read->array().data, data, 24), 0);
}

TEST_F(NpyFile, BytesTakeTheTypeThatIsWanted) {
  OwnedArray array(ir::DType::FP8E5M2, {4});
  Diagnostics diags;
  ASSERT_TRUE(write_npy(path_, array.array(), diags));
  EXPECT_EQ(read_npy(path_, ir::DType::FP8E5M2, diags)->array().dtype, ir::DType::FP8E5M2);
  EXPECT_EQ(read_npy(path_, ir::DType::Int4, diags)->array().dtype, ir::DType::Int4);
}

TEST(Npy, FortranOrderIsTurnedRound) {
  std::string bytes = header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }") + "\1\2\3\4\5\6";
  Diagnostics diags;
  auto array = npy_from_bytes(bytes, "a.npy", ir::DType::UInt8, diags);
  ASSERT_TRUE(array) << diags.text();
  EXPECT_EQ(std::memcmp(array->array().data, "\1\3\5\2\4\6", 6), 0);
}

TEST(Npy, ScalarsAndEmptyArrays) {
  Diagnostics diags;
  std::string one =
      header("{'descr': '<i4', 'fortran_order': False, 'shape': (), }", 2) + std::string(4, '\1');
  EXPECT_TRUE(npy_from_bytes(one, "a.npy", ir::DType::Int32, diags)) << diags.text();
  std::string none = header("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 9), }");
  EXPECT_EQ(npy_from_bytes(none, "a.npy", ir::DType::Int32, diags)->byte_count(), 0U);
}

TEST(Npy, RefusesWhatIsNotAnArray) {
  EXPECT_EQ(refusal(""), "no array in `a.npy`: it is not a .npy file");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\x09\0\x40\0", 10)), "no array in `a.npy`: version 9 is not known");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\x01\0\x40\0", 10)), "no array in `a.npy`: it ends in the header");
  EXPECT_EQ(refusal(header("{'descr': '<f4', 'shape': (2,) }")),
            "no array in `a.npy`: its header cannot be read");
  EXPECT_EQ(refusal(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }") + "12345678"),
            "no array in `a.npy`: its elements are `<f8`, which the language does not have");
  EXPECT_EQ(refusal(header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }") + "1234"),
            "no array in `a.npy`: its elements are `>f4`");
  EXPECT_EQ(refusal(header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }") + "1234"),
            "no array in `a.npy`: its header asks for more or fewer elements than it has");
  EXPECT_EQ(refusal(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 16), }")),
            "no array in `a.npy`: its header asks for more or fewer elements than it has");
}

TEST(Npy, AnyTruncationIsAnError) {
  std::string bytes = header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }") + "12345678";
  for (size_t length = 0; length < bytes.size(); ++length) EXPECT_NE(refusal(bytes.substr(0, length)), "");
}

}  // namespace
}  // namespace tilewire::driver
