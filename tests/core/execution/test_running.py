"""The token that asks a run to stop."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CLOCK, NEVER, StopSwitch

ROOT = Path(__file__).resolve().parents[3]


def test_a_fresh_switch_lets_the_run_go_on() -> None:
    switch = StopSwitch()
    switch.raise_if_cancelled()
    NEVER.raise_if_cancelled()
    assert not switch.is_cancelled


def test_a_pressed_switch_stays_pressed() -> None:
    switch = StopSwitch()
    switch.cancel()
    switch.pause()
    switch.resume()
    assert switch.is_cancelled
    with pytest.raises(Cancelled):
        switch.raise_if_cancelled()


def test_a_time_limit_presses_the_switch() -> None:
    assert StopSwitch(seconds=0).is_cancelled
    assert not StopSwitch(seconds=1e6).is_cancelled


def test_a_paused_run_waits_until_it_is_resumed() -> None:
    switch = StopSwitch()
    switch.pause()
    passed = threading.Event()
    worker = threading.Thread(target=lambda: (switch.raise_if_cancelled(), passed.set()))
    worker.start()
    assert not passed.wait(0.2)
    switch.resume()
    assert passed.wait(60)
    worker.join()
    assert not switch.is_paused


def test_a_run_that_is_not_paused_asks_without_a_lock() -> None:
    # Ctrl+C presses the switch in the thread that asks, perhaps while it asks.
    switch = StopSwitch()
    with switch._go._cond:
        asking = threading.Thread(target=switch.raise_if_cancelled, daemon=True)
        asking.start()
        asking.join(timeout=60)
        assert not asking.is_alive()


def test_time_limits_do_not_count_what_is_spent_on_compiling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "process_time", lambda: now / 2)  # on a busy machine
    switch, processor_began = StopSwitch(seconds=10), CLOCK.processor_now()
    with CLOCK.paused(), CLOCK.paused():  # a kernel that needs another
        now += 60
        assert not switch.is_cancelled
        assert CLOCK.processor_now() == processor_began
    now += 9
    assert CLOCK.processor_now() - processor_began == pytest.approx(4.5)
    assert not switch.is_cancelled
    now += 1
    assert switch.is_cancelled


def test_the_clock_of_time_limits_and_the_collector_stand_while_a_kernel_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    import pgmstudio.core.data.counting_kernels  # noqa: F401

    messages = list[tuple[str, bool]]()
    monkeypatch.setattr(CLOCK, "pause", lambda: messages.append(("pause", gc.isenabled())))
    monkeypatch.setattr(CLOCK, "resume", lambda: messages.append(("resume", gc.isenabled())))
    assert numba.njit(lambda x: x + 1)(1) == 2
    assert messages[0] == ("pause", False)
    assert messages.count(("pause", False)) == messages.count(("resume", False))
    assert len(messages) % 2 == 0
    assert gc.isenabled()


def twice(number: int) -> int:
    return 2 * number


def test_reading_a_kernel_from_the_disk_and_writing_it_does_not_count_against_time_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pgmstudio.core.numba_support import compiled

    kernel: Any = compiled(twice)
    messages = list[str]()
    monkeypatch.setattr(CLOCK, "pause", lambda: messages.append("pause"))
    monkeypatch.setattr(CLOCK, "resume", lambda: messages.append("resume"))
    monkeypatch.setattr(kernel._cache, "load_overload", lambda *_: messages.append("read"))
    monkeypatch.setattr(kernel._cache, "save_overload", lambda *_: messages.append("write"))
    assert kernel(3) == 6
    assert messages == ["pause", "read", "pause", "resume", "write", "resume"]


AHEAD = """
import sys
FUNCTIONS = ("numba.np", "numba.cpython", "numba.typed")  # what kernels may call: most of the time
from pgmstudio.core.numba_support import load_ahead
load_ahead()
from tests.core.execution.test_running import twice
from pgmstudio.core.numba_support import compiled
before = set(sys.modules)
assert compiled(twice)(3) == 6
print({name for name in set(sys.modules) - before if name.startswith(FUNCTIONS)})
"""


@pytest.mark.slow
def test_a_kernel_loads_few_more_modules_after_what_is_loaded_ahead() -> None:
    run = subprocess.run(
        [sys.executable, "-c", AHEAD], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "set()"
