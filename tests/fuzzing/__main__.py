"""Damaged and hostile files for every reader: `python -m tests.fuzzing --cases 2000`.

A child process reads one file after another under a memory limit and a timer; it is started again
where it ended. What may come of a file: a value, or a message for people. A traceback, a hang, or
the end of a child that the program itself would not have started is a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.child_reading import limit_memory
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE
from tests.fuzzing.hostile import hostile_files
from tests.fuzzing.readers import READERS, Reader

HANG_SECONDS = 10  # of computing, so that a busy machine does not count
MEMORY_BYTES = 2 << 30
ROOT = Path(__file__).resolve().parents[2]

Case = tuple[str, Reader, str, Callable[[], bytes]]  # reader's name, reader, file name, content


class Hang(BaseException):
    """The timer of a file ran out."""


@dataclass
class LanguageTally:
    """What came of the files."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # by reader and outcome
    failures: list[str] = field(default_factory=list)

    def add(self, reader: str, outcome: str, file: str, message: str = "") -> None:
        self.outcomes[reader, outcome] += 1
        if outcome not in ("value", "message", "child ended"):
            self.failures.append(f"{reader}, {file}: {outcome} {message}")


def cases(names: Sequence[str], count: int, seed: int, *, hostile: bool) -> Iterator[Case]:
    """The files in their order, which is the same in parent and child."""
    for name in names:
        reader = READERS[name]
        for number in range(count):

            def content(reader: Reader = reader, number: int = number) -> bytes:
                return reader.case(number, seed)

            yield name, reader, reader.file_name, content
    if hostile:
        for name, file_name, made in hostile_files():
            yield name, READERS[name], file_name, made


def read_all(result: Iterator[Case], first: int) -> None:
    """The child: read from number `first` on, with a line before and after each file."""

    def ring(*_: object) -> None:
        raise Hang

    signal.signal(signal.SIGPROF, ring)
    folder = Path(tempfile.mkdtemp())
    messages = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    os.environ[LIMIT_VARIABLE] = f"{MEMORY_BYTES / (1 << 30)}"
    limit_memory(MEMORY_BYTES)
    for number, (_, reader, file_name, content) in enumerate(result):
        if number < first:
            continue
        path = folder / file_name
        path.write_bytes(content())
        print(json.dumps([number]), file=messages, flush=True)
        message = ""
        signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
        try:
            reader.read(path)
            outcome = "value"
        except PgmStudioError as problem:
            outcome = "message" if str(problem).strip() else "empty message"
        except Hang:
            outcome = "hang"
        except BaseException:
            outcome, message = "traceback", traceback.format_exc()
        signal.setitimer(signal.ITIMER_PROF, 0)
        path.unlink()
        print(json.dumps([number, outcome, message]), file=messages, flush=True)


def run(names: Sequence[str], count: int, seed: int = 0, *, hostile: bool = True) -> LanguageTally:
    """Have children read all files; they are replaced as they end."""
    tally = LanguageTally()
    listed = [
        (name, reader, file) for name, reader, file, _ in cases(names, count, seed, hostile=hostile)
    ]
    first = 0
    while first < len(listed):
        report = json.dumps([list(names), count, seed, hostile, first])
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzzing", "--child", report],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        begun, first = _follow(child, listed, first, tally)
        if begun is not None:  # it ended, or had to be ended, in the middle of this file
            name, reader, file = listed[begun]
            status = child.returncode
            is_hang = status == -signal.SIGKILL
            outcome = "hang" if is_hang else "child ended" if reader.ends_child else "abort"
            tally.add(name, outcome, f"{file}, number {begun}", f"status {status}")
            first = begun + 1
    return tally


def _follow(
    child: subprocess.Popen[bytes],
    listed: Sequence[tuple[str, Reader, str]],
    first: int,
    tally: LanguageTally,
) -> tuple[int | None, int]:
    """What a child says until it ends: the file it left unfinished, and the next to be read."""
    assert child.stdout is not None
    begun: int | None = None
    left = b""
    with child.stdout as stream:
        while True:
            # Native code does not hear the timer; making a file and starting take their time, too.
            ready, _, _ = select.select([stream], [], [], 6 * HANG_SECONDS)
            if not ready:
                child.kill()
                break
            piece = os.read(stream.fileno(), 1 << 16)
            if not piece:
                break
            *lines, left = (left + piece).split(b"\n")
            for line in lines:
                number, *outcome = json.loads(line)
                begun = None if outcome else number
                if outcome:
                    name, _, file = listed[number]
                    tally.add(name, outcome[0], f"{file}, number {number}", outcome[1])
                    first = number + 1
    child.wait()
    if begun is None and first < len(listed) and child.returncode:
        tally.failures.append(f"a child ended with status {child.returncode} between files")
        first = len(listed)
    return begun, first


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("readers", nargs="*", help="only these (default: all)")
    parser.add_argument("--cases", type=int, default=2000, help="files for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args(words)
    if args.child:
        names, count, seed, hostile, first = json.loads(args.child)
        read_all(cases(names, count, seed, hostile=hostile), first)
        return 0
    tally = run(args.readers or list(READERS), args.cases, args.seed, hostile=not args.readers)
    for name in READERS:
        sums = {kind: n for (other, kind), n in sorted(tally.outcomes.items()) if other == name}
        if sums:
            parts = ", ".join(f"{count} {outcome}" for outcome, count in sums.items())
            print(f"{name}: {sum(sums.values())} files: {parts}")
    for failure in tally.failures:
        print(failure)
    total = sum(tally.outcomes.values())
    print(f"{total} files, {len(tally.failures)} failures")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
