# Waits in branches that no input takes. One that does not communicate is not worth a warning.
# run: tilewire check %s --ranks 2
# verdict: proved
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.inline
def arrive(s, n):
    if n < 3:
        pld.system.notify(s, 0, [0, 0], 1)
    else:
        if n > 3:  # warned: unreached
            pld.system.wait(s, [1, 0], 1)
        pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.incore
def chip(n: pl.Scalar[pl.INT32], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.full([1, 8], dtype=pl.FP32, value=1.0)
    if n > 5:
        t = t + 1.0
    arrive(s, n)
    if n < 4:  # warned: unreached
        pld.system.wait(s, [0, 0], 0)
    else:  # the warning is at the `if`
        pld.system.wait(s, [1, 0], 1)
    y = pl.store(t, [0, 0], y)


@pl.jit.host
def main(n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(NR):
        chip(n, s, y[r : r + 1], device=r)
