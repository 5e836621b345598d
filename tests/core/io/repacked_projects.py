"""Project files whose members were changed by hand."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any


def repacked(content: bytes, change: Callable[[dict[str, bytes]], Any]) -> bytes:
    """The same zip with its members changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return stream.getvalue()


def edited(member: str, change: Callable[[Any], Any]) -> Callable[[dict[str, bytes]], None]:
    def edit(members: dict[str, bytes]) -> None:
        document = json.loads(members[member])
        change(document)
        members[member] = json.dumps(document).encode()

    return edit
