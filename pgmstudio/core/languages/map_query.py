"""MAP queries in any language: the most probable states of some variables together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.inference.map_search import Combination, MapAnswer
from pgmstudio.core.languages.registry import a_kind, inference_form
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model


def most_probable_together(
    model: Model,
    variables: Sequence[str],
    evidence: Mapping[str, Finding],
    *,
    best: int = 1,
    stop: CancelToken = NEVER,
    cancel: CancelToken = NEVER,
) -> MapAnswer:
    """The same of any model: networks and trees are searched, others list their joint table."""
    row, model = inference_form(model)
    if row is not None and row.map_query is not None:
        answer: MapAnswer = row.map_query.load()(
            model, variables, evidence, best=best, stop=stop, cancel=cancel
        )
        return answer
    session = open_session(model)
    joint_of = getattr(session, "joint", None)
    if joint_of is None:
        raise PgmStudioError(
            f"{a_kind(model.kind, 'A')} has no joint beliefs of several variables yet."
        )
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    names = list(dict.fromkeys(variables))
    joint = np.asarray(joint_of(names))
    order = np.argsort(-joint.ravel(), kind="stable")[:best]
    result = []
    for cell in order[joint.ravel()[order] > 0]:
        codes = np.unravel_index(int(cell), joint.shape)
        states = {n: model.domain[n].states[int(c)] for n, c in zip(names, codes, strict=True)}
        result.append(Combination(states, math.log2(float(joint[codes]))))
    return MapAnswer(tuple(result), result[0].log2_probability, True, 0)
