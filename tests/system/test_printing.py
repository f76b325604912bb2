"""`pl.print`: the same text from every target, whole and in the order of each block; no effect on results."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld
from targets import TARGETS

TILEWIRE = Path(sys.executable).parent / "tilewire"
NR = pl.dynamic("NR")
TEXT = """
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def rows(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
         s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    b = pl.tile.get_block_idx()
    for i in pl.range(3):
        pl.print(b * 10 + i, "step")
        t = pl.load(x, [b * 4, 0], [4, 16], valid_shape=[i + 1, 16])
        pl.print(t * 0.1, "part")
    pld.system.notify(s, pld.rank(pld.get_comm_ctx(s)), [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    pl.print(b == 2, "two")
    y = pl.store(pl.load(x, [b * 4, 0], [4, 16]) * 3.0, [b * 4, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 16, 16], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 16], pl.FP32]]):
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        rows(x[r], y[r], s, device=r, blocks=4)
"""
RANKS = 3
HEAD = re.compile(r"rank (\d+), block (\d+), line (\d+): ")


def prints(text):
    """By rank and block: what each print wrote, lines and all."""
    blocks = {}
    for line in text.splitlines():
        found = HEAD.match(line)
        if found:
            last = blocks.setdefault((int(found[1]), int(found[2])), [])
            last.append(line)
        elif line.startswith("  "):  # the command also says what came out
            last[-1] += "\n" + line
    return blocks


def expected(x):
    def number(v):
        return f"{float(v):.6g}"

    out = {}
    for r in range(RANKS):
        for b in range(4):
            here = out.setdefault((r, b), [])
            head = f"rank {r}, block {b}, line "
            for i in range(3):
                here.append(f"{head}12: step: INDEX {b * 10 + i}")
                part = x[r, b * 4 : b * 4 + i + 1] * np.float32(0.1)
                lines = "".join(f"\n  [{', '.join(number(v) for v in row[:8])}, ...]" for row in part)
                here.append(f"{head}14: part: FP32 [4, 16], valid [{i + 1}, 16]{lines}")
            here.append(f"{head}17: two: BOOL {b == 2}")
    return out


def numbers():
    return np.random.default_rng(3).integers(-50, 50, (RANKS, 16, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def program():
    return pl.parse(TEXT.lstrip("\n"))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("settings", [{}, {"schedule": "random:1"}, {"schedule": "random:2"}])
def test_the_text(program, target, settings, capfd):
    x = numbers()
    y = np.zeros_like(x)
    program.compile(entry="main", target=target)(x, y, ranks=RANKS, **settings)
    out, err = capfd.readouterr()
    assert prints(out) == expected(x)
    assert err == ""
    np.testing.assert_array_equal(y, x * 3)


def test_threads_do_not_mix_lines(program, capfd):
    x = numbers()
    exe = program.compile(entry="main", target="cpu")
    for _ in range(20):
        exe(x, np.zeros_like(x), ranks=RANKS, threads=4)
        assert prints(capfd.readouterr().out) == expected(x)


def test_check_prints_nothing(program, capfd):
    report = program.check(ranks=[2])
    assert report.verdict == "proved"
    assert capfd.readouterr().out == ""


def test_the_command_a_bundle_and_a_session(tmp_path):
    (tmp_path / "p.py").write_text(TEXT.lstrip("\n"))
    x = numbers()
    np.save(tmp_path / "x.npy", x)

    def out(*words):
        done = subprocess.run([TILEWIRE, *words], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
        return done.stdout

    run = ["--ranks", str(RANKS), "--in", "x=x.npy"]
    for target in TARGETS:
        assert prints(out("run", "p.py", "--target", target, *run)) == expected(x)
    out("build", "p.py", "-o", "bundle", "--ranks", str(RANKS))
    assert prints(out("run", "bundle", *run)) == expected(x)


def test_a_session(program, capfd):
    x = numbers()
    with program.compile(entry="main", target="cpu").open(ranks=RANKS) as session:
        for _ in range(2):
            session(x, np.zeros_like(x))
            assert prints(capfd.readouterr().out) == expected(x)
            session.reset()


VALUES = """
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    t = pl.load(x)
    pl.print(pl.cast(t, pl.BF16), "bf16")
    pl.print(pl.cast(t, pl.FP16), "fp16")
    pl.print(pl.cast(t, pl.INT8), "int8")
    pl.print(pl.cast(pl.abs(t), pl.UINT8), "uint8")
    pl.print(t > 2.0, "greater")
    pl.print(t / (t - t), "special")
    pl.print(pl.transpose(t, 0, 1), "transposed")
    pl.print(t[1:3, 2:6], "part")
    pl.print(pl.const(3, pl.UINT64), "const")
    pl.print(0.1)
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = kernel(x, y)
    return y
"""


def test_dtypes_and_views_print_alike(capfd):
    program = pl.parse(VALUES.lstrip("\n"))
    x = np.linspace(-3, 5, 32, dtype=np.float32).reshape(4, 8)
    texts = []
    for target in TARGETS:
        program.compile(entry="main", target=target)(x, np.zeros_like(x))
        texts.append(capfd.readouterr().out)
    assert len(set(texts)) == 1
    assert "greater: BOOL [4, 8]\n  [False, " in texts[0]
    assert "special: FP32 [4, 8]\n  [-inf, -inf, " in texts[0]
    assert ": FP32 0.1\n" in texts[0]


def test_without_the_prints_the_bits_are_the_same(capfd):
    text = TEXT.lstrip("\n")
    plain = "\n".join(line for line in text.splitlines() if "pl.print" not in line) + "\n"
    x = np.random.default_rng(4).standard_normal((RANKS, 16, 16), dtype=np.float32)
    results = []
    for source in (text, plain):
        y = np.zeros_like(x)
        pl.parse(source).compile(entry="main", target="cpu")(x, y, ranks=RANKS)
        results.append(y.tobytes())
    assert results[0] == results[1]
    assert "step" in capfd.readouterr().out
