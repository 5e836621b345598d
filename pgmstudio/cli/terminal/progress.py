"""Progress on standard error: a bar on a terminal, and messages."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from pgmstudio.cli.terminal.output import bar, decimal, whole
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.number_format import ascii_numbers

INTERVAL_S = 0.1


class ProgressLine:
    """A line on standard error that is overwritten; silent when quiet."""

    def __init__(self, *, quiet: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet
        self._is_animated = not quiet and self._stream.isatty()
        self._started = time.monotonic()
        self._drawn_at = 0.0
        self._is_drawn = False

    def show(self, progress: Progress) -> None:
        """Draw the bar again, at most every `INTERVAL_S`; nothing when this is no terminal."""
        now = time.monotonic()
        if not self._is_animated or now - self._drawn_at < INTERVAL_S:
            return
        self._drawn_at = now
        width = shutil.get_terminal_size().columns - 1
        text = progress_text(progress, now - self._started)[:width]
        self._write(f"\r{text.ljust(width)}")
        self._is_drawn = True

    def message(self, text: str) -> None:
        """Write a message on a line of its own."""
        if self._quiet or not text:
            return
        self.clear()
        self._write(f"{ascii_numbers(text)}\n")

    def clear(self) -> None:
        """Remove the bar."""
        if self._is_drawn:
            self._write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._is_drawn = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def progress_text(progress: Progress, seconds: float) -> str:
    """The bar, the elapsed seconds, the message and the counters."""
    parts = [f"{seconds:.0f} s"]
    if progress.fraction is not None:
        parts.insert(0, f"{bar(progress.fraction, 16)}▏{100 * progress.fraction:3.0f} %")
    if progress.message:
        parts.append(ascii_numbers(progress.message))
    parts += [
        f"{name} {whole(value) if float(value).is_integer() else decimal(value)}"
        for name, value in progress.counters.items()
    ]
    return "  ".join(parts)
