"""Unpacking a project file a little at a time, with limits, trusting nothing in it."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pgmstudio.core.data.counting import ReportFraction
from pgmstudio.core.errors import ProjectFileError
from pgmstudio.core.execution.events import CancelToken

MAX_MEMBERS = 20_000
MAX_BYTES = 1 << 32
# A file that grows this much on unpacking, beyond a size any project is welcome to, is a trap.
_FREE_BYTES = 1 << 28
_MAX_GROWTH = 500
_PIECE = 1 << 20

# What the zip module raises on files that are no zips or were cut off, edited or made up.
_ZIP_PROBLEMS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def members_in(
    stream: IO[bytes], path: Path, cancel: CancelToken, report: ReportFraction
) -> tuple[dict[str, bytearray], dict[str, str]]:
    """What the files inside hold, by name, and what is wrong with those that are damaged;
    ProjectFileError where it is no project's file."""
    try:
        with zipfile.ZipFile(stream) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _check_members(infos, path)
            total = sum(info.file_size for info in infos) or 1
            members: dict[str, bytearray] = {}
            damaged: dict[str, str] = {}
            done = 0
            for info in infos:
                content = bytearray()
                try:
                    for piece in _pieces(archive, info):
                        cancel.raise_if_cancelled()
                        content += piece
                        report((done + len(content)) / total)
                except _ZIP_PROBLEMS as problem:
                    damaged[info.filename] = str(problem)
                else:
                    members[info.filename] = content
                done += info.file_size
            return members, damaged
    except _ZIP_PROBLEMS as problem:
        raise ProjectFileError(
            path,
            f"is damaged or not a project file ({problem}). Open a copy of it, if there is one.",
        ) from problem


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Contents of a member in pieces, so that cancelling is quick and no thread waits long."""
    length = 0
    with archive.open(info) as member:
        while piece := member.read(min(_PIECE, info.file_size + 1 - length)):
            length += len(piece)
            yield piece
    if length != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} is not as long as its header states")


def _check_members(infos: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuse before anything is unpacked."""
    names = [info.filename for info in infos]
    if len(names) > MAX_MEMBERS:
        raise ProjectFileError(path, f"holds {len(names)} files; that is no project.")
    if len(set(names)) != len(names):
        raise ProjectFileError(path, "holds two files of the same name; it was tampered with.")
    for info in infos:
        parts = info.filename.split("/")
        if "\\" in info.filename or ":" in info.filename or {"", ".", ".."} & set(parts):
            raise ProjectFileError(path, f"holds a file with an odd name, {info.filename!r}.")
        if info.flag_bits & 1:
            raise ProjectFileError(path, "is encrypted; unpack it and pack it without a password.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ProjectFileError(path, f"{info.filename} is packed in a way no project is.")
    unpacked = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if unpacked > MAX_BYTES or (unpacked > _FREE_BYTES and unpacked > _MAX_GROWTH * packed):
        raise ProjectFileError(path, f"would unpack to {unpacked >> 20} MB; that is no project.")
