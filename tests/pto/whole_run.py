"""Runs an emitted program whole: its host side is recorded, its kernels are executed from their text.

The tasks of all ranks run round by round, task i of each rank at the same time, which is right for programs whose
ranks submit the same kernels in the same order.
"""
from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

from host_run import BUILD, ROOT, Case, entry_of, recorded, run

NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
         "ui32": np.uint32, "f16": np.float16, "f32": np.float32}
DTYPES = {"FP32": np.float32, "FP16": np.float16, "INT32": np.int32, "INT64": np.int64, "INT8": np.int8,
          "UINT8": np.uint8}


def emit_all(case: Case, folder: Path, level: str) -> dict[str, Any]:
    run([BUILD / "tilewire", "emit", "--target", "pto", "--level", level, ROOT / case.file, "-o", folder])
    return json.loads((folder / "kernel_table.json").read_text())


def reference(case: Case, entry: str, arrays: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The arguments after a run of the interpreter's reading of the program."""
    command: list[Any] = [BUILD / "tilewire", "run", ROOT / case.file, "--entry", entry.removeprefix("run_"), "--target",
                          "interp", "--out", folder, "--ranks", case.ranks]
    for name, value in arrays.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.in.npy", value)
            command += ["--in", f"{name}={folder / f'{name}.in.npy'}"]
        else:
            command += ["--in", f"{name}={value}"]
    run(command)
    return {name: np.load(folder / f"{name}.npy") for name in arrays if (folder / f"{name}.npy").exists()}


class Memory:
    """Where the recording runtime has put the arguments, windows and tensors of a run."""

    def __init__(self, case: Case, table: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.blocks: dict[tuple[int, int], Any] = {}  # rank (-1: all) and address, to bytes
        self.arguments: dict[int, Any] = {}
        address = 4096
        for parameter in entry_of(case, table)["parameters"]:
            value = arrays[parameter["name"]]
            if isinstance(value, np.ndarray):
                self.arguments[address] = value.reshape(-1).view(np.uint8)
                address += (value.nbytes + 127) // 64 * 64

    def elements(self, rank: int, tensor: dict[str, Any], dtype: Any) -> Any:
        """The elements of a tensor from its first to its last, as one dense array of the memory itself."""
        size = np.dtype(dtype).itemsize
        count = 1 + sum((n - 1) * s for n, s in zip(tensor["shape"], tensor["strides"]) if n > 1)
        if 0 in tensor["shape"]:
            count = 0
        end = tensor["offset"] + count * size
        storage = self.arguments.get(tensor["storage"])
        if storage is None:
            key = (tensor["storage"], rank)
            storage = self.blocks.get(key)
            if storage is None or storage.size < end:
                larger = np.zeros(max(end, 1 << 16), np.uint8)
                if storage is not None:
                    larger[: storage.size] = storage
                storage = self.blocks[key] = larger
        return storage[tensor["offset"] : end].view(dtype)


def number(hexadecimal: str, type_: str) -> Any:
    data = bytes.fromhex(hexadecimal)
    if type_ in ("f32", "f16"):
        return struct.unpack("<f" if type_ == "f32" else "<e", data)[0]
    return int.from_bytes(data, "little", signed=type_ != "i1")


def kernel_arguments(kernel: dict[str, Any], tasks: list[dict[str, Any]], memory: Memory) -> list[Any]:
    from execute import Context, PerRank, Window

    groups = {}  # window parameter: group
    for parameter in kernel["parameters"]:
        if parameter["kind"] == "context" and "windows" in parameter:
            for window in parameter["windows"]:
                groups[window] = tasks[0]["arguments"][parameter["name"]]
    values: list[Any] = []
    for parameter in kernel["parameters"]:
        given = [task["arguments"][parameter["name"]] for task in tasks]
        kind, name = parameter["kind"], parameter["name"]
        if kind == "context":
            values.append(Context(given[0]))
        elif kind in ("tensor", "result"):
            dtype = NUMPY[parameter["type"][len("!pto.ptr<") : -1]]
            arrays = [memory.elements(rank, tensor, dtype) for rank, tensor in enumerate(given)]
            values.append(Window(arrays, groups[name]) if name in groups else PerRank(arrays))
        elif kind == "scalar":
            values.append(PerRank([number(one, parameter["type"]) for one in given]))
        else:
            values.append(PerRank(given))
    return values


def submitted(case: Case, folder: Path, objects: list[Path]) -> dict[str, Any]:
    """What the host side submits, for programs that look at nothing that a kernel computes."""
    return recorded(case, folder, objects, {"ranks": {}, "windows": []})


def whole_run(case: Case, folder: Path, table: dict[str, Any], found: dict[str, Any], arrays: dict[str, Any],
              seed: int) -> None:
    """Changes the arrays as the program does. `found`: as `submitted` gives it."""
    from execute import run as execute

    memory = Memory(case, table, arrays)
    kernels = {kernel["name"]: kernel for kernel in table["kernels"]}
    ranks = [found[str(rank)] for rank in range(case.ranks)]
    assert len({len(tasks) for tasks in ranks}) == 1
    for tasks in zip(*ranks):
        tasks = [task for task in tasks if "kernel" in task]
        if not tasks:
            continue
        assert len({task["kernel"] for task in tasks}) == 1 and len({task["blocks"] for task in tasks}) == 1
        kernel = kernels[tasks[0]["kernel"]]
        text = (folder / kernel["file"]).read_text()
        halves = [name for name in (kernel["cube"], kernel["vector"]) if name]
        execute(text, halves[0] if len(halves) == 1 else halves, kernel_arguments(kernel, tasks, memory),
                ranks=case.ranks, blocks=tasks[0]["blocks"], seed=seed)


def inputs(case: Case, entry: dict[str, Any], seed: int, divisor: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    made: dict[str, Any] = {}
    for parameter in entry["parameters"]:
        value = case.arguments[parameter["name"]]
        if parameter["kind"] != "tensor":
            made[parameter["name"]] = value
            continue
        dtype = DTYPES[parameter["dtype"]]
        whole = random.integers(-8, 8, math.prod(value)).reshape(value)  # sums of them are exact in any order
        made[parameter["name"]] = (whole / divisor).astype(dtype)
    return made
