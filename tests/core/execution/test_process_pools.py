"""Many runs over a few processes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError, RunFailedError
from pgmstudio.core.execution import process_pool as process_pools
from pgmstudio.core.execution.child_process import ChildError, Packed, in_process, pack
from pgmstudio.core.execution.events import NEVER, CancelToken, StopSwitch
from pgmstudio.core.execution.process_pool import (
    TRIES,
    WorkAgain,
    WorkEnded,
    WorkFailed,
    in_pool,
    open_pool,
)


@dataclass(frozen=True)
class Multiply:
    """Yields the sum of the shared codes times `by`, then does what `ending` says."""

    by: int
    ending: str = ""
    marker: str = ""

    def __call__(self, shared: DataSet, cancel: CancelToken, /) -> Iterator[tuple[int, bool, int]]:
        yield int(shared.codes.sum()) * self.by, shared.codes.flags.owndata, os.getpid()
        match self.ending:
            case "wait":
                while True:
                    cancel.raise_if_cancelled()
            case "ignore":
                threading.Event().wait()
            case "sentence":
                raise DataError("It cannot be done.")
            case "bug":
                raise ZeroDivisionError("a bug")
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "die once" if not Path(self.marker).exists():
                Path(self.marker).touch()
                os.kill(os.getpid(), signal.SIGKILL)


class EndsPaused:
    """Ends when it is paused."""

    def __call__(self, _shared: object, cancel: CancelToken, /) -> Iterator[str]:
        yield "began"
        while not (cancel.is_cancelled or cancel.is_paused):
            pass


@dataclass(frozen=True)
class EndsWith:
    """Ends when a file is there."""

    path: Path

    def __call__(self, _shared: object, cancel: CancelToken, /) -> Iterator[str]:
        yield "began"
        while not self.path.exists():
            cancel.raise_if_cancelled()


class Asks:
    """Yields when it may."""

    def __call__(self, _shared: object, cancel: CancelToken, /) -> Iterator[str]:
        cancel.raise_if_cancelled()
        yield "asked"


@pytest.fixture
def shared() -> DataSet:
    domain = Domain.of({"a": ["x", "y"]})
    return DataSet(domain, np.ones((1, 1000), dtype=np.uint8))


def test_every_work_is_done_once_and_reads_the_shared_rows_in_place(shared: DataSet) -> None:
    works = [Multiply(number) for number in range(6)]
    heard = list(in_pool(shared, works, NEVER, processes=2))
    values = {number: event for number, event in heard if isinstance(event, tuple)}
    assert {number: event[0] for number, event in values.items()} == {n: 1000 * n for n in range(6)}
    assert not any(owned for _, owned, _ in values.values())
    assert sum(isinstance(event, WorkEnded) for _, event in heard) == 6
    assert len({process for _, _, process in values.values()}) <= 2
    assert os.getpid() not in {process for _, _, process in values.values()}


def test_what_goes_wrong_in_one_work_leaves_the_others_alone(
    shared: DataSet, tmp_path: Path
) -> None:
    works = [
        Multiply(1, "sentence"),
        Multiply(2, "bug"),
        Multiply(3, "die"),
        Multiply(4, "die once", str(tmp_path / "died")),
        Multiply(5),
    ]
    heard = list(in_pool(shared, works, NEVER, processes=2))
    failed = {number: event.error for number, event in heard if isinstance(event, WorkFailed)}
    assert isinstance(failed[0], DataError)
    assert isinstance(failed[1], ChildError)
    assert "ZeroDivisionError" in str(failed[1])
    assert isinstance(failed[2], RunFailedError)
    assert {number for number, event in heard if isinstance(event, WorkEnded)} == {3, 4}
    again = [number for number, event in heard if isinstance(event, WorkAgain)]
    assert sorted(again) == [2] * (TRIES - 1) + [3]


def test_stopping_delivers_what_was_yielded_and_leaves_nothing_behind(
    shared: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []

    def noted(value: object) -> tuple[Packed, SharedMemory | None]:
        packed, block = pack(value)
        names.append(packed.block_name)
        return packed, block

    monkeypatch.setattr(process_pools, "pack", noted)
    switch, heard = StopSwitch(), []
    with pytest.raises(Cancelled):  # noqa: PT012 - the events before it are the point
        works = [Multiply(1, "wait"), Multiply(1, "ignore"), Multiply(1)]
        for number, event in in_pool(shared, works, switch, processes=2):
            heard.append((number, event))
            if len(heard) == 2:
                switch.cancel()
    assert [number for number, _ in sorted(heard, key=lambda pair: pair[0])] == [0, 1]
    with pytest.raises(FileNotFoundError):
        SharedMemory(names[0])


def test_leaving_early_ends_the_processes(shared: DataSet) -> None:
    run = in_pool(shared, [Multiply(1, "ignore")], NEVER)
    _, event = next(run)
    run.close()  # type: ignore[attr-defined]
    assert isinstance(event, tuple)
    with pytest.raises(ProcessLookupError):
        os.kill(event[2], 0)


@dataclass(frozen=True)
class Nested:
    shared: DataSet

    def __call__(self, cancel: CancelToken) -> Iterator[object]:
        yield from in_pool(self.shared, [Multiply(2)], cancel)


def test_a_pool_may_be_asked_for_inside_a_child(shared: DataSet) -> None:
    (number, event), (_, last) = in_process(Nested(shared), NEVER)  # type: ignore[misc]
    assert (number, event[0]) == (0, 2000)
    assert last == WorkEnded()


def test_a_process_whose_work_ended_while_it_was_paused_takes_further_work_after_the_pause(
    shared: DataSet, tmp_path: Path
) -> None:
    switch = StopSwitch(seconds=120)  # of a test that fails
    path = tmp_path / "resumed"
    began = 0
    with open_pool(shared, processes=2) as pool:
        for _, event in pool.events([EndsPaused(), EndsWith(path)], switch):
            began += event == "began"
            if event == "began" and began == 2:
                switch.pause()
            if isinstance(event, WorkEnded):
                switch.resume()
                path.touch()
        results = [event for _, event in pool.events([Asks(), Asks()], switch)]
    assert results.count("asked") == 2
