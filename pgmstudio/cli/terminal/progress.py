"""Progress on standard error: a bar that moves on a terminal, else only the sentences."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from pgmstudio.cli.terminal.tables import bar, decimal, whole
from pgmstudio.core.execution.events import Progress

INTERVAL_S = 0.1


class ProgressLine:
    """One line on standard error that is written over; nothing at all when quiet."""

    def __init__(self, *, quiet: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet
        self._moves = not quiet and self._stream.isatty()
        self._started = time.monotonic()
        self._drawn_at = 0.0
        self._is_drawn = False

    def show(self, progress: Progress) -> None:
        """Draw the bar anew, not more often than an eye can follow."""
        now = time.monotonic()
        if not self._moves or now - self._drawn_at < INTERVAL_S:
            return
        self._drawn_at = now
        width = shutil.get_terminal_size().columns - 1
        text = line_of(progress, now - self._started)[:width]
        self._write(f"\r{text.ljust(width)}")
        self._is_drawn = True

    def say(self, sentence: str) -> None:
        """A sentence on a line of its own: a note, or the outcome."""
        if self._quiet or not sentence:
            return
        self.clear()
        self._write(f"{sentence}\n")

    def clear(self) -> None:
        """Take the bar away."""
        if self._is_drawn:
            self._write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._is_drawn = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def line_of(progress: Progress, seconds: float) -> str:
    """The bar, the seconds so far, what is being done and the counters."""
    parts = [f"{seconds:.0f} s"]
    if progress.fraction is not None:
        parts.insert(0, f"{bar(progress.fraction, 16)}▏{100 * progress.fraction:3.0f} %")
    if progress.message:
        parts.append(progress.message)
    parts += [
        f"{name} {whole(value) if float(value).is_integer() else decimal(value)}"
        for name, value in progress.counters.items()
    ]
    return "  ".join(parts)
