"""A run in a child process gives the events of the run itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import shared_memory
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, DataError, RunFailedError
from pgmstudio.core.execution import child_process
from pgmstudio.core.execution.child_process import ChildError, in_process, in_processes
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress, StopSwitch


@dataclass(frozen=True)
class Count:
    """Yields the numbers below `to`, then does what `ending` says."""

    to: int
    ending: str = "return"

    def __call__(self, cancel: CancelToken) -> Iterator[Progress]:
        for number in range(self.to):
            yield Progress(number / self.to)
        if self.ending == "wait":
            while True:
                cancel.raise_if_cancelled()
        elif self.ending == "ignore":
            threading.Event().wait()
        elif self.ending == "sentence":
            raise DataError("There are no rows.")
        elif self.ending == "bug":
            raise ZeroDivisionError("a bug")
        elif self.ending == "die":
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Sum:
    data: DataSet
    empty: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __call__(self, cancel: CancelToken) -> Iterator[tuple[int, bool, bool]]:
        owns = self.data.codes.flags.owndata
        yield int(self.data.codes.sum()), bool(self.data.codes.flags.writeable), owns


@dataclass(frozen=True)
class Big:
    def __call__(self, cancel: CancelToken) -> Iterator[np.ndarray]:
        yield np.arange(2_000_000)


def test_the_events_are_those_of_the_run_itself() -> None:
    assert list(in_process(Count(5), NEVER)) == list(Count(5)(NEVER))


def test_arrays_arrive_in_shared_memory_and_read_only() -> None:
    domain = Domain.of({"a": ["x", "y"], "b": ["x", "y", "z"]})
    codes = np.random.default_rng(0).integers(0, 2, (2, 100_000)).astype(np.uint8)
    before = codes.copy()
    [(total, writable, owned)] = list(in_process(Sum(DataSet(domain, codes)), NEVER))
    assert total == before.sum()
    assert not writable
    assert not owned


def test_large_events_come_through_whole() -> None:
    [numbers] = list(in_process(Big(), NEVER))
    assert numbers.sum() == 1_999_999 * 1_000_000


def test_stopping_delivers_what_was_yielded_before() -> None:
    switch = StopSwitch()
    heard = []
    with pytest.raises(Cancelled):  # noqa: PT012 - the events before it are the point
        for event in in_process(Count(20, "wait"), switch):
            heard.append(event)
            if len(heard) == 20:
                switch.cancel()
    assert heard == list(Count(20)(NEVER))


def test_a_child_that_does_not_listen_is_ended() -> None:
    switch = StopSwitch()
    run = in_process(Count(1, "ignore"), switch)
    next(run)
    switch.cancel()
    with pytest.raises(Cancelled):
        next(run)


def test_a_paused_run_waits_and_goes_on() -> None:
    switch = StopSwitch()
    run = in_process(Count(1, "wait"), switch)
    next(run)
    switch.pause()
    threading.Timer(0.3, switch.cancel).start()
    with pytest.raises(Cancelled):
        next(run)


def test_errors_for_people_come_out_as_themselves() -> None:
    with pytest.raises(DataError, match="There are no rows"):
        list(in_process(Count(1, "sentence"), NEVER))


def test_a_bug_comes_out_with_the_childs_traceback() -> None:
    with pytest.raises(ChildError, match="ZeroDivisionError: a bug"):
        list(in_process(Count(1, "bug"), NEVER))


def test_a_child_that_died_is_reported_with_a_message() -> None:
    with pytest.raises(RunFailedError, match="ended with status"):
        list(in_process(Count(1, "die"), NEVER))


def test_leaving_early_ends_the_child() -> None:
    run = in_process(Count(3, "ignore"), NEVER)
    next(run)
    run.close()  # type: ignore[attr-defined]
    with pytest.raises(StopIteration):
        next(run)


@dataclass(frozen=True)
class Who:
    """Yields the number of its process, and whether it has loaded a module."""

    module: str

    def __call__(self, cancel: CancelToken) -> Iterator[tuple[int, bool]]:
        yield os.getpid(), self.module in sys.modules


def test_a_spare_child_takes_the_next_task_and_a_lost_one_is_replaced() -> None:
    spare = child_process.SPARE_CHILD
    module = "xml.dom.pulldom"  # nothing else loads it
    try:
        spare.keep((module,))
        [first] = [child.pid for child in multiprocessing.active_children()]
        assert list(in_process(Who(module), NEVER)) == [(first, True)]
        [second] = [child.pid for child in multiprocessing.active_children()]
        assert second is not None
        os.kill(second, signal.SIGKILL)
        os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT)
        switch = StopSwitch()
        switch.pause()
        run = in_process(Who(module), switch)
        threading.Timer(0.1, switch.resume).start()
        [(third, is_loaded)] = list(run)
        assert third not in (first, second)
        assert not is_loaded
    finally:
        spare.drop()
    assert not multiprocessing.active_children()
    assert list(in_process(Count(2), NEVER)) == list(Count(2)(NEVER))
    assert not multiprocessing.active_children()


PARENT = """
import os, sys
sys.path.insert(0, {tests!r})
import numpy as np
from test_processes import HELD, Held
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER
if __name__ == "__main__":
    for event in in_process(Held(np.zeros(HELD)), NEVER):
        print(event, flush=True)
"""


def blocks_of(size: int) -> set[str]:
    """The blocks of shared memory of that many bytes; other programs have theirs."""
    names = [name for name in os.listdir("/dev/shm") if name.startswith("psm_")]
    result = set()
    for name in names:
        try:
            if os.stat(f"/dev/shm/{name}").st_size == size:
                result.add(name)
        except FileNotFoundError:  # gone meanwhile
            continue
    return result


HELD = 1_234_567


@dataclass(frozen=True)
class Held:
    """Tells the blocks of shared memory of its size, then never looks up again."""

    numbers: np.ndarray

    def __call__(self, cancel: CancelToken) -> Iterator[str]:
        yield ",".join(blocks_of(self.numbers.nbytes))
        threading.Event().wait()


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="needs a visible shared memory folder")
def test_a_killed_parent_leaves_no_child_and_no_shared_memory(tmp_path: os.PathLike[str]) -> None:
    script = os.path.join(tmp_path, "parent.py")
    with open(script, "w") as file:
        file.write(PARENT.format(tests=os.path.dirname(__file__)))
    before = blocks_of(8 * HELD)
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    mine = set(parent.stdout.readline().strip().split(",")) - before
    assert mine
    parent.kill()
    parent.wait()
    parent.stdout.read()  # ends when the child, which holds the other end, is gone
    waiting = threading.Event()
    for _ in range(100):
        if not mine & blocks_of(8 * HELD):
            break
        waiting.wait(0.1)
    for name in mine:
        with pytest.raises(FileNotFoundError):
            shared_memory.SharedMemory(name=name)


def test_several_processes_report_their_events_each_in_its_order() -> None:
    events = list(in_processes([Count(3), Count(5)], NEVER))
    for number, to in enumerate((3, 5)):
        own = [event for teller, event in events if teller == number]
        assert own == list(Count(to)(NEVER))


def test_the_failure_of_one_process_ends_the_others() -> None:
    with pytest.raises(DataError, match="There are no rows"):
        list(in_processes([Count(2, "wait"), Count(2, "sentence")], NEVER))


def test_a_stop_reaches_all_processes() -> None:
    switch = StopSwitch()
    seen = set()
    stopped = False
    try:
        for number, _ in in_processes([Count(2, "wait"), Count(2, "wait")], switch):
            seen.add(number)
            if seen == {0, 1}:
                switch.cancel()
    except Cancelled:
        stopped = True
    assert stopped
    assert seen == {0, 1}


def test_a_program_that_ends_in_the_middle_leaves_no_shared_block() -> None:
    script = (
        "import numpy as np\n"
        "from pgmstudio.core.execution.child_process import pack\n"
        "packed, block = pack(np.zeros(1000))\n"
        "print(packed.block_name)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stderr == ""
    with pytest.raises(FileNotFoundError):
        shared_memory.SharedMemory(name=ended.stdout.strip())


HOLDER = """
import signal
import numpy as np
from pgmstudio.core.execution.child_process import pack

packed, block = pack(np.zeros(1000))
print(packed.block_name, flush=True)
signal.pause()
"""


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="shared memory is seen on Linux only")
def test_a_terminal_that_is_closed_leaves_no_shared_memory() -> None:
    """The hang-up reaches every process of the terminal, also the one that tidies up."""
    pipe = subprocess.PIPE
    started = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    assert started.stdout is not None
    block = Path("/dev/shm", started.stdout.readline().strip())
    assert block.is_file()
    os.killpg(started.pid, signal.SIGHUP)
    started.communicate()  # until the last of its processes is gone
    is_left = block.exists()
    block.unlink(missing_ok=True)
    assert not is_left
