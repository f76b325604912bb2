# --- function_calls_itself
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    main(x)
#   ^^^^^^^
# error: TW1106 an orchestration function cannot call an orchestration function `main`
# help: decorate `main` with `@pl.jit.inline` to use it in other functions of this level

# --- group_of_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32]):
    kernel(x)
#   ^^^^^^^^^
# error: TW1106 a Group function cannot call a kernel `kernel`
# help: call one AIC and one AIV function, and nothing else

# --- grown_by_inlining
import tilewire.language as pl


@pl.jit.inline
def more(x, times):
    if times == 0:
        return x
    return more(x, times - 1) + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = more(n, 60)
    return v
# stderr:
#| error[TW0443]: the program is nested too deeply
#|  --> grown_by_inlining.py:8:12
#|   |
#| 8 |     return more(x, times - 1) + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ...
#|   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

# --- half_called_without_group
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    cube(x)
#   ^^^^^^^
# error: TW1106 an orchestration function cannot call an AIC kernel `cube`
# help: call a Group function that calls `cube` and its other half

# --- inline_limit
import tilewire.language as pl


@pl.jit.inline
def f0(x):
    return f1(x) + f1(x)


@pl.jit.inline
def f1(x):
    return f2(x) + f2(x)


@pl.jit.inline
def f2(x):
    return f3(x) + f3(x)


@pl.jit.inline
def f3(x):
    return f4(x) + f4(x)


@pl.jit.inline
def f4(x):
    return f5(x) + f5(x)


@pl.jit.inline
def f5(x):
    return f6(x) + f6(x)


@pl.jit.inline
def f6(x):
    return f7(x) + f7(x)


@pl.jit.inline
def f7(x):
    return f8(x) + f8(x)


@pl.jit.inline
def f8(x):
    return f9(x) + f9(x)


@pl.jit.inline
def f9(x):
    return f10(x) + f10(x)


@pl.jit.inline
def f10(x):
    return f11(x) + f11(x)


@pl.jit.inline
def f11(x):
    return f12(x) + f12(x)


@pl.jit.inline
def f12(x):
    return f13(x) + f13(x)


@pl.jit.inline
def f13(x):
    return f14(x) + f14(x)


@pl.jit.inline
def f14(x):
    return f15(x) + f15(x)


@pl.jit.inline
def f15(x):
    return f16(x) + f16(x)


@pl.jit.inline
def f16(x):
    return f17(x) + f17(x)


@pl.jit.inline
def f17(x):
    return f18(x) + f18(x)


@pl.jit.inline
def f18(x):
    return f19(x) + f19(x)


@pl.jit.inline
def f19(x):
    return f20(x) + f20(x)


@pl.jit.inline
def f20(x):
    return f21(x) + f21(x)


@pl.jit.inline
def f21(x):
    return f22(x) + f22(x)


@pl.jit.inline
def f22(x):
    return f23(x) + f23(x)


@pl.jit.inline
def f23(x):
    return f24(x) + f24(x)


@pl.jit.inline
def f24(x):
    return f25(x) + f25(x)


@pl.jit.inline
def f25(x):
    return f26(x) + f26(x)


@pl.jit.inline
def f26(x):
    return f27(x) + f27(x)


@pl.jit.inline
def f27(x):
    return f28(x) + f28(x)


@pl.jit.inline
def f28(x):
    return f29(x) + f29(x)


@pl.jit.inline
def f29(x):
    return f30(x) + f30(x)


@pl.jit.inline
def f30(x):
    return f31(x) + f31(x)


@pl.jit.inline
def f31(x):
    return f32(x) + f32(x)


@pl.jit.inline
def f32(x):
    return f33(x) + f33(x)


@pl.jit.inline
def f33(x):
    return f34(x) + f34(x)


@pl.jit.inline
def f34(x):
    return f35(x) + f35(x)


@pl.jit.inline
def f35(x):
    return f36(x) + f36(x)
#          ^^^^^^
# note: in the inline call of `f36` here


@pl.jit.inline
def f36(x):
    return f37(x) + f37(x)
#          ^^^^^^
# error: TW1140 more than 100000 inline calls in one program: `f37` is not inlined
# help: write a loop, or make one of the functions a kernel: each call of an inline function copies its body


@pl.jit.inline
def f37(x):
    return f38(x) + f38(x)


@pl.jit.inline
def f38(x):
    return f39(x) + f39(x)


@pl.jit.inline
def f39(x):
    return x * 2.0


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y[...] = f0(pl.load(x))
#            ^^^^^^^^^^^^^^
# note: in the inline call of `f0` here

# --- inline_recursion
import tilewire.language as pl


@pl.jit.inline
def again(n):
    return again(n)
#          ^^^^^^^^
# error: TW1118 recursion: `again` is inlined into itself
# note: in the inline call of `again` here
# help: write a loop: each call of an inline function copies its body


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = again(n)
#       ^^^^^^^^
# note: in the inline call of `again` here

# --- int_called
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 3
    w = v(n)
#       ^
# error: TW1012 cannot call an int

# --- kernel_calls_host
import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    host(x)
#   ^^^^^^^
# error: TW1106 a kernel cannot call a host function `host`
# help: call functions of a lower level only: host functions call orchestration functions, these call kernels

# --- kernel_calls_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.incore
def inner(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y)
#   ^^^^^^^^^^^^
# error: TW1106 a kernel cannot call a kernel `kernel`
# help: decorate `kernel` with `@pl.jit.inline` to use it in other functions of this level


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    inner(x, y)

# --- orchestration_calls_orchestration
import tilewire.language as pl


@pl.jit
def other(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    other(x)
#   ^^^^^^^^
# error: TW1106 an orchestration function cannot call an orchestration function `other`
# help: decorate `other` with `@pl.jit.inline` to use it in other functions of this level

# --- type_called
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.Tile([16, 16], pl.FP32)
#       ^^^^^^^
# error: TW1012 cannot call `pl.Tile`
# help: write types with brackets: `pl.Tile[...]`
