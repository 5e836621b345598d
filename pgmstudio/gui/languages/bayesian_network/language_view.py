"""The registry row of Bayesian networks in the window."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.bayesian_network")

RESTARTS = RunResult(
    key="restarts",
    artifacts=("optima",),
    describe=lazy("run_results:restarts_content"),
    title="Restarts",
    unit="run",
    file_name="restarts.csv",
    sizes=(3, 1),
    action_id="learn.restarts",
    text="Restarts and local optima",
    tip="Scores and times of all runs of an equivalence search, and where they ended.",
    missing_reason="learn with Equivalence search (KES) first.",
    icon="arrows-clockwise",
    separator_before=True,
)
INDEPENDENCE_TESTS = RunResult(
    key="tests",
    artifacts=("tests",),
    describe=lazy("run_results:tests_content"),
    title="Tests",
    unit="test",
    file_name="tests.csv",
    name="testLog",
    action_id="learn.tests",
    text="Tests performed",
    tip="Every independence test with its numbers; for selected nodes, why there is no edge.",
    missing_reason="learn with Independence tests (PC) or Necessary paths first.",
    icon="test-tube",
)
PC_STEPS = RunResult(
    key="pc-steps",
    artifacts=("pc",),
    describe=lazy("search_steps:pc_content"),
    title="Steps",
    unit="step",
    file_name="pc-steps.csv",
    action_id="learn.pc-steps",
    text="Steps of PC",
    tip="Every test and the edge it removes, then v-structures and what follows from them.",
    missing_reason="learn with Independence tests (PC) first.",
    icon="list-numbers",
)
# Of independences that were typed in: part of a page of its own, without an action.
STATED_STEPS = replace(
    PC_STEPS,
    key="stated-steps",
    describe=lazy("independences_page:stated_content"),
    name="statedSteps",
)
K2_STEPS = RunResult(
    key="trace",
    artifacts=("k2",),
    describe=lazy("search_steps:k2_content"),
    title="Steps",
    unit="column tried in a step",
    file_name="steps.csv",
    has_long_facts=True,
    action_id="learn.trace",
    text="Steps of K2",
    tip="What was tried as a parent in every step, and what joined.",
    missing_reason="learn with Parents along an order (K2) first.",
    icon="list-numbers",
)
POSTERIOR = RunResult(
    key="network-posterior",
    artifacts=("network-posterior",),
    describe=Lazy("pgmstudio.gui.languages.contexts.posterior:posterior_content"),
    title="Probabilities",
    unit="edge",
    file_name="probabilities.csv",
    orientation=Qt.Orientation.Horizontal,
    sizes=(34, 36),
    action_id="learn.network-probabilities",
    text="Probabilities of edges",
    tip="How often chains of graphs had each edge, and the graphs they were at most often.",
    missing_reason="learn with Markov chain Monte Carlo first.",
    icon="dice-five",
)

VIEW = LanguageView(
    kind="bayesian-network",
    inspector_sections={
        SubjectKind.TABLE: (Lazy("pgmstudio.gui.languages.ldag.inspector:SimilarRowsSection"),)
    },
    actions=lazy("actions:independence_actions"),
    run_results=(RESTARTS, INDEPENDENCE_TESTS, PC_STEPS, K2_STEPS, POSTERIOR),
)
