"""Bundles: programs built once that run without source, compiler or, from C++, Python; what is said of bad ones."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

TILEWIRE = pathlib.Path(sys.executable).parent / "tilewire"
ROOT = pathlib.Path(__file__).resolve().parents[2]
N = pl.dynamic("N")
NR = pl.dynamic("NR")


@pl.jit.incore
def scale_rows(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], by: pl.Scalar[pl.FP32]):
    for i in pl.range(N):
        y = pl.store(pl.load(x, [i, 0], [1, 8]) * by, [i, 0], y)
    return y


@pl.jit
def scaled(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], by: pl.Scalar[pl.FP32]):
    return scale_rows(x, y, by)


@pl.jit.incore
def rotate_row(x: pl.Tensor[[1, N], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, N], pl.FP32]],
               s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, N], pl.FP32]]):
    ctx = pld.get_comm_ctx(w)
    peer = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tensor.put(w, peer, x)
    pld.system.notify(s, peer, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    for i in pl.range(N // 8):
        y = pl.store(pl.load(w, [0, i * 8], [1, 8]), [0, i * 8], y)


@pl.jit.host
def rotate(x: pl.Tensor[[NR, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, N], pl.FP32]]):
    w = pld.alloc_window([1, N], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(NR):
        rotate_row(x[r : r + 1, :], w, s, y[r : r + 1, :], device=r)


@pl.jit.incore
def double_staged(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) * 2.0, [0, 0], w)


@pl.jit.host
def staged(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    w = pld.window(buf, [1, 64], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        double_staged(w, device=r)


@pytest.fixture(scope="module")
def rows():
    return np.arange(24, dtype=np.float32).reshape(3, 8)


@pytest.fixture
def bundle(tmp_path):
    scaled.compile().save(tmp_path / "scaled")
    return tmp_path / "scaled"


@pytest.fixture
def rotated(tmp_path):
    rotate.compile().save(tmp_path / "rotate")
    return tmp_path / "rotate"


def test_a_bundle_is_called_like_the_program(bundle, rows):
    exe = tilewire.load_bundle(bundle)
    assert (exe.entry, exe.target, exe.program) == ("scaled", "cpu", None)
    np.testing.assert_array_equal(exe(rows, by=2.0), rows * 2)
    y = np.zeros_like(rows)
    assert exe(rows, y, 3.0) is y
    np.testing.assert_array_equal(y, rows * 3)
    np.testing.assert_array_equal(exe(rows.T.copy().T, by=2.0), rows * 2)  # other strides
    assert "def scaled(" in exe.text()
    with pytest.raises(tilewire.RunError, match="shape mismatch: dimension `N` is 3 in `x` and 2 in `y`"):
        exe(rows, np.zeros((2, 8), np.float32), 1.0)


def test_files(bundle, rotated):
    def names(folder):
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())

    kernels = ["kernels/scaled.so", "kernels/scaled.strided.so"]
    assert names(bundle) == ["bundle.json", *kernels, "program.twir"]
    assert "orchestration/comm_manifest.json" in names(rotated)
    description = json.loads((bundle / "bundle.json").read_text())
    assert description["files"].keys() == {*kernels, "program.twir"}
    assert description["entries"][0]["parameters"][0]["shape"] == ["N", 8]
    assert oct(bundle.stat().st_mode & 0o777) == oct((bundle / "kernels").stat().st_mode & 0o777)


def test_several_ranks(rotated):
    exe = tilewire.load_bundle(rotated)
    for ranks, width in [(1, 8), (4, 64), (7, 1024), (4, 64)]:
        x = np.random.default_rng(ranks).standard_normal((ranks, width), dtype=np.float32)
        np.testing.assert_array_equal(exe(x), np.roll(x, 1, axis=0))
    manifest = tilewire.Manifest.read(rotated / "orchestration" / "comm_manifest.json")
    (group,) = manifest.groups
    assert group.devices == [] and group.window_bytes is None
    assert [slot.nbytes for slot in group.slots][0] == "N * 4"
    placed = manifest.resolve(4, N=100)
    assert placed.groups[0].slots[0].nbytes == 400 and placed.groups[0].slots[1].offset == 448


def test_rows_are_staged(tmp_path):
    staged.compile().save(tmp_path / "staged")
    x = np.random.default_rng(1).standard_normal((4, 1, 64), dtype=np.float32)
    exe = tilewire.load_bundle(tmp_path / "staged")
    np.testing.assert_array_equal(exe(x, ranks=4), x * 2)
    for call in (exe, staged.compile()):
        with pytest.raises(tilewire.RunError, match="`x` has 4 rows.* 3 ranks") as error:
            call(x, ranks=3)
        assert "one row per rank" in str(error.value)


def test_built_for_one_number_of_ranks(tmp_path):
    rotate.compile().save(tmp_path / "four", ranks=4)
    exe = tilewire.load_bundle(tmp_path / "four")
    x = np.ones((4, 8), np.float32)
    np.testing.assert_array_equal(exe(x), x)
    with pytest.raises(tilewire.RunError, match="the bundle was built for 4 ranks, but the call asks for 2"):
        exe(x, ranks=2)


def test_the_command_builds_and_runs(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(1024, dtype=np.float32).reshape(4, 256))

    def run(*args):
        done = subprocess.run([TILEWIRE, *args], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    source = ROOT / "examples" / "mesh_allreduce.py"
    assert run("build", source, "-o", "sum/") == (0, "sum/\n", "")
    assert run("build", source, "-o", "sum/") == (0, "sum/\n", "")
    assert run("run", "sum", "--in", "x=x.npy", "--ranks", "4", "--out", "results")[0] == 0
    want = np.load(tmp_path / "x.npy").sum(axis=0)
    np.testing.assert_array_equal(np.load(tmp_path / "results" / "y.npy"), np.broadcast_to(want, (4, 256)))
    code, _, err = run("run", "sum", "--in", "x=x.npy", "--target", "interp")
    assert (code, err) == (64, "error[TW2450]: --target is an option of the compiler, but a bundle is already compiled\n")
    assert run("build", source, "-o", "results")[2].startswith("error[TW2442]: `")
    (tmp_path / "sum" / "kernels" / "sum_rows.so").write_bytes(b"")
    code, out, err = run("run", "sum", "--in", "x=x.npy", "--ranks", "4")
    assert (code, out) == (3, "") and err.startswith("error[TW2435]: `sum/kernels/sum_rows.so` has 0 bytes, but")


def changed(bundle, edit):
    """Rewrites bundle.json, and the digests in it, its own included."""
    path = bundle / "bundle.json"
    description = json.loads(path.read_text())
    for name, entry in list(description["files"].items()):
        if (bundle / name).exists():
            data = (bundle / name).read_bytes()
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    edit(description)
    description["digest"] = "0" * 64
    text = json.dumps(description)
    path.write_text(text.replace("0" * 64, hashlib.sha256(text.encode()).hexdigest(), 1))


def leaves(value, path=()):
    """The path of every number, string and constant in a JSON value."""
    if not isinstance(value, (dict, list)):
        yield path
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(inner, (*path, key))


def other_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value // 2 if value > 1 else value + 1
    others = {"in": "inout", "out": "in", "inout": "in", "tensor": "scalar", "scalar": "tensor", "FP32": "BF16", "N": "M", "NR": "N"}
    return others.get(value, value + "x") if isinstance(value, str) else 3


def test_no_edit_of_what_a_call_is_checked_against_is_accepted(rotated):
    original = json.loads((rotated / "bundle.json").read_text())
    tilewire.load_bundle(rotated)
    paths = list(leaves(original["entries"]))
    assert len(paths) > 20
    for path in paths:
        def edit(description, path=path):
            description.clear()
            description.update(json.loads(json.dumps(original)))
            at = description["entries"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = other_value(at[path[-1]])
        changed(rotated, edit)
        with pytest.raises(tilewire.BundleError):
            tilewire.load_bundle(rotated)


def test_bundle_json_is_under_a_digest(rotated):
    path = rotated / "bundle.json"
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(tilewire.BundleError):
            tilewire.load_bundle(rotated)
    path.write_bytes(good)
    tilewire.load_bundle(rotated)


def test_an_edited_manifest_is_refused(rotated):
    path = rotated / "orchestration" / "comm_manifest.json"
    path.write_text(path.read_text().replace('"N * 4"', '"N * 2"'))
    changed(rotated, lambda d: None)
    with pytest.raises(tilewire.BundleError, match="it was built for other parameters or windows"):
        tilewire.load_bundle(rotated)


def test_no_manifest_for_a_group(rotated):
    (rotated / "orchestration" / "comm_manifest.json").unlink()
    with pytest.raises(tilewire.BundleError, match="cannot read `.*/comm_manifest.json`: No such file"):
        tilewire.load_bundle(rotated)
    changed(rotated, lambda d: d["files"].pop("orchestration/comm_manifest.json"))
    with pytest.raises(tilewire.BundleError, match="`rotate` allocates window buffer `w.*`, but the bundle has no"):
        tilewire.load_bundle(rotated)


@pytest.mark.parametrize("edit, message", [
    (lambda m: m.update(version=4), "manifest of version 4"),
    (lambda m: m.pop("comm_groups"), "lacks the key `comm_groups`"),
    (lambda m: m["comm_groups"][0]["slots"][0].update(nbytes=[]), r"`comm_groups\[0\].slots\[0\].nbytes` must be an integer"),
    (lambda m: m["comm_groups"][0]["slots"][0].update(nbytes=-8), "must be at least 1, got -8"),
    (lambda m: m["comm_groups"][0]["slots"][0].update(nbytes=2**62), "must be at most 70368744177664"),
    (lambda m: m["comm_groups"][0]["slots"][1].update(name=m["comm_groups"][0]["slots"][0]["name"]), "are both named"),
    (lambda m: m["comm_groups"][0]["slots"][1].update(offset=0), "overlap"),
    (lambda m: m["comm_groups"][0]["slots"].pop(), "allocates window buffer `s.*`, but `.*` does not have it"),
])
def test_bad_manifests(rotated, edit, message):
    path = rotated / "orchestration" / "comm_manifest.json"
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))
    changed(rotated, lambda d: None)
    with pytest.raises(tilewire.BundleError, match=message) as caught:
        tilewire.load_bundle(rotated)
    assert len(caught.value.diagnostics) == 1


def test_the_process_is_fine_after_bad_bundles(bundle, rows, tmp_path):
    good = tilewire.load_bundle(bundle)
    before = len(os.listdir("/proc/self/fd"))
    path = bundle / "kernels" / "scaled.so"
    code = path.read_bytes()
    for bad in (b"", code[:100], code[:-1] + b"!", bytes(len(code))):
        path.write_bytes(bad)
        with pytest.raises(tilewire.BundleError):
            tilewire.load_bundle(bundle)
        changed(bundle, lambda d: None)  # with the digest of what is there now
        if bad != code[:-1] + b"!":
            with pytest.raises(tilewire.BundleError):
                tilewire.load_bundle(bundle)
    with pytest.raises(tilewire.BundleError):
        tilewire.load_bundle(tmp_path / "missing")
    assert len(os.listdir("/proc/self/fd")) == before
    np.testing.assert_array_equal(good(rows, by=2.0), rows * 2)


def test_a_manifest_as_an_object():
    text = json.dumps({"version": 2, "comm_groups": [{"devices": [0, 1], "slots": [
        {"name": "a", "nbytes": 100}, {"name": "b", "dtype": "bfloat16", "size": 3, "bits_per_element": 16}]}]})
    manifest = tilewire.Manifest.from_json(text, "m.json")
    assert [(s.name, s.nbytes, s.offset) for s in manifest.groups[0].slots] == [("a", 100, None), ("b", 6, None)]
    placed = manifest.resolve(2)
    assert [(s.offset, s.load_from_host, s.store_to_host) for s in placed.groups[0].slots] == [(0, False, False), (128, False, False)]
    assert placed.groups[0].window_bytes == 192
    assert json.loads(placed.to_json())["version"] == 3
    assert tilewire.Manifest.from_json(placed.to_json()) == placed
    with pytest.raises(tilewire.BundleError, match=r"error\[TW2406\]: `m.json` is a manifest of version 1"):
        tilewire.Manifest.from_json('{"version": 1}', "m.json")
    with pytest.raises(tilewire.RunError, match=r"error\[TW2416\]"):
        manifest.resolve(1)
