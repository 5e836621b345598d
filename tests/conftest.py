"""What every test may use."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Before anything imports Qt: tests never need a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A shell may start the tests with these signals ignored (in the background, under nohup); programs
# that tests start and stop by them would inherit that.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The suite proves the same cases every time, so that a change is judged by what it changed;
# PGMSTUDIO_CASES=explore looks for new ones.
settings.register_profile(
    "suite",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize=True,
)
settings.register_profile(
    "explore", settings.get_profile("suite"), derandomize=False, max_examples=100
)
settings.load_profile(os.environ.get("PGMSTUDIO_CASES", "suite"))

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data sets and networks beside the checkout."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the shared data sets are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def sample_data() -> Path:
    return ROOT / "sample_data"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in turn from the beginning and from the end: two processes then work in different
    rooms, and seldom compile the same kernel at the same time."""
    files = list(dict.fromkeys(item.path for item in items))
    half = (len(files) + 1) // 2
    pairs = itertools.zip_longest(files[:half], reversed(files[half:]))
    order = {file: index for index, file in enumerate(itertools.chain.from_iterable(pairs))}
    items.sort(key=lambda item: order[item.path])


def pytest_collection_finish() -> None:
    """What the test modules have loaded stays: looking through it after every window takes longer
    than many a test."""
    gc.collect()
    gc.freeze()
