"""How the time of an update grows with the effective size."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pgmstudio.core.analysis.query_benchmark import (
    Queries,
    QueryPlan,
    inference_seconds,
    line_fit,
    random_queries,
)
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.pdg.from_network import compiled_graph
from pgmstudio.core.model import Model
from pgmstudio.studies.sl_published import (
    BN,
    NB,
    PDG,
)


@pytest.mark.long
def test_the_time_of_an_update_grows_with_the_effective_size() -> None:
    # Acceptance check 10: at least ten models of each language, R² ≥ 0.9, slope above 0. The time
    # is that of the processor, so that a busy machine does not decide.
    rng = np.random.default_rng(0)
    models: list[tuple[str, Model, Queries]] = []
    for count in (9, 10, 11):
        domain = Domain(tuple(Variable(f"X{i}", ("a", "b", "c", "d")) for i in range(count)))
        names = domain.names
        for width in (5, 6, 7, 8):
            edges = [
                (names[j], names[i]) for i in range(count) for j in range(max(0, i - width + 1), i)
            ]
            network = BayesianNetwork.uniform(domain, Dag.from_edges(names, edges))
            classes = 200 * (len(models) // 3 + 1)
            tables = tuple(rng.dirichlet(np.ones(4), classes) for _ in names)
            mixture = LatentClasses(domain, np.full(classes, 1 / classes), tables)
            queries = random_queries(
                network.sample(50, rng), QueryPlan(count=10, targets=2, given=2)
            )
            models += [
                (BN, network, queries),
                (PDG, compiled_graph(network), queries),
                (NB, mixture, queries),
            ]
    # The least time of several rounds through all models: what compiles code or crowds the memory
    # for a while meets every model in some round, and only ever adds.
    rounds = [
        [inference_seconds(model, queries, 10, time.thread_time) for _, model, queries in models]
        for _ in range(8)
    ]
    for language in (BN, NB, PDG):
        own = [i for i, (of, _, _) in enumerate(models) if of == language]
        assert len(own) >= 10
        seconds = [min(each[i] or np.inf for each in rounds) for i in own]
        fit = line_fit([float(models[i][1].effective_size()) for i in own], seconds)
        assert fit is not None
        assert fit.slope > 0, language
        assert fit.r_squared >= 0.9, (language, fit.r_squared)
