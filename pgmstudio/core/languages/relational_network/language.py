"""The registry row of relational networks."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.base import Diagram, Language, Lazy

lazy = Lazy.within("pgmstudio.core.languages.relational_network")

LANGUAGE = Language(
    kind="relational-network",
    title="Relational network",
    short_title="RN",
    marker=Marker("s", "yellow", "ph.table"),
    scale=Scale.RELATION,
    model_type=lazy("model:RelationalNetwork"),
    session=lazy("model:open_session"),
    program=lazy("model:program_of"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "graph",
            lazy("diagrams:graph_picture"),
            frozenset({"add_edge", "remove_edge", "add_variable", "remove_variable"}),
            title="Relational network",
            description="Edges between variables whose states restrict each other.",
            is_structure=True,
        ),
        Diagram(
            "clique-tree",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:clique_tree_picture"),
            title="Junction tree",
            description="The cliques in which possible states are computed.",
            has_variables=False,
            is_detail=True,
        ),
    ),
    edits={
        "set_projection": lazy("edits:set_projection"),
        "project_data": lazy("edits:project_data"),
    },
    learners={
        "relational.spanning-tree": lazy("learning.spanning_tree:RelationalTreeLearner"),
        "relational.augmented-tree": lazy("learning.spanning_tree:RelationalAugmentedTreeLearner"),
        "relational.cliques": lazy("learning.spanning_tree:RelationalCliqueLearner"),
        "relational.tests": lazy("learning.tests:RelationalTestLearner"),
        "relational.exhaustive": lazy("learning.exhaustive:RelationalExhaustiveLearner"),
    },
    size_title="Stored tuples",
    fit_measures=lazy("decomposition:fit_measures"),
    fit_order=("impossible_tuples", "additional_tuples"),
    effective_size_note="cells of its junction tree",
    size_breakdown=Lazy("pgmstudio.core.languages.markov_network.structure_facts:markov_sizes"),
)
