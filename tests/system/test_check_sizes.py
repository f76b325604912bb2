"""Sizes that `check` makes up: a window that is used again for each tile is wrong from the second tile on, whatever the
tile's extent is and however the program comes to it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TILEWIRE = Path(sys.executable).parent / "tilewire"

# Hands tiles to the right. `before` and `after` are what keeps a tile from being overwritten before it is read.
HEAD = """\
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
N = pl.dynamic("N")
M = pl.dynamic("M")
T = {tile}


@pl.jit.inline
def hand_over(x, y, w, s, credit, at, extent, number):
    ctx = pld.get_comm_ctx(w)
    me, n = pld.rank(ctx), pld.nranks(ctx)
    right, left = (me + 1) % n, (me + n - 1) % n
    t = pl.load(x, [0, at], [1, T], valid_shape=[1, extent])
    {before}
    pld.tile.remote_store(t, w, right, [0, 0])
    pld.system.notify(s, right, [0, 0], 1)
    pld.system.wait(s, [0, 0], number + 1)
    y = pl.store(pl.load(w, [0, 0], [1, T], valid_shape=[1, extent]), [0, at], y)
    {after}
    return y


"""
HOST = """

@pl.jit.host
def main(x: pl.Tensor[[NR, {extent}], pl.FP32], y: pl.Out[pl.Tensor[[NR, {extent}], pl.FP32]]{more}):
    w = pld.alloc_window([1, T], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    credit = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        {call}(x[r : r + 1], y[r : r + 1], w, s, credit{given}, device=r)
"""
PARAMETERS = """\
    x: pl.Tensor[[1, {extent}], pl.FP32],
    y: pl.Out[pl.Tensor[[1, {extent}], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[1, T], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    credit: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],{more}
):
"""
BODIES = {
    "steps": """\
    for at in pl.range(0, pl.dim(x, 1), T):
        y = hand_over(x, y, w, s, credit, at, min(pl.dim(x, 1) - at, T), at // T)
""",
    "count": """\
    for i in pl.range((pl.dim(x, 1) + T - 1) // T):
        y = hand_over(x, y, w, s, credit, i * T, min(pl.dim(x, 1) - i * T, T), i)
""",
    "shares": """\
    share = pl.dim(x, 1) // 4
    for part in pl.range(4):
        for at in pl.range(0, share, T):
            rounds = (share + T - 1) // T
            y = hand_over(x, y, w, s, credit, part * share + at, min(share - at, T), part * rounds + at // T)
""",
    "while": """\
    at = 0
    while at < pl.dim(x, 1):
        y = hand_over(x, y, w, s, credit, at, min(pl.dim(x, 1) - at, T), at // T)
        at = at + T
""",
}
TILES = [16, 64, 1000, 1024, 8192]


def program(tile, body, right, extent="N", more="", given=""):
    before = "pld.system.wait(credit, [0, 0], number)" if right else ""
    after = "pld.system.notify(credit, left, [0, 0], 1)" if right else ""
    head = HEAD.format(tile=tile, before=before, after=after)
    kernel = "@pl.jit.incore\ndef kernel(\n" + PARAMETERS.format(extent=extent, more=more) + body
    return head + kernel + HOST.format(extent=extent, call="kernel", more=more.replace("\n   ", ","), given=given)


def check(tmp_path, text, *options):
    (tmp_path / "program.py").write_text(text)
    command = [TILEWIRE, "check", "program.py", "--ranks", "2", "--json", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    (report,) = json.loads(done.stdout)
    return report, [finding["kind"] for finding in report["findings"]]


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("body", list(BODIES))
def test_windows_that_tiles_use_again(tmp_path, body, tile):
    if body == "shares" and tile == 8192:
        pytest.skip("four shares of two such tiles take a while")
    report, kinds = check(tmp_path, program(tile, BODIES[body], right=False))
    assert report["verdict"] == "refuted" and "race" in kinds
    report, kinds = check(tmp_path, program(tile, BODIES[body], right=True))
    assert (report["verdict"], kinds) == ("proved", [])


@pytest.mark.parametrize("tile", TILES)
def test_scalars_that_are_counted_to_in_tiles(tmp_path, tile):
    body = """\
    for at in pl.range(0, n, T):
        y = hand_over(x, y, w, s, credit, at, min(n - at, T), at // T)
"""
    more = "\n    n: pl.Scalar[pl.INDEX]"
    made = dict(extent=3 * tile, more=more, given=", n")
    assert check(tmp_path, program(tile, body, right=False, **made))[0]["verdict"] == "refuted"
    report, kinds = check(tmp_path, program(tile, body, right=True, **made))
    assert (report["verdict"], kinds) == ("proved", [])
