"""Inference sessions of models in any language, single queries, and loading compiled kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.junction_tree import clique_tree_of_scopes
from pgmstudio.core.inference.base import Answer, Finding, InferenceSession
from pgmstudio.core.inference.factors import Factor
from pgmstudio.core.inference.junction_tree.propagation import Propagation, compiled_passes
from pgmstudio.core.inference.junction_tree.schedule import plan_of
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, inference_form
from pgmstudio.core.model import Model


def warm_up() -> None:
    """Load the compiled kernels, and compile them on the very first run; for a background thread.

    Until it is done the plain loops are used, so no query waits for the compiler.
    """
    from pgmstudio.core.inference.junction_tree import kernels as passes_kernels

    small = Factor((0, 1), np.full((2, 2), 0.25))
    plan = plan_of(clique_tree_of_scopes([small.scope], [2, 2]), [small])
    compiled = Propagation(plan, passes_kernels)
    compiled.set_weights(0, np.array([1.0, 0.5]))
    compiled.beliefs()
    compiled.most_probable()
    compiled_passes()


def open_session(model: Model) -> InferenceSession:
    """A session without evidence; PgmStudioError if the language has no inference."""
    row = LANGUAGES.get(model.kind)
    if row is None or row.session is None:
        raise PgmStudioError(
            f"There is no inference for {a_kind(model.kind)} yet, so it cannot answer questions."
        )
    return row.open_session(model)


def ask(model: Model, targets: Sequence[str], evidence: Mapping[str, Finding]) -> Answer:
    """One query about a few variables; networks are pruned first, so huge ones can answer."""
    row, model = inference_form(model)
    if row is not None and row.query is not None:
        return row.query.load()(model, targets, evidence)
    session = open_session(model)
    for name, finding in evidence.items():
        session.set_evidence(name, finding)
    return Answer({name: session.belief(name) for name in targets}, session.log2_evidence())
