"""Every reader of files with a sound example of what it reads."""

from __future__ import annotations

import io
import random
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.io.background_knowledge import read_knowledge, write_knowledge
from pgmstudio.core.io.data.reader import data_format, read_data
from pgmstudio.core.io.experiments import read_plan
from pgmstudio.core.io.models.files import MODEL_FORMATS, read_model
from pgmstudio.core.io.models.uai import read_evidence
from pgmstudio.core.io.project.project_file import project_bytes, read_project
from tests.core.io import test_plan_files as plans
from tests.core.io.data import test_data_fuzzed as tables
from tests.core.io.example_projects import full_project
from tests.core.io.models import test_model_readers_fuzzed as models

RULES = Knowledge(
    frozenset({("a", "b"), ("b", "c")}),
    frozenset({("c", "a")}),
    (("a",), ("b", "c")),
    frozenset({1}),
)
GROUPS = b"/knowledge\naddtemporal\n1 a\n2* b c\n\nforbiddengroup\na b\nc\nrequiredirect\na c\n"
ARROWS = b"# rules\nA -> B\nB -- C = true\nD <- A = false\n"
DATA_CELLS = [
    b'"',
    b"'",
    b",",
    b"\n",
    b"\r",
    b"{",
    b"}",
    b"#9",
    b"-",
    b"?",
    b"{}",
    b"@data",
    b"\t",
]


@dataclass(frozen=True, eq=False)
class Reader:
    """One reader: what it reads, a sound file, and words that matter in such files."""

    file_name: str
    sound: Callable[[], bytes]
    read: Callable[[Path], Any]
    words: list[bytes] = field(default_factory=list)
    ends_child: bool = False  # the program reads such files in a child, which may die
    damage: Callable[[bytes, list[bytes], random.Random], bytes] = models.damaged

    def case(self, number: int, seed: int) -> bytes:
        """A damaged file; the same number gives the same file."""
        chance = random.Random(f"{self.file_name} {seed} {number}")
        if number % 20 == 0:
            return chance.randbytes(chance.randrange(300))
        return self.damage(_sound(self), self.words + models.COMMON, chance)


@cache
def _sound(reader: Reader) -> bytes:
    return reader.sound()


def _written(write: Callable[[Path], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def _rendered(name: str) -> bytes:
    known = next(known for known in MODEL_FORMATS if name == f"fuzzed{known.endings[0]}")
    return known.renderer()(models.FILE, Path(name))[0]


def _damaged_member(content: bytes, words: list[bytes], chance: random.Random) -> bytes:
    """A whole zip with one damaged member, which its checksums do not see."""
    spoiled = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(spoiled, "w") as target:
        hit = chance.choice(sorted(source.namelist()))
        for name in source.namelist():
            member = source.read(name)
            target.writestr(name, models.damaged(member, words, chance) if name == hit else member)
    return spoiled.getvalue()


def _table_readers() -> dict[str, Reader]:
    result = {}
    for ending, write in tables.EXAMPLES.items():
        name = f"fuzzed{ending}"
        kind = data_format(name)
        assert kind is not None
        result[f"table {ending}"] = Reader(
            name,
            partial(_written, write, name),
            partial(read_data, options=tables.OPTIONS),
            DATA_CELLS,
            ends_child=kind.in_child,
        )
    members = Reader(
        "members.xlsx",
        result["table .xlsx"].sound,
        result["table .xlsx"].read,
        models.XML_TOKENS,
        ends_child=True,
        damage=_damaged_member,
    )
    return {**result, "table .xlsx, members": members}


def _model_readers() -> dict[str, Reader]:
    result = {}
    for known in MODEL_FORMATS:
        name = f"fuzzed{known.endings[0]}"
        plain = models.XML_TOKENS + models.BIF_TOKENS + models.GRAPH_TOKENS
        words = models.JSON_TOKENS if ".json" in known.endings[0] else plain
        result[f"model {known.endings[0]}"] = Reader(
            name, partial(_rendered, name), read_model, words
        )
    markov = _rendered("fuzzed.uai").replace(b"BAYES", b"MARKOV")
    result["model .uai, Markov"] = Reader(
        "markov.uai", lambda: markov, read_model, models.GRAPH_TOKENS
    )
    return result


def _other_readers() -> dict[str, Reader]:
    words = models.RULE_TOKENS + models.JSON_TOKENS
    project = partial(project_bytes, full_project(rows=8, variables=3))
    rules = {
        f"rules {ending}": Reader(
            f"rules{ending}",
            partial(_written, lambda path: write_knowledge(path, RULES), f"rules{ending}"),
            read_knowledge,
            words,
        )
        for ending in (".json", ".csv", ".txt")
    }
    return {
        **rules,
        "rules of groups": Reader("groups.txt", lambda: GROUPS, read_knowledge, words),
        "rules as arrows": Reader("arrows.txt", lambda: ARROWS, read_knowledge, words),
        "evidence": Reader(
            "fuzzed.evid",
            lambda: b"2\n2 0 1 1 2\n3 0 0 2 1 3 0\n",
            partial(read_evidence, domain=models.FILE.model.domain),
            [b" ", b"\n", b"0", b"1", b"2", b"3"],
        ),
        "plan .toml": Reader(
            "plan.toml",
            plans.TOML.encode,
            read_plan,
            [b"[", b"]", b"=", b'"', b"a.b.", b"{", b"}", b"\n", b"true", b"1979-05-27", b"''"],
        ),
        "plan .json": Reader("plan.json", plans.JSON.encode, read_plan, models.JSON_TOKENS),
        "project": Reader("fuzzed.pgmz", project, read_project, [b"PK\x01\x02", b"PK\x03\x04"]),
        "project, members": Reader(
            "members.pgmz", project, read_project, models.JSON_TOKENS, damage=_damaged_member
        ),
    }


READERS: dict[str, Reader] = {**_table_readers(), **_model_readers(), **_other_readers()}
