"""Functions of floats to 120 bits, by the MPFR library that the unit tests of the emitters are built with."""

import ctypes
import ctypes.util

_PRECISION = 120
_NEAREST = 0

_library = ctypes.CDLL(ctypes.util.find_library("mpfr") or "libmpfr.so.6")
_library.mpfr_get_d.restype = ctypes.c_double


class Number(ctypes.Structure):
    _fields_ = [("prec", ctypes.c_long), ("sign", ctypes.c_int), ("exp", ctypes.c_long), ("limbs", ctypes.c_void_p)]

    def __init__(self, value=0.0):
        super().__init__()
        _library.mpfr_init2(ctypes.byref(self), ctypes.c_long(_PRECISION))
        self.set(value)

    def set(self, value):
        _library.mpfr_set_d(ctypes.byref(self), ctypes.c_double(value), _NEAREST)
        return self

    def __float__(self):
        return _library.mpfr_get_d(ctypes.byref(self), _NEAREST)

    def __del__(self):
        _library.mpfr_clear(ctypes.byref(self))


def _operation(name):
    function = getattr(_library, f"mpfr_{name}")

    def apply(*operands):
        result = Number()
        function(ctypes.byref(result), *(ctypes.byref(x) for x in operands), _NEAREST)
        return result

    return apply


add, sub, mul, div, neg, sqrt, exp, log1p, expm1, erf, erfc = (
    _operation(name) for name in "add sub mul div neg sqrt exp log1p expm1 erf erfc".split()
)
