"""Runs a module of this program in a process of its own, from bytes to bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile

from pgmstudio.core.execution.events import CancelToken

_LOOK_SECONDS = 0.2  # how often it is asked whether it should stop


@dataclass(frozen=True, slots=True)
class Ended:
    """What a process has written, and its exit code."""

    code: int
    output: bytes
    errors: bytes


def run_module(
    module: str, content: bytes, environment: Mapping[str, str], cancel: CancelToken
) -> Ended:
    """Run `python -m module` with the content as its input; a cancelled run is ended at once."""
    with TemporaryFile() as given:  # a pipe could fill up
        given.write(content)
        given.seek(0)
        with subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        ) as child:
            try:
                while True:
                    cancel.raise_if_cancelled()
                    try:
                        output, errors = child.communicate(timeout=_LOOK_SECONDS)
                    except subprocess.TimeoutExpired:
                        continue
                    return Ended(child.returncode, output, errors)
            finally:
                if child.poll() is None:
                    child.kill()
