"""Sections of a report: SL-curves, data sets and models."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.errors import PgmStudioError, TooLargeError
from pgmstudio.core.experiments.sl_curves.curve import curve_plot
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, curves_of, measured_texts
from pgmstudio.core.experiments.sl_curves.selection import (
    best_on_test,
    dominance_matrix,
    overfits,
    pareto_front,
    summaries_of,
    timing_fits,
)
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.base import NodeModel
from pgmstudio.core.languages.bayesian_network.conversions import plain_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.diagrams import edge_contexts
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.registry import kind_noun, kind_title, language_of
from pgmstudio.core.model import Model, ProbabilisticModel, edge_text, edges_of, has_edges
from pgmstudio.core.number_format import count_of, decimal, whole
from pgmstudio.core.params import ParamKind, ParamSpec, specs_of
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.core.reports.html import (
    Content,
    Markup,
    bar,
    command,
    details,
    facts,
    figure,
    joined,
    table,
    tag,
)
from pgmstudio.core.reports.model_svg import drawing_of
from pgmstudio.core.reports.notes import notes_markup
from pgmstudio.core.scores.row_means import mean_of

# Further points are in the folder's table, not on the page.
MAX_POINTS = 2000


def curves_part(
    points: Sequence[CurvePoint],
    *,
    title: str = "",
    ceiling: float | None = None,
    truth: tuple[float, float] | None = None,
) -> Markup:
    """The plot and the tables of these points of SL-curves."""
    usable = [p for p in points if math.isfinite(p.test_log2_likelihood_per_row)]
    if not usable:
        return tag("p", "There are no points yet.", class_="quiet")
    plot = curve_plot(usable, title=title, ceiling=ceiling, truth=truth)
    light, dark = (curve_svg(plot, theme=theme) for theme in ("light", "dark"))
    caption = f"{count_of(len(usable), 'model')}: bits per row against size, higher is better"
    parts: list[Content] = [figure(light, dark, caption), summary_table(usable)]
    parts += _dominance(usable)
    parts += _timing(usable)
    parts.append(
        details(f"All {count_of(len(points), 'point')}", points_table(points[:MAX_POINTS]))
    )
    if len(points) > MAX_POINTS:
        parts.append(tag("p", f"The first {whole(MAX_POINTS)} are shown.", class_="quiet"))
    return joined(parts)


def summary_table(points: Sequence[CurvePoint]) -> Markup:
    """The models of every curve that test likelihood, BIC and AIC select."""
    rows = []
    for curve in summaries_of(points):
        chosen = curve.chosen
        for criterion, point in (
            ("test likelihood", chosen.best_test),
            ("BIC", chosen.bic),
            ("AIC", chosen.aic),
        ):
            rows.append(
                (
                    curve.series,
                    criterion,
                    *measured_texts(point),
                    "–" if point.lambda_ is None else decimal(point.lambda_),
                    whole(curve.models),
                    decimal(curve.seconds, 1),
                )
            )
    head = (
        *("Curve", "Chosen by", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
        *("λ", "Models", "Learning s"),
    )
    return table(head, rows, "<<>>>>>>>>", "The selected models of each curve")


def _dominance(points: Sequence[CurvePoint]) -> list[Markup]:
    curves = curves_of(points)
    if len(curves) < 2:
        return []
    above = dominance_matrix(curves)
    rows = [
        (one, *("" if one == other else "above" if above[one, other] else "–" for other in curves))
        for one in curves
    ]
    caption = "Which curve dominates which on test rows"
    return [table(("", *curves), rows, "<" * (1 + len(curves)), caption)]


def _timing(points: Sequence[CurvePoint]) -> list[Markup]:
    rows = [
        (
            family,
            decimal(1e9 * fit.slope, 2),
            "–" if fit.slope_error is None else decimal(1e9 * fit.slope_error, 2),
            decimal(1e6 * fit.intercept, 1),
            decimal(fit.r_squared, 2),
        )
        for family, fit in timing_fits(points).items()
    ]
    head = ("Language", "ns for each unit of size", "±", "µs at size 0", "R²")
    return [table(head, rows, "<>>>>", "Time of updating all beliefs")] if rows else []


def points_table(points: Sequence[CurvePoint]) -> Markup:
    """A table of all points by curve, from small to large."""
    best = best_on_test(points)
    front = {id(point) for point in pareto_front(points)}
    rows = []
    for name, curve in curves_of(points).items():
        for point in curve:
            marks = (
                ["best test likelihood"]
                if point is best
                else ["front"]
                if id(point) in front
                else []
            )
            marks += ["overfits"] if overfits(point, curve) else []
            settings = ", ".join(f"{k} {v}" for k, v in point.parameters.items())
            rows.append(
                (
                    name,
                    "–" if point.lambda_ is None else decimal(point.lambda_),
                    str(point.seed),
                    *measured_texts(point),
                    decimal(point.seconds, 2),
                    decimal(point.query_log2),
                    ", ".join(marks),
                    settings[:160],
                )
            )
    head = (
        *("Curve", "λ", "Seed", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
        *("Learning s", "Query bits", "", "Settings"),
    )
    return table(head, rows, "<>>>>>>>>><<")


# Further states and columns are counted, not listed.
MAX_STATES = 6
MAX_COLUMNS = 200


def data_part(entry: DataEntry) -> Markup:
    """A data set of a project and its source."""
    pairs: list[tuple[str, Content]] = []
    if entry.source:
        pairs.append(("File", entry.source))
    pairs += data_facts(entry.data)
    if entry.split is not None:
        parts = zip(entry.split.names, entry.split.sizes, strict=True)
        pairs.append(
            ("Split", ", ".join(f"{name} {count_of(size, 'row')}" for name, size in parts))
        )
    if entry.missing_markers:
        pairs.append(("Missing", ", ".join(f"“{marker}”" for marker in entry.missing_markers)))
    if entry.cuts:
        pairs.append(("Discretised", ", ".join(entry.cuts)))
    return joined([facts(pairs), *notes_markup(entry.notes), columns_table(entry.data)])


def data_facts(data: DataSet) -> list[tuple[str, Content]]:
    """The size of a data set, its missing cells and its fingerprint."""
    missing = sum(data.missing_counts)
    size = f"{count_of(data.row_count, 'row')}, {count_of(len(data.domain), 'column')}"
    if data.weights is not None:
        size += f", total weight {decimal(data.total_weight, 1)}"
    missing_text = "none"
    if missing:
        missing_text = (
            f"{count_of(missing, 'cell')} in {count_of(data.incomplete_row_count, 'row')}"
        )
    return [("Size", size), ("Missing cells", missing_text), ("Fingerprint", data.fingerprint)]


def columns_table(data: DataSet) -> Markup:
    """A table of the columns, with their states as bars."""
    summaries = summarise(data)
    rows = [
        (
            column.name,
            whole(len(column.counts)),
            decimal(column.entropy_bits, 2),
            f"{100 * column.missing_rate:.1f} %" if column.missing else "–",
            joined(_states(data, column)),
        )
        for column in summaries[:MAX_COLUMNS]
    ]
    head = ("Column", "States", "Entropy, bits", "Missing", "Fraction of its rows")
    columns = table(head, rows, "<>>><")
    left = len(summaries) - MAX_COLUMNS
    if left > 0:
        return joined([columns, tag("p", f"{count_of(left, 'column')} more are not listed.")])
    return columns


def _states(data: DataSet, column: ColumnSummary) -> Iterator[Markup]:
    states = data.domain[column.name].states
    total = float(column.counts.sum()) or 1.0
    order = list(range(len(states)))
    if len(states) > MAX_STATES:
        order = sorted(order, key=lambda code: (-column.counts[code], code))[: MAX_STATES - 1]
    for code in order:
        fraction = float(column.counts[code]) / total
        yield bar(fraction, f"{states[code]} {100 * fraction:.1f} %")
    if len(states) > MAX_STATES:
        rest = len(states) - len(order)
        fraction = 1 - sum(float(column.counts[code]) for code in order) / total
        yield bar(fraction, f"{rest} others {100 * fraction:.1f} %")


# Larger diagrams cannot be read on a page, and their layout takes long.
MAX_VARIABLES = 120
MAX_NODES = 400
# Networks with more table cells are shown without their tables.
MAX_CELLS = 2000


def model_part(
    entry: ModelEntry,
    rows: DataSet | None,
    where: str,
    *,
    is_stale: bool = False,
    has_tables: bool = True,
) -> Markup:
    """A model of a project; `rows` are its training rows, `where` is their file."""
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
        parts.append(tag("p", badge, " The rows it was learned from have changed."))
    if entry.is_edited:
        parts.append(tag("p", "It was edited by hand after it was learned or opened."))
    parts += notes_markup(entry.notes)
    parts += [model_picture(file), facts([*size_facts(entry.model), *fit_facts(entry.model, rows)])]
    parts += _notes(entry)
    parts += list(contexts_of(entry.model))
    parts += list(tables_of(entry.model)) if has_tables else []
    parts += list(provenance(entry.provenance, where))
    return joined(parts)


def model_picture(file: ModelFile) -> Markup:
    """The first diagram of a model for both colour schemes; a message if it is too large."""
    model = file.model
    if not len(model.domain):
        return tag("p", "The model has no nodes.", class_="quiet")
    if len(model.domain) > MAX_VARIABLES:
        return _too_large(count_of(len(model.domain), "variable"))
    if isinstance(model, NodeModel) and sum(model.node_counts) > MAX_NODES:
        return _too_large(count_of(sum(model.node_counts), "node"))
    light, dark = (drawing_of(file, theme=theme) for theme in ("light", "dark"))
    return figure(light, dark, file.title or f"Diagram of the {kind_noun(model.kind)}")


def _too_large(count: str) -> Markup:
    return tag("p", f"{count} are too many for a diagram here.", class_="quiet")


def size_facts(model: Model) -> list[tuple[str, Content]]:
    """The language and the sizes."""
    pairs: list[tuple[str, Content]] = [
        ("Language", kind_title(model.kind)),
        ("Variables", whole(len(model.domain))),
    ]
    if has_edges(model):
        pairs.append(("Edges", whole(len(edges_of(model)))))
    return [
        *pairs,
        (language_of(model).size_title, whole(model.representation_size())),
        ("Effective size", whole(model.effective_size())),
    ]


def fit_facts(model: Model, rows: DataSet | None) -> list[tuple[str, Content]]:
    """Bits per row of the training rows; nothing if they do not fit the model."""
    if rows is None or rows.row_count == 0 or not isinstance(model, ProbabilisticModel):
        return []
    try:
        mean = mean_of(row_log2(model, rows_over(rows, model.domain)), rows.weights)
    except TooLargeError as refusal:
        return [("Log-likelihood", f"Not computed. {refusal}")]
    except PgmStudioError:
        return []  # the rows have other columns or states now
    text = f"{decimal(mean.value)} bits per row over {count_of(rows.row_count, 'row')}"
    return [("Log-likelihood", text)]


def _notes(entry: ModelEntry) -> Iterator[Markup]:
    lines = [(entry.node_titles.get(name, name), text) for name, text in entry.node_notes.items()]
    lines += [(edge_text(entry.model, *edge), text) for edge, text in entry.edge_notes.items()]
    if lines:
        yield tag("h4", "Notes")
        yield facts(lines)


def contexts_of(model: Model) -> Iterator[Markup]:
    """The edges that vanish in contexts, with these."""
    result = [(edge, edge_contexts(model, *edge)) for edge in edges_of(model)]
    rows = [(edge_text(model, *edge), "; ".join(each)) for edge, each in result if each]
    if rows:
        yield details(
            f"Contexts, {count_of(len(rows), 'edge')}",
            table(("Edge", "Vanishes where"), rows, "<<"),
        )


def tables_of(model: Model) -> Iterator[Markup]:
    """The CPTs of a small network, collapsed at first."""
    network = plain_network(model)
    if network is None:
        return
    cells = sum(one.size for one in network.tables)
    if cells > MAX_CELLS:
        text = f"Its tables have {whole(cells)} cells and are left out."
        yield tag("p", text, class_="quiet")
        return
    parts = [_table(network, name) for name in network.domain.names]
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


# -- provenance ------------------------------------------------------------------------------------


def provenance(origin: Mapping[str, Any], where: str) -> Iterator[Markup]:
    """The provenance of a model and the command that learns it again."""
    if not origin:
        return
    pairs = [
        (str(name).replace("_", " ").capitalize(), _plain_text(value))
        for name, value in origin.items()
        if name not in ("trace", "measures", "parameters", "choices") and value not in ({}, [], "")
    ]
    yield tag("h4", "Provenance")
    yield facts(pairs)
    parameters = origin.get("parameters")
    if isinstance(parameters, Mapping) and parameters:
        named = [(name.replace("_", " ").strip(), value) for name, value in parameters.items()]
        settings = facts((name.capitalize(), _plain_text(value)) for name, value in named)
        yield details(f"All {count_of(len(named), 'setting')}", settings)
    line = learn_command(origin, where)
    if line is not None:
        yield command(line)


def learn_command(origin: Mapping[str, Any], where: str) -> str | None:
    """`pgmstudio learn …` with the settings that are not defaults; None without a learner."""
    learner = all_learners().get(str(origin.get("learner", "")))
    if learner is None:
        return None
    arguments = ["pgmstudio", "learn", learner.key, where or "DATA"]
    specs = {spec.name: spec for spec in specs_of(learner.params_type)}
    parameters = origin.get("parameters")
    for name, value in (parameters if isinstance(parameters, Mapping) else {}).items():
        spec = specs.get(name)
        if spec is None or spec.kind is ParamKind.OBJECT or _is_default(spec, value):
            continue
        arguments += [f"--{spec.option}", _typed(value)]
    return shlex.join([*arguments, "--seed", str(origin.get("seed", 0))])


def _is_default(spec: ParamSpec, value: Any) -> bool:
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return bool((list(value) if isinstance(value, tuple) else value) == default)


def _typed(value: Any) -> str:
    """A value as it is typed on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ",".join(map(_typed, value))
    return "none" if value is None else str(value)


def _plain_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain_text(part)}" for name, part in value.items())
    if isinstance(value, float):
        return f"{value:g}"
    return _typed(value)
