"""DataSet: a table of state codes, a column in one run of memory; missing cells are first-class.

Imported: a data set and how a file became it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken

Codes = NDArray[np.unsignedinteger[Any]]  # uint8, or uint16 where 255 states are too few

# So many states cannot be estimated from samples; the codes would need wider integers.
MAX_STATES = 65_535


def code_dtype(domain: Domain) -> np.dtype[np.unsignedinteger[Any]]:
    """The narrowest dtype whose largest code, MISSING, is not a state."""
    largest = max(domain.cardinalities, default=0)
    if largest > MAX_STATES:
        raise DataError(
            f"A variable has {largest} states; at most {MAX_STATES} are possible. "
            "Discretise it, merge states, or leave the column out."
        )
    return np.dtype(np.uint8 if largest <= 255 else np.uint16)


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows over a domain; `codes` is variables × rows and read-only.

    A missing cell is the largest code of the dtype (`missing_code`). `weights` has one positive
    number per row, or is None when every row counts once.
    """

    domain: Domain
    codes: Codes
    weights: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        codes = np.ascontiguousarray(self.codes, dtype=code_dtype(self.domain))
        if codes.ndim != 2 or codes.shape[0] != len(self.domain):
            raise DataError(
                f"{len(self.domain)} variables need a table of as many columns, "
                f"not one of shape {codes.shape}."
            )
        missing = np.iinfo(codes.dtype).max
        for variable, column in zip(self.domain, codes, strict=True):
            if column.size and column.max() >= variable.cardinality:
                strange = (column >= variable.cardinality) & (column != missing)
                if strange.any():
                    row = int(np.argmax(strange))
                    raise DataError(
                        f"Row {row + 1} of {variable.name} holds the code {column[row]}, "
                        f"but there are only {variable.cardinality} states."
                    )
        object.__setattr__(self, "codes", codes)
        if self.weights is not None:
            weights = np.ascontiguousarray(self.weights, dtype=np.float64)
            if weights.shape != (codes.shape[1],):
                raise DataError(f"{codes.shape[1]} rows need as many weights, not {weights.size}.")
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise DataError("Row weights must be finite and not negative.")
            object.__setattr__(self, "weights", weights)
        self._seal()

    def _seal(self) -> None:
        # A view, so that the caller's own array stays writable.
        for name in ("codes", "weights"):
            array = getattr(self, name)
            if array is not None and array.flags.writeable:
                sealed = array.view()
                sealed.flags.writeable = False
                object.__setattr__(self, name, sealed)

    def __getstate__(self) -> dict[str, Any]:
        return {"domain": self.domain, "codes": self.codes, "weights": self.weights}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._seal()  # arrays come back writable from another process

    @classmethod
    def from_rows(cls, domain: Domain, rows: Iterable[Sequence[str | None]]) -> DataSet:
        """A data set from rows of state names; None is a missing cell."""
        dtype = code_dtype(domain)
        missing = int(np.iinfo(dtype).max)
        coded = [
            [
                missing if state is None else variable.code(state)
                for variable, state in zip(domain, row, strict=True)
            ]
            for row in rows
        ]
        table = np.array(coded, dtype=dtype).reshape(len(coded), len(domain))
        return cls(domain, np.ascontiguousarray(table.T))

    @property
    def row_count(self) -> int:
        return int(self.codes.shape[1])

    @property
    def is_weighted(self) -> bool:
        return self.weights is not None

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """One weight per row, also when all are 1."""
        return np.ones(self.row_count) if self.weights is None else self.weights

    @cached_property
    def total_weight(self) -> float:
        return float(self.row_count) if self.weights is None else float(self.weights.sum())

    @cached_property
    def card_array(self) -> NDArray[np.int64]:
        """How many states each variable has; with thousands of them a tuple takes long to copy."""
        cards = np.array(self.domain.cardinalities, dtype=np.int64)
        cards.flags.writeable = False
        return cards

    @property
    def missing_code(self) -> int:
        return int(np.iinfo(self.codes.dtype).max)

    @cached_property
    def missing_counts(self) -> tuple[int, ...]:
        """How many cells are missing, per variable (rows counted, not weights)."""
        return tuple(int((column == self.missing_code).sum()) for column in self.codes)

    @property
    def has_missing(self) -> bool:
        return any(self.missing_counts)

    @cached_property
    def incomplete_row_count(self) -> int:
        """How many rows have at least one missing cell."""
        if not self.has_missing:
            return 0
        hit = np.zeros(self.row_count, dtype=bool)
        for column, count in zip(self.codes, self.missing_counts, strict=True):
            if count:
                hit |= column == self.missing_code
        return int(hit.sum())

    def column(self, name: str) -> Codes:
        column: Codes = self.codes[self.domain.index(name)]
        return column

    def take_rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> DataSet:
        """The chosen rows, in the order given."""
        weights = None if self.weights is None else self.weights[chosen]
        if isinstance(chosen, slice):
            codes = np.ascontiguousarray(self.codes[:, chosen])
        elif np.asarray(chosen).dtype == np.bool_:
            codes = self.codes.compress(chosen, axis=1)
        else:
            codes = self.codes.take(chosen, axis=1)  # many times as fast as codes[:, chosen]
        return replace(self, codes=codes, weights=weights)

    def select_columns(self, names: Iterable[str]) -> DataSet:
        """The named columns, in the order given."""
        names = tuple(names)
        if names == self.domain.names:
            return self
        indices = [self.domain.index(name) for name in names]
        domain = self.domain.restricted_to(names)
        codes = self.codes[indices].astype(code_dtype(domain), copy=False)
        if codes.dtype != self.codes.dtype:
            codes[self.codes[indices] == self.missing_code] = np.iinfo(codes.dtype).max
        return DataSet(domain, codes, self.weights)

    def for_model(self, domain: Domain) -> DataSet:
        """The columns of a model's domain in its order; DataError where states differ."""
        rows = self.select_columns(domain.names)
        if rows.domain != domain:
            raise DataError("The rows have other states than the model; code them with its domain.")
        return rows

    def complete_rows(self) -> DataSet:
        """The rows without a missing cell."""
        if not self.has_missing:
            return self
        return self.take_rows(~(self.codes == self.missing_code).any(axis=0))

    def merged(self, cancel: CancelToken = NEVER) -> DataSet:
        """Equal rows once, with their summed weights; in the order of first appearance."""
        if self.row_count == 0:
            return self
        first, which = self.distinct(cancel)
        if first.size == self.row_count:
            return self if self.weights is not None else replace(self, weights=np.ones(first.size))
        weights = np.bincount(which, weights=self.weights, minlength=first.size)
        codes = self.codes.take(first, axis=1)
        return DataSet(self.domain, codes, weights.astype(np.float64))

    def distinct(self, cancel: CancelToken = NEVER) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that are unlike all before them, and which of these every row is equal to."""
        keys = self._row_keys(cancel)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        later = np.setdiff1d(np.arange(self.row_count), first, assume_unique=True)
        same = first[inverse.ravel()[later]]
        if any((column[later] != column[same]).any() for column in self.codes):
            # Two different rows with one hash, which is hardly ever: the rows are their own keys.
            rows = np.ascontiguousarray(self.codes.T)
            whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
            _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
        order = np.argsort(first)
        index = np.empty_like(order)
        index[order] = np.arange(order.size)
        return first[order], index[inverse.ravel()]

    def _row_keys(self, cancel: CancelToken) -> NDArray[np.uint64]:
        """A hash of every row: much faster to sort than the rows."""
        factors = np.random.default_rng(0).integers(1, 1 << 63, len(self.domain), dtype=np.uint64)
        keys = np.zeros(self.row_count, dtype=np.uint64)
        for factor, column in zip(factors, self.codes, strict=True):
            cancel.raise_if_cancelled()
            keys ^= keys >> np.uint64(29)
            keys += (column.astype(np.uint64) + np.uint64(1)) * (factor | np.uint64(1))
        return keys

    @cached_property
    def content_keys(self) -> NDArray[np.uint64]:
        """A hash of every row by the names of its columns and states, not by their order."""
        keys = np.zeros(self.row_count, dtype=np.uint64)
        for variable, column in zip(self.domain, self.codes, strict=True):
            # The missing code is larger than any state's: it stands behind the last of them.
            known = [_hash(variable.name, state) for state in (*variable.states, None)]
            keys += np.array(known, dtype=np.uint64)[np.minimum(column, variable.cardinality)]
        return keys

    @cached_property
    def content_order(self) -> NDArray[np.intp]:
        """The rows in an order that depends on their values; equal ones in their own order."""
        return np.argsort(self.content_keys, kind="stable")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of domain, codes and weights, for provenance."""
        digest = hashlib.sha256()
        for variable in self.domain:
            digest.update(repr((variable.name, variable.states)).encode())
        for array in (self.codes, self.weights):
            if array is not None:
                digest.update(array.reshape(-1).view(np.uint8).data)
        return digest.hexdigest()[:16]

    def prepared(self) -> DataSet:
        """Itself, when its cached statistics have been computed."""
        _ = self.fingerprint, self.missing_counts, self.incomplete_row_count
        return self


def _hash(column: str, state: str | None) -> int:
    text = repr((column, state)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class Imported:
    """The data, the cuts of its discretised columns, and what was decided on the way.

    `markers` are the texts that were read as missing; `warnings` are messages to the user.
    """

    data: DataSet
    source: str
    cuts: Mapping[str, Cuts] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
