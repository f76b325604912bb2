"""pytest --place NAME tests/conformance: the tests in one of the places of places.py."""

import faulthandler
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "system"))  # arguments.py, which both have

from places import PLACES


def pytest_addoption(parser):
    parser.addoption("--place", choices=[place.name for place in PLACES], default="local",
                     help="where programs run: a line of places.py")


def chosen(config):
    return next(place for place in PLACES if place.name == config.getoption("--place"))


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(word): left out in places that lack it")


def ranks_of(item):
    """Those that the test's parameters ask for; 0: they do not say."""
    ranks = getattr(item, "callspec", None) and item.callspec.params.get("ranks", 0)
    return ranks if isinstance(ranks, int) else 0


def pytest_collection_modifyitems(config, items):
    place = chosen(config)
    left_out = [item for item in items if any(set(mark.args) & place.lacks for mark in item.iter_markers("needs"))
                or ranks_of(item) % place.processes]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def place(pytestconfig):
    return chosen(pytestconfig)


@pytest.fixture(autouse=True)
def watchdog():
    """Ends the process, with its stack, when ranks hang without being noticed."""
    faulthandler.dump_traceback_later(300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
