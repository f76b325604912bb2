# --- group_of_one_half
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32]):
#   ^^^^
# error: TW0429 the body of the Group function `pair` is not one call of an AIC function and one of an AIV function
    cube(x)

# --- group_with_loop
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.AIV)
def vector(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32]):
#   ^^^^
# error: TW0429 the body of the Group function `pair` is not one call of an AIC function and one of an AIV function
    for i in pl.range(4):
        cube(x)
    vector(x)

# --- initialize_other_half
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=64)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ inside `cube` of type AIC
# error: TW1139 `pl.aiv_initialize_pipe` is only allowed in an AIV function
# help: move it into the other half

# --- pop_in_wrong_half
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
#                                   ^^^^^^^^^^^^^^^^^^^^^^^^^ inside `cube` of type AIC
# error: TW1139 `pl.tpop_from_aic` is only allowed in an AIV function
# help: move it into the other half

# --- push_from_wrong_half
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=0)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ inside `vector` of type AIV
# error: TW1139 `pl.tpush_to_aiv` is only allowed in an AIC function
# help: move it into the other half

# --- subblock_in_cube_half
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    lane = pl.tile.get_subblock_idx()
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^ inside `cube` of type AIC
# error: TW1139 `pl.tile.get_subblock_idx` is only allowed in an AIV function
# help: move it into the other half

# --- subblock_in_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel():
    lanes = pl.tile.get_subblock_num()
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^ inside `kernel` of type InCore
# error: TW1139 `pl.tile.get_subblock_num` is only allowed in an AIV function
# help: split the kernel into an AIC and an AIV function, and call both from a Group function
