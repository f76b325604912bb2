"""The processes that a launcher such as mpirun has started: one world, in which host functions run."""

from __future__ import annotations

import atexit

from tilewire import _core
from tilewire._entry_points import entry_point

atexit.register(_core._leave_world)


class World:
    """The place of this process among those of the launcher; without one it is process 0 of 1."""

    @property
    def rank(self) -> int:
        """The number of this process."""
        return _core._world_place()[0]

    @property
    def size(self) -> int:
        """How many processes there are. A call on N ranks runs N / size of them in each."""
        return _core._world_place()[1]

    def __repr__(self) -> str:
        return f"<World: process {self.rank} of {self.size}>"


world = World()


@entry_point
def init(world: str = "launcher") -> None:
    """Decides in which world host functions run, before the first call of one.

    "launcher" joins the other processes now, which the first call does otherwise; all of them have to. "local" keeps
    this process separate, with all ranks of its calls.
    """
    _core._choose_world(world)
