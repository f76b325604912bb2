#include "support/json_reader.h"

#include <nlohmann/json.hpp>
#include <set>

#include "support/diagnostics/bundle.h"

namespace tilewire {
namespace {

using nlohmann::json;

constexpr int deepest = 32;
constexpr size_t shown_at_most = 40;

const json nothing;

// What the callback of the parser throws.
struct Refused {
  Diag diag;
  std::vector<std::string> more;
};

// Sees every key as it is read: nlohmann::json itself keeps the last of several equal ones.
class KeyCheck {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > deepest) throw Refused{diag::json_invalid, {"values nest more than 32 deep"}};
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second) {
      throw Refused{diag::json_key_twice, {"an object", printable(parsed)}};
    }
    return true;
  }

  static std::string printable(const json& text) {
    std::string quoted = text.dump(-1, ' ', true);
    return quoted.substr(1, std::min(quoted.size() - 2, shown_at_most));
  }

 private:
  std::vector<std::set<std::string>> open_;
};

// "line 3, column 7" of a byte that is counted from 1.
std::string place_of(std::string_view text, size_t byte) {
  size_t before = std::min(byte == 0 ? 0 : byte - 1, text.size());
  size_t line = 1, column = 1;
  for (size_t i = 0; i < before; ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n';
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

JsonReader::JsonReader(std::string file, std::string_view text, Diagnostics& diags)
    : file_(std::move(file)), diags_(diags), document_(std::make_unique<json>()) {
  try {
    *document_ = json::parse(text.begin(), text.end(), KeyCheck());
  } catch (const json::parse_error& error) {
    refuse(diag::json_invalid, {file_, error.byte > text.size()
                                           ? "it ends too early"
                                           : "something else was expected at " + place_of(text, error.byte)});
  } catch (const json::exception&) {  // a number no type can hold
    refuse(diag::json_invalid, {file_, "a number in it is too large"});
  } catch (Refused& refused) {
    refused.more.insert(refused.more.begin(), file_);
    refuse(refused.diag, std::move(refused.more));
  }
}

JsonReader::~JsonReader() = default;

JsonValue JsonReader::root() {
  return {failed_ ? &nothing : document_.get(), "", this};
}

void JsonReader::refuse(Diag diag, std::vector<std::string> arguments) {
  if (failed_) return;
  failed_ = true;
  diags_.report(diag, {}, std::move(arguments));
}

void JsonValue::refuse(Diag diag, std::vector<std::string> more) const {
  more.insert(more.begin(), {reader_->file(), path_.empty() ? "the file" : path_});
  reader_->refuse(diag, std::move(more));
}

std::string JsonValue::shown() const {
  std::string text = value_->dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= shown_at_most ? text : text.substr(0, shown_at_most - 3) + "...";
}

JsonValue JsonValue::wrong_type(const char* wanted) const {
  refuse(diag::json_key_type, {wanted, shown()});
  return {&nothing, path_, reader_};
}

bool JsonValue::is_null() const {
  return value_->is_null();
}

bool JsonValue::is_text() const {
  return value_->is_string();
}

bool JsonValue::has(const char* key) const {
  return value_->is_object() && value_->contains(key);
}

JsonValue JsonValue::member(const char* key) const {
  if (reader_->failed()) return {&nothing, path_, reader_};
  if (!value_->is_object()) return wrong_type("an object");
  std::string path = path_.empty() ? key : path_ + "." + key;
  auto found = value_->find(key);
  if (found == value_->end()) {
    reader_->refuse(diag::json_key_missing, {reader_->file(), path});
    return {&nothing, path, reader_};
  }
  return {&*found, path, reader_};
}

std::vector<JsonValue> JsonValue::list(size_t longest) const {
  if (reader_->failed()) return {};
  std::vector<JsonValue> elements;
  if (!value_->is_array()) {
    wrong_type("a list");
  } else if (value_->size() > longest) {
    refuse(diag::json_key_range,
           {"at most " + std::to_string(longest) + " long", std::to_string(value_->size())});
  } else {
    for (size_t i = 0; i < value_->size(); ++i) {
      elements.push_back(JsonValue(&(*value_)[i], path_ + "[" + std::to_string(i) + "]", reader_));
    }
  }
  return elements;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members(size_t most) const {
  if (reader_->failed()) return {};
  std::vector<std::pair<std::string, JsonValue>> all;
  if (!value_->is_object()) {
    wrong_type("an object");
  } else if (value_->size() > most) {
    refuse(diag::json_key_range,
           {"an object of at most " + std::to_string(most) + " keys", std::to_string(value_->size())});
  } else {
    for (const auto& [key, value] : value_->items()) {
      std::string path = path_ + "[\"" + KeyCheck::printable(key) + "\"]";
      all.emplace_back(key, JsonValue(&value, std::move(path), reader_));
    }
  }
  return all;
}

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  if (reader_->failed()) return 0;
  if (!value_->is_number_integer()) {
    wrong_type("an integer");
    return 0;
  }
  bool too_large = value_->is_number_unsigned() && value_->get<uint64_t>() > uint64_t{INT64_MAX};
  int64_t value = too_large ? INT64_MAX : value_->get<int64_t>();
  if (too_large || value < least || value > most) {
    refuse(
        diag::json_key_range,
        {value < least ? "at least " + std::to_string(least) : "at most " + std::to_string(most), shown()});
    return 0;
  }
  return value;
}

bool JsonValue::flag() const {
  if (reader_->failed()) return false;
  if (!value_->is_boolean()) {
    wrong_type("true or false");
    return false;
  }
  return value_->get<bool>();
}

std::string JsonValue::text(size_t longest) const {
  if (reader_->failed()) return "";
  if (!value_->is_string()) {
    wrong_type("a string");
    return "";
  }
  const auto& text = value_->get_ref<const std::string&>();
  bool printable = true;
  for (unsigned char c : text) printable = printable && c >= 0x20 && c != 0x7F;
  if (text.empty() || text.size() > longest || !printable) {
    refuse(diag::json_key_range,
           {"a string of 1 to " + std::to_string(longest) + " printable characters", shown()});
    return "";
  }
  return text;
}

}  // namespace tilewire
