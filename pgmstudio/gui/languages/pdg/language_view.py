"""The registry row of probabilistic decision graphs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.pdg")

LAMBDA_SWEEP = RunResult(
    key="pdg-scan",
    artifacts=("pdg-scan",),
    describe=lazy("lambda_sweep:lambda_sweep_content"),
    title="λ sweep",
    unit="model",
    file_name="lambda-sweep.csv",
    action_id="learn.pdg-scan",
    text="Decision graphs of the λ sweep",
    tip="Size, training and held-out bits by λ; every model can be opened.",
    missing_reason="learn a probabilistic decision graph first.",
    icon="git-fork",
    sizes=(2, 1),
)

VIEW = LanguageView(
    kind="pdg",
    extend_page=lazy("page_extension:PdgExtension"),
    description=lazy("description:DESCRIPTION"),
    inspector_sections={SubjectKind.MODEL: (lazy("size_history:TrailSection"),)},
    element_inspector=lazy("inspector:GraphNodeInspector"),
    actions=lazy("actions:graph_actions"),
    run_results=(LAMBDA_SWEEP,),
)
