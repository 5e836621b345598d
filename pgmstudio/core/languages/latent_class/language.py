"""The registry row of latent class models."""

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
    kind="latent-class",
    title="Latent class model",
    short_title="LC",
    model_type=Lazy("pgmstudio.core.languages.latent_class.model:LatentClasses"),
    session=Lazy("pgmstudio.core.languages.latent_class.session:LatentClassSession"),
    codec=Lazy("pgmstudio.core.languages.latent_class.codec:CODEC"),
    diagrams=(
        Diagram(
            "star",
            Lazy("pgmstudio.core.languages.latent_class.diagrams:star_picture"),
            title="Star",
            description="The hidden class in the centre, its items around it.",
        ),
    ),
    drawings={
        "images": Lazy("pgmstudio.core.languages.tree_mixture.component_images:images_drawing")
    },
    to_network=Lazy("pgmstudio.core.languages.latent_class.conversions:network_of_classes"),
    from_network=Lazy("pgmstudio.core.languages.latent_class.conversions:one_class_of_network"),
    starts_with_tree=False,
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            Lazy("pgmstudio.core.languages.latent_class.conversions:classes_of_network"),
            Lazy("pgmstudio.core.languages.latent_class.conversions:no_classes_reason"),
        ),
    },
    roles=Lazy("pgmstudio.core.languages.latent_class.model:class_roles"),
    violations=Lazy("pgmstudio.core.languages.latent_class.model:violations"),
    effective_size_note="classes times states, one state of every variable left out",
    comparison=(
        ComparisonEntry(
            "latent",
            "nb.latent",
            order=20,
            description="Hidden classes within which all variables are independent.",
        ),
    ),
    learners={
        "nb.latent": Lazy(
            "pgmstudio.core.languages.latent_class.learning.learner:LatentClassLearner"
        ),
    },
)
