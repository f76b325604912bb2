"""Python that has no meaning here is refused where it stands, all of it at once."""
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    f = lambda t: t + 1
    parts = [pl.load(x) for i in range(4)]
    try:
        y = pl.store(parts[0], [0, 0], y)
    except ValueError:
        pass
    global counter
    name = f"tile {y}"
    if (n := 4) > 3:
        del y
    def inner(t):
        return t
    class Local:
        pass
    import math
    kernel(*parts)
    for i in pl.range(4):
        pass
    else:
        pass
    raise ValueError("no")
    yield y
    with open("f") as f, open("g") as g:
        pass
    return y
