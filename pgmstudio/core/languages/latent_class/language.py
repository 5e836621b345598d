"""The registry row of latent class models."""

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

lazy = Lazy.within("pgmstudio.core.languages.latent_class")

LANGUAGE = Language(
    kind="latent-class",
    title="Latent class model",
    short_title="LC",
    marker=Marker("h", "sky", "ph.circle-dashed"),
    model_type=lazy("model:LatentClasses"),
    session=lazy("session:LatentClassSession"),
    program=lazy("session:program_of"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "star",
            lazy("diagrams:star_picture"),
            description="The hidden class in the centre, its items around it.",
        ),
    ),
    drawings={
        "images": Lazy("pgmstudio.core.languages.tree_mixture.component_images:images_drawing")
    },
    to_network=Lazy("pgmstudio.core.languages.bayesian_network.conversions:own_network"),
    from_network=lazy("conversions:one_class_of_network"),
    starts_with_tree=False,
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            lazy("conversions:classes_of_network"),
            lazy("conversions:no_classes_reason"),
        ),
    },
    roles=lazy("model:class_roles"),
    violations=lazy("model:violations"),
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
        "nb.latent": lazy("learning.learner:LatentClassLearner"),
    },
)
