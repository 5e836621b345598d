"""Mixtures and classes: profiles, rows, the scan of classes, trees one by one, conversions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.languages.conversions import converted, same_distribution, why_not_converted
from pgmstudio.core.languages.kinds import KIND_TITLES, a_kind, in_sentence
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency
from pgmstudio.core.languages.tree_mixture.learning.trace import MixtureScan
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.jobs.latest_task import Asker
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.project.opening import add_and_show_model
from pgmstudio.gui.runs.artifact_source import has_source, source_in_view
from pgmstudio.gui.window.action_conditions import NO_MODEL
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell, model_page_in_front

# Where a converted model keeps what the check of its distribution said.
CHECKED = "checked"


def mixture_actions(shell: Shell) -> list[ActionSpec]:
    deeds = _Deeds(shell)
    return [
        ActionSpec(
            "model.profiles",
            "Profiles of classes or trees…",
            "Model",
            "How the components of a mixture differ: a line for each, or a heat map.",
            deeds.open_profiles,
            icon="chart-line",
            why_not=deeds.why_no_mixture,
            separator_before=True,
        ),
        ActionSpec(
            "model.assignments",
            "Rows by class or tree…",
            "Model",
            "The class or tree of every row with its responsibility, to be exported.",
            deeds.open_rows,
            icon="table",
            why_not=deeds.why_no_rows,
        ),
        ActionSpec(
            "learn.class-scan",
            "Numbers of classes tried",
            "Learn",
            "BIC, AIC and held-out bits by number of classes; every model can be opened.",
            deeds.open_scan,
            icon="circle-dashed",
            why_not=deeds.why_no_scan,
        ),
        ActionSpec(
            "learn.tree-scan",
            "Numbers of trees tried",
            "Learn",
            "Bits per row by number of trees, with their spread over the starts of the run.",
            deeds.open_tree_scan,
            icon="chart-line",
            why_not=deeds.why_no_tree_scan,
        ),
        ActionSpec(
            "evaluate.adjacency",
            "Edges of restarts",
            "Evaluate",
            "How many trees or restarts of a run have each edge, as a matrix and a table.",
            deeds.open_adjacency,
            icon="dots-nine",
            why_not=deeds.why_no_adjacency,
        ),
        ActionSpec(
            "model.edit-tree",
            "Join or part the selected two in this tree",
            "Model",
            "Add or remove an edge of the tree in view; a cycle loses its weakest edge.",
            deeds.edit_tree,
            icon="tree-structure",
            why_not=deeds.why_no_tree_edit,
        ),
        ActionSpec(
            "view.trees.all",
            "All trees",
            "View/Trees of a mixture",
            "Every tree over each other.",
            deeds.show_all,
            why_not=deeds.why_no_trees,
            is_checked=deeds.shows_all,
        ),
        ActionSpec(
            "view.trees.next",
            "Next tree",
            "View/Trees of a mixture",
            "One tree alone, then the next.",
            partial(deeds.step, 1),
            keys=("Alt+N",),
            why_not=deeds.why_no_trees,
        ),
        ActionSpec(
            "view.trees.previous",
            "Previous tree",
            "View/Trees of a mixture",
            "One tree alone, then the one before.",
            partial(deeds.step, -1),
            keys=("Alt+P",),
            why_not=deeds.why_no_trees,
        ),
        *(
            ActionSpec(
                f"model.convert.{kind}",
                f"To {in_sentence(kind)}",
                "Model/Convert",
                f"A new model in the language {title} with the very same distribution.",
                partial(deeds.convert, kind),
                why_not=deeds.lacking(kind),
            )
            for kind, title in KIND_TITLES.items()
        ),
    ]


class _Deeds(QObject):
    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._converting = Asker(self)
        self._converting.answered.connect(self._on_converted)
        self._converting.failed.connect(shell.errors.report)

    @property
    def _entry(self) -> ModelEntry | None:
        return self._shell.project.models.get(self._shell.bench.model_id or "")

    # -- why not

    def why_no_mixture(self) -> str | None:
        entry = self._entry
        if entry is None:
            return NO_MODEL
        if not isinstance(entry.model, TreeMixture | LatentClasses):
            return f"{entry.title} has no classes or trees to compare."
        return None

    def why_no_rows(self) -> str | None:
        reason, entry = self.why_no_mixture(), self._entry
        if reason is not None or entry is None:
            return reason
        known = set(entry.model.domain.names)
        if any(known & set(d.data.domain.names) for d in self._shell.project.data.values()):
            return None
        return "no data set has columns of this model."

    def why_no_scan(self) -> str | None:
        if has_source(self._shell, ClassScan.kind):
            return None
        return "learn with Latent classes first."

    def why_no_tree_scan(self) -> str | None:
        if has_source(self._shell, MixtureScan.kind):
            return None
        return "learn a mixture of trees first."

    def why_no_trees(self) -> str | None:
        entry = self._entry
        if entry is None:
            return NO_MODEL
        is_one = isinstance(entry.model, TreeMixture) and len(entry.model.trees) > 1
        return None if is_one else "the model in view is no mixture of trees."

    def why_no_tree_edit(self) -> str | None:
        page = model_page_in_front(self._shell)
        if page is None or page.components is None:
            return "the model in view is no mixture of trees."
        wanted = page.components.edit()
        if isinstance(wanted, str):
            return wanted if wanted.endswith(".") else f"{wanted}."
        return None if page.components.offered is not None else "it is being tried on the rows."

    def lacking(self, kind: str) -> Callable[[], str | None]:
        def why_not() -> str | None:
            entry = self._entry
            return NO_MODEL if entry is None else why_not_converted(entry.model, kind)

        return why_not

    # -- deeds

    def open_profiles(self) -> None:
        from pgmstudio.gui.languages.tree_mixture.profiles_page import ProfilePage

        model_id = self._shell.bench.model_id
        if model_id is not None:
            make = partial(ProfilePage, self._shell, model_id)
            self._shell.open_page(f"profiles:{model_id}", make)

    def open_rows(self) -> None:
        from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage

        model_id = self._shell.bench.model_id
        if model_id is not None:
            make = partial(ComponentRowsPage, self._shell, model_id)
            self._shell.open_page(f"assignments:{model_id}", make)

    def open_scan(self) -> None:
        from pgmstudio.gui.runs.results.scan_page import open_scan

        source = source_in_view(self._shell, ClassScan.kind)
        if source is not None:
            open_scan(self._shell, source)

    def open_tree_scan(self) -> None:
        from pgmstudio.gui.runs.results.scan_page import open_tree_scan

        source = source_in_view(self._shell, MixtureScan.kind)
        if source is not None:
            open_tree_scan(self._shell, source)

    def open_adjacency(self) -> None:
        from pgmstudio.gui.runs.results.adjacency_page import adjacency_source, open_adjacency

        source = adjacency_source(self._shell)
        if source is not None:
            open_adjacency(self._shell, source)

    def why_no_adjacency(self) -> str | None:
        kinds = (Adjacency.kind, "optima", "edge-frequencies")
        if any(has_source(self._shell, kind) for kind in kinds):
            return None
        return "learn a mixture of trees, with KES, or a bootstrap first."

    def edit_tree(self) -> None:
        page = model_page_in_front(self._shell)
        if page is not None and page.components is not None:
            page.components.accept()

    def shows_all(self) -> bool:
        model_id = self._shell.bench.model_id or ""
        return self.why_no_trees() is None and not component_views(self._shell).chosen(model_id)

    def show_all(self) -> None:
        component_views(self._shell).choose(self._shell.bench.model_id or "", ())
        self._shell.book.refresh()

    def step(self, by: int) -> None:
        """The next tree alone, around the end."""
        entry, views = self._entry, component_views(self._shell)
        if entry is None or not isinstance(entry.model, TreeMixture):
            return
        model_id, count = self._shell.bench.model_id or "", len(entry.model.trees)
        chosen = views.chosen(model_id)
        start = -1 if by > 0 else 0
        views.choose(model_id, (((chosen[0] if chosen else start) + by) % count,))
        self._shell.book.refresh()

    def convert(self, kind: str) -> None:
        """A new model of the project; the old one stays."""
        entry = self._entry
        if entry is None:
            return
        self._converting.ask(partial(_converted_entry, entry, kind))  # may take a moment

    def _on_converted(self, made: ModelEntry | PgmStudioError) -> None:
        if isinstance(made, PgmStudioError):
            self._shell.errors.report(made)
        elif add_and_show_model(self._shell, made, f"Convert to {made.title}") is not None:
            self._shell.tell(str(made.provenance[CHECKED]))


def _converted_entry(
    entry: ModelEntry, kind: str, cancel: CancelToken = NEVER
) -> ModelEntry | PgmStudioError:
    """The entry of the model in another language; titles and notes go with it."""
    try:
        model: Model = converted(entry.model, kind)
        checked = same_distribution(entry.model, model, cancel)
    except PgmStudioError as refused:
        return refused
    return ModelEntry(
        f"{entry.title} as {in_sentence(kind)}",
        model,
        data_id=entry.data_id,
        node_titles=dict(entry.node_titles),
        notes=entry.notes,
        provenance={
            "made by": f"converted from {entry.title}, {a_kind(entry.model.kind)}",
            CHECKED: checked.sentence(),
        },
    )
