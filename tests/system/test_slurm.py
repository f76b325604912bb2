"""Under srun: a cluster of two hosts, which are network namespaces of this machine with a slurmd each.

Skipped where Slurm is not installed: apt-get install slurm-wlm munge.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

from test_hosts import EXAMPLES, Hosts, mpi_library, program

CONFIGURATION = """
ClusterName=test
SlurmctldHost={first}(10.77.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
NodeName={first} NodeAddr=10.77.0.1 CPUs=4
NodeName={second} NodeAddr=10.77.0.2 CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Cluster(Hosts):
    def __init__(self, folder):
        super().__init__(2)
        self.folder = folder
        self.started = []
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_", "TILEWIRE_WORLD"))}
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")
        first, second = self.names
        (folder / "slurm.conf").write_text(CONFIGURATION.format(first=first, second=second, folder=folder))
        (folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={folder}/pmix\n")
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n10.77.0.1 {first}\n10.77.0.2 {second}\n")
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o600)
        for name in ("state", "pmix", *(f"pmix.{host}" for host in self.names)):
            (folder / name).mkdir()

    def words(self, host):
        """As on a host of its own: with a name, names of the others, and a folder for PMIx."""
        name = self.names[host]
        script = (f'mount --bind {self.folder}/hosts /etc/hosts && mount --bind {self.folder}/pmix.{name} '
                  f'{self.folder}/pmix && hostname {name} && exec "$@"')
        return ["nsenter", f"--net=/run/netns/{name}", "unshare", "-u", "-m", "sh", "-c", script, "sh"]

    def __enter__(self):
        super().__enter__()
        folder = self.folder
        try:
            self._start(["munged", "--foreground", "--force", f"--key-file={folder}/munge.key",
                         f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid",
                         f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"])
            self._start(self.words(0) + ["slurmctld", "-D", "-c"])
            for host, name in enumerate(self.names):
                self._start(self.words(host) + ["slurmd", "-D", "-c", "-N", name])
            for _ in range(300):
                listed = self.run("sinfo", "-h", "-o", "%T", limit=30)
                if listed.stdout.strip() == "idle":
                    return self
                time.sleep(0.1)
            logs = "\n".join(path.read_text() for path in folder.glob("slurm*.log"))
            pytest.skip(f"no Slurm cluster comes up here: {logs[-1000:]}")
        except BaseException:
            self.__exit__()
            raise

    def _start(self, words):
        self.started.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
        for process in self.started:
            process.wait(30)
        super().__exit__()

    def run(self, *words, limit=120):
        return subprocess.run(self.words(0) + list(words), env=self.environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=limit)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    for command in ("ip", "nsenter", "unshare", "munged", "slurmctld", "slurmd", "srun"):
        if not shutil.which(command):
            pytest.skip(f"needs {command}")
    if os.geteuid() != 0:
        pytest.skip("needs root")
    # The path of a socket may have no more than 108 characters.
    folder = pathlib.Path(tmp_path_factory.mktemp("slurm"))
    folder.chmod(0o755)
    with Cluster(folder) as made:
        yield made


TWO_HOSTS = ["-N2", "-n4", "--ntasks-per-node=2"]


def test_processes_of_one_host(cluster):
    ended = cluster.run("srun", "-N1", "-n2", sys.executable, str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == 2 * "mesh allreduce: 4 ranks have the same sum of 4 rows, to the last bit\n"


ENGINE = """
shift(x, y, 1, ranks=4)
assert np.array_equal(y, want)
maps = open("/proc/self/maps").read()
sys.stdout.write(f"{tw.world.size} {'Open MPI' if 'libtilewire-openmpi' in maps else 'TCP'}\\n")
"""


def test_hosts_of_a_step_exchange_messages_over_tcp(cluster, tmp_path):
    ended = cluster.run("srun", *TWO_HOSTS, *program(tmp_path, ENGINE))
    assert (ended.returncode, ended.stdout) == (0, 4 * "4 TCP\n"), ended.stderr


def test_with_pmix_they_do_so_over_open_mpi(cluster, tmp_path):
    mpi_library("openmpi")
    listed = cluster.run("srun", "--mpi=list")
    if "pmix" not in listed.stdout + listed.stderr:
        pytest.skip("this Slurm has no PMIx")
    ended = cluster.run("srun", "--mpi=pmix", *TWO_HOSTS, *program(tmp_path, ENGINE))
    assert (ended.returncode, ended.stdout) == (0, 4 * "4 Open MPI\n"), ended.stderr


# Slurm goes on by itself.
@pytest.mark.parametrize("victim, when", [(0, "at once"), (3, "at once"), (2, "in its second call")])
def test_a_process_that_ends_is_named(cluster, victim, when, tmp_path):
    text = f"""
if process == {victim} and "{when}" == "at once":
    sys.exit(3)
try:
    shift(x, y, 1, ranks=4)
    if process == {victim}:
        import os
        os.kill(os.getpid(), 9)
    while True:
        shift(x, y, 1, ranks=4)
except tw.WorldError as error:
    sys.stdout.write(str(error).splitlines()[0] + "\\n")
"""
    how = "it has ended before all had joined" if when == "at once" else "it has ended"
    ended = cluster.run("srun", *TWO_HOSTS, *program(tmp_path, text))
    assert ended.returncode != 0
    assert ended.stdout == 3 * f"error[TW2148]: the world has lost process {victim}: {how}\n", ended.stderr
