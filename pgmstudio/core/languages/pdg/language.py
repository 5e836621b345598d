"""The registry row of probabilistic decision graphs."""

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

lazy = Lazy.within("pgmstudio.core.languages.pdg")

LANGUAGE = Language(
    kind="pdg",
    title="Probabilistic decision graph",
    short_title="PDG",
    marker=Marker("d", "green", "ph.git-fork"),
    learner_markers={"pdg.hybrid": Marker("t", "green", "ph.git-fork")},
    model_type=lazy("model:DecisionGraph"),
    session=lazy("session:DecisionGraphSession"),
    program=lazy("session:program_of"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "nodes",
            lazy("diagrams:nodes_picture"),
            frozenset({"merge_nodes", "split_node", "redirect_arc", "move_variable", "set_node"}),
            svg=lazy("svg:nodes_drawing"),
            title="Nodes and flow",
            description="A band for each variable; the width of an arc is its flow.",
        ),
        Diagram(
            "forest",
            lazy("diagrams:forest_picture"),
            frozenset({"move_variable"}),
            title="Variable forest",
            description="The order in which the graph branches on variables.",
        ),
    ),
    to_network=lazy("conversions:network_of_graph"),
    from_network=lazy("conversions:graph_of_tree_network"),
    conversions_from={
        BAYESIAN_NETWORK: Conversion(lazy("conversions:graph_of_network")),
        "tree": Conversion(lazy("conversions:graph_of_tree")),
        "tree-mixture": Conversion(lazy("conversions:graph_of_components")),
        "latent-class": Conversion(lazy("conversions:graph_of_components")),
        "ldag": Conversion(lazy("conversions:graph_through_network")),
    },
    edits={
        "merge_nodes": lazy("edits:merge_nodes"),
        "split_node": lazy("edits:split_node"),
        "redirect_arc": lazy("edits:redirect_arc"),
        "move_variable": lazy("edits:move_variable"),
        "set_node": lazy("edits:set_node"),
    },
    violations=lazy("conversions:violations"),
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
        "pdg.learn": lazy("learning.learner:PdgLearner"),
        "pdg.hybrid": lazy("learning.hybrid:HybridPdgLearner"),
    },
)
