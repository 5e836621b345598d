"""The registry row of labelled DAGs."""

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

lazy = Lazy.within("pgmstudio.core.languages.ldag")

_STRUCTURE_EDITS = frozenset(
    {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
)
_LABEL_EDITS = frozenset({"add_context", "remove_context", "delete_labelled_edge", "drop_labels"})

LANGUAGE = Language(
    kind="ldag",
    title="Labelled DAG",
    short_title="LDAG",
    marker=Marker("s", "purple", "ph.tag"),
    model_type=lazy("model:LabelledDag"),
    session=lazy("session:LabelledDagSession"),
    codec=lazy("codec:CODEC"),
    diagrams=(
        Diagram(
            "labels",
            lazy("diagrams:labelled_picture"),
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
        separation=lazy("contexts:separation"),
        information=lazy("session:information_in"),
        draw=lazy("diagrams:labelled_picture"),
        multinet=lazy("diagrams:multinet_picture"),
        multinet_variable=lazy("diagrams:multinet_variable"),
        deciding_variables=lazy("contexts:deciding_variables"),
        vanished_edges=lazy("contexts:vanished_edges"),
        edge_contexts=lazy("diagrams:edge_contexts"),
    ),
    to_network=Lazy("pgmstudio.core.languages.bayesian_network.conversions:own_network"),
    from_network=lazy("model:LabelledDag.of_network"),
    conversions_from={
        BAYESIAN_NETWORK: Conversion(lazy("labels:labelled_from_rows")),
        "tree-mixture": Conversion(lazy("labels:labelled_through_network")),
    },
    edits={
        "add_context": lazy("edits:add_context"),
        "remove_context": lazy("edits:remove_context"),
        "delete_labelled_edge": lazy("edits:delete_labelled_edge"),
        "set_class_rows": lazy("edits:set_class_rows"),
        "drop_labels": lazy("edits:drop_labels"),
        "labels_from_rows": lazy("edits:labels_from_rows"),
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
        "ldag.greedy": lazy("learning.learner:LdagLearner"),
        "ldag.labels": lazy("learning.learner:LabelsLearner"),
        "ldag.exact": lazy("learning.exact:ExactLearner"),
        "ldag.mcmc": lazy("learning.mcmc:McmcLearner"),
        "bn.csi-tree": lazy("learning.learner:CsiTreeLearner"),
    },
)
