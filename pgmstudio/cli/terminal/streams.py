"""Standard input and output as files: the name `-` on the command line."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

STANDARD = "-"


def writes_to_standard_output(args: argparse.Namespace) -> bool:
    """Whether the file that a command writes is standard output."""
    return bool(getattr(args, "output", None) == STANDARD)


def spoken(path: str) -> str:
    """The name of a file in a message."""
    return "standard output" if path == STANDARD else path


@contextmanager
def input_file(path: str, ending: str) -> Iterator[str]:
    """The path of a file to read; standard input becomes a file with this ending."""
    if path != STANDARD:
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"standard input{ending}"
        with file.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield str(file)


@contextmanager
def output_file(path: str, ending: str) -> Iterator[str]:
    """The path of a file to write; one with this ending is copied to standard output."""
    if path != STANDARD:
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"standard output{ending}"
        yield str(file)
        sys.stdout.flush()
        with file.open("rb") as stream:
            shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()
