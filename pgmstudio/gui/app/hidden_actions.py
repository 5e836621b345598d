"""Hidden variables: the candidates of a search, with their blocks and tests."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.learning.hidden_scan import HiddenScan
from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.workers.kept_source import has_source, source_in_view

OPEN_CANDIDATES = "learn.hidden-scan"


def hidden_actions(shell: Shell) -> list[ActionSpec]:
    return [
        ActionSpec(
            OPEN_CANDIDATES,
            "Candidates for a hidden variable",
            "Learn",
            "Every model a search for hidden variables passed: length, blocks, and their test.",
            partial(_open, shell),
            icon="circles-three",
            why_not=partial(_why_not, shell),
        )
    ]


def _why_not(shell: Shell) -> str | None:
    if has_source(shell, HiddenScan.kind):
        return None
    return "learn with Hidden variables first."


def _open(shell: Shell) -> None:
    from pgmstudio.gui.pages.hidden_scan_page import open_candidates

    source = source_in_view(shell, HiddenScan.kind)
    if source is not None:
        open_candidates(shell, source)
