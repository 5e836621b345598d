"""The registry row of trees."""

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
    kind="tree",
    title="Tree",
    short_title="Tree",
    model_type=Lazy("pgmstudio.core.languages.tree.model:Tree"),
    session=Lazy("pgmstudio.core.languages.tree.session:TreeSession"),
    codec=Lazy("pgmstudio.core.languages.tree.codec:CODEC"),
    diagrams=(
        Diagram(
            "tree",
            Lazy("pgmstudio.core.languages.tree.diagrams:tree_picture"),
            title="Tree",
            description="The edges of the tree without directions.",
            is_structure=True,
        ),
        Diagram(
            "dag",
            Lazy("pgmstudio.core.languages.tree.diagrams:directed_tree_picture"),
            title="DAG",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
    ),
    to_network=Lazy("pgmstudio.core.languages.tree.conversions:network_of_tree"),
    is_network=True,
    from_network=Lazy("pgmstudio.core.languages.tree.conversions:tree_of_network"),
    starts_with_tree=False,
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            Lazy("pgmstudio.core.languages.tree.conversions:tree_of_network"),
            Lazy("pgmstudio.core.languages.tree.conversions:no_tree_reason"),
        ),
    },
    size_breakdown=Lazy("pgmstudio.core.languages.tree.sizes:tree_sizes"),
    roles=Lazy("pgmstudio.core.languages.tree.model:neighbour_roles"),
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
        "tree.chow-liu": Lazy("pgmstudio.core.languages.tree.learning.chow_liu:ChowLiuLearner"),
        "tree.chow-liu-sparse": Lazy(
            "pgmstudio.core.languages.tree.learning.chow_liu_sparse:ChowLiuSparseLearner"
        ),
    },
)
