"""Processes on several hosts: network namespaces of this machine, with a name each, joined by a bridge. Between them
there is no shared memory, as far as Tilewire knows, and nothing but TCP.
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


# What mpirun takes for ssh: enters the namespace of an address.
AGENT = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
names=(NAMES)
name=${names[$((${1##*.} - 1))]}
shift
exec ip netns exec $name unshare -u sh -c "hostname $name; exec \\"\\$@\\"" sh bash -c "$*"
"""


@pytest.mark.skipif(not shutil.which("mpirun"), reason="needs mpirun")
def test_mpirun_over_hosts(hosts, tmp_path):
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version:
        pytest.skip("needs Open MPI's mpirun")
    agent = tmp_path / "agent"
    agent.write_text(AGENT.replace("NAMES", " ".join(hosts.names)))
    agent.chmod(0o755)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       TILEWIRE_WORLD=f"10.77.0.1:{PORT}")
    mpirun = ["mpirun", "--mca", "plm_rsh_agent", str(agent), "--mca", "oob_tcp_if_include", "eth0", "--host",
              "10.77.0.1:2,10.77.0.2:2", "--oversubscribe", "--bind-to", "none", "-n", "4", "-x", "TILEWIRE_WORLD"]
    script = [sys.executable, str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4"]
    ended = subprocess.run(hosts.words(0) + mpirun + script, env=environment, text=True, capture_output=True,
                           timeout=120)
    assert ended.returncode == 0, ended.stderr
    # Lines of several processes may be mixed with each other's line breaks.
    line = "mesh allreduce: 4 ranks have the same sum of 4 rows, to the last bit"
    assert ended.stdout.replace("\n", "") == line * 4


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
