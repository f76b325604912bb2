"""Calling programs: compiled on first use, arrays used in place."""

from __future__ import annotations

import atexit
import collections
import inspect
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from tilewire import _core
from tilewire._captured import Captured
from tilewire._core import Executable
from tilewire._entry_points import entry_point
from tilewire.checking import Reports, check_program


class _Compiled:
    """Executables by program and settings, the least recently used dropped first.

    Programs are compared by identity: equal programs from different places name different source lines.
    """

    def __init__(self, limit: int = 256):
        self._entries: collections.OrderedDict[Any, tuple[Any, Any]] = collections.OrderedDict()
        self._limit = limit

    def get(self, program: Any, entry: str, target: str, debug_bounds: bool, split: str) -> Any:
        key = (id(program), entry, target, debug_bounds, split)
        found = self._entries.get(key)
        if found is None:
            found = (program, _core.compile(program, entry, target, debug_bounds, split))
            self._entries[key] = found
            if len(self._entries) > self._limit:
                self._entries.popitem(last=False)
        else:
            self._entries.move_to_end(key)
        return found[1]

    def clear(self) -> None:
        self._entries.clear()


_compiled = _Compiled()
atexit.register(_compiled.clear)  # before the interpreter takes the types of these objects down


def compile_program(program: Any, entry: str, target: str, debug_bounds: bool, split: str, settings: dict[str, Any] | None = None) -> Any:
    """Ready to be called; `settings` are keywords of calls, such as ranks, and may name parameters too."""
    executable = _compiled.get(program, entry, target, debug_bounds, split)
    return executable._with_settings(settings) if settings else executable


class Entry:
    """A function of a program, to be called with arrays or compiled: `P.main(x, y)`, `P.main.compile()`."""

    def __init__(self, program: Any, name: str):
        self.program = program
        self.name = name

    @property
    def function(self) -> Any:
        """The function as IR."""
        return self.program[self.name]

    @entry_point
    def compile(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Executable:
        """The program made ready to be called from this function. Arguments are only checked."""
        return compile_program(self.program, self.name, target, debug_bounds, split, named)

    @entry_point
    def open(self, *arguments: Any, ranks: int | None = None, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """A session: `compile`, then `open` of the executable."""
        return self.compile(*arguments, target=target, debug_bounds=debug_bounds, split=split, **named).open(ranks=ranks)

    @entry_point
    def check(self, *arguments: Any, ranks: int | Iterable[int] | None = None, make: Callable[[int], Any] | None = None,
              hosts: int = 1, calls: int = 1, cores: int = 0, seed: int = 1, limit: int = 0, general: bool = False, split: str = "auto", **named: Any) -> Reports:
        """Whether some schedule goes wrong, one report per number of ranks (docs/checking.md).

        Arguments left out are made up; `make(p)` returns them for p ranks. The ranks live on `hosts`, as many on each: what
        collectives do depends on it. `calls` are made one after the other over
        windows that keep their content. At most `cores` blocks of a rank run at a time.
        """
        return check_program(lambda *given: (self.program, *given), self.name, arguments, named, ranks, make, hosts, calls, cores, seed,
                             limit, general, split)

    @entry_point
    def emit(self, target: str, *, level: str = "", split: str = "auto") -> dict[str, str | bytes]:
        """The files that `tilewire emit --target` writes of the program from this function, by name."""
        return _core.emit(self.program, target, self.name, level, split)

    @entry_point
    def __call__(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        return compile_program(self.program, self.name, target, debug_bounds, split)(*arguments, **named)

    @entry_point
    def local(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """Like a call, but of arrays whose rows are counted by the ranks this process passes, and gets, only its ranks' rows."""
        return compile_program(self.program, self.name, target, debug_bounds, split).local(*arguments, **named)

    def __repr__(self) -> str:
        return f"<Entry {self.name} of {self.program.name_hint or 'a program'}>"


@entry_point
def _compile(self: Any, *arguments: Any, entry: str = "", target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Executable:
    """The program made ready to be called from `entry`, by default the only function to start from."""
    return compile_program(self, entry, target, debug_bounds, split, named)


@entry_point
def _check(self: Any, *arguments: Any, entry: str = "", ranks: int | Iterable[int] | None = None, make: Callable[[int], Any] | None = None,
           hosts: int = 1, calls: int = 1, cores: int = 0, seed: int = 1, limit: int = 0, general: bool = False, split: str = "auto", **named: Any) -> Reports:
    """Whether some schedule goes wrong, from `entry`, by default the only function to start from."""
    return check_program(lambda *given: (self, *given), entry, arguments, named, ranks, make, hosts, calls, cores, seed, limit, general, split)


@entry_point
def _emit(self: Any, target: str, *, entry: str = "", level: str = "", split: str = "auto") -> dict[str, str | bytes]:
    """The files that `tilewire emit --target` writes, by name."""
    return _core.emit(self, target, entry, level, split)


_core.Program.compile = _compile
_core.Program.emit = _emit
_core.Program.check = _check


_READ_AGAIN = 4  # programs kept for one set of types, which differ in what they captured


class Specializations:
    """The programs of one function in the function style, by argument types and by what they captured from Python."""

    def __init__(self, function: Any, reader: Any):
        self._function = function
        self._reader = reader
        self._name = function.__name__
        self._programs: dict[Any, list[tuple[Captured, Any]]] = {}
        self._ready: tuple[Captured, Any] | None = None
        _specializations.add(self)
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        self._open = any(_takes_type_from_call(p) for p in parameters)
        self._defaults = any(p.default is not p.empty for p in parameters)

    def arguments(self, in_order: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """With the defaults of the function's parameters filled in."""
        if not self._defaults:
            return in_order, named
        names = self._signature.parameters
        bound = self._signature.bind_partial(*in_order, **{k: v for k, v in named.items() if k in names})
        bound.apply_defaults()
        return (), {**{k: v for k, v in named.items() if k not in names}, **bound.arguments}

    def parameters(self, function: Any, in_order: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Without what was known when the program was read: the function has no parameters for it any more."""
        if not self._open:
            return in_order, named
        known = set(self._signature.parameters) - {parameter.name for parameter in function.params}
        if not known:
            return in_order, named
        bound = self._signature.bind_partial(*in_order, **{k: v for k, v in named.items() if k in self._signature.parameters})
        rest = {k: v for k, v in named.items() if k not in self._signature.parameters}
        return (), {**rest, **{k: v for k, v in bound.arguments.items() if k not in known}}

    def ready(self) -> Any:
        """The executable of the last call passed to `keep`; None if a captured value has changed since."""
        if self._ready is not None and self._ready[0].hold():
            return self._ready[1]
        return None

    def keep(self, program: Any, executable: Any) -> None:
        """For calls with arrays only, where the argument types do not matter."""
        if not self._open and not self._defaults:
            captured = next((c for c, p in self._programs.get((), ()) if p is program), None)
            self._ready = (captured, executable) if captured else None

    def forget(self) -> None:
        self._ready = None

    def program(self, in_order: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if not self._open:
            return self.read((), {})
        named = {k: v for k, v in named.items() if k in self._signature.parameters}  # not those of the call
        return self.read(in_order, named, tuple(_type_key(value) for value in [*in_order, *named.items()]))

    def read(self, in_order: tuple[Any, ...], named: dict[str, Any], key: Any = ()) -> Any:
        known = self._programs.setdefault(key, []) if key is not None else []  # None: not kept
        for captured, program in reversed(known):
            if captured.hold():
                return program
        bound = self._signature.bind_partial(*in_order, **named).arguments
        types = {name: _core.type_of_argument(name, value) for name, value in bound.items()}
        program, captured = self._reader.read(self._name, types)
        known.append((captured, program))
        del known[:-_READ_AGAIN]
        return program


_specializations: weakref.WeakSet[Specializations] = weakref.WeakSet()


@atexit.register
def _forget_executables() -> None:
    for each in _specializations:
        each.forget()


def _takes_type_from_call(parameter: inspect.Parameter) -> bool:
    """No annotation, or only a direction; annotations are text under `from __future__ import annotations`."""
    note = parameter.annotation
    return note is parameter.empty or str(note).rpartition(".")[2] in ("Out", "InOut")


def _type_key(value: Any) -> Any:
    if isinstance(value, tuple):  # a keyword and its value
        return value[0], _type_key(value[1])
    shape = getattr(value, "shape", None)
    if shape is not None:
        return tuple(shape), str(value.dtype)
    if type(value) in (int, float):
        return type(value)
    try:
        hash(value)
    except TypeError:
        return type(value), repr(value)  # a list
    return type(value), value
