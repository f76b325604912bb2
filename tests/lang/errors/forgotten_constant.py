import tilewire.language as pl

SIZE = 4
SIZE = [i * i for i in range(3)]
COUNT = 1
COUNT += len(SIZE)


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(SIZE):
        pass
    for j in pl.range(COUNT):
        pass
