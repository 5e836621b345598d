"""A Dask cluster on this computer for tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 120


@dataclass
class Running:
    """A scheduler with its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def running_cluster(tmp_path: Path, workers: int = 2) -> Iterator[Running]:
    """A scheduler and workers, processes of their own, as long as the context lasts."""
    from distributed import Client

    file = str(tmp_path / "scheduler.json")
    ends = ["--scheduler-file", file, "--no-dashboard"]

    def started(what: str, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", *ends, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0")
    own = [
        started("worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path))
        for _ in range(workers)
    ]
    try:
        with Client(scheduler_file=file, timeout=PATIENCE_SECONDS) as client:
            client.wait_for_workers(workers, timeout=PATIENCE_SECONDS)
            address = client.scheduler.address
        yield Running(address, own)
    finally:
        for process in (*own, scheduler):
            process.kill()
            process.wait()
