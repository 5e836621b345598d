"""Write the generated tables of the reference: parameters, the lists of learners and languages.

    python docs/generate_reference.py           rewrites the tables between their markers
    python docs/generate_reference.py --check   only reports which pages are out of date
    python docs/generate_reference.py --output  also runs the first command of every learner's page
                                                and writes what it prints below it

A table stands between two markers: `<!-- parameters -->` on the page of a learner,
`<!-- learners -->` in `reference/learners.md`, `<!-- languages -->` in `reference/languages.md`,
`<!-- estimators -->` in `reference/scikit-learn.md`, `<!-- measures -->` in
`reference/measures.md`, `<!-- summary -->` and one per source in `studies/index.md`,
`<!-- compiled -->` in `studies/compiled-networks.md`; `<!-- end -->` stands after it. The whole of
`reference/api.md` is made from docstrings.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # from a checkout, whether or not the package is installed
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.api_reference import api_page
from pgmstudio.core.languages.learners import all_learners, presets_of
from pgmstudio.core.languages.registry import BUILT_IN, LANGUAGES
from pgmstudio.core.params import ParamKind, ParamSpec, specs_of
from pgmstudio.core.scores.association_measures import BSK, MEASURES
from pgmstudio.gui.help.contents import title_of
from pgmstudio.studies.pdg_hybrid import compiled_tables, stored_pairs
from pgmstudio.studies.published_index import (
    PUBLICATIONS,
    IndexRow,
    Kind,
    Publication,
    Reference,
    Verdict,
    published_index,
)

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
END = "<!-- end -->"


def built_in_learners() -> list[Any]:
    """The learners of the program, without those of installed plug-ins."""
    return [
        learner
        for learner in all_learners().values()
        if type(learner).__module__.startswith("pgmstudio.")
    ]


def page_of(key: str) -> Path:
    """The page of a learner: `bn.hill-climb` is described in `learners/bn-hill-climb.md`."""
    return REFERENCE / "learners" / f"{key.replace('.', '-')}.md"


def parameter_table(learner: Any) -> str:
    """One row for each parameter: option, default, allowed values and help."""
    lines = ["| Option | Default | Values | Meaning |", "|---|---|---|---|"]
    for spec in specs_of(learner.params_type):
        cells = (f"`--{spec.option}`", _value(spec, spec.default), _values(spec), spec.help)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if presets := presets_of(learner):
        lines += ["", "| Preset | Settings | Meaning |", "|---|---|---|"]
        lines += [
            f"| `--preset {one.name}` | `{one.options}` | {one.title}. {one.help} |"
            for one in presets
        ]
    return "\n".join(lines)


def learner_list() -> str:
    """One row for each learner with a link to its page."""
    lines = ["| Key | Learner | Kind of model |", "|---|---|---|"]
    for learner in built_in_learners():
        link = f"[`{learner.key}`](learners/{page_of(learner.key).name})"
        lines.append(f"| {link} | {learner.title} | `{learner.kind}` |")
    return "\n".join(lines)


def language_list() -> str:
    """One row for each language with a link to its page."""
    lines = [
        "| Language | Kind in files | Learners | Diagrams | do() |",
        "|---|---|---|---|---|",
    ]
    for kind in BUILT_IN:
        row = LANGUAGES[kind]
        title = row.title if row.title == row.short_title else f"{row.title} ({row.short_title})"
        learners = ", ".join(
            f"[`{learner.key}`](learners/{page_of(learner.key).name})"
            for learner in built_in_learners()
            if learner.kind == kind
        )
        diagrams = ", ".join(f"`{diagram.name}`" for diagram in row.diagrams)
        interventions = "yes" if row.has_interventions else "no"
        link = f"[{title}](languages/{kind}.md)"
        lines.append(f"| {link} | `{kind}` | {learners} | {diagrams} | {interventions} |")
    return "\n".join(lines)


def measure_list() -> str:
    """One row for each measure of association."""
    lines = [
        "| Key | Measure | Setting | Formula | Stronger | Source |",
        "|---|---|---|---|---|---|",
    ]
    for measure in MEASURES.values():
        title = measure.title if measure.symmetric else f"{measure.title} (directed)"
        stronger = "larger" if measure.larger_is_stronger else "smaller"
        source = "" if measure.reference == BSK else measure.reference.removesuffix(f"; {BSK}")
        cells = (
            f"`{measure.key}`",
            title,
            measure.setting.value,
            measure.formula,
            stronger,
            source,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def estimator_list() -> str:
    """One row for each estimator of scikit-learn."""
    from pgmstudio.sklearn import estimator_keys

    titles = {learner.key: learner.title for learner in built_in_learners()}
    lines = ["| Estimator | Learner | |", "|---|---|---|"]
    for name, key in estimator_keys().items():
        if key in titles:
            lines.append(f"| `{name}` | [`{key}`](learners/{page_of(key).name}) | {titles[key]} |")
    return "\n".join(lines)


_KIND_TITLES = {
    Kind.MODEL: "Models",
    Kind.ALGORITHM: "Algorithms",
    Kind.MEASURE: "Measures",
    Kind.TABLE: "Tables",
    Kind.FIGURE: "Figures",
}


def publication_summary() -> str:
    """How many rows of each source have which verdict."""
    lines = [
        f"| Source | {' | '.join(verdict.value for verdict in Verdict)} |",
        f"|---|{'---:|' * len(Verdict)}",
    ]
    for publication in PUBLICATIONS.values():
        verdicts = [row.verdict for row in published_index() if row.publication == publication.key]
        counts = " | ".join(str(verdicts.count(verdict)) for verdict in Verdict)
        lines.append(f"| [{publication.title}]({publication.page}) | {counts} |")
    return "\n".join(lines)


def publication_tables(publication: Publication) -> str:
    """A table for each kind of thing that a source has."""
    parts = []
    for kind, title in _KIND_TITLES.items():
        rows = [
            row
            for row in published_index()
            if row.publication == publication.key and row.kind is kind
        ]
        if rows:
            head = ["| | " + title + " | Here | Verdict |", "|---|---|---|---|"]
            parts.append("\n".join(head + [_index_line(row) for row in rows]))
    return "\n\n".join(parts)


def _index_line(row: IndexRow) -> str:
    verdict = f"**{row.verdict.value}**" if row.verdict is Verdict.DIFFERS else row.verdict.value
    cells = (
        row.number,
        row.title,
        ", ".join(map(_reference_link, row.where)),
        f"{verdict}: {row.note}" if row.note else verdict,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _reference_link(reference: Reference) -> str:
    """A reference as a link of `studies/index.md`."""
    name = reference.name
    match reference.kind:
        case "learner":
            return f"[`{name}`](../reference/learners/{page_of(name).name})"
        case "language":
            return f"[{LANGUAGES[name].title}](../reference/languages/{name}.md)"
        case "command":
            return f"[`pgmstudio {name}`](../reference/command-line.md)"
        case "study":
            return f"[`{name}`](pgmstudio:study/{name})"
        case "generator":
            return f"[`{name}`](../reference/data.md)"
        case "measure":
            return f"[{MEASURES[name].title}](../reference/measures.md)"
        case "page":
            file = ROOT / "docs" / name.partition("#")[0]
            return f"[{title_of(file)}](../{name})"
        case _:
            return f"*{name}*"


def compiled_networks() -> str:
    """Tables A.1 to A.13 of Nielsen (2007), each row with the nearest network that is stored."""
    text = (ROOT / "docs/results/pdg-hybrid.csv").read_text(encoding="utf-8")
    pairs = stored_pairs(csv.DictReader(text.splitlines()))
    return "\n".join(table.markdown() for table in compiled_tables(pairs)).strip()


def replace_between(text: str, name: str, table: str) -> str:
    """The text with the table between the markers `<!-- name -->` and `<!-- end -->`."""
    start = f"<!-- {name} -->"
    if text.count(start) != 1 or END not in text.partition(start)[2]:
        raise ValueError(f"the markers {start} and {END} must each stand once in the page")
    before, _, rest = text.partition(start)
    return f"{before}{start}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


def generated_pages() -> Iterator[tuple[Path, str]]:
    """Every page with a generated table, and the text it should have."""
    for learner in built_in_learners():
        page = page_of(learner.key)
        text = page.read_text(encoding="utf-8")
        yield page, replace_between(text, "parameters", parameter_table(learner))
    overview = REFERENCE / "learners.md"
    text = overview.read_text(encoding="utf-8")
    yield overview, replace_between(text, "learners", learner_list())
    overview = REFERENCE / "languages.md"
    text = overview.read_text(encoding="utf-8")
    yield overview, replace_between(text, "languages", language_list())
    overview = REFERENCE / "measures.md"
    text = overview.read_text(encoding="utf-8")
    yield overview, replace_between(text, "measures", measure_list())
    overview = REFERENCE / "scikit-learn.md"
    text = overview.read_text(encoding="utf-8")
    yield overview, replace_between(text, "estimators", estimator_list())
    overview = ROOT / "docs/studies/index.md"
    text = overview.read_text(encoding="utf-8")
    text = replace_between(text, "summary", publication_summary())
    for publication in PUBLICATIONS.values():
        text = replace_between(text, publication.key, publication_tables(publication))
    yield overview, text
    overview = ROOT / "docs/studies/compiled-networks.md"
    text = overview.read_text(encoding="utf-8")
    yield overview, replace_between(text, "compiled", compiled_networks())
    yield REFERENCE / "api.md", api_page()


def with_output(text: str, learner_key: str) -> str:
    """The page with what its first `learn` command prints below it, run in an empty folder."""
    block = re.search(r"```console\n(.*?)```", text, re.DOTALL)
    if block is None:
        raise ValueError(f"the page of {learner_key} has no command")
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sample_data").symlink_to(ROOT / "sample_data")
        for command in re.findall(r"^\$ pgmstudio (.*)$", block[1], re.MULTILINE):
            called = subprocess.run(
                [sys.executable, "-m", "pgmstudio", *shlex.split(command)],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=True,
            )
            shown.append(f"$ pgmstudio {command}")
            if command.startswith(f"learn {learner_key} "):
                shown += [line for line in called.stdout.splitlines() if _is_shown(line)]
                rest = block[1].partition(f"$ pgmstudio {command}\n")[2]
                shown += [line for line in rest.splitlines() if line.startswith("$ ")]
                break
    return text.replace(block[0], "\n".join(["```console", *shown, "```"]), 1)


def _is_shown(line: str) -> bool:
    """Times differ from run to run, and where a model is saved says nothing about a learner."""
    return not line.startswith(("Time ", "Saved to ", "Not saved "))


def outdated_pages() -> list[tuple[Path, str]]:
    return [
        (page, text) for page, text in generated_pages() if page.read_text(encoding="utf-8") != text
    ]


def _value(spec: ParamSpec, value: Any) -> str:
    if value is None:
        return spec.none_label or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(f"{part:g}" for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


_KINDS = {
    ParamKind.YES_NO: "yes or no",
    ParamKind.WHOLE: "whole number",
    ParamKind.NUMBER: "number",
    ParamKind.TEXT: "text",
    ParamKind.WHOLES: "list of whole numbers",
    ParamKind.NUMBERS: "list of numbers",
    ParamKind.OBJECT: "file",
}


def _values(spec: ParamSpec) -> str:
    if spec.choices:
        allowed = ", ".join(f"`{choice}`" for choice in spec.choices)
    else:
        bounds = [
            f"{sign} {bound:g}"
            for sign, bound in (
                (">" if spec.low_open else "≥", spec.low),
                ("<" if spec.high_open else "≤", spec.high),
            )
            if bound is not None
        ]
        allowed = " ".join([_KINDS[spec.kind], ", ".join(bounds)]).strip()
    return f"{allowed}, or `auto`" if spec.allows_auto else allowed


def write_output() -> None:
    for learner in built_in_learners():
        page = page_of(learner.key)
        page.write_text(with_output(page.read_text(encoding="utf-8"), learner.key), "utf-8")
        print(f"with its output: {page}", flush=True)


def main() -> int:
    if "--output" in sys.argv:
        write_output()
    outdated = outdated_pages()
    for page, text in outdated:
        if "--check" in sys.argv:
            print(f"out of date: {page}")
        else:
            page.write_text(text, encoding="utf-8")
            print(f"written: {page}")
    return 1 if outdated and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
