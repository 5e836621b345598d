"""The registry row of probabilistic decision graphs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

LAMBDA_SWEEP = RunResult(
    key="pdg-scan",
    artifacts=("pdg-scan",),
    describe=Lazy("pgmstudio.gui.languages.pdg.lambda_sweep:lambda_sweep_content"),
    title="λ sweep",
    unit="model",
    file_name="lambda-sweep.csv",
    action_id="learn.pdg-scan",
    text="Decision graphs of the λ sweep",
    tip="Size, training and held-out bits by λ; every model can be opened.",
    missing_reason="learn a probabilistic decision graph first.",
    icon="git-fork",
)

VIEW = LanguageView(
    kind="pdg",
    extend_page=Lazy("pgmstudio.gui.languages.pdg.page_extension:PdgExtension"),
    description=Lazy("pgmstudio.gui.languages.pdg.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (Lazy("pgmstudio.gui.languages.pdg.size_history:TrailSection"),)
    },
    element_inspector=Lazy("pgmstudio.gui.languages.pdg.inspector:GraphNodeInspector"),
    actions=Lazy("pgmstudio.gui.languages.pdg.actions:graph_actions"),
    run_results=(LAMBDA_SWEEP,),
)
