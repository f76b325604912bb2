"""Windows, signals, remote memory and collectives: `import tilewire.language.distributed as pld`."""

import functools

from tilewire import _core

__tilewire_path__ = "pld"

_names = _core.language_names("pld")
globals().update(_names)
__all__ = list(_names)

__getattr__ = functools.partial(_core.raise_missing, "pld")  # for names that are not there
