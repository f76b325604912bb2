# --- error_does_not_cascade
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(y)
#               ^
# error: TW1001 `y` is not defined
# help: define it at the top of the file, or give it on the command line: -D y=VALUE
    u = pl.exp(t)
    for i in pl.range(4):
        u = u + t
    if u:
        v = u
    w = v[0:8, :]

# --- error_in_inline
import tilewire.language as pl


@pl.jit.inline
def broken(t):
    return t + missing
#              ^^^^^^^
# error: TW1001 `missing` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing=VALUE


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = broken(pl.load(x))
#       ^^^^^^^^^^^^^^^^^^
# note: in the inline call of `broken` here

# --- errors_in_several_functions
import tilewire.language as pl


@pl.jit.incore
def first(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0], [16, 16])
#                  ^^^
# error 1: TW0332 `pl.tile.load` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]


@pl.jit.incore
def second(x: pl.Tensor[[16, 16], pl.FP32]):
#   ^^^^^^
# note 3: `second` is defined here
    t = pl.load(x, [0, 0], [32, 16])
#                  ^^^^^^ offset 0, extent 32
# error 2: TW0336 out of bounds: `pl.tile.load` reaches element 31 of dimension 0, which has 16


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    first(x)
    second(x, x)
#             ^
# error 3: TW1111 too many arguments for `second`: it takes 1, got 2

# --- more_errors_than_shown
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v0 = missing0
#        ^^^^^^^^
# error: TW1001 `missing0` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing0=VALUE
    v1 = missing1
#        ^^^^^^^^
# error: TW1001 `missing1` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing1=VALUE
    v2 = missing2
#        ^^^^^^^^
# error: TW1001 `missing2` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing2=VALUE
    v3 = missing3
#        ^^^^^^^^
# error: TW1001 `missing3` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing3=VALUE
    v4 = missing4
#        ^^^^^^^^
# error: TW1001 `missing4` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing4=VALUE
    v5 = missing5
#        ^^^^^^^^
# error: TW1001 `missing5` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing5=VALUE
    v6 = missing6
#        ^^^^^^^^
# error: TW1001 `missing6` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing6=VALUE
    v7 = missing7
#        ^^^^^^^^
# error: TW1001 `missing7` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing7=VALUE
    v8 = missing8
#        ^^^^^^^^
# error: TW1001 `missing8` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing8=VALUE
    v9 = missing9
#        ^^^^^^^^
# error: TW1001 `missing9` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing9=VALUE
    v10 = missing10
#         ^^^^^^^^^
# error: TW1001 `missing10` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing10=VALUE
    v11 = missing11
#         ^^^^^^^^^
# error: TW1001 `missing11` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing11=VALUE
    v12 = missing12
#         ^^^^^^^^^
# error: TW1001 `missing12` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing12=VALUE
    v13 = missing13
#         ^^^^^^^^^
# error: TW1001 `missing13` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing13=VALUE
    v14 = missing14
#         ^^^^^^^^^
# error: TW1001 `missing14` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing14=VALUE
    v15 = missing15
#         ^^^^^^^^^
# error: TW1001 `missing15` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing15=VALUE
    v16 = missing16
#         ^^^^^^^^^
# error: TW1001 `missing16` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing16=VALUE
    v17 = missing17
#         ^^^^^^^^^
# error: TW1001 `missing17` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing17=VALUE
    v18 = missing18
#         ^^^^^^^^^
# error: TW1001 `missing18` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing18=VALUE
    v19 = missing19
#         ^^^^^^^^^
# error: TW1001 `missing19` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing19=VALUE
    v20 = missing20
#         ^^^^^^^^^
# error: TW1001 `missing20` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing20=VALUE
    v21 = missing21
#         ^^^^^^^^^
# error: TW1001 `missing21` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing21=VALUE
    v22 = missing22
#         ^^^^^^^^^
# error: TW1001 `missing22` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing22=VALUE
    v23 = missing23
#         ^^^^^^^^^
# error: TW1001 `missing23` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing23=VALUE
    v24 = missing24
#         ^^^^^^^^^
# error: TW1001 `missing24` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing24=VALUE
    v25 = missing25
#         ^^^^^^^^^
# error: TW1001 `missing25` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing25=VALUE
    v26 = missing26
#         ^^^^^^^^^
# error: TW1001 `missing26` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing26=VALUE
    v27 = missing27
#         ^^^^^^^^^
# error: TW1001 `missing27` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing27=VALUE
    v28 = missing28
#         ^^^^^^^^^
# error: TW1001 `missing28` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing28=VALUE
    v29 = missing29
#         ^^^^^^^^^
# error: TW1001 `missing29` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing29=VALUE
    v30 = missing30
#         ^^^^^^^^^
# error: TW1001 `missing30` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing30=VALUE
    v31 = missing31
#         ^^^^^^^^^
# error: TW1001 `missing31` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing31=VALUE
    v32 = missing32
#         ^^^^^^^^^
# error: TW1001 `missing32` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing32=VALUE
    v33 = missing33
#         ^^^^^^^^^
# error: TW1001 `missing33` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing33=VALUE
    v34 = missing34
#         ^^^^^^^^^
# error: TW1001 `missing34` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing34=VALUE
    v35 = missing35
#         ^^^^^^^^^
# error: TW1001 `missing35` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing35=VALUE
    v36 = missing36
#         ^^^^^^^^^
# error: TW1001 `missing36` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing36=VALUE
    v37 = missing37
#         ^^^^^^^^^
# error: TW1001 `missing37` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing37=VALUE
    v38 = missing38
#         ^^^^^^^^^
# error: TW1001 `missing38` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing38=VALUE
    v39 = missing39
#         ^^^^^^^^^
# error: TW1001 `missing39` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing39=VALUE
    v40 = missing40
#         ^^^^^^^^^
# error: TW1001 `missing40` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing40=VALUE
    v41 = missing41
#         ^^^^^^^^^
# error: TW1001 `missing41` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing41=VALUE
    v42 = missing42
#         ^^^^^^^^^
# error: TW1001 `missing42` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing42=VALUE
    v43 = missing43
#         ^^^^^^^^^
# error: TW1001 `missing43` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing43=VALUE
    v44 = missing44
#         ^^^^^^^^^
# error: TW1001 `missing44` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing44=VALUE
    v45 = missing45
#         ^^^^^^^^^
# error: TW1001 `missing45` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing45=VALUE
    v46 = missing46
#         ^^^^^^^^^
# error: TW1001 `missing46` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing46=VALUE
    v47 = missing47
#         ^^^^^^^^^
# error: TW1001 `missing47` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing47=VALUE
    v48 = missing48
#         ^^^^^^^^^
# error: TW1001 `missing48` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing48=VALUE
    v49 = missing49
#         ^^^^^^^^^
# error: TW1001 `missing49` is not defined
# help: define it at the top of the file, or give it on the command line: -D missing49=VALUE
    v50 = missing50
    v51 = missing51
    v52 = missing52
    v53 = missing53
    v54 = missing54
    v55 = missing55
    v56 = missing56
    v57 = missing57
    v58 = missing58
    v59 = missing59
# further errors are not shown

# --- several_errors
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.laod(x)
#       ^^^^^^^
# error 2: TW1008 `pl` has no `laod`
# help: did you mean `pl.load`?
    u = pl.load(x, [0], [16, 16])
#                  ^^^
# error 3: TW0332 `pl.tile.load` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]
    v = lambda a: a
#       ^^^^^^^^^^^ a lambda
# error 1: TW0150 `lambda` is not part of the language
# help: write the expression where it is used, or a function decorated with `@pl.jit.inline`
    w = pl.exp(t) + u
    z = missing + 1

# --- several_syntax_errors
import tilewire.language as pl


@pl.jit.incore
def first(n: pl.Scalar[pl.INDEX]):
    v = n +
#          ^ expected an expression
# error 1: TW0113 expected an expression, found the end of the line
    w = (n
#       ^ opened here
# error 2: TW0115 `(` was never closed
# help: add `)`

@pl.jit.incore
#<^
# note 2: noticed at `@`
def second(n: pl.Scalar[pl.INDEX]):
    if n > 0
#           ^ expected `:`
# error 3: TW0113 expected `:`, found the end of the line
        v = n
    x = 12ab
#       ^^^^
# error 4: TW0107 invalid number `12ab`
# help: write numbers as 42, 1_000, 0xff, 1.5 or 1e-3; a name cannot start with a digit
