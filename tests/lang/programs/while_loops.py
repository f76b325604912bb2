"""while: a Newton iteration, a wait-free countdown, a loop inside a loop."""
import tilewire.language as pl


@pl.jit.incore
def roots(x: pl.Tensor[[16], pl.FP32], y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    for i in pl.range(16):
        value = pl.read(x, [i])
        guess = value
        rounds = 0
        while abs(guess * guess - value) > 1e-4 and rounds < 40:
            guess = (guess + value / guess) * 0.5
            rounds += 1
        y = pl.write(y, [i], guess)
    return y


@pl.jit.incore
def collatz(n: pl.Scalar[pl.INT64], steps: pl.Out[pl.Tensor[[1], pl.INT64]]):
    k = n
    count = pl.const(0, pl.INT64)
    while k != 1:
        if k % 2 == 0:
            k = k // 2
        else:
            k = 3 * k + 1
        count += 1
    steps[0] = count
    return steps


@pl.jit
def main(x: pl.Tensor[[16], pl.FP32], y: pl.Out[pl.Tensor[[16], pl.FP32]], n: pl.Scalar[pl.INT64],
         steps: pl.Out[pl.Tensor[[1], pl.INT64]]):
    y = roots(x, y)
    steps = collatz(n, steps)
    return y, steps
