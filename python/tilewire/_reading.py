"""Decorators: they find the text of a function or class and hand it to the compiler, which reads it."""

from __future__ import annotations

import functools
import html
import inspect
import linecache
import os
import sys
import types
from collections.abc import Iterable
from typing import Any, Callable

from tilewire import _core, _pickling, ir
from tilewire._captured import Captured
from tilewire._entry_points import entry_point
from tilewire._running import Specializations, compile_program
from tilewire.checking import Reports, check_program
from tilewire.errors import ProgramError

Source = tuple[str, bytes, int]  # file name, text, number of its first line


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # the compiler reports what is not a character


def _no_source(name: str) -> ProgramError:
    return ProgramError(
        f"the source text of `{name}` is not available; write the function in a file or a notebook cell, "
        "or pass its text to pl.parse"
    )


class _Reader:
    """The text of one decorated object and the scope of its free names."""

    def __init__(self, target: Any, frame: types.FrameType, decorated_line: int = 0):
        # Locals of a function are not seen by the nested function unless its body uses them; annotations do.
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
        self._target = target
        self._file = frame.f_code.co_filename
        self._line = decorated_line
        self._locals = dict(frame.f_locals) if is_function else {}
        self._globals = frame.f_globals
        self._source: Source | None = None

    @classmethod
    def of_text(cls, target: Any, source: Source, scope: dict[str, Any]) -> _Reader:
        """Of a function that was defined elsewhere."""
        self = cls.__new__(cls)
        self._target = target
        self._file, _, self._line = source
        self._locals = {}
        self._globals = scope
        self._source = source
        return self

    def source(self) -> Source:
        """Looked up once: when the program is read again, its file may have changed."""
        if self._source is None:
            self._source = self._find_source()
        return self._source

    def _find_source(self) -> Source:
        target = self._target
        try:
            if inspect.isclass(target):
                lines, first = self._class_lines()
            else:
                lines, first = inspect.getsourcelines(target)
                self._file = inspect.getsourcefile(target) or self._file
        except (OSError, TypeError, IndexError):
            raise _no_source(target.__name__) from None
        return _shown_name(self._file), _encode("".join(lines)), first

    def _class_lines(self) -> tuple[list[str], int]:
        # inspect finds classes by name, which is ambiguous; the line of the decorator is not.
        lines = linecache.getlines(self._file, self._globals)
        index = self._line - 1
        if 0 <= index < len(lines) and lines[index].lstrip().startswith("@"):
            return inspect.getblock(lines[index:]), self._line
        return inspect.getsourcelines(self._target)

    def evaluate(self, expression: str) -> Any:
        return self.run(f"(\n{expression}\n)")

    def place(self, name: str) -> types.CellType | dict[str, Any] | None:
        """Where the value of a name is looked up: the cell of a closure, or globals. None: it was fixed by a decorator."""
        if inspect.isclass(self._target):
            return None  # read once, by its decorator
        code = self._target.__code__
        if name in code.co_freevars:
            cell: types.CellType = self._target.__closure__[code.co_freevars.index(name)]
            return cell
        return None if name in self._locals else self._globals

    def run(self, code: str | types.CodeType) -> Any:
        names = dict(vars(self._target)) if inspect.isclass(self._target) else {}
        names.update(self._locals)
        if not inspect.isclass(self._target):
            for name, cell in zip(self._target.__code__.co_freevars, self._target.__closure__ or ()):
                try:
                    names[name] = cell.cell_contents
                except ValueError:  # not assigned yet
                    names.pop(name, None)
        return eval(code, self._globals, names)

    def read(self, entry: str = "", parameter_types: dict[str, ir.Type] | None = None) -> tuple[ir.Program, Captured]:
        program, taken = _core.read(self.source(), self, {}, entry, parameter_types or {})
        return program, Captured(taken)


def _shown_name(file: str) -> str:
    """What users know a file by: the cell of a notebook is In[3] to them."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    format_name = getattr(getattr(shell, "compile", None), "format_code_name", None)
    name = format_name(file) if format_name else None
    return str(name[1]) if name else file


@entry_point
def program(cls: type) -> ir.Program:
    """Reads a class of functions as a program: `@pl.program class P: ...` makes `P` an ir.Program."""
    if not inspect.isclass(cls):
        raise TypeError(f"pl.program decorates a class, not {type(cls).__name__}")
    frame = sys._getframe(1)
    return _Reader(cls, frame, frame.f_lineno).read()[0]


def _decorator(wrap: Callable[[Any, _Reader], Any], name: str) -> Callable[..., Any]:
    """A decorator used with or without options; options are read from the text."""

    @entry_point
    def decorate(target: Any = None, /, **options: Any) -> Any:
        frame = sys._getframe(1)
        if target is None:
            return lambda function: decorate_one(function, frame)
        return decorate_one(target, frame)

    def decorate_one(target: Any, frame: types.FrameType) -> Any:
        if not inspect.isfunction(target):
            raise TypeError(f"{name} decorates a function, not {type(target).__name__}")
        file = target.__code__.co_filename
        if name.startswith("pl.jit") and file.startswith("<") and not linecache.getlines(file, target.__globals__):
            raise _no_source(target.__name__)  # typed at a prompt: no text to read when it is called
        return wrap(target, _Reader(target, frame))

    decorate.__name__ = decorate.__qualname__ = name.rpartition(".")[2]
    decorate.__module__ = "tilewire.language"
    decorate.__tilewire_path__ = name  # type: ignore[attr-defined]
    return decorate


def _mark(target: Any, reader: _Reader) -> Any:
    target.__tilewire_reader__ = reader
    return target


class JitFunction:
    """A function in the function style. Its text is read when a program is asked for, never run as Python."""

    __name__: str
    __qualname__: str
    __wrapped__: Any

    def __init__(self, target: Any, reader: _Reader):
        functools.update_wrapper(self, target)
        self.__tilewire_reader__ = reader
        self._versions = Specializations(target, reader)

    @property
    @entry_point
    def program(self) -> ir.Program:
        """The program that starts here; every parameter must have a type."""
        return self._versions.read((), {})

    @entry_point
    def specialize(self, *arguments: Any, **named: Any) -> ir.Program:
        """The program that starts here, for arguments of these types: ir types, arrays or numbers.

        A str, bool, enum or dtype is known when the program is read.
        Parameters left out need an annotation of their own.
        """
        return self._versions.read(arguments, named, None)

    @entry_point
    def compile(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """Compiles the program; parameters without annotation take their types from the arguments."""
        program, _, settings = self._specialized(arguments, named)
        return compile_program(program, self.__name__, target, debug_bounds, split, settings)

    @entry_point
    def open(self, *arguments: Any, ranks: int | None = None, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """A session of the compiled function: calls in it find the windows as the last one left them."""
        return self.compile(*arguments, target=target, debug_bounds=debug_bounds, split=split, **named).open(ranks=ranks)

    @entry_point
    def check(self, *arguments: Any, ranks: int | Iterable[int] | None = None, make: Callable[[int], Any] | None = None,
              hosts: int = 1, calls: int = 1, cores: int = 0, seed: int = 1, limit: int = 0, general: bool = False, split: str = "auto", **named: Any) -> Reports:
        """Whether some schedule goes wrong, one report per number of ranks (docs/checking.md).

        Arguments left out are made up; `make(p)` returns them for p ranks. The ranks live on `hosts`, as many on each: what
        collectives do depends on it. `calls` are made one after the other over
        windows that keep their content. At most `cores` blocks of a rank run at a time.
        """
        return check_program(self._specialized, self.__name__, arguments, named, ranks, make, hosts, calls, cores, seed, limit, general, split)

    def _specialized(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[ir.Program, tuple[Any, ...], dict[str, Any]]:
        """The program for these arguments, and those that it takes when it runs."""
        arguments, named = self._versions.arguments(arguments, named)
        program = self._versions.program(arguments, named)
        return program, *self._versions.parameters(program[self.__name__], arguments, named)

    @entry_point
    def __call__(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """Compiles on first use and runs; arrays are used in place, outputs left out are made."""
        plain = not named and target == "cpu" and not debug_bounds and split == "auto"
        if plain:
            executable = self._versions.ready()
            if executable is not None:
                return executable(*arguments)
        program, arguments, named = self._specialized(arguments, named)
        executable = compile_program(program, self.__name__, target, debug_bounds, split)
        if plain:
            self._versions.keep(program, executable)
        return executable(*arguments, **named)

    @entry_point
    def local(self, *arguments: Any, target: str = "cpu", debug_bounds: bool = False, split: str = "auto", **named: Any) -> Any:
        """Like a call, but of arrays whose rows are counted by the ranks this process passes, and gets, only its ranks' rows."""
        program, arguments, named = self._specialized(arguments, named)
        return compile_program(program, self.__name__, target, debug_bounds, split).local(*arguments, **named)

    def __repr__(self) -> str:
        code = self.__wrapped__.__code__
        return f"<JitFunction {self.__qualname__} at {os.path.basename(code.co_filename)}:{code.co_firstlineno}>"

    def _repr_html_(self) -> str:
        file, text, line = self.__tilewire_reader__.source()
        place = html.escape(f"{self.__qualname__}, {os.path.basename(file)}:{line}")
        page: str = f"<div><b>{place}</b></div>" + _core.source_html(text)
        return page

    def __reduce__(self) -> tuple[Any, ...]:
        reader = self.__tilewire_reader__
        source = reader.source()
        return _from_source, (source, self.__qualname__, _pickling.captured_values(source[1], reader))


def _from_source(source: Source, qualname: str, values: dict[str, Any]) -> JitFunction:
    scope = {"__name__": "__tilewire__", **_pickling.loaded(values)}
    file, text, line = source
    target = _pickling.defined(text, line, file, scope)
    target.__qualname__ = qualname
    return JitFunction(target, _Reader.of_text(target, source, scope))


function = _decorator(_mark, "pl.function")
function.__doc__ = "Says what a function of a program is: its type, level, role, attrs. The text is read by pl.program."
jit = _decorator(JitFunction, "pl.jit")
jit.__doc__ = "An orchestration function in the function style; pl.jit.host, .incore and .inline are the others."
for _level, _doc in {
    "host": "A host function in the function style.",
    "incore": "A kernel in the function style.",
    "inline": "A function that is spliced in where it is called.",
}.items():
    _made = _decorator(JitFunction, f"pl.jit.{_level}")
    _made.__doc__ = _doc
    setattr(jit, _level, _made)


@entry_point
def parse(text: str | bytes, filename: str = "<string>", constants: dict[str, Any] | None = None) -> ir.Program:
    """Reads program text. `constants` are values for names the text does not define."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"pl.parse takes text as str or bytes, not {type(text).__name__}")
    data = _encode(text) if isinstance(text, str) else text
    given = {name: repr(value) for name, value in (constants or {}).items()}
    result: ir.Program = _core.read((filename, data, 1), None, given, "", {})[0]
    return result


@entry_point
def load_program(path: str | os.PathLike[str], constants: dict[str, Any] | None = None) -> ir.Program:
    """Reads the program in a .py file; the file is not run."""
    with open(path, "rb") as file:
        return parse(file.read(), os.fspath(path), constants)
