"""Visible separators of one or two columns."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.models.files import read_model, write_model
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.description_length import empirical_length, shape_of
from pgmstudio.core.languages.tree_mixture.diagrams import partition_picture
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.learner import (
    HiddenLearner,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import HiddenParams
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.separators import (
    MAX_PAIR_STATES,
    as_one_column,
    smoothed_weights,
    visible_separators,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import HiddenScan
from pgmstudio.core.languages.tree_mixture.model import (
    GUARANTEED,
    TreeMixture,
    identifiability,
    partition_of,
)
from pgmstudio.core.learning.base import ArtifactSaved, Finished
from tests.hidden_levels import PAIR_BLOCKS as BLOCKS
from tests.hidden_levels import pair_model
from tests.strategies import with_missing


@pytest.fixture(scope="module")
def truth() -> TreeMixture:
    return pair_model(np.random.default_rng(3))


@pytest.fixture(scope="module")
def data(truth: TreeMixture) -> DataSet:
    return truth.sample(2400, np.random.default_rng(4))


def learned(data: DataSet, **params: object) -> tuple[TreeMixture, HiddenScan]:
    chosen = HiddenParams(separator="visible", fine_bits=3, range_bits=3, **params)  # type: ignore[arg-type]
    events = list(HiddenLearner().run(data, chosen, rng=np.random.default_rng(1), cancel=NEVER))
    last = events[-1]
    scan = [event.artifact for event in events if isinstance(event, ArtifactSaved)][-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    assert isinstance(scan, HiddenScan)
    return last.model, scan


def test_a_pair_that_separates_the_blocks_is_found(data: DataSet) -> None:
    model, scan = learned(data, separator_columns=2)
    best = scan.best
    assert best is not None
    assert best.columns == ("u", "v")
    assert best.what == "Separator u and v"
    assert best.blocks == partition_of(model) == BLOCKS
    assert best.verdict == "accepted"
    assert len(scan.candidates) == 8 + math.comb(8, 2)
    assert restored(scan.kind, scan.plain()) == scan
    # No single column does it.
    singles = [c for c in scan.candidates if len(c.columns) == 1]
    assert all(c.blocks != BLOCKS and c.length_bits > best.length_bits for c in singles)
    assert [c.columns for c in learned(data)[1].candidates] == [(n,) for n in data.domain.names]


def test_probabilities_are_those_of_the_pair_and_of_the_trees_it_chooses(
    truth: TreeMixture, data: DataSet
) -> None:
    rows = data.take_rows(slice(0, 50))
    inner = [name for name in data.domain.names if name not in ("u", "v")]
    for row in range(rows.row_count):
        cell = {name: int(rows.column(name)[row]) for name in rows.domain.names}
        k = cell["u"] * 3 + cell["v"]
        tree = truth.trees[k]
        expected = float(truth.weights[k])
        for name in inner:
            parent = tree.parents[tree.domain.index(name)]
            table = tree.table(name)
            above = () if parent is None else (cell[tree.domain.names[parent]],)
            expected *= float(table[(*above, cell[name])])
        log2 = truth.log2_probabilities(rows.take_rows(slice(row, row + 1)))[0]
        assert log2 == pytest.approx(math.log2(expected), abs=1e-9)


def test_a_model_says_what_separates_its_blocks(truth: TreeMixture) -> None:
    assert truth.separators == ("u", "v")
    assert truth.component_names == ("0, 0", "0, 1", "0, 2", "1, 0", "1, 1", "1, 2")
    assert identifiability(truth) == (GUARANTEED, "Identifiable: u and v are columns.")
    # 6 joint states, and of each two chains of three variables of three states.
    assert truth.representation_size() == 5 + 6 * 2 * (2 + 6 + 6)
    assert truth.representation_size() == shape_of(truth).free_parameters
    picture = partition_picture(truth)
    assert picture.width_label == "width = mutual information given u and v"
    roots = [node.id for node in picture.nodes if node.group is None]
    assert roots == ["u", "v"]
    assert {(e.source, e.target) for e in picture.edges if e.source in roots} == {
        (root, f"Block {number}:") for root in roots for number in (1, 2)
    }


def test_it_is_written_and_read_with_its_separators(truth: TreeMixture, tmp_path: Path) -> None:
    write_model(tmp_path / "pair.json", truth)
    again = read_model(tmp_path / "pair.json").model
    assert isinstance(again, TreeMixture)
    assert again.separators == ("u", "v")
    assert again.component_names == truth.component_names


def test_separators_that_do_not_tell_all_trees_apart_are_refused(truth: TreeMixture) -> None:
    weights = np.concatenate([truth.weights, truth.weights]) / 2
    with pytest.raises(GraphError, match="u and v do not tell the trees apart"):
        TreeMixture(truth.domain, weights, truth.trees * 2, certain=("u", "v"))
    with pytest.raises(GraphError, match="a0 has an edge or several states in tree 1"):
        TreeMixture(truth.domain, truth.weights, truth.trees, certain=("u", "a0"))


def test_the_description_length_is_that_of_one_column_with_the_joint_states(
    truth: TreeMixture, data: DataSet
) -> None:
    """The length may not depend on how the separator is written down."""
    rows, joint = as_one_column(data, ("u", "v"))
    inner = [name for name in data.domain.names if name not in ("u", "v")]
    trees = tuple(
        Tree(
            rows.domain.restricted_to(inner),
            tuple(
                None
                if (p := tree.parents[tree.domain.index(name)]) is None
                else inner.index(tree.domain.names[p])
                for name in inner
            ),
            tuple(tree.table(name) for name in inner),
        )
        for tree in truth.trees
    )
    single = TreeMixture(rows.domain, truth.weights, trees, joint)
    assert shape_of(truth) == shape_of(single)
    one = empirical_length(truth, data, fine_bits=3, range_bits=3)
    other = empirical_length(single, rows, fine_bits=3, range_bits=3)
    assert one.bits == pytest.approx(other.bits, rel=1e-12)
    assert one.precision == other.precision


def test_cells_missing_in_the_pair_are_summed_out(data: DataSet) -> None:
    gaps = with_missing(np.random.default_rng(0), data.take_rows(slice(0, 300)), 0.05)
    rows, joint = as_one_column(gaps, ("u", "v"))
    is_missing = (gaps.column("u") == gaps.missing_code) | (gaps.column("v") == gaps.missing_code)
    assert ((rows.column(joint) == rows.missing_code) == is_missing).all()
    model, _ = learned(gaps, separator_columns=2, blocks=(2,))
    assert np.isfinite(model.log2_probabilities(gaps)).all()


def test_pairs_of_too_many_joint_states_and_of_too_few_others_are_left_out() -> None:
    wide = Domain.of({"a": map(str, range(20)), "b": map(str, range(6)), "c": "01", "one": "0"})
    pairs = [names for names in visible_separators(wide.variables, 2) if len(names) == 2]
    assert MAX_PAIR_STATES < 20 * 6
    assert pairs == [("a", "c"), ("b", "c")]
    two = Domain.of({"a": "01", "b": "01"})
    assert list(visible_separators(two.variables, 2)) == [("a",), ("b",)]


def test_weights_are_smoothed_toward_those_of_all_rows() -> None:
    masses = np.array([[6.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    result = smoothed_weights(masses, 2.0)
    prior = np.array([6 + 1 / 3, 2 + 1 / 3, 1 / 3]) / 9
    assert result[0] == pytest.approx((masses[0] + prior) / 9)
    assert result[1] == pytest.approx(prior)
    assert smoothed_weights(masses, 0.0).tolist() == [[0.75, 0.25, 0.0], [1 / 3] * 3]
