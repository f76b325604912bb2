"""Windows, signals, remote memory and collectives: `import tilewire.language.distributed as pld`."""

from tilewire import _core

__tilewire_path__ = "pld"

_names = _core.language_names("pld")
globals().update(_names)
__all__ = list(_names)
