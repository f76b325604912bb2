"""`pytest tests/docs --update` rewrites what pages show for commands; look at the difference before you commit it."""

import pytest

NOT_RUN: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the output that pages show")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture
def not_run() -> list[str]:
    return NOT_RUN


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if NOT_RUN:
        terminalreporter.write_line(f"{len(NOT_RUN)} blocks of the documentation are not run:")
        for line in NOT_RUN:
            terminalreporter.write_line("  " + line)
