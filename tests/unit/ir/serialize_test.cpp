#include "ir/serialize.h"

#include <gtest/gtest.h>

#include <cmath>

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

#include "ir/fields.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "sample.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ir {
namespace {

NodeRef read(const std::string& bytes, Diagnostics& diags) {
  return from_bytes(bytes, sample::ops(), diags);
}

NodeRef read_well(const std::string& bytes) {
  Diagnostics diags;
  NodeRef node = read(bytes, diags);
  EXPECT_TRUE(node) << diags.text();
  return node;
}

// The one error that reading these bytes gives.
std::string error_of(const std::string& bytes) {
  Diagnostics diags;
  EXPECT_EQ(read(bytes, diags), nullptr);
  EXPECT_EQ(diags.all().size(), 1u);
  return diags.all().empty() ? "" : diags.all()[0].message;
}

// Files written by hand.
struct Sink {
  std::string text;
  void write(const char* data, size_t size) { text.append(data, size); }
};
using Packer = msgpack::packer<Sink>;

struct File {
  std::vector<std::string> ops;
  std::vector<std::string> nodes;
  int version = 1;

  // A node of a kind without a span; `fields` packs the values and says how many.
  template <class F>
  void node(unsigned kind, uint32_t fields, F&& pack) {
    Sink sink;
    Packer out(sink);
    out.pack_array(2 + fields).pack(kind).pack_nil();
    pack(out);
    nodes.push_back(sink.text);
  }
  std::string bytes() const {
    Sink sink;
    Packer out(sink);
    out.pack_array(2).pack(version).pack(static_cast<uint64_t>(nodes.size()));
    out.pack_array(0);
    out.pack(ops);
    std::string text = "TWIR" + sink.text;
    for (const std::string& node : nodes) text += node;
    return text;
  }
};

File scalar_file() {
  File file;
  file.node(kind_of<ScalarType>, 1, [](Packer& out) { out.pack(3); });
  return file;
}

TEST(Serialize, RoundTrip) {
  ProgramRef program = sample::program();
  Diagnostics diags;
  ProgramRef again = program_from_bytes(to_bytes(program), sample::ops(), diags);
  ASSERT_TRUE(again) << diags.text();
  EXPECT_EQ(first_difference(program, again), "");
  EXPECT_EQ(structural_hash(program), structural_hash(again));
  EXPECT_EQ(to_bytes(program), to_bytes(again));
}

TEST(Serialize, SpansAndTheirTextAreKept) {
  Ref<const SourceFile> file(new SourceFile("a.py", "one\ntwo\n", 40));
  NodeRef node = read_well(to_bytes(make<ConstInt>(Span{file, 41, 1, 41, 4}, 7)));
  EXPECT_EQ(node->span.line, 41u);
  EXPECT_EQ(node->span.column, 1u);
  EXPECT_EQ(node->span.end_line, 41u);
  EXPECT_EQ(node->span.end_column, 4u);
  EXPECT_EQ(node->span.file->name(), "a.py");
  EXPECT_EQ(node->span.file->line(41), "two");
  ProgramRef program = sample::program();
  NodeRef again = read_well(to_bytes(program));
  EXPECT_EQ(as<Program>(again)->span.file, as<Program>(again)->functions[0]->span.file)
      << "one file stays one";
}

TEST(Serialize, SharingIsKept) {
  VarRef v = sample::var("v", sample::tile(2, 2));
  ExprRef tuple = sample::list({v, v});
  NodeRef node = read_well(to_bytes(sample::block({make<Eval>(Span{}, tuple), make<Eval>(Span{}, tuple)})));
  const auto& stmts = as<Block>(node)->stmts;
  const auto* first = as<MakeTuple>(as<Eval>(stmts[0])->value);
  EXPECT_EQ(as<Eval>(stmts[0])->value, as<Eval>(stmts[1])->value);
  EXPECT_EQ(first->elements[0], first->elements[1]);
  EXPECT_EQ(as<Var>(first->elements[0])->name_hint, "v");

  ProgramRef program = sample::program();
  const auto again = read_well(to_bytes(program));
  const Function& kernel = *as<Program>(again)->functions[0];
  EXPECT_EQ(kernel.params[0]->type, kernel.params[1]->type);
  EXPECT_EQ(as<Assign>(kernel.body->stmts[0])->var, as<For>(kernel.body->stmts[1])->init_values[0]);
}

TEST(Serialize, ValuesAreKeptToTheBit) {
  for (double value :
       std::initializer_list<double>{0.0, -0.0, 1.0, -3.0, 0.1, INFINITY, -INFINITY, NAN, 1e30}) {
    NodeRef number = make<ConstFloat>(Span{}, value);
    EXPECT_EQ(first_difference(number, read_well(to_bytes(number))), "") << value;
  }
  for (int64_t value : {INT64_MIN, int64_t{-1}, int64_t{0}, int64_t{127}, int64_t{128}, INT64_MAX}) {
    EXPECT_EQ(as<ConstInt>(read_well(to_bytes(const_index(value))))->value, value);
  }
  AttrList attrs = {{"a", AttrValue{true}},
                    {"b", AttrValue{int64_t{-5}}},
                    {"c", AttrValue{2.0}},
                    {"d", AttrValue{std::string("text\0more", 9)}},
                    {"e", AttrValue{DType::BF16}},
                    {"f", AttrValue{enum_value(WaitCmp::Le)}},
                    {"g", AttrValue{AttrValueList{AttrValue{false}, AttrValue{AttrValueList{}}}}}};
  auto call = make<Call>(Span{}, &sample::op("pl.add"), ExprList{nullptr, nullptr}, attrs, unit_type());
  NodeRef again = read_well(to_bytes(call));
  EXPECT_EQ(as<Call>(again)->attrs, attrs);
  EXPECT_EQ(as<Call>(again)->args, call->args);
  EXPECT_EQ(as<Call>(again)->op, call->op);
}

TEST(Serialize, MissingFieldsTakeTheirDefaults) {
  File file;
  file.node(kind_of<ConstInt>, 1, [](Packer& out) { out.pack(5); });
  NodeRef node = read_well(file.bytes());
  EXPECT_EQ(as<ConstInt>(node)->value, 5);
  EXPECT_EQ(as<ConstInt>(node)->dtype, DType::Index);
}

// --- bytes that are not IR --------------------------------------------------------------------------------

TEST(SerializeErrors, EveryTruncationIsAnError) {
  std::string bytes = to_bytes(sample::program());
  for (size_t length = 0; length < bytes.size(); ++length) {
    Diagnostics diags;
    ASSERT_EQ(read(bytes.substr(0, length), diags), nullptr) << length;
    ASSERT_EQ(diags.all().size(), 1u) << length;
  }
  EXPECT_EQ(error_of(bytes.substr(0, 3)), "these bytes are not serialised Tilewire IR");
  EXPECT_EQ(error_of(bytes.substr(0, 4)), "the IR ends early, in what starts at byte 4");
}

TEST(SerializeErrors, EveryFlippedBitIsAnErrorOrAProgram) {
  std::string bytes = to_bytes(sample::program());
  size_t readable = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    Diagnostics diags;
    ProgramRef program = program_from_bytes(damaged, sample::ops(), diags);
    ASSERT_EQ(program == nullptr, diags.has_errors()) << bit;
    if (!program) continue;
    ++readable;
    Diagnostics again;
    ASSERT_TRUE(verify(*program, again)) << bit << again.text();
    ASSERT_EQ(first_difference(program, read_well(to_bytes(program))), "") << bit;
  }
  EXPECT_GT(readable, 0u) << "flips in spans and names still give programs";
}

TEST(SerializeErrors, Header) {
  File file = scalar_file();
  file.version = 2;
  EXPECT_EQ(error_of(file.bytes()), "the IR is in format 2, this version of Tilewire reads format 1");
  EXPECT_EQ(error_of("TWIR" + std::string("\x93\x01\x00\x00", 4)),
            "malformed IR at byte 4: expected the header");
  EXPECT_EQ(error_of(scalar_file().bytes() + "x"),
            "malformed IR at byte 13: more bytes than the nodes announced");
  EXPECT_EQ(error_of(File().bytes()), "malformed IR at byte 9: no node");
  EXPECT_EQ(error_of("PK\x03\x04"), "these bytes are not serialised Tilewire IR");
}

TEST(SerializeErrors, WhatANewerVersionWrote) {
  File kind;
  kind.node(200, 0, [](Packer&) {});
  EXPECT_EQ(error_of(kind.bytes()), "node 0 is of a kind (200) that this version of Tilewire does not know");
  File fields;
  fields.node(kind_of<ScalarType>, 2, [](Packer& out) { out.pack(3).pack(1); });
  EXPECT_EQ(
      error_of(fields.bytes()),
      "node 0 (`ScalarType`) has 2 fields where this version of Tilewire knows 1: the IR was written by a "
      "newer one");
  File op = scalar_file();
  op.ops = {"pl.frobnicate"};
  EXPECT_EQ(error_of(op.bytes()),
            "the IR uses the op `pl.frobnicate`, which this version of Tilewire does not have");
}

TEST(SerializeErrors, ValuesOutOfRange) {
  File dtype;
  dtype.node(kind_of<ScalarType>, 1, [](Packer& out) { out.pack(99); });
  EXPECT_EQ(error_of(dtype.bytes()), "malformed IR: `dtype` of node 0 (`ScalarType`): no such dtype");
  File layout;
  layout.node(kind_of<TensorView>, 2, [](Packer& out) { out.pack_array(0).pack(7); });
  EXPECT_EQ(error_of(layout.bytes()),
            "malformed IR: `layout` of node 0 (`TensorView`): no such member of the enumeration");
  File text;
  text.node(kind_of<DimSymbol>, 1, [](Packer& out) { out.pack(1); });
  EXPECT_EQ(error_of(text.bytes()), "malformed IR: `name` of node 0 (`DimSymbol`): expected a string");
  File large;
  large.node(kind_of<ConstInt>, 1, [](Packer& out) { out.pack(UINT64_MAX); });
  EXPECT_EQ(error_of(large.bytes()), "malformed IR: `value` of node 0 (`ConstInt`): expected an integer");
  File invalid;
  invalid.node(kind_of<DimSymbol>, 1, [](Packer& out) { out.pack(""); });
  EXPECT_EQ(error_of(invalid.bytes()),
            "malformed IR: node 0 (`DimSymbol`): a dynamic dimension needs a name");
  File map;
  map.node(kind_of<ScalarType>, 1, [](Packer& out) { out.pack_map(0); });
  EXPECT_EQ(error_of(map.bytes()), "malformed IR at byte 9: a value of a kind that no IR holds");
}

TEST(SerializeErrors, References) {
  for (int64_t distance : {int64_t{0}, int64_t{-1}, int64_t{2}, INT64_MAX}) {
    File file = scalar_file();
    file.node(kind_of<Eval>, 1, [&](Packer& out) { out.pack(distance); });
    EXPECT_EQ(error_of(file.bytes()),
              "malformed IR: `value` of node 1 (`Eval`): a reference to no earlier node");
  }
  File kind = scalar_file();
  kind.node(kind_of<Eval>, 1, [](Packer& out) { out.pack(1); });
  EXPECT_EQ(error_of(kind.bytes()),
            "malformed IR: `value` of node 1 (`Eval`): a ScalarType does not belong here");
  File null;
  null.node(kind_of<Block>, 1, [](Packer& out) { out.pack_array(1).pack_nil(); });
  EXPECT_EQ(error_of(null.bytes()), "malformed IR: node 0 (`Block`): a statement of a block is missing");
}

TEST(SerializeErrors, Spans) {
  auto with = [](std::vector<int64_t> numbers) {
    Sink sink;
    Packer out(sink);
    out.pack_array(3).pack(static_cast<unsigned>(kind_of<ScalarType>)).pack(numbers).pack(3);
    File file;
    file.nodes.push_back(sink.text);
    return file.bytes();
  };
  EXPECT_EQ(error_of(with({0, 1, 1, 1, 1})),
            "malformed IR: `span` of node 0 (`ScalarType`): no such source file");
  EXPECT_EQ(error_of(with({1, 2})), "malformed IR: `span` of node 0 (`ScalarType`): expected a span");
}

TEST(SerializeErrors, StatedLengthsAreNotTrusted) {
  File file;
  file.nodes.push_back(std::string("\xdd\xff\xff\xff\xff", 5));  // an array of four billion
  EXPECT_EQ(error_of(file.bytes()), "the IR ends early, in what starts at byte 9");
  file.nodes[0] = std::string("\xdb\xff\xff\xff\xff", 5);  // a string of four billion bytes
  EXPECT_EQ(error_of(file.bytes()), "the IR ends early, in what starts at byte 9");
  std::string count = "TWIR" + std::string("\x92\x01\xce\xff\xff\xff\xff\x90\x90", 9);  // four billion nodes
  EXPECT_EQ(error_of(count), "the IR ends early, in what starts at byte 13");
}

TEST(SerializeErrors, Depth) {
  auto tower = [](int levels) {
    File file;
    file.node(kind_of<TupleType>, 1, [](Packer& out) { out.pack_array(0); });
    for (int i = 1; i < levels; ++i) {
      file.node(kind_of<TupleType>, 1, [](Packer& out) { out.pack_array(1).pack(1); });
    }
    return file.bytes();
  };
  EXPECT_TRUE(read_well(tower(max_depth)));
  EXPECT_EQ(error_of(tower(max_depth + 1)),
            "the IR is nested too deeply: node 1000 is more than 1000 levels deep");
  File attr;
  attr.ops = {"pl.add"};
  attr.node(kind_of<Call>, 3, [](Packer& out) {
    out.pack(0).pack_array(0).pack_array(1).pack_array(2).pack("x");
    for (int i = 0; i < 100; ++i) out.pack_array(2).pack(6).pack_array(1);
    out.pack_array(2).pack(0).pack(true);
  });
  EXPECT_EQ(error_of(attr.bytes()), "malformed IR at byte 16: a value of a kind that no IR holds");
}

TEST(SerializeErrors, SharingThatExplodes) {
  auto doubling = [](unsigned kind, int levels) {
    File file;
    file.node(kind, 1, [](Packer& out) { out.pack_array(0); });
    for (int i = 1; i < levels; ++i) {
      file.node(kind, 1, [](Packer& out) { out.pack_array(2).pack(1).pack(1); });
    }
    return file.bytes();
  };
  EXPECT_TRUE(read_well(doubling(kind_of<TupleType>, 10)));
  EXPECT_EQ(error_of(doubling(kind_of<TupleType>, 100)), "node 13 of the IR expands to too many nodes");
  EXPECT_EQ(error_of(doubling(kind_of<MakeTuple>, 900)), "node 20 of the IR expands to too many nodes");
}

TEST(SerializeErrors, NotAProgram) {
  Diagnostics diags;
  EXPECT_EQ(program_from_bytes(to_bytes(const_index(1)), sample::ops(), diags), nullptr);
  EXPECT_EQ(diags.all().at(0).message, "the IR holds one `ConstInt`, not a program");
}

TEST(SerializeErrors, ProgramsAreVerified) {
  VarRef v = sample::var("v", sample::scalar(DType::Index));
  auto program =
      sample::program_of({sample::function("f", FunctionType::InCore, {}, {}, {make<Eval>(Span{}, v)})});
  Diagnostics diags;
  EXPECT_EQ(program_from_bytes(to_bytes(program), sample::ops(), diags), nullptr);
  EXPECT_EQ(diags.all().at(0).message, "`v` is used before it is defined");
  // The type a call states is not taken on trust either.
  auto call = make<Call>(Span{}, &sample::op("pl.add"), ExprList{sample::index(1), sample::index(2)},
                         AttrList{}, sample::scalar(DType::Bool));
  auto typed =
      sample::program_of({sample::function("f", FunctionType::InCore, {}, {}, {make<Eval>(Span{}, call)})});
  Diagnostics wrong;
  EXPECT_EQ(program_from_bytes(to_bytes(typed), sample::ops(), wrong), nullptr);
  EXPECT_EQ(wrong.all().at(0).id, diag::call_result_type);
}

}  // namespace
}  // namespace tilewire::ir
