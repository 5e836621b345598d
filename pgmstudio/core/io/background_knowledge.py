"""Knowledge files: rules about edges, in our JSON and in the forms other programs write.

- `.json`: `required` and `forbidden` edges as [from, to], `tiers` as lists of names, and
  `closed_tiers`, which counts tiers from 0.
- Tetrad text: `/knowledge`, then `addtemporal` (a tier per line, `2*` for a closed one),
  `forbiddirect` and `requiredirect` (an edge per line), `forbiddengroup` and `requiredgroup`.
- a table with the columns from and to, as bnlearn writes its lists; a third column may hold
  required or forbidden, else the edges are required.
- lines such as `A -> B`, `A <- B`, `A -- B`, BayesiaLab's dictionary of forbidden arcs; `= true`
  behind an edge requires it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NoReturn

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.errors import FileError
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.models.files import decode_text, read_bytes
from pgmstudio.core.json_documents import JsonElement, parse_json, render_json

Rule = Literal["required", "forbidden"]
SCHEMA = "pgmstudio-knowledge"
VERSION = 1
MAX_RULES = 1_000_000  # two short lines of names stand for all their pairs

_RULE_NAMES: dict[str, Rule] = {
    "required": "required",
    "require": "required",
    "whitelist": "required",
    "true": "required",
    "forbidden": "forbidden",
    "forbid": "forbidden",
    "blacklist": "forbidden",
    "false": "forbidden",
}
_SOURCE_COLUMNS = frozenset({"from", "source", "parent", "cause"})
_TARGET_COLUMNS = frozenset({"to", "target", "child", "effect"})
_ARROWS = ("->", "<-", "--")
_COMMENTS = ("#", "//")
_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")


def read_knowledge(path: Path | str, edges_are: Rule | None = None) -> Knowledge:
    """Read the rules of a file in any of the four forms; `edges_are` applies where none is given.

    Rules that contradict each other are read as they are; `Knowledge.contradictions` names them.
    """
    path = Path(path)
    return parse_knowledge(read_bytes(path), path, edges_are)


def parse_knowledge(content: bytes, path: Path, edges_are: Rule | None = None) -> Knowledge:
    """Parse rules from bytes; the extension of `path` decides whether they are JSON."""
    if path.suffix.lower() == ".json":
        return knowledge_of_document(parse_json(content, path, error=FileError))
    text, _ = decode_text(content)
    lines = text.splitlines()
    stripped = (line.strip() for line in lines)
    first = next((line for line in stripped if line and not line.startswith(_COMMENTS)), "")
    if first.lower().startswith("/knowledge"):
        return _read_tetrad(path, lines)
    if path.suffix.lower() not in (".csv", ".tsv") and any(a in first for a in _ARROWS):
        return _read_arrows(path, lines, edges_are or "forbidden")
    return _read_table(path, text, edges_are or "required")


def write_knowledge(path: Path | str, knowledge: Knowledge) -> tuple[str, ...]:
    """Write `.json`, a table (`.csv`, `.tsv`) or else Tetrad text; returns what was lost."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".json":
        replace_file(path, render_json(knowledge_document(knowledge)))
        return ()
    if ending in (".csv", ".tsv"):
        text, lost = _table_text(knowledge, "," if ending == ".csv" else "\t")
    else:
        text, lost = _tetrad_text(path, knowledge), ()
    replace_file(path, text.encode())
    return lost


def knowledge_document(knowledge: Knowledge) -> dict[str, Any]:
    """The rules as plain values, in a fixed order."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "required": [list(edge) for edge in sorted(knowledge.required)],
        "forbidden": [list(edge) for edge in sorted(knowledge.forbidden)],
        "tiers": [list(tier) for tier in knowledge.tiers],
        "closed_tiers": sorted(knowledge.closed_tiers),
    }


def knowledge_of_document(document: JsonElement) -> Knowledge:
    """Rules from a JSON document; absent entries are empty."""
    value = document.get("schema")
    if value is not None and value.text() != SCHEMA:
        document.fail(f"is not a file of rules about edges: its schema is “{value.text()}”.")
    version = document.get("version")
    if version is not None and version.whole() > VERSION:
        document.fail("was written by a newer PGM Studio. Update the program to open it.")
    known = {"schema", "version", "required", "forbidden", "tiers", "closed_tiers"}
    unknown = sorted(set(document.mapping()) - known)
    if unknown:
        document.fail(f"the entry “{unknown[0]}” is not known; there are required, forbidden, …")
    tiers = document.get("tiers")
    listed = tuple(tier.texts() for tier in tiers.elements()) if tiers else ()
    closed = document.get("closed_tiers")
    numbers = []
    for location in closed.elements() if closed else ():
        if not 0 <= location.whole() < len(listed):
            location.fail(f"there are {len(listed)} tiers, counted from 0.")
        numbers.append(location.whole())
    return Knowledge(
        frozenset(_edges(document.get("required"))),
        frozenset(_edges(document.get("forbidden"))),
        listed,
        frozenset(numbers),
    )


def _edges(location: JsonElement | None) -> list[Edge]:
    edges = []
    for element in location.elements() if location else ():
        ends = element.texts()
        if len(ends) != 2:
            element.fail("an edge is a list of two names, from and to.")
        edges.append((ends[0], ends[1]))
    return edges


def _fail(path: Path, line: int, message: str) -> NoReturn:
    raise FileError(path, f"line {line}: {message}")


def _read_tetrad(path: Path, lines: list[str]) -> Knowledge:
    rules: dict[Rule, set[Edge]] = {"required": set(), "forbidden": set()}
    tiers: dict[int, list[str]] = {}
    closed: set[int] = set()
    section, group = "", None
    for number, line in enumerate(lines, start=1):
        tokens = line.split()
        if not tokens or tokens[0].lower() == "/knowledge":
            continue
        if tokens[0].lower() in _SECTIONS and len(tokens) == 1:
            section, group = tokens[0].lower(), None
        elif section == "addtemporal":
            tier, *names = tokens
            digits = tier.rstrip("*")
            if not digits.isdecimal() or len(digits) > 6:
                _fail(path, number, f"“{tier}” is not the number of a tier, such as 1 or 2*.")
            tiers.setdefault(int(digits), []).extend(names)
            if tier != digits:
                closed.add(int(digits))
        elif section.endswith("direct"):
            if len(tokens) != 2:
                _fail(path, number, f"an edge has two names, not {len(tokens)}.")
            rule: Rule = "required" if section == "requiredirect" else "forbidden"
            rules[rule].add((tokens[0], tokens[1]))
        elif section.endswith("group"):
            if group is None:
                group = tokens
                continue
            rule = "required" if section == "requiredgroup" else "forbidden"
            total = len(rules[rule]) + len(group) * len(tokens)
            if total > MAX_RULES:
                _fail(path, number, f"its groups stand for {total} rules; {MAX_RULES} can be read.")
            rules[rule] |= {(source, target) for source in group for target in tokens}
            group = None
        else:
            _fail(path, number, f"“{tokens[0]}” is not one of {', '.join(_SECTIONS)}.")
    order = sorted(tiers)
    return Knowledge(
        frozenset(rules["required"]),
        frozenset(rules["forbidden"]),
        tuple(tuple(tiers[tier]) for tier in order),
        frozenset(index for index, tier in enumerate(order) if tier in closed),
    )


def _read_arrows(path: Path, lines: list[str], edges_are: Rule) -> Knowledge:
    rules: dict[Rule, set[Edge]] = {"required": set(), "forbidden": set()}
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith(_COMMENTS):
            continue
        result = [(line.find(arrow), arrow) for arrow in _ARROWS if arrow in line]
        if not result:
            _fail(path, number, "expected an edge such as A -> B.")
        index, arrow = min(result)
        left, right = line[:index], line[index + len(arrow) :]
        head, equals, value = right.rpartition("=")
        rule = edges_are
        if equals and value.strip().lower() in ("true", "false"):
            right, rule = head, _RULE_NAMES[value.strip().lower()]
        source, target = (end.replace("\\ ", " ").strip() for end in (left, right))
        if not source or not target:
            _fail(path, number, "an edge needs a name on both sides.")
        if arrow in ("->", "--"):
            rules[rule].add((source, target))
        if arrow in ("<-", "--"):
            rules[rule].add((target, source))
    return Knowledge(frozenset(rules["required"]), frozenset(rules["forbidden"]))


def _read_table(path: Path, text: str, edges_are: Rule) -> Knowledge:
    rules: dict[Rule, set[Edge]] = {"required": set(), "forbidden": set()}
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns: tuple[int, ...] | None = None
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if columns is None:
                columns = _header_columns(cells)
                if columns is not None:
                    continue
                columns = (0, 1, 2)
            has_rule = len(columns) > 2 and len(cells) > columns[2]
            value = cells[columns[2]].lower() if has_rule else ""
            if len(cells) <= max(columns[:2]) or not all(cells[c] for c in columns[:2]):
                _fail(path, reader.line_num, "an edge needs a name in both columns, from and to.")
            if value and value not in _RULE_NAMES:
                _fail(path, reader.line_num, f"“{value}” is not required or forbidden.")
            rules[_RULE_NAMES.get(value, edges_are)].add((cells[columns[0]], cells[columns[1]]))
    except csv.Error as problem:
        _fail(path, reader.line_num, f"{problem}.")
    if columns is None:
        raise FileError(
            path,
            "holds no rules; known are our .json, Tetrad's text, a table of from and to, and "
            "lines such as A -> B.",
        )
    return Knowledge(frozenset(rules["required"]), frozenset(rules["forbidden"]))


def _header_columns(cells: list[str]) -> tuple[int, ...] | None:
    tokens = [cell.lower() for cell in cells]
    source = next((i for i, word in enumerate(tokens) if word in _SOURCE_COLUMNS), None)
    target = next((i for i, word in enumerate(tokens) if word in _TARGET_COLUMNS), None)
    if source is None or target is None:
        return None
    rule = next((i for i, word in enumerate(tokens) if word in ("rule", "constraint")), None)
    return (source, target) if rule is None else (source, target, rule)


def _table_text(knowledge: Knowledge, delimiter: str) -> tuple[str, tuple[str, ...]]:
    names = sorted(knowledge.tier_of)
    by_tiers = {
        (source, target)
        for source in names
        for target in names
        if source != target and not knowledge.allows(source, target)
    } - knowledge.forbidden
    rows = [("from", "to", "rule")]
    rows += [(*edge, "required") for edge in sorted(knowledge.required)]
    rows += [(*edge, "forbidden") for edge in sorted(knowledge.forbidden | by_tiers)]
    text = csv_text(rows, delimiter)
    if not knowledge.tiers:
        return text, ()
    lost = f"A table cannot hold tiers; they were written as {len(by_tiers)} forbidden edges."
    return text, (lost,)


def _tetrad_text(path: Path, knowledge: Knowledge) -> str:
    names = {end for edge in knowledge.required | knowledge.forbidden for end in edge}
    names |= {name for tier in knowledge.tiers for name in tier}
    blank = sorted(name for name in names if len(name.split()) != 1 or name != name.strip())
    if blank:
        raise FileError(path, f"Tetrad's names have no blanks, unlike “{blank[0]}”. Use .json.")
    lines = ["/knowledge", "addtemporal", ""]
    for number, tier in enumerate(knowledge.tiers):
        star = "*" if number in knowledge.closed_tiers else ""
        lines.append(" ".join([f"{number + 1}{star}", *tier]))
    lines += ["", "forbiddirect", "", *_pairs(knowledge.forbidden)]
    lines += ["", "requiredirect", "", *_pairs(knowledge.required)]
    return "\n".join(lines) + "\n"


def _pairs(edges: Iterable[Edge]) -> list[str]:
    return [f"{source} {target}" for source, target in sorted(edges)]
