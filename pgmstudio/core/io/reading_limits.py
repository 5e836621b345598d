"""Limits on files that are read: regular files only, up to a maximum unpacked size.

The limit is one number of gigabytes, for the unpacked size of a file and for the memory of the
process that reads it. It travels in an environment variable, so that child processes have it too.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from pgmstudio.core.errors import FileError

LIMIT_VARIABLE = "PGMSTUDIO_READ_LIMIT"
DEFAULT_GIGABYTES = 4
HOW_TO_RAISE = (
    f"If it is sound, raise the limit: in Preferences, by --read-limit GB, or by {LIMIT_VARIABLE}."
)
# Models and plans are text that Python takes apart, in several times its size.
_TEXT_FRACTION = 8
_PIECE = 1 << 22

ErrorType = Callable[[Path, str], FileError]


def read_limit() -> int:
    """The limit in bytes."""
    try:
        gigabytes = float(os.environ.get(LIMIT_VARIABLE, ""))
    except ValueError:
        gigabytes = DEFAULT_GIGABYTES
    is_usable = 0 < gigabytes < 1 << 20
    return int((gigabytes if is_usable else DEFAULT_GIGABYTES) * (1 << 30))


def text_limit() -> int:
    """The limit for models, rules and plans, in bytes."""
    return read_limit() // _TEXT_FRACTION


def set_read_limit(gigabytes: float) -> None:
    """Set the limit for this process and its children."""
    os.environ[LIMIT_VARIABLE] = f"{gigabytes:g}"


def size_text(size: int) -> str:
    """Size in bytes as text: 4 GB, 512 MB."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.3g} GB"
    return f"{size / (1 << 20):.3g} MB" if size >= 1 << 20 else f"{size / (1 << 10):.3g} KB"


def too_large(path: Path, limit: int, error: ErrorType) -> FileError:
    """The error for a file that is too large when unpacked."""
    message = (
        f"has more than {size_text(limit)} when unpacked, the limit for reading. {HOW_TO_RAISE}"
    )
    return error(path, message)


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def check_regular(path: Path, error: ErrorType) -> None:
    """Raise an error unless the file is regular: pipes and devices may never end."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as absent:
        raise error(path, "does not exist.") from absent
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise error(path, f"cannot be read: {reason}.") from problem
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
        raise error(path, f"is {kind}, not a file.")


def read_unpacked(path: Path, limit: int, error: ErrorType) -> bytes:
    """The content of a regular file, unpacked when it ends in .gz; refused beyond `limit`."""
    check_regular(path, error)
    content = io.BytesIO()
    try:
        with contextlib.ExitStack() as opened:
            stream: io.BufferedIOBase = opened.enter_context(path.open("rb"))
            if path.suffix.lower() == ".gz":
                stream = opened.enter_context(gzip.GzipFile(fileobj=stream))
            while piece := stream.read(_PIECE):
                content.write(piece)
                if content.tell() > limit:
                    raise too_large(path, limit, error)
    except (gzip.BadGzipFile, EOFError, zlib.error) as broken:
        raise error(path, f"is not a whole gzip file ({broken}).") from broken
    except OSError as problem:
        raise error(path, f"cannot be read: {problem.strerror or problem}.") from problem
    return content.getvalue()


def unpacks_beyond(path: Path, limit: int) -> bool:
    """Whether a .gz file has more than `limit` when unpacked; a damaged one does not."""
    size = 0
    with contextlib.suppress(OSError, EOFError, zlib.error), gzip.open(path, "rb") as stream:
        while size <= limit and (piece := stream.read(_PIECE)):
            size += len(piece)
    return size > limit
