"""Latent classes: a step of EM against stepmix, and densities at the same number of classes.

    python benchmarks/bench_latent.py                   # the step
    python benchmarks/bench_latent.py --sets all        # the densities of the shared sets

The seconds of stepmix are the difference between a run of 22 steps and one of 2, divided by 20, so
that what it does before and after is not counted; ours are single steps. Quality: nats per row of
the test rows after as many steps from each program's own random start; for the densities ours is
the likeliest on the training rows of five starts, which together take less time than one of
stepmix. Ours are smoothed with half a row a class, stepmix is as it comes.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from bench_mixtures import ALL, parts_of
from reporting import SHARED, binary_rows, say_line, version_of

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.latent_class.learning.em import LatentEm, class_rows
from pgmstudio.core.languages.latent_class.learning.growth import with_new_classes

CLASSES, STEPS, TURNS = 20, 20, 5
DENSITY_STEPS, STARTS = 40, 5


def ours(train: DataSet, steps: int = STEPS, seed: int = 0) -> tuple[float, float, Any]:
    """The best seconds of a step; the log-likelihood and the classes after all of them."""
    rows = class_rows(train)
    start = with_new_classes(None, train, CLASSES, np.random.default_rng(seed))
    em = LatentEm(rows, start, smoothing=0.5)
    best = math.inf
    for _ in range(steps + 2):
        began = time.perf_counter()
        reached = em.improve()
        best = min(best, time.perf_counter() - began)
    return best, reached, em.model


def stepmix_fit(train: DataSet, steps: int) -> tuple[float, Any]:
    """The seconds of all steps of stepmix, and its model."""
    from stepmix.stepmix import StepMix

    rows = train.codes.T.astype(float)
    model = StepMix(
        n_components=CLASSES,
        measurement="binary",
        n_init=1,
        max_iter=steps,
        abs_tol=0,
        rel_tol=0,
        random_state=0,
        verbose=0,
        progress_bar=0,
        init_params="random",
    )
    began = time.perf_counter()
    model.fit(rows)
    return time.perf_counter() - began, model


def stepmix(train: DataSet) -> tuple[float, Any]:
    """The same of stepmix."""
    few, _ = stepmix_fit(train, 2)
    many, model = stepmix_fit(train, 2 + STEPS)
    return (many - few) / STEPS, model


def densities(names: Sequence[str]) -> None:
    """Test nats per row of both programs, after as many steps."""
    has_peer = version_of("stepmix") is not None
    for name in names:
        train, _, test = parts_of(name)
        began = time.perf_counter()
        tried = [ours(train, DENSITY_STEPS, seed) for seed in range(STARTS)]
        _, _, classes = max(tried, key=lambda each: each[1])
        own = time.perf_counter() - began
        data = f"{name} {train.row_count}x{len(train.domain)}"
        task = f"latent classes, density, K={CLASSES}, {DENSITY_STEPS} steps"
        nats = float(classes.log2_probabilities(test).mean()) * math.log(2)
        told = version_of("pgmstudio") or "-"
        say_line(task, data, "PGM Studio", told, own, f"test {nats:.3f} nats per row", 1.0)
        if has_peer:
            peer, model = stepmix_fit(train, DENSITY_STEPS)
            nats = model.score(test.codes.T.astype(float))
            told = version_of("stepmix") or "-"
            say_line(task, data, "stepmix", told, peer, f"test {nats:.3f} nats per row", peer / own)


def step() -> None:
    """One step of EM of both programs."""
    name = "baudio"
    if (SHARED / "density" / name).exists():
        train, _, test = parts_of(name)
    else:
        train = test = binary_rows(name, 15_000, 100)
    ours(train)  # compiles
    has_peer = version_of("stepmix") is not None
    if not has_peer:
        print("stepmix: not installed, left out")
    own, peer = math.inf, math.inf
    for _ in range(TURNS):
        seconds, _, classes = ours(train)
        own = min(own, seconds)
        if has_peer:
            seconds, model = stepmix(train)
            peer = min(peer, seconds)
    task, data = f"latent classes, EM step, K={CLASSES}", f"{name} {train.row_count}x100"
    nats = float(classes.log2_probabilities(test).mean()) * math.log(2)
    told = version_of("pgmstudio") or "-"
    say_line(task, data, "PGM Studio", told, own, f"test {nats:.3f} nats per row", 1.0)
    if has_peer:
        nats = model.score(test.codes.T.astype(float))
        told = version_of("stepmix") or "-"
        say_line(task, data, "stepmix", told, peer, f"test {nats:.3f} nats per row", peer / own)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default="", help="density sets, by commas, or “all”")
    chosen = parser.parse_args().sets
    warnings.filterwarnings("ignore")
    if chosen:
        densities(ALL if chosen == "all" else chosen.split(","))
    else:
        step()


if __name__ == "__main__":
    main()
