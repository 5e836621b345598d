"""Short texts that ask for a lot: each is refused with a message, before any work is done."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import CycleError, DataError, FileError, PgmStudioError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.background_knowledge import parse_knowledge
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.experiments import read_plan
from pgmstudio.core.io.models.files import MODEL_FORMATS
from pgmstudio.core.io.models.shared.text_scanner import TextScanner
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE
from pgmstudio.core.languages.markov_network.conversions import network_of_markov
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure


def refused(name: str, text: str) -> str:
    """The message about a model file with this text."""
    path = Path(name)
    known = next(known for known in MODEL_FORMATS if path.suffix in known.endings)
    with pytest.raises(PgmStudioError) as problem:
        known.parser()(text.encode(), path)
    return str(problem.value)


def bif(cards: int, parents: int, rows: str = "default 0.5, 0.5;") -> str:
    """A network whose node x has so many parents with so many states each."""
    states = ", ".join(f"s{i}" for i in range(cards))
    text = "variable x { type discrete [2] { a, b }; }\n"
    text += "".join(
        f"variable v{i} {{ type discrete [{cards}] {{ {states} }}; }}\n" for i in range(parents)
    )
    return f"{text}probability ( x | {', '.join(f'v{i}' for i in range(parents))} ) {{ {rows} }}"


@pytest.mark.parametrize("cards", [1, 2])
def test_a_node_with_thousands_of_parents_is_refused_in_one_short_sentence(cards: int) -> None:
    message = refused("many.bif", bif(cards, 15_000))
    assert "15000 parents" in message
    assert len(message) < 200


def test_a_table_with_more_axes_than_an_array_can_have_is_refused() -> None:
    """Parents of one state each make a small table that numpy still cannot hold."""
    assert "70 parents" in refused("axes.bif", bif(1, 70))


def test_rows_with_wild_cards_cannot_ask_for_endless_work() -> None:
    stars = ", ".join(["*"] * 20)
    message = refused("stars.bif", bif(2, 20, f"({stars}) 0.5, 0.5;" * 500))
    assert "numbers" in message


def test_a_deterministic_node_of_many_states_costs_one_row() -> None:
    """A square matrix of its states would be thirteen gigabytes."""
    states = "".join(f'<state id="s{i}" />' for i in range(40_000))
    text = (
        f'<smile version="1.0"><nodes><deterministic id="x">{states}'
        "<resultingstates>s7</resultingstates></deterministic></nodes></smile>"
    )
    known = next(known for known in MODEL_FORMATS if ".xdsl" in known.endings)
    model = known.parser()(text.encode(), Path("x.xdsl")).model
    assert model.tables[0].argmax() == 7


def test_states_that_a_file_only_counts_are_limited() -> None:
    nodes = "".join(f"node v{i} {{ numstates = 99999; }};" for i in range(20))
    assert "states have no names" in refused("x.dne", f"bnet x {{ {nodes} }};")
    assert "20000000 states" in refused("x.uai", f"MARKOV 20 {'1000000 ' * 20} 0")


def test_groups_of_thousands_of_names_are_refused_before_they_are_multiplied() -> None:
    names = [" ".join(f"{letter}{i}" for i in range(4000)) for letter in "ab"]
    text = "/knowledge\nforbiddengroup\n" + "\n".join(names)
    with pytest.raises(FileError, match="line 4: its groups stand for 16000000 rules"):
        parse_knowledge(text.encode(), Path("rules.txt"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("deep.toml", "a = " + "[" * 900 + "]" * 900, "nested too deeply"),
        ("deep.json", '{"data": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
        ("digits.toml", "a = " + "9" * 5000, "thousands of digits"),
        ("digits.json", '{"seeds": ' + "9" * 5000 + "}", "seeds"),
        ("dotted.toml", ".".join(["a"] * 20_000) + " = 1", "more than 32 parts"),
        ("quoted.toml", " . ".join(['"a"'] * 20_000) + " = 1", "more than 32 parts"),
    ],
)
def test_a_plan_nested_or_long_beyond_reason_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=message):
        read_plan(path)


def test_what_occurs_twice_among_thousands_is_named() -> None:
    names = [f"s{i}" for i in range(40_000)]
    with pytest.raises(DataError, match="“s39999” twice"):
        Variable("x", (*names, "s39999"))
    with pytest.raises(DataError, match="called “s39999”"):
        Domain(tuple(Variable(name, ("a", "b")) for name in (*names, "s39999")))
    entries = ", ".join(f'"{name}": 1' for name in (*names, "s39999"))
    assert "“s39999” occurs twice" in refused("x.json", f"{{{entries}}}")


def test_a_long_cycle_is_reported_in_a_short_sentence() -> None:
    names = [f"v{i}" for i in range(20_000)]
    with pytest.raises(CycleError) as cycle:
        Dag.from_edges(names, [*pairwise(names), (names[-1], names[0])])
    assert len(cycle.value.path) == 20_000
    assert len(str(cycle.value)) < 300


def test_a_name_of_a_million_characters_gets_no_suggestion() -> None:
    long = "ab" * 500_000
    assert "Did you mean" not in str(UnknownNameError("variable", long, [long + "c"]))
    assert "Did you mean rain?" in str(UnknownNameError("variable", "rian", ["rain", long]))


def test_line_and_column_are_those_of_the_text() -> None:
    scanner = TextScanner("one\ntwo\n\nfour", Path("x"))
    indices = [scanner.at(offset) for offset in (0, 2, 3, 4, 7, 8, 9, 12)]
    assert indices == [(1, 1), (1, 3), (1, 4), (2, 1), (2, 4), (3, 1), (4, 1), (4, 4)]


def test_sparse_rows_are_counted_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "1e-4")
    path = tmp_path / "sparse.arff"
    attributes = "".join(f"@attribute a{i} numeric\n" for i in range(100))
    path.write_text(f"{attributes}@data\n" + "{}\n" * 50, encoding="utf-8")
    with pytest.raises(FileError, match="has 45 rows and 100 columns, more than fit into 105 KB"):
        read_data(path)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a,b {2}", ("a", "b", 2)),
        ("a, b, {2}", ("a", "b", 2)),
        ("a,b", ("a", "b", 1)),
        ("'x, {3}',b,{ 0.5 }", ("x, {3}", "b", 0.5)),
        ("'a" + " " * 50_000 + "z',b", ("a" + " " * 50_000 + "z", "b", 1)),
    ],
)
def test_the_weight_behind_a_row_is_found_without_looking_twice(
    tmp_path: Path, line: str, cells: tuple[str, str, float]
) -> None:
    path = tmp_path / "weighted.arff"
    path.write_text(
        f"@attribute x string\n@attribute y string\n@data\n{line}\nc,d,{{7}}\n", encoding="utf-8"
    )
    data = read_data(path)
    codes = data.codes[:, 0]
    result = [v.states[int(code)] for v, code in zip(data.domain, codes, strict=True)]
    assert data.weights is not None
    assert (*result, data.weights[0]) == cells


def test_comments_of_a_case_file_begin_behind_the_last_quote(tmp_path: Path) -> None:
    path = tmp_path / "cases.cas"
    path.write_text('x y // names\n"a // b" c // said\n// all\nd e\n', encoding="utf-8")
    data = read_data(path)
    assert data.domain["x"].states == ("a // b", "d")
    assert data.row_count == 2


def test_groups_of_nodes_are_refused_before_they_are_multiplied() -> None:
    groups = [" ".join(f"{letter}{i}" for i in range(4000)) for letter in "ab"]
    message = refused("x.dot", f"digraph {{ {{{groups[0]}}} -> {{{groups[1]}}} }}")
    assert "more than 1000000 edges" in message


def test_thousands_of_factors_are_multiplied_one_by_one() -> None:
    """Looking through all of them for each variable would take minutes."""
    count = 5_000
    factors = [((i, i + 1), np.array([[0.5, 0.25], [0.1, 1.0]])) for i in range(count - 1)]
    domain = Domain.of({f"v{i}": "01" for i in range(count)})
    structure = MarkovStructure(domain, frozenset(scope for scope, _ in factors))
    network = MarkovNetwork.of_factors(structure, factors)
    assert np.isfinite(network.log2_partition)
    tables = network_of_markov(network).tables
    assert len(tables) == count
    assert all(np.allclose(table.sum(axis=-1), 1) for table in tables)
