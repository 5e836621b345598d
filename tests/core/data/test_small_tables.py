"""Small tables are counted, measured and tuned without compiled code: the same numbers."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.data import counting
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning import edge_constraints, smoothing
from pgmstudio.core.scores import mutual_information

KERNELS = "pgmstudio.core.languages.latent_class.kernels"
ROOT = Path(__file__).resolve().parents[3]


def rows(*, is_weighted: bool, missing: float) -> DataSet:
    rng = np.random.default_rng(2)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate((2, 3, 4, 2, 3))})
    codes = np.array([rng.integers(0, v.cardinality, 300) for v in domain], dtype=np.uint8)
    codes[1] = np.where(rng.random(300) < 0.7, codes[0], codes[1])
    data = DataSet(domain, codes)
    codes[rng.random(codes.shape) < missing] = data.missing_code
    weights = rng.random(300) if is_weighted else None
    return DataSet(domain, codes, weights)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_small_table_gives_the_numbers_of_the_compiled_code(
    is_weighted: bool, missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rows(is_weighted=is_weighted, missing=missing)
    families = [(0,), (0, 1), (1, 2, 3)]

    def numbers() -> list[object]:
        pairs = counting.pair_counts(data)
        information = mutual_information.mutual_information_nats(pairs)
        tuned = smoothing.tune_smoothing(data, families, np.random.default_rng(1))
        joint = counting.joint_counts(data, (2, 0, 4))
        (joined,) = counting.FamilyCounter(data).joined((3, 0), np.array([1, 2, 4]))
        forest = [-1 if p is None else p for p in edge_constraints.maximum_forest(information)]
        counts = [pairs.flat, joint, joined.flat]
        return [*counts, information, tuned.smoothing, tuned.cv_score, forest]

    will_do = lambda *_: is_plain  # noqa: E731
    monkeypatch.setattr(counting.PLAIN_COUNTS, "will_do", will_do)
    is_plain = True
    plain = numbers()
    is_plain = False
    monkeypatch.setattr(smoothing, "is_small", will_do)
    monkeypatch.setattr(mutual_information, "PLAIN_COLUMNS", 0)
    monkeypatch.setattr(smoothing, "PLAIN_CELLS", 0)
    monkeypatch.setattr(edge_constraints, "PLAIN_NODES", 0)
    for one, other in zip(plain, numbers(), strict=True):
        assert one == pytest.approx(other, rel=1e-9)


def test_rows_of_a_small_table_have_the_probabilities_of_the_compiled_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    complete, incomplete = (rows(is_weighted=False, missing=part) for part in (0.0, 0.1))
    rng = np.random.default_rng(3)

    def table(*shape: int) -> NDArray[np.float64]:
        return rng.dirichlet(np.ones(shape[-1]), shape[:-1])

    weights, cards = np.array([0.5, 0.3, 0.2]), complete.domain.cardinalities
    classes = LatentClasses(complete.domain, weights, tuple(table(3, card) for card in cards))
    chain = (table(cards[0]), *(table(a, b) for a, b in pairwise(cards)))
    parents = (None, *range(len(cards) - 1))
    trees = (
        Tree(complete.domain, parents, chain),
        Tree(complete.domain, (None,) * len(cards), tuple(table(card) for card in cards)),
    )
    mixture = TreeMixture(complete.domain, np.array([0.4, 0.6]), trees)
    asked = ((classes, complete), (classes, incomplete), (mixture, complete))
    monkeypatch.delitem(sys.modules, KERNELS, raising=False)
    plain = [model.component_log2_likelihoods(data) for model, data in asked]
    assert KERNELS not in sys.modules
    monkeypatch.setattr(counting, "SMALL_READS", 0)
    for (model, data), other in zip(asked, plain, strict=True):
        assert np.array_equal(model.component_log2_likelihoods(data), other)


def test_a_tree_of_a_small_table_is_learned_without_compiled_code() -> None:
    learn = ["learn", "tree.chow-liu", "sample_data/coronary.csv"]
    program = "import sys; from pgmstudio.__main__ import main; main(sys.argv[1:]); "
    program += "print(sorted({'numba', 'scipy', 'multiprocessing.spawn'} & {*sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", program, *learn],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
