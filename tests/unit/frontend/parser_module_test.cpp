#include <gtest/gtest.h>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

std::string module(std::string text) {
  Parsed p = parsed(std::move(text), ParseMode::Module);
  EXPECT_EQ(p.diags.text(), "");
  return p.text();
}

TEST(Module, a_file_full_of_other_python) {
  EXPECT_EQ(module(R"py(#!/usr/bin/env python3
"""A driver script."""
from __future__ import annotations

import argparse, os.path
import numpy as np
import tilewire.language as pl
from tilewire.language import distributed as pld

ROWS, COLS = 4, 8
TILE = 16
SCALE: float = 0.5
NAMES = ["a", "b"]
SQUARES = [i * i for i in range(10)]
LOOKUP = {k: v for k, v in zip("ab", range(2))}
key = lambda pair: pair[1]
TABLE[0] = 3
TEXT = f"{TILE!r:>{10}} {LOOKUP["a"]}"
NR = pl.dynamic("NR"); LAST = TILE * 2 + 1
limit: int
DATA = b"raw" if TILE else 2j

class Config(dict, metaclass=type):
    """Not ours."""
    def __init__(self, *args, size: int = 3, **kwargs):
        super().__init__(*args, **kwargs)
        self.size = size

    @property
    def double(self): return self.size * 2

@functools.lru_cache(maxsize=None)
@decorators[0].call(lambda f: f)
def cached(x, /, *, y):
    try:
        with open(x) as f, open(y) as g:
            yield from (line async for line in f)
    except* (ValueError, TypeError) as error:
        raise RuntimeError(f"{x=}") from error
    else:
        return [*x, *y]
    finally:
        del x
    match y:
        case {"a": [1, *rest]} if rest: ...
        case _: pass

async def main(a: int = 1) -> None:
    async with a as b: await b
    global TILE
    TILE = (yield)
    print(x := 3, a @ b, file=sys.stderr)

@pl.function(type=pl.FunctionType.InCore)
def kernel(x: pl.Tensor[[TILE, TILE], pl.FP32], out: pl.Out[pl.Tensor[[TILE, TILE], pl.FP32]]):
    t = pl.load(x, [0, 0], [TILE, TILE])
    out = pl.store(t * SCALE, [0, 0], out)
    return out

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for i in range(3): print(f"{i}", end='')
    @pl.function
    def hidden(): pass
else:
    x = [
  1,
2]

@pl.program
class Prog:
    @pl.function
    def f(self, x):
        return x

try: import torch
except ImportError: torch = None
type Alias[T] = list[T]
def outer[T](x: T): pass
)py"),
            "import __future__.annotations as annotations\n"
            "import argparse as argparse os as os\n"
            "import numpy as np\n"
            "import tilewire.language as pl\n"
            "import tilewire.language.distributed as pld\n"
            "assign (tuple ROWS, COLS) = (tuple 4, 8)\n"
            "assign TILE = 16\n"
            "annotate SCALE: float = 0.5f\n"
            "assign NAMES = ['a', 'b']\n"
            "assign SQUARES = <an expression>\n"
            "assign LOOKUP = <an expression>\n"
            "assign key = <an expression>\n"
            "assign TEXT = <an expression>\n"
            "assign NR = pl.dynamic('NR')\n"
            "assign LAST = ((TILE * 2) + 1)\n"
            "assign DATA = <an expression>\n"
            "assign Config = <a class>\n"
            "assign cached = <a function>\n"
            "@pl.function(type=pl.FunctionType.InCore) def kernel(x: pl.Tensor[[TILE, TILE], pl.FP32], "
            "out: pl.Out[pl.Tensor[[TILE, TILE], pl.FP32]])\n"
            "  assign t = pl.load(x, [0, 0], [TILE, TILE])\n"
            "  assign out = pl.store((t * SCALE), [0, 0], out)\n"
            "  return out\n"
            "@pl.program class Prog\n"
            "  @pl.function def f(self, x)\n"
            "    return x\n"
            "assign outer = <a function>\n");
}

// Whether the function below the given lines is taken for one of ours.
bool ours(const std::string& imports, const std::string& decorator) {
  Parsed p = parsed(imports + "\n@" + decorator + "\ndef f():\n  pass\n", ParseMode::Module);
  EXPECT_EQ(p.diags.text(), "");
  return !p.tree->body.empty() && p.tree->body.back()->kind == StmtKind::FunctionDef;
}

TEST(Module, decorators_are_seen_through_imports) {
  EXPECT_TRUE(ours("", "pl.function"));
  EXPECT_TRUE(ours("", "pl.jit.host"));
  EXPECT_TRUE(ours("", "pl.function(type=pl.FunctionType.InCore)"));
  EXPECT_TRUE(ours("", "pld.something"));
  EXPECT_TRUE(ours("import tilewire.language as lang", "lang.jit"));
  EXPECT_TRUE(ours("from tilewire import language as tl", "tl.jit.incore"));
  EXPECT_TRUE(ours("import tilewire.language.distributed as d", "d.f"));
  EXPECT_TRUE(ours("from tilewire.language import program, function as fn, jit", "fn(x=1)"));
  EXPECT_TRUE(ours("from tilewire.language import program, function as fn, jit", "jit.host"));
  EXPECT_TRUE(ours("import tilewire.language", "tilewire.language.function"));
  EXPECT_TRUE(ours("import tilewire as tw", "tw.language.jit"));
  EXPECT_TRUE(ours("import tilewire as tw", "tw.jit"));
  EXPECT_TRUE(ours("", "other\n@pl.function"));
  EXPECT_TRUE(ours("", "other[lambda: 0]\n@pl.function\n@third"));
  EXPECT_FALSE(ours("import polars as pl", "pl.function"));
  EXPECT_FALSE(ours("from tilewire.language import jit", "function"));
  EXPECT_FALSE(ours("import tilewire as tw", "tw.test"));
  EXPECT_FALSE(ours("", "functools.cache"));
  EXPECT_FALSE(ours("", "x.pl.function"));
  EXPECT_FALSE(ours("", "(lambda f: f)"));
}

TEST(Module, ours_are_read_strictly) {
  Parsed p = parsed("x = lambda: 1\n@pl.jit\ndef f():\n  y = lambda: 1\nz = lambda: 2\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"4:7 python_lambda"});
  p = parsed("@pl.function(*a)\ndef f():\n  pass\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"1:14 python_star_argument"});
  p = parsed("@pl.program\nclass P:\n  @staticmethod\n  def f(): yield\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"4:12 python_yield"});
  p = parsed("@pl.jit\nasync def f():\n  pass\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"2:1 python_async"});
}

TEST(Module, what_is_not_python_elsewhere_is_skipped_too) {
  EXPECT_EQ(module("%matplotlib inline\n!ls $HOME\nx = = 3\n012\n'open\n  stray\n y ? z\n]\nN = 4\n"),
            "assign x = <an expression>\nassign N = 4\n");
  EXPECT_EQ(module("def f(:\n  x = )\n    y\n z\nN = 4\n"), "assign f = <a function>\nassign N = 4\n");
  EXPECT_EQ(module("N = 4 5\nM = N.\nK = 1\n"),
            "assign N = <an expression>\nassign M = <an expression>\nassign K = 1\n");
}

TEST(Module, what_would_hide_a_program_is_said) {
  Parsed p = parsed("print(\n@pl.jit\ndef f():\n  pass\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"1:6 unclosed_bracket"});
  p = parsed("x = '''\n@pl.jit\ndef f():\n  pass\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"1:5 unterminated_string"});
  p = parsed("from tilewire.language import *\nfrom numpy import *\n", ParseMode::Module);
  EXPECT_EQ(p.errors(), std::vector<std::string>{"1:31 python_star_import"});
}

TEST(Module, constants) {
  EXPECT_EQ(
      module("A = B = 3\nC, D = 1, 2\nE = F.g(1)[2]\nG += 1\nH[0] = 1\nf(x)\nI = 'a' 'b'; J = -1; K\nL: int "
             "= 2\n"),
      "assign A, B = 3\nassign (tuple C, D) = (tuple 1, 2)\nassign E = F.g(1)[2]\nassign G = <an "
      "expression>\n"
      "assign I = 'ab'\nassign J = (- 1)\nannotate L: int = 2\n");
  EXPECT_EQ(module("def f(): a = 1; b = 2\nif x: c = 3\nd = 4\n"), "assign f = <a function>\nassign d = 4\n");
}

}  // namespace
}  // namespace tilewire::frontend
