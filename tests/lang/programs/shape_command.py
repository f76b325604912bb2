# run: tilewire print %s --entry main --shape x=32x64:FP16 --shape y=32x64:FP16
"""An entry without annotations: its types come from the command line."""
import tilewire.language as pl


@pl.jit.incore
def negate(x, y: pl.Out):
    for r in pl.range(0, 32, 8):
        y = pl.store(-pl.load(x, [r, 0], [8, 64]), [r, 0], y)
    return y


@pl.jit
def main(x, y: pl.Out):
    y = negate(x, y)
    return y
