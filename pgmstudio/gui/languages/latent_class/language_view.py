"""The registry row of latent class models in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.latent_class")

CLASS_SCAN = RunResult(
    key="class-scan",
    artifacts=("class-scan",),
    describe=lazy("class_scan:class_scan_content"),
    title="Classes",
    unit="model",
    file_name="classes.csv",
    action_id="learn.class-scan",
    text="Class-count scan",
    tip="BIC, AIC and held-out bits by number of classes; every model can be opened.",
    missing_reason="learn with Latent classes first.",
    icon="circle-dashed",
)

VIEW = LanguageView(
    kind="latent-class",
    extend_page=lazy("model_view:LatentClassExtension"),
    description=lazy("model_view:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:ComponentSections"),
        )
    },
    tables=lazy("model_view:ClassTables"),
    run_results=(CLASS_SCAN,),
)
