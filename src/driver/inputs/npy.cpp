#include "driver/inputs/npy.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct Format {
  std::string_view code;  // after the byte order
  ir::DType dtype;
};
// BF16 and FP8 come from ml_dtypes, which NumPy stores as bytes of that size.
constexpr Format formats[] = {
    {"b1", ir::DType::Bool},      {"i1", ir::DType::Int8},    {"i2", ir::DType::Int16},
    {"i4", ir::DType::Int32},     {"i8", ir::DType::Int64},   {"u1", ir::DType::UInt8},
    {"u2", ir::DType::UInt16},    {"u4", ir::DType::UInt32},  {"u8", ir::DType::UInt64},
    {"f2", ir::DType::FP16},      {"f4", ir::DType::FP32},    {"V2", ir::DType::BF16},
    {"V1", ir::DType::FP8E4M3FN}, {"V1", ir::DType::FP8E5M2}, {"V1", ir::DType::Int4},
    {"i8", ir::DType::Index},
};

std::string_view format_of(ir::DType dtype) {
  for (const Format& format : formats) {
    if (format.dtype == dtype) return format.code;
  }
  return "V1";
}

// The header is a Python dict with three keys; this reads no more Python than that.
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool read(Header& header) {
    if (!take('{')) return false;
    bool have_descr = false, have_order = false, have_shape = false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return false;
      if (key == "descr") {
        have_descr = string(header.descr);
        if (!have_descr) return false;
      } else if (key == "fortran_order") {
        have_order = boolean(header.fortran);
        if (!have_order) return false;
      } else if (key == "shape") {
        have_shape = tuple(header.shape);
        if (!have_shape) return false;
      } else {
        return false;
      }
      take(',');
    }
    return have_descr && have_order && have_shape;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool string(std::string& value) {
    skip_blanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return false;
    size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool& value) {
    skip_blanks();
    value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) return false;
    text_.remove_prefix(value ? 4 : 5);
    return true;
  }
  bool tuple(std::vector<int64_t>& values) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_blanks();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0 || values.size() >= 32) return false;
      text_.remove_prefix(end - text_.data());
      values.push_back(value);
      if (!take(',')) return take(')');
    }
    return true;
  }

  std::string_view text_;
};

std::optional<size_t> byte_count_of(ir::DType dtype, const std::vector<int64_t>& shape) {
  int64_t count = ir::bytes(dtype);
  for (int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return static_cast<size_t>(count);
}

// Elements of a column-major file in row-major order.
void transpose_from_fortran(const char* from, const Array& to) {
  size_t rank = to.shape.size(), size = ir::bytes(to.dtype), count = 1;
  for (int64_t extent : to.shape) count *= static_cast<size_t>(extent);
  std::vector<int64_t> index(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < rank; ++d) place += index[d] * to.strides[d];
    std::memcpy(static_cast<char*>(to.data) + place * static_cast<int64_t>(size), from + i * size, size);
    for (size_t d = 0; d < rank && ++index[d] == to.shape[d]; ++d) index[d] = 0;
  }
}

uint64_t machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && bytes > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(bytes) : UINT64_MAX;
}

}  // namespace

void OwnedArray::Free::operator()(void* memory) const {
  std::free(memory);
}

OwnedArray::OwnedArray(ir::DType dtype, std::vector<int64_t> shape) {
  auto bytes = byte_count_of(dtype, shape);
  // More than there is could still be reserved; filling it would end the process.
  if (!bytes || *bytes > std::min(static_cast<uint64_t>(largest_array), machine_memory())) {
    throw std::bad_alloc();
  }
  byte_count_ = *bytes;
  void* memory = std::aligned_alloc(64, (byte_count_ + 64) / 64 * 64);
  if (!memory) throw std::bad_alloc();
  memory_.reset(memory);
  std::memset(memory, 0, byte_count_);
  array_.data = memory;
  array_.dtype = dtype;
  array_.strides = dense_strides(shape);
  array_.shape = std::move(shape);
}

std::optional<OwnedArray> npy_from_bytes(const std::string& bytes, const std::string& path, ir::DType wanted,
                                         Diagnostics& diags) {
  auto refuse = [&](const std::string& why) -> std::optional<OwnedArray> {
    diags.report(diag::npy_invalid, {}, {path, why});
    return std::nullopt;
  };
  if (bytes.size() < 10 || !std::string_view(bytes).starts_with(magic))
    return refuse("it is not a .npy file");
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  bool wide = byte(6) >= 2;
  if (byte(6) < 1 || byte(6) > 3) return refuse("version " + std::to_string(byte(6)) + " is not known");
  size_t start = wide ? 12 : 10;
  if (bytes.size() < start) return refuse("it ends in the header");
  size_t length = byte(8) | byte(9) << 8;
  if (wide) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) return refuse("it ends in the header");
  Header header;
  if (!HeaderReader(std::string_view(bytes).substr(start, length)).read(header)) {
    return refuse("its header cannot be read");
  }
  if (header.descr.size() < 3 || header.descr[0] == '>') {
    return refuse("its elements are `" + header.descr + "`");
  }
  std::string_view code = std::string_view(header.descr).substr(1);
  std::optional<ir::DType> dtype;
  for (const Format& format : formats) {
    if (format.code == code && (!dtype || format.dtype == wanted)) dtype = format.dtype;
  }
  if (!dtype) return refuse("its elements are `" + header.descr + "`, which the language does not have");
  auto needed = byte_count_of(*dtype, header.shape);
  if (!needed || *needed != bytes.size() - start - length) {
    return refuse("its header asks for more or fewer elements than it has");
  }
  OwnedArray array(*dtype, header.shape);
  const char* data = bytes.data() + start + length;
  if (header.fortran && header.shape.size() > 1) {
    transpose_from_fortran(data, array.array());
  } else if (*needed) {
    std::memcpy(array.array().data, data, *needed);
  }
  return array;
}

std::optional<OwnedArray> read_npy(const std::string& path, ir::DType wanted, Diagnostics& diags) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string bytes;
  char buffer[1 << 16];
  while (file) {
    size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    if (!count) break;
    bytes.append(buffer, count);
  }
  if (!file || std::ferror(file.get())) {
    diags.report(diag::npy_unreadable, {}, {path, std::strerror(errno)});
    return std::nullopt;
  }
  return npy_from_bytes(bytes, path, wanted, diags);
}

bool write_npy(const std::string& path, const Array& array, Diagnostics& diags) {
  std::string shape;
  for (int64_t extent : array.shape) shape += std::to_string(extent) + ",";
  std::string_view code = format_of(array.dtype);
  const char* order = ir::bytes(array.dtype) == 1 ? "|" : "<";
  std::string header = "{'descr': '" + std::string(order) + std::string(code) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  std::string start(magic);
  start += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  size_t bytes = byte_count_of(array.dtype, array.shape).value_or(0);
  bool written = file && std::fwrite((start + header).data(), 1, start.size() + header.size(), file.get()) &&
                 std::fwrite(array.data, 1, bytes, file.get()) == bytes && std::fflush(file.get()) == 0;
  if (!written) diags.report(diag::npy_unwritable, {}, {path, std::strerror(errno)});
  return written;
}

}  // namespace tilewire::driver
