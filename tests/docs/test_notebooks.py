"""The notebooks of examples/notebooks print what they show; `--update` runs them and keeps their output."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def outputs(notebook: Any) -> list[Any]:
    """Of each code cell, without what differs from run to run."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        shown = []
        for output in cell.outputs:
            assert output.output_type in ("stream", "display_data", "execute_result"), output
            shown.append(output.text if output.output_type == "stream" else dict(output.data))
        cells.append(shown)
    return cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: pathlib.Path, tmp_path: pathlib.Path, update: bool) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    before = outputs(notebook)
    assert update or any(before), "the notebook has no output"
    shutil.copy(path, tmp_path)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", record_timing=False, resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    if update:
        nbformat.write(notebook, path)
    else:
        assert outputs(notebook) == before
