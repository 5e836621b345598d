"""Atomic writing of files: a file is the old one or the new one, never a part of either."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from pathlib import Path

from pgmstudio.core.errors import FileError

PART_ENDING = ".saving"

# A save takes seconds; a part this old was left behind by a program that was killed.
_LEFT_BEHIND_SECONDS = 3600.0


Stamp = tuple[int, int, int]


def file_stamp(path: Path | str) -> Stamp | None:
    """Modification time, size and inode, to detect changes; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def make_folder(path: Path | str, *, private: bool = False) -> None:
    """Make a folder and its parents where they do not exist; raises FileError with the reason.

    A `private` folder is readable by its owner only, also when it existed before.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
        if private:
            os.chmod(path, 0o700)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(path, f"no folder can be made here: {reason}.") from problem


def replace_file(path: Path | str, content: bytes, *, private: bool = False) -> None:
    """Replace a file atomically: write a temporary file in its folder, flush it and rename it.

    A reader sees either the old or the new file, also after a crash. A file that is replaced keeps
    its permissions; a `private` one is readable by its owner only. Raises FileError.
    """
    target = Path(path)
    if not target.name:  # "", "." or "/"
        raise FileError(target, "is not the name of a file. Choose one.")
    try:
        path = _behind_links(target)
        _remove_left_behind(path)
        part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{PART_ENDING}")
        try:
            _write_through(part, content, _permissions(path, private=private))
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _flush_folder(path.parent)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        if isinstance(problem, FileNotFoundError):
            reason = f"there is no folder {target.parent}"
        raise FileError(target, f"cannot be written: {reason}. Choose another folder.") from problem


def append_line(path: Path | str, line: bytes) -> None:
    """Append a line and flush it to the disk; an incomplete last line is removed first."""
    try:
        with open(path, "ab+") as file:
            file.seek(0)
            whole = file.read()
            file.truncate(whole.rfind(b"\n") + 1)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise FileError(path, f"cannot be written: {reason}.") from problem


def _behind_links(target: Path) -> Path:
    """The target of a symbolic link, so that the link is preserved."""
    path = target
    with contextlib.suppress(RuntimeError):  # links in a circle, before Python 3.13
        path = target.resolve() if target.is_symlink() else target
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return path


def _permissions(path: Path, *, private: bool) -> int | None:
    """The permissions of the new file; None for the default ones."""
    if private:
        return 0o600
    return path.stat().st_mode & 0o777 if path.exists() else None


def _write_through(part: Path, content: bytes, permissions: int | None) -> None:
    # From its first moment on the part is no more open to others than the file will be.
    mode = 0o666 if permissions is None else permissions & 0o600
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(part, how, mode), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    if permissions is not None:
        part.chmod(permissions)


def _flush_folder(folder: Path) -> None:
    # The rename itself is only on the disk when the folder is. Windows has no such call.
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove_left_behind(target: Path) -> None:
    beginning, oldest = f".{target.name}.", time.time() - _LEFT_BEHIND_SECONDS
    for entry in os.scandir(target.parent):
        if entry.name.startswith(beginning) and entry.name.endswith(PART_ENDING):
            # Another program may be tidying up too; then the part is gone already.
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(entry.path)
