"""The registry row of possibilistic networks."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.base import Diagram, Language, Lazy

lazy = Lazy.within("pgmstudio.core.languages.possibilistic_network")
of_networks = Lazy.within("pgmstudio.core.languages.bayesian_network")

LANGUAGE = Language(
    kind="possibilistic-network",
    title="Possibilistic network",
    short_title="PN",
    marker=Marker("o", "yellow", "ph.circles-three"),
    scale=Scale.POSSIBILITY,
    model_type=lazy("model:PossibilisticNetwork"),
    session=Lazy("pgmstudio.core.languages.degree_session:DegreeSession"),
    program=Lazy("pgmstudio.core.languages.degree_session:program_of"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "dag",
            of_networks("diagrams:dag_picture"),
            frozenset(
                {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
            ),
            title="Possibilistic network",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
        Diagram(
            "clique-tree",
            of_networks("diagrams:clique_tree_picture"),
            title="Junction tree",
            description="The cliques in which degrees are computed.",
            has_variables=False,
            is_detail=True,
        ),
    ),
    edits={
        "set_degrees": lazy("edits:set_degrees"),
        "project_data": lazy("edits:project_data"),
        "set_norm": lazy("edits:set_norm"),
        "set_convention": lazy("edits:set_convention"),
        "rescale": lazy("edits:rescale"),
    },
    learners={
        "possibilistic.spanning-tree": lazy("learning.trees:PossibilisticTreeLearner"),
        "possibilistic.augmented-tree": lazy("learning.trees:PossibilisticAugmentedTreeLearner"),
        "possibilistic.cliques": lazy("learning.trees:PossibilisticCliqueLearner"),
        "possibilistic.greedy-parents": lazy("learning.greedy_parents:GreedyParentsLearner"),
        "possibilistic.tests": lazy("learning.tests:PossibilisticTestLearner"),
        "possibilistic.exhaustive": lazy("learning.exhaustive:PossibilisticExhaustiveLearner"),
    },
    size_title="Degrees",
    fit_measures=lazy("fit:fit_measures"),
    fit_order=("additional_degrees",),
    effective_size_note="cells of its junction tree",
)
