"""Processes on several hosts: network namespaces of this machine, with a name each, joined by a bridge. Between them
there is no shared memory, as far as Tilewire knows, and nothing but TCP. Messages take sockets where TILEWIRE_WORLD says
where process 0 is, and the MPI of the launcher where it does not.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from test_world import PROGRAM

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
PROGRAMS = pathlib.Path(__file__).parent / "host_collectives.py"
COMMAND = pathlib.Path(sys.executable).parent / "tilewire"
PORT = 29471


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Hosts:
    """Namespaces for so many hosts; host i has the address 10.77.0.(i + 1)."""

    def __init__(self, count):
        self.names = [f"tw{os.getpid()}h{i}" for i in range(count)]
        self.bridge = f"tw{os.getpid()}sw"
        self.made = []

    def __enter__(self):
        try:
            self._add(self.bridge)
            ip("-n", self.bridge, "link", "add", "br0", "type", "bridge")
            ip("-n", self.bridge, "link", "set", "br0", "up")
            for i, name in enumerate(self.names):
                self._add(name)
                ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", f"p{i}", "netns", self.bridge)
                ip("-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
                ip("-n", name, "link", "set", "eth0", "up")
                ip("-n", self.bridge, "link", "set", f"p{i}", "master", "br0")
                ip("-n", self.bridge, "link", "set", f"p{i}", "up")
            subprocess.run(self.words(0) + ["true"], check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            pytest.skip(f"network namespaces are not allowed here: {getattr(error, 'stderr', error)}")
        return self

    def _add(self, name):
        ip("netns", "add", name)
        self.made.append(name)
        ip("-n", name, "link", "set", "lo", "up")

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def words(self, host):
        """What to write before a command that is to run on a host."""
        name = self.names[host]
        return ["ip", "netns", "exec", name, "unshare", "-u", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]

    def start(self, command, each, variables=None):
        """`each` processes on each host, in order."""
        count = len(self.names) * each
        started = []
        for number in range(count):
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_"))}
            environment.update(OMPI_COMM_WORLD_SIZE=str(count), OMPI_COMM_WORLD_RANK=str(number),
                               OMPI_COMM_WORLD_LOCAL_SIZE=str(each), TILEWIRE_WORLD=f"10.77.0.1:{PORT}",
                               **(variables or {}))
            started.append(subprocess.Popen(self.words(number // each) + command, env=environment, text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        return started

    def start_by_host(self, command, each):
        """The same, by a shell on each host, as launchers start processes."""
        count = len(self.names) * each
        started = []
        for host in range(len(self.names)):
            numbers = " ".join(str(number) for number in range(host * each, host * each + each))
            script = f'for number in {numbers}; do OMPI_COMM_WORLD_RANK=$number "$@" & done; wait'
            environment = dict(os.environ, OMPI_COMM_WORLD_SIZE=str(count), OMPI_COMM_WORLD_LOCAL_SIZE=str(each),
                               TILEWIRE_WORLD=f"10.77.0.1:{PORT}")
            started.append(subprocess.Popen(self.words(host) + ["sh", "-c", script, "sh"] + command, env=environment,
                                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        return started

    def mpirun(self, kind, each, command, folder, variables=None, limit=120):
        """What the processes print that an MPI's mpirun has started, `each` on each host; ends them after `limit` s."""
        agent = folder / "agent"
        agent.write_text(AGENT.replace("NAMES", " ".join(self.names)))
        agent.chmod(0o755)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_", "TILEWIRE_WORLD"))}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **(variables or {}))
        count = len(self.names)
        hosts = ",".join(f"10.77.0.{i + 1}:{each}" for i in range(count))
        words = {
            "openmpi": ["mpirun.openmpi", "--mca", "plm_rsh_agent", str(agent), "--mca", "oob_tcp_if_include", "eth0",
                        "--mca", "mpi_yield_when_idle", "1", "--oversubscribe", "--bind-to", "none", "--host", hosts]
            + [word for name in variables or {} for word in ("-x", name)],
            "mpich": ["mpirun.mpich", "-launcher", "rsh", "-launcher-exec", str(agent), "-iface", "eth0", "-hosts", hosts],
        }[kind]
        with subprocess.Popen(self.words(0) + words + ["-n", str(count * each)] + command, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as started:
            try:
                out, err = started.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(words, started.returncode, out, err)


def outputs(started, limit=120):
    try:
        return [process.communicate(timeout=limit)[0] for process in started]
    finally:
        for process in started:
            process.kill()


@pytest.fixture
def hosts(request):
    if not shutil.which("ip") or not shutil.which("unshare"):
        pytest.skip("needs the commands ip and unshare")
    with Hosts(getattr(request, "param", 2)) as made:
        yield made


@pytest.mark.parametrize("hosts, each", [(2, 1), (2, 2), (4, 1)], indirect=["hosts"])
def test_hosts_have_the_bits_of_one_process(hosts, each):
    command = [str(COMMAND), "run", str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4", "--shape", "x=4x256:FP32"]
    alone = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert alone.returncode == 0, alone.stderr
    together = outputs(hosts.start(command, each))
    assert together[0] == alone.stdout
    script = [sys.executable, str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4"]
    for text in outputs(hosts.start(script, each)):
        assert text == "mesh allreduce: 4 ranks have the same sum of 4 rows, to the last bit\n"


@pytest.mark.parametrize("hosts, each", [(2, 2), (2, 3), (3, 1)], indirect=["hosts"])
def test_collectives_have_the_bits_of_one_process(hosts, each):
    command = [sys.executable, str(PROGRAMS), str(len(hosts.names) * each)]
    alone = subprocess.run(command, text=True, capture_output=True, timeout=300)
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout.count(" -> ") == 25
    started = hosts.start(command, each)
    together = outputs(started, limit=600)
    assert together[0] == alone.stdout
    assert together[1:] == [""] * (len(started) - 1)


# What mpirun takes for ssh: enters the namespace of an address.
AGENT = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
names=(NAMES)
name=${names[$((${1##*.} - 1))]}
shift
exec ip netns exec $name unshare -u sh -c "hostname $name; exec \\"\\$@\\"" sh bash -c "$*"
"""


MPIS = [pytest.param(kind, marks=pytest.mark.skipif(not shutil.which(f"mpirun.{kind}"), reason=f"needs mpirun.{kind}"))
        for kind in ("openmpi", "mpich")]


def mpi_library(kind):
    """Skips where this build has no library for that MPI."""
    out = subprocess.run([str(COMMAND), "doctor"], capture_output=True, text=True).stdout
    name = {"openmpi": "Open MPI", "mpich": "MPICH"}[kind]
    if f"{name} between hosts: missing" in out:
        pytest.skip(f"this build has no library for {name}")


SUM = "mesh allreduce: 4 ranks have the same sum of 4 rows, to the last bit"


# Lines of several processes may be mixed with each other's line breaks.
@pytest.mark.parametrize("kind", MPIS)
@pytest.mark.parametrize("address", [f"10.77.0.1:{PORT}", None], ids=["sockets", "mpi"])
@pytest.mark.parametrize("hosts, each", [(2, 2), (4, 1)], indirect=["hosts"])
def test_mpirun_over_hosts(hosts, each, kind, address, tmp_path):
    if not address:
        mpi_library(kind)
    variables = {"TILEWIRE_WORLD": address} if address else None
    script = [sys.executable, str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4"]
    ended = hosts.mpirun(kind, each, script, tmp_path, variables)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.replace("\n", "") == SUM * 4


# Random rows, all bits of the result.
BITS = """
@pl.jit.incore
def add_up(x: pl.Tensor[[1, 40000], pl.FP32], y: pl.Out[pl.Tensor[[1, 40000], pl.FP32]],
           data: pl.InOut[pld.DistributedTensor[[1, 40000], pl.FP32]],
           signal: pl.InOut[pld.DistributedTensor[[2 * NR, 1], pl.INT32]]):
    data = pl.store(pl.load(x), [0, 0], data)
    data = pld.tensor.allreduce(data, signal)
    y = pl.store(pl.load(data), [0, 0], y)

@pl.jit.host
def sum_all(x: pl.Tensor[[NR, 40000], pl.FP32], y: pl.Out[pl.Tensor[[NR, 40000], pl.FP32]]):
    data = pld.alloc_window([1, 40000], dtype=pl.FP32)
    signal = pld.alloc_signal(2 * pld.world_size())
    for r in pl.range(pld.world_size()):
        add_up(x[r : r + 1, :], y[r : r + 1, :], data, signal, device=r)

import hashlib
rows = np.random.default_rng(5).standard_normal((6, 40000)).astype(np.float32)
total = np.zeros_like(rows)
sum_all(rows, total, ranks=6)
sys.stdout.write(hashlib.sha256(total.tobytes()).hexdigest() + "\\n")
"""


@pytest.mark.parametrize("kind", MPIS)
@pytest.mark.parametrize("hosts, each", [(2, 1), (3, 2)], indirect=["hosts"])
def test_messages_over_mpi_have_the_bits_of_one_process(hosts, each, kind, tmp_path):
    mpi_library(kind)
    command = program(tmp_path, BITS)
    alone = subprocess.run(command, text=True, capture_output=True, timeout=120)
    assert alone.returncode == 0, alone.stderr
    ended = hosts.mpirun(kind, each, command, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.replace("\n", "") == alone.stdout.strip() * len(hosts.names) * each


# Rank 0 writes to rank 2 and tells rank 1, which tells rank 2: what rank 2 reads then is there.
LITMUS = """
@pl.jit.incore
def relay(box: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
          signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
          y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], rounds: pl.Scalar[pl.INT32]):
    me = pld.rank(pld.get_comm_ctx(box))
    wrong = pl.full([1, 8], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        if me == 0:
            box = pld.tile.remote_store(pl.full([1, 8], dtype=pl.FP32, value=1.0) * pl.cast(i + 1, pl.FP32), box, 2, [0, 0])
            pld.system.notify(signal, 1, [0, 0], 1)
            pld.system.wait(signal, [1, 0], i + 1)
        if me == 1:
            pld.system.wait(signal, [0, 0], i + 1)
            pld.system.notify(signal, 2, [0, 0], 1)
        if me == 2:
            pld.system.wait(signal, [0, 0], i + 1)
            wrong = wrong + pl.abs(pl.load(box) - pl.cast(i + 1, pl.FP32))
            pld.system.notify(signal, 0, [1, 0], 1)
    y = pl.store(wrong, [0, 0], y)

@pl.jit.host
def through_a_third(y: pl.Out[pl.Tensor[[3, 8], pl.FP32]], rounds: pl.Scalar[pl.INT32]):
    box = pld.alloc_window([1, 8], dtype=pl.FP32)
    signal = pld.alloc_signal(2)
    for r in pl.range(3):
        relay(box, signal, y[r : r + 1, :], rounds, device=r)

y = np.full((3, 8), -1, np.float32)
through_a_third(y, 500, ranks=3)
assert np.all(y == 0), y
"""


@pytest.mark.parametrize("kind", MPIS)
@pytest.mark.parametrize("hosts", [3], indirect=True)
def test_a_release_through_a_third_rank(hosts, kind, tmp_path):
    mpi_library(kind)
    ended = hosts.mpirun(kind, 1, program(tmp_path, LITMUS), tmp_path)
    assert ended.returncode == 0, ended.stderr


def mpi4py_variables(kind, folder):
    """With these mpi4py takes that MPI; it knows MPICH by a name that Debian does not use."""
    if kind == "openmpi":
        return {"MPI4PY_LIBMPI": "libmpi.so.40"}
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    (path,) = {line.split()[-1] for line in listed.splitlines() if "libmpich.so.12 " in line}
    (folder / "libmpi.so.12").symlink_to(path)
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": str(folder)}


# Also where the program itself uses MPI, before or after Tilewire, and finalises it.
@pytest.mark.parametrize("kind", MPIS)
@pytest.mark.parametrize("first", ["mpi4py", "tilewire"])
def test_programs_that_use_mpi_themselves(hosts, kind, first, tmp_path):
    mpi_library(kind)
    pytest.importorskip("mpi4py")
    text = """
def call():
    shift(x, y, 1, ranks=4)
    assert np.array_equal(y, want)

if sys.argv[1] == "tilewire":
    call()
from mpi4py import MPI
for _ in range(20):
    call()
    assert MPI.COMM_WORLD.allreduce(process) == 1
sys.stdout.write("fine")
"""
    ended = hosts.mpirun(kind, 1, program(tmp_path, text) + [first], tmp_path, mpi4py_variables(kind, tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "fine" * 2


@pytest.mark.parametrize("kind", MPIS[:1])
def test_a_process_that_comes_late_is_waited_for(hosts, kind, tmp_path):
    mpi_library(kind)
    text = """
if process == 1:
    time.sleep(11)
shift(x, y, 1, ranks=4)
assert np.array_equal(y, want)
"""
    ended = hosts.mpirun(kind, 1, program(tmp_path, text), tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == "tilewire: process 0 of 2 waits for others to make their first call\n"


# One that ends long before the other waits for it without an error. Nobody is busy meanwhile.
@pytest.mark.parametrize("kind", MPIS)
def test_processes_may_end_at_different_times(hosts, kind, tmp_path):
    mpi_library(kind)
    text = """
shift(x, y, 1, ranks=4)
if process == 1:
    before = time.process_time()
    time.sleep(7)
    used = time.process_time() - before
    sys.stdout.write("late" if used < 0.7 else f"{used} s of the processor")
"""
    ended = hosts.mpirun(kind, 1, program(tmp_path, text), tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "late"), ended.stderr


@pytest.mark.parametrize("kind", MPIS)
def test_the_exit_code_is_that_of_the_program(hosts, kind, tmp_path):
    mpi_library(kind)
    ended = hosts.mpirun(kind, 1, program(tmp_path, "shift(x, y, 1, ranks=4)\nsys.exit(7 * process)\n"), tmp_path)
    assert ended.returncode == 7, ended.stderr


# The launcher ends the others soon after; before that they know who it was.
@pytest.mark.parametrize("kind", MPIS)
def test_a_killed_process_is_named_over_mpi(hosts, kind, tmp_path):
    mpi_library(kind)
    text = f"""
import os
out = open({str(tmp_path)!r} + f"/said{{process}}", "w")
shift(x, y, 1, ranks=4)
signal_file = {str(tmp_path)!r} + "/killed"
if process == 2:
    open(signal_file, "w").close()
    os.kill(os.getpid(), 9)
try:
    while True:
        shift(x, y, 1, ranks=4)
except tw.WorldError as error:
    print(str(error).splitlines()[0], time.time() - os.path.getmtime(signal_file), file=out, flush=True)
    raise
"""
    ended = hosts.mpirun(kind, 2, program(tmp_path, text), tmp_path)
    assert ended.returncode != 0
    said = [(tmp_path / f"said{number}").read_text() for number in (0, 1, 3)]
    # MPICH's launcher is fast: it may end one before it has written that down.
    for text in said if kind == "openmpi" else filter(None, said):
        line, after = text.rsplit(" ", 1)
        assert line == "error[TW2148]: the world has lost process 2: it has ended"
        assert float(after) < 1


def test_one_host_needs_no_mpi(tmp_path):
    text = """
shift(x, y, 1, ranks=4)
maps = open("/proc/self/maps").read()
assert "libmpi" not in maps and "libtilewire-openmpi" not in maps
sys.stdout.write("fine")
"""
    if not shutil.which("mpirun.openmpi"):
        pytest.skip("needs mpirun.openmpi")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    environment.pop("TILEWIRE_WORLD", None)
    ended = subprocess.run(["mpirun.openmpi", "--oversubscribe", "-n", "2"] + program(tmp_path, text), env=environment,
                           text=True, capture_output=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "fine" * 2), ended.stderr


def program(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + text)
    return [sys.executable, str(path)]


def test_results_go_where_they_are_asked_for(hosts, tmp_path):
    text = """
own = slice(2 * process, 2 * process + 2)
for gather in ("all", "none", 1):
    y[:] = -1
    shift(x, y, 1, ranks=4, gather=gather)
    assert np.array_equal(y[own], want[own])
    assert np.array_equal(y, want) == (gather == "all" or gather == process), y
print(tw.world.rank, "of", tw.world.size)
"""
    assert outputs(hosts.start(program(tmp_path, text), 1)) == ["0 of 2\n", "1 of 2\n"]


def test_large_results_arrive(hosts, tmp_path):
    text = """
@pl.jit.incore
def add_one(a: pl.Tensor[[1, 4096], pl.FP32], b: pl.Out[pl.Tensor[[1, 4096], pl.FP32]]):
    b = pl.store(pl.add(pl.load(a), 1.0), [0, 0], b)

@pl.jit.host
def add_all(a: pl.Tensor[[NR, 4096], pl.FP32], b: pl.Out[pl.Tensor[[NR, 4096], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        add_one(a[r : r + 1, :], b[r : r + 1, :], device=r)

ranks = 256
a = np.arange(ranks * 4096, dtype=np.float32).reshape(ranks, 4096)
b = np.zeros_like(a)
add_all(a, b, ranks=ranks)
assert np.array_equal(b, a + 1)
"""
    assert outputs(hosts.start(program(tmp_path, text), 1)) == ["", ""]


def test_errors_and_deadlocks_are_the_same_on_all_hosts(hosts, tmp_path):
    text = """
try:
    shift(x, y, 2, ranks=4)
except tw.DeadlockError as error:
    print(str(error).splitlines()[0])
shift(x, y, 1, ranks=4)
assert np.array_equal(y, want)
"""
    line = "error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n"
    assert outputs(hosts.start(program(tmp_path, text), 2)) == [line] * 4


def test_a_killed_process_is_named_on_all_hosts(hosts, tmp_path):
    text = """
shift(x, y, 1, ranks=4)
print("ready", flush=True)
if process == 2:
    time.sleep(60)
try:
    shift(x, y, 1, ranks=4)
except tw.WorldError as error:
    print(str(error).splitlines()[0], time.time(), flush=True)
"""
    started = hosts.start(program(tmp_path, text), 2)
    for process in started:
        assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    killed = time.time()
    started[2].send_signal(signal.SIGKILL)
    texts = outputs(started)
    for number in (0, 1, 3):
        line, at = texts[number].rsplit(" ", 1)
        assert line == "error[TW2148]: the world has lost process 2: it has ended"
        assert float(at) - killed < 2


# Those of its host see it, and tell the others.
@pytest.mark.parametrize("victim", [0, 1, 3])
def test_a_process_that_ends_before_its_first_call_is_named_on_all_hosts(hosts, victim, tmp_path):
    text = f"""
import glob
if process == {victim}:
    while len(glob.glob({str(tmp_path / "ready*")!r})) < 3:
        time.sleep(0.02)
    time.sleep(0.5)
    sys.exit()
open(f"{tmp_path}/ready{{process}}", "w").close()
try:
    shift(x, y, 1, ranks=4)
except tw.WorldError as error:
    sys.stdout.write(str(error).splitlines()[0] + "\\n")
"""
    line = f"error[TW2148]: the world has lost process {victim}: it has ended before all had joined\n"
    texts = outputs(hosts.start_by_host(program(tmp_path, text), 2), 30)
    assert texts == ([2 * line, line] if victim == 3 else [line, 2 * line])


# MPI cannot be left while it waits for others. Open MPI's launcher ends the job first.
@pytest.mark.parametrize("kind", MPIS)
def test_a_process_that_ends_before_its_first_call_ends_those_that_wait_in_mpi(hosts, kind, tmp_path):
    mpi_library(kind)
    text = """
if process == 3:
    time.sleep(4)
    sys.exit()
shift(x, y, 1, ranks=4)
"""
    ended = hosts.mpirun(kind, 2, program(tmp_path, text), tmp_path, limit=60)
    assert ended.returncode != 0
    line = "error[TW2148]: the world has lost process 3: it has ended before all had joined\n"
    assert line in ended.stderr or kind == "openmpi" and "exiting improperly" in ended.stderr


# Where the other host went, nobody can say; it is silent.
# A process that has lost its network may hang when it ends.
@pytest.mark.skipif("TILEWIRE_VANISHING" not in os.environ, reason="part of scripts/test --slow")
def test_a_host_that_vanishes_is_named(hosts, tmp_path):
    text = """
shift(x, y, 1, ranks=4)
print("ready", flush=True)
try:
    while True:
        shift(x, y, 1, ranks=4)
except tw.WorldError as error:
    print(str(error).splitlines()[0], flush=True)
"""
    started = hosts.start(program(tmp_path, text), 1)
    for process in started:
        assert process.stdout.readline() == "ready\n"
    ip("-n", hosts.bridge, "link", "set", "p1", "down")
    for number, text in enumerate(outputs(started)):
        assert text == f"error[TW2148]: the world has lost process {1 - number}: no sign of life for 2.0 s\n"


def test_processes_that_do_not_know_where_process_0_is(tmp_path):
    environment = dict(os.environ, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_LOCAL_SIZE="1")
    environment.pop("TILEWIRE_WORLD", None)
    ended = subprocess.run(program(tmp_path, "shift(x, y, 1, ranks=4)\n"), env=environment, text=True,
                           capture_output=True, timeout=60)
    assert ended.returncode == 1
    assert "error[TW2242]: the launcher has started 2 processes on several hosts and does not say where" in ended.stderr
    assert "TILEWIRE_WORLD=HOST:PORT" in ended.stderr


# What the launcher's MPI would be needed for, if it could be loaded.
def test_an_mpi_that_cannot_be_loaded(tmp_path):
    (tmp_path / "libmpi.so.40").write_text("")
    environment = dict(os.environ, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_LOCAL_SIZE="1",
                       PMIX_RANK="1", LD_LIBRARY_PATH=str(tmp_path))
    environment.pop("TILEWIRE_WORLD", None)
    ended = subprocess.run(program(tmp_path, "shift(x, y, 1, ranks=4)\n"), env=environment, text=True,
                           capture_output=True, timeout=60)
    assert ended.returncode == 1
    assert "error[TW2242]: the launcher has started 2 processes on several hosts and does not say where" in ended.stderr
    assert f"= note: Open MPI would say so, and cannot be used: {tmp_path}/libmpi.so.40: file too short" in ended.stderr


def test_a_build_without_mpi(tmp_path):
    package = pathlib.Path(sys.executable).parents[1] / "lib"
    (library,) = package.glob("python*/site-packages/tilewire/libtilewire-cpu.so")
    for file in (COMMAND, library):
        shutil.copy(file, tmp_path)
    command = [str(tmp_path / "tilewire")]
    said = subprocess.run(command + ["doctor"], capture_output=True, text=True, timeout=60).stdout
    why = "this build has no libtilewire-mpich.so, for which it needs MPICH's mpi.h"
    assert f"MPICH between hosts: missing; {why}; messages take TCP, with TILEWIRE_WORLD\n" in said
    environment = dict(os.environ, PMI_SIZE="2", PMI_RANK="1", MPI_LOCALNRANKS="1", PMI_FD="0")
    environment.pop("TILEWIRE_WORLD", None)
    run = ["run", str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4", "--shape", "x=4x256:FP32"]
    ended = subprocess.run(command + run, env=environment, text=True, capture_output=True, timeout=60)
    assert ended.returncode == 1
    assert f"  = note: MPICH would say so, and cannot be used: {why}\n" in ended.stderr


# The program has finalised MPI before the first call, or between two.
@pytest.mark.parametrize("kind", MPIS)
@pytest.mark.parametrize("calls", [0, 1])
def test_programs_that_have_finalised_mpi(hosts, kind, calls, tmp_path):
    mpi_library(kind)
    pytest.importorskip("mpi4py")
    text = f"""
from mpi4py import MPI
for _ in range({calls}):
    shift(x, y, 1, ranks=4)
MPI.Finalize()
try:
    shift(x, y, 1, ranks=4)
except tw.Error as error:
    sys.stdout.write(str(error).splitlines()[0] + "\\n")
"""
    ended = hosts.mpirun(kind, 1, program(tmp_path, text), tmp_path, mpi4py_variables(kind, tmp_path))
    assert ended.returncode == 0, ended.stderr
    why = "this process has left them" if calls else "MPI has been finalised"
    assert sorted(ended.stdout.split("\n")) == ["", *[f"error[TW2241]: cannot join the other processes: {why}"] * 2]


# They meet at a port, and find that they can share memory.
def test_the_address_of_process_0_may_be_this_host(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % listener.getsockname()[1]
    command = program(tmp_path, "shift(x, y, 1, ranks=4)\nassert np.array_equal(y, want)\nprint(process)\n")
    started = []
    for number in range(2):
        environment = dict(os.environ, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK=str(number),
                           OMPI_COMM_WORLD_LOCAL_SIZE="1", TILEWIRE_WORLD=address)
        started.append(subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT))
    assert outputs(started) == ["0\n", "1\n"]
