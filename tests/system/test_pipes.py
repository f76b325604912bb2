"""Groups of a cube and a vector half, written by hand and made of mixed kernels: results, order, and what goes wrong."""

import json
import re

import numpy as np
import pytest

import mixed_kernels
import pipe_programs
import tilewire as tw
import tilewire.language as pl
from targets import TARGETS

GROUPS = {case.name: case for case in pipe_programs.cases()}
MIXED = {case.name: case for case in mixed_kernels.cases()}


def entry(case):
    return getattr(case.program, "main", case.program)


def call(case, given, **how):
    """What comes out: the output that was left out, or the one argument that is changed."""
    out = entry(case)(*given, **how)
    return given[-1] if out is None else out


def arguments(case):
    return case.make(np.random.default_rng(1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", GROUPS)
def test_a_group_agrees_with_numpy(name, target):
    case = GROUPS[name]
    given = arguments(case)
    got = call(case, given, target=target)
    assert np.allclose(got, case.expected(*arguments(case)), rtol=case.tolerance, atol=case.tolerance)


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_proved_and_no_schedule_changes_a_bit(name):
    case = GROUPS[name]
    [report] = entry(case).check(*arguments(case), ranks=1)
    assert report.verdict == "proved" and report.method.startswith("exact"), str(report)
    want = call(case, arguments(case), threads=1).tobytes()
    for seed in range(1, 21):
        assert call(case, arguments(case), schedule=f"random:{seed}", threads=seed % 3 + 1).tobytes() == want


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MIXED)
def test_a_mixed_kernel_gives_the_same_bits_in_two_halves(name, target):
    case = MIXED[name]
    fused = call(case, arguments(case), target=target, split="fused")
    assert np.allclose(fused, case.expected(*arguments(case)), rtol=case.tolerance, atol=case.tolerance)
    for how in mixed_kernels.split_ways(case):
        assert call(how, arguments(case), target=target, split="split").tobytes() == fused.tobytes()


@pytest.mark.parametrize("name", MIXED)
def test_a_mixed_kernel_is_proved_in_two_halves_and_no_schedule_changes_a_bit(name):
    case = MIXED[name]
    want = call(case, arguments(case), split="fused").tobytes()
    for how in mixed_kernels.split_ways(case):
        [report] = entry(how).check(*arguments(case), ranks=1, split="split")
        assert report.verdict == "proved" and report.method.startswith("exact"), str(report)
        for seed in range(1, 21):
            assert call(how, arguments(case), schedule=f"random:{seed}", split="split").tobytes() == want


def test_mixed_kernels_are_split_over_lanes_where_they_say_so():
    for case in MIXED.values():
        none, down, right = (entry(how).compile(split="split").text("lowered") for how in mixed_kernels.split_ways(case))
        assert '"lanes": 2' in none, case.name
        assert ('"lanes": 3' in down) == case.by_rows, case.name
        assert ('"lanes": 3' in right) == case.by_columns, case.name


@pytest.mark.parametrize("blocks", range(1, 25))
def test_any_number_of_blocks(blocks):
    case = mixed_kernels.bias_and_residual()
    given = case.make(np.random.default_rng(blocks), blocks)
    fused = call(case, [*given], split="fused")
    assert np.allclose(fused, case.expected(*given), rtol=1e-4, atol=1e-4)
    assert call(case, [*given], split="split").tobytes() == fused.tobytes()


def test_without_blocks_nothing_runs():
    case = mixed_kernels.bias_and_residual()
    given = case.make(np.random.default_rng(0), 2)
    given[3] = 0
    out = np.full((32, 64), 7, np.float32)
    case.program(*given, out, split="split")
    assert (out == 7).all()


# What goes wrong.


def broken(replace, by):
    """The first program, with one line changed."""
    text = '''
import tilewire.language as pl


@pl.program
class Broken:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[160, 16], pl.FP32]):
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=1024, slot_num=4)
        for i in pl.range(0, 160, 16):
            t = pl.load(a, [i, 0], [16, 16])
            pl.tpush_to_aiv(pl.matmul(t, t), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[320, 16], pl.FP32]]):
        buffer = pl.reserve_buffer(name="c2v", size=4096)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=1024, slot_num=4)
        for i in pl.range(0, 160, 16):
            t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
            pl.store(t, [pl.tile.get_block_idx() * 160 + i, 0], y)
            pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[160, 16], pl.FP32], y: pl.Out[pl.Tensor[[320, 16], pl.FP32]]):
        self.cube(a)
        self.vector(y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[160, 16], pl.FP32], y: pl.Out[pl.Tensor[[320, 16], pl.FP32]]):
        with pl.spmd(2):
            self.both(a, y)
'''.lstrip()
    assert text.count(replace) == 1
    return pl.parse(text.replace(replace, by), "broken.py")


STUCK = [
    "error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them",
    "  --> broken.py:12:13",
    "   = note: in `both`, cube half of block 0 of 2: waits for a free slot of pipe 0, cube to vector",
    "   = note: in `both`, cube half of block 1 of 2: waits for a free slot of pipe 0, cube to vector",
    "   = note: in `both`, vector half of block 0 of 2: waits for a tile from pipe 0, cube to vector",
    "   = note: in `both`, vector half of block 1 of 2: waits for a tile from pipe 0, cube to vector",
]


@pytest.mark.parametrize("target", TARGETS)
def test_a_free_that_is_missing_is_a_deadlock(target):
    program = broken("            pl.tfree_to_aic(t)\n", "")
    x = np.zeros((160, 16), np.float32)
    with pytest.raises(tw.DeadlockError) as error:
        program.main(x, target=target)
    lines = str(error.value).splitlines()
    assert [*lines[:2], *(line for line in lines if "= note" in line)] == STUCK


def test_the_checker_names_a_free_that_is_missing():
    [report] = broken("            pl.tfree_to_aic(t)\n", "").main.check(ranks=1)
    assert report.verdict == "refuted"
    [finding] = [f for f in report.findings if f.error]
    assert finding.kind == "deadlock"
    text = str(report)
    assert "waits for a free slot of pipe 0, cube to vector: `emptied[0]` of pipe 0, cube to vector >= 1, it is 0" in text
    assert "rank 0 in `both`, cube half of block 1" in text


def test_the_report_draws_the_halves_as_lanes(tmp_path):
    [report] = broken("            pl.tfree_to_aic(t)\n", "").main.check(ranks=1)
    [finding] = [f for f in json.loads(report.json())[0]["findings"] if f["kind"] == "deadlock"]
    halves = [(half, block) for block in (0, 1) for half in ("cube half", "vector half")]
    lanes = [(lane["half"], lane["block"], lane["blocks"]) for lane in finding["timeline"]["lanes"] if lane["function"] == "both"]
    assert lanes == [(half, block, 2) for half, block in halves]
    assert {(place["half"], place["block"]) for place in finding["places"]} == set(halves)
    report.html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    # The picture is wide, so the text of a step is in lines.
    texts = [" ".join(re.findall(r">([^<]+)</tspan>", text)) for text in re.findall(r'<text class="what">(.*?)</text>', page)]
    for half, block in halves:
        assert f"both #0 {half} block {block}" in texts
    assert "wait emptied[0] &gt;= 1 (0)" in texts


@pytest.mark.parametrize("target", TARGETS)
def test_a_missing_free_is_replayed(target, tmp_path):
    program = broken("            pl.tfree_to_aic(t)\n", "")
    [report] = program.main.check(ranks=1)
    report.schedule(tmp_path / "s.json")
    with pytest.raises(tw.DeadlockError):
        program.main(np.zeros((160, 16), np.float32), target=target, replay=tmp_path / "s.json")


def test_a_push_that_nobody_pops_is_a_deadlock():
    program = broken("for i in pl.range(0, 160, 16):\n            t: pl", "for i in pl.range(0, 80, 16):\n            t: pl")
    with pytest.raises(tw.DeadlockError, match="waits for a free slot of pipe 0, cube to vector"):
        program.main(np.zeros((160, 16), np.float32))


def test_a_tile_that_is_handed_back_twice():
    with pytest.raises(tw.ProgramError, match="use after free: `t` is used after its slot was freed"):
        broken("            pl.tfree_to_aic(t)\n", "            pl.tfree_to_aic(t)\n            pl.tfree_to_aic(t)\n")


def test_a_slot_that_is_handed_back_too_early_is_a_race():
    """One that only a run shows: a loop that hands the slot back in each of its rounds."""
    twice = "            for j in pl.range(2):\n                pl.tfree_to_aic(t)\n"
    [report] = broken("            pl.tfree_to_aic(t)\n", twice).main.check(ranks=1)
    assert [f.kind for f in report.findings if f.error] == ["race"], str(report)


WORKSPACE = '''
import tilewire.language as pl

BYTES = pl.dynamic("BYTES")


@pl.program
class Given:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 16], pl.FP32], __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=1024, slot_num=2)
        t = pl.load(a, [0, 0], [16, 16])
        pl.tpush_to_aiv(pl.matmul(t, t), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[48, 16], pl.FP32]], __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        buffer = pl.reserve_buffer(name="c2v", size=2048)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=1024, slot_num=2)
        t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [pl.tile.get_block_idx() * 16, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[48, 16], pl.FP32]],
             __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        self.cube(a, __gm_pipe_buffer)
        self.vector(y, __gm_pipe_buffer)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 16], pl.FP32], work: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]],
             y: pl.Out[pl.Tensor[[48, 16], pl.FP32]]):
        with pl.spmd(3):
            self.both(a, y, work)
'''.lstrip()


@pytest.mark.parametrize("target", TARGETS)
def test_a_workspace_of_the_caller(target):
    program = pl.parse(WORKSPACE, "given.py")
    a = np.random.default_rng(1).standard_normal((16, 16), dtype=np.float32)
    for size in (3 * 2048, 3 * 2048 + 100, 10_000):
        got = program.main(a, np.zeros(size, np.uint8), target=target)
        assert np.allclose(got, np.concatenate([a @ a] * 3), atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
def test_a_workspace_that_is_too_small(target):
    program = pl.parse(WORKSPACE, "given.py")
    a = np.zeros((16, 16), np.float32)
    with pytest.raises(tw.RunError) as error:
        program.main(a, np.zeros(3 * 2048 - 1, np.uint8), target=target, threads=1)
    assert "TW2139]: pipe workspace too small: it has 6143 bytes, but a launch of 3 blocks needs 2048 for each" in str(error.value)
    assert "given.py:11:9" in str(error.value)


def test_a_half_that_makes_what_the_group_returns():
    text = WORKSPACE.replace(", __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]", "")
    text = text.replace(",\n             __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]", "")
    text = text.replace(", __gm_pipe_buffer)", ")").replace(", work: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]],", ",")
    out = "pl.Tensor[[48, 16], pl.FP32]"
    text = text.replace(f"def vector(self, y: pl.Out[{out}]):", f"def vector(self) -> {out}:\n        y = pl.create_tensor([48, 16], dtype=pl.FP32)")
    text = text.replace("        pl.tfree_to_aic(t)\n", "        pl.tfree_to_aic(t)\n        return y\n")
    text = re.sub(r"(def both\(self, a: [^)]*?), y: pl.Out\[[^\]]*\], pl.FP32\]\]\):", rf"\1) -> {out}:", text)
    text = text.replace("        self.vector(y)\n", "        y = self.vector()\n        return y\n")
    text = re.sub(r"(def main\(self, a: [^)]*?),\s+y: pl.Out\[[^\]]*\], pl.FP32\]\]\):", rf"\1) -> {out}:", text)
    text = text.replace("        with pl.spmd(3):\n            self.both(a, y, work)\n", "        return self.both(a)\n")
    program = pl.parse(text, "made.py")
    a = np.random.default_rng(1).standard_normal((16, 16), dtype=np.float32)
    for target in TARGETS:
        assert np.allclose(program.main(a, target=target)[:16], a @ a, atol=1e-4)


def test_two_launches_have_two_workspaces():
    case = pipe_programs.two_pipes()
    text = case.program.as_python()
    twice = text.replace("        self.both(a, b, y)\n", "        self.both(a, b, y)\n        self.both(a, b, y)\n")
    assert twice != text
    program = pl.parse(twice, "twice.py")
    assert program.compile(entry="main").text("lowered").count('pl.tensor.create(') == 2
    a, b = arguments(case)
    assert np.allclose(program.main(a, b), case.expected(a, b), atol=1e-4)
    assert program.main.check(ranks=1).verdict == "proved"


def test_values_of_split():
    case = mixed_kernels.vector_to_cube()
    with pytest.raises(ValueError, match='split must be "auto", "fused" or "split", got "both"'):
        case.program.compile(split="both")
    with pytest.raises(TypeError, match="split must be a str, got 3"):
        case.program(*arguments(case), split=3)
    with pytest.raises(ValueError, match='split must be "auto", "fused" or "split", got ""'):
        case.program.check(ranks=1, split="")


@pytest.mark.parametrize("target", TARGETS)
def test_prints_name_the_half(target, capfd):
    program = broken("            pl.tfree_to_aic(t)\n", "            pl.tfree_to_aic(t)\n            pl.print(i)\n")
    program.main(np.zeros((160, 16), np.float32), target=target, threads=1)
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 20
    assert "rank 0, block 1, vector half, line 22: INDEX 144" in lines


def tracks_and_arrows(path):
    """The tracks by name, and the arrows: their name, and the tracks they go from and to."""
    events = json.loads(path.read_text())["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    arrows = []
    for start in (e for e in events if e["ph"] == "s"):
        end = ends[start["id"]]
        assert start["name"] == end["name"] and start["ts"] <= end["ts"]
        arrows.append((start["name"], *(tracks[e["pid"], e["tid"]] for e in (start, end))))
    for event in events:  # nobody does two things at a time
        if event["ph"] == "X" and "half" in tracks[event["pid"], event["tid"]]:
            others = [e for e in events if e["ph"] == "X" and e is not event and e["tid"] == event["tid"]]
            assert all(e["ts"] + e["dur"] <= event["ts"] or event["ts"] + event["dur"] <= e["ts"] for e in others)
    return set(tracks.values()), arrows


def test_a_trace_has_a_track_for_each_half_and_arrows_from_push_to_pop(tmp_path):
    case = pipe_programs.cube_to_vector(pl.SplitMode.NONE, rounds=5, slots=2)
    call(case, arguments(case), trace=tmp_path / "t.json", threads=2)
    tracks, arrows = tracks_and_arrows(tmp_path / "t.json")
    assert {"cube half", "vector half"} <= tracks
    push = ("push to pipe 0, cube to vector", "cube half", "vector half")
    free = ("free of pipe 0, cube to vector", "vector half", "cube half")
    assert sorted(arrows) == sorted([push] * 5 + [free] * 3)


def test_halves_of_blocks_that_run_at_once_have_tracks_of_their_own(tmp_path):
    case = pipe_programs.softmax_between(pl.SplitMode.UP_DOWN)
    call(case, case.make(np.random.default_rng(1), 3), trace=tmp_path / "t.json", threads=1)
    tracks, arrows = tracks_and_arrows(tmp_path / "t.json")
    halves = {"cube half", "vector lane 0", "vector lane 1"}
    assert halves < tracks <= {"worker 0"} | {name + which for name in halves for which in ("", " 2", " 3")}
    places = [[re.fullmatch(r"(.*?)( [23])?", end) for end in ends] for _, *ends in arrows]
    assert all(start[2] == end[2] for start, end in places)  # the halves of a block have one number
    pushed = [start[1] for (name, *_), (start, _) in zip(arrows, places) if name == "push to pipe 0, cube to vector"]
    assert pushed == ["cube half"] * 6  # to both lanes of each block
    assert len(arrows) == 9  # what the lanes push is there when the last of them has pushed


LATE = '''
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def count(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):
    ctx = pld.get_comm_ctx(s)
    n = pld.nranks(ctx)
    pld.system.notify(s, (pld.rank(ctx) + 1) % n, [0, 0], 1)
    pld.system.notify(s, (pld.rank(ctx) + n - 1) % n, [0, 0], 1)
    if pld.system.wait(s, [0, 0], 1) > 1:
        pl.write(y, [0], 1.0)


@pl.jit.incore
def mixed(a: pl.Tensor[[16, 16], pl.FP32], t: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    pl.store(pl.matmul(pl.load(a), pl.load(a)) + 1.0, [0, 0], t)


@pl.jit.incore
def look(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):
    if pl.read(s, [1, 0]) == 0:
        pl.write(y, [1], 1.0)


@pl.jit
def chip(a: pl.Tensor[[16, 16], pl.FP32], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):
    count(s, y)
    t = pl.create_tensor([16, 16], dtype=pl.FP32)
    mixed(a, t)
    look(s, y)


@pl.jit.host
def main(a: pl.Tensor[[16, 16], pl.FP32], y: pl.InOut[pl.Tensor[[3, 4], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(3):
        chip(a, s, y[r], device=r)
'''


def test_a_slot_may_be_handed_back_after_its_launch_has_ended():
    """Where the order of notifies matters, the last ones of a pipe may land after the scope that frees its cells."""
    program = pl.parse(LATE, "late.py")
    [report] = program.main.check(ranks=3, split="split", limit=5)
    assert report.verdict == "bounded" and not [f for f in report.findings if f.error], str(report)


RESULTS = '''
import tilewire.language as pl


@pl.program
class Results:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 16], pl.FP32], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=1024)
        product = pl.matmul(pl.load(a), pl.load(a))
        pl.tpush_to_aiv(product, split=0)
        z = pl.store(product, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], w: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        buffer = pl.reserve_buffer(name="c2v", size=8192)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=1024)
        t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
        y = pl.store(t + 1.0, [0, 0], y)
        w = pl.store(t + 2.0, [0, 0], w)
        pl.tfree_to_aic(t)
        return VECTOR

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 16], pl.FP32], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
             y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], w: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        z = self.cube(a, z)
        VECTOR = self.vector(y, w)
        return GROUP

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 16], pl.FP32], z: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
             y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], w: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        LAUNCH
        return z, y, w
'''


def returning(vector, group, launch):
    text = RESULTS.replace("return VECTOR", f"return {vector}").replace("VECTOR =", f"{vector} =" if vector != "y, y" else "y, w =")
    return pl.parse(text.replace("GROUP", group).replace("LAUNCH", launch).lstrip(), "results.py")


@pytest.mark.filterwarnings("ignore:.*only rebinds the name")
@pytest.mark.parametrize("launch", ["{} = self.both(a, z, y, w)", "with pl.spmd(1):\n            {} = self.both(a, z, y, w)"])
@pytest.mark.parametrize("group", ["z, y, w", "w, z, y", "y, w, z"])
@pytest.mark.parametrize("vector", ["y, w", "w, y"])
def test_results_of_a_launch_are_the_arguments_that_they_are(vector, group, launch):
    """In any order in which a half and the Group return them."""
    program = returning(vector, group, launch.format(group))
    a = np.random.default_rng(1).integers(-3, 4, (16, 16)).astype(np.float32)
    for target in TARGETS:
        found = program.main(a, *(np.zeros_like(a) for _ in range(3)), target=target)
        for plus, got in enumerate(found):
            assert np.array_equal(got, a @ a + plus)


@pytest.mark.filterwarnings("ignore:.*only rebinds the name")
@pytest.mark.parametrize("vector, group, said", [
    ("y, y", "z, y, w", ["error[TW2004]: `vector` returns its parameter `y` twice", "  --> results.py:23:9"]),
    ("y, w", "z, y, y", ["error[TW2004]: `both` returns its parameter `y` twice", "  --> results.py:30:9"]),
])  # fmt: skip
def test_results_that_are_one_parameter(vector, group, said):
    program = returning(vector, group, "z, y, w = self.both(a, z, y, w)")
    with pytest.raises(tw.ProgramError) as error:
        program.compile(entry="main")
    lines = str(error.value).splitlines()
    assert lines[:2] == said and lines[-1] == "   = help: return it once, and use that result in both places"


def order_of_a_push(program):
    text = program.compile(entry="main", target="cpu").text("lowered")
    ops = {"wait": 'what="a free slot', "load": "pl.tile.load(a,", "matmul": "pl.tile.matmul(", "notify": 'what="push'}
    return sorted(ops, key=lambda name: text.index(ops[name]))


@pytest.mark.skipif("cpu" not in TARGETS, reason="there is no native code")
def test_a_push_waits_before_its_tile_is_made():
    """So that native code makes the tile in the slot. With one slot the other half would have nothing to do meanwhile."""
    text = broken("pl.tfree_to_aic(t)", "pl.tfree_to_aic(t)").as_python()
    assert order_of_a_push(pl.parse(text)) == ["wait", "load", "matmul", "notify"]
    assert order_of_a_push(pl.parse(text.replace("slot_num=4", "slot_num=1"))) == ["load", "matmul", "wait", "notify"]


def test_a_load_that_only_the_wait_of_a_push_would_order_is_a_race():
    """The vector half writes what the cube half loads four rounds later, and hands the slot back that is pushed to then."""
    text = broken("pl.spmd(2)", "pl.spmd(1)").as_python()
    inout = "a: pl.InOut[pl.Tensor[[160, 16], pl.FP32]]"
    text = text.replace("a: pl.Tensor[[160, 16], pl.FP32]", inout).replace("def vector(self, ", f"def vector(self, {inout}, ")
    text = text.replace("self.vector(y)", "self.vector(a, y)")
    free = "            pl.tfree_to_aic(t)"
    assert text.count(free) == 1
    program = pl.parse(text.replace(free, "            pl.tile.store(t, [(i + 64) % 160, 0], a)\n" + free))
    [report] = program.main.check(ranks=1)
    found = [f for f in report.findings if f.error]
    assert [f.kind for f in found] == ["race"] and {place.half for place in found[0].places} == {"cube half", "vector half"}


@pytest.mark.parametrize("mode, needed", [(pl.SplitMode.NONE, 2), (pl.SplitMode.UP_DOWN, 3)])
def test_halves_start_together_where_cores_are_counted(mode, needed):
    """One pair after the other on as many cores as it has halves; none can start on fewer."""
    case = mixed_kernels.bias_and_residual(mode)
    given = case.make(np.random.default_rng(1), 2)
    [report] = case.program.check(*given, ranks=1, split="split", cores=needed)
    assert report.verdict == "proved", str(report)
    [report] = case.program.check(*given, ranks=1, split="split", cores=needed - 1)
    assert [f.kind for f in report.findings if f.error] == ["deadlock"]
    assert f"waits for {needed} cores at once, there are {needed - 1}" in str(report)
