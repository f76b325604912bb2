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
# help: write a value the dtype holds, or take a wider dtype

# --- annotation_mismatch
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v: pl.Scalar[pl.FP32] = n
#                           ^ this is pl.Scalar[pl.INDEX]
# error: TW1067 the value is not pl.Scalar[pl.FP32]
# help: correct the annotation or leave it out; pl.cast(x, dtype) converts values

# --- annotation_mismatch_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t: pl.Tile[[8, 16], pl.FP32] = pl.load(x)
#                                  ^^^^^^^^^^ this is pl.Tile[[16, 16], pl.FP32]
# error: TW1067 the value is not pl.Tile[[8, 16], pl.FP32]
# help: correct the annotation or leave it out; pl.cast(x, dtype) converts values

# --- declaration_only
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v: pl.Scalar[pl.INT32]
#   ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1065 `v` is declared without a value
# help: give it a value

# --- direction_on_variable
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v: pl.Out[pl.Tensor[[16, 16], pl.FP32]] = x
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1066 a variable has no direction
# help: directions belong to parameters

# --- parameter_without_type
import tilewire.language as pl


@pl.jit.host
def host(x):
#        ^
# error: TW1134 the parameter `x` of `host` has no type
# help: annotate it, `x: pl.Tensor[[16, 256], pl.FP32]`, or give its type: --shape x=16x256:FP32
    pass
