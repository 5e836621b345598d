"""How the components of a mixture differ, variable by variable: lines, map, table, images."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QStackedWidget

from pgmstudio.core.analysis.tables import Cell, table_text
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.components import choice_information
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree_mixture.component_images import component_images
from pgmstudio.core.languages.tree_mixture.model import Mixture, TreeMixture
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import export_drawing
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.plots.profile_plots import ProfileImages, ProfileMap, ProfilePlot, Profiles
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import Segments, button, named, row, scrolled, vbox, widening
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.file_dialog import ask_where
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.table import Column, Table

# More columns are not followed by eye; a map of all states opens instead.
MAX_IN_LINES = 20
_VIEWS = (
    ("lines", "Lines", "One column per state, one line and marker per class."),
    ("map", "Heat map", "P(state | class) of every state."),
    ("table", "Table", "The numbers of the map."),
)
_IMAGES = ("images", "Images", "Every component as an image; its variables are the pixels.")


def profiles_of(model: Mixture) -> Profiles:
    """The items by their information about the component, the most informative first."""
    tables = model.component_marginals()
    inner = model.tree_domain if isinstance(model, TreeMixture) else model.domain
    order = list(choice_information(model))
    domain = type(inner)(tuple(inner[name] for name in order))
    return Profiles(domain, tables, model.component_names, tuple(model.weights.tolist()))


class ProfilePage(Page):
    """Follows the model of the project."""

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(f"profiles:{model_id}")
        self._app, self._id = app, model_id
        self.facts = named(ElidedLabel("", "secondary"), "profileFacts")
        self._shown_views = (*_VIEWS, *((_IMAGES,) if self._has_images() else ()))
        self.views = Segments(self._shown_views, "profileView")
        self.views.chosen.connect(self._on_view)
        self.plot = ProfilePlot("profilePlot")
        self.map = ProfileMap("profileMap")
        self.images = ProfileImages("profileImages")
        self._holder = QStackedWidget()
        self.table = Table("profileTable", "P(state | class)")
        # Many items make them wide, many states high.
        self._holder.addWidget(scrolled(self.plot, "profileScroll", is_wide=True))
        self._holder.addWidget(scrolled(self.map, "profileMapScroll", is_wide=True))
        self._holder.addWidget(self.table)
        self._holder.addWidget(scrolled(self.images, "profileImagesScroll", is_wide=True))
        export = button(
            "Export picture…",
            self._on_picture,
            icon_name="export",
            name="profileExport",
            tip="The lines, the map or the images as PNG, SVG or PDF.",
        )
        numbers = button(
            "Export CSV…",
            self._on_csv,
            icon_name="table",
            name="profileCsv",
            tip="P(state | class) of every state as a table.",
        )
        vbox(
            self,
            widening(row(self.views, self.facts, numbers, export), 1),
            (self._holder, 1),
            margins=(16, 12, 16, 8),
            spacing=8,
        )
        app.document.changed.connect(self._on_document)
        app.workspace.beliefs_changed.connect(self._on_beliefs)
        self._model: Mixture | None = None
        self._refresh()

    @property
    def title(self) -> str:
        entry = self._app.project.models.get(self._id)
        return "Profiles" if entry is None else f"Profiles of {entry.title}"

    def page_icon(self) -> QIcon:
        return icon("chart-line")

    @property
    def model_id(self) -> str | None:
        return self._id if self._id in self._app.project.models else None

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 240)

    # -- showing

    def _has_images(self) -> bool:
        entry = self._app.project.models.get(self._id)
        return entry is not None and component_images(entry.model) is not None

    def _on_document(self, before: Project, after: Project) -> None:
        if before.models.get(self._id) is not after.models.get(self._id):
            self._refresh()

    def _refresh(self) -> None:
        entry = self._app.project.models.get(self._id)
        model = None if entry is None else entry.model
        if not isinstance(model, TreeMixture | LatentClasses) or model is self._model:
            return
        first, self._model = self._model is None, model
        result = profiles_of(model)
        self.plot.show_profiles(result)
        self.map.show_profiles(result)
        self._show_table(result)
        what = "class" if isinstance(model, LatentClasses) else "tree"
        classes = counted(len(result.names), what, "classes" if what == "class" else "trees")
        self.facts.setText(f"{classes} · {counted(len(result.domain), 'item')}")
        self.facts.setToolTip(f"Items by their information about the {what}.")
        self._on_beliefs(self._id)
        images = component_images(model)
        if images is not None:
            self.images.show_images(images)
        if first and self._has_images():
            self.show_view("images")
        elif first and len(result.columns()) > MAX_IN_LINES:
            self.show_view("map")
        self.title_changed.emit()

    def _on_beliefs(self, model_id: str) -> None:
        """Evidence changes the weights at the left."""
        if model_id == self._id and self._model is not None:
            live = self._app.workspace.beliefs(self._id)
            fractions = live.component_posterior if live.evidence else ()
            if len(fractions) in (0, len(self._model.weights)):
                self.plot.show_posterior(fractions)
                self.map.show_posterior(fractions)
                self.images.show_posterior(fractions)

    def _show_table(self, result: Profiles) -> None:
        columns = [Column("Item", stretches=True), Column("State")]
        for name in result.names:
            columns.append(Column(name, lambda value: f"{100 * value:.1f} %", True))
        self.table.show_columns(columns)
        self.table.show_rows(result.rows())

    def show_view(self, key: str) -> None:
        self.views.choose(key)
        self._on_view(key)

    def _on_view(self, key: str) -> None:
        self._holder.setCurrentIndex([view[0] for view in self._shown_views].index(key))

    # -- taking away

    def _on_picture(self) -> None:
        views = {"map": self.map, "images": self.images}
        plot = views.get(self.views.current, self.plot)
        export_drawing(self._app, PlotDrawing(plot, self.title))

    def _on_csv(self) -> None:
        ask_where(self, "Export profiles", "profiles.csv", "Table (*.csv)", self.export)

    def export(self, path: Path) -> None:
        """Write P(state | class) of every state."""
        result = self.plot.profiles
        if result is None:
            return
        lines: list[list[Cell]] = [["variable", "state", *result.names]]
        for name, state, *values in result.rows():
            lines.append([str(name), str(state), *(float(str(v)) for v in values)])
        try:
            self._app.write_csv(path, table_text(lines))
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"{path.name} was written.")
