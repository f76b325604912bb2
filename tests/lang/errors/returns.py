# --- return_annotation
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.FP32]:
#                                     ^^^^^^^^^^^^^^^^^^
# error: TW1072 type mismatch: the function is annotated to return pl.Scalar[pl.FP32], but returns pl.Scalar[pl.INDEX]
# help: correct the annotation, or remove it
    return n

# --- return_annotation_none
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]) -> None:
#                                     ^^^^
# error: TW1072 type mismatch: the function is annotated to return None, but returns a value
# help: correct the annotation, or remove it
    return n

# --- return_annotation_without_return
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
#                                     ^^^^^^^^^^^^^^^^^^^
# error: TW1072 type mismatch: the function is annotated to return pl.Scalar[pl.INDEX], but returns nothing
# help: correct the annotation, or remove it
    v = n

# --- return_counts
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^^^^^^^
# error: TW1070 the branches return different numbers of values: 2 and 1
# help: return the same values on every path
        return n, n
    return n

# --- return_in_scope
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        return x
#       ^^^^^^^^
# error: TW1069 `return` is not allowed in a scope
# help: return after the `with` block

# --- return_missing_on_one_path
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
#   ^^^^^^^^
# error: TW1070 the branches return different numbers of values: 1 and 0
# help: return the same values on every path
        return n

# --- return_types
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    if n > 0:
#   ^^^^^^^^
# error: TW1071 type mismatch: the branches return pl.Scalar[pl.INDEX] and pl.Scalar[pl.FP32]
# help: make both the same type with `pl.cast` or `pl.const(value, dtype)`
        return n
    return f
