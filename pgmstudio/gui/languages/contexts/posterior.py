"""How probable edges, contexts and graphs are by a search over graphs with contexts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.learning.structure_posterior import StructurePosterior
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


@dataclass(frozen=True)
class _Texts:
    """What a language calls the parts."""

    joint: str  # between the ends of an edge
    label: str  # what an edge that vanishes in contexts has
    others: str  # whose states are a context


_LABELS = _Texts(" → ", "label", "other parents")
_CONTEXTS = _Texts(" – ", "context", "common neighbours")


def _percent_text(value: float) -> str:
    return f"{100 * value:.1f} %"


def posterior_content(posterior: StructurePosterior, state: ResultState) -> ResultContent:
    """The averaged graph at a threshold, and one of the tables."""
    is_undirected = not posterior.is_directed
    words = _CONTEXTS if is_undirected else _LABELS
    label = words.label
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
            with_label = labelled.get(edge, labelled.get(edge[::-1], 0.0))
            directions = (
                ""
                if is_undirected
                else f"→ {_percent_text(fraction.forward)}, ← {_percent_text(fraction.backward)}, "
            )
            part = f"with a {label} {_percent_text(with_label)}" if posterior.has_contexts else ""
            notes[edge] = f"{directions}{part}".rstrip(", ")
        return Strengths("probability", "%", values, full=1.0, notes=notes)

    both = "" if is_undirected else ", in either direction,"
    labels = (
        "labels",
        f"{label.capitalize()}s",
        "How probable it is that an edge vanishes in a context.",
    )
    also = f", and how probable it is with a {label}" if posterior.has_contexts else ""
    tables = (
        ("edges", "Edges", f"How probable every edge is{also}."),
        *([labels] if posterior.has_contexts else []),
        ("graphs", "Graphs", "The most probable graphs with their scores in bits."),
    )
    best = f", each with its best {label}s" if posterior.has_contexts else ""
    # Without steps all graphs were scored.
    graphs = counted(posterior.models, "graph")
    graphs = f"{graphs} of {counted(posterior.steps, 'step')}" if posterior.steps else graphs
    accepted = f" · {grouped(posterior.accepted)} steps accepted" if posterior.steps else ""
    return ResultContent(
        facts=f"{graphs}, {posterior.weighting}{best}{accepted}",
        fields=(
            SliderField(
                "threshold",
                threshold,
                "Smallest probability of an edge, in percent",
                f"Edges that are less probable{both} are not in the picture.",
                text=f"≥ {threshold} % · {counted(len(averaged.dag.edges), 'edge')}",
                label="Threshold",
            ),
            SegmentsField("views", chosen, tables),
        ),
        view=ResultView(
            "graph",
            AveragedCanvas,
            lambda canvas: canvas.show_average(frequencies, averaged, strengths),
            signal=lambda canvas: canvas.selected,
            show_edge=AveragedCanvas.show_edge,
        ),
        tables=(_table(posterior, chosen, words),),
    )


def _table(posterior: StructurePosterior, key: str, words: _Texts) -> ResultTable:
    label, joint = words.label, words.joint
    edge_column = Column("Edge", str, stretches=key == "edges")
    if key == "edges":
        columns = (
            edge_column,
            Column("P", _percent_text, True, tip="Probability of the graphs that have the edge."),
            Column(
                "P labelled" if label == "label" else "P with context",
                _percent_text,
                True,
                tip=f"Probability of those in which it has a {label}.",
            ),
        )
        shown = 3 if posterior.has_contexts else 2
        return ResultTable(
            key,
            "Edges, the most probable first",
            columns[:shown],
            [
                (joint.join((e.source, e.target)), e.probability, e.labelled)[:shown]
                for e in posterior.edges
            ],
            edges=[(edge.source, edge.target) for edge in posterior.edges],
        )
    if key == "labels":
        return ResultTable(
            key,
            "Contexts in which edges vanish",
            (
                edge_column,
                Column("Vanishes where", str, stretches=True, tip=f"States of the {words.others}."),
                Column(
                    "P",
                    _percent_text,
                    True,
                    tip="Probability that the edge is there and vanishes so.",
                ),
            ),
            [(joint.join((c.source, c.target)), c.text, c.probability) for c in posterior.contexts],
            edges=[(context.source, context.target) for context in posterior.contexts],
        )
    graphs = enumerate(posterior.graphs, start=1)
    return ResultTable(
        key,
        "Graphs, the most probable first",
        (
            Column("Graph", grouped, True),
            Column("P", _percent_text, True, tip="Probability among the graphs that were scored."),
            Column("Score ↑", lambda bits: decimal(bits, 2), True),
            Column("Edges", str, stretches=True),
        ),
        [(i, g.probability, g.score, ", ".join(map(joint.join, g.edges))) for i, g in graphs],
    )
