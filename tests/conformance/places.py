"""Where the conformance tests run programs: a target, and a world for its ranks.

PLACES is the only table. A new target or world is one line of it; programs and tests know no place by name.

A world of several processes has a launcher: then each process runs all tests, in the same order, and makes the same
calls. A test asserts what holds in every process, and uses no files that two of them would share.
"""

import dataclasses

import tilewire


@dataclasses.dataclass(frozen=True)
class Place:
    name: str
    target: str
    launcher: tuple[str, ...] = ()  # the words before `python -m pytest`
    processes: int = 1  # that it starts; a number of ranks has to be a multiple of it
    ways: tuple[dict, ...] = ({},)  # settings of a call that change nothing of what a program does
    lacks: frozenset[str] = frozenset()  # tests marked `needs` with one of these words are left out

    def settings(self, schedules=2):
        """The settings of calls that must all do the same: every way, and some random schedules."""
        for way in self.ways:
            yield {"target": self.target, **way}
        for seed in range(1, schedules + 1):
            yield {"target": self.target, "schedule": f"random:{seed}"}
        if "threads" not in self.lacks:
            yield {"target": self.target, "schedule": "random:3", "threads": 1}

    def writes_trace(self):
        """One process writes a file with the ranks of all."""
        return tilewire.world.rank == 0


PLACES = (
    Place("interp", target="interp", lacks=frozenset({"many ranks", "sessions", "threads", "traces"})),
    Place("local", target="cpu", ways=({}, {"threads": 1}, {"threads": 2})),
    Place("processes", target="cpu", launcher=("mpirun", "-n", "2", "--oversubscribe"), processes=2, ways=({}, {"threads": 1}),
          lacks=frozenset({"interpreter", "polls of peers", "shared arrays", "three ranks"})),
)
