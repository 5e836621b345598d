"""The registry row of trees."""

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

lazy = Lazy.within("pgmstudio.core.languages.tree")

LANGUAGE = Language(
    kind="tree",
    title="Tree",
    short_title="Tree",
    marker=Marker("star", "black", "ph.tree-structure"),
    model_type=lazy("model:Tree"),
    session=lazy("session:TreeSession"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "tree",
            lazy("diagrams:tree_picture"),
            description="The edges of the tree without directions.",
            is_structure=True,
        ),
        Diagram(
            "dag",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:dag_picture"),
            title="DAG",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
    ),
    to_network=Lazy("pgmstudio.core.languages.bayesian_network.conversions:own_network"),
    is_network=True,
    from_network=lazy("model:Tree.from_bayesian_network"),
    starts_with_tree=False,
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            lazy("model:Tree.from_bayesian_network"),
            lazy("model:no_tree_reason"),
        ),
    },
    size_breakdown=lazy("sizes:tree_sizes"),
    roles=lazy("model:neighbour_roles"),
    effective_size_note="cells of the tables of its edges; it is its own clique tree",
    has_interventions=True,
    intervention_note=(
        "do() reads the edges of the tree as leading away from its root. Data alone do not "
        "determine this direction: another root gives the same beliefs without do(), and "
        "other beliefs with it."
    ),
    comparison=(
        ComparisonEntry(
            "tree",
            "tree.chow-liu",
            order=10,
            settings={"edge-penalty": 0.0},
            description="The best tree; every variable depends on one other at most.",
            title="Chow–Liu tree",
        ),
    ),
    learners={
        "tree.chow-liu": lazy("learning.chow_liu:ChowLiuLearner"),
        "tree.chow-liu-sparse": lazy("learning.chow_liu_sparse:ChowLiuSparseLearner"),
    },
)
