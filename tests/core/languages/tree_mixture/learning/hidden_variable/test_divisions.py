"""Separators within blocks: models of several levels, and their search."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.experiments.generators.hidden_variable_models import TreeHParams, tree_h
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.description_length import (
    Precision,
    empirical_length,
    shape_of,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.divisions import (
    CompletedRows,
    Divider,
    is_division,
    posterior_of,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.learner import (
    HiddenLearner,
    division_of,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.nested import (
    Division,
    combined,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import HiddenParams
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import HiddenScan
from pgmstudio.core.languages.tree_mixture.model import TreeMixture, partition_of
from pgmstudio.core.learning.base import ArtifactSaved, Finished, LearnEvent
from tests.hidden_levels import A, B, C, chains, two_level_rows, two_levels


def run(data: DataSet, **params: object) -> list[LearnEvent]:
    chosen = HiddenParams(fine_bits=4, range_bits=3, **params)  # type: ignore[arg-type]
    return list(HiddenLearner().run(data, chosen, rng=np.random.default_rng(1), cancel=NEVER))


def scan_of(events: list[LearnEvent]) -> HiddenScan:
    scan = [event.artifact for event in events if isinstance(event, ArtifactSaved)][-1]
    assert isinstance(scan, HiddenScan)
    return scan


# -- models of several levels ---------------------------------------------------------------------


def test_a_model_of_two_levels_is_the_sum_over_both_hidden_variables() -> None:
    rng = np.random.default_rng(0)
    top = two_levels(rng, states=2)
    below = top.children[0]
    domain = top.trees[0].domain
    made = combined(top, domain)
    assert len(made.model.trees) == top.tree_count() == 4
    codes = np.indices((2,) * 9).reshape(9, -1).astype(np.uint8)
    rows = DataSet(domain, codes)

    def chain(tree: Tree, names: tuple[str, ...], row: int) -> float:
        result, before = 1.0, -1
        for name in names:
            state = int(codes[domain.index(name), row])
            table = tree.table(name)
            result *= float(table[state] if before < 0 else table[before, state])
            before = state
        return result

    obtained = np.exp2(made.model.log2_probabilities(rows))
    for row in range(0, rows.row_count, 11):
        expected = sum(
            top.weights[0, k]
            * chain(top.trees[k], A, row)
            * sum(
                below.weights[k, m]
                * chain(below.trees[2 * k + m], B, row)
                * chain(below.trees[2 * k + m], C, row)
                for m in range(2)
            )
            for k in range(2)
        )
        assert obtained[row] == pytest.approx(expected, rel=1e-9)
    assert obtained.sum() == pytest.approx(1)
    assert partition_of(made.model) == (A, B, C)


def test_posteriors_of_the_components_are_sums_of_those_of_the_trees() -> None:
    rng = np.random.default_rng(1)
    top = two_levels(rng)
    made = combined(top, top.trees[0].domain)
    rows = made.model.sample(40, rng)
    each = made.model.responsibilities(rows)
    of_top = made.posterior((), 2, each)
    of_below = made.posterior((0,), 4, each)
    assert of_top.sum(axis=1) == pytest.approx(np.ones(40))
    assert of_below.reshape(40, 2, 2).sum(axis=2) == pytest.approx(of_top)
    # P(l | k, cells of the block) is the same from the block alone: h separates it from the rest.
    given = CompletedRows.of(rows.select_columns((*B, *C)), of_top).data
    inner = posterior_of(top.children[0])(given)
    for index in range(given.row_count):
        context = int(given.codes[-1, index])
        own = given.codes[:-1, index]
        match = np.flatnonzero((rows.select_columns((*B, *C)).codes == own[:, None]).all(axis=0))[0]
        whole = of_below[match].reshape(2, 2)[context]
        assert inner[index] == pytest.approx(whole / whole.sum(), abs=1e-9)


def test_every_table_of_a_model_of_two_levels_counts_once() -> None:
    top = two_levels(np.random.default_rng(0))
    shape = top.shape()
    chain = 2 + 6 + 6  # free parameters of three variables of three states
    assert shape.free_parameters == 1 + 2 * chain + 2 + 4 * 2 * chain
    assert shape.bic_bits(1024) == 5 * shape.free_parameters
    # Without a division below it is the shape of the mixture.
    plain = Division(top.weights, top.trees, top.masses)
    model = combined(plain, top.trees[0].domain).model
    for form in ("corrected", "as-published"):
        precision = Precision(3, 2)
        length = plain.shape().bits(500, precision, form)
        assert length == pytest.approx(shape_of(model).bits(500, precision, form))
    masses = np.array([50.0, 50.0])
    assert plain.shape().bic_h_bits(500) == pytest.approx(shape_of(model).bic_h_bits(500, masses))


# -- the search -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data() -> DataSet:
    return two_level_rows(3000)


@pytest.fixture(scope="module")
def divided(data: DataSet) -> list[LearnEvent]:
    return run(data, components=(2,), restarts=3, levels=3)


def test_a_block_with_a_hidden_variable_of_its_own_is_divided(
    divided: list[LearnEvent], data: DataSet
) -> None:
    last, scan = divided[-1], scan_of(divided)
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    assert partition_of(last.model) == (A, B, C)
    kept = [one for one in scan.divisions if one.is_kept]
    assert [(one.block, one.blocks, one.states) for one in kept] == [((*B, *C), (B, C), 2)]
    assert kept[0].gained > 0
    assert kept[0].verdict == "accepted"
    assert len(last.model.trees) == 4
    assert last.measures["divided_blocks"] == 1
    best = scan.best
    assert best is not None
    assert best.blocks == (A, (*B, *C))
    gained = best.length_bits - last.measures["description_length_per_row"]
    assert gained == pytest.approx(kept[0].gained, abs=1e-9)
    assert restored(scan.kind, scan.plain()) == scan
    notes = [event.message for event in divided if isinstance(event, Note)]
    assert any("2 hidden states of its own, b0, b1, b2 | c0, c1, c2" in note for note in notes)
    # Better on new rows too than the model of one level.
    plain = run(data, components=(2,), restarts=3)[-1]
    assert isinstance(plain, Finished)
    assert isinstance(plain.model, TreeMixture)
    top = two_levels(np.random.default_rng(5))
    new = combined(top, data.domain).model.sample(2000, np.random.default_rng(6))
    both = (np.mean(model.log2_probabilities(new)) for model in (last.model, plain.model))
    assert next(both) > next(both) + 0.05


def test_blocks_that_are_trees_are_not_divided() -> None:
    rows = tree_h(TreeHParams(), np.random.default_rng(0), 2100)
    events = run(rows, components=(3,), restarts=2, levels=2)
    scan = scan_of(events)
    assert scan.divisions
    assert not any(one.is_kept for one in scan.divisions)
    assert "No block was divided further." in [e.message for e in events if isinstance(e, Note)]
    plain = run(rows, components=(3,), restarts=2)[-1]
    last = events[-1]
    assert isinstance(last, Finished)
    assert isinstance(plain, Finished)
    assert last.measures["score"] == plain.measures["score"]


@pytest.mark.parametrize("score", ["bic", "bic-h", "held-out"])
def test_other_criteria_divide_it_too(data: DataSet, score: str) -> None:
    events = run(data, components=(2,), restarts=2, levels=2, score=score)
    scan, last = scan_of(events), events[-1]
    best = scan.best
    assert best is not None
    assert isinstance(last, Finished)
    kept = sum(one.gained for one in scan.divisions if one.is_kept)
    assert kept > 0
    assert last.measures["score"] == pytest.approx(best.value(score) + kept)


def divider_of(model: TreeMixture, data: DataSet, **params: object) -> Divider:
    def no_check(*_: object):  # type: ignore[no-untyped-def]
        return None
        yield

    return Divider(
        division_of(model, model.weights * data.total_weight),
        data.domain,
        data,
        None,
        HiddenParams(levels=2, fine_bits=2, range_bits=2, **params),  # type: ignore[arg-type]
        "dl",
        np.random.default_rng(0),
        NEVER,
        no_check,
    )


def test_fitting_again_never_lowers_the_likelihood(data: DataSet) -> None:
    """Each block is a step of generalised EM of the whole."""
    top = two_levels(np.random.default_rng(8))  # other tables than those of the rows
    plain = combined(Division(top.weights, top.trees, top.masses), data.domain).model
    divider = divider_of(plain, data, smoothing=0.0)
    divider.top = top
    values = []
    for _ in range(4):
        values.append(float(divider.model().log2_probabilities(data).sum()))
        list(divider.refit(divider.top, data, 2))
    assert all(after > before - 1e-6 for before, after in pairwise(values))
    assert values[-1] > values[0] + data.row_count * 0.1


def test_the_length_before_any_division_is_that_of_the_candidate(data: DataSet) -> None:
    top = two_levels(np.random.default_rng(5))
    plain = combined(Division(top.weights, top.trees, top.masses), data.domain).model
    divider = divider_of(plain, data)
    length = empirical_length(plain, data, fine_bits=2, range_bits=2).bits / data.total_weight
    assert divider.length(divider.top) == pytest.approx(length, rel=1e-12)


def test_a_block_around_a_column_is_divided_by_a_column_of_its_own() -> None:
    """s separates A from the rest; given s, w of the rest separates B from C."""
    rng, count, rows = np.random.default_rng(2), 2400, np.full(3, 0.4)
    s = rng.integers(0, 3, count)
    w = (rng.random(count) < np.array([0.5, 0.7, 0.3])[s]).astype(np.int64)
    columns = {"s": s, "w": w}
    for names, given in ((A, s), (B, 2 * s + w), (C, 2 * s + w)):
        before = np.zeros(count, dtype=np.int64)
        for name in names:
            tables = rng.dirichlet(rows, (int(given.max()) + 1, 3)).cumsum(axis=2)
            drawn = rng.random(count)[:, None] > tables[given, before]
            before = drawn[:, :2].sum(axis=1)
            columns[name] = before
    domain = Domain.of({name: "01" if name == "w" else "012" for name in columns})
    data = DataSet(domain, np.array(list(columns.values())).astype(np.uint8))
    events = run(data, separator="visible", levels=2)
    scan, last = scan_of(events), events[-1]
    best = scan.best
    assert best is not None
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    assert best.columns == ("s",)
    kept = [one for one in scan.divisions if one.is_kept]
    assert [(one.separator, one.blocks) for one in kept] == [(("w",), (B, C))]
    assert last.model.separators == ("s", "w")
    assert partition_of(last.model) == (A, B, C)
    assert np.isfinite(last.model.log2_probabilities(data)).all()


def test_leaves_around_a_column_are_a_tree_already() -> None:
    rng = np.random.default_rng(0)
    (star,) = chains(("x", "y", "z"), 1, rng)
    leaves = Tree(star.domain, (None, None, None), tuple(rng.dirichlet(np.ones(3), 3)))
    one = np.array([[1.0]])
    assert not is_division(Division(one, (leaves,), one[0], separator=("y",)))
    assert is_division(Division(one, (leaves,), one[0]))
    assert not is_division(Division(one, (star,), one[0]))
