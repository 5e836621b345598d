"""Fixtures for the tests of files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def read_in_this_process() -> Iterator[None]:
    """Small sound tables need no child, whose start takes longer than all the rest.

    A module whose tests are about the child has a fixture of this name that does nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pgmstudio.core.io.data.reader.is_limited", lambda: True)
        yield
