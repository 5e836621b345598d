"""Latent classes in the window: the hidden class, profiles, rows and the scan."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.languages.latent_class.class_scan import draw_scan
from pgmstudio.gui.languages.tree_mixture.assignments_page import ComponentRowsPage
from pgmstudio.gui.languages.tree_mixture.inspector import ComponentSections
from pgmstudio.gui.languages.tree_mixture.profiles_page import ProfilePage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.plots.profile_plots import Profiles, joined_by_variable
from pgmstudio.gui.plots.scan_plots import ScanPlot
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from tests.gui.mixture_pages import click_state, page_of
from tests.gui.walking import trigger
from tests.strategies import with_missing

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def star(qtbot: QtBot, window: MainWindow) -> ModelPage:
    return page_of(qtbot, window, "classes")


# -- classes


def test_evidence_on_an_item_moves_the_bars_of_the_hidden_class(
    qtbot: QtBot, window: MainWindow, star: ModelPage
) -> None:
    hidden = star.scene().nodes["class"]
    qtbot.waitUntil(lambda: hidden.face.beliefs == pytest.approx((0.5, 0.3, 0.2)))
    click_state(qtbot, star, "tax", 1)
    joint = np.array([0.5, 0.3, 0.2]) * [0.9, 0.15, 0.5]
    expected = tuple(joint / joint.sum())
    qtbot.waitUntil(lambda: hidden.face.beliefs == pytest.approx(expected))
    assert hidden.face.priors == pytest.approx((0.5, 0.3, 0.2))


def test_the_hidden_class_cannot_be_observed_and_says_why(qtbot: QtBot, star: ModelPage) -> None:
    click_state(qtbot, star, "class", 0)
    assert not star.asking.live.evidence
    assert "is hidden" in star.canvas.bubble.text
    star.asking.begin_likelihood("class")
    star.canvas.signals.target.emit("class")
    assert not star.asking.live.evidence


def test_the_inspector_reports_three_sizes_and_which_items_matter_most(
    qtbot: QtBot, window: MainWindow, star: ModelPage
) -> None:
    inspector = panel_widget(window, "inspectorPanel")
    assert isinstance(inspector, InspectorPanel)
    sections = inspector.model.findChild(ComponentSections)
    assert isinstance(sections, ComponentSections)
    qtbot.waitUntil(lambda: bool(sections.ranking.ranks))
    facts = sections.facts.facts
    # 3 classes, 5 binary items: 3·5, 2 + 15 + 1, 3·10.
    assert (facts["Size, definition"], facts["Size, tables A"]) == ("15", "18")
    assert facts["Effective size"] == "30"
    bits = [rank[2] for rank in sections.ranking.ranks]
    assert bits == sorted(bits, reverse=True)
    qtbot.mouseClick(inspector.model.explain, LEFT)
    qtbot.waitUntil(lambda: inspector.model.explained.facts.get("This is") == "exact")


def test_every_state_has_a_column_and_lines_end_with_the_variable() -> None:
    domain = Domain.of({"tax": ["no", "yes"], "party": ["a", "b", "c"], "age": ["old", "new"]})
    tables = {v.name: np.full((2, v.cardinality), 1 / v.cardinality) for v in domain}
    profiles = Profiles(domain, tables, ("class 1", "class 2"), (0.5, 0.5))
    assert profiles.columns() == [(v.name, code) for v in domain for code in range(v.cardinality)]
    xs, _ = joined_by_variable(profiles, np.full(7, 0.5))
    assert np.flatnonzero(np.isnan(xs)).tolist() == [2, 6]  # after tax and after party


def test_binary_items_have_one_column_each_and_one_line_through_all() -> None:
    domain = Domain.of({"tax": ["no", "yes"], "age": ["old", "new"]})
    tables = {v.name: np.full((2, 2), 0.5) for v in domain}
    profiles = Profiles(domain, tables, ("class 1", "class 2"), (0.5, 0.5))
    assert profiles.columns() == [("tax", 1), ("age", 1)]
    assert not np.isnan(joined_by_variable(profiles, np.full(2, 0.5))[0]).any()


def test_profiles_draw_every_class_and_follow_the_model(
    qtbot: QtBot, window: MainWindow, star: ModelPage
) -> None:
    trigger(window, "model.profiles")
    page = window.app.center.current
    assert isinstance(page, ProfilePage)
    assert page.views.current == "lines"
    result = page.plot.profiles
    assert result is not None
    assert result.names == ("class 1", "class 2", "class 3")
    higher, lower = (page.plot.position_of("tax", number) for number in (0, 1))
    assert higher.y() < lower.y()  # 90 % stands above 15 %
    assert "class 1: 90.0 %" in page.plot.text_at(QPointF(higher))
    page.show_view("map")
    assert page.map.isVisible()
    before = window.app.project.models["m1"].model
    assert isinstance(before, LatentClasses)
    even = LatentClasses(before.domain, np.full(3, 1 / 3), before.tables)
    window.app.change("Even", partial(edits.replace_model, model_id="m1", model=even))
    assert page.plot.profiles is not None
    assert page.plot.profiles.weights == pytest.approx((1 / 3,) * 3)


def test_classes_of_pixels_open_as_images_that_fit_the_page(
    qtbot: QtBot, window: MainWindow
) -> None:
    domain = Domain.of({f"r{r}c{c}": "01" for r in range(4) for c in range(4)})
    tables = tuple(np.array([[1.0, 0.0], [0.25, 0.75]]) for _ in domain)
    model = LatentClasses(domain, np.array([0.25, 0.75]), tables)
    window.app.change("Add", partial(edits.add_model, entry=ModelEntry("Pixels", model)))
    open_model_page(window.app, "m1")
    trigger(window, "model.profiles")
    page = window.app.center.current
    assert isinstance(page, ProfilePage)
    assert page.views.current == "images"
    images = page.images.images
    assert images is not None
    room = page.images.parentWidget()
    assert room is not None
    qtbot.waitUntil(lambda: page.images.height() == room.height())  # nothing to scroll
    across, zoom = page.images._layout_in(page.images._available_size())
    assert across == 2
    assert zoom > 1
    x, y = images.corner(1, across)
    message = page.images.text_at(QPointF((x + 5) * zoom, (y + 5) * zoom))
    assert message == "class 2: r0c0, 75.0 % of the way to its last state"
    assert page.images.text_at(QPointF(1, 1)) == ""


def test_no_row_is_lost_when_cells_are_missing(
    qtbot: QtBot, window: MainWindow, star: ModelPage, tmp_path: Path
) -> None:
    app = window.app
    rows = with_missing(np.random.default_rng(2), app.project.data["d1"].data, 0.4)
    app.change("Rows", partial(edits.replace_data, data_id="d1", data=rows))
    trigger(window, "model.assignments")
    page = app.center.current
    assert isinstance(page, ComponentRowsPage)
    qtbot.waitUntil(lambda: page.result is not None)
    assert page.table.model().rowCount() == rows.row_count
    page.export(tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert [int(line["row"]) for line in lines] == list(range(1, rows.row_count + 1))
    model = app.project.models["m1"].model
    assert isinstance(model, LatentClasses)
    weights = model.responsibilities(rows)
    for line, mine in zip(lines, weights, strict=True):
        assert line["class"] == f"class {mine.argmax() + 1}"
        assert float(line["responsibility"]) == pytest.approx(mine.max())
        assert float(line["p_class_2"]) == pytest.approx(mine[1])
    page.table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    first = page.table.row_at(page.table.model().index(0, 0))
    assert first == int(weights.max(axis=1).argmin())


def test_empty_and_double_classes_are_flagged_and_the_best_named(
    qtbot: QtBot, window: MainWindow
) -> None:
    def point(classes: int, bic: float, aic: float, empty: int, double: int) -> ScanPoint:
        return ScanPoint(classes, aic + 0.1, None, bic, aic, 10, 11, empty, double)

    scan = ClassScan("bic", (point(1, -5, -4.9, 0, 0), point(2, -4, -3.9, 0, 0)))
    scan = scan.with_point(point(3, -4.2, -3.8, 1, 2))
    plot = ScanPlot()
    qtbot.addWidget(plot)
    draw_scan(plot, scan)
    assert plot.curves["BIC"] == ([1, 2, 3], [-5, -4, -4.2])
    assert "held-out" not in plot.curves
    assert "BIC 2, AIC 3" in plot.hint
    assert plot.flags == {3: "1 empty, 2 double"}
