"""Writing a file so that it is always the old one or the new one, never a part of either."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from pgmstudio.core.errors import FileError

PART_ENDING = ".saving"

# A save takes seconds; a part this old was left behind by a program that was killed.
_LEFT_BEHIND_SECONDS = 3600.0


def replace_file(path: Path | str, content: bytes) -> None:
    """Write `content` beside `path`, flush it to the disk and move it over; FileError says why not.

    Whoever opens `path` meanwhile, or after a crash at any moment, finds one whole file.
    """
    target = Path(path)
    try:
        place = target.resolve() if target.is_symlink() else target  # a link stays a link
        _remove_left_behind(place)
        part = place.with_name(f".{place.name}.{os.getpid()}-{secrets.token_hex(4)}{PART_ENDING}")
        try:
            _write_through(part, content)
            if place.exists():
                part.chmod(place.stat().st_mode & 0o777)
            os.replace(part, place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _flush_folder(place.parent)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(target, f"cannot be written: {reason}. Choose another place.") from problem


def _write_through(part: Path, content: bytes) -> None:
    with part.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    # The rename itself is only on the disk when the folder is. Windows has no such call.
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove_left_behind(place: Path) -> None:
    beginning, oldest = f".{place.name}.", time.time() - _LEFT_BEHIND_SECONDS
    for entry in os.scandir(place.parent):
        if entry.name.startswith(beginning) and entry.name.endswith(PART_ENDING):
            # Another program may be tidying up too; then the part is gone already.
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)
