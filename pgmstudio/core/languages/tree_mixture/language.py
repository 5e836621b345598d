"""The registry row of mixtures of trees."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.languages.base import ComparisonEntry, Conversion, Diagram, Language, Lazy

lazy = Lazy.within("pgmstudio.core.languages.tree_mixture")

LANGUAGE = Language(
    kind="tree-mixture",
    title="Mixture of trees",
    short_title="MT",
    marker=Marker("t1", "orange", "ph.circles-three"),
    model_type=lazy("model:TreeMixture"),
    session=lazy("session:TreeMixtureSession"),
    program=lazy("session:program_of"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "overlay",
            lazy("diagrams:overlay_picture"),
            frozenset({"edit_tree"}),
            description="All trees of a mixture over each other.",
        ),
        Diagram(
            "side-by-side",
            lazy("diagrams:side_by_side_picture"),
            description="A small canvas for each tree, with the same positions.",
        ),
        Diagram(
            "latent",
            lazy("diagrams:latent_picture"),
            description="The Bayesian network with the component as its hidden root.",
        ),
        Diagram(
            "partition",
            lazy("diagrams:partition_picture"),
            description="Blocks of variables around the hidden variable.",
        ),
    ),
    diagram_names=lazy("diagrams:diagram_names"),
    draw_named=lazy("diagrams:named_trees_picture"),
    drawings={"images": lazy("component_images:images_drawing")},
    to_network=lazy("conversions:network_of_mixture"),
    from_network=lazy("conversions:mixture_of_network"),
    conversions={
        "latent-class": Conversion(
            lazy("conversions:classes_of_mixture"),
            lazy("conversions:no_classes_of_mixture_reason"),
        ),
    },
    conversions_from={
        "tree": Conversion(lazy("conversions:mixture_of_tree")),
        "latent-class": Conversion(lazy("conversions:mixture_of_classes")),
    },
    edits={
        "edit_tree": lazy("edits:edit_tree"),
        "set_tree_table": lazy("edits:set_tree_table"),
    },
    roles=lazy("model:tree_roles"),
    violations=lazy("model:violations"),
    effective_size_note="cells of the clique trees of all its trees",
    comparison=(
        ComparisonEntry(
            "mixture",
            "mixture.trees",
            order=60,
            settings={"edge-penalty": 0.0},
            description="Several trees, each with a weight.",
            has_pseudo_counts=False,
        ),
    ),
    learners={
        "mixture.trees": lazy("learning.learner:MixtureLearner"),
        "mixture.trees-shared": lazy("learning.learner:SharedMixtureLearner"),
        "mixture.hidden": lazy("learning.hidden_variable.learner:HiddenLearner"),
    },
)
