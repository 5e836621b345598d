"""The registry row of Bayesian networks."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    Diagram,
    Language,
    Lazy,
)

lazy = Lazy.within("pgmstudio.core.languages.bayesian_network")

STRUCTURE_EDITS = frozenset(
    {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
)

LANGUAGE = Language(
    kind=BAYESIAN_NETWORK,
    title="Bayesian network",
    short_title="BN",
    marker=Marker("o", "blue", "ph.share-network"),
    model_type=lazy("model:BayesianNetwork"),
    session=Lazy("pgmstudio.core.inference.junction_tree.session:JunctionTreeSession"),
    approximate_session=Lazy("pgmstudio.core.inference.approximate.session:ApproximateSession"),
    program=Lazy("pgmstudio.core.inference.programs:junction_tree_program"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "dag",
            lazy("diagrams:dag_picture"),
            STRUCTURE_EDITS,
            title="DAG",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
        Diagram(
            "cpdag",
            lazy("diagrams:cpdag_picture"),
            title="CPDAG",
            description="Arrows where all equivalent graphs have them.",
        ),
        Diagram(
            "pattern",
            lazy("diagrams:pattern_picture"),
            description="Arrows of v-structures only.",
            is_detail=True,
        ),
        Diagram(
            "moral",
            lazy("diagrams:moral_picture"),
            description="Edges without directions; parents of a child are connected.",
            is_detail=True,
        ),
        Diagram(
            "triangulated",
            lazy("diagrams:triangulated_picture"),
            description="The moral graph with the fill-ins that make it chordal.",
            is_detail=True,
        ),
        Diagram(
            "clique-tree",
            lazy("diagrams:clique_tree_picture"),
            title="Junction tree",
            description="The cliques in which beliefs are computed.",
            has_variables=False,
            is_detail=True,
        ),
    ),
    to_network=lazy("conversions:same_network"),
    is_network=True,
    edge_analysis=lazy("edge_analysis:EDGES"),
    from_network=lazy("conversions:same_network"),
    query=Lazy("pgmstudio.core.inference.junction_tree.query:ask_factors"),
    map_query=Lazy("pgmstudio.core.inference.map_search:most_probable_states"),
    incomplete_log2=lazy("missing_cells:incomplete_log2"),
    size_breakdown=lazy("sizes:network_sizes"),
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
    part_of=lazy("parts:part_of"),
    joined=lazy("parts:joined"),
    learners={
        "bn.hill-climb": lazy("learning.score_based.hill_climbing:HillClimbLearner"),
        "bn.kes": lazy("learning.equivalence_search.search:KesLearner"),
        "bn.pc": lazy("learning.constraint_based.pc:PcLearner"),
        "bn.npc": lazy("learning.constraint_based.npc:NpcLearner"),
        "bn.k2": lazy("learning.score_based.k2:K2Learner"),
        "bn.exact": lazy("learning.score_based.exact:ExactNetworkLearner"),
        "bn.mcmc": lazy("learning.score_based.mcmc:DagMcmcLearner"),
        "bn.augmented-tree": lazy("learning.chordal_graphs:AugmentedTreeLearner"),
        "bn.cliques": lazy("learning.chordal_graphs:CliqueLearner"),
        "bn.naive-bayes": lazy("learning.classifiers:NaiveBayesLearner"),
        "bn.tan": lazy("learning.classifiers:TanLearner"),
        "bn.polytree": lazy("learning.constraint_based.polytree:PolytreeLearner"),
        "bn.structural-em": lazy("learning.structural_em:StructuralEmLearner"),
        "bn.em": lazy("learning.missing_data.em:EmLearner"),
    },
)
