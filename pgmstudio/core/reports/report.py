"""HTML reports of a project, or of the folder of an experiment."""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pgmstudio.core.analysis.fit_comparison import compare_fit
from pgmstudio.core.analysis.model_comparison import compare
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import FileError, PgmStudioError, named
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.plans.expansion import PlanRows, code_version
from pgmstudio.core.experiments.plans.runner import ceiling_of, truth_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint, point_of
from pgmstudio.core.experiments.sl_curves.selection import summaries_of
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.experiments import (
    PointFolder,
    folder_facts,
    read_folder_plan,
    read_plan_rows,
)
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.registry import scale_of
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.number_format import count_of, decimal, measure_title, signed, whole
from pgmstudio.core.project.model_rows import rows_of_model
from pgmstudio.core.project.project import Project, fingerprints
from pgmstudio.core.reports.evidence_sections import (
    explanation_part,
    scenarios_part,
    sensitivity_part,
)
from pgmstudio.core.reports.html import (
    Content,
    Look,
    Markup,
    command,
    details,
    facts,
    joined,
    page,
    table,
    tag,
)
from pgmstudio.core.reports.notes import notes_markup
from pgmstudio.core.reports.pdf import page_as_pdf
from pgmstudio.core.reports.reproduction import Reproduced
from pgmstudio.core.reports.sections import (
    columns_table,
    curves_part,
    data_facts,
    data_part,
    model_part,
    model_picture,
    size_facts,
)
from pgmstudio.version import __version__

# Number of curves whose best model is drawn.
MAX_DRAWN = 8
Section = tuple[str, str, Markup]


# What a report of a project can have, in its order.
SECTIONS = {
    "notes": "Notes",
    "data": "Data",
    "models": "Models",
    "tables": "Conditional probability tables",  # of the models
    "comparison": "Comparison",
    "curves": "SL-curves",
    "scenarios": "Evidence scenarios",
    "explanation": "Most probable explanation",
    "sensitivity": "Sensitivity",
    "rules": "Rules about edges",
    "runs": "Runs",
    "reproduce": "Reproduce",
}


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What goes into the report of a project, its title and its look.

    `target` is the state whose belief is examined for sensitivity, as variable and state; None
    leaves that section out. Without a title it is the name of the project.
    """

    sections: Collection[str] = tuple(SECTIONS)
    look: Look = "auto"
    title: str = ""
    target: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        for name in self.sections:
            named("section", name, SECTIONS)


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """The source file of a report, the time, the reproduced results and the options."""

    source: str
    made_at: datetime
    reproduced: Sequence[Reproduced] | None = None
    options: ReportOptions = ReportOptions()

    def lead(self) -> Markup:
        when = self.made_at.strftime("%Y-%m-%d %H:%M")
        return tag("p", f"Created by PGM Studio {__version__} on {when}.")


@dataclass(frozen=True, eq=False)
class ReportTask:
    """Writes a report, as a task for a child process; yields the file.

    `rows` are those of an experiment whose plan names no data.
    """

    subject: Project | Path
    target: Path
    info: ReportInfo
    rows: PlanRows | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[Path]:
        cancel.raise_if_cancelled()
        if isinstance(self.subject, Project):
            text = project_report(self.subject, self.info)
        else:
            text = folder_report(self.subject, self.info, self.rows)
        cancel.raise_if_cancelled()
        is_pdf = self.target.suffix.lower() == ".pdf"
        content = page_as_pdf(text, cancel) if is_pdf else text.encode()
        replace_file(self.target, content)
        yield self.target


def project_report(project: Project, info: ReportInfo) -> str:
    """The report of a project."""
    options = info.options
    title = options.title or project_title(project, info.source)
    parts: dict[str, Callable[[], Iterable[Content]]] = {
        "notes": lambda: notes_markup(project.notes),
        "data": lambda: [_titled(e.name, data_part(e)) for e in project.data.values()],
        "models": lambda: _models(project, "tables" in options.sections),
        "comparison": lambda: _comparisons(project),
        "curves": lambda: _curves(project),
        "scenarios": lambda: scenarios_part(project),
        "explanation": lambda: explanation_part(project),
        "sensitivity": lambda: (
            () if options.target is None else sensitivity_part(project, *options.target)
        ),
        "rules": lambda: _rules(project),
        "runs": lambda: _runs(project),
    }
    chosen = [(n, SECTIONS[n], list(make())) for n, make in parts.items() if n in options.sections]
    sections = _sections(*chosen)
    if "reproduce" in options.sections:
        sections.append(_reproducing(info, ["pgmstudio", "report", info.source or "PROJECT"]))
    return page(title, [info.lead()], sections, options.look)


def project_title(project: Project, source: str) -> str:
    """The title of the project, or the name of its file."""
    return project.title or Path(source).stem or "Untitled project"


def folder_report(folder: Path | str, info: ReportInfo, given: PlanRows | None = None) -> str:
    """The report of an experiment's folder, as written by `pgmstudio sweep`."""
    point_folder = PointFolder(folder)
    plan = read_folder_plan(folder)
    if plan is None or not point_folder.points:
        raise FileError(folder, "holds no points of an experiment. Choose a folder of sweep.")
    setup = folder_facts(folder)
    points = list(point_folder.points.values())
    rows, reason = _plan_rows(plan.data, setup) if given is None else _same_rows(given, setup)
    ceiling = None if rows is None else ceiling_of(rows)
    truth = None if rows is None else truth_of(rows)
    about: list[Content] = [
        facts(
            [
                ("Points", whole(len(points))),
                ("Finished runs", whole(len(point_folder.done))),
                ("Learning", f"{decimal(sum(d.seconds for d in point_folder.done.values()), 1)} s"),
                ("Code", str(setup.get("code", ""))),
            ]
        )
    ]
    problems = [text for done in point_folder.done.values() for text in done.problems]
    if problems:
        about.append(details(count_of(len(problems), "problem"), *(tag("p", p) for p in problems)))
    curves = curves_part(points, title=plan.title, ceiling=ceiling, truth=truth)
    sections = [
        *_sections(
            ("experiment", "Experiment", about),
            ("data", "Data", _plan_data(plan.data, setup, rows, reason)),
            ("curves", "SL-curves", [curves]),
            ("models", "The best model of each curve", list(_drawn(point_folder, points))),
        ),
        _reproducing(info, ["pgmstudio", "report", info.source], plan.plain()),
    ]
    title = info.options.title or plan.title or Path(folder).name
    return page(title, [info.lead()], sections, info.options.look)


# -- parts of a project ----------------------------------------------------------------------------


def _sections(*sections: tuple[str, str, Sequence[Content]]) -> list[Section]:
    return [(name, title, joined(parts)) for name, title, parts in sections if parts]


def _titled(title: str, inside: Markup) -> Markup:
    return joined([tag("h3", title), inside])


def _models(project: Project, has_tables: bool) -> Iterator[Markup]:
    for model_id, entry in project.models.items():
        data = project.data.get(entry.data_id or "")
        rows = None if data is None else data.data
        where = "" if data is None else data.source
        stale = project.is_stale(model_id)
        part = model_part(entry, rows, where, is_stale=stale, has_tables=has_tables)
        yield _titled(entry.title, part)
    for unknown in project.unknown.models.values():
        message = f"Its language, {unknown.kind}, is not known to this version."
        yield _titled(unknown.title, tag("p", message, class_="quiet"))


def _comparisons(project: Project) -> Iterator[Markup]:
    """The comparisons of the project; if there are none, the models of each data set, or without
    one of their own that its rows fit."""
    if project.comparisons:
        selections = [(c.title, c.model_ids, c.data_id) for c in project.comparisons.values()]
    else:
        about = {model_id: _data_about(project, model_id) for model_id in project.models}
        selections = [
            (entry.name, tuple(m for m, d in about.items() if d == data_id), data_id)
            for data_id, entry in project.data.items()
        ]
    for title, ids, data_id in selections:
        data = project.data.get(data_id or "")
        known = [project.models[m] for m in ids if m in project.models]
        if data is None:
            continue
        models = {e.title: e.model for e in known if isinstance(e.model, ProbabilisticModel)}
        if len(models) > 1:
            yield _titled(title, _comparison(models, data.data))
        for scale in (Scale.RELATION, Scale.POSSIBILITY):
            others = {e.title: e.model for e in known if scale_of(e.model.kind) is scale}
            if len(others) > 1:
                yield _titled(title, _fit_comparison(others, data.data))


def _data_about(project: Project, model_id: str) -> str | None:
    """The data set of a model, or the first whose rows fit it."""
    own = project.models[model_id].data_id
    rows = None if own is not None else rows_of_model(project, model_id)
    fitting = (d for d, e in project.data.items() if rows is not None and e.data is rows.whole)
    return next(fitting, own)


def _fit_comparison(models: Mapping[str, Model], rows: DataSet) -> Markup:
    try:
        comparison = compare_fit(models, rows)
    except PgmStudioError as problem:
        return tag("p", str(problem), class_="quiet")
    names = comparison.measure_names
    sizes = (comparison.size_title, "Effective size")
    head = ("Model", *map(measure_title, names), *sizes, "")
    lines = [
        (
            one.name,
            *(_measure(one.measures.get(name)) for name in names),
            whole(one.representation_size),
            whole(one.effective_size),
            "best" if one.is_best else "",
        )
        for one in comparison.models
    ]
    caption = f"On {count_of(rows.row_count, 'row')}, all of the data set; lower is better"
    return table(head, lines, "<" + ">" * (len(head) - 2) + "<", caption)


def _measure(value: float | None) -> str:
    return whole(value) if value is not None and value.is_integer() else decimal(value)


def _comparison(models: Mapping[str, Model], rows: DataSet) -> Markup:
    try:
        comparison = compare(models, rows)
    except PgmStudioError as problem:
        return tag("p", str(problem), class_="quiet")
    lines = [
        (
            one.name,
            one.kind.replace("-", " "),
            decimal(one.log2_likelihood_per_row),
            decimal(one.standard_error),
            signed(one.difference) if one.name != comparison.best else "–",
            "–"
            if one.interval is None or one.name == comparison.best
            else " to ".join(signed(end) for end in one.interval),
            whole(one.representation_size),
            whole(one.effective_size),
            one.verdict,
        )
        for one in comparison.models
    ]
    head = (
        *("Model", "Language", "Bits per row", "±", "To the best", "95 % interval"),
        *("Parameters", "Effective size", "Verdict"),
    )
    caption = f"On {count_of(rows.row_count, 'row')}, all of the data set"
    return table(head, lines, "<<>>>>>><", caption)


def _curves(project: Project) -> Iterator[Markup]:
    for entry in project.curves.values():
        points = []
        unreadable = 0
        for point in entry.points:
            try:
                points.append(point_of(point))
            except (KeyError, TypeError, ValueError):  # written by another program
                unreadable += 1
        parts = [curves_part(points, title=entry.title)]
        if unreadable:
            message = f"{count_of(unreadable, 'point')} could not be read and are left out."
            parts.append(tag("p", message, class_="quiet"))
        yield _titled(entry.title, joined(parts))


def _rules(project: Project) -> Iterator[Markup]:
    rules = project.knowledge
    if rules.is_empty:
        return
    pairs: list[tuple[str, Content]] = []
    for name, edges in (("Required", rules.required), ("Forbidden", rules.forbidden)):
        if edges:
            pairs.append((name, ", ".join(f"{a} → {b}" for a, b in sorted(edges))))
    pairs += [
        (f"Tier {number}", ", ".join(tier)) for number, tier in enumerate(rules.tiers, start=1)
    ]
    yield facts(pairs)


def _runs(project: Project) -> Iterator[Markup]:
    if not project.runs:
        return
    lines = []
    for run in project.runs.values():
        data = project.data.get(run.data_id or "")
        model = project.models.get(run.model_id or "")
        is_same = data is not None and run.data_fingerprint in fingerprints(data)
        lines.append(
            (
                run.title,
                run.learner,
                "gone" if data is None else data.name if is_same else f"{data.name}, changed",
                "–" if model is None else model.title,
                str(run.seed),
                run.outcome.value,
                decimal(run.measures.get("score"), 1),
                decimal(run.seconds, 2),
                run.program_version,
            )
        )
    head = ("Run", "Learner", "Rows", "Model", "Seed", "Outcome", "Score", "Seconds", "Version")
    yield table(head, lines, "<<<<><>><")


# -- parts of an experiment ------------------------------------------------------------------------


def _plan_rows(data: Any, setup: Mapping[str, Any]) -> tuple[PlanRows | None, str]:
    """The present rows of the plan, or None and the reason."""
    if data is None:
        return None, "The plan names no data."
    try:
        rows = read_plan_rows(data)
    except PgmStudioError as problem:
        return None, f"The rows cannot be read: {problem}"
    if rows.fingerprint != setup.get("data"):
        return None, f"{data.file} has changed; the points were computed from other rows."
    return rows, ""


def _same_rows(rows: PlanRows, setup: Mapping[str, Any]) -> tuple[PlanRows | None, str]:
    if rows.fingerprint == setup.get("data"):
        return rows, ""
    return None, "The rows have changed; the points were computed from other rows."


def _plan_data(
    data: Any, setup: Mapping[str, Any], rows: PlanRows | None, reason: str
) -> list[Content]:
    parts: list[Content] = []
    if data is not None:
        parts.append(facts((name, str(value)) for name, value in data.plain().items()))
    counts = setup.get("rows") or ["?", "?"]
    pairs: list[tuple[str, Content]] = [
        ("Training rows", str(counts[0])),
        ("Test rows", str(counts[1])),
        ("Fingerprints", str(setup.get("data", ""))),
    ]
    parts.append(facts(pairs))
    if reason:
        parts.append(tag("p", reason, class_="quiet"))
    if rows is not None:
        parts.append(tag("h3", "Training rows"))
        parts += [facts(data_facts(rows.train)), columns_table(rows.train)]
    return parts


def _drawn(point_folder: PointFolder, points: Sequence[CurvePoint]) -> Iterator[Markup]:
    """The model of every curve that is best on the test rows, the best of all first."""
    best = [own.chosen.best_test for own in summaries_of(points)]
    best.sort(key=lambda point: -point.test_log2_likelihood_per_row)
    for point in best[:MAX_DRAWN]:
        if point.model_file is None:
            continue
        try:
            file = read_model(point_folder.folder / point.model_file)
        except PgmStudioError as problem:
            yield tag("p", str(problem), class_="quiet")
            continue
        pairs = [
            *size_facts(file.model),
            ("Training rows", f"{decimal(point.train_log2_likelihood_per_row)} bits per row"),
            ("Test rows", f"{decimal(point.test_log2_likelihood_per_row)} bits per row"),
            ("File", point.model_file),
        ]
        yield _titled(file.title or point.series, joined([model_picture(file), facts(pairs)]))


# -- reproduction ----------------------------------------------------------------------------------


def _reproducing(
    info: ReportInfo, call: Sequence[str], plan: Mapping[str, Any] | None = None
) -> Section:
    """The versions, the commands that reproduce the results, and the reproduced results."""
    parts: list[Content] = [
        facts(
            [
                ("Program", f"PGM Studio {__version__}, code {code_version()}"),
                ("Python", f"{platform.python_version()} on {platform.system()}"),
                ("Source", info.source or "not saved yet"),
            ]
        ),
        tag("p", "Run everything again from the recorded rows, settings and seeds, and compare:"),
        command(shlex.join([*call, "--reproduce"])),
        tag("p", "Write this page again:"),
        command(shlex.join([*call, "-o", "report.html"])),
    ]
    if plan is not None:
        text = json.dumps(plan, ensure_ascii=False, indent=1, default=str)
        parts.append(details("The plan, for pgmstudio sweep", tag("pre", tag("code", text))))
    if info.reproduced is not None:
        lines = [(one.title, _coloured(one), one.summary) for one in info.reproduced]
        parts += [tag("h3", "Reproduced results"), table(("What", "", "Compared"), lines, "<<<")]
    return "reproduce", "Reproduce", joined(parts)


def _coloured(one: Reproduced) -> Markup:
    labels = {True: ("same", "good"), False: ("differs", "bad"), None: ("not done", "quiet")}
    label, style = labels[one.is_same]
    return tag("span", label, class_=style)
