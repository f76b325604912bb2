"""Programs called from Python: arrays in place, outputs made, what does not fit said with the parameter's line."""

import types

import numpy as np
import pytest
import tilewire
import tilewire.language as pl

N = pl.dynamic("N")


@pl.jit.incore
def scale(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]], by: pl.Scalar[pl.FP32]):
    y[...] = pl.load(x) * by


@pl.jit
def scaled(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]], by: pl.Scalar[pl.FP32]):
    scale(x, y, by)


@pl.jit.incore
def add_rows(x: pl.Tensor[[N, 32], pl.FP32], y: pl.Tensor[[N, 32], pl.FP32], z: pl.Out[pl.Tensor[[N, 32], pl.FP32]]):
    for i in pl.range(N):
        z = pl.store(pl.load(x, [i, 0], [1, 32]) + pl.load(y, [i, 0], [1, 32]), [i, 0], z)
    return z


@pl.jit
def added(x: pl.Tensor[[N, 32], pl.FP32], y: pl.Tensor[[N, 32], pl.FP32], z: pl.Out[pl.Tensor[[N, 32], pl.FP32]]):
    return add_rows(x, y, z)


@pl.jit.incore
def increment(x: pl.InOut[pl.Tensor[[4, 8], pl.INT8]], n: pl.Scalar[pl.INT8]):
    x[...] = pl.load(x) + n


@pl.jit.incore
def first_row(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], y)


@pl.jit
def open_types(x, y):
    twice(x, y)


@pl.jit.incore
def twice(x, y):
    y[...] = pl.load(x) + pl.load(x)


@pl.program
class Pair:
    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.Tensor[[2, 4], pl.FP32], s: pl.Out[pl.Tensor[[2, 4], pl.FP32]],
             d: pl.Out[pl.Tensor[[2, 4], pl.FP32]]) -> pl.Tuple[pl.Tensor[[2, 4], pl.FP32], pl.Tensor[[2, 4], pl.FP32]]:
        t = pl.load(x)
        s = pl.store(t + t, [0, 0], s)
        d = pl.store(t - t, [0, 0], d)
        return s, d

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[2, 4], pl.FP32], s: pl.Out[pl.Tensor[[2, 4], pl.FP32]],
             d: pl.Out[pl.Tensor[[2, 4], pl.FP32]]) -> pl.Tuple[pl.Tensor[[2, 4], pl.FP32], pl.Tensor[[2, 4], pl.FP32]]:
        s, d = self.both(x, s, d)
        return s, d


@pytest.fixture(params=["interp", "cpu"])
def target(request):
    return request.param


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def message(call, *args, **named):
    with pytest.raises(tilewire.RunError) as caught:
        call(*args, **named)
    return str(caught.value)


def test_output_in_place(target):
    x, y = floats(16, 64), np.zeros((16, 64), np.float32)
    assert scaled(x, y, 3.0, target=target) is None
    np.testing.assert_array_equal(y, x * np.float32(3))


def test_output_left_out_is_made(target):
    x = floats(16, 64)
    y = scaled(x, by=2.0, target=target)
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, x * np.float32(2))


def test_an_output_left_out_is_zero_where_nothing_is_written(target):
    exe = first_row.compile(target=target)
    x = np.ones((4, 8), np.float32)
    for _ in range(3):
        y = exe(x)  # as small arrays go, in the memory of the last one
        assert np.array_equal(y, [[1] * 8] + [[0] * 8] * 3)
        y[...] = 7
        del y
    assert np.isnan(exe(x, schedule="random:1")[1:]).all()


def test_returned_argument_is_the_same_object(target):
    x, y, z = floats(5, 32), floats(5, 32, seed=1), np.zeros((5, 32), np.float32)
    assert added(x, y, z, target=target) is z
    np.testing.assert_array_equal(z, x + y)


def test_dynamic_dimension_takes_any_extent(target):
    exe = added.compile(target=target)
    for n in (0, 1, 7, 130):
        x, y = floats(n, 32), floats(n, 32, seed=1)
        np.testing.assert_array_equal(exe(x, y), x + y)


def test_several_results(target):
    x = floats(2, 4)
    s, d = Pair.main(x, target=target)
    np.testing.assert_array_equal(s, x + x)
    np.testing.assert_array_equal(d, x - x)
    exe = Pair.compile(entry="main", target=target)
    np.testing.assert_array_equal(exe(x)[0], x + x)


def test_kernel_called_directly(target):
    x = np.arange(32, dtype=np.int8).reshape(4, 8)
    expected = x + np.int8(100)
    increment(x, 100, target=target)
    np.testing.assert_array_equal(x, expected)  # integers wrap


def test_types_from_the_call(target):
    for dtype in (np.float32, np.float16, np.int32):
        x = np.arange(24).reshape(4, 6).astype(dtype)
        y = np.zeros_like(x)
        open_types(x, y, target=target)
        np.testing.assert_array_equal(y, x + x)


def test_rows_of_a_larger_array(target):
    big = floats(32, 128)
    out = np.zeros((32, 128), np.float32)
    scaled(big[8:24, 32:96], out[8:24, 32:96], 2.0, target=target)
    expected = np.zeros_like(out)
    expected[8:24, 32:96] = big[8:24, 32:96] * np.float32(2)
    np.testing.assert_array_equal(out, expected)


def test_any_strides(target):
    x, y = floats(64, 16).T, np.zeros((16, 128), np.float32)[:, ::2]
    scaled(x, y, 2.0, target=target)
    np.testing.assert_array_equal(y, x * np.float32(2))
    z = np.zeros((16, 64), np.float32)[::-1, ::-1]
    scaled(x[::-1], z, 2.0, target=target)
    np.testing.assert_array_equal(z, x[::-1] * np.float32(2))


def test_same_array_in_and_out(target):
    x = floats(16, 64)
    expected = x * np.float32(2)
    scaled(x, x, 2.0, target=target)
    np.testing.assert_array_equal(x, expected)


def test_nan_and_infinity(target):
    x = floats(16, 64)
    x[0, :3] = [np.nan, np.inf, -np.inf]
    np.testing.assert_array_equal(scaled(x, by=2.0, target=target), x * np.float32(2))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_ml_dtypes(target, name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = getattr(ml_dtypes, name)
    x = floats(4, 6).astype(dtype)
    y = np.zeros((4, 6), dtype)
    open_types(x, y, target=target)
    np.testing.assert_array_equal(y.astype(np.float32), (x.astype(np.float32) * 2).astype(dtype).astype(np.float32))


def test_read_only_input_is_fine(target):
    x = floats(16, 64)
    x.flags.writeable = False
    np.testing.assert_array_equal(scaled(x, by=2.0, target=target), x * np.float32(2))


WRONG = [
    (lambda x: scaled(target="interp"), "TW2203", "`scaled` needs an argument for `x`"),
    (lambda x: scaled(x, x, 1.0, x, target="interp"), "TW2201", "`scaled` takes 3 arguments, or 2 without its outputs, got 4"),
    (lambda x: scaled(x, by=1.0, z=x, target="interp"), "TW2202", "`scaled` has no parameter `z`"),
    (lambda x: scaled(3, by=1.0, target="interp"), "TW2204", "`x` must be pl.Tensor[[16, 64], pl.FP32], got the number 3"),
    (lambda x: scaled(x, by=x, target="interp"), "TW2204", "`by` must be pl.Scalar[pl.FP32], got an array [16, 64] of FP32"),
    (lambda x: scaled(x.astype(np.float64), by=1.0, target="interp"), "TW2205", "`x` must have elements of type FP32 (float32), got float64"),
    (lambda x: scaled(x.astype(np.int32), by=1.0, target="interp"), "TW2205", "`x` must have elements of type FP32 (float32), got INT32 (int32)"),
    (lambda x: scaled(x[0], by=1.0, target="interp"), "TW2206", "`x` must have 2 dimensions, got 1"),
    (lambda x: scaled(x[:8], by=1.0, target="interp"), "TW2207", "dimension 0 of `x` must be 16, got 8"),
    (lambda x: added(x[:, :32], x[:7, 32:], target="interp"), "TW2208", "shape mismatch: dimension `N` is 16 in `x` and 7 in `y`"),
    (lambda x: scaled(x, np.broadcast_to(np.float32(1), (16, 64)), 1.0, target="interp"), "TW2209",
     "read-only array: `y` is written"),
    (lambda x: scaled(x, np.lib.stride_tricks.as_strided(x.copy(), (16, 64), (0, 4)), 1.0, target="interp"), "TW2210",
     "overlapping elements: `y` is written, but its array has strides [0, 1]"),
    (lambda x: increment(np.zeros((4, 8), np.int8), 300, target="interp"), "TW2211", "`n` is 300, which INT8 cannot hold"),
    (lambda x: increment(np.zeros((4, 8), np.int8), 1.5, target="interp"), "TW2211", "`n` is 1.5, which INT8 cannot hold"),
    (lambda x: added(x.reshape(-1, 32)[:8], x.reshape(-1, 32)[8:16], x.reshape(-1, 32)[4:12], target="interp"), "TW2212",
     "overlapping arguments: `x` and `z` share part of their memory, and `z` is written"),
]


@pytest.mark.parametrize("call, code, text", WRONG, ids=[row[1] + str(i) for i, row in enumerate(WRONG)])
def test_what_does_not_fit(call, code, text):
    said = message(call, floats(16, 64))
    assert said.startswith(f"error[{code}]: {text}\n --> ") or f"error[{code}]: {text}\n  --> " in said
    assert "test_calls.py:" in said


def test_column_slices_share_nothing(target):
    big = floats(16, 128)
    expected = big[:, :64] * np.float32(2)
    scaled(big[:, :64], big[:, 64:], 2.0, target=target)
    np.testing.assert_array_equal(big[:, 64:], expected)


def test_all_mistakes_are_said_at_once():
    said = message(scaled, np.zeros((8, 64), np.int32), np.zeros((16, 3), np.float32), 1.0, target="interp")
    assert said.count("error[") == 3 and said.endswith("3 errors\n")


def test_not_an_array():
    said = message(scaled, "x", by=1.0, target="interp")
    assert said.startswith("error[TW2204]: `x` must be pl.Tensor[[16, 64], pl.FP32], got an object of type str\n")
    assert "help: make an array of it: np.asarray(x, np.float32)" in said
    assert "got an object of type list" in message(scaled, floats(16, 64).tolist(), by=1.0, target="interp")
    said = message(scaled, floats(16, 64), by="2", target="interp")
    assert said.startswith("error[TW2204]: `by` must be pl.Scalar[pl.FP32], got an object of type str\n")
    assert "got None" in message(scaled, None, by=1.0, target="interp")


@pl.jit.incore
def copied(x, y: pl.Out):
    y = pl.store(pl.load(x), [0, 0], y)


def test_arguments_that_have_no_type():
    said = message(copied, [[1.0]], floats(16, 64))
    assert said == ("error[TW2204]: `x` must be an array or a number, got an object of type list\n"
                    "  = help: make an array of it: np.asarray(x, np.float32)\n")
    said = message(copied, np.zeros((16, 64)), floats(16, 64))
    assert said == ("error[TW2205]: `x` must have elements of type FP32 or another dtype of the language, got float64\n"
                    "  = help: convert it, in NumPy: x.astype(np.float32)\n")


def test_torch(target):
    torch = pytest.importorskip("torch")
    x = torch.randn(16, 64)
    y = torch.zeros(16, 64)
    scaled(x, y, 2.0, target=target)
    assert torch.equal(y, x * 2)


@pl.jit.incore
def of_constants(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]], mode, dtype=pl.FP32, twice=False):
    v = SIZES.of(dtype)
    if mode == "negative":
        v = 0 - v
    if twice:
        v = 2 * v
    y[...] = pl.load(x) * 0.0 + pl.cast(v, pl.FP32)


SIZES = types.SimpleNamespace(of=lambda dtype: {pl.FP32: 4, pl.FP16: 2}[dtype])


@pytest.mark.parametrize("target", ["cpu", "interp"])
def test_arguments_that_are_known_when_the_program_is_read(target):
    x, y = np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32)
    for mode, dtype, twice, want in (("negative", pl.FP16, True, -4), ("positive", pl.FP32, False, 4), ("positive", pl.FP16, False, 2)):
        of_constants(x, y, mode, dtype, twice, target=target)
        assert (y == want).all()
        assert (of_constants(x, mode=mode, dtype=dtype, twice=twice, target=target) == want).all()
        of_constants.compile(x, y, mode, dtype, twice, target=target)(x, y)
        assert (y == want).all()
        assert (of_constants.compile(x, y, mode=mode, dtype=dtype, twice=twice, target=target)(x) == want).all()
