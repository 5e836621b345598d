"""Bootstrap edge frequencies, and the network of the edges above a threshold."""

from __future__ import annotations

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.bootstrap import affordable_edges, averaged_model
from pgmstudio.core.graphs.edge_frequencies import Averaged, EdgeFrequencies, EdgeFrequency
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.weighted_canvas import AveragedCanvas
from pgmstudio.gui.runs.model_data import BOOTSTRAP_OF
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import SliderField
from pgmstudio.gui.widgets.table import Column


def _percent_text(value: float) -> str:
    return f"{100 * value:.0f} %"


_COLUMNS = (
    Column("Edge", str, stretches=True, tip="In its own, the more frequent, direction."),
    Column(
        "Joined",
        _percent_text,
        True,
        tip="Fraction of replicates in which the two are adjacent.",
        explains="Fraction (replicates)",
    ),
    Column(
        "→", _percent_text, True, tip="… with this direction.", explains="Fraction (replicates)"
    ),
    Column(
        "←",
        _percent_text,
        True,
        tip="… with the other direction.",
        explains="Fraction (replicates)",
    ),
    Column(
        "Either",
        _percent_text,
        True,
        tip="… where both directions are equivalent.",
        explains="Fraction (replicates)",
    ),
)


def bootstrap_content(frequencies: EdgeFrequencies, state: ResultState) -> ResultContent | None:
    """The averaged network at a threshold, and all edges."""
    if not frequencies.graphs:
        return None
    threshold = state.value("threshold", 50)
    averaged = frequencies.averaged(threshold / 100)
    edges = frequencies.edges
    shown, joint = (len(_COLUMNS), "→") if frequencies.has_directions else (2, "–")
    return ResultContent(
        facts=_facts(frequencies),
        fields=(
            SliderField(
                "threshold",
                threshold,
                "Smallest fraction of replicates, in percent",
                "Edges that fewer replicates join are not in the network.",
                text=f"≥ {threshold} % · {counted(len(averaged.dag.edges), 'edge')}",
                label="Threshold",
            ),
        ),
        note=_warning(averaged),
        note_level="warning",
        view=ResultView(
            "graph",
            AveragedCanvas,
            lambda canvas: canvas.show_average(frequencies, averaged),
            signal=lambda canvas: canvas.selected,
            show_edge=AveragedCanvas.show_edge,
        ),
        tables=(
            ResultTable(
                "edges",
                "Edges, the most frequent first",
                _COLUMNS[:shown],
                [
                    (f"{e.source} {joint} {e.target}", e.joined, *_fractions(e))[:shown]
                    for e in edges
                ],
                edges=[(edge.source, edge.target) for edge in edges],
            ),
        ),
        opening=_opening(frequencies, state, threshold),
    )


def _fractions(edge: EdgeFrequency) -> tuple[float, float, float]:
    return edge.forward, edge.backward, edge.undirected


def _facts(frequencies: EdgeFrequencies) -> str:
    settings = frequencies.settings
    key = settings.get("learner")
    learner = learner_of(key).title if isinstance(key, str) else "a learner"
    how = "classes" if settings.get("orientation") == "class" else "graphs"
    directions = f" · directions of {how}" if frequencies.has_directions else ""
    return (
        f"{counted(frequencies.graphs, 'replicate')} of {learner}, "
        f"seed {settings.get('seed', 0)} · {counted(len(frequencies.edges), 'pair')} joined "
        f"at least once{directions}"
    )


def _warning(averaged: Averaged) -> str:
    messages = [
        f"{edge.source} → {edge.target} ({_percent_text(edge.joined)}) would close a cycle "
        "and is left out."
        for edge in averaged.left_out[:3]
    ]
    if len(averaged.left_out) > 3:
        messages.append(f"So are {len(averaged.left_out) - 3} more.")
    if not averaged.is_exact:
        messages.append("No network has exactly the v-structures that most replicates share.")
    return " ".join(messages)


def _opening(frequencies: EdgeFrequencies, state: ResultState, threshold: int) -> ModelOpening:
    def fit(task: LearnTask, _cancel: CancelToken) -> ModelEntry:
        model = averaged_model(task, frequencies, threshold / 100)
        made = {"made by": f"{BOOTSTRAP_OF}{task.learner_key}", "replicates": frequencies.graphs}
        details = {**made, "threshold": threshold / 100, "seed": task.seed}
        _, too_large = affordable_edges(task, frequencies, frequencies.averaged(threshold / 100))
        if too_large:
            edges = ", ".join(f"{source} → {target}" for source, target in too_large)
            details["left out because their tables would not fit"] = edges
        title = f"{state.run_title}, ≥ {threshold} %"
        return ModelEntry(title, model, data_id=state.data_id, provenance=details)

    tip = "The averaged network with tables from all rows, as a model of the project."
    return ModelOpening(text="Open as model", tip=tip, is_of_row=False, fit=fit)
