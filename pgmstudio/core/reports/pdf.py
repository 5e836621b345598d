"""A report as PDF: the page is laid out by Qt, in a process of its own.

The core does not import Qt, so it only knows the name of the module that is run there. It reads
the page from its input and writes the PDF to its output.
"""

from __future__ import annotations

import os

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.execution.module_process import run_module

_MODULE = "pgmstudio.gui.export.report_pdf"


def page_as_pdf(page: str, cancel: CancelToken) -> bytes:
    """The PDF of a page of `pgmstudio.core.reports.html`."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = run_module(_MODULE, page.encode(), environment, cancel)
    if done.code != 0 or not done.output.startswith(b"%PDF"):
        lines = done.errors.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"its process ended with {done.code}"
        raise PgmStudioError(
            f"The PDF could not be made: {reason}. Write an .html file and print it in a browser."
        )
    return done.output
