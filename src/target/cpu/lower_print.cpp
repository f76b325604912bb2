// `pl.print`: the corner is copied out, the runtime writes it.
#include "ir/abi_numbers.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

Value* word_of(FunctionEmitter& e, Value* value, DType dtype) {
  if (!is_float(dtype)) return e.scalar_word(value, dtype);
  return e.b.CreateBitCast(e.b.CreateFPExt(value, e.b.getDoubleTy()), e.b.getInt64Ty());
}

void print(FunctionEmitter& e, const Call& call, std::span<const int>) {
  const ExprRef& x = call.args[0];
  const auto* type = as<TileType>(x->type);
  const DType dtype = type ? type->dtype : *scalar_dtype(x->type);
  auto* array = llvm::ArrayType::get(e.b.getInt64Ty(), abi::print_rows * abi::print_cols);
  Value* elements = e.new_alloca(array);
  auto store = [&](Value* at, Value* value) {
    Value* place = e.b.CreateInBoundsGEP(e.b.getInt64Ty(), elements, at);
    e.b.CreateAlignedStore(word_of(e, value, dtype), place, llvm::Align(8));
  };
  Value *valid_rows = e.i64(0), *valid_cols = e.i64(0);
  if (type) {
    const TileView& tile = e.tile(x);
    valid_rows = tile.rows;
    valid_cols = tile.cols;
    Value* rows = e.minimum(valid_rows, e.i64(abi::print_rows));
    Value* cols = e.minimum(valid_cols, e.i64(abi::print_cols));
    e.repeat(e.i64(0), rows, 1, [&](Value* r) {
      e.repeat(e.i64(0), cols, 1, [&](Value* c) {
        Value* element = e.load_element(e.address(tile, dtype, r, c), dtype);
        store(e.b.CreateAdd(e.b.CreateMul(r, cols), c), element);
      });
    });
  } else {
    store(e.i64(0), e.scalar(x));
  }
  const AttrValue* label = find_attr(call.attrs, "label");
  llvm::StructType* record_type = abi_types(e.module.context).print;
  Value* record = e.new_alloca(record_type);
  e.fill_record(record_type, record,
                {e.module.text(label ? *label->get<std::string>() : ""), e.module.text(info(dtype).name),
                 elements, e.i64(type ? type->rows() : 0), e.i64(type ? type->cols() : 0), valid_rows,
                 valid_cols, e.site(call), e.b.getInt8(static_cast<uint8_t>(print_format(dtype))),
                 llvm::Constant::getNullValue(record_type->getElementType(9))});
  auto* function = llvm::FunctionType::get(e.b.getVoidTy(), {e.b.getPtrTy(), e.b.getPtrTy()}, false);
  e.b.CreateCall(function, e.api_function(offsetof(abi::Api, print)), {e.context, record});
}

}  // namespace

void add_print_lowerings(LoweringTable& table) {
  Lowering lowering;
  lowering.opaque = print;
  table.add(ops::pl::print, lowering);
}

}  // namespace tilewire::target::cpu
