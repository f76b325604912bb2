#include "ir/serialize.h"

#define MSGPACK_NO_BOOST
#include <bit>
#include <msgpack.hpp>

#include "ir/fields.h"
#include "ir/pointer_map.h"
#include "ir/verifier.h"
#include "support/diagnostics/bytes.h"

namespace tilewire::ir {
namespace {

constexpr std::string_view magic = "TWIR";
constexpr int64_t format_version = 1;

// Arrays within the array of a node: lists, attribute lists, their values.
constexpr int max_array_depth = 32;
// A few bytes can share nodes so that the tree they stand for is astronomically large. Programs share types
// and variables, never like that: a tree may be this many times larger than its table of nodes.
constexpr uint64_t max_expansion = 256;
constexpr uint64_t free_expansion = 1'000'000;
constexpr uint64_t max_type_size = 10'000;

// --- writing ----------------------------------------------------------------------------------------------

struct StringSink {
  std::string text;
  void write(const char* data, size_t size) { text.append(data, size); }
};

class Writer {
 public:
  void add(const Node& node) {
    if (index_.find(&node)) return;
    dispatch(node, [&](const auto& typed) {
      for_each_child(typed, [&](const auto& child, FieldRole) {
        if (child) add(*child);
      });
      write(typed);
    });
    index_.insert(&node, count_++);
  }

  std::string take() {
    StringSink head;
    msgpack::packer<StringSink> out(head);
    out.pack_array(2).pack(format_version).pack(uint64_t{count_});
    out.pack_array(static_cast<uint32_t>(files_.size()));
    for (const SourceFile* file : files_) {
      out.pack_array(3).pack(file->name()).pack(file->text()).pack(file->first_line());
    }
    out.pack_array(static_cast<uint32_t>(ops_.size()));
    for (const Op* op : ops_) out.pack(op->qualified());
    return std::string(magic) + head.text + nodes_.text;
  }

 private:
  template <class T>
  void write(const T& node) {
    out_.pack_array(2 + field_count<T>).pack(static_cast<unsigned>(kind_of<T>));
    write(node.span);
    for_each_field(node, [&](const auto&, const auto& value) { write_value(value); });
  }

  void write(const Span& span) {
    if (!span && !span.file) {
      out_.pack_nil();
      return;
    }
    out_.pack_array(5);
    if (span.file) {
      out_.pack(place_in(files_, file_index_, span.file.get()));
    } else {
      out_.pack_nil();
    }
    out_.pack(span.line).pack(span.column).pack(span.end_line).pack(span.end_column);
  }

  void write_value(bool value) { out_.pack(value); }
  void write_value(int64_t value) { out_.pack(value); }
  // By hand: the library writes whole numbers as integers, and -0.0 with them.
  void write_value(double value) {
    auto bits = std::bit_cast<uint64_t>(value);
    char text[9] = {static_cast<char>(0xcb)};
    for (int i = 0; i < 8; ++i) text[1 + i] = static_cast<char>(bits >> (56 - 8 * i));
    nodes_.write(text, sizeof text);
  }
  void write_value(const std::string& value) { out_.pack(value); }
  template <class E>
  requires std::is_enum_v<E>
  void write_value(E value) { out_.pack(static_cast<unsigned>(value)); }
  void write_value(const EnumValue& value) {
    out_.pack_array(2);
    write_value(value.id);
    out_.pack(static_cast<unsigned>(value.value));
  }
  template <class V>
  void write_value(const std::optional<V>& value) {
    if (value) {
      write_value(*value);
    } else {
      out_.pack_nil();
    }
  }
  template <class V>
  void write_value(const std::vector<V>& list) {
    out_.pack_array(static_cast<uint32_t>(list.size()));
    for (const V& element : list) write_value(element);
  }
  void write_value(const std::pair<std::string, AttrValue>& attr) {
    out_.pack_array(2).pack(attr.first);
    write_value(attr.second);
  }
  void write_value(const AttrValue& attr) {
    out_.pack_array(2).pack(static_cast<unsigned>(attr.value.index()));
    std::visit([&](const auto& value) { write_value(value); }, attr.value);
  }
  void write_value(const Op* op) { out_.pack(place_in(ops_, op_index_, op)); }
  template <class T>
  void write_value(const Ref<const T>& node) {
    if (node) {
      out_.pack(count_ - *index_.find(node.get()));
    } else {
      out_.pack_nil();
    }
  }

  template <class T>
  static uint32_t place_in(std::vector<const T*>& list, PointerMap<uint32_t>& index, const T* item) {
    auto [place, added] = index.insert(item, static_cast<uint32_t>(list.size()));
    if (added) list.push_back(item);
    return *place;
  }

  PointerMap<uint32_t> index_, file_index_, op_index_;
  std::vector<const SourceFile*> files_;
  std::vector<const Op*> ops_;
  uint32_t count_ = 0;
  StringSink nodes_;
  msgpack::packer<StringSink> out_{nodes_};
};

// --- tokens -----------------------------------------------------------------------------------------------

// Why reading stopped: a row of the messages and its arguments.
struct Failure {
  Diag id;
  std::vector<std::string> arguments;
};
// The error of a value, before its position is known.
struct BadValue {
  std::string what;
};

struct Token {
  enum Kind : uint8_t { Nil, Bool, Int, BigInt, Float, String, Array };
  Kind kind = Nil;
  uint32_t size = 0;           // of Array and String
  int64_t integer = 0;         // of Int; of Bool 0 or 1; of Float its bits
  const char* data = nullptr;  // of String, within the input
};

// One MessagePack value as a flat list. Grows with the bytes that are there, not with the lengths they state.
class TokenList : public msgpack::null_visitor {
 public:
  std::vector<Token> tokens;
  bool unknown_kind = false;  // a map, binary or extension value, or arrays too deep
  bool cut = false;

  void clear() {
    tokens.clear();
    depth_ = 0;
    unknown_kind = cut = false;
  }

  bool visit_nil() { return add(Token::Nil, 0); }
  bool visit_boolean(bool value) { return add(Token::Bool, value); }
  bool visit_positive_integer(uint64_t value) {
    bool fits = value <= static_cast<uint64_t>(INT64_MAX);
    return add(fits ? Token::Int : Token::BigInt, static_cast<int64_t>(value));
  }
  bool visit_negative_integer(int64_t value) { return add(Token::Int, value); }
  bool visit_float32(float) { return refuse(); }  // never written, and a second form of the same value
  bool visit_float64(double value) { return add(Token::Float, std::bit_cast<int64_t>(value)); }
  bool visit_str(const char* text, uint32_t size) { return add(Token::String, 0, size, text); }
  bool visit_bin(const char*, uint32_t) { return refuse(); }
  bool visit_ext(const char*, uint32_t) { return refuse(); }
  bool start_map(uint32_t) { return refuse(); }
  bool start_array(uint32_t size) {
    if (++depth_ > max_array_depth) return refuse();
    return add(Token::Array, 0, size);
  }
  bool end_array() {
    --depth_;
    return true;
  }
  void parse_error(size_t, size_t) { unknown_kind = true; }
  void insufficient_bytes(size_t, size_t) { cut = true; }

 private:
  bool add(Token::Kind kind, int64_t integer, uint32_t size = 0, const char* data = nullptr) {
    tokens.push_back({kind, size, integer, data});
    return true;
  }
  bool refuse() {
    unknown_kind = true;
    return false;
  }
  int depth_ = 0;
};

// --- reading ----------------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(std::string_view bytes, const OpTable& ops) : bytes_(bytes), op_table_(ops) {}

  NodeRef read() {
    if (!bytes_.starts_with(magic)) throw Failure{diag::bytes_not_ir, {}};
    offset_ = magic.size();
    size_t count = read_header();
    read_files();
    read_ops();
    if (count > bytes_.size() - offset_) throw Failure{diag::bytes_truncated, {std::to_string(offset_)}};
    nodes_.reserve(count);
    sizes_.reserve(count);
    while (nodes_.size() < count) read_node(count);
    start_ = offset_;
    if (offset_ != bytes_.size()) malformed("more bytes than the nodes announced");
    if (nodes_.empty()) malformed("no node");
    return nodes_.back();
  }

 private:
  // The number of nodes of a tree when sharing is undone.
  struct Size {
    uint64_t nodes;
    uint32_t depth;
  };

  [[noreturn]] void malformed(std::string what) const {
    throw Failure{diag::bytes_malformed, {std::to_string(start_), std::move(what)}};
  }

  // --- values of the stream

  void next_value() {
    start_ = offset_;
    list_.clear();
    next_ = 0;
    bool whole = msgpack::parse(bytes_.data(), bytes_.size(), offset_, list_);
    if (whole && !list_.unknown_kind && !list_.cut) return;
    if (list_.cut) throw Failure{diag::bytes_truncated, {std::to_string(start_)}};
    malformed("a value of a kind that no IR holds");
  }

  const Token& take(Token::Kind kind, const char* what) {
    if (next_ == list_.tokens.size() || list_.tokens[next_].kind != kind) throw BadValue{what};
    return list_.tokens[next_++];
  }
  bool take_nil() {
    if (next_ == list_.tokens.size() || list_.tokens[next_].kind != Token::Nil) return false;
    ++next_;
    return true;
  }
  int64_t take_int(int64_t low, int64_t high, const char* what) {
    int64_t value = take(Token::Int, what).integer;
    if (value < low || value > high) throw BadValue{what};
    return value;
  }
  size_t take_array(const char* what) { return take(Token::Array, what).size; }
  std::string_view take_text(const char* what) {
    const Token& token = take(Token::String, what);
    return {token.data, token.size};
  }
  void take_pair(const char* what) {
    if (take_array(what) != 2) throw BadValue{what};
  }
  uint32_t take_uint32(const char* what) { return static_cast<uint32_t>(take_int(0, UINT32_MAX, what)); }

  template <class F>
  void table(F&& f) {
    next_value();
    try {
      f();
    } catch (const BadValue& bad) {
      malformed(bad.what);
    }
  }

  size_t read_header() {
    size_t count = 0;
    table([&] {
      size_t length = take_array("expected the header");
      if (length == 0) throw BadValue{"expected the header"};
      int64_t version = take_int(0, INT64_MAX, "expected the format version");
      if (version != format_version) {
        throw Failure{diag::bytes_version, {std::to_string(version), std::to_string(format_version)}};
      }
      if (length != 2) throw BadValue{"expected the header"};
      count = take_uint32("expected the number of nodes");
    });
    return count;
  }

  void read_files() {
    table([&] {
      for (size_t n = take_array("expected the source files"); n > 0; --n) {
        if (take_array("expected a source file") != 3) throw BadValue{"expected a source file"};
        std::string name(take_text("expected the name of a source file"));
        std::string text(take_text("expected the text of a source file"));
        uint32_t first_line = take_uint32("expected the first line of a source file");
        files_.emplace_back(new SourceFile(std::move(name), std::move(text), first_line));
      }
    });
  }

  void read_ops() {
    table([&] {
      for (size_t n = take_array("expected the names of ops"); n > 0; --n) {
        std::string_view name = take_text("expected the name of an op");
        const Op* op = op_table_.find(name);
        if (!op) throw Failure{diag::bytes_unknown_op, {std::string(name)}};
        ops_.push_back(op);
      }
    });
  }

  // --- nodes

  std::string number() const { return std::to_string(nodes_.size()); }

  void read_node(size_t count);

  template <class T>
  NodeRef read_typed(size_t given) {
    std::string name(class_name<T>);
    if (given > field_count<T>) {
      throw Failure{diag::bytes_extra_fields,
                    {number(), name, std::to_string(given), std::to_string(field_count<T>)}};
    }
    Ref<T> node = make_empty<T>();
    const char* at = "span";
    try {
      read_value(node->span);
      size_t left = given;
      for_each_field(*node, [&](const auto& field, auto& value) {
        if (left == 0) return;
        --left;
        at = field.name;
        read_value(value);
      });
      if constexpr (std::is_same_v<T, ScalarType>) {
        if (!node->span) return scalar_type(node->dtype);  // the one node of each scalar type
      }
      return finish_node(std::move(node));
    } catch (const BadValue& bad) {
      throw Failure{diag::bytes_field, {number(), at, name, bad.what}};
    } catch (const InvalidNode& invalid) {
      throw Failure{diag::bytes_invalid_node, {number(), name, invalid.what()}};
    }
  }

  void read_value(Span& span) {
    if (take_nil()) return;
    if (take_array("expected a span") != 5) throw BadValue{"expected a span"};
    if (!take_nil()) {
      auto file = take_int(0, static_cast<int64_t>(files_.size()) - 1, "no such source file");
      span.file = files_[static_cast<size_t>(file)];
    }
    span.line = take_uint32("expected a line");
    span.column = take_uint32("expected a column");
    span.end_line = take_uint32("expected a line");
    span.end_column = take_uint32("expected a column");
    if (span.line == 0) return;
    auto begin = std::pair(span.line, span.column), end = std::pair(span.end_line, span.end_column);
    if (span.column == 0 || span.end_column == 0 || end < begin)
      throw BadValue{"a span that ends before it starts"};
  }

  void read_value(bool& value) { value = take(Token::Bool, "expected a bool").integer != 0; }
  void read_value(int64_t& value) { value = take(Token::Int, "expected an integer").integer; }
  void read_value(double& value) {
    value = std::bit_cast<double>(take(Token::Float, "expected a float").integer);
  }
  void read_value(std::string& value) { value = take_text("expected a string"); }
  void read_value(DType& value) {
    int64_t last = static_cast<int64_t>(all_dtypes().size()) - 1;
    value = static_cast<DType>(take_int(0, last, "no such dtype"));
  }
  template <LanguageEnum E>
  void read_value(E& value) {
    value = static_cast<E>(read_member(EnumIdOf<E>::id));
  }
  uint8_t read_member(EnumId id) {
    int64_t last = static_cast<int64_t>(info(id).members.size()) - 1;
    return static_cast<uint8_t>(take_int(0, last, "no such member of the enumeration"));
  }
  void read_value(EnumValue& value) {
    take_pair("expected an enumeration and a member");
    int64_t last = static_cast<int64_t>(all_enums().size()) - 1;
    value.id = static_cast<EnumId>(take_int(0, last, "no such enumeration"));
    value.value = read_member(value.id);
  }
  template <class V>
  void read_value(std::optional<V>& value) {
    if (take_nil()) {
      value.reset();
    } else {
      read_value(value.emplace());
    }
  }
  template <class V>
  void read_value(std::vector<V>& list) {
    // All elements are among the tokens already, so the length is one that was paid for in bytes.
    size_t count = take_array("expected a list");
    list.clear();
    list.reserve(count);
    for (size_t i = 0; i < count; ++i) read_value(list.emplace_back());
  }
  void read_value(std::pair<std::string, AttrValue>& attr) {
    take_pair("expected a name and a value");
    read_value(attr.first);
    read_value(attr.second);
  }
  void read_value(AttrValue& attr) {
    take_pair("expected an attribute");
    constexpr size_t kinds = std::variant_size_v<decltype(attr.value)>;
    auto kind = static_cast<size_t>(take_int(0, kinds - 1, "no such kind of attribute"));
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((kind == I ? read_value(attr.value.template emplace<I>()) : void()), ...);
    }
    (std::make_index_sequence<kinds>{});
  }
  void read_value(const Op*& op) {
    op = ops_[static_cast<size_t>(take_int(0, static_cast<int64_t>(ops_.size()) - 1, "no such op"))];
  }
  template <class T>
  void read_value(Ref<const T>& node) {
    if (take_nil()) {
      node = nullptr;
      return;
    }
    int64_t here = static_cast<int64_t>(nodes_.size());
    size_t index = static_cast<size_t>(here - take_int(1, here, "a reference to no earlier node"));
    if (!isa<T>(*nodes_[index]))
      throw BadValue{"a " + std::string(kind_name(*nodes_[index])) + " does not belong here"};
    node = Ref<const T>(static_cast<const T*>(nodes_[index].get()));
    // Saturating: the limit is checked once per node.
    uint64_t room = UINT64_MAX - size_.nodes;
    size_.nodes += std::min(room, sizes_[index].nodes);
    size_.depth = std::max(size_.depth, sizes_[index].depth);
  }

  std::string_view bytes_;
  const OpTable& op_table_;
  size_t offset_ = 0, start_ = 0;
  TokenList list_;
  size_t next_ = 0;
  std::vector<Ref<const SourceFile>> files_;
  std::vector<const Op*> ops_;
  std::vector<NodeRef> nodes_;
  std::vector<Size> sizes_;
  Size size_{};
};

// After the class: clang 19 wants the members it instantiates to be complete.
void Reader::read_node(size_t count) {
  next_value();
  size_t length = 0;
  int64_t kind = 0;
  try {
    length = take_array("expected a node");
    if (length < 2) throw BadValue{"expected a node"};
    kind = take_int(0, INT64_MAX, "expected the kind of a node");
  } catch (const BadValue& bad) {
    malformed(bad.what);
  }
  if (static_cast<uint64_t>(kind) >= kind_count) {
    throw Failure{diag::bytes_unknown_kind, {number(), std::to_string(kind)}};
  }
  size_ = {1, 0};
  NodeRef node = dispatch_kind(static_cast<NodeKind>(kind), [&](auto identity) -> NodeRef {
    return read_typed<typename decltype(identity)::type>(length - 2);
  });
  ++size_.depth;
  if (size_.depth > max_depth) {
    throw Failure{diag::bytes_too_deep, {number(), std::to_string(max_depth)}};
  }
  uint64_t limit = isa<Type>(*node) ? max_type_size : free_expansion + max_expansion * count;
  if (size_.nodes > limit) throw Failure{diag::bytes_too_shared, {number()}};
  nodes_.push_back(std::move(node));
  sizes_.push_back(size_);
}

}  // namespace

std::string to_bytes(const NodeRef& node) {
  TW_CHECK(node != nullptr, "no node to serialise");
  Writer writer;
  writer.add(*node);
  return writer.take();
}

NodeRef from_bytes(std::string_view bytes, const OpTable& ops, Diagnostics& diags) {
  try {
    return Reader(bytes, ops).read();
  } catch (Failure& failure) {
    diags.report(failure.id, {}, std::move(failure.arguments));
    return nullptr;
  }
}

ProgramRef program_from_bytes(std::string_view bytes, const OpTable& ops, Diagnostics& diags) {
  NodeRef node = from_bytes(bytes, ops, diags);
  if (!node) return nullptr;
  const auto* program = as<Program>(node);
  if (!program) {
    diags.report(diag::bytes_not_a_program, {}, {std::string(kind_name(*node))});
    return nullptr;
  }
  return verify(*program, diags) ? ref(program) : nullptr;
}

}  // namespace tilewire::ir
