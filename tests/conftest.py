"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Before anything imports Qt: tests never need a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

settings.register_profile(
    "suite", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("suite")

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
