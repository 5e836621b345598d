"""Calling the command line in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.__main__ import main


@dataclass(frozen=True)
class Called:
    """What a call left: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        result = json.loads(self.out)
        assert isinstance(result, dict)
        return result


Call = Callable[..., Called]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """call("query", model, "--json"): arguments to exit code and streams."""

    def caller(*argv: object) -> Called:
        capsys.readouterr()
        try:
            code = main([str(word) for word in argv])
        except SystemExit as ended:  # argparse leaves this way after --help
            code = int(ended.code or 0)
        streams = capsys.readouterr()
        return Called(code, streams.out, streams.err)

    return caller


@pytest.fixture
def asia(sample_data: Path) -> Path:
    return sample_data / "asia.json"


@pytest.fixture
def asia_rows(sample_data: Path) -> Path:
    return sample_data / "asia_sample.csv"
