# --- with_form
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.range(4):
#        ^^^^^^^^^^^
# error: TW1096 only `pl.at`, `pl.spmd`, `pl.manual_scope` and `pl.scope` open a scope
# help: write `with pl.at(level=pl.Level.CORE_GROUP):` or `with pl.spmd(n):`
        t = pl.load(x)

# --- with_name
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP) as x[0]:
#                                            ^^^^
# error: TW1097 the name after `as` must be a plain name
# help: write `as tid`
        t = pl.load(x)

# --- with_two_items
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP), pl.at(level=pl.Level.CORE_GROUP):
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1095 one `with` opens one scope
# help: write one `with` after the other: task scopes do not nest
        t = pl.load(x)
