"""A project with something of everything, and random ones."""

from __future__ import annotations

import dataclasses

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.resampling import split
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.project.project import (
    ComparisonEntry,
    CurveEntry,
    DataEntry,
    EvidenceCase,
    ModelEntry,
    Outcome,
    Project,
    Run,
)
from tests.strategies import random_network, random_tree, with_missing


def full_project(seed: int = 0, *, rows: int = 60, variables: int = 5) -> Project:
    """Every kind of entry, every field message."""
    rng = np.random.default_rng(seed)
    network, tree = random_network(rng, variables), random_tree(rng, variables)
    sampled = with_missing(rng, network.sample(rows, rng))
    weighted = DataSet(sampled.domain, sampled.codes, rng.random(rows) + 0.5)
    first, second = network.domain.names[:2]
    run = Run(
        learner="bn.hill-climb",
        params={"max_parents": 3, "lambdas": (0.1, 0.2), "score": "bic", "limit": float("inf")},
        seed=7,
        data_fingerprint=sampled.fingerprint,
        program_version="0.1.0",
        outcome=Outcome.FINISHED,
        title="First try",
        data_id="d1",
        model_id="m1",
        seconds=1.25,
        measures={"score": -123.456, "test": float("-inf")},
        trace=((0.0, -200.0), (1.0, -123.456)),
        messages=("No cell is missing.",),
    )
    return Project(
        title="Rain “and” snow",
        notes="# Notes\nmore",
        data={
            "d1": DataEntry(
                "rain",
                sampled,
                source="rain.csv",
                cuts={first: Cuts(first, (1.5, 2.5))},
                missing_markers=("?", "NA"),
                split=split(sampled, (0.7, 0.2, 0.1), seed=3),
                notes="wet",
                provenance={"file hash": "abc"},
            ),
            "d2": DataEntry("weighted", weighted),
        },
        models={
            "m1": ModelEntry(
                "Learned",
                network,
                data_id="d1",
                run_id="r1",
                is_edited=True,
                layouts={"dag": {first: (1.5, -2.0)}, "moral": {second: (0.1, 0.2)}},
                display_modes={first: "bars"},
                node_titles={first: "First, of all"},
                notes="good",
                node_notes={second: "odd"},
                edge_notes={(first, second): "why?"},
                provenance={"seed": 7},
            ),
            "m2": ModelEntry("A tree", tree),
        },
        knowledge=Knowledge(
            frozenset({(first, second)}), frozenset({(second, first)}), ((first,), (second,)), {0}
        ),
        evidence_cases={
            "a, b": EvidenceCase({first: Observed("s0"), second: Excluded(frozenset({"s1"}))}),
            "soft": EvidenceCase({first: Likelihood((("s0", 3.0), ("s1", 0.1)))}, "m2"),
        },
        runs={"r1": run, "r2": dataclasses.replace(run, outcome=Outcome.FAILED, model_id=None)},
        curves={
            "c1": CurveEntry(
                "Sweep",
                ({"lambda": 0.1, "size": 12},),
                "d1",
                {"plan": {"seeds": [0, 1]}, "rows": {"test": None}},
                "rows.points",
                ("a-000",),
            )
        },
        comparisons={"p1": ComparisonEntry("Both", ("m1", "m2"), "d2")},
    )
