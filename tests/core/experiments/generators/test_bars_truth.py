"""The true distribution of the bars, exactly, and columns of noise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.experiments.generators.bars import (
    BarsParams,
    bar_likelihoods,
    bars,
    bars_truth,
    draw_bars,
    image_counts,
)
from pgmstudio.core.experiments.generators.textbook import NoiseParams, with_noise
from pgmstudio.core.languages.components import log2_sums


def bars_log2(params: BarsParams, pixels: NDArray[np.bool_]) -> Floats:
    """log2 P(image, orientation), rows × (horizontal, vertical), for any mix of images."""
    images = pixels.reshape(-1, params.side, params.side)
    with np.errstate(divide="ignore"):
        logs = np.log2(bar_likelihoods(params))
    sums = [logs[images.sum(axis=axis)].sum(axis=1) for axis in (2, 1)]
    return np.stack(sums, axis=1) - 1


def test_every_image_is_counted_once() -> None:
    assert sum(image_counts(5).values()) == 2**25


def test_the_exact_figures_of_the_specification_come_out() -> None:
    truth = bars_truth(BarsParams())
    assert truth.total == pytest.approx(1, abs=1e-12)
    assert truth.entropy == pytest.approx(7.8148, abs=5e-5)
    assert truth.entropy_given_orientation == pytest.approx(7.1433, abs=5e-5)
    assert truth.entropy_given_orientation + 1 == pytest.approx(8.1433, abs=5e-5)
    assert truth.accuracy == pytest.approx(0.8360, abs=5e-5)


def test_sums_over_counts_are_sums_over_all_images() -> None:
    params = BarsParams(side=3, bar_probability=0.3, noise=0.1)
    images = np.array(list(itertools.product((False, True), repeat=9)))
    joint = np.exp2(bars_log2(params, images))
    total = joint.sum(axis=1)
    truth = bars_truth(params)
    assert truth.entropy == pytest.approx(-(total @ np.log2(total)), abs=1e-12)
    assert truth.accuracy == pytest.approx(joint.max(axis=1).sum(), abs=1e-12)


def test_drawn_images_cost_their_entropy_and_are_explained_as_well_as_can_be() -> None:
    params = BarsParams()
    vertical, _, pixels = draw_bars(params, np.random.default_rng(3), 100_000)
    joint = bars_log2(params, pixels)
    assert -log2_sums(joint.T).mean() == pytest.approx(7.815, abs=0.05)
    right = (joint.argmax(axis=1) == vertical)[joint[:, 0] != joint[:, 1]].sum()
    right += 0.5 * (joint[:, 0] == joint[:, 1]).sum()  # a tie is a coin
    assert right / 100_000 == pytest.approx(0.836, abs=0.005)


def test_a_large_side_is_refused_with_its_bound() -> None:
    with pytest.raises(TooLargeError, match="up to 6"):
        bars_truth(BarsParams(side=9))


def test_noise_stands_after_the_own_columns_and_is_independent_of_them() -> None:
    rng = np.random.default_rng(0)
    data = bars(BarsParams(side=2), rng, 20_000)
    wide = with_noise(data, NoiseParams(variables=3), rng)
    assert wide.domain.names == (*data.domain.names, "noise_1", "noise_2", "noise_3")
    assert (wide.codes[:4] == data.codes).all()
    pairs = np.zeros((2, 4))
    np.add.at(pairs, (wide.codes[0], wide.codes[4]), 1)
    fractions = pairs / pairs.sum()
    expected = fractions.sum(axis=1)[:, None] * fractions.sum(axis=0)
    assert np.abs(fractions - expected).max() < 0.01
