"""Published values on SL-curves: Nielsen (2007), tables 5.1–5.4, 5.6–5.11 and A.1–A.13.

They are in `published/sl-*.csv`. Likelihoods are log2 per row, higher is better. Sizes of NB are
components times 1 + Σ(states − 1).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BN, PDG, NB, HYBRID = "BN", "PDG", "NB", "Hybrid"
CHOICES = ("max", "BIC", "AIC")  # the models with the best test likelihood, BIC and AIC


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """Effective size, training and test bits per row; a size that cannot be read is NaN."""

    size: float
    train: float
    test: float
    is_doubtful: bool = False  # whether the printed size is in doubt


@dataclass(frozen=True, slots=True)
class PublishedCurve:
    """The models of a language on a data set, the number of all its models, and the seconds."""

    chosen: Mapping[str, PublishedModel]  # by CHOICES
    models: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PublishedPair:
    """A network and the best graph compiled from it."""

    network: PublishedModel
    graph: PublishedModel
    seconds: float


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = (files("pgmstudio.studies") / "published" / name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())


def _model(
    row: Mapping[str, str], prefix: str = "", *, is_doubtful: bool = False
) -> PublishedModel:
    size = row[f"{prefix}size"]
    return PublishedModel(
        float(size) if size else math.nan,
        float(row[f"{prefix}train"]),
        float(row[f"{prefix}test"]),
        is_doubtful,
    )


@cache
def published_curves() -> Mapping[tuple[str, str], PublishedCurve]:
    """Tables 5.4 and 5.7 by data set and language."""
    curves = {}
    for row in _rows("sl-curves.csv"):
        doubtful = row["doubtful_sizes"].split(";")
        chosen = {
            choice: _model(row, f"{choice}_", is_doubtful=choice in doubtful) for choice in CHOICES
        }
        curve = PublishedCurve(chosen, int(row["models"]), float(row["seconds"]))
        curves[row["data_set"], row["language"]] = curve
    return curves


@cache
def published_pairs() -> Mapping[str, tuple[PublishedPair, ...]]:
    """Tables 5.10 and 5.11 by data set."""
    return _pairs_of("sl-hybrids.csv")


@cache
def published_networks() -> Mapping[str, tuple[PublishedPair, ...]]:
    """Tables A.1 to A.13 by data set."""
    return _pairs_of("sl-compiled.csv")


def _pairs_of(file: str) -> Mapping[str, tuple[PublishedPair, ...]]:
    pairs: dict[str, list[PublishedPair]] = {}
    for row in _rows(file):
        pair = PublishedPair(_model(row, "network_"), _model(row, "graph_"), float(row["seconds"]))
        pairs.setdefault(row["data_set"], []).append(pair)
    return {name: tuple(of_set) for name, of_set in pairs.items()}


@cache
def published_truths() -> Mapping[str, PublishedModel]:
    """The models that rows were drawn from, by data set."""
    return {row["data_set"]: _model(row) for row in _rows("sl-truths.csv")}


@dataclass(frozen=True, slots=True)
class Dominance:
    """The language above all others and the one below all others; "" for none."""

    above_train: str
    below_train: str
    above_test: str
    below_test: str


@cache
def published_dominance() -> Mapping[str, Dominance]:
    """Table 5.6 by data set."""
    return {
        row["data_set"]: Dominance(
            row["above_train"], row["below_train"], row["above_test"], row["below_test"]
        )
        for row in _rows("sl-dominance.csv")
    }


@cache
def published_queries() -> Mapping[tuple[str, str], tuple[int, float]]:
    """Table 5.9 by data set and language: the size of the model that answers best, and its mean
    log2 P(Q | E).

    The print names no base, but its numbers are very probably natural logarithms: no model learned
    here answers queries about King, rook and king with less than 8.3 bits, and the 6.46 printed
    would be 9.32.
    """
    return {
        (row["data_set"], row["language"]): (
            int(row["size"]),
            float(row["ln_probability"]) / math.log(2),
        )
        for row in _rows("sl-queries.csv")
    }


@cache
def published_update_times() -> Mapping[tuple[str, str], float]:
    """Table 5.8 by data set and language: milliseconds of an update for 1 000 units of size."""
    return {
        (row["data_set"], row["language"]): float(row["ms_per_1000"])
        for row in _rows("sl-update-times.csv")
    }
