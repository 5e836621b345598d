"""The registry row of mixtures of trees."""

from __future__ import annotations

from pgmstudio.core.languages.base import ComparisonEntry, Conversion, Diagram, Language, Lazy

LANGUAGE = Language(
    kind="tree-mixture",
    title="Mixture of trees",
    short_title="MT",
    model_type=Lazy("pgmstudio.core.languages.tree_mixture.model:TreeMixture"),
    session=Lazy("pgmstudio.core.languages.tree_mixture.session:TreeMixtureSession"),
    codec=Lazy("pgmstudio.core.languages.tree_mixture.codec:CODEC"),
    diagrams=(
        Diagram(
            "overlay",
            Lazy("pgmstudio.core.languages.tree_mixture.diagrams:overlay_picture"),
            title="Overlay",
            description="All trees of a mixture over each other.",
        ),
        Diagram(
            "side-by-side",
            Lazy("pgmstudio.core.languages.tree_mixture.diagrams:side_by_side_picture"),
            title="Side by side",
            description="A small canvas for each tree, with the same positions.",
        ),
        Diagram(
            "latent",
            Lazy("pgmstudio.core.languages.tree_mixture.diagrams:latent_picture"),
            title="Latent",
            description="The Bayesian network with the component as its hidden root.",
        ),
        Diagram(
            "partition",
            Lazy("pgmstudio.core.languages.tree_mixture.diagrams:partition_picture"),
            title="Partition",
            description="Blocks of variables around the hidden variable.",
        ),
    ),
    diagram_names=Lazy("pgmstudio.core.languages.tree_mixture.diagrams:diagram_names"),
    draw_named=Lazy("pgmstudio.core.languages.tree_mixture.diagrams:named_trees_picture"),
    drawings={
        "images": Lazy("pgmstudio.core.languages.tree_mixture.component_images:images_drawing")
    },
    to_network=Lazy("pgmstudio.core.languages.tree_mixture.conversions:network_of_mixture"),
    from_network=Lazy("pgmstudio.core.languages.tree_mixture.conversions:mixture_of_network"),
    conversions={
        "latent-class": Conversion(
            Lazy("pgmstudio.core.languages.tree_mixture.conversions:classes_of_mixture"),
            Lazy("pgmstudio.core.languages.tree_mixture.conversions:no_classes_of_mixture_reason"),
        ),
    },
    conversions_from={
        "tree": Conversion(
            Lazy("pgmstudio.core.languages.tree_mixture.conversions:mixture_of_tree")
        ),
        "latent-class": Conversion(
            Lazy("pgmstudio.core.languages.tree_mixture.conversions:mixture_of_classes")
        ),
    },
    roles=Lazy("pgmstudio.core.languages.tree_mixture.components:tree_roles"),
    violations=Lazy("pgmstudio.core.languages.tree_mixture.components:violations"),
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
        "mixture.trees": Lazy(
            "pgmstudio.core.languages.tree_mixture.learning.learner:MixtureLearner"
        ),
        "mixture.trees-shared": Lazy(
            "pgmstudio.core.languages.tree_mixture.learning.learner:SharedMixtureLearner"
        ),
        "mixture.hidden": Lazy(
            "pgmstudio.core.languages.tree_mixture.learning.hidden_variable.learner:HiddenLearner"
        ),
    },
)
