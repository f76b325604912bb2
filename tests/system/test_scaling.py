"""bench/scaling.py: its model beside recorded figures, what it says is sent beside what is, and the tables of the page."""

import importlib.util
import json
import pathlib
import sys

import pytest

from test_hosts import Hosts, hosts, outputs  # noqa: F401 (`hosts` is a fixture)

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = pathlib.Path(__file__).parent / "message_counts.py"


def load_model():
    spec = importlib.util.spec_from_file_location("scaling", ROOT / "bench" / "scaling.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["scaling"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


scaling = load_model()


def test_the_model_meets_the_recorded_times():
    rows = scaling.read_rows(scaling.RECORDED)
    constants = scaling.fit(rows)
    ratios = {name: scaling.modelled(constants, name) / measured for name, measured in rows.items()
              if scaling.modelled(constants, name) is not None}
    assert len(ratios) == 14 and scaling.FITTED < set(ratios)
    assert {name: ratio for name, ratio in ratios.items() if not 0.7 <= ratio <= 1.4} == {}


@pytest.mark.parametrize("hosts, each", [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)], indirect=["hosts"])
def test_the_model_counts_what_is_sent(hosts, each):  # noqa: F811
    world = scaling.World(len(hosts.names), each)
    told = outputs(hosts.start([sys.executable, str(PROGRAM), str(world.ranks)], each))
    counts = [json.loads(text.splitlines()[-1]) for text in told]
    models = {"barrier": scaling.barrier_messages, "sum of 4 B": scaling.sum_messages}
    for name, model in models.items():
        # Acknowledgements are asked for now and then.
        differences = [count[name] - model(world, process) for process, count in enumerate(counts)]
        assert all(-0.3 < difference < 0.7 for difference in differences), (name, counts)
    for process, count in enumerate(counts):
        assert count["connections"] == scaling.connections(world, process), counts
        # Processes of one host tell each other by memory when they look there.
        assert count["call"] < scaling.call_messages(world, process) + 0.5


def test_the_page_has_the_tables():
    page = (ROOT / "docs" / "clusters.md").read_text()
    constants = scaling.fit(scaling.read_rows(scaling.RECORDED))
    assert [line for line in scaling.tables(constants) if line not in page] == []
