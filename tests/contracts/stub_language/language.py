"""The registry row of the stub."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    Conversion,
    Diagram,
    Language,
    Lazy,
)

LANGUAGE = Language(
    kind="independent",
    title="Independent variables",
    short_title="IV",
    marker=Marker("+", "yellow", "ph.wind"),
    model_type=Lazy("tests.contracts.stub_language.model:IndependentVariables"),
    session=Lazy("tests.contracts.stub_language.session:IndependentSession"),
    codec=Lazy("tests.contracts.stub_language.codec:CODEC"),
    diagrams=(
        Diagram(
            "nodes",
            Lazy("tests.contracts.stub_language.diagrams:nodes_picture"),
            frozenset({"set_uniform"}),
        ),
    ),
    learners={
        "independent.marginals": Lazy("tests.contracts.stub_language.learner:MarginalLearner")
    },
    comparison=(ComparisonEntry("independent", "independent.marginals", order=5),),
    to_network=Lazy("tests.contracts.stub_language.model:to_network"),
    from_network=Lazy("tests.contracts.stub_language.model:from_network"),
    starts_with_tree=False,
    conversions_from={
        BAYESIAN_NETWORK: Conversion(Lazy("tests.contracts.stub_language.model:from_network"))
    },
    edits={"set_uniform": Lazy("tests.contracts.stub_language.model:set_uniform")},
)
