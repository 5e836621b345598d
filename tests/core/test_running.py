"""The token that asks a run to stop."""

from __future__ import annotations

import threading

import pytest

from pgmstudio.core.errors import Cancelled
from pgmstudio.core.running import NEVER, StopSwitch


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
    assert passed.wait(5)
    worker.join()
    assert not switch.is_paused


def test_a_run_that_is_not_paused_asks_without_a_lock() -> None:
    # Ctrl+C presses the switch in the thread that asks, perhaps while it asks.
    switch = StopSwitch()
    with switch._go._cond:
        asking = threading.Thread(target=switch.raise_if_cancelled, daemon=True)
        asking.start()
        asking.join(timeout=20)
        assert not asking.is_alive()
