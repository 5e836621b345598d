"""Labelled graphs as text, `X -> Y : A = 0`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.io.models.ldag_text import parse, render
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import is_same_partition
from tests.labelled_dags import coronary, labelled, random_labelled

PATH = Path("m.ldag")


def read(text: str) -> LabelledDag:
    model = parse(text.encode(), PATH).model
    assert isinstance(model, LabelledDag)
    return model


def test_an_edge_vanishes_in_the_contexts_after_its_colon() -> None:
    text = "# by hand\nX -> Y : A = 0; B = 1, A = 1\nA -> Y\nB -> Y\n"
    model = read(text)
    assert set(model.edges) == {("X", "Y"), ("A", "Y"), ("B", "Y")}
    assert model.domain["A"].states == ("0", "1")
    label = model.label("X", "Y")  # over A and B as they are first named
    others = model.other_parents("X", "Y")
    turned = label if others == ("A", "B") else label.T
    assert turned.tolist() == [[True, True], [False, True]]
    assert (model.table("Y") == 0.5).all()


def test_labels_of_any_graph_come_back() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        model = random_labelled(rng, 5).regular()
        content, lost = render(ModelFile(model, title="t", layout={"X0": (1.5, -2.0)}), PATH)
        file = parse(content, PATH)
        assert isinstance(file.model, LabelledDag)
        assert file.model.domain == model.domain
        assert set(file.model.edges) == set(model.edges)
        for one, other in zip(file.model.classes, model.classes, strict=True):
            assert is_same_partition(one, other)
        assert "cannot hold the tables" in lost[0]
        assert not any("comes back" in warning for warning in lost)
        assert render(file, PATH)[0] == content


def test_names_and_states_that_look_like_signs_are_quoted() -> None:
    names = {"a -> b": ("*", "="), "x:y": ("1; 2", '"'), "-": ("a", "b"), "q": ("p", "r")}
    edges = [(name, "q") for name in ("a -> b", "x:y", "-")]
    model = labelled(Domain.of(names), edges, {("-", "q"): [(0, 0)]})
    file = parse(render(ModelFile(model), PATH)[0], PATH)
    assert isinstance(file.model, LabelledDag)
    assert file.model.domain == model.domain
    assert file.model.label("-", "q").tolist() == [[True, False], [False, False]]


def test_a_star_is_any_state_and_a_label_of_everything_is_remarked() -> None:
    file = parse(b"X -> Y : A = *, B = 0\nA -> Y\nB -> Y", PATH)
    assert isinstance(file.model, LabelledDag)
    assert file.model.label("X", "Y").sum() == 2
    file = parse(b"X -> Y : *\nA -> Y", PATH)
    assert "vanishes in every context" in file.warnings[-1]


def test_a_file_of_the_program_opens_as_it_was_saved(tmp_path) -> None:
    model = coronary()
    write_model(tmp_path / "c.ldag", ModelFile(model))
    again = read_model(tmp_path / "c.ldag").model
    assert isinstance(again, LabelledDag)
    assert again.representation_size() == model.representation_size()
    lines = (tmp_path / "c.ldag").read_text(encoding="utf-8").splitlines()
    assert "Proteins -> Pressure : Smoking = no" in lines


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("X -> Y : A = 0\n", 1, "no other parent"),
        ("X -> Y\nX -> Y : B = 0\nA -> Y", 2, "B is no other parent of Y"),
        ("#states A : a, b\nX -> Y : A = c\nA -> Y", 2, "A has no state c"),
        ("X Y\n", 1, "expected “->”"),
        ("X -> Y : A\nA -> Y", 1, "expected “=”"),
        ("X -> Y : A\nA -> Y", 1, "but found the end of the line"),
        ("x" * 500, 1, "after x{40};"),
        ('X -> "Y', 1, "a quote may be missing"),
        ("#at X : 1\nX -> Y", 1, "two numbers"),
        ("X -> Y\nY -> X", None, "cycle"),
    ],
)
def test_mistakes_are_reported_with_their_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as refused:
        parse(text.encode(), PATH)
    assert refused.value.line == line
