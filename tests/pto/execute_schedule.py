"""Who goes on next: cores step by step, and the moments at which stores and notifies land.

The profile is chosen by the seed, so that a few seeds cover what a careless order would hide: everything at once,
stores as late as they may, all as late as it may, at random, loads as late as they may.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from execute_core import Core, Steps, Wait
from execute_fault import ExecutionFault, Problem

if TYPE_CHECKING:
    from execute_machine import Machine


@dataclass(frozen=True)
class Profile:
    store: float  # the chance that a pending store lands before the next step of a core
    notify: float
    stale: bool  # whether scalar loads may be as old as the last time the cache was dropped
    late_load: float  # the chance that a load of a tile is as late as it may be
    slow: float  # the weight of some cores against that of the others


PROFILES = (
    Profile(1.0, 1.0, False, 0.0, 1.0),
    Profile(0.0, 1.0, True, 1.0, 0.02),
    Profile(0.0, 0.0, True, 0.0, 0.3),
    Profile(0.2, 0.2, True, 0.5, 0.1),
    Profile(1.0, 1.0, False, 1.0, 0.02),
)


@dataclass(eq=False)
class Agent:
    core: Core
    steps: Steps
    weight: float
    wait: Optional[Wait] = None
    done: bool = False

    def ready(self) -> bool:
        return not self.done and (self.wait is None or self.wait.ready())

    def go(self) -> None:
        try:
            self.wait = next(self.steps)
        except StopIteration:
            self.done = True
            for key in list(self.core.port.lines):
                self.core.port.drop(key)


def land(cores: list[Core], chance: random.Random, notifies: Optional[bool]) -> bool:
    """Lets one pending store or notify land; false when there is none of that kind."""
    having = [(core, number) for core in cores if core.port.pending for number in core.port.can_land(notifies)]
    if having:
        core, number = chance.choice(having)
        core.port.land(number)
    return bool(having)


def run_until(machine: Machine, reached: Callable[[], bool]) -> None:
    """Lets cores go on until `reached()`; raises a deadlock when nothing can any more."""
    profile, chance, agents = machine.profile, machine.schedule, machine.agents
    while not reached():
        agents[:] = [agent for agent in agents if not agent.done or agent.core.port.pending]
        cores = [agent.core for agent in agents]
        for probability, notifies in ((profile.store, False), (profile.notify, True)):
            while probability and chance.random() < probability and land(cores, chance, notifies):
                pass
        ready = [agent for agent in agents if agent.ready()]
        if not ready:
            if reached():
                return
            if any(agent.ready() for agent in agents):  # `reached` has started them
                continue
            # Notifies first: a store that no fence has made visible is the last to land.
            if land(cores, chance, True) or land(cores, chance, False):
                continue
            raise deadlock([agent for agent in agents if not agent.done], machine.describe())
        agent = chance.choices(ready, [one.weight for one in ready])[0]
        for _ in range(chance.randint(1, 8)):
            agent.go()
            try:
                machine.count_step()
            except Problem as problem:
                raise ExecutionFault(problem.code, problem.message, agent.core.where()) from None
            if not agent.ready():
                break


def deadlock(waiting: list[Agent], others: list[str]) -> ExecutionFault:
    lines = []
    for agent in waiting:
        text = agent.wait.text() if agent.wait else "?"
        lines.append(f"{agent.core.where()} waits for {text}")
    noun = "core waits" if len(waiting) == 1 else "cores wait"
    where = waiting[0].core.where() if waiting else None
    return ExecutionFault("deadlock", f"{len(waiting)} {noun} and nothing can wake them\n  " + "\n  ".join(lines + others), where)
