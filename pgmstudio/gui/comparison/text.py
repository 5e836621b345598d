"""What is said about a race beside its table: how far it is, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Sequence

from pgmstudio import __version__
from pgmstudio.core.experiments.comparison_rows import Line, seconds_words
from pgmstudio.core.experiments.language_comparison.results import METHOD
from pgmstudio.gui.comparison.comparison_run import ComparisonRun
from pgmstudio.gui.jobs.job import JobState


def progress_words(run: ComparisonRun) -> str:
    """`3 of 7 learned · 12.4 s of 60 s`, or how it ended."""
    counters, budget = run.progress.counters, run.settings.budget
    done = f"{counters.get('run', 0):.0f} of {counters.get('of', 0):.0f} learned"
    per = "" if budget.per == "all" else " each"
    spent = seconds_words(run.seconds)
    words = {
        JobState.RUNNING: f"{done} · {spent} of {budget.seconds:.0f} s{per}",
        JobState.CANCELLING: "Stopping…",
        JobState.FINISHED: f"Finished after {spent}.",
        JobState.CANCELLED: f"Stopped after {spent}; what was found stays.",
        JobState.FAILED: f"Failed after {spent}.",
    }
    return words.get(run.state, "")


def legend_words(lines: Sequence[Line], method: str = METHOD) -> str:
    """Which way is better, how it was compared, and what the star at a time means."""
    star = ""
    if any(map(_is_stopped, lines)):
        star = " * cut short when its time was up or by hand; not part of the verdict."
    return f"↑ higher, ↓ lower is better. {method}{star}"


def _is_stopped(line: Line) -> bool:
    return line.row.state == "stopped"


def provenance_of(run: ComparisonRun, data_name: str, made: str) -> dict[str, str]:
    """Data, split, program and time; nothing while the rows are not known."""
    if run.rows is None:
        return {}
    seeds = run.settings.all_seeds
    split = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    data = f"{data_name} · {run.rows.fingerprint[:8]}"
    return {"Data": data, "Split": split, "Program": __version__, "Made": made}
