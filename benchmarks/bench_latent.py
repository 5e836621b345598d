"""Latent classes: a step of EM against stepmix, and densities at the same number of classes.

    python benchmarks/bench_latent.py

The seconds of stepmix are the difference between a run of 22 steps and one of 2, divided by 20, so
that what it does before and after is not counted; ours are single steps. Quality: nats per row of
the test rows after as many steps from each program's own random start.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np
from bench_mixtures import parts_of
from reporting import SHARED, binary_rows, say_line, version_of

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.learning.latent_em import LatentEm, class_rows
from pgmstudio.core.learning.latent_growth import with_new_classes

CLASSES, STEPS, TURNS = 20, 20, 5


def ours(train: DataSet) -> tuple[float, Any]:
    """The best seconds of a step, and the classes after all of them."""
    rows = class_rows(train)
    start = with_new_classes(None, rows.first_rows, CLASSES, np.random.default_rng(0))
    em = LatentEm(rows, start, smoothing=0.5)
    best = math.inf
    for _ in range(STEPS + 2):
        began = time.perf_counter()
        em.improve()
        best = min(best, time.perf_counter() - began)
    return best, em.model


def stepmix(train: DataSet) -> tuple[float, Any]:
    """The same of stepmix."""
    from stepmix.stepmix import StepMix

    rows = train.codes.T.astype(float)

    def fit(steps: int) -> tuple[float, Any]:
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

    few, _ = fit(2)
    many, model = fit(2 + STEPS)
    return (many - few) / STEPS, model


def main() -> None:
    warnings.filterwarnings("ignore")
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
        seconds, classes = ours(train)
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


if __name__ == "__main__":
    main()
