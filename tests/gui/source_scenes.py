"""Scenes of methods of the sources; every name comes when its scene is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtTest import QTest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.core.project import edits
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.experiments.page import RecipePage
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.knowledge.page import KnowledgePage
from pgmstudio.gui.languages.ldag.label_table import LabelTable
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_learn_page, open_model_page
from tests.gui.saved_runs import add_ended_run
from tests.gui.small_scenes import open_asia
from tests.hidden_levels import pair_model

PRICES = (("lung", "smoke", -8.0), ("bronc", "smoke", 4.0), ("asia", "xray", 2.0))
BASKETS = "bread,milk\nred wine,cheese\nbread,butter,milk\n\ncheese,red wine,bread\nmilk\n"


def alarm_rows(count: int = 1500) -> DataSet:
    """An alarm that is given when smoke, heat and dust come together, seldom otherwise."""
    rng = np.random.default_rng(5)
    causes = rng.random((3, count)) < 0.6
    alarm = rng.random(count) < np.where(causes.all(axis=0), 0.9, 0.1)
    domain = Domain.of(dict.fromkeys(("smoke", "heat", "dust", "alarm"), ("no", "yes")))
    return DataSet(domain, np.array([*causes, alarm], dtype=np.uint8))


def _model(driver: WindowDriver, learner: str, rows: object, **params: object) -> ModelPage:
    open_model_page(driver.app, add_ended_run(driver.app, rows, learner, **params))  # type: ignore[arg-type]
    page = driver.app.center.current
    assert isinstance(page, ModelPage)
    driver.settle()
    return page


def sources(driver: WindowDriver, own: Path) -> Iterator[str]:
    """Prices of edges, market baskets, default tables, separators, presets, experiments."""
    app = driver.app
    file = own / "shop.basket"
    file.write_text(BASKETS, encoding="utf-8")
    open_file(app, file)
    page = app.center.current
    assert isinstance(page, ImportPage)
    driver.wait_for("the file to be read", lambda: page.reading)
    yield "baskets"
    driver.press("importFinish")
    driver.settle()
    yield "baskets-data"
    open_asia(driver)
    prices = EdgePrices(PRICES)
    app.change("Prices", partial(edits.set_edge_prices, edge_prices=prices))
    QTest.qWait(300)
    yield "prices-canvas"
    app.workspace.select((), [("smoke", "lung")])
    driver.do("knowledge.price")
    knowledge = app.center.current
    assert isinstance(knowledge, KnowledgePage)
    driver.settle()
    yield "prices"
    _model(driver, "ldag.greedy", alarm_rows(), structure="default-table", prior="parameters")
    app.workspace.select(("alarm",))
    app.reveal("tablePanel")
    driver.window.findChild(LabelTable).views.button("reduced").click()
    QTest.qWait(600)
    yield "default-table"
    rows = pair_model(np.random.default_rng(3)).sample(2400, np.random.default_rng(4))
    settings = {"separator": "visible", "separator_columns": 2, "fine_bits": 2, "range_bits": 2}
    hidden = _model(driver, "mixture.hidden", rows, **settings)
    driver.press(f"picture.{PARTITION}")
    QTest.qWait(900)
    hidden.canvas.view.fit()
    yield "pair-partition"
    driver.do("learn.hidden-scan")
    QTest.qWait(500)
    yield "pair-candidates"
    learn = open_learn_page(app, "bn.kes")
    assert isinstance(learn, LearnPage)
    learn.findChild(object, "learnPreset").picked.emit("thesis")
    driver.settle()
    yield "preset-thesis"
    driver.do("evaluate.recipes")
    recipes = app.center.current
    assert isinstance(recipes, RecipePage)
    recipes.choose("bars")
    driver.press("recipeRunSmall")
    driver.wait_for("the end", lambda: recipes.run is not None and recipes.run.state.is_end, 60)
    QTest.qWait(300)
    yield "experiment-small"
    recipes.choose("made")
    QTest.qWait(300)
    yield "experiment-study"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"sources": sources}
