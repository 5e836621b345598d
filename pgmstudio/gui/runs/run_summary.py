"""Summary of a run, its best model and its settings, as pairs of name and value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.learning.score_definition import ScoreUnit
from pgmstudio.core.model import DirectedModel, Model, UndirectedModel, edges_of
from pgmstudio.core.number_format import counted, general, grouped
from pgmstudio.core.params import ParamKind, specs_of
from pgmstudio.gui.jobs.job import JobState
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.runs.live_model import position_text
from pgmstudio.gui.runs.model_summary import bits_text, fit_facts, fit_of, fit_per_row
from pgmstudio.gui.runs.recorded_run import AnyRun, RecordedRun, score_of
from pgmstudio.gui.runs.score_plot import HELD, WEIGHT
from pgmstudio.gui.widgets.fact_rows import Fact
from pgmstudio.gui.widgets.param_form import choice_label

# More restarts than this are as good as without end.
MAX_NAMED = 10_000
# Shown with the best model, or in the heading.
_SHOWN_ELSEWHERE = {"best score", "restart", "restarts"}
# Of the climb that came last; when the run is over only the best one counts.
_OF_LAST_CLIMB = {"score", "edges", "greediness"}


def state_text(run: AnyRun) -> str:
    """State of a run as text: its own message, or how it ended."""
    if run.is_paused and run.state is JobState.RUNNING:
        return "paused"
    match run.state:
        case JobState.QUEUED:
            return "waits"
        case JobState.RUNNING:
            return run.progress.message or "starts"
        case JobState.CANCELLING:
            return "stopping…"
        case JobState.FINISHED:
            return "finished"
        case JobState.CANCELLED:
            return "stopped, saved" if run.has_model else "stopped"
        case JobState.FAILED:
            return failure_text(run)


def failure_text(run: AnyRun) -> str:
    """Why a run failed, where that is known."""
    error = getattr(run, "error", None)
    if isinstance(error, PgmStudioError):
        return f"failed: {error}"
    notes = run.record.messages if isinstance(run, RecordedRun) else ()
    return notes[-1] if notes and notes[-1].startswith("failed: ") else "failed, see log"


def sentence_case(text: str) -> str:
    """A capital at the beginning, but not of a symbol: k = 0.5 is not K."""
    is_symbol = text[1:3] == " =" or not text[:1].isascii()
    return text if is_symbol else text[:1].upper() + text[1:]


def progress_text(run: AnyRun) -> str:
    """`52 %` while a run knows how far it is; else its state as text."""
    fraction = run.progress.fraction
    if run.state is JobState.RUNNING and not run.is_paused and fraction is not None:
        return f"{fraction:.0%}".replace("%", " %")
    return state_text(run)


def shown_counters(run: AnyRun) -> dict[str, float]:
    """What the run counts, in its own order; of an ended search nothing of its last climb."""
    counters = run.progress.counters
    is_over = run.state.is_end and "best score" in counters
    skipped = _OF_LAST_CLIMB if is_over else set()
    return {name: value for name, value in counters.items() if name not in skipped}


def counter_facts(run: LearningRun) -> list[Fact]:
    """What the run counts, as rows."""
    facts: list[Fact] = []
    counters = shown_counters(run)
    weights = [v for n, v in counters.items() if n.startswith(WEIGHT)]
    for name, value in counters.items():
        if name not in _SHOWN_ELSEWHERE and not name.startswith(WEIGHT):
            is_score = "score" in name or name == HELD
            shown = score_of(run).format(value) if is_score else number_label(value)
            first = name[:1].upper() if name[:1].isascii() else name[:1]  # λ is not Λ
            facts.append((first + name[1:].replace("_", " "), shown))
    if weights:
        light = sum(weight < 1 / (4 * len(weights)) for weight in weights)
        shown = f"{100 * min(weights):.1f} to {100 * max(weights):.1f} %"
        facts.append(("Weights", shown, "Of the trees; the plot of the run has all of them."))
        if light:
            facts.append(("Nearly empty", counted(light, "tree"), "Weight below 1/(4m)."))
    return facts


def best_facts(run: LearningRun) -> list[Fact]:
    """The score of the best model, its fit as in its own inspector, and how large it is."""
    facts: list[Fact] = []
    score = run.measures.get("score")
    rows = run.task.data.total_weight
    if score is not None:
        definition = score_of(run)
        kind, text, tip = "Search", definition.format(score), definition.text
        if definition.unit is ScoreUnit.BITS_PER_ROW:
            kind, text = "Criterion", bits_text(score)
        elif definition.unit is ScoreUnit.BITS and rows > 0:
            text, tip = f"{text} bits", f"{bits_text(score / rows)}. {tip}"
        facts.append((f"{kind}: {definition.title}", text, tip))
    per_row = run.measures.get("log2_likelihood_per_row")
    if per_row is not None and run.best is not None and rows > 0:
        facts += fit_facts(fit_of(per_row, run.best.representation_size(), rows))
    positions = [
        position_text(word, run.best_found_at[name])
        for name, word in (("restart", "restart"), ("runs", "run"), ("step", "step"))
        # Where restarts are numbered, the number of runs that had ended adds nothing.
        if name in run.best_found_at and not (name == "runs" and "restart" in run.best_found_at)
    ]
    if positions:
        facts.append(("Found in", ", ".join(positions)))
    best = run.best
    if isinstance(best, DirectedModel | UndirectedModel):
        facts.append(("Edges", grouped(len(edges_of(best)))))
    if best is not None:
        facts.append((language_of(best).size_title, grouped(best.representation_size())))
    optima, runs = run.measures.get("distinct_optima"), run.measures.get("runs")
    if optima is not None and runs is not None:
        facts.append(("Distinct optima", f"{optima:g} of {counted(int(runs), 'run')}"))
    return facts


def activity_text(run: LearningRun) -> str:
    """`Restart 6 of 11` where the run counts them."""
    counters = run.progress.counters
    done = counters.get("restart")
    # A search that makes runs of several kinds counts them itself.
    asked = counters.get("restarts", getattr(run.request.params, "restarts", 0))
    if done is None or asked == 0 or run.state.is_end:
        return "How it ended" if run.state.is_end else "Now"
    if not done:
        return "First climb" if score_of(run).unit is not ScoreUnit.BITS_PER_ROW else "First start"
    is_counted = isinstance(asked, int | float) and asked < MAX_NAMED
    of_all = f" of {grouped(int(asked))}" if is_counted else ""
    return f"Restart {grouped(int(done))}{of_all}"


def setting_facts(run: LearningRun) -> list[Fact]:
    """The settings a run was started with, those of experts only where they were changed."""
    params = run.request.params
    facts: list[Fact] = []
    for spec in specs_of(type(params)):
        value = getattr(params, spec.name)
        if spec.advanced and value == spec.default:
            continue
        facts.append((spec.title, _setting(value, spec.none_label, spec.kind), spec.help))
    facts.append(("Seed", str(run.request.seed), "The same seed gives the same model."))
    return facts


def _setting(value: Any, none_label: str | None, kind: ParamKind) -> str:
    if value is None:
        return none_label or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Knowledge):
        return counted(value.rule_count(), "rule")
    if isinstance(value, EdgePrices):
        return counted(len(value.prices), "price")
    if kind is ParamKind.OBJECT:
        return "a model"
    if kind is ParamKind.CHOICE:
        return choice_label(value)
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value))
    return _plain(value)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def number_label(value: float) -> str:
    """A count with its thousands grouped, or a few digits of another number."""
    return grouped(int(value)) if value == int(value) else general(value)


@dataclass(frozen=True)
class Evaluation:
    """Fit of a model on each part of the rows; `problem` is why it is unknown."""

    model: Model
    fits: Mapping[str, Mapping[str, float]]
    problem: str = ""

    def facts(self) -> list[Fact]:
        """Pairs of name and value; bits per row, higher is better."""
        return [
            (f"{name} ↑, {part}", bits_text(value), "Bits per row; higher is better.")
            for part, fit in self.fits.items()
            for name, value in fit.items()
        ]


def evaluate(model: Model, parts: Mapping[str, DataSet]) -> Evaluation:
    """Log-likelihood on each part; BIC and AIC where it was learned. Runs in the background."""
    fits: dict[str, dict[str, float]] = {}
    try:
        for number, (part, data) in enumerate(parts.items()):
            fit = fit_per_row(model, data)
            # A penalty for parameters makes no sense on rows that were not learned from.
            shown = fit if number == 0 else {"Log-likelihood"} & fit.keys()
            fits[part] = {name: fit[name] for name in fit if name in shown}
    except PgmStudioError as error:
        return Evaluation(model, {}, str(error))
    return Evaluation(model, fits)


def time_left_text(seconds: float | None) -> str:
    """`about 40 s left`; empty when unknown."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {round(seconds / 3600)} h left"
