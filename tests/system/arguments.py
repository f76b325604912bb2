"""Arguments for a parameter of a program, by its type."""

import collections

import ml_dtypes
import numpy as np
from tilewire import ir

DTYPES = {"FP32": np.float32, "FP16": np.float16, "BF16": ml_dtypes.bfloat16, "INT8": np.int8, "INT16": np.int16,
          "INT32": np.int32, "INT64": np.int64}


def argument(parameter, size, random, low=-1, high=1, sizes=()):
    """A scalar, or an array of random numbers in [low, high); integers are 0 or 1. Unknown dimensions are `size`, but for
    those of `sizes`."""
    kind = parameter.type
    if not isinstance(kind, ir.TensorType):
        dtype = str(kind.dtype)
        return True if dtype == "pl.BOOL" else 1.5 if "FP" in dtype else 2
    dimensions = collections.defaultdict(lambda: size, sizes)
    shape = [d.value if isinstance(d, ir.ConstInt) else eval(str(d), {}, dimensions) for d in kind.shape]
    dtype = DTYPES[str(kind.dtype).removeprefix("pl.")]
    if np.issubdtype(dtype, np.integer):
        return random.integers(0, 2, shape).astype(dtype)
    return (random.random(shape) * (high - low) + low).astype(dtype)
