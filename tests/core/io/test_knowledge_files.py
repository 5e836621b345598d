"""Rules about edges in our form and in those of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import FileError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.io.background_knowledge import (
    knowledge_document,
    knowledge_of_document,
    read_knowledge,
    write_knowledge,
)
from pgmstudio.core.json_documents import parse_json, render_json
from tests.core.io.odd_networks import names

RULES = Knowledge(
    required=frozenset({("age", "smoke")}),
    forbidden=frozenset({("cough", "age"), ("cough", "smoke")}),
    tiers=(("age", "sex"), ("smoke",), ("cough", "xray")),
    closed_tiers=frozenset({0, 2}),
)


def saved(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


edges = st.frozensets(st.tuples(names, names), max_size=4)


@given(edges, edges, st.lists(st.lists(names, max_size=3), max_size=3), st.data())
@settings(max_examples=100)
def test_our_own_form_holds_any_rules(required, forbidden, tiers, data) -> None:
    closed = data.draw(st.frozensets(st.sampled_from(range(len(tiers))))) if tiers else frozenset()
    rules = Knowledge(required, forbidden, tuple(map(tuple, tiers)), closed)
    content = render_json(knowledge_document(rules))
    assert knowledge_of_document(parse_json(content, Path("k.json"))) == rules


def test_tetrad_text_comes_back(tmp_path) -> None:
    assert write_knowledge(tmp_path / "k.txt", RULES) == ()
    assert read_knowledge(tmp_path / "k.txt") == RULES


def test_tetrad_text_as_tetrad_writes_it(tmp_path) -> None:
    path = saved(
        tmp_path,
        "k.txt",
        """/knowledge
addtemporal

1* age sex
3 cough

forbiddirect

cough age

requiredirect

age cough

forbiddengroup
cough xray
age sex
""",
    )
    rules = read_knowledge(path)
    assert rules.tiers == (("age", "sex"), ("cough",))
    assert rules.closed_tiers == {0}
    assert rules.required == {("age", "cough")}
    assert rules.forbidden == {(a, b) for a in ("cough", "xray") for b in ("age", "sex")}


def test_a_table_keeps_edges_and_turns_tiers_into_forbidden_ones(tmp_path) -> None:
    lost = write_knowledge(tmp_path / "k.csv", RULES)
    again = read_knowledge(tmp_path / "k.csv")
    assert again.required == RULES.required
    assert "tiers" in lost[0]
    known = sorted(RULES.tier_of)
    assert all(again.allows(a, b) == RULES.allows(a, b) for a in known for b in known if a != b)


@pytest.mark.parametrize(
    "text",
    [
        "from,to\nA,B\nB,C\n",
        "A,B\nB,C\n",
        '"","from","to"\n"1","A","B"\n"2","B","C"\n',
        "to;from\nB;A\nC;B\n",
        "from\tto\tnote\nA\tB\tx\nB\tC\ty\n",
    ],
)
def test_a_table_of_two_columns_holds_required_edges_by_default(tmp_path, text) -> None:
    path = saved(tmp_path, "k.csv", text)
    pairs = {("A", "B"), ("B", "C")}
    assert read_knowledge(path) == Knowledge(required=frozenset(pairs))
    assert read_knowledge(path, "forbidden") == Knowledge(forbidden=frozenset(pairs))


def test_a_third_column_states_which_rule_it_is(tmp_path) -> None:
    path = saved(tmp_path, "k.csv", "from,to,rule\nA,B,required\nB,C,forbidden\n")
    assert read_knowledge(path) == Knowledge(frozenset({("A", "B")}), frozenset({("B", "C")}))


def test_arrow_lines_are_forbidden_edges_as_in_bayesialab(tmp_path) -> None:
    text = "# arcs\nA -> B\nC<-D\nE -- F\nMy\\ Age -> B\n"
    rules = read_knowledge(saved(tmp_path, "k.txt", text))
    assert rules.forbidden == {("A", "B"), ("D", "C"), ("E", "F"), ("F", "E"), ("My Age", "B")}
    message = read_knowledge(saved(tmp_path, "t.txt", "A->B=true\nB->C = false\n"))
    assert message == Knowledge(frozenset({("A", "B")}), frozenset({("B", "C")}))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.json", "{", "line 1"),
        ("k.json", "[]", "expected an object"),
        ("k.json", '{"required": [["a"]]}', r"required\[0\]: an edge is a list of two names"),
        ("k.json", '{"closed_tiers": [0]}', "there are 0 tiers"),
        ("k.json", '{"musts": []}', "“musts” is not known"),
        ("k.json", '{"schema": "pgmstudio-model"}', "is not a file of rules"),
        ("k.json", '{"version": 9}', "newer PGM Studio"),
        ("k.txt", "/knowledge\nA B\n", "line 2: “A” is not one of addtemporal"),
        ("k.txt", "/knowledge\naddtemporal\nx y\n", "line 3: “x” is not the number of a tier"),
        ("k.txt", "/knowledge\nforbiddirect\nx y z\n", "line 3: an edge has two names, not 3"),
        ("k.txt", "A -> B\nA B\n", "line 2: expected an edge"),
        ("k.txt", "A -> B\n -> B\n", "line 2: an edge needs a name"),
        ("k.csv", "from,to\nA\n", "line 2: an edge needs a name in both columns"),
        ("k.csv", "A,B,maybe\n", "“maybe” is not required or forbidden"),
        ("k.csv", "", "holds no rules"),
    ],
)
def test_a_problem_is_a_sentence_with_its_place(tmp_path, name, text, message) -> None:
    with pytest.raises(FileError, match=message):
        read_knowledge(saved(tmp_path, name, text))


def test_names_with_blanks_do_not_fit_into_tetrad_text(tmp_path) -> None:
    with pytest.raises(FileError, match="no blanks, unlike “my age”"):
        write_knowledge(tmp_path / "k.txt", Knowledge(frozenset({("my age", "b")})))
    assert not (tmp_path / "k.txt").exists()


def test_our_form_is_readable_by_other_programs(tmp_path) -> None:
    write_knowledge(tmp_path / "k.json", RULES)
    document = json.loads((tmp_path / "k.json").read_text())
    assert document["required"] == [["age", "smoke"]]
    assert document["closed_tiers"] == [0, 2]
