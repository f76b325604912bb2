# --- foreign_module
import tilewire.language as pl


import numpy as np


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + np.pi
#           ^^
# error: TW1001 `np` is not defined
# help: `np` is imported from Python, which does not run here: define the value at the top of the file, or give it on the command line: -D NAME=VALUE

# --- forgotten_constant
import tilewire.language as pl

SIZE = 4
SIZE = [i * i for i in range(3)]
#<^^^^
# note 1: assigned here, from an expression that only Python can compute
COUNT = 1
COUNT += len(SIZE)
#<^^^^^
# note 2: assigned here, from an expression that only Python can compute


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(SIZE):
#                     ^^^^
# error 1: TW1001 `SIZE` is not defined
# help: assign a value that needs no Python, such as `SIZE = pl.dynamic("SIZE")`, give one on the command line: -D SIZE=VALUE, or let Python read the file: --python FILE:NAME
        pass
    for j in pl.range(COUNT):
#                     ^^^^^
# error 2: TW1001 `COUNT` is not defined
# help: assign a value that needs no Python, such as `COUNT = pl.dynamic("COUNT")`, give one on the command line: -D COUNT=VALUE, or let Python read the file: --python FILE:NAME
        pass

# --- undefined_constant
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, HIDDEN], pl.FP32]):
#                            ^^^^^^
# error: TW1001 `HIDDEN` is not defined
# help: define it at the top of the file, or give it on the command line: -D HIDDEN=VALUE
    t = x

# --- undefined_name
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) + offset
#                    ^^^^^^
# error: TW1001 `offset` is not defined
# help: define it at the top of the file, or give it on the command line: -D offset=VALUE

# --- undefined_name_near
import tilewire.language as pl


@pl.jit.incore
def kernel(weights: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(weight)
#               ^^^^^^
# error: TW1001 `weight` is not defined
# help: did you mean `weights`?

# --- undefined_name_once
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + hidden
#           ^^^^^^
# error: TW1001 `hidden` is not defined
# help: define it at the top of the file, or give it on the command line: -D hidden=VALUE
    w = n + hidden

# --- unknown_configuration
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + cfg.hidden
#           ^^^
# error: TW1001 `cfg` is not defined
# help: define it at the top of the file, or give it on the command line: -D cfg=VALUE

# --- plain_python_class
import tilewire.language as pl


class Config:
#     ^^^^^^
# note: defined here, as a class of Python
    size = 4


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + Config.size
#           ^^^^^^
# error: TW1001 `Config` is not defined
# help: let Python read the file: --python FILE:NAME

# --- plain_python_function
import functools
import tilewire.language as pl


def twice(v):
#   ^^^^^
# note 1: defined here, as a function of Python
    return 2 * v


@functools.cache
def thrice(v):
#   ^^^^^^
# note 2: defined here, as a function of Python
    return 3 * v


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + twice(3) + thrice(4)
#           ^^^^^
# error 1: TW1001 `twice` is not defined
# help: decorate it with `@pl.jit.inline`, or let Python read the file: --python FILE:NAME
#                      ^^^^^^
# error 2: TW1001 `thrice` is not defined
# help: decorate it with `@pl.jit.inline`, or let Python read the file: --python FILE:NAME
