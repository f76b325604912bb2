# --- op_attribute_bool_expected
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = pl.matmul(t, t, a_trans=1)
#                               ^
# error: TW0311 `pl.tile.matmul` needs True or False for `a_trans`, got an int

# --- op_attribute_bool_for_int
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.tensor.dim(x, True)
#                        ^^^^
# error: TW0311 `pl.tensor.dim` needs an int for `i`, got a bool

# --- op_attribute_enum_expected
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], target_memory=1)
#                                                  ^
# error: TW0311 `pl.tile.load` needs a `pl.Mem` for `target_memory`, got an int
# help: write one of pl.Mem.DDR, pl.Mem.Vec, pl.Mem.Mat, pl.Mem.Left, pl.Mem.Right, pl.Mem.Acc, pl.Mem.Bias

# --- op_attribute_kind
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([16, 16], dtype=4)
#                                      ^
# error: TW0311 `pl.tile.create` needs a dtype such as pl.FP32 for `dtype`, got an int

# --- op_attribute_list
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.tensor.dim(x, [0])
#                        ^^^
# error: TW0311 `pl.tensor.dim` needs an int for `i`, got a list

# --- op_attribute_not_constant
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], flag: pl.Scalar[pl.BOOL]):
    t = pl.load(x)
    u = pl.matmul(t, t, a_trans=flag)
#                               ^^^^ `flag` is pl.Scalar[pl.BOOL]
# error: TW0313 `pl.tile.matmul` needs a value for `a_trans` that is known when the program is read

# --- round_mode_unused
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.cast(pl.load(x), pl.INT64, mode="floor")
#               ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.INT32]
# error: TW0350 a cast from pl.INT32 to pl.INT64 does not round
# help: leave `mode` out

# --- round_odd
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.cast(pl.load(x), pl.INT32, mode="odd")
#               ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP32]
# error: TW0351 round to odd is for casts to a narrower float, not from pl.FP32 to pl.INT32
# help: leave `mode` out, or choose "rint", "round", "floor", "ceil" or "trunc"
