"""Names that cannot be shown or saved: refused where a variable is made, replaced by readers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pgmstudio.core.data.variables import Variable, clean_name
from pgmstudio.core.errors import DataError
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.io.models.files import read_model, write_model
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.project.project import ModelEntry, Project
from tests.core.io.example_projects import full_project
from tests.core.io.repacked_projects import repacked

UNFIT = ["\ud800", "a\udfff", "nul\x00", "bell\x07", "two\nlines", "tab\t", "\x7f", "\x9b31m"]


@pytest.mark.parametrize("text", UNFIT)
def test_a_variable_refuses_names_that_cannot_be_shown_or_saved(text: str) -> None:
    with pytest.raises(DataError, match="control character or half of a character"):
        Variable(text, ("no", "yes"))
    with pytest.raises(DataError, match="control character or half of a character") as message:
        Variable("a", ("no", text))
    assert str(message.value).isprintable()
    assert Variable(clean_name(text), (clean_name(text),))


def test_other_languages_and_signs_are_names() -> None:
    for text in ("日本語 😀", "Größe", "a\u00a0b", "x\u2009y", "\ufffd", "שלום"):
        assert Variable(text, (text,)).name == text
        assert clean_name(text) == text


BIF = r"""
network x { property "a \ud801 b"; }
variable a { type discrete [2] { "\ud800", b }; }
variable "tab\u0009bed" { type discrete [2] { no, yes }; }
probability ( a ) { table 0.25, 0.75; }
probability ( "tab\u0009bed" | a ) { ("\ud800") 0.1, 0.9; (b) 0.2, 0.8; }
"""
NET = r"""
net { }
node a { states = ("\ud800" "b"); }
potential ( a ) { data = ( 0.25 0.75 ); }
"""
DSC = r"""
belief network "x"
node a { name: "a"; type: discrete[2] = { "\ud800", "b" }; }
probability ( a ) { 0.25, 0.75; }
"""
LDAG = r"""
"\ud800" -> b
"""
DOT = 'digraph { "a\x07" -> b }'


@pytest.mark.parametrize(
    ("ending", "text"),
    [("bif", BIF), ("net", NET), ("dsc", DSC), ("ldag", LDAG), ("dot", DOT)],
)
def test_a_model_with_such_names_is_read_with_a_remark_and_can_be_saved(
    tmp_path: Path, ending: str, text: str
) -> None:
    path = tmp_path / f"odd.{ending}"
    path.write_text(text, encoding="utf-8")
    file = read_model(path)
    assert any("control characters or halves of characters" in message for message in file.warnings)
    texts = [text for v in file.model.domain for text in (v.name, *v.states)]
    assert any("\ufffd" in text for text in texts)
    again = project_from_bytes(project_bytes(Project(models={"m1": ModelEntry("x", file.model)})))
    assert again.models["m1"].model.domain == file.model.domain
    for other in ("json", "bif", "xdsl", "net", "dne", "dsc", "xml"):
        write_model(tmp_path / f"again.{other}", file)
        assert read_model(tmp_path / f"again.{other}").model.domain == file.model.domain


def test_the_tables_follow_the_names(tmp_path: Path) -> None:
    path = tmp_path / "odd.bif"
    path.write_text(BIF, encoding="utf-8")
    model = read_model(path).model
    assert model.domain.names == ("a", "tab bed")
    assert model.domain["a"].states == ("\ufffd", "b")
    assert model.tables[1].tolist() == [[0.1, 0.9], [0.2, 0.8]]  # type: ignore[attr-defined]


def test_names_that_become_equal_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "odd.bif"
    path.write_text(
        r'variable a { type discrete [3] { "\ud800", "\ud801", "\ufffd" }; }'
        "\nprobability ( a ) { table 0.2, 0.3, 0.5; }",
        encoding="utf-8",
    )
    states = read_model(path).model.domain["a"].states
    assert len(set(states)) == 3
    assert states[2] == "\ufffd"


def test_a_table_with_control_characters_is_imported_with_a_remark(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('"two\nlines",b\x07\nx\x1by,1\n"p\nq",2\nx\x1by,1\n', encoding="utf-8")
    result = import_data(path)
    assert result.data.domain.names == ("two lines", "b\ufffd")
    assert result.data.domain["two lines"].states == ("p q", "x\ufffdy")
    assert sum("control characters" in message for message in result.warnings) == 2
    again = import_data(path, ImportOptions(domain=result.data.domain))
    assert again.data.fingerprint == result.data.fingerprint


def test_a_project_of_an_earlier_version_with_such_names_opens() -> None:
    """Then any text was a name; what refers to it follows."""
    old, new = "X0", "two\nlines"

    def rename(members: dict[str, bytes]) -> None:
        for name, content in members.items():
            if name.endswith(".json"):
                text = content.decode().replace(f'"{old}"', json.dumps(new))
                members[name] = text.encode()

    whole = full_project()
    left_out: list[str] = []
    content = repacked(project_bytes(whole), rename)
    project = project_from_bytes(content, left_out=left_out)
    assert len(left_out) == 1
    assert "“two lines”" in left_out[0]
    assert set(project.models) == set(whole.models)
    assert "two lines" in project.data["d1"].data.domain
    assert "two lines" in project.models["m1"].model.domain
    assert project_from_bytes(content).models.keys() == whole.models.keys()
    project_bytes(project)
