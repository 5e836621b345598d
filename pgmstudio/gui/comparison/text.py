"""Texts of a comparison: progress, legend and provenance."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio import __version__
from pgmstudio.core.experiments.comparison_rows import Line, seconds_words
from pgmstudio.core.experiments.language_comparison.results import METHOD
from pgmstudio.gui.comparison.comparison_run import ComparisonRun
from pgmstudio.gui.jobs.job import JobState


def progress_text(run: ComparisonRun) -> str:
    """Progress text, `3 of 7 learned · 12.4 s of 60 s`, or how the comparison ended."""
    counters, budget = run.progress.counters, run.settings.budget
    done = f"{counters.get('run', 0):.0f} of {counters.get('of', 0):.0f} learned"
    per = "" if budget.per == "all" else " each"
    spent = seconds_words(run.seconds)
    texts = {
        JobState.RUNNING: f"{done} · {spent} of {budget.seconds:.0f} s{per}",
        JobState.CANCELLING: "Stopping…",
        JobState.FINISHED: f"Finished after {spent}.",
        JobState.CANCELLED: f"Stopped after {spent}; the results so far are shown.",
        JobState.FAILED: f"Failed after {spent}.",
    }
    return texts.get(run.state, "")


def legend_text(lines: Sequence[Line], method: str = METHOD) -> str:
    """Legend of the table: directions, method, and the star at a time."""
    star = ""
    if any(map(_is_stopped, lines)):
        star = " * stopped early by the time budget or by the user; no verdict."
    return f"↑ higher, ↓ lower is better. {method}{star}"


def _is_stopped(line: Line) -> bool:
    return line.row.state == "stopped"


def provenance_of(run: ComparisonRun, data_name: str, made: str) -> dict[str, str]:
    """Data, split, program version and time; empty while the rows are unknown."""
    if run.rows is None:
        return {}
    seeds = run.settings.all_seeds
    split = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    data = f"{data_name} · {run.rows.fingerprint[:8]}"
    return {"Data": data, "Split": split, "Program": __version__, "Made": made}
