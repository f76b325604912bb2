// The syntax tree: Python text as the parser saw it, before any meaning.
//
// Nodes live in an arena owned by SyntaxTree and are freed together. Names are interned: equal names have
// equal Symbol numbers, so scopes are arrays. Positions are byte offsets plus line; `SyntaxTree::span` turns
// them into a Span.
//
// The bodies of functions may be skipped (parser.h): a FunctionBody reads one when it is needed, so that a
// program of a million lines is never in memory as a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/source.h"

namespace tilewire::frontend {

using Symbol = uint32_t;  // 0: no name

struct Position {
  uint32_t line = 0;    // as in Span: counts from the file's first_line
  uint32_t column = 0;  // bytes, from 1
};
struct Range {
  Position begin, end;  // end: one past the last byte
};

// A list in the arena, one word wide: trees of a million lines are bound by the memory they touch.
template <class T>
class List {
 public:
  List() = default;
  // `items` stay where they are, with their count in the eight bytes before them.
  static List at(const T* items) {
    List result;
    result.items_ = items;
    return result;
  }

  size_t size() const { return items_ ? reinterpret_cast<const uint64_t*>(items_)[-1] : 0; }
  bool empty() const { return !items_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size(); }
  const T* data() const { return items_; }
  const T& operator[](size_t i) const { return items_[i]; }
  const T& front() const { return items_[0]; }
  const T& back() const { return items_[size() - 1]; }
  operator std::span<const T>() const { return {items_, size()}; }
  std::span<const T> subspan(size_t offset) const { return std::span<const T>(*this).subspan(offset); }
  std::span<const T> first(size_t count) const { return std::span<const T>(*this).first(count); }

 private:
  const T* items_ = nullptr;
};

// Memory for nodes, in large pieces that are kept when it is rewound.
class NodeArena {
 public:
  struct Mark {
    size_t piece;
    std::byte* next;
  };

  void* allocate(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > static_cast<size_t>(limit_ - next_)) refill(bytes);
    return std::exchange(next_, next_ + bytes);
  }
  template <class T>
  T* make() {
    return new (allocate(sizeof(T))) T{};
  }
  template <class T>
  List<T> copy(std::span<const T> items) {
    if (items.empty()) return {};
    void* block = allocate(sizeof(uint64_t) + items.size_bytes());
    T* place = reinterpret_cast<T*>(new (block) uint64_t(items.size()) + 1);
    for (size_t i = 0; i < items.size(); ++i) new (place + i) T(items[i]);
    return List<T>::at(place);
  }
  std::string_view copy(std::string_view text);

  Mark mark() const { return {piece_, next_}; }
  // Everything allocated since is gone.
  void rewind(const Mark& mark);

 private:
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    size_t size;
  };
  void refill(size_t bytes);

  std::vector<Piece> pieces_;
  size_t piece_ = 0;  // after the one in use
  std::byte* next_ = nullptr;
  std::byte* limit_ = nullptr;
};

enum class ExprKind : uint8_t {
  Name,    // name
  Int,     // int_value; `big` set when it does not fit 64 bits signed, then `text` is the literal as written
  Float,   // float_value
  String,  // text (decoded, adjacent literals joined)
  True,
  False,
  None,
  Ellipsis,
  List,
  Tuple,      // items
  Dict,       // items: key, value, key, value ...
  Attribute,  // left . name
  Subscript,  // left [ items ]: the subscripts, Slice among them; `x[a, b]` and `x[(a, b)]` both have two
  Slice,      // items: start, stop, step; null where absent
  Call,       // left ( items ), keywords
  Unary,      // op, left
  Binary,     // op, left, right
  Compare,    // op, left, right; chains become And of comparisons with `chained` set on the And. The middle
              // operand is then one node in two places, to be evaluated once: visiting it twice takes
              // exponential time on nested chains.
  And,
  Or,           // left, right
  Conditional,  // items: condition, if true, if false
  Unsupported,  // Python the language has no form for; already reported when strict, else `text` names it
};

enum class Operator : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,
  Neg,
  Pos,
  Invert,
  Not,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Is,
  IsNot,
  In,
  NotIn,
};
std::string_view spelling(Operator op);

struct Expr;
struct Keyword {
  Symbol name;
  Range name_range;
  const Expr* value;
};

struct Expr {
  ExprKind kind;
  Operator op{};
  bool big : 1 = false;
  bool chained : 1 = false;
  uint8_t height = 0;  // levels of nodes below; together with the enclosing blocks at most max_nesting
  Symbol name = 0;
  Range range;
  union {
    std::string_view text = {};  // String, Unsupported, Int with `big`
    int64_t int_value;           // Int without `big`
    double float_value;          // Float
  };
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  List<const Expr*> items;
  List<Keyword> keywords;
};

enum class StmtKind : uint8_t {
  Expr,       // value
  Assign,     // targets (one per `=`, each may be Tuple/List), value
  AnnAssign,  // targets[0], annotation, value (may be null)
  AugAssign,  // targets[0], op, value
  For,        // targets[0], value (iterable), body, orelse empty (for-else is reported)
  While,      // value, body
  If,         // value, body, orelse (elif: a single If in orelse)
  With,       // items (context expressions), names (the `as` names; null where absent), body
  Return,     // value (may be null)
  Assert,     // value, message (may be null)
  Pass,
  Break,
  Continue,
  FunctionDef,  // function
  ClassDef,     // name, decorators, body
  Import,       // imports
  Unsupported,  // already reported when strict
};

struct ImportName {
  // What the name denotes. `import a.b as c`: "a.b"; `import a.b` binds `a`: "a"; `from m import n`:
  // "m.n", with the leading dots of a relative import.
  std::string_view module;
  Symbol name;  // the name it binds
  Range range;
};

struct Stmt;
struct BodyPlace;  // parser_impl.h
struct Param {
  Symbol name;
  Range range;
  const Expr* annotation;     // null: none
  const Expr* default_value;  // null: none
};
struct FunctionDef {
  Symbol name;
  Range name_range;
  List<Param> params;
  const Expr* returns;  // null: none
  List<const Expr*> decorators;
  List<const Stmt*> body;
  BodyPlace* place = nullptr;  // not null: the body was skipped, and this is where to read it
};

struct Stmt {
  StmtKind kind;
  Operator op{};
  Symbol name = 0;
  Range range;       // the statement; of a compound one, its header line
  Range name_range;  // of ClassDef
  const Expr* value = nullptr;
  const Expr* annotation = nullptr;
  const Expr* message = nullptr;
  List<const Expr*> targets;
  List<const Expr*> items;
  List<const Expr*> names;
  List<const Expr*> decorators;
  List<const Stmt*> body;
  List<const Stmt*> orelse;
  List<ImportName> imports;
  const FunctionDef* function = nullptr;
};

class Parser;

class SyntaxTree {
 public:
  explicit SyntaxTree(Ref<const SourceFile> file);
  SyntaxTree(const SyntaxTree&) = delete;
  ~SyntaxTree();

  const Ref<const SourceFile> file;
  std::vector<const Stmt*> body;  // module level: imports, assignments, decorated functions and classes
  NodeArena arena;
  std::unique_ptr<Parser> parser;  // reads bodies that were skipped; null: none were
  bool misread = false;            // skipping a body ended elsewhere than reading it

  Span span(const Range& range) const {
    return {file, range.begin.line, range.begin.column, range.end.line, range.end.column};
  }
  // The text between two positions, as written.
  std::string_view text(const Range& range) const;

  // Copies the name unless it lies in the file's text.
  Symbol intern(std::string_view name);
  std::string_view name(Symbol symbol) const { return names_[symbol]; }
  size_t symbol_count() const { return names_.size(); }

 private:
  std::vector<std::string_view> names_;
  std::deque<std::string> copied_names_;
  // Open addressing, a power of two, at most half full; symbol 0 marks a free slot.
  struct Slot {
    uint32_t hash = 0;
    Symbol symbol = 0;
  };
  std::vector<Slot> slots_;

  void grow();
};

// The statements of one function. Skipped ones are read now and gone with this object; of several for one
// tree the last made goes first. Their names may be new to the tree.
class FunctionBody {
 public:
  FunctionBody(SyntaxTree& tree, const FunctionDef& def);
  FunctionBody(const FunctionBody&) = delete;
  ~FunctionBody();

  std::span<const Stmt* const> stmts() const { return stmts_; }

 private:
  SyntaxTree& tree_;
  NodeArena::Mark before_;
  List<const Stmt*> stmts_;
};

// Reads the bodies that no FunctionBody has read, for their errors.
void read_skipped_bodies(SyntaxTree& tree);

}  // namespace tilewire::frontend
