"""The registry row of Markov networks."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    ContextOperations,
    Conversion,
    Diagram,
    Language,
    Lazy,
)

lazy = Lazy.within("pgmstudio.core.languages.markov_network")

_STRUCTURE_EDITS = frozenset({"add_edge", "remove_edge", "add_variable", "remove_variable"})
_CONTEXT_EDITS = frozenset({"add_context", "remove_context", "drop_contexts"})

LANGUAGE = Language(
    kind="markov-network",
    title="Markov network",
    short_title="MN",
    marker=Marker("p", "vermilion", "ph.polygon"),
    learner_markers={
        "mn.contextual": Marker("star", "vermilion", "ph.polygon"),
        "mn.chordal": Marker("s", "vermilion", "ph.polygon"),
        "mn.stratified": Marker("t1", "vermilion", "ph.polygon"),
    },
    model_type=lazy("model:MarkovNetwork"),
    session=Lazy("pgmstudio.core.inference.junction_tree.session:JunctionTreeSession"),
    approximate_session=Lazy("pgmstudio.core.inference.approximate.session:ApproximateSession"),
    program=Lazy("pgmstudio.core.inference.programs:junction_tree_program"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "graph",
            lazy("diagrams:markov_picture"),
            _STRUCTURE_EDITS | _CONTEXT_EDITS,
            title="Markov network",
            description="Edges with the contexts in which they vanish.",
            is_structure=True,
        ),
        Diagram(
            "triangulated",
            lazy("diagrams:triangulated_picture"),
            description="The graph with the fill-ins that make it chordal.",
            is_detail=True,
        ),
        Diagram(
            "cliques",
            lazy("diagrams:cliques_picture"),
            description="The maximal cliques, each with a potential, and what they share.",
            has_variables=False,
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
    contexts=ContextOperations(
        separation=lazy("separation:separation"),
        information=lazy("separation:information_in"),
        draw=lazy("diagrams:markov_picture"),
        multinet=lazy("diagrams:multinet_picture"),
        multinet_variable=lazy("diagrams:multinet_variable"),
        deciding_variables=lazy("structure_facts:deciding_variables"),
        vanished_edges=lazy("structure_facts:vanished_edges"),
        edge_contexts=lazy("structure_facts:edge_contexts"),
    ),
    edge_analysis=lazy("edge_analysis:EDGES"),
    to_network=lazy("conversions:network_of_markov"),
    from_network=lazy("conversions:markov_of_network"),
    conversions={"ldag": Conversion(lazy("conversions:labelled_of_markov"))},
    conversions_from={
        BAYESIAN_NETWORK: Conversion(lazy("conversions:markov_of_network")),
        "tree": Conversion(lazy("conversions:markov_through_network")),
        "ldag": Conversion(lazy("conversions:markov_of_labelled")),
    },
    edits={
        "add_context": lazy("edits:add_context"),
        "remove_context": lazy("edits:remove_context"),
        "drop_contexts": lazy("edits:drop_contexts"),
        "set_potential": lazy("edits:set_potential"),
        "fit_parameters": lazy("edits:fit_parameters"),
    },
    part_of=lazy("parts:part_of"),
    joined=lazy("parts:joined"),
    query=Lazy("pgmstudio.core.inference.junction_tree.query:ask_factors"),
    map_query=Lazy("pgmstudio.core.inference.map_search:most_probable_states"),
    size_breakdown=lazy("structure_facts:markov_sizes"),
    comparison=(
        ComparisonEntry(
            "mn",
            "mn.mpl",
            order=45,
            settings={"score": "mpl"},
            description="An undirected graph without a direction of influence.",
            has_pseudo_counts=False,
        ),
    ),
    learners={
        "mn.mpl": lazy("learning.mpl:MplLearner"),
        "mn.contextual": lazy("learning.contextual:ContextualLearner"),
        "mn.chordal": lazy("learning.chordal:ChordalLearner"),
        "mn.stratified": lazy("learning.chordal:StratifiedLearner"),
    },
    effective_size_note="cells of its junction tree",
    roles=lazy("structure_facts:neighbour_roles"),
)
