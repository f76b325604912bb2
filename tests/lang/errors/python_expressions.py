# --- python_bytes
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = b"data"
#          ^^^^^^^ a bytes literal
# error: TW0164 bytes literals are not part of the language
# help: write a string without the `b`

# --- python_complex
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n * 2j
#           ^^
# error: TW0165 complex numbers are not part of the language, got `2j`
# help: keep the real and the imaginary part in two numbers

# --- python_dict_comprehension
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = {i: n for i in [1, 2]}
#             ^^^ a dict comprehension
# error: TW0151 comprehensions are not part of the language
# help: write the items one by one, or a `for` statement over `pl.range(...)` or `pl.unroll(...)`

# --- python_dict_unpacking
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = {**{"a": 1}, "b": n}
#        ^^ a dict unpacking
# error: TW0162 `**` in a dict is not part of the language
# help: list the keys and values

# --- python_double_star_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.load(x, **{"shape": [16, 16]})
#                  ^^ a starred argument
# error: TW0158 `*` and `**` arguments are not part of the language
# help: pass the arguments one by one

# --- python_f_string
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = f"buffer{n}"
#          ^^^^^^^^^^^^ an f-string
# error: TW0163 f-strings are not part of the language
# help: write the text out; names and messages are fixed when the program is read

# --- python_generator
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = sum(i for i in [1, 2])
#             ^^^ a generator
# error: TW0151 comprehensions are not part of the language
# help: write the items one by one, or a `for` statement over `pl.range(...)` or `pl.unroll(...)`

# --- python_list_comprehension
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [i + n for i in [1, 2]]
#              ^^^ a list comprehension
# error: TW0151 comprehensions are not part of the language
# help: write the items one by one, or a `for` statement over `pl.range(...)` or `pl.unroll(...)`

# --- python_matmul_augmented
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    t @= t
#     ^^ a matrix product
# error: TW0174 the operator `@` is not part of the language
# help: write `c = pl.matmul(a, b)`

# --- python_matmul_operator
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = t @ t
#         ^ a matrix product
# error: TW0174 the operator `@` is not part of the language
# help: write `pl.matmul(a, b)`

# --- python_set
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = {n, 1}
#       ^^^^^^ a set
# error: TW0175 sets are not part of the language
# help: write a list: `[a, b]`

# --- python_star_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = max(*[n, 1])
#           ^ a starred argument
# error: TW0158 `*` and `**` arguments are not part of the language
# help: pass the arguments one by one

# --- python_star_item
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [*[1, 2], n]
#        ^ a starred item
# error: TW0161 `*` before an item is not part of the language
# help: name every item

# --- python_star_target
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    a, *b = n, 1, 2
#      ^ a starred item
# error: TW0161 `*` before an item is not part of the language
# help: name every item

# --- python_walrus
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if (v := n + 1) > 0:
#         ^^ an assignment inside an expression
# error: TW0166 `:=` is not part of the language
# help: assign on a line before: `v = ...`
        w = v
