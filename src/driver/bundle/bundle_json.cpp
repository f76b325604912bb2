#include "driver/bundle/bundle_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/host/ranks.h"
#include "driver/host/size_text.h"
#include "driver/sha256.h"
#include "ir/op.h"
#include "support/diagnostics/bundle.h"
#include "support/json_reader.h"

namespace tilewire::driver {
namespace {

using nlohmann::json;

constexpr const char* format_name = "tilewire-bundle";
constexpr int64_t largest_extent = int64_t{1} << 46;
constexpr size_t digest_digits = 64;
const std::string no_digest(digest_digits, '0');  // replaces the digest of a text inside that text

bool is_digest(const std::string& text) {
  return text.size() == digest_digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

struct DirectionName {
  ir::Direction direction;
  const char* name;
};
constexpr DirectionName directions[] = {
    {ir::Direction::In, "in"}, {ir::Direction::Out, "out"}, {ir::Direction::InOut, "inout"}};

// A path that stays in the folder: plain names, one folder deep at most.
bool is_inside(std::string_view path) {
  size_t slashes = 0;
  bool start = true;
  for (char c : path) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (c == '/' && !start) {
      ++slashes;
      start = true;
    } else if (plain || (!start && (c == '.' || c == '-'))) {
      start = false;
    } else {
      return false;
    }
  }
  return !start && slashes <= 1 && path.size() <= 200;
}

class Reader {
 public:
  explicit Reader(JsonReader& json) : json_(json) {}

  BundleDescription read() {
    BundleDescription bundle;
    JsonValue root = json_.root();
    JsonValue format = root.member("format");
    if (format.text() != format_name) {
      format.refuse(diag::json_key_range, {"\"" + std::string(format_name) + "\"", format.shown()});
    }
    int64_t version = root.member("version").integer(INT64_MIN, INT64_MAX);
    if (version != bundle_version) {
      json_.refuse(diag::bundle_version,
                   {json_.file(), std::to_string(version), std::to_string(bundle_version)});
    }
    bundle.digest = read_digest(root.member("digest"));
    bundle.abi_version = root.member("abi_version").integer(0, INT32_MAX);
    JsonValue target = root.member("target");
    bundle.triple = target.member("triple").text();
    for (const JsonValue& feature : target.member("features").list(1000))
      bundle.features.push_back(feature.text(64));
    read_files(root.member("files"), bundle);
    std::set<std::string> names;
    JsonValue entries = root.member("entries");
    for (const JsonValue& entry : entries.list(1000)) {
      bundle.entries.push_back(read_entry(entry, bundle));
      if (json_.failed()) return bundle;
      if (!names.insert(bundle.entries.back().name).second) {
        entry.member("name").refuse(diag::json_key_range,
                                    {"the name of one entry", entry.member("name").shown()});
      }
    }
    if (bundle.entries.empty()) entries.refuse(diag::json_key_range, {"not empty", "[]"});
    return bundle;
  }

 private:
  void read_files(const JsonValue& files, BundleDescription& bundle) {
    for (const auto& [path, value] : files.members(1000)) {
      if (!is_inside(path)) {
        value.refuse(diag::json_key_range, {"at a path inside the bundle", "another"});
      }
      BundleDescription::File& file = bundle.files[path];
      file.bytes = static_cast<uint64_t>(value.member("bytes").integer(0, int64_t{1} << 40));
      file.sha256 = read_digest(value.member("sha256"));
    }
  }

  std::string read_digest(const JsonValue& at) {
    std::string digest = at.text();
    if (!is_digest(digest)) at.refuse(diag::json_key_range, {"64 hexadecimal digits", at.shown()});
    return digest;
  }

  BundleEntry read_entry(const JsonValue& at, const BundleDescription& bundle) {
    BundleEntry entry;
    entry.name = at.member("name").text();
    std::string function = at.member("function").text();
    bool host = at.member("host").flag();
    file_ = Ref<const SourceFile>(new SourceFile(at.member("file").text(4096), ""));
    std::vector<Ref<const ir::Parameter>> params;
    std::set<std::string> names;
    for (const JsonValue& param : at.member("parameters").list(10000)) {
      params.push_back(read_parameter(param));
      if (json_.failed()) return entry;
      if (!names.insert(params.back()->name).second) {
        param.member("name").refuse(diag::json_key_range,
                                    {"the name of one parameter", param.member("name").shown()});
      }
    }
    for (const JsonValue& result : at.member("results").list(10000))
      entry.results.push_back(read_result(result));
    if (host)
      entry.ranks = read_ranks(at.member("ranks"));
    else
      entry.ranks.from = {1};
    entry.code = read_code(at.member("code"), bundle);
    entry.strided = read_code(at.member("strided_code"), bundle);
    Span span = read_place(at);
    if (json_.failed()) return entry;
    entry.function = ir::make<ir::Function>(
        span, function, host ? ir::FunctionType::Host : ir::FunctionType::Orchestration, std::move(params),
        std::vector<ir::TypeRef>(), ir::make<ir::Block>(Span{}, std::vector<ir::StmtRef>()));
    return entry;
  }

  std::string read_code(const JsonValue& at, const BundleDescription& bundle) {
    std::string path = at.text();
    if (!bundle.files.contains(path)) at.refuse(diag::json_key_range, {"one of `files`", at.shown()});
    return path;
  }

  Span read_place(const JsonValue& at) {
    Span span;
    span.file = file_;
    span.line = span.end_line = static_cast<uint32_t>(at.member("line").integer(0, INT32_MAX));
    span.column = span.end_column = static_cast<uint32_t>(at.member("column").integer(0, INT32_MAX));
    return span.line && span.column ? span : Span{};
  }

  bool read_kind(const JsonValue& at) {
    JsonValue kind = at.member("kind");
    std::string name = kind.text();
    if (name != "tensor" && name != "scalar") {
      kind.refuse(diag::json_key_range, {"\"tensor\" or \"scalar\"", kind.shown()});
    }
    return name == "tensor";
  }

  ir::DType read_dtype(const JsonValue& at) {
    std::string name = at.text();
    auto dtype = ir::dtype_from_name(name);
    bool storable = dtype && (ir::is_integer(*dtype) || ir::is_float(*dtype) || *dtype == ir::DType::Bool);
    if (!storable) at.refuse(diag::json_key_range, {"the name of an element type", at.shown()});
    return storable ? *dtype : ir::DType::FP32;
  }

  Ref<const ir::Parameter> read_parameter(const JsonValue& at) {
    std::string name = at.member("name").text();
    JsonValue way = at.member("direction");
    std::string way_name = way.text();
    auto direction = std::find_if(std::begin(directions), std::end(directions),
                                  [&](const DirectionName& one) { return one.name == way_name; });
    if (direction == std::end(directions)) {
      way.refuse(diag::json_key_range, {"\"in\", \"out\" or \"inout\"", way.shown()});
    }
    bool tensor = read_kind(at);
    ir::DType dtype = read_dtype(at.member("dtype"));
    ir::ExprList shape;
    if (tensor) {
      for (const JsonValue& extent : at.member("shape").list(32)) shape.push_back(read_extent(extent));
    }
    Span span = read_place(at);
    if (json_.failed()) return nullptr;
    if (!tensor && direction->direction != ir::Direction::In) {
      way.refuse(diag::json_key_range, {"\"in\" for a scalar", way.shown()});
      return nullptr;
    }
    ir::TypeRef type = tensor ? ir::TypeRef(ir::make<ir::TensorType>(Span{}, std::move(shape), dtype))
                              : ir::scalar_type(dtype);
    return ir::make<ir::Parameter>(span, name, type, direction->direction);
  }

  ir::ExprRef read_extent(const JsonValue& at) {
    if (!at.is_text()) return ir::const_index(at.integer(0, largest_extent));
    ir::ExprRef extent;
    if (auto size = read_expression(at)) extent = size_to_ir(*size);
    if (!extent) at.refuse(diag::manifest_expression, {"it is not over dimensions"});
    auto constant = extent ? ir::constant_value(extent) : std::nullopt;
    if (constant && *constant < 0) at.refuse(diag::json_key_range, {"at least 0", at.shown()});
    return extent && !json_.failed() ? extent : ir::ExprRef(ir::const_index(0));
  }

  std::optional<runtime::SizeExpression> read_expression(const JsonValue& at) {
    std::string problem;
    std::string text = at.text(runtime::SizeExpression::longest_text);
    auto size = runtime::SizeExpression::parse(text, problem);
    if (!size) at.refuse(diag::manifest_expression, {problem});
    return size;
  }

  BundleResult read_result(const JsonValue& at) {
    BundleResult result;
    result.tensor = read_kind(at);
    result.dtype = read_dtype(at.member("dtype"));
    if (result.tensor) result.rank = at.member("rank").integer(0, 32);
    return result;
  }

  RankRule read_ranks(const JsonValue& at) {
    RankRule rule;
    JsonValue only = at.member("only");
    if (!only.is_null()) rule.only = only.integer(1, abi::most_ranks);
    for (const JsonValue& one : at.member("from").list(1000)) {
      if (auto size = read_expression(one)) rule.from.push_back(*size);
    }
    return rule;
  }

  JsonReader& json_;
  Ref<const SourceFile> file_;
};

const char* direction_name(ir::Direction direction) {
  for (const DirectionName& one : directions) {
    if (one.direction == direction) return one.name;
  }
  internal_error(__FILE__, __LINE__, "a direction without a name");
}

std::string dtype_name(ir::DType dtype) {
  return std::string(ir::info(dtype).name);
}

class Writer {
 public:
  explicit Writer(Diagnostics& diags) : diags_(diags) {}

  json write(const BundleEntry& entry) {
    const ir::Function& function = *entry.function;
    const AssignedValues none;
    SizeWriter sizes(function, {}, none);
    json params = json::array(), results = json::array();
    for (const auto& param : function.params) params.push_back(write(*param, sizes));
    for (const BundleResult& result : entry.results) {
      json one = {{"kind", result.tensor ? "tensor" : "scalar"}, {"dtype", dtype_name(result.dtype)}};
      if (result.tensor) one["rank"] = result.rank;
      results.push_back(std::move(one));
    }
    bool host = function.type == ir::FunctionType::Host;
    json made = {{"name", entry.name},
                 {"function", function.name},
                 {"host", host},
                 {"file", function.span.file ? function.span.file->name() : "?"},
                 {"line", function.span.line},
                 {"column", function.span.column},
                 {"parameters", std::move(params)},
                 {"results", std::move(results)},
                 {"code", entry.code},
                 {"strided_code", entry.strided}};
    if (host) {
      json from = json::array();
      for (const runtime::SizeExpression& size : entry.ranks.from) from.push_back(size.text());
      made["ranks"] = {{"only", entry.ranks.only ? json(*entry.ranks.only) : json()},
                       {"from", std::move(from)}};
    }
    return made;
  }

 private:
  json write(const ir::Parameter& param, SizeWriter& sizes) {
    json made = {{"name", param.name},
                 {"direction", direction_name(param.direction)},
                 {"line", param.span.line},
                 {"column", param.span.column}};
    const auto* tensor = ir::as<ir::TensorType>(param.type);
    made["kind"] = tensor ? "tensor" : "scalar";
    auto dtype = tensor ? std::optional(tensor->dtype) : ir::scalar_dtype(param.type);
    if (!dtype) {
      diags_.report(diag::bundle_parameter, param.span, {param.name, ir::to_string(param.type)});
      return made;
    }
    made["dtype"] = dtype_name(*dtype);
    if (!tensor) return made;
    json shape = json::array();
    for (const ir::ExprRef& extent : tensor->shape) {
      std::string problem;
      auto size = sizes.write(extent, problem);
      if (!size) diags_.report(diag::bundle_parameter, param.span, {param.name, ir::to_string(param.type)});
      auto constant = size ? size->constant() : std::nullopt;
      shape.push_back(constant ? json(*constant) : json(size ? size->text() : ""));
    }
    made["shape"] = std::move(shape);
    return made;
  }

  Diagnostics& diags_;
};

json target_of(const BundleDescription& bundle) {
  return {{"triple", bundle.triple}, {"features", bundle.features}};
}

std::string text_of(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::optional<BundleDescription> BundleDescription::read(std::string_view text, const std::string& file,
                                                         Diagnostics& diags) {
  JsonReader json(file, text, diags);
  try {
    BundleDescription bundle = Reader(json).read();
    if (!json.failed()) return bundle;
  } catch (const ir::InvalidNode& invalid) {
    json.refuse(diag::json_invalid, {file, invalid.what()});
  }
  return std::nullopt;
}

std::optional<std::string> BundleDescription::write(Diagnostics& diags) const {
  Writer writer(diags);
  json all = json::array(), listed = json::object();
  for (const BundleEntry& entry : entries) all.push_back(writer.write(entry));
  for (const auto& [path, file] : files) listed[path] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
  if (diags.has_errors()) return std::nullopt;
  json document = {{"format", format_name},      {"version", bundle_version},  {"digest", no_digest},
                   {"abi_version", abi_version}, {"target", target_of(*this)}, {"entries", std::move(all)},
                   {"files", std::move(listed)}};
  std::string text = text_of(document) + "\n";
  return text.replace(text.find(no_digest), digest_digits, hexadecimal(sha256(text)));
}

bool BundleDescription::is_intact(std::string_view text, const std::string& file, Diagnostics& diags) const {
  std::string without(text);
  size_t at = without.find(digest);
  if (at != std::string::npos) without.replace(at, digest_digits, no_digest);
  std::string found = hexadecimal(sha256(without));
  if (found == digest) return true;
  diags.report(diag::bundle_json_digest, {}, {file, found, digest})
      .with_help("build the bundle again, or copy it again");
  return false;
}

std::optional<std::string> BundleDescription::interface_digest(const BundleEntry& entry, bool strided,
                                                               Diagnostics& diags) const {
  json manifest, described = Writer(diags).write(entry);
  if (auto found = files.find(manifest_path); found != files.end()) manifest = found->second.sha256;
  if (diags.has_errors()) return std::nullopt;
  return hexadecimal(sha256(text_of({{"abi_version", abi_version},
                                     {"target", target_of(*this)},
                                     {"entry", std::move(described)},
                                     {"manifest", std::move(manifest)},
                                     {"strided", strided}})));
}

}  // namespace tilewire::driver
