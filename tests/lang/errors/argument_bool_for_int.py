import tilewire.language as pl


@pl.jit.incore
def scale(n: pl.Scalar[pl.INT32]):
    v = n


@pl.jit
def main():
    scale(True)
