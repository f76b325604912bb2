// A few ops and one program with every class of node in it, for tests of what treats all nodes alike.
#pragma once

#include <string>
#include <string_view>

#include "ir/op.h"

namespace tilewire::ir::sample {

// pl.add, pl.less (scalars), pl.load, pl.tile_add, pl.store, pl.alloc, pl.window, pl.notify, pl.pop,
// pl.create, pl.view.
const OpTable& ops();
const Op& op(std::string_view qualified);

struct Style {
  std::string suffix;       // appended to every name that does not count
  uint32_t first_line = 1;  // of the spans
};
ProgramRef program(const Style& style = {});

// --- pieces to build other programs from

TypeRef tensor(std::vector<int64_t> shape, DType dtype = DType::FP32);
TypeRef tile(int64_t rows, int64_t cols, DType dtype = DType::FP32);
TypeRef scalar(DType dtype);
VarRef var(std::string name, TypeRef type);
Ref<const Parameter> param(std::string name, TypeRef type, Direction direction = Direction::In);
ExprRef index(int64_t value);
ExprRef list(ExprList elements);
// Through create_call; fails the test when the op refuses.
Ref<const Call> call(std::string_view name, ExprList args, AttrList attrs = {}, TypeRef annotated = nullptr);
StmtRef assign(const VarRef& var, ExprRef value);
BlockRef block(std::vector<StmtRef> stmts);
FunctionRef function(std::string name, FunctionType type, std::vector<Ref<const Parameter>> params,
                     std::vector<TypeRef> returns, std::vector<StmtRef> stmts);
ProgramRef program_of(std::vector<FunctionRef> functions, std::vector<Ref<const CommGroup>> groups = {});

}  // namespace tilewire::ir::sample
