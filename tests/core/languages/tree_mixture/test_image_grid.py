"""Components as images: when variables are pixels, how dark they are, and which edges run there."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.component_images import (
    component_images,
    image_grid,
    images_of,
    images_svg,
)
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.strategies import random_mixture

SVG = "{http://www.w3.org/2000/svg}"


def test_rows_and_columns_are_read_from_the_names_in_any_order() -> None:
    grid = image_grid(["r2c1", "r1c3", "r1c1", "r2c3", "r1c2", "r2c2"])
    assert grid is not None
    assert (grid.rows, grid.columns) == (2, 3)
    assert grid.cells["r2c3"] == (1, 2)
    pair = image_grid(
        [f"{side}_r{r}c{c}" for side in ("left", "right") for r in "12" for c in "12"]
    )
    assert pair is not None
    assert (pair.rows, pair.columns) == (2, 4)
    assert pair.cells["right_r1c1"] == (0, 2)
    line = image_grid([f"pixel{i}" for i in range(9)])
    assert line is not None
    assert line.cells["pixel5"] == (1, 2)


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["r1c1", "r1c2", "r2c1"],  # a gap
        ["r1c1", "r1c2"],  # one row is no image
        ["r1c1", "r1c2", "r2c1", "r2c2", "class"],
        ["Q1_1", "Q1_2", "Q2_1", "Q2_2"],  # items of a questionnaire
        [f"V{i}" for i in range(16)],
        [f"pixel{i}" for i in (1, 2, 3, 5)],
    ],
)
def test_other_names_are_no_image(names: list[str]) -> None:
    assert image_grid(names) is None


def pixels(classes: int) -> LatentClasses:
    names = [f"r{r}c{c}" for r in (1, 2) for c in (1, 2)]
    domain = Domain.of({name: "012" if name == "r2c2" else "01" for name in names})
    rng = np.random.default_rng(3)
    tables = tuple(rng.dirichlet(np.ones(v.cardinality), size=classes) for v in domain)
    return LatentClasses(domain, np.full(classes, 1 / classes), tables)


def test_a_pixel_is_as_dark_as_its_expected_state() -> None:
    model = pixels(3)
    images = images_of(model)
    assert images.names == ("class 1", "class 2", "class 3")
    assert images.values["r1c1"] == pytest.approx(model.tables[0][:, 1])
    wide = model.tables[3]
    assert images.values["r2c2"] == pytest.approx(wide[:, 1] / 2 + wide[:, 2])
    drawn = ElementTree.fromstring(images_svg(images, title="Four pixels"))
    assert len(drawn.findall(f".//{SVG}rect")) == 1 + 3 * 4
    assert not drawn.findall(f".//{SVG}path")
    assert "class 2, 33.3 %" in {node.text for node in drawn.iter(f"{SVG}text")}


def test_the_edges_of_a_tree_run_between_its_pixels_and_all_stays_on_the_page() -> None:
    domain = Domain.of({f"r{r}c{c}": "01" for r in (1, 2) for c in (1, 2, 3)})
    near, even = np.array([[0.9, 0.1], [0.2, 0.8]]), np.full(2, 0.5)
    tree = Tree(domain, (None, 0, 0, None, 3, None), (even, near, near, even, near, even))
    images = component_images(TreeMixture(domain, np.array([0.25] * 4), (tree,) * 4))
    assert images is not None
    assert set(images.edges[0]) == {("r1c1", "r1c2"), ("r1c1", "r1c3"), ("r2c1", "r2c2")}
    width, height = images.size()
    for number in range(4):
        for edge in images.edges[number]:
            start, bend, end = images.route(number, edge)
            assert all(0 < x < width and 0 < y < height for x, y in (start, bend, end))
    start, bend, end = images.route(0, ("r1c1", "r1c3"))
    assert bend[1] != pytest.approx(start[1])  # it does not lie on the pixel between
    drawn = ElementTree.fromstring(images_svg(images, theme="dark"))
    assert len(drawn.findall(f".//{SVG}path")) == 4 * 3


def test_a_model_without_pixels_shows_what_it_lacks() -> None:
    model = random_mixture(np.random.default_rng(0), 4, 2)
    assert component_images(model) is None
    with pytest.raises(GraphError, match="named like r1c1"):
        images_of(model)
