"""The registry row of Bayesian networks."""

from __future__ import annotations

from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    Diagram,
    Language,
    Lazy,
)

STRUCTURE_EDITS = frozenset(
    {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
)

LANGUAGE = Language(
    kind=BAYESIAN_NETWORK,
    title="Bayesian network",
    short_title="BN",
    model_type=Lazy("pgmstudio.core.languages.bayesian_network.model:BayesianNetwork"),
    session=Lazy("pgmstudio.core.inference.junction_tree.session:JunctionTreeSession"),
    codec=Lazy("pgmstudio.core.languages.bayesian_network.codec:CODEC"),
    diagrams=(
        Diagram(
            "dag",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:dag_picture"),
            STRUCTURE_EDITS,
            title="DAG",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
        Diagram(
            "cpdag",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:cpdag_picture"),
            title="CPDAG",
            description="Arrows where all equivalent graphs have them.",
        ),
        Diagram(
            "pattern",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:pattern_picture"),
            title="Pattern",
            description="Arrows of v-structures only.",
            is_detail=True,
        ),
        Diagram(
            "moral",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:moral_picture"),
            title="Moral",
            description="Edges without directions; parents of a child are connected.",
            is_detail=True,
        ),
        Diagram(
            "triangulated",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:triangulated_picture"),
            title="Triangulated",
            description="The moral graph with the fill-ins that make it chordal.",
            is_detail=True,
        ),
        Diagram(
            "clique-tree",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:clique_tree_picture"),
            title="Junction tree",
            description="The cliques in which beliefs are computed.",
            has_variables=False,
            is_detail=True,
        ),
    ),
    to_network=Lazy("pgmstudio.core.languages.bayesian_network.conversions:same_network"),
    is_network=True,
    from_network=Lazy("pgmstudio.core.languages.bayesian_network.conversions:same_network"),
    query=Lazy("pgmstudio.core.inference.junction_tree.query:ask_factors"),
    map_query=Lazy("pgmstudio.core.inference.map_search:most_probable_states"),
    incomplete_log2=Lazy("pgmstudio.core.languages.bayesian_network.missing_cells:incomplete_log2"),
    size_breakdown=Lazy("pgmstudio.core.languages.bayesian_network.sizes:network_sizes"),
    effective_size_note="cells of its clique tree",
    has_interventions=True,
    comparison=(
        ComparisonEntry(
            "bn",
            "bn.kes",
            order=30,
            settings={"score": "bic"},
            description="A directed graph with a table for each variable, by equivalence search "
            "and BIC.",
        ),
    ),
    learners={
        "bn.hill-climb": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing:HillClimbLearner"
        ),
        "bn.kes": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.equivalence_search.learner:KesLearner"
        ),
        "bn.pc": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc:PcLearner"
        ),
        "bn.npc": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.constraint_based.npc:NpcLearner"
        ),
        "bn.k2": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.score_based.k2:K2Learner"
        ),
        "bn.naive-bayes": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.classifiers:NaiveBayesLearner"
        ),
        "bn.tan": Lazy("pgmstudio.core.languages.bayesian_network.learning.classifiers:TanLearner"),
        "bn.polytree": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.constraint_based.polytree:PolytreeLearner"
        ),
        "bn.structural-em": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.structural_em:StructuralEmLearner"
        ),
        "bn.em": Lazy(
            "pgmstudio.core.languages.bayesian_network.learning.missing_data.em:EmLearner"
        ),
    },
)
