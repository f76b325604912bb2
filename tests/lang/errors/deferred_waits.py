# --- defer_wait_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.defer_wait(s, [0, 0], 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1105 `pld.system.defer_wait` needs a `pl.at` scope of its own
# help: write `with pl.at(level=pl.Level.CORE_GROUP) as tid: pld.system.defer_wait(...)` in an orchestration function

# --- defer_wait_in_loop
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    with pl.at(level=pl.Level.CORE_GROUP):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1104 `pld.system.defer_wait` must be the only statement of its scope
# help: put the other statements into a scope of their own, with deps=[tid]
        for i in pl.range(4):
            pld.system.defer_wait(s, [i, 0], 1)

# --- defer_wait_in_spmd
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    with pl.spmd(4):
        pld.system.defer_wait(s, [0, 0], 1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1105 `pld.system.defer_wait` needs a `pl.at` scope of its own
# help: write `with pl.at(level=pl.Level.CORE_GROUP) as tid: pld.system.defer_wait(...)` in an orchestration function

# --- defer_wait_outside_scope
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.defer_wait(s, [0, 0], 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pld.system.defer_wait` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- defer_wait_value
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        v = pld.system.defer_wait(s, [0, 0], 1)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1062 the call returns no value
# help: write the call as a statement of its own

# --- defer_wait_with_other_work
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32], x: pl.Tensor[[16, 16], pl.FP32],
         y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP) as tid:
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1104 `pld.system.defer_wait` must be the only statement of its scope
# help: put the other statements into a scope of their own, with deps=[tid]
        pld.system.defer_wait(s, [0, 0], 1)
        y = pl.store(pl.load(x), [0, 0], y)
