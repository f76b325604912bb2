# --- constant_cycle
import tilewire.language as pl


ROWS = COLS
COLS = ROWS
#      ^^^^
# error: TW1003 circular definition of the constant `ROWS`


@pl.jit.incore
def kernel(x: pl.Tensor[[ROWS, 16], pl.FP32]):
    t = x

# --- constant_not_integer
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.load(x) + 0.5
#                    ^^^
# error: TW0317 the constant 0.5 is not an integer, but `pl.tile.add` needs pl.INT32 here
# help: write an integer, or pl.cast the other operand to pl.FP32

# --- constant_out_of_range
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.UINT8]):
    t = pl.load(x) + 300
#                    ^^^
# error: TW0316 the constant 300 does not fit pl.UINT8

# --- constant_out_of_range_float
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP16]):
    t = pl.load(x) * 1e6
#                    ^^^
# error: TW0316 the constant 1e+06 does not fit pl.FP16

# --- constant_out_of_range_negative
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.UINT8]):
    t = pl.load(x) - -1
#                    ^^
# error: TW0316 the constant -1 does not fit pl.UINT8

# --- narrowed_expected
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 0], pl.const(3000000000, pl.INT64))
#                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0399 `3000000000` does not fit INT32, as `pld.system.wait` needs for `expected`

# --- narrowed_value
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0, 0], 3000000000)
#                                   ^^^^^^^^^^
# error: TW0316 the constant 3000000000 does not fit pl.INT32
