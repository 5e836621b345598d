"""How probable edges, labels and graphs are by chains over labelled graphs."""

from __future__ import annotations

from collections.abc import Iterable

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.ldag.learning.posterior import LdagPosterior
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.canvas.weighted_canvas import AveragedCanvas
from pgmstudio.gui.runs.results.content import (
    Edge,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import SegmentsField, SliderField
from pgmstudio.gui.widgets.table import Column


def _percent_text(value: float) -> str:
    return f"{100 * value:.1f} %"


_EDGES = (
    Column("Edge", str, stretches=True),
    Column("P", _percent_text, True, tip="Probability of the graphs that have the edge."),
    Column("P labelled", _percent_text, True, tip="Probability of those in which it has a label."),
)
_LABELS = (
    Column("Edge", str),
    Column("Vanishes where", str, stretches=True, tip="States of the other parents."),
    Column("P", _percent_text, True, tip="Probability that the edge is there and vanishes so."),
)
_GRAPHS = (
    Column("Graph", grouped, True),
    Column("P", _percent_text, True, tip="Probability among the sampled graphs of the chains."),
    Column("Score ↑", lambda bits: decimal(bits, 2), True),
    Column("Edges", str, stretches=True),
)
_TABLES = (
    ("edges", "Edges", "How probable every edge is, and how probable it is with a label."),
    ("labels", "Labels", "How probable it is that an edge vanishes in a context."),
    ("graphs", "Graphs", "The most probable graphs with their scores in bits."),
)


def posterior_content(posterior: LdagPosterior, state: ResultState) -> ResultContent:
    """The averaged graph at a threshold, and one of the tables."""
    threshold, chosen = state.value("threshold", 50), state.value("views", "edges")
    # All variables where they are known, also those without edges.
    joined = dict.fromkeys(name for e in posterior.edges for name in (e.source, e.target))
    names = tuple(joined) if state.model is None else state.model.domain.names
    frequencies = posterior.frequencies(names)
    averaged = frequencies.averaged(threshold / 100)
    labelled = {(e.source, e.target): e.labelled for e in posterior.edges}

    def strengths(edges: Iterable[Edge], fractions: EdgeFrequencies) -> Strengths:
        """Probabilities as widths; the tooltip shows directions and labels."""
        values, notes = {}, {}
        for edge in edges:
            fraction = fractions.of_pair(*edge)
            values[edge] = fraction.joined
            notes[edge] = (
                f"→ {_percent_text(fraction.forward)}, ← {_percent_text(fraction.backward)}, "
                f"with a label {_percent_text(labelled.get(edge, 0.0))}"
            )
        return Strengths("probability", "%", values, full=1.0, notes=notes)

    return ResultContent(
        facts=f"{counted(posterior.models, 'graph')} of {counted(posterior.steps, 'step')}, "
        "weighted by score, "
        f"each with its best labels · {grouped(posterior.accepted)} steps accepted",
        fields=(
            SliderField(
                "threshold",
                threshold,
                "Smallest probability of an edge, in percent",
                "Edges that are less probable, in either direction, are not in the picture.",
                text=f"≥ {threshold} % · {counted(len(averaged.dag.edges), 'edge')}",
                label="Threshold",
            ),
            SegmentsField("views", chosen, _TABLES),
        ),
        view=ResultView(
            "graph",
            AveragedCanvas,
            lambda canvas: canvas.show_average(frequencies, averaged, strengths),
            signal=lambda canvas: canvas.selected,
            show_edge=AveragedCanvas.show_edge,
        ),
        tables=(_table(posterior, chosen),),
    )


def _table(posterior: LdagPosterior, key: str) -> ResultTable:
    if key == "edges":
        return ResultTable(
            key,
            "Edges, the most probable first",
            _EDGES,
            [(f"{e.source} → {e.target}", e.probability, e.labelled) for e in posterior.edges],
            edges=[(edge.source, edge.target) for edge in posterior.edges],
            min_width=300,
        )
    if key == "labels":
        return ResultTable(
            key,
            "Contexts in which edges vanish",
            _LABELS,
            [(f"{c.source} → {c.target}", c.text, c.probability) for c in posterior.contexts],
            edges=[(context.source, context.target) for context in posterior.contexts],
        )
    graphs = enumerate(posterior.graphs, start=1)
    return ResultTable(
        key,
        "Graphs, the most probable first",
        _GRAPHS,
        [(i, g.probability, g.score, ", ".join(map(" → ".join, g.edges))) for i, g in graphs],
    )
