"""Kernels are compiled ahead of their first call, once for each installation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages import compile_ahead
from pgmstudio.core.languages.compile_ahead import CompileAhead, compiling_beside, is_compiled
from pgmstudio.core.languages.kernel_lists import (
    BINARY,
    FEW,
    MANY,
    MISSING,
    TABLES,
    compile_kernel,
    kernels_of,
    tables_like,
    text_of,
)
from pgmstudio.core.languages.learners import learner_keys


def rows(columns: int, states: int, *, missing: bool = False) -> DataSet:
    domain = Domain.of({f"x{n}": "abc"[:states] for n in range(columns)})
    codes = np.zeros((columns, 4), dtype=np.uint8)
    data = DataSet(domain, codes)
    if missing:
        codes[0, 0] = data.missing_code
    return DataSet(domain, codes)


def test_tables_are_told_apart_by_what_decides_the_kernels() -> None:
    assert tables_like(rows(6, 3)) == (FEW,)
    assert tables_like(rows(6, 2)) == (BINARY,)
    assert tables_like(rows(40, 3, missing=True)) == (MANY, MISSING)


def test_every_listed_kernel_can_be_compiled() -> None:
    """Otherwise run `python resources/packaging/list_kernels.py`. Its types are read from the text
    and written again; that a kernel takes so many arguments is compared with its definition."""
    import inspect
    from importlib import import_module

    from pgmstudio.core.languages.kernel_lists import _type_of

    listed = kernels_of(learner_keys(), TABLES)
    assert len(listed) > 50
    for kernel in listed:
        name, _, types = kernel.rstrip(")").partition("(")
        module, _, function = name.partition(":")
        parts = [_type_of(one) for one in types.split("; ")]
        assert text_of(module, function, parts) == kernel
        made = getattr(import_module(module), function)
        assert len(inspect.signature(made.py_func).parameters) == len(parts), kernel


CALLS = """
import sys
sys.path.insert(0, "resources/packaging")
from list_kernels import kernels_called
from pgmstudio.core.languages.kernel_lists import kernels_of
if __name__ == "__main__":
    key, table = sys.argv[1:]
    print(*set(kernels_called(key, table)) ^ set(kernels_of([key], [table])), sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("key", ["bn.kes", "mixture.trees"])
def test_the_list_is_what_a_learner_calls(key: str) -> None:
    """Otherwise run `python resources/packaging/list_kernels.py`."""
    done = subprocess.run(
        [sys.executable, "-c", CALLS, key, FEW],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of records, empty."""
    monkeypatch.setattr(compile_ahead, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_all_kernels_are_compiled_in_several_processes_and_the_next_start_knows(
    monkeypatch: pytest.MonkeyPatch, compiled: Path
) -> None:
    monkeypatch.setattr(compile_ahead, "learner_keys", lambda: ("bn.pc", "bn.k2"))
    kernels = kernels_of(("bn.pc", "bn.k2"), TABLES)
    assert not is_compiled()
    progress = [*CompileAhead(2)(NEVER)]
    names = {kernel.partition("(")[0].partition(":")[2] for kernel in kernels}
    assert {one.message for one in progress} == {f"Compiling {name}" for name in names}
    assert len(progress) == len(kernels)
    assert is_compiled()
    monkeypatch.setattr(compile_ahead, "__version__", "0.0.0")  # another version is compiled anew
    assert not is_compiled()


AS_A_PROGRAM = """
import runpy, sys
from pathlib import Path
from pgmstudio.core.languages import kernel_lists
if __name__ == "__main__":
    kernel_lists.LIST = Path(sys.argv.pop())
    runpy.run_module("pgmstudio.core.languages.compile_ahead", run_name="__main__", alter_sys=True)
"""


def test_the_set_up_compiles_all_kernels_as_a_program(tmp_path: Path) -> None:
    kernel = "pgmstudio.core.scores.partition_kernels:classes_of(int64[::1])"
    listed = {table: {"bn.k2": [0]} for table in TABLES}
    (tmp_path / "list.json").write_text(json.dumps({"kernels": [kernel], "learners": listed}))
    # The cache folder of Linux, Windows and macOS.
    folders = dict.fromkeys(("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"), str(tmp_path / "cache"))
    environment = {**os.environ, **folders, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    words = [sys.executable, "-c", AS_A_PROGRAM, str(tmp_path / "list.json")]
    subprocess.run(words, cwd=Path(__file__).parents[3], env=environment, check=True)
    assert len([*(tmp_path / "cache").rglob("compiled-*")]) == 1
    assert [*(tmp_path / "kernels").rglob("*classes_of*")]


def test_beside_its_first_run_a_learner_is_compiled_from_the_last_kernel_on(
    monkeypatch: pytest.MonkeyPatch, compiled: Path
) -> None:
    data = rows(6, 2)
    kernels = kernels_of(["mixture.trees"], [BINARY])
    done = list[str]()
    monkeypatch.setattr(compile_ahead, "compile_kernel", done.append)
    compile_ahead.main(["mixture.trees", BINARY])
    assert done == kernels[::-1]

    started = list[list[str]]()

    class Beside:
        def __init__(self, words: list[str], **_options: object) -> None:
            started.append(words[2:])

        def kill(self) -> None:
            started.append(["killed"])

        def wait(self) -> None: ...

    # Only there: `platform` asks a process for the name of the processor.
    fake = SimpleNamespace(Popen=Beside, DEVNULL=subprocess.DEVNULL)
    monkeypatch.setattr(compile_ahead, "subprocess", fake)
    monkeypatch.setattr(compile_ahead, "core_count", lambda: 1)
    with compiling_beside("mixture.hidden", data):
        pass
    monkeypatch.setattr(compile_ahead, "core_count", lambda: 2)
    monkeypatch.setattr(compile_ahead.os, "getloadavg", lambda: (2.5, 0.0, 0.0), raising=False)
    with compiling_beside("mixture.trees-shared", data):
        pass
    assert started == []  # there is no core for it
    monkeypatch.setattr(compile_ahead.os, "getloadavg", lambda: (0.5, 0.0, 0.0), raising=False)
    for _ in range(2):  # once: the next run finds everything on the disk
        with compiling_beside("mixture.trees", data):
            pass
        assert started == [[compile_ahead.__name__, "mixture.trees", BINARY], ["killed"]]
    with compiling_beside("bn.naive-bayes", data):  # for a few kernels it is not worth it
        pass
    assert len(started) == 2


def test_a_run_that_fails_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, compiled: Path
) -> None:
    monkeypatch.setattr(compile_ahead, "core_count", lambda: 2)
    monkeypatch.setattr(compile_ahead.os, "getloadavg", lambda: (0.5, 0.0, 0.0), raising=False)
    what = f"pdg.learn {FEW}"
    # A process that cannot be started is no error of the run.
    monkeypatch.setattr(compile_ahead.sys, "executable", str(compiled / "missing"))
    with pytest.raises(ZeroDivisionError), compiling_beside("pdg.learn", rows(6, 3)):
        _ = 1 / 0
    assert not is_compiled(what)
    with compiling_beside("pdg.learn", rows(6, 3)):
        pass
    assert is_compiled(what)


def test_a_kernel_is_compiled_from_its_text() -> None:
    import pgmstudio.core.scores.partition_kernels as kernels

    compile_kernel("pgmstudio.core.scores.partition_kernels:classes_of(int64[::1])")
    assert len(kernels.classes_of.overloads) == 1  # type: ignore[attr-defined]
