# --- python_del
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
    del v
#   ^^^ a del statement
# error: TW0170 `del` is not part of the language
# help: leave it out; storage is freed by the compiler

# --- python_for_else
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
        v = i
    else:
#   ^^^^ belongs to a loop
# error: TW0171 `else` after a loop is not part of the language
# help: set a flag in the loop and test it in an `if` after it
        v = 0

# --- python_global
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    global v
#   ^^^^^^ an outer name made writable
# error: TW0157 `global` and `nonlocal` are not part of the language
# help: pass the value as a parameter and return the new one
    v = n

# --- python_match
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    match n:
#   ^^^^^ a match statement
# error: TW0176 `match` is not part of the language
# help: write `if`, `elif` and `else`
        case 0:
            v = 1

# --- python_nonlocal
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    nonlocal v
#   ^^^^^^^^ an outer name made writable
# error: TW0157 `global` and `nonlocal` are not part of the language
# help: pass the value as a parameter and return the new one
    v = n

# --- python_raise
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n < 0:
        raise ValueError("negative")
#       ^^^^^ a raise statement
# error: TW0153 `raise` is not part of the language
# help: write `assert` or `pl.static_assert` for facts known when the program is read

# --- python_star_import
import tilewire.language as pl


from tilewire.language import *
#                             ^ all names of a module
# error: TW0173 `import *` is not part of the language
# help: write `import tilewire.language as pl`


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- python_try
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    try:
#   ^^^ a try statement
# error: TW0152 `try` is not part of the language
# help: remove it: errors of a program are reported when it is read, or stop the run
        v = n
    except ValueError:
        v = 1

# --- python_type_statement
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    type Row = pl.Tensor[[16], pl.FP32]
#   ^^^^ a type statement
# error: TW0177 the `type` statement is not part of the language
# help: write the type where it is used, or `Name = pl.Tensor[...]`

# --- python_while_else
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    while n > 0:
        v = n
    else:
#   ^^^^ belongs to a loop
# error: TW0171 `else` after a loop is not part of the language
# help: set a flag in the loop and test it in an `if` after it
        v = 0

# --- python_with_open
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    with open("data.bin") as file:
#        ^^^^^^^^^^^^^^^^
# error: TW1096 only `pl.at`, `pl.spmd`, `pl.manual_scope` and `pl.scope` open a scope
# help: write `with pl.at(level=pl.Level.CORE_GROUP):` or `with pl.spmd(n):`
        v = n
