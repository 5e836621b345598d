"""Conditional independence tests of a relation, and the graph that follows the threshold ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.drawing.diagram import EdgeStyle, GraphPicture, edges_of, variable_nodes
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    Skeleton,
    skeleton_search,
)
from pgmstudio.core.languages.relational_network.learning.tests import (
    RelationalTestParams,
    RelationTester,
)
from pgmstudio.core.languages.relational_network.pairs import (
    hartley_counts,
    hartley_gain_bits,
    hartley_terms,
)
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.gain_tests import gain_outcome
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.scores.association_measures import AGGREGATIONS
from pgmstudio.gui.canvas.weighted_canvas import StepCanvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.results.fields import ComboField, ComboWidget, SliderField, SliderWidget
from pgmstudio.gui.widgets.basic import button, label, row, vbox, wide_first
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column, Table

STEP_BITS = 0.01  # of the slider
_SLICES = (
    Column(
        "Slice", stretches=True, tip="The states of the condition.", cell_tip=lambda row: row[0]
    ),
    Column("Hartley gain within it"),
    Column(
        "Gain",
        lambda bits: decimal(bits, 2),
        True,
        tip="In bits.",
        explains="Hartley information gain",
    ),
)


def independence_text(a: str, b: str, given: Sequence[str]) -> str:
    """“color ⊥ size | shape”."""
    return f"{a} ⊥ {b}" + (f" | {', '.join(given)}" if given else "")


@dataclass(frozen=True, eq=False)
class TestedGraph:
    """The graph that the tests of a relation leave with a threshold."""

    __test__ = False  # nothing for pytest to collect

    tester: RelationTester
    skeleton: Skeleton


def tested_graph(
    relation: Relation, epsilon: float, aggregation: str, cancel: CancelToken
) -> TestedGraph:
    tester = RelationTester(relation, epsilon, aggregation)
    rules = EdgeRules.of(relation.domain.names, None, None)
    most = RelationalTestParams().max_condition
    search = skeleton_search(tester, rules, cancel, max_condition=most)
    return TestedGraph(tester, run_to_end(search))


class TestsView(QWidget):
    """The graph follows the slider; a test shows the gains within the slices of its condition."""

    __test__ = False  # nothing for pytest to collect

    graph_changed = Signal(object)  # the edges, as pairs of numbers
    graph_requested = Signal(object)  # the same, to be that of the model

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._relation: Relation | None = None
        self.result: TestedGraph | None = None
        self._step, self._aggregation = 0, AGGREGATIONS[0]
        self._task = LatestTask(self, self._on_result, app.errors.report)
        self.slider = SliderWidget("testsEpsilon", self._slider_field())
        self.slider.changed.connect(self._on_epsilon)
        self._combo = ComboWidget("testsAggregation", self._combo_field())
        self._combo.changed.connect(self._on_aggregation)
        self.text = label("", "secondary", size="dense", wrap=True, name="testsText")
        self.canvas = StepCanvas()
        self.tests = Table(
            "relationTests",
            "Tests in the order they were made",
            (
                Column("Test", stretches=True, cell_tip=lambda row: row[0]),
                Column(
                    "Gain",
                    lambda bits: f"{'✓ ' if self._holds(bits) else ''}{decimal(bits, 2)}",
                    True,
                    tip="Hartley gain in bits, aggregated. ✓: at most ε, so the pair counts as "
                    "independent.",
                    explains="Bits (Hartley)",
                    color=lambda row: "success_ink" if self._holds(row[1]) else None,
                    weight=lambda row: "semibold" if self._holds(row[1]) else "regular",
                ),
            ),
        )
        self.tests.selected.connect(self._on_test)
        self.slices = Table("relationSlices", "Slices of the selected test", _SLICES)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        for part in (self.canvas, self.tests, self.slices):
            split.addWidget(part)
        split.setSizes([220, 160, 130])
        use = button(
            "Use this graph",
            self._on_use,
            icon_name="check",
            name="testsUse",
            tip="Give the model the graph of these tests with the projections of the relation.",
        )
        head = (row(self.slider, None), row(self._combo, None), wide_first(row(self.text, use)))
        vbox(self, *head, (split, 1), spacing=6)

    @property
    def epsilon(self) -> float:
        """The threshold in bits."""
        return self._step * STEP_BITS

    def _holds(self, gain_bits: float) -> bool:
        return gain_outcome(gain_bits, self.epsilon).independent

    def show_relation(self, relation: Relation, epsilon: float) -> None:
        """Test another relation, at first with this threshold."""
        if relation is self._relation:
            return
        self._relation = relation
        self._step = round(epsilon / STEP_BITS)
        self._ask()

    def forget(self) -> None:
        """The page is closed."""
        self._task.forget()
        self.canvas.stop()

    def _slider_field(self) -> SliderField:
        cards = (2, 2) if self._relation is None else self._relation.domain.cardinalities
        second = sorted(cards)[-2] if len(cards) > 1 else 2  # no pair has a larger gain
        return SliderField(
            "epsilon",
            self._step,
            "Threshold ε of the tests",
            "A pair counts as independent if its gain is at most this. 0 is the exact test.",
            text=f"{decimal(self.epsilon, 2)} bits",
            label="ε",
            limits=(0, max(self._step, math.ceil(math.log2(max(2, second)) / STEP_BITS))),
        )

    def _combo_field(self) -> ComboField:
        return ComboField(
            "aggregation",
            self._aggregation,
            {key: choice_label(key) for key in AGGREGATIONS},
            "How the gains within the slices of a condition are aggregated.",
            "Aggregation",
        )

    def _on_epsilon(self, step: int) -> None:
        self._step = step
        self._ask()

    def _on_aggregation(self, key: str) -> None:
        self._aggregation = key
        self._ask()

    def _on_use(self) -> None:
        if self.result is not None:
            self.graph_requested.emit(self.result.skeleton.pairs)

    def _ask(self) -> None:
        self.slider.show_field(self._slider_field())
        self._combo.show_field(self._combo_field())
        if self._relation is not None:
            self._task.ask(partial(tested_graph, self._relation, self.epsilon, self._aggregation))

    def _on_result(self, result: TestedGraph) -> None:
        self.result = result
        names, skeleton = result.tester.names, result.skeleton
        nodes = variable_nodes(names)
        complete = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
        arranged = GraphPicture(nodes, edges_of(complete, EdgeStyle.UNDIRECTED))
        picture = GraphPicture(nodes, edges_of(skeleton.edges, EdgeStyle.UNDIRECTED))
        self.canvas.show_picture(self._relation, arranged, picture)
        edges = counted(len(skeleton.edges), "edge")
        self.text.setText(f"{edges} left by {counted(len(skeleton.tests), 'test')}.")
        chosen = self.tests.current
        self.tests.show_rows(
            [
                (
                    independence_text(test.a, test.b, test.given),
                    test.outcome.bits,
                )
                for test in skeleton.tests
            ]
        )
        if skeleton.tests:
            self.tests.select(min(chosen or 0, len(skeleton.tests) - 1))
        self.graph_changed.emit(skeleton.pairs)

    def _on_test(self, number: int) -> None:
        if self.result is None:
            return
        tester = self.result.tester
        test = self.result.skeleton.tests[number]
        domain = tester.relation.domain
        given = [domain.index(name) for name in test.given]
        table = tester.slices(domain.index(test.a), domain.index(test.b), given)
        conditions = tester.relation.project(given).T.tolist()
        rows = []
        for codes, occurs in zip(conditions, [] if table is None else table > 0, strict=False):
            states = (domain[n].states[c] for n, c in zip(test.given, codes, strict=True))
            counts = hartley_counts(occurs)
            slice_text = ", ".join(states) or "all"
            rows.append((slice_text, hartley_terms(counts), hartley_gain_bits(counts)))
        self.slices.show_rows(rows)
