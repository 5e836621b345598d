"""tree.chow-liu-sparse: the methods agree; notes and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, ParameterError, TooLargeError
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.experiments.generators.textbook import RandomWalksParams, random_walks
from pgmstudio.core.languages.tree.learning import accelerated as acl_choice
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner, ChowLiuParams
from pgmstudio.core.languages.tree.learning.chow_liu_sparse import (
    ChowLiuSparseLearner,
    ChowLiuSparseParams,
)
from pgmstudio.core.learning.base import Finished, LearnEvent
from pgmstudio.core.learning.sparse_rows import cell_rows


def walks(n: int = 60, on: int = 4, count: int = 400, seed: int = 0) -> DataSet:
    params = RandomWalksParams(variables=n, on=on)
    return random_walks(params, np.random.default_rng(seed), count)


def events(data: DataSet, **chosen: Any) -> list[LearnEvent]:
    params = ChowLiuSparseParams(**{"smoothing": 1.0, **chosen})
    learner = ChowLiuSparseLearner()
    return list(learner.run(data, params, rng=np.random.default_rng(0), cancel=NEVER))


def learned(data: DataSet, **chosen: Any) -> Finished:
    last = events(data, **chosen)[-1]
    assert isinstance(last, Finished)
    return last


def notes(data: DataSet, **chosen: Any) -> str:
    return " ".join(event.message for event in events(data, **chosen) if isinstance(event, Note))


def plain_chow_liu(data: DataSet, **chosen: Any) -> Finished:
    params = ChowLiuParams(**{"smoothing": 1.0, **chosen})
    *_, last = ChowLiuLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    return last


@pytest.mark.parametrize("backend", acl_choice.BACKENDS)
@pytest.mark.parametrize(
    "chosen", [{}, {"edge_penalty": 6.0}, {"penalty": "bic"}, {"root": "X7"}], ids=str
)
def test_every_method_has_the_score_and_likelihood_of_chow_liu(
    backend: str, chosen: dict[str, Any]
) -> None:
    data = walks()
    one, other = learned(data, backend=backend, **chosen), plain_chow_liu(data, **chosen)
    for measure in ("score", "mutual_information_bits", "edges"):
        assert one.measures[measure] == pytest.approx(other.measures[measure], rel=1e-9)
    if "root" in chosen:
        assert one.model.parents[6] is None  # type: ignore[attr-defined]


def test_weighted_rows_without_ties_give_the_very_tree_of_chow_liu() -> None:
    data = walks()
    weights = np.random.default_rng(1).random(data.row_count) + 0.1
    weighted = DataSet(data.domain, data.codes, weights)
    one, other = learned(weighted, backend="acl-2").model, plain_chow_liu(weighted).model
    assert one.parents == other.parents  # type: ignore[attr-defined]
    for mine, theirs in zip(one.tables, other.tables, strict=True):  # type: ignore[attr-defined]
        assert mine == pytest.approx(theirs, abs=1e-12)


def test_under_a_prior_all_methods_agree() -> None:
    data = walks()
    scores = [
        learned(data, backend=backend, prior=3.0).measures["score"]
        for backend in ("dense", "acl-2", "auto")
    ]
    assert scores == pytest.approx([scores[0]] * 3, rel=1e-9)


def test_the_first_method_gives_way_where_counts_are_not_whole() -> None:
    data = walks()
    half = DataSet(data.domain, data.codes, np.full(data.row_count, 0.5))
    assert "aCL-I needs whole counts; aCL-II is used." in notes(half, backend="acl-1")
    states = Domain.of(dict.fromkeys(data.domain.names, ("0", "1", "2")))
    assert "two states" in notes(DataSet(states, data.codes), backend="acl-1")


def mixed() -> DataSet:
    domain = Domain.of({"a": "01", "b": "012", "c": "01"})
    return DataSet(domain, np.random.default_rng(0).integers(0, 2, (3, 40)).astype(np.uint8))


def test_penalties_that_differ_between_edges_need_the_dense_method() -> None:
    with pytest.raises(ParameterError, match="penalty differs between edges"):
        learned(mixed(), backend="acl-2", penalty="bic")
    assert "The dense method is used: the penalty differs" in notes(mixed(), penalty="bic")
    one, other = learned(mixed(), penalty="bic"), plain_chow_liu(mixed(), penalty="bic")
    assert one.measures["score"] == pytest.approx(other.measures["score"])


def test_a_prior_on_more_states_needs_the_dense_method() -> None:
    with pytest.raises(ParameterError, match="two states"):
        learned(mixed(), backend="acl-2", prior=1.0)
    assert "The dense method is used: the prior" in notes(mixed(), prior=1.0)


def test_missing_cells_are_counted_as_chow_liu_counts_them() -> None:
    data = walks(n=12, on=3)
    codes = np.array(data.codes)
    codes[np.random.default_rng(2).random(codes.shape) < 0.1] = data.missing_code
    holes = DataSet(data.domain, codes)
    for backend in ("auto", "acl-2"):
        one, other = learned(holes, backend=backend), plain_chow_liu(holes)
        assert one.measures["score"] == pytest.approx(other.measures["score"])
    assert "cells are missing" in notes(holes, missing="available")


def test_an_unknown_root_is_refused() -> None:
    with pytest.raises(ParameterError, match="'Y' is not a column"):
        learned(walks(), root="Y")


def test_the_method_follows_the_forecast() -> None:
    sparse = walks(n=2000, on=5, count=300)
    choice = acl_choice.choose(sparse, cell_rows(sparse), "auto", 0.0)
    assert choice.backend == "acl-2"
    full = DataSet(
        Domain.of({f"v{i}": "01" for i in range(600)}),
        np.random.default_rng(0).integers(0, 2, (600, 500)).astype(np.uint8),
    )
    choice = acl_choice.choose(full, cell_rows(full), "auto", 0.0)
    assert choice.backend == "dense"
    assert "not sparse" in choice.reason


def test_it_reports_its_phases_and_how_little_it_looked_at() -> None:
    data = walks(n=200)
    reported = events(data, backend="acl-2")
    phases = [event for event in reported if isinstance(event, Progress)]
    fractions = [event.fraction for event in phases if event.fraction is not None]
    assert fractions == sorted(fractions)
    for text in ("Counting column", "Listing column", "Counting what occurs", "Joining"):
        assert any(text in event.message for event in phases), text
    grown = next(event for event in phases if event.message == "The forest is grown")
    assert grown.counters["edges"] == 199
    assert grown.counters["edges examined"] >= 199
    assert "the same optimum as Chow–Liu" in notes(data, backend="acl-2")
    assert learned(data, backend="acl-2").measures["longest_row"] == 4


def test_a_stop_is_heard_between_the_phases() -> None:
    switch = StopSwitch()
    params = ChowLiuSparseParams(backend="acl-2")
    run = ChowLiuSparseLearner().run(walks(), params, rng=np.random.default_rng(0), cancel=switch)
    for event in run:
        if isinstance(event, Progress) and event.message == "Ranking the columns":
            break
    switch.cancel()
    with pytest.raises(Cancelled):
        next(run)


def test_walks_have_as_many_ones_as_asked_near_each_other() -> None:
    data = walks(n=50, on=6, count=100)
    assert (data.codes.sum(axis=0) == 6).all()
    for row in data.codes.T:
        indices = np.flatnonzero(row)
        gaps = np.diff(np.append(indices, indices[0] + 50))
        assert np.sort(gaps)[:-1].max() <= 4  # one arc of the circle, without holes wider than 4
    assert (walks(on=0).codes == 0).all()
    with pytest.raises(ParameterError, match="only 3 columns"):
        RandomWalksParams(variables=3, on=4)


def test_a_column_of_very_many_states_is_counted_densely_or_refused_with_a_sentence() -> None:
    count = 20_000
    rng = np.random.default_rng(0)
    codes = np.stack([np.arange(count), *rng.integers(0, 3, (3, count))]).astype(np.uint16)
    states = [str(number) for number in range(count)]
    wide = DataSet(Domain.of({"id": states, **dict.fromkeys("abc", states[:3])}), codes)
    assert learned(wide).measures["edges"] == 3
    with pytest.raises(TooLargeError, match=r"^id has .* states: .* Leave the column out"):
        learned(wide, backend="acl-2")
