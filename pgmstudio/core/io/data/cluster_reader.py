"""Chunks of a large table read by the workers of a Dask cluster; only sums come back.

Every worker reads the same shards of the file in every pass and keeps their codes in its own cache
folder. A worker that dies loses the shard it was reading, which another reads again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pgmstudio.core.execution.cluster import connect, map_on_cluster
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.data.large_table import Combine, Piece, Tick

R = TypeVar("R")


@dataclass(frozen=True)
class ClusterReader:
    """The workers of the scheduler at an address, e.g. tcp://10.0.0.1:8786; they need this program
    and the file at the same path."""

    address: str

    def results(
        self,
        work: Callable[[Piece], R],
        combine: Combine[R],
        shards: Sequence[Sequence[Piece]],
        cancel: CancelToken,
        tick: Tick,
    ) -> Iterator[R]:
        yield from map_on_cluster(
            _client(self.address),
            _OnShard(work, combine),
            shards,
            cancel,
            lambda shard: tick(len(shard)),
        )


@dataclass(frozen=True)
class _OnShard(Generic[R]):
    """Some work on the pieces of a shard, one after the other."""

    work: Callable[[Piece], R]
    combine: Combine[R]

    def __call__(self, shard: Sequence[Piece], cancel: CancelToken) -> R:
        whole = self.work(shard[0])
        for piece in shard[1:]:
            cancel.raise_if_cancelled()
            whole = self.combine(whole, self.work(piece))
        return whole


_clients: dict[tuple[int, str], Any] = {}  # by process, since a fork cannot use its parent's


def _client(address: str) -> Any:
    """A client for all passes of this process."""
    key = os.getpid(), address
    client = _clients.get(key)
    if client is None or client.status != "running":
        client = _clients[key] = connect(address)
    return client
