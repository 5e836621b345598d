"""Large tables on a real Dask cluster: a scheduler and workers, processes of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.chunked import Arrays
from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled, RunFailedError
from pgmstudio.core.execution.events import NEVER, Progress, StopSwitch
from pgmstudio.core.io.data import large_table
from pgmstudio.core.io.data.cluster_reader import ClusterReader
from pgmstudio.core.io.data.large_table import LargeTable, open_table
from pgmstudio.core.io.data.reader import write_data
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import parse_params
from tests.dask_cluster import Running, running_cluster
from tests.strategies import random_network

pytest.importorskip("distributed", reason="dask is not installed")
pytestmark = pytest.mark.long

ROWS = 4000


class KillsWorker:
    """Work on chunks that ends the first worker that sees a certain chunk."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, chunk: DataSet, first_row: int) -> Arrays:
        import os

        if first_row > ROWS // 2 and not self.mark.exists():
            self.mark.touch()
            os._exit(1)
        return (np.array(chunk.row_count), pair_counts(chunk).flat)


def models(data: LargeTable, workers: Sequence[subprocess.Popen[bytes]] = ()) -> list[object]:
    """Every number of some models, to the last bit; the workers die in the midst of a run."""
    result: list[object] = []
    for key, settings in (
        ("tree.chow-liu", {}),
        ("bn.hill-climb", {"restarts": 0}),
        ("nb.latent", {"components": (2,), "restarts": 1, "max_iterations": 4}),
    ):
        params: Any = parse_params(learner_of(key).params_type, settings)
        finished: Any = None
        for event in LearnTask(key, data, params, 1)(NEVER):
            if isinstance(event, Progress) and event.counters.get("pass", 0) > 1:
                for worker in workers:
                    worker.kill()
            finished = event
        assert isinstance(finished, Finished)
        model: Any = finished.model
        numbers = [np.asarray(table).tobytes() for table in model.tables]
        result.append((numbers, getattr(model, "edges", None), finished.measures))
    return result


def test_workers_give_the_same_models_and_those_that_die_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(large_table, "CHUNK_CELLS", 1 << 11)
    monkeypatch.setattr(large_table, "SHARD_ROWS", 700)
    monkeypatch.setattr("pgmstudio.core.data.chunked.MAX_SAMPLE_CELLS", 8000)
    rng = np.random.default_rng(0)
    path = tmp_path / "table.parquet"
    write_data(path, random_network(rng, 6, density=0.6, max_parents=2).sample(ROWS, rng))
    here = open_table(path).data
    assert isinstance(here, LargeTable)
    with running_cluster(tmp_path, 3) as cluster:
        _compare(here, path, cluster, tmp_path)
    with pytest.raises(RunFailedError, match="scheduler"):
        pair_counts(LargeTable(here.source, here.facts, ClusterReader("tcp://127.0.0.1:1")))


def _compare(here: LargeTable, path: Path, cluster: Running, folder: Path) -> None:
    reader = ClusterReader(cluster.address)
    there = open_table(path, reader=reader).data
    assert isinstance(there, LargeTable)
    assert there.fingerprint == here.fingerprint
    assert models(there) == models(here)

    switch = StopSwitch()
    with pytest.raises(Cancelled):  # noqa: PT012 - the loop is what is stopped
        params = learner_of("tree.chow-liu").params_type()
        for event in LearnTask("tree.chow-liu", there.read_by(reader), params, 0)(switch):
            if isinstance(event, Progress) and "pass" in event.counters:
                switch.cancel()

    mark = folder / "killed"
    rows, pairs = there.sums(KillsWorker(mark))
    assert mark.exists()
    assert rows == ROWS
    assert (pairs == pair_counts(here).flat).all()
    (dead,) = (worker for worker in cluster.workers if worker.poll() is not None)
    second = next(worker for worker in cluster.workers if worker is not dead)
    assert models(open_table(path, reader=reader).data, [second]) == models(here)
    assert second.wait(60) != 0
