"""Tables larger than memory: makes a Parquet file of 10⁸ rows in chunks and learns from it.

    python benchmarks/large_tables.py make FILE [--rows N] [--columns N]
    python benchmarks/large_tables.py learn FILE LEARNER … [--cluster tcp://HOST:8786]

`learn` prints one line for each learner: seconds, passes, peak memory (private, and with the pages
of files it reads), and a fingerprint of the model. The rows are drawn from a random network, the
same for the same seed.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars
from numpy.typing import NDArray

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.execution.events import NEVER, Note, Progress
from pgmstudio.core.io.data.cluster_reader import ClusterReader
from pgmstudio.core.io.data.large_table import HERE, ChunkReader, open_table
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.cost_estimates import forecast_passes
from pgmstudio.core.model import Model
from pgmstudio.core.params import parse_params

CHUNK = 1 << 20
SEED = 20


def random_network(
    columns: int,
) -> tuple[list[int], list[tuple[int, ...]], list[NDArray[np.float32]]]:
    """States, parents and CPTs: up to two parents among the three columns before."""
    rng = np.random.default_rng(SEED)
    cards = rng.integers(2, 5, columns).tolist()
    parents = [
        tuple(sorted(rng.choice(np.arange(max(0, v - 3), v), min(v, 2), replace=False).tolist()))
        for v in range(columns)
    ]
    tables = []
    for v in range(columns):
        lines = int(np.prod([cards[p] for p in parents[v]], dtype=int))
        table = rng.dirichlet(np.full(cards[v], 0.7), size=lines) * 0.96 + 0.04 / cards[v]
        tables.append(table.cumsum(axis=1)[:, :-1].astype(np.float32))
    return cards, parents, tables


def chunks(rows: int, columns: int) -> Iterator[polars.DataFrame]:
    """The rows, so many at a time."""
    cards, parents, tables = random_network(columns)
    for number, start in enumerate(range(0, rows, CHUNK)):
        rng = np.random.default_rng((SEED, number))
        count = min(CHUNK, rows - start)
        codes: list[NDArray[np.uint8]] = []
        for v in range(columns):
            line = np.zeros(count, dtype=np.int16)
            for p in parents[v]:
                line = line * cards[p] + codes[p]
            draw = rng.random(count, dtype=np.float32)
            code = np.zeros(count, dtype=np.uint8)
            for edge in tables[v].T:
                code += draw > edge[line]
            codes.append(code)
        yield polars.DataFrame({f"V{v + 1}": column for v, column in enumerate(codes)})


def make(path: Path, rows: int, columns: int) -> None:
    """Write the file chunk by chunk."""
    from polars.io.plugins import register_io_source

    begun = time.perf_counter()
    schema = {f"V{v + 1}": polars.UInt8 for v in range(columns)}

    def source(
        with_columns: list[str] | None,
        _predicate: polars.Expr | None,
        n_rows: int | None,
        _batch_size: int | None,
    ) -> Iterator[polars.DataFrame]:
        for done, chunk in enumerate(chunks(n_rows or rows, columns), start=1):
            print(f"\r{min(done * CHUNK, rows):,} of {rows:,} rows", end="", file=sys.stderr)
            yield chunk if with_columns is None else chunk.select(with_columns)

    lazy = register_io_source(io_source=source, schema=schema, is_pure=True)
    lazy.sink_parquet(path, compression="zstd", compression_level=1, row_group_size=CHUNK // 2)
    size = path.stat().st_size / 1e6
    print(f"\n{path}: {rows:,} × {columns}, {size:,.0f} MB, {time.perf_counter() - begun:.0f} s")


class PeakMemory:
    """The largest private and whole memory of this process, looked at ten times a second."""

    def __init__(self) -> None:
        self.private = self.whole = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._is_over.wait(0.1):
            fields = dict(
                line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
            )
            private = int(fields["RssAnon"].split()[0])
            files = int(fields["RssFile"].split()[0]) + int(fields["RssShmem"].split()[0])
            self.private = max(self.private, private)
            self.whole = max(self.whole, private + files)

    def stop(self) -> str:
        self._is_over.set()
        self._thread.join()
        return f"{self.private / 1e6:.2f} GB private, {self.whole / 1e6:.2f} GB with mapped files"


def fingerprint(model: Model) -> str:
    """A hash of the model file, which has every parameter to the last bit."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        write_model(file, ModelFile(model, title="model"))
        return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def learn(path: Path, key: str, settings: dict[str, str], cluster: str | None, seed: int) -> None:
    """Open the file and run one learner on it; prints a line for each."""
    reader: ChunkReader = HERE if cluster is None else ClusterReader(cluster)
    memory, begun, spent = PeakMemory(), time.perf_counter(), time.process_time()
    data = open_table(path, reader=reader).data
    assert isinstance(data, ChunkedData)
    opened, cpu = time.perf_counter() - begun, time.process_time() - spent
    print(f"opened: {data.row_count:,} rows, {opened:.0f} s ({cpu:.0f} s of processor)", flush=True)
    learner = learner_of(key)
    params = parse_params(learner.params_type, dict(settings))
    print(f"forecast: {forecast_passes(learner, params, data)}", flush=True)
    begun, spent = time.perf_counter(), time.process_time()
    model, shown, reports = None, 0.0, 0
    for event in LearnTask(key, data, params, seed)(NEVER):
        if isinstance(event, Progress):
            reports += 1
            if time.perf_counter() - shown > 5:
                shown = time.perf_counter()
                print(f"  {shown - begun:.0f} s: {event.message}", file=sys.stderr, flush=True)
        elif isinstance(event, Note):
            print(f"  {event.message}", flush=True)
        elif isinstance(event, Finished):
            model = event.model
    assert model is not None
    seconds, cpu = time.perf_counter() - begun, time.process_time() - spent
    print(
        f"{key}: {seconds:.0f} s ({cpu:.0f} s of processor), {data.passes} passes, {reports} "
        f"progress events, {memory.stop()}, model {fingerprint(model)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("make", "learn"))
    parser.add_argument("file", type=Path)
    parser.add_argument("learner", nargs="?", default="tree.chow-liu")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cluster")
    args = parser.parse_args()
    if args.what == "make":
        make(args.file, args.rows, args.columns)
    else:
        settings = dict(pair.split("=", 1) for pair in args.set)
        learn(args.file, args.learner, settings, args.cluster, args.seed)


if __name__ == "__main__":
    main()
