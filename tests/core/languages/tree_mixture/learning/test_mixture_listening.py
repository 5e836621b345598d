"""EM for mixtures of trees can be cancelled and reports progress inside long steps; its sums and
sizes stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import NEVER, Progress, StopSwitch
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning import dense_em as mixture_em
from pgmstudio.core.languages.tree_mixture.learning import row_blocks as mixture_work
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.learner import MixtureLearner
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.learning.sparse_em import SparseTreeMixtureEm
from pgmstudio.core.learning import sparse_rows as mixture_rows
from pgmstudio.core.learning.responsibilities import lined_zeros
from pgmstudio.core.learning.sparse_rows import sparse_rows
from tests.core.languages.tree.learning.test_acl_em import rows_of_two_kinds

KINDS = (TreeMixtureEm, SparseTreeMixtureEm)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks up after a handful of numbers."""
    monkeypatch.setattr(mixture_work, "_NUMBERS_PER_CHECK", 10)
    monkeypatch.setattr(mixture_em, "_PIECE", 20)
    monkeypatch.setattr(mixture_rows, "_CELLS_PER_TURN", 1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_is_heard_while_trees_are_fitted(kind: type) -> None:
    stop = StopSwitch()
    em = kind(sparse_rows(rows_of_two_kinds(1, 2)), 4, TreePriors(2.0, even_rows=1.0), stop)
    em.start_at_random(np.random.default_rng(0))
    parts = em.improving()
    assert str(next(parts)).endswith("of the trees")
    stop.cancel()
    with pytest.raises(Cancelled):
        list(parts)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_reported_on_the_way_changes_nothing(
    kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = sparse_rows(rows_of_two_kinds(2, 2))
    result = []
    for look in (10, 10**9):
        monkeypatch.setattr(mixture_work, "_NUMBERS_PER_CHECK", look)
        em = kind(rows, 3, TreePriors(2.0, even_rows=1.0))
        em.start_at_random(np.random.default_rng(0))
        reports = len(list(em.improving()))
        assert (reports > 0) == (look == 10)
        result.append((em.log_likelihood(), em.forests.tolist()))
    assert result[0] == result[1]


@pytest.mark.usefixtures("impatient")
def test_a_long_run_reports_what_it_tries_and_its_share_never_falls() -> None:
    events = MixtureLearner().run(
        rows_of_two_kinds(3, 2, n=8, count=400),
        MixtureParams(components=(2, 3), max_iterations=3, tree="accelerated"),
        rng=np.random.default_rng(0),
        cancel=NEVER,
    )
    reports = [event for event in events if isinstance(event, Progress)]
    listed = [event.fraction for event in reports if event.message.startswith("Listing the cells")]
    assert len(set(listed)) > 4
    assert any("trying smoothing 4 of 9" in event.message for event in reports)
    fractions = [event.fraction for event in reports if event.fraction is not None]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) > 6


@pytest.mark.parametrize("cards", [[2] * 9, [2, 1, 2, 2, 1, 2], [3, 2, 4, 1, 2]])
def test_information_of_two_states_is_that_of_any_number_of_states(cards: list[int]) -> None:
    rng = np.random.default_rng(4)
    codes = np.array([rng.integers(0, card, 80) for card in cards], dtype=np.uint8)
    domain = Domain.of({f"v{i}": [str(s) for s in range(card)] for i, card in enumerate(cards)})
    em = TreeMixtureEm(sparse_rows(DataSet(domain, codes)), 2, TreePriors(1.0, toward="uniform"))
    em.start_at_random(rng)
    by_two = em.information
    if em._is_binary:
        other = TreeMixtureEm(em.rows, 2, em.priors)
        other._is_binary = False
        other._strips = mixture_work.strips(np.array(cards))
        other.start_at_random(np.random.default_rng(9))
        other.masses, other._sums = em.masses, em._sums
        assert by_two == pytest.approx(other.information, abs=1e-13)
    model = em.mixture()
    assert em.sizes == (model.effective_size(), model.representation_size())


def test_numbers_of_components_begin_on_a_cache_line() -> None:
    for size in (1, 7, 1000):
        zeros = lined_zeros(size)
        assert zeros.size == size
        assert zeros.ctypes.data % 64 == 0
        assert not zeros.any()
