"""UAI files: the order of tables, the second file with names, Markov networks, evidence."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.io.models.uai import (
    evidence_text,
    parse,
    parse_evidence,
    read_evidence,
    write_evidence,
)
from pgmstudio.core.languages.markov_network.conversions import network_of_markov
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from tests.core.io.odd_networks import odd_files, same_network
from tests.markov_networks import graph, random_markov_network, random_structure
from tests.oracles.brute_force import BruteForceSession, joint_table
from tests.strategies import all_cases, random_network

PATH = Path("page.uai")

# Three variables with cardinalities 2, 2, 3, as on the page of the 2008 evaluation.
PAGE = """BAYES
3
2 2 3
3
1 0
2 0 1
2 1 2

2
 0.436 0.564

4
 0.128 0.872
 0.920 0.080

6
 0.210 0.333 0.457
 0.811 0.000 0.189
"""

MARKOV = """MARKOV
3
2 2 3
2
2 0 1
3 0 1 2

4
 4.000 2.400
 1.000 0.000

12
 2.2500 3.2500 3.7500
 0.0000 0.0000 10.0000
 1.8750 4.0000 3.3330
 2.0000 2.0000 3.4000
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def test_the_example_of_the_page_is_read_and_its_names_are_made_up() -> None:
    file = read(PAGE)
    assert file.model.domain.names == ("X0", "X1", "X2")
    assert file.model.table("X1").tolist() == [[0.128, 0.872], [0.92, 0.08]]
    assert file.model.table("X2")[1].tolist() == [0.811, 0.0, 0.189]
    assert "there is no page.uai.names.json" in file.warnings[0]


def test_the_child_is_last_in_its_scope_and_the_last_variable_runs_fastest() -> None:
    text = "BAYES 3  2 3 2  3  1 0  1 2  3 2 0 1   2 0.5 0.5  2 0.5 0.5  12 "
    numbers = "0.1 0.2 0.7  0.2 0.2 0.6  0.3 0.3 0.4  0.4 0.5 0.1"
    table = read(text + numbers).model.table("X1")  # axes: X0, X2, X1; the scope is X2, X0, X1
    assert table[1, 0].tolist() == [0.2, 0.2, 0.6]
    assert table[0, 1].tolist() == [0.3, 0.3, 0.4]


def test_comment_lines_are_skipped() -> None:
    text = PAGE.replace("3\n1 0", "3\nc the scopes\nc\n1 0 # root")
    assert same_network(read(text).model, read(PAGE).model)


def test_names_stand_in_a_second_file(tmp_path) -> None:
    path = tmp_path / "m.uai"
    network = random_network(np.random.default_rng(3))
    file = ModelFile(network, title="A title", layout={"X0": (1.5, 2.0)}, titles={"X1": "Rain"})
    lost = write_model(path, file)
    assert "m.uai.names.json" in lost[-1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.uai", "m.uai.names.json"]
    again = read_model(path)
    assert same_network(network, again.model)
    assert (again.title, again.layout, again.titles) == (file.title, file.layout, file.titles)
    assert again.warnings == ()


def test_the_names_of_another_network_are_not_used(tmp_path) -> None:
    write_model(tmp_path / "m.uai", random_network(np.random.default_rng(3), 5))
    (tmp_path / "m.uai").write_text(PAGE)
    file = read_model(tmp_path / "m.uai")
    assert file.model.domain.names == ("X0", "X1", "X2")
    assert "is about other variables" in file.warnings[0]


def test_a_broken_file_of_names_is_reported_by_its_own_name(tmp_path) -> None:
    (tmp_path / "m.uai").write_text(PAGE)
    (tmp_path / "m.uai.names.json").write_text('{"schema": "pgmstudio-uai-names",')
    with pytest.raises(ModelFileError, match=r"m\.uai\.names\.json: line 1"):
        read_model(tmp_path / "m.uai")


@given(file=odd_files())
@settings(max_examples=25)
def test_odd_names_and_places_come_back_from_the_second_file(tmp_path_factory, file) -> None:
    path = tmp_path_factory.mktemp("uai") / "odd.uai"
    write_model(path, file)
    again = read_model(path)
    assert same_network(file.model, again.model)
    assert again.title == file.title
    assert dict(again.layout) == dict(file.layout)


# Markov networks


def test_a_markov_network_is_read_with_its_graph_and_distribution() -> None:
    file = read(MARKOV)
    first = np.array([[4.0, 2.4], [1.0, 0.0]])
    second = np.array([[2.25, 3.25, 3.75], [0, 0, 10], [1.875, 4, 3.333], [2, 2, 3.4]]).reshape(
        2, 2, 3
    )
    joint = first[:, :, None] * second
    assert isinstance(file.model, MarkovNetwork)
    assert file.model.structure.edges == {(0, 1), (0, 2), (1, 2)}
    assert file.model.log2_partition == pytest.approx(math.log2(joint.sum()))
    result = BruteForceSession(file.model).joint(["X0", "X1", "X2"])
    assert result == pytest.approx(joint / joint.sum(), abs=1e-15)
    network = network_of_markov(file.model)
    assert joint_table(network) == pytest.approx(joint / joint.sum(), abs=1e-15)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_distribution_is_the_product_of_the_factors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [int(c) for c in rng.integers(1, 4, size=5)]
    factors = []
    for _ in range(int(rng.integers(1, 7))):
        scope = tuple(int(v) for v in rng.permutation(5)[: rng.integers(0, 4)])
        table = rng.gamma(0.5, size=[cards[v] for v in scope]) * 10.0 ** rng.integers(-200, 200)
        factors.append((scope, np.asarray(table) * (rng.random(table.shape) < 0.8)))
    joint = np.zeros(cards)
    for cell in itertools.product(*map(range, cards)):
        weights_here = [float(t[tuple(cell[v] for v in scope)]) for scope, t in factors]
        joint[cell] = sum(math.log(w) if w else -math.inf for w in weights_here)
    lines = ["MARKOV", "5", " ".join(map(str, cards)), str(len(factors))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    for _, table in factors:
        lines.append(f"{table.size} {' '.join(map(repr, table.ravel().tolist()))}")
    if not np.isfinite(joint).any():
        with pytest.raises(ModelFileError, match="weight 0"):
            read("\n".join(lines))
        return
    model = read("\n".join(lines)).model
    assert isinstance(model, MarkovNetwork)
    weights = np.exp(joint - joint.max())
    assert joint_table(model) == pytest.approx(weights / weights.sum(), abs=1e-12)
    assert joint_table(network_of_markov(model)) == pytest.approx(
        weights / weights.sum(), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(10))
def test_a_markov_network_is_written_as_it_was_and_a_second_reader_agrees(
    seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, [2, 3, 2, 4, 2], 0.6, 0.3)
    network = random_markov_network(rng, structure)
    path = tmp_path / "markov.uai"
    warnings = write_model(path, ModelFile(network, title="Ring"))
    assert any("contexts" in one for one in warnings) == bool(structure.contexts)
    again = read_model(path)
    assert isinstance(again.model, MarkovNetwork)
    assert again.title == "Ring"
    assert again.model.domain == network.domain
    assert again.model.structure == structure.without_contexts()
    for one, other in zip(again.model.potentials, network.potentials, strict=True):
        assert one.tolist() == other.tolist()
    # A reader of its own: the tokens in order, nothing else.
    tokens = iter(path.read_text().split())
    assert next(tokens) == "MARKOV"
    cards = [int(next(tokens)) for _ in range(int(next(tokens)))]
    scopes = []
    for _ in range(int(next(tokens))):
        scopes.append([int(next(tokens)) for _ in range(int(next(tokens)))])
    table = np.ones(cards)
    for scope in scopes:
        values = [float(next(tokens)) for _ in range(int(next(tokens)))]
        for cell in itertools.product(*map(range, cards)):
            position = 0
            for v in scope:
                position = position * cards[v] + cell[v]
            table[cell] *= values[position]
    assert next(tokens, None) is None
    assert table / table.sum() == pytest.approx(joint_table(network), abs=1e-12)


def test_scopes_of_a_written_markov_network_descend(tmp_path: Path) -> None:
    network = random_markov_network(np.random.default_rng(1), graph("12 13 23 34", 4))
    write_model(tmp_path / "markov.uai", ModelFile(network))
    lines = (tmp_path / "markov.uai").read_text().splitlines()
    assert lines[:6] == ["MARKOV", "4", "2 2 2 2", "2", "3 2 1 0", "2 3 2"]


AGRUM_MARKOV = """MARKOV
2 # nbr Nodes
2 3
1 # nbr Factors
2 1 0

6 # {1, 0}
  100 101 102
  110 111 112
"""


def test_tables_of_agrum_are_read_in_the_order_of_their_comments() -> None:
    file = parse(AGRUM_MARKOV.encode(), Path("agrum.uai"))
    assert isinstance(file.model, MarkovNetwork)
    assert any("aGrUM wrote this file" in warning for warning in file.warnings)
    (table,) = file.model.potentials
    assert table / table[0, 0] == pytest.approx(np.array([[100, 101, 102], [110, 111, 112]]) / 100)
    as_stated = parse(AGRUM_MARKOV.replace("1, 0", "0, 1").encode(), Path("agrum.uai"))
    assert not any("aGrUM" in warning for warning in as_stated.warnings)
    assert isinstance(as_stated.model, MarkovNetwork)
    (table,) = as_stated.model.potentials
    assert table[1, 2] / table[0, 0] == pytest.approx(1.12)
    assert table[1, 0] / table[0, 0] == pytest.approx(1.01)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("BAYS\n3", 1, "expected BAYES or MARKOV"),
        ("BAYES\n0\n", 2, "holds no variables"),
        (PAGE.replace("2 2 3", "2 2"), 5, "function 0 has no variable"),
        (PAGE.replace("2 2 3", "2 x 3"), 3, "how many states variable 1 has"),
        (PAGE.replace("2 0 1", "2 0 7"), 6, "the number of a variable"),
        (PAGE.replace("2 0 1", "2 1 1"), 6, "names a variable twice"),
        (PAGE.replace("2 1 2", "2 2 1"), 7, "two tables of X1"),
        (PAGE.replace("\n4\n", "\n5\n"), 12, "lists 5 numbers instead of 4"),
        (PAGE.replace("0.920", "o.920"), 14, "found “o.920”"),
        (PAGE.replace("0.920", "-0.920"), 14, "at least 0"),
        (PAGE[:-8], 18, "found the end of the file"),
        (MARKOV.replace("4.000 2.400\n 1.000", "0 0\n 0"), None, "weight 0"),
    ],
)
def test_an_error_names_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line


# Evidence

DOMAIN = Domain.of({"a": ("x", "y"), "b": ("x", "y", "z"), "c": ("no", "yes")})


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("2 0 1 1 2", [{"a": "y", "b": "z"}]),
        ("2\n0 1\n1 2\n", [{"a": "y", "b": "z"}]),
        ("1\n2 0 1 1 2\n", [{"a": "y", "b": "z"}]),
        ("2\n1 0 1\n2 1 2 2 0\n", [{"a": "y"}, {"b": "z", "c": "no"}]),
        ("0", [{}]),
        ("1\n0\n", [{}]),
    ],
)
def test_both_forms_of_evidence_are_read(text: str, cases: list[dict[str, str]]) -> None:
    result = parse_evidence(text.encode(), Path("m.uai.evid"), DOMAIN)
    assert result == [{name: Observed(s) for name, s in case.items()} for case in cases]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 3 0", "no variable 3"),
        ("1 1 3", "b has no state 3"),
        ("2 0 1 0 0", "a is there twice"),
        ("2 0 1", "found the end"),
        ("1 0 1 5", "expected the end"),
        ("x", "how many"),
        ("999999999\n1 0 1", "too short"),
        ("", "found the end"),
    ],
)
def test_broken_evidence_gives_a_sentence_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message) as refused:
        parse_evidence(text.encode(), Path("m.evid"), DOMAIN)
    assert refused.value.line is not None


@given(seed=st.integers(0, 2**32 - 1), older=st.booleans(), count=st.integers(1, 3))
@settings(max_examples=50)
def test_evidence_comes_back_in_either_form(seed: int, older: bool, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows = all_cases(DOMAIN).codes.T
    cases = []
    for _ in range(count):
        row = rows[int(rng.integers(len(rows)))]
        chosen = [v for v in range(3) if rng.random() < 0.6]
        variables = DOMAIN.variables
        cases.append({variables[v].name: Observed(variables[v].states[row[v]]) for v in chosen})
    content, lost = evidence_text(cases, DOMAIN, older=older)
    assert lost == ()
    assert parse_evidence(content, Path("m.evid"), DOMAIN) == cases


def test_findings_that_are_no_observed_state_are_reported(tmp_path) -> None:
    case = {
        "a": Excluded(frozenset({"x"})),
        "b": Excluded(frozenset({"x"})),
        "c": Likelihood((("no", 1.0), ("yes", 2.0))),
    }
    lost = write_evidence(tmp_path / "m.evid", [case], DOMAIN)
    assert len(lost) == 2
    assert read_evidence(tmp_path / "m.evid", DOMAIN) == [{"a": Observed("y")}]
    with pytest.raises(ModelFileError, match=r"ends in \.evid"):
        write_evidence(tmp_path / "m.txt", [case], DOMAIN)


def test_a_table_the_other_way_round_is_recognised_by_its_sums() -> None:
    """As pgmpy writes it: the child's states slowest."""
    file = read(PAGE.replace("0.128 0.872\n 0.920 0.080", "0.128 0.920\n 0.872 0.080"))
    assert file.model.table("X1").tolist() == [[0.128, 0.872], [0.92, 0.08]]
    assert any("lists its own states slowest" in warning for warning in file.warnings)
