// Reads untrusted JSON files: every value is checked when it is taken, and the first mismatch
// is one error that names the file and the key.
//
//     JsonReader reader("comm_manifest.json", text, diags);
//     for (JsonValue group : reader.root().member("comm_groups").list()) {
//       uint64_t bytes = group.member("window_bytes").integer(1, largest);
//       ...
//     }
//     if (reader.failed()) return {};
//
// After an error all further values are empty, zero or "", and nothing more is reported, so readers need no
// branches for errors. Keys of an object are unique; values nest at most 32 deep.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace tilewire {

class JsonReader;

class JsonValue {
 public:
  bool is_null() const;
  bool is_text() const;
  bool has(const char* key) const;  // and it is an object

  JsonValue member(const char* key) const;
  std::vector<JsonValue> list(size_t longest = 65536) const;
  std::vector<std::pair<std::string, JsonValue>> members(size_t most = 65536) const;
  int64_t integer(int64_t least, int64_t most) const;
  bool flag() const;
  // Printable, not empty.
  std::string text(size_t longest = 256) const;

  // Where it lies: `comm_groups[0].slots[1].nbytes`.
  const std::string& path() const { return path_; }
  // As JSON, shortened for messages.
  std::string shown() const;
  // Reports an error about this value: the file, the path, then `more`.
  void refuse(Diag diag, std::vector<std::string> more) const;

 private:
  friend class JsonReader;
  JsonValue(const nlohmann::json* value, std::string path, JsonReader* reader)
      : value_(value), path_(std::move(path)), reader_(reader) {}
  JsonValue wrong_type(const char* wanted) const;

  const nlohmann::json* value_;
  std::string path_;
  JsonReader* reader_;
};

class JsonReader {
 public:
  JsonReader(std::string file, std::string_view text, Diagnostics& diags);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;

  JsonValue root();
  bool failed() const { return failed_; }
  const std::string& file() const { return file_; }
  // Reports an error unless there was one.
  void refuse(Diag diag, std::vector<std::string> arguments);

 private:
  std::string file_;
  Diagnostics& diags_;
  std::unique_ptr<nlohmann::json> document_;
  bool failed_ = false;
};

}  // namespace tilewire
