"""Functions that are made of other ops: against MPFR and NumPy, on tiles and tensors, on every target."""

import ml_dtypes
import mpfr
import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
from targets import TARGETS

ROWS, COLS = 16, 64
BLOCKS = (70, 1100)  # larger than a tile
FLOATS = {"FP32": np.float32, "FP16": np.float16, "BF16": ml_dtypes.bfloat16, "FP8E5M2": ml_dtypes.float8_e5m2}
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, -1e-40, 3.4e38, -3.4e38], np.float32)
FORMS = ["tile", "tensor"]

TILE = """
import tilewire.language as pl
@pl.jit.incore
def main({params}, y: pl.Out[pl.Tensor[[{rows}, {cols}], pl.{dtype}]]):
    {loads}
    y = pl.store({call}, [0, 0], y)
    return y
"""
TENSOR = """
import tilewire.language as pl
@pl.jit.incore
def main({params}, y: pl.Out[pl.Tensor[[{rows}, {cols}], pl.{dtype}]]):
    y[:, :] = {call}
    return y
"""
NAMES = {np.dtype(np.float32): "FP32", np.dtype(np.float16): "FP16", np.dtype(ml_dtypes.bfloat16): "BF16",
         np.dtype(ml_dtypes.float8_e5m2): "FP8E5M2", np.dtype(np.int32): "INT32", np.dtype(np.int8): "INT8",
         np.dtype(np.uint16): "UINT16", np.dtype(np.bool_): "BOOL"}  # fmt: skip


def run(target, form, call, arrays, shape=None, dtype=None, valid=None):
    """`call` of the arrays by name, as a kernel. `valid` is the extent that tiles are loaded with."""
    first = next(iter(arrays.values()))
    rows, cols = shape or first.shape
    dtype = dtype or first.dtype
    params = ", ".join(f"{n}: pl.Tensor[[{a.shape[0]}, {a.shape[1]}], pl.{NAMES[a.dtype]}]" for n, a in arrays.items())
    load = "{0} = pl.load({0})" if valid is None else "{0} = pl.load({0}, [0, 0], [%d, %d], valid_shape=[%d, %d])" % (
        *first.shape, *valid)  # fmt: skip
    loads = "\n    ".join(load.format(n) for n in arrays) or "pass"
    text = (TILE if form == "tile" else TENSOR).format(
        params=params, rows=rows, cols=cols, dtype=NAMES[np.dtype(dtype)], loads=loads, call=call.replace("OPS", f"pl.{form}")
    )
    y = np.zeros((rows, cols), dtype)
    pl.parse(text).compile(entry="main", target=target)(*arrays.values(), y)
    return y


def same(a, b):
    """Equal bits; every NaN is the same."""
    a, b = np.asarray(a), np.asarray(b)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    equal = a.view(unsigned) == b.view(unsigned)
    if a.dtype.kind not in "iub":
        equal |= np.isnan(a.astype(np.float32)) & np.isnan(b.astype(np.float32))
    return bool(equal.all())


def data(dtype, shape=(ROWS, COLS), seed=1, scale=4.0):
    """Random elements, with the edges of floats among them."""
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape, dtype, endpoint=True)
    x = (random.standard_normal(shape) * scale).astype(np.float32)
    flat = x.reshape(-1)
    with np.errstate(over="ignore"):
        flat[: len(EDGES)] = EDGES
        return x.astype(dtype)


# --- precision

HALF, ROOT = mpfr.Number(0.5), mpfr.sqrt(mpfr.Number(2))


def softplus(x):
    return mpfr.log1p(mpfr.exp(x)) if float(x) < 100 else mpfr.add(x, mpfr.exp(mpfr.neg(x)))


EXACT = {
    "log1p": mpfr.log1p,
    "expm1": mpfr.expm1,
    "erf": mpfr.erf,
    "gelu": lambda x: mpfr.mul(mpfr.mul(x, HALF), mpfr.erfc(mpfr.neg(mpfr.div(x, ROOT)))),
    "silu": lambda x: mpfr.div(x, mpfr.add(mpfr.Number(1), mpfr.exp(mpfr.neg(x)))),
    "softplus": softplus,
}
AT_MINUS_INFINITY = {"gelu": -0.0, "silu": -0.0}  # where the formula is 0 times infinity, the limit


def samples():
    """A stride through all floats, the surroundings of powers of two, and the range where functions bend."""
    bits = np.arange(0, 1 << 32, 524309, dtype=np.uint64).astype(np.uint32)
    powers = np.concatenate([np.ldexp(m, np.arange(-30, 8)) for m in (1, 1.3, 1.7)]).astype(np.float32)
    bends = np.random.default_rng(7).uniform(-16, 16, 12000).astype(np.float32)
    tails = np.random.default_rng(8).uniform(-104, 90, 3000).astype(np.float32)
    x = np.concatenate([bits.view(np.float32), powers, -powers, bends, tails, EDGES])
    return x[: len(x) // COLS * COLS].reshape(-1, COLS)


def ulps(got, exact):
    if np.isnan(got) or np.isnan(exact):
        return 0.0 if np.isnan(got) and np.isnan(exact) else np.inf
    if np.isinf(exact) or exact == 0:
        return 0.0 if got == exact and np.signbit(got) == np.signbit(exact) else np.inf
    exponent = max(int(np.frexp(exact)[1]) - 1, -126)
    if exponent >= 128:
        return 0.0 if np.isinf(got) and (got > 0) == (exact > 0) else np.inf
    return abs(float(got) - exact) / 2.0 ** (exponent - 23)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_is_within_four_ulp(name, target):
    x = samples()
    y = run(target, "tile", f"OPS.{name}(x)", {"x": x})
    worst, at = 0.0, None
    number = mpfr.Number()
    for a, b in zip(x.reshape(-1), y.reshape(-1)):
        exact = float(EXACT[name](number.set(float(a))))
        if np.isneginf(a):
            exact = AT_MINUS_INFINITY.get(name, exact)
        error = ulps(b, exact)
        if error > worst:
            worst, at = error, (float(a), float(b), exact)
    print(f"{name} on {target}: {worst:.2f} ulp at {at}")
    assert worst <= 4, at


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", [d for d in FLOATS if d != "FP32"])
def test_small_floats_are_computed_in_fp32_and_rounded_once(name, dtype, target):
    x = data(FLOATS[dtype])
    wide = run(target, "tile", f"OPS.{name}(x)", {"x": x.astype(np.float32)})
    with np.errstate(over="ignore"):
        assert same(run(target, "tile", f"OPS.{name}(x)", {"x": x}), wide.astype(FLOATS[dtype]))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_tensors_are_like_tiles(name, target):
    x = data(np.float32, BLOCKS)
    tiles = np.concatenate([run(target, "tile", f"OPS.{name}(x)", {"x": np.ascontiguousarray(x[:, c : c + 100])})
                            for c in range(0, BLOCKS[1], 100)], axis=1)  # fmt: skip
    assert same(run(target, "tensor", f"OPS.{name}(x)", {"x": x}), tiles)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXACT)
def test_valid_extents(name, target):
    x = data(np.float32)
    whole = run(target, "tile", f"OPS.{name}(x)", {"x": x})
    part = run(target, "tile", f"OPS.{name}(x)", {"x": x}, valid=(5, 13))
    assert same(part[:5, :13], whole[:5, :13])
    assert not part[5:].any() and not part[:, 13:].any()


# --- exact ones


def in_fp32(function):
    """NumPy's result of FP32 operands, rounded once to the dtype of the first."""

    def apply(x, *others):
        if x.dtype.kind in "iu":
            return function(x, *others)
        with np.errstate(all="ignore"):
            wide = (np.asarray(o).astype(x.dtype).astype(np.float32) for o in others)
            return function(x.astype(np.float32), *wide).astype(x.dtype)

    return apply


def leaky(x, slope):
    return np.where(x >= 0, x, x * slope)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_leaky(dtype, form, target):
    x, slope = data(FLOATS[dtype]), data(FLOATS[dtype], seed=2)
    check = in_fp32(leaky)
    assert same(run(target, form, "OPS.lrelu(x)", {"x": x}), check(x, 0.01))
    assert same(run(target, form, "OPS.lrelu(x, 0.5)", {"x": x}), check(x, 0.5))
    assert same(run(target, form, "OPS.prelu(x, s)", {"x": x, "s": slope}), check(x, slope))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [*FLOATS.values(), np.int32, np.int8, np.uint16])
def test_clamp(dtype, form, target):
    x = data(dtype)
    low, high = (1, 90) if np.dtype(dtype).kind in "iu" else (-1.5, 2.5)

    def clamp(x, lo, hi):  # of equal operands the first counts, which np.clip leaves open
        with np.errstate(invalid="ignore"):
            y = np.where((x >= lo) | (x != x), x, lo)
            return np.where((y <= hi) | (y != y), y, hi).astype(x.dtype)

    element = np.dtype(dtype).type
    limited = run(target, form, f"OPS.clamp(x, {low}, {high})", {"x": x})
    assert same(limited, clamp(x, element(low), element(high)))
    lo, hi = data(dtype, seed=3), data(dtype, seed=4)
    assert same(run(target, form, "OPS.clamp(x, lo, hi)", {"x": x, "lo": lo, "hi": hi}), clamp(x, lo, hi))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_other_names(dtype, form, target):
    a, b = data(dtype), data(dtype, seed=5)
    with np.errstate(all="ignore"):
        assert same(run(target, form, "OPS.where(OPS.cmp(a, b, 'lt'), a, b)", {"a": a, "b": b}), np.where(a < b, a, b))
        assert same(run(target, form, "OPS.fmod(a, b)", {"a": a, "b": b}), np.fmod(a, b))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(16, 64), (33, 7), (130, 600)])
def test_tri(shape, form, target):
    if form == "tile" and shape[0] > 100:
        shape = (100, 60)
    like = np.zeros(shape, np.float32)
    extents = list(shape)
    assert same(run(target, form, f"OPS.tri({extents})", {"x": like}), np.tri(*shape, dtype=np.float32))
    for k in (-3, 2, 1000):
        y = run(target, form, f"OPS.tri({extents}, {k}, dtype=pl.INT32)", {"x": like}, dtype=np.int32)
        assert same(y, np.tri(*shape, k, dtype=np.int32))
        y = run(target, form, f"OPS.tri({extents}, {k}, upper=True, dtype=pl.BOOL)", {"x": like}, dtype=np.bool_)
        assert same(y, np.triu(np.ones(shape, np.bool_), k))


# --- rows as a whole


def close(got, exact, dtype, of_fp32=3e-6):
    step = {"FP32": 0.0, "FP16": 2**-11, "BF16": 2**-8, "FP8E5M2": 2**-3}[dtype]
    np.testing.assert_allclose(got.astype(np.float64), exact, rtol=of_fp32 + step, atol=of_fp32 + step * 2**-13)


def smooth(dtype, shape=(ROWS, COLS), seed=1):
    return np.random.default_rng(seed).uniform(-3, 3, shape).astype(np.float32).astype(FLOATS[dtype])


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def rms_norm(x, w=1.0, eps=1e-6):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps) * w


def layer_norm(x, w=1.0, b=0.0, eps=1e-5):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + eps) * w + b


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["FP32", "FP16", "BF16"])
@pytest.mark.parametrize("shape", [(ROWS, COLS), BLOCKS])
def test_norms(dtype, form, shape, target):
    if form == "tile":
        shape = (ROWS, COLS)
    x, w, b = smooth(dtype, shape), smooth(dtype, (1, shape[1]), 2), smooth(dtype, (1, shape[1]), 3)
    X, W, B = wide(x, w, b)
    close(run(target, form, "OPS.softmax(x)", {"x": x}), softmax(X), dtype)
    close(run(target, form, "OPS.rms_norm(x)", {"x": x}), rms_norm(X), dtype)
    close(run(target, form, "OPS.rms_norm(x, w, eps=0.5)", {"x": x, "w": w}), rms_norm(X, W, 0.5), dtype, 1e-5)
    close(run(target, form, "OPS.layer_norm(x)", {"x": x}), layer_norm(X), dtype, 1e-5)
    got = run(target, form, "OPS.layer_norm(x, w, b)", {"x": x, "w": w, "b": b})
    close(got, layer_norm(X, W, B), dtype, 2e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_norms_count_valid_columns_only(target):
    x = smooth("FP32")
    part = wide(x[:5, :13])[0]
    for name, reference in ("softmax", softmax), ("rms_norm", rms_norm), ("layer_norm", layer_norm):
        y = run(target, "tile", f"OPS.{name}(x)", {"x": x}, valid=(5, 13))
        close(y[:5, :13], reference(part), "FP32", 1e-5)
        assert not y[5:].any() and not y[:, 13:].any()


@pytest.mark.parametrize("target", TARGETS)
def test_norms_of_edges(target):
    x = np.zeros((3, 64), np.float32)
    x[0, :] = -np.inf
    x[0, 3] = 0
    x[1, 0] = np.nan
    y = run(target, "tile", "OPS.softmax(x)", {"x": x})
    assert y[0, 3] == 1 and y[0].sum() == 1 and np.isnan(y[1]).all() and (y[2] == 1 / 64).all()
    assert not run(target, "tile", "OPS.rms_norm(x)", {"x": x})[2].any()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["FP32", "FP16", "BF16"])
def test_expdif(dtype, form, target):
    x, column, row = smooth(dtype), smooth(dtype, (ROWS, 1), 2), smooth(dtype, (1, COLS), 3)
    X, C, R = wide(x, column, row)
    close(run(target, form, "OPS.row_expand_expdif(x, c)", {"x": x, "c": column}), np.exp(X - C), dtype)
    close(run(target, form, "OPS.col_expand_expdif(x, r)", {"x": x, "r": row}), np.exp(X - R), dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_products_of_rows_and_columns(form, target):
    x = (1 + smooth("FP32", (24, 40)) / 10).astype(np.float32)
    i = data(np.int32, (24, 40))
    with np.errstate(over="ignore"):
        for axis, name, shape in (1, "row_prod", (24, 1)), (0, "col_prod", (1, 40)):
            y = run(target, form, f"OPS.{name}(x)", {"x": x}, shape=shape)
            np.testing.assert_allclose(y, x.astype(np.float64).prod(axis=axis, keepdims=True), rtol=1e-5)
            y = run(target, form, f"OPS.{name}(x)", {"x": i}, shape=shape)
            assert same(y, i.prod(axis=axis, keepdims=True, dtype=np.int32))
    edges = np.ones((2, 8), np.float32)
    edges[0, 2], edges[1, 5] = -0.0, np.nan
    y = run(target, form, "OPS.row_prod(x)", {"x": edges}, shape=(2, 1))
    assert y[0, 0] == 0 and np.signbit(y[0, 0]) and np.isnan(y[1, 0])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["FP32", "FP16", "BF16", "INT8"])
def test_gemv(dtype, form, target):
    if dtype == "INT8":
        a, b = data(np.int8, (24, 40)), data(np.int8, (40, 1), seed=2)
        y = run(target, form, "OPS.gemv(a, b)", {"a": a, "b": b}, shape=(24, 1), dtype=np.int32)
        assert same(y, a.astype(np.int32) @ b.astype(np.int32))
        return
    a, b = smooth(dtype, (24, 40)), smooth(dtype, (40, 1), 2)
    A, B = wide(a, b)
    y = run(target, form, "OPS.gemv(a, b)", {"a": a, "b": b}, shape=(24, 1), dtype=np.float32)
    np.testing.assert_allclose(y, A @ B, rtol=1e-4, atol=1e-4)
    row = np.ascontiguousarray(b.T)
    again = run(target, form, "OPS.gemv(a, b, b_trans=True)", {"a": a, "b": row}, shape=(24, 1), dtype=np.float32)
    assert same(y, again)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [*FLOATS.values(), np.int32, np.int8, np.uint16])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumsum(dtype, axis, target):
    x = data(dtype, scale=0.1)
    x[:, : len(EDGES)] = data(dtype, (ROWS, len(EDGES)), seed=9, scale=0.1)[:, ::-1]
    with np.errstate(all="ignore"):
        wide_dtype = dtype if np.dtype(dtype).kind in "iu" else np.float32
        # From the first to the last: the bits of NumPy's sums, which are taken in that order too.
        expected = np.add.accumulate(x.astype(wide_dtype), axis=axis, dtype=wide_dtype).astype(dtype)
    call = "OPS.cumsum(x)" if axis == -1 else f"OPS.cumsum(x, axis={axis})"
    assert same(run(target, "tile", call, {"x": x}), expected)
    part = run(target, "tile", call, {"x": x}, valid=(5, 13))
    assert same(part[:5, :13], expected[:5, :13]) and not part[5:].astype(np.float32).any()


# --- wrong use


def error_of(call, arrays, form="tile", **kwargs):
    with pytest.raises(tw.ProgramError) as caught:
        run("interp", form, call, arrays, **kwargs)
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("form", FORMS)
def test_refuses(form):
    x, i = np.zeros((16, 32), np.float32), np.zeros((16, 32), np.int32)
    half, row = np.zeros((16, 32), np.float16), np.zeros((1, 16), np.float32)
    name = f"pl.{form}"
    for function in EXACT:
        assert error_of(f"OPS.{function}(x)", {"x": i}, form) == f"error[TW0321]: `{name}.{function}` does not work on pl.INT32"
    expected = f"error[TW0320]: type mismatch: `{name}.prelu` mixes pl.FP32 and pl.FP16"
    assert error_of("OPS.prelu(x, s)", {"x": x, "s": half}, form) == expected
    expected = f"error[TW0352]: shape mismatch: `{name}.rms_norm` needs a row of shape [1, 32] against [16, 32], got [1, 16]"
    assert error_of("OPS.rms_norm(x, w)", {"x": x, "w": row}, form) == expected
    expected = f"error[TW0352]: shape mismatch: `{name}.gemv` needs a column of shape [K, 1] against [16, 32], got [32, 16]"
    square = np.zeros((32, 16), np.float32)
    assert error_of("pl.cumsum(x, axis=2)", {"x": x}) == "error[TW0343]: `pl.tile.cumsum` has no axis 2 in 2 dimensions"
    assert error_of("OPS.gemv(x, b)", {"x": x, "b": square}, form, shape=(16, 16)) == expected
    assert error_of("OPS.row_expand_expdif(x, c)", {"x": i, "c": i[:, :1].copy()}, form) == (
        f"error[TW0321]: `{name}.row_expand_expdif` does not work on pl.INT32"
    )
