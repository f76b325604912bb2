"""Runs the blocks of a page in a scratch folder that looks like the root of the repository."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

from pages import ROOT, Block, blocks, commands, matches, not_run, read

# What a page may reach from the root. `.venv` is that of the interpreter the tests run with.
LINKED = ("examples", "tests", "docs", "bench", "src", "scripts", "include", "python")


class Wrong(Exception):
    """A block is not what the page says."""


class Runner:
    """Runs one page. With `update`, what is shown for a command becomes what came out."""

    def __init__(self, page: str, folder: pathlib.Path, update: bool = False):
        self.page, self.folder, self.update = page, folder, update
        self.text = read(page)
        self.not_run: list[str] = []
        self.ran = 0
        self._changes: list[tuple[int, int, str]] = []
        self._python: subprocess.Popen[str] | None = None
        self._environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                             "PYTHONDONTWRITEBYTECODE": "1"}
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)
        (folder / ".venv").symlink_to(pathlib.Path(sys.prefix))

    def run(self) -> list[str]:
        """Runs all blocks; returns what is wrong."""
        wrong = []
        try:
            for block in blocks(self.page, self.text):
                try:
                    self._block(block)
                except Wrong as why:
                    wrong.append(f"{block.place}: {why}")
        finally:
            if self._python:
                assert self._python.stdin and self._python.stdout
                self._python.stdin.close()
                self._python.wait(60)
                self._python.stdout.close()
        if self._changes:
            text = self.text
            for start, end, new in sorted(self._changes, reverse=True):
                text = text[:start] + new + text[end:]
            (ROOT / self.page).write_text(text, encoding="utf-8")
        return wrong

    def _block(self, block: Block) -> None:
        handlers = {"file": self._file, "appended to": self._append, "excerpt of": self._excerpt,
                    "output of": self._output, "within": self._within, "in the tree": self._in_the_tree,
                    "applies": self._applies}
        if block.directive == "not run":
            if not block.argument:
                raise Wrong("`not run` needs a reason")
            self.not_run.append(f"{block.place}: {block.argument}")
            return
        if not block.directive and (reason := not_run(self.text)) is not None:
            if not reason:
                raise Wrong("`page not run` needs a reason")
            self.not_run.append(f"{block.place}: {reason}")
            return
        if block.directive in handlers:
            handlers[block.directive](block)
        elif block.directive:
            raise Wrong(f"`{block.directive}` is none of the comments for blocks (docs/internals/documentation.md)")
        elif block.language == "console":
            self._console(block)
        elif block.language == "python":
            self._python_block(block)
        else:
            raise Wrong(f"nothing says how to run a block of `{block.language or 'no language'}`: precede it with a "
                        "comment (docs/internals/documentation.md)")
        self.ran += 1

    def shell(self, command: str) -> str:
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self._environment, timeout=300, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # A page that is updated must not get the path of this run's scratch folder.
        return done.stdout.replace(f"{self.folder}/", "...") if self.update else done.stdout

    def _console(self, block: Block) -> None:
        found = commands(block.text)
        if not found or not block.text.startswith("$ "):
            raise Wrong("a console block starts with `$ ` and a command")
        for command, shown, start, end in found:
            actual = self.shell(command)
            if matches(shown, actual):
                continue
            if self.update and not block.indent:
                gap = "\n" if shown.endswith("\n\n") else ""
                self._changes.append((block.start + start, block.start + end, actual.rstrip() + "\n" * bool(actual) + gap))
            else:
                raise Wrong(f"`{command}` printed\n{actual}")

    def _path(self, name: str) -> pathlib.Path:
        path = (self.folder / name).resolve()
        if not (path.is_relative_to(self.folder.resolve()) or path.is_relative_to(ROOT)):
            raise Wrong(f"{name} is outside the scratch folder")
        return path

    def _file(self, block: Block) -> None:
        self._path(block.argument).write_text(block.text, encoding="utf-8")

    def _append(self, block: Block) -> None:
        path = self._path(block.argument)
        path.write_text(path.read_text(encoding="utf-8") + "\n\n" + block.text, encoding="utf-8")

    def _excerpt(self, block: Block) -> None:
        path = self._path(block.argument)
        if not path.exists():
            raise Wrong(f"there is no {block.argument}")
        if not matches(block.text, path.read_text(encoding="utf-8"), excerpt=True):
            raise Wrong(f"the block is not a part of {block.argument}")

    def _output(self, block: Block) -> None:
        actual = self.shell(block.argument)
        if matches(block.text, actual, excerpt=True):
            return
        if not self.update:
            raise Wrong(f"`{block.argument}` printed\n{actual}")
        self._changes.append((block.start, block.end, textwrap.indent(actual.rstrip() + "\n", block.indent)))

    def _within(self, block: Block) -> None:
        """The compiler takes the block where the comment has BLOCK."""
        place = re.search(r"^( *)BLOCK$", block.argument, re.M)
        if not place:
            raise Wrong("the comment has no line BLOCK")
        program = block.argument.replace(place[0], textwrap.indent(block.text.rstrip(), place[1]), 1)
        path = self.folder / "within.py"
        path.write_text("import tilewire.language as pl\nimport tilewire.language.distributed as pld\n\n" + program + "\n",
                        encoding="utf-8")
        actual = self.shell("tilewire print within.py >printed.py; echo exit code $?")
        if not actual.endswith("exit code 0\n"):
            raise Wrong(f"the compiler does not take\n{path.read_text()}\n{actual}")

    def _patch(self, block: Block, *options: str) -> str:
        done = subprocess.run(["git", "apply", "--check", "--unidiff-zero", "--recount", *options], cwd=ROOT, text=True,
                              input=block.text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.stdout

    def _in_the_tree(self, block: Block) -> None:
        """Added and unchanged lines of a diff are in the file, in this order."""
        names = re.findall(r"^\+\+\+ b/(.*)$", block.text, re.M) or [block.argument]
        hunks = re.split(r"^@@.*\n", re.sub(r"^(---|\+\+\+) .*\n", "", block.text, flags=re.M), flags=re.M)
        lines = (ROOT / names[0]).read_text(encoding="utf-8").split("\n")
        for hunk in filter(None, hunks):
            wanted = [line[1:] for line in hunk.rstrip("\n").split("\n") if not line.startswith("-")]
            if not any(lines[i: i + len(wanted)] == wanted for i in range(len(lines))):
                raise Wrong(f"{names[0]} has no lines\n" + "\n".join(wanted))

    def _applies(self, block: Block) -> None:
        if said := self._patch(block):
            raise Wrong(f"the change does not apply: {said}")

    def _python_block(self, block: Block) -> None:
        if not self._python:
            self._python = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("session.py")], text=True,
                                            cwd=self.folder, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._python.stdin and self._python.stdout
        path = self.folder / f"{pathlib.Path(self.page).stem.replace('-', '_')}_{block.line}.py"
        path.write_text("\n" * (block.line - 1) + block.text, encoding="utf-8")  # messages name the line of the page
        self._python.stdin.write(json.dumps(str(path)) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        if not answer:
            raise Wrong("Python ended")
        printed, error = json.loads(answer)
        if error:
            raise Wrong(error)
        shown = re.findall(r"^ *print\(.*\)  +# (.*)$", block.text, re.M)
        if not matches("\n".join(shown), printed):
            raise Wrong(f"the block printed\n{printed}")
