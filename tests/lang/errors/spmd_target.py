import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    for b, c in pl.spmd(4):
        t = pl.load(x)
