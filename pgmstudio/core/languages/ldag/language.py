"""The registry row of labelled DAGs."""

from __future__ import annotations

from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    ComparisonEntry,
    ContextOperations,
    Conversion,
    Diagram,
    Language,
    Lazy,
)

_STRUCTURE_EDITS = frozenset(
    {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
)
_LABEL_EDITS = frozenset({"add_context", "remove_context", "delete_labelled_edge", "drop_labels"})

LANGUAGE = Language(
    kind="ldag",
    title="Labelled DAG",
    short_title="LDAG",
    model_type=Lazy("pgmstudio.core.languages.ldag.model:LabelledDag"),
    session=Lazy("pgmstudio.core.languages.ldag.session:LabelledDagSession"),
    codec=Lazy("pgmstudio.core.languages.ldag.codec:CODEC"),
    diagrams=(
        Diagram(
            "labels",
            Lazy("pgmstudio.core.languages.ldag.diagrams:labelled_picture"),
            _STRUCTURE_EDITS | _LABEL_EDITS,
            title="LDAG",
            description="Arrows with the contexts in which they vanish.",
            is_structure=True,
        ),
        Diagram(
            "dag",
            Lazy("pgmstudio.core.languages.bayesian_network.diagrams:dag_picture"),
            _STRUCTURE_EDITS,
            title="DAG",
            description="Variables and arrows from parents to children.",
            is_structure=True,
        ),
    ),
    contexts=ContextOperations(
        separation=Lazy("pgmstudio.core.languages.ldag.contexts:separation"),
        information=Lazy("pgmstudio.core.languages.ldag.session:information_in"),
        draw=Lazy("pgmstudio.core.languages.ldag.diagrams:labelled_picture"),
        multinet=Lazy("pgmstudio.core.languages.ldag.diagrams:multinet_picture"),
        multinet_variable=Lazy("pgmstudio.core.languages.ldag.diagrams:multinet_variable"),
    ),
    to_network=Lazy("pgmstudio.core.languages.ldag.conversions:network_of_labelled"),
    from_network=Lazy("pgmstudio.core.languages.ldag.conversions:unlabelled"),
    conversions_from={
        BAYESIAN_NETWORK: Conversion(
            Lazy("pgmstudio.core.languages.ldag.labels:labelled_from_rows")
        ),
        "tree-mixture": Conversion(
            Lazy("pgmstudio.core.languages.ldag.conversions:labelled_through_network")
        ),
    },
    edits={
        "add_context": Lazy("pgmstudio.core.languages.ldag.edits:add_context"),
        "remove_context": Lazy("pgmstudio.core.languages.ldag.edits:remove_context"),
        "delete_labelled_edge": Lazy("pgmstudio.core.languages.ldag.edits:delete_labelled_edge"),
        "set_class_rows": Lazy("pgmstudio.core.languages.ldag.edits:set_class_rows"),
        "drop_labels": Lazy("pgmstudio.core.languages.ldag.edits:drop_labels"),
        "labels_from_rows": Lazy("pgmstudio.core.languages.ldag.edits:labels_from_rows"),
    },
    effective_size_note="cells of the clique tree of its network",
    has_interventions=True,
    comparison=(
        ComparisonEntry(
            "ldag",
            "ldag.greedy",
            order=50,
            description="A network whose edges may vanish in some contexts.",
            has_pseudo_counts=False,
        ),
    ),
    learners={
        "ldag.greedy": Lazy("pgmstudio.core.languages.ldag.learning.learner:LdagLearner"),
        "ldag.labels": Lazy("pgmstudio.core.languages.ldag.learning.learner:LabelsLearner"),
        "ldag.exact": Lazy("pgmstudio.core.languages.ldag.learning.exact:ExactLearner"),
        "ldag.mcmc": Lazy("pgmstudio.core.languages.ldag.learning.mcmc:McmcLearner"),
        "bn.csi-tree": Lazy("pgmstudio.core.languages.ldag.learning.learner:CsiTreeLearner"),
    },
)
