"""What a report says of a model: picture, sizes, fit, tables, notes and where it comes from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import rows_over
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.experiments.compare import row_log2
from pgmstudio.core.experiments.means import mean_of
from pgmstudio.core.experiments.number_words import count_of, decimal, whole
from pgmstudio.core.io.model_drawing import drawing_of
from pgmstudio.core.io.model_files import ModelFile
from pgmstudio.core.io.report_html import (
    Content,
    Markup,
    command,
    details,
    facts,
    figure,
    joined,
    table,
    tag,
)
from pgmstudio.core.learning.registry import all_learners
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.kinds import in_sentence
from pgmstudio.core.models.protocols import DirectedModel, Model, ProbabilisticModel
from pgmstudio.core.params import ParamKind, ParamSpec, specs_of
from pgmstudio.core.project.project import ModelEntry

# Larger pictures cannot be read on a page, and take long to lay out.
MOST_VARIABLES = 120
MOST_NODES = 400
# Cells of all tables of a network that are still worth a page.
MOST_CELLS = 2000


def model_part(
    entry: ModelEntry, rows: DataSet | None, where: str, *, is_stale: bool = False
) -> Markup:
    """A model of a project; `rows` are those it was learned from, `where` names their file."""
    file = ModelFile(
        entry.model,
        title=entry.title,
        titles=entry.node_titles,
        layout=next(iter(entry.layouts.values()), {}),
        provenance=entry.provenance or None,
    )
    parts: list[Content] = []
    if is_stale:
        badge = tag("span", "stale", class_="badge")
        parts.append(tag("p", badge, " The rows it was learned from have changed since."))
    if entry.is_edited:
        parts.append(tag("p", "It was edited by hand since it was learned or opened."))
    parts += [tag("p", line) for line in entry.notes.splitlines() if line.strip()]
    parts += [model_picture(file), facts([*size_facts(entry.model), *fit_facts(entry.model, rows)])]
    parts += _notes(entry)
    parts += list(tables_of(entry.model))
    parts += list(provenance(entry.provenance, where))
    return joined(parts)


def model_picture(file: ModelFile) -> Markup:
    """The picture the window would show first, for both colour schemes; a sentence when it is too
    large for a page."""
    model = file.model
    if not len(model.domain):
        return tag("p", "The model has no nodes.", class_="quiet")
    if len(model.domain) > MOST_VARIABLES:
        told = f"{count_of(len(model.domain), 'variable')} are too many for a picture here."
        return tag("p", told, class_="quiet")
    if isinstance(model, DecisionGraph) and sum(model.node_counts) > MOST_NODES:
        told = f"{count_of(sum(model.node_counts), 'node')} are too many for a picture here."
        return tag("p", told, class_="quiet")
    light, dark = (drawing_of(file, theme=theme) for theme in ("light", "dark"))
    return figure(light, dark, file.title or f"The picture of the {in_sentence(model.kind)}")


def size_facts(model: Model) -> list[tuple[str, Content]]:
    """The language and the sizes."""
    told: list[tuple[str, Content]] = [
        ("Language", model.kind.replace("-", " ")),
        ("Variables", whole(len(model.domain))),
    ]
    if isinstance(model, DirectedModel):
        told.append(("Edges", whole(len(model.edges))))
    return [
        *told,
        ("Free parameters", whole(model.representation_size())),
        ("Effective size", whole(model.effective_size())),
    ]


def fit_facts(model: Model, rows: DataSet | None) -> list[tuple[str, Content]]:
    """Bits per row of the rows it was learned from; nothing where they do not fit."""
    if rows is None or rows.row_count == 0 or not isinstance(model, ProbabilisticModel):
        return []
    try:
        mean = mean_of(row_log2(model, rows_over(rows, model.domain)), rows.weights)
    except PgmStudioError:
        return []  # the rows have other columns or states by now
    told = f"{decimal(mean.value)} bits per row over {count_of(rows.row_count, 'row')}"
    return [("Log-likelihood", told)]


def _notes(entry: ModelEntry) -> Iterator[Markup]:
    lines = [(entry.node_titles.get(name, name), text) for name, text in entry.node_notes.items()]
    lines += [(f"{a} → {b}", text) for (a, b), text in entry.edge_notes.items()]
    if lines:
        yield tag("h4", "Notes")
        yield facts(lines)


def tables_of(model: Model) -> Iterator[Markup]:
    """The tables of a small network, folded away."""
    if not isinstance(model, BayesianNetwork):
        return
    cells = sum(one.size for one in model.tables)
    if cells > MOST_CELLS:
        told = f"Its tables have {whole(cells)} cells and are left out."
        yield tag("p", told, class_="quiet")
        return
    parts = [_table(model, name) for name in model.domain.names]
    yield details(f"Tables, {count_of(cells, 'cell')}", *parts)


def _table(model: BayesianNetwork, name: str) -> Markup:
    """P(name | parents), a row for each combination of their states."""
    variable, parents = model.domain[name], model.dag.parents(name)
    numbers = model.table(name).reshape(-1, len(variable.states))
    combinations = product(*(model.domain[parent].states for parent in parents))
    rows = [
        (*states, *(decimal(float(p), 4) for p in row))
        for states, row in zip(combinations, numbers, strict=True)
    ]
    given = f" given {', '.join(parents)}" if parents else ""
    head = (*parents, *variable.states)
    sides = "<" * len(parents) + ">" * len(variable.states)
    return table(head, rows, sides, f"{name}{given}")


# -- where it comes from ---------------------------------------------------------------------------


def provenance(told: Mapping[str, Any], where: str) -> Iterator[Markup]:
    """The card of a model and the command that makes it again."""
    if not told:
        return
    pairs = [
        (str(name).replace("_", " ").capitalize(), _plain_words(value))
        for name, value in told.items()
        if name not in ("trace", "measures", "parameters", "choices") and value not in ({}, [], "")
    ]
    yield tag("h4", "Provenance")
    yield facts(pairs)
    parameters = told.get("parameters")
    if isinstance(parameters, Mapping) and parameters:
        named = [(name.replace("_", " ").strip(), value) for name, value in parameters.items()]
        settings = facts((name.capitalize(), _plain_words(value)) for name, value in named)
        yield details(f"All {count_of(len(named), 'setting')}", settings)
    line = learn_command(told, where)
    if line is not None:
        yield command(line)


def learn_command(told: Mapping[str, Any], where: str) -> str | None:
    """`pgmstudio learn …` with what differs from the defaults; None for what no learner made."""
    learner = all_learners().get(str(told.get("learner", "")))
    if learner is None:
        return None
    words = ["pgmstudio", "learn", learner.key, where or "DATA"]
    specs = {spec.name: spec for spec in specs_of(learner.params_type)}
    parameters = told.get("parameters")
    for name, value in (parameters if isinstance(parameters, Mapping) else {}).items():
        spec = specs.get(name)
        if spec is None or spec.kind is ParamKind.OBJECT or _is_default(spec, value):
            continue
        words += [f"--{spec.option}", _typed(value)]
    return shlex.join([*words, "--seed", str(told.get("seed", 0))])


def _is_default(spec: ParamSpec, value: Any) -> bool:
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return bool((list(value) if isinstance(value, tuple) else value) == default)


def _typed(value: Any) -> str:
    """A value the way it is typed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ",".join(map(_typed, value))
    return "none" if value is None else str(value)


def _plain_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain_words(part)}" for name, part in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    return _typed(value)
