"""The registry row of probabilistic decision graphs."""

from __future__ import annotations

from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    Conversion,
    Diagram,
    Language,
    Lazy,
)

LANGUAGE = Language(
    kind="pdg",
    title="Probabilistic decision graph",
    short_title="PDG",
    model_type=Lazy("pgmstudio.core.languages.pdg.model:DecisionGraph"),
    session=Lazy("pgmstudio.core.languages.pdg.session:DecisionGraphSession"),
    codec=Lazy("pgmstudio.core.languages.pdg.codec:CODEC"),
    diagrams=(
        Diagram(
            "nodes",
            Lazy("pgmstudio.core.languages.pdg.diagrams:nodes_picture"),
            frozenset({"take_step", "move_variable", "set_node"}),
            svg=Lazy("pgmstudio.core.languages.pdg.svg:nodes_drawing"),
            title="Nodes and flow",
            description="A band for each variable; the width of an arc is its flow.",
        ),
        Diagram(
            "forest",
            Lazy("pgmstudio.core.languages.pdg.diagrams:forest_picture"),
            frozenset({"move_variable"}),
            title="Variable forest",
            description="The order in which the graph branches on variables.",
        ),
    ),
    to_network=Lazy("pgmstudio.core.languages.pdg.to_network:network_of_graph"),
    from_network=Lazy("pgmstudio.core.languages.pdg.conversions:graph_of_tree_network"),
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            Lazy("pgmstudio.core.languages.pdg.conversions:graph_of_network")
        ),
        "tree": Conversion(Lazy("pgmstudio.core.languages.pdg.conversions:graph_of_tree")),
        "tree-mixture": Conversion(
            Lazy("pgmstudio.core.languages.pdg.conversions:graph_of_components")
        ),
        "latent-class": Conversion(
            Lazy("pgmstudio.core.languages.pdg.conversions:graph_of_components")
        ),
        "ldag": Conversion(Lazy("pgmstudio.core.languages.pdg.conversions:graph_through_network")),
    },
    edits={
        "take_step": Lazy("pgmstudio.core.languages.pdg.edits:take_step"),
        "move_variable": Lazy("pgmstudio.core.languages.pdg.edits:move_variable"),
        "set_node": Lazy("pgmstudio.core.languages.pdg.edits:set_node"),
    },
    violations=Lazy("pgmstudio.core.languages.pdg.to_network:violations"),
    effective_size_note="states of its nodes, once for every branch below them",
    comparison=(
        ComparisonEntry(
            "pdg",
            "pdg.learn",
            order=40,
            description="A probabilistic decision graph: paths through nodes represent contexts.",
        ),
        ComparisonEntry(
            "hybrid",
            "pdg.hybrid",
            order=70,
            settings={"network": "bn.hill-climb"},
            description="A decision graph compiled from a network and made smaller.",
            title="Hybrid PDG",
            short_title="Hybrid",
        ),
    ),
    learners={
        "pdg.learn": Lazy("pgmstudio.core.languages.pdg.learning.learner:PdgLearner"),
        "pdg.hybrid": Lazy("pgmstudio.core.languages.pdg.learning.hybrid:HybridPdgLearner"),
    },
)
