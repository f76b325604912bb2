# --- annotated_subscript
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0, 0]: pl.Scalar[pl.FP32] = 1.0
#   ^^^^^^^
# error: TW1064 only a name can be annotated
# help: leave the annotation out

# --- annotation_constant_does_not_fit
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v: pl.Scalar[pl.UINT8] = 256
#                            ^^^
# error: TW1027 256 does not fit pl.UINT8
# help: write a value that the dtype can hold, or use a wider dtype

# --- annotation_mismatch
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v: pl.Scalar[pl.FP32] = n
#                           ^
# error: TW1067 type mismatch: the annotation is pl.Scalar[pl.FP32], but the value is pl.Scalar[pl.INDEX]
# help: correct the annotation, or convert the value with pl.cast(x, dtype)

# --- annotation_mismatch_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t: pl.Tile[[8, 16], pl.FP32] = pl.load(x)
#                                  ^^^^^^^^^^
# error: TW1067 type mismatch: the annotation is pl.Tile[[8, 16], pl.FP32], but the value is pl.Tile[[16, 16], pl.FP32]
# help: correct the annotation, or convert the value with pl.cast(x, dtype)

# --- declaration_only
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v: pl.Scalar[pl.INT32]
#   ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1065 `v` is declared without a value
# help: assign a value on this line: `v: ... = value`

# --- direction_on_variable
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v: pl.Out[pl.Tensor[[16, 16], pl.FP32]] = x
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1066 only parameters have a direction, not variables
# help: write the type without `pl.Out[...]` or `pl.InOut[...]`

# --- parameter_without_type
import tilewire.language as pl


@pl.jit.host
def host(x):
#        ^
# error: TW1134 the parameter `x` of `host` has no type
# help: annotate it, `x: pl.Tensor[[16, 256], pl.FP32]`, or give its type: --shape x=16x256:FP32
    pass

# --- parameters_without_types_where_the_program_starts
import tilewire.language as pl


@pl.jit.incore
def scale(x, first, factor, y):
    y = pl.store(pl.load(x, [first, 0], [16, 16]) * factor, [first, 0], y)
    return y


@pl.jit
def main(x, y, rounds):
#        ^ nor have `y` and `rounds`
# error: TW1134 the parameter `x` of `main` has no type
# help: annotate them, `x: pl.Tensor[[16, 256], pl.FP32]`, or give their types: --shape x=16x256:FP32 --shape y=16x256:FP32 --shape rounds=INDEX
    for i in pl.range(rounds):
        y = scale(x, i * 16, 2.0, y)
    return y

# --- parameters_without_types_of_kernels
import tilewire.language as pl


@pl.jit.incore
def first(x, y):
#         ^ nor has `y`
# error: TW1134 the parameter `x` of `first` has no type
# help: annotate them, `x: pl.Tensor[[16, 256], pl.FP32]`, or give their types: --shape x=16x256:FP32 --shape y=16x256:FP32
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit.incore
def second(n):
#          ^
# error: TW1134 the parameter `n` of `second` has no type
# help: annotate it, `n: pl.Scalar[pl.INDEX]`, or give its type: --shape n=INDEX
    for i in pl.range(n):
        pass
