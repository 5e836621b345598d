"""A drawing as PNG or PDF: it is painted by Qt, in a process of its own, as the core has no Qt."""

from __future__ import annotations

import os
from importlib.util import find_spec

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.module_process import run_module

_MODULE = "pgmstudio.gui.export.svg_picture"
_BEGINNINGS = {".png": b"\x89PNG", ".pdf": b"%PDF"}

PICTURE_ENDINGS = (".svg", *_BEGINNINGS)


def picture_of(svg: str, ending: str, cancel: CancelToken = NEVER) -> bytes:
    """The content of a file with this ending, one of `PICTURE_ENDINGS`."""
    if ending == ".svg":
        return svg.encode()
    if find_spec("PySide6") is None:
        raise PgmStudioError(
            f"A {ending} file is painted by the libraries of the window, which are not installed. "
            "Write an .svg file, or install them with: pip install 'pgmstudio[gui]'."
        )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = run_module(_MODULE, f"{ending}\n{svg}".encode(), environment, cancel)
    if done.code != 0 or not done.output.startswith(_BEGINNINGS[ending]):
        lines = done.errors.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"its process ended with {done.code}"
        raise PgmStudioError(f"The picture could not be made: {reason}. Write an .svg file.")
    return done.output
