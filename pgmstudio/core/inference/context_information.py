"""Whether two variables of a labelled graph are independent in a context, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgmstudio.core.inference.measures import conditional_information_bits
from pgmstudio.core.inference.protocols import Observed
from pgmstudio.core.inference.queries import joint_of
from pgmstudio.core.models.labelled_dag import LabelledDag


def information_in(model: LabelledDag, names: Sequence[str], context: Mapping[str, str]) -> float:
    """I(A;B|Z) in bits where the context is observed; `names` are A, B and those of Z."""
    places = [model.domain.index(name) for name in names]
    evidence = {name: Observed(state) for name, state in context.items()}
    return conditional_information_bits(joint_of(model.as_bayesian_network, places, evidence))
