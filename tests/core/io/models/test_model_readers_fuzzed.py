"""Every reader of models, rules and projects on broken files: an error of ours or a whole value."""

from __future__ import annotations

import io
import math
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.io.background_knowledge import parse_knowledge, write_knowledge
from pgmstudio.core.io.models.files import MODEL_FORMATS, ModelFile, Properties
from pgmstudio.core.io.models.uai import parse_evidence
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import Project
from tests.core.io.example_projects import full_project
from tests.strategies import random_network

# All of them with PGMSTUDIO_FUZZ=all; every run has the first ones.
CASES = 2500 if os.environ.get("PGMSTUDIO_FUZZ") == "all" else 250

Reader = Callable[[bytes], Any]


def damaged(content: bytes, tokens: list[bytes], chance: random.Random) -> bytes:
    """The file cut off, with bytes changed, pieces moved, doubled, dropped or made up."""
    spoiled = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        low = chance.randrange(len(spoiled) + 1)
        high = min(len(spoiled), low + int(chance.expovariate(1 / 12)))
        match chance.randrange(7):
            case 0:
                del spoiled[low:]
            case 1:
                del spoiled[low:high]
            case 2:
                spoiled[low:low] = spoiled[low:high] * chance.choice((1, 2, 50))
            case 3:
                spoiled[low:high] = chance.randbytes(high - low)
            case 4:
                spoiled[low:high] = chance.choice(tokens)
            case 5:
                if spoiled:
                    spoiled[low % len(spoiled)] ^= 1 << chance.randrange(8)
            case 6:
                other = chance.randrange(len(spoiled) + 1)
                spoiled[other:other] = spoiled[low:high]
    return bytes(spoiled)


COMMON = [b"", b"\x00", b"\xff\xfe", b"1e999", b"-1", b"nan", b"9" * 5000, b"\xed\xa0\x80", b'"']
BIF_TOKENS = [b"{", b"}", b"(", b")", b";", b"*", b"/*", b"//", b"default", b"table", b"property"]
XML_TOKENS = [b"<", b">", b"&", b"&x;", b"<!ENTITY x 'y'>", b"<TABLE>", b"</TABLE>", b"<![CDATA["]
JSON_TOKENS = [b"{", b"}", b"[" * 3000, b"]", b":", b",", b"null", b"true", b'"\\ud800"', b"{}"]
GRAPH_TOKENS = [b"[", b"]", b"->", b"--", b"=", b"#1", b"node", b"|", b"BAYES", b"MARKOV", b"<-"]
RULE_TOKENS = [b"/knowledge", b"->", b"--", b"\n", b",", b"addtemporal", b"9*", b"required", b"\t"]


def every_case(
    read: Reader, content: bytes, tokens: list[bytes], check: Callable[[Any], None]
) -> int:
    """Count what came of the cases; anything but an error of ours or a whole value fails."""
    chance = random.Random(2024)
    messages: list[str] = []
    remaining = 0
    for number in range(CASES):
        if number % 10 == 0:
            spoiled = chance.randbytes(chance.randrange(200))
        else:
            spoiled = damaged(content, tokens + COMMON, chance)
        try:
            value = read(spoiled)
        except PgmStudioError as problem:
            messages.append(str(problem))
        else:
            remaining += 1
            check(value)
    assert len(messages) > CASES / 4  # the damage is real
    assert all(len(message) > 10 for message in messages)
    return remaining


def check_file(file: ModelFile) -> None:
    assert isinstance(file, ModelFile)
    assert isinstance(file.model, Model)
    assert isinstance(file.model.domain, Domain)
    model = file.model
    if isinstance(model, MarkovNetwork):
        assert math.isfinite(model.log2_partition)
        tables = ()
    elif isinstance(model, LabelledDag):
        tables = model.rows
    else:
        tables = model.parameters if isinstance(model, DecisionGraph) else model.tables
    for table in tables:
        assert np.allclose(table.sum(axis=-1), 1, atol=1e-6)
    assert all(np.isfinite(point).all() for point in file.layout.values())


FILE = ModelFile(
    random_network(np.random.default_rng(8), 4, cardinalities=(2, 3, 2, 2)),
    title="Fuzzed",
    notes="",
    layout={"X0": (10.0, 20.5)},
    properties=Properties(("one",), {"X1": ("two = 3",)}, {"X2": ("three",)}),
    provenance={"seed": 1},
)


@pytest.mark.parametrize("known", MODEL_FORMATS, ids=lambda known: known.name)
def test_a_broken_model_file_gives_a_sentence_or_a_whole_model(known) -> None:
    tokens = JSON_TOKENS if ".json" in known.endings[0] else XML_TOKENS + BIF_TOKENS + GRAPH_TOKENS
    path = Path(f"fuzzed{known.endings[0]}")
    content, _ = known.renderer()(FILE, path)
    parse = known.parser()
    assert every_case(lambda spoiled: parse(spoiled, path), content, tokens, check_file) > 0


def test_a_broken_markov_network_gives_a_sentence_or_a_whole_model() -> None:
    path = Path("fuzzed.uai")
    known = next(known for known in MODEL_FORMATS if known.name == "UAI")
    content, _ = known.renderer()(FILE, path)
    markov = content.replace(b"BAYES", b"MARKOV")
    parse = known.parser()
    assert every_case(lambda spoiled: parse(spoiled, path), markov, GRAPH_TOKENS, check_file) > 0


def test_a_broken_evidence_file_gives_a_sentence_or_findings() -> None:
    domain = FILE.model.domain

    def check(cases: list[dict[str, Any]]) -> None:
        for case in cases:
            assert all(finding.state in domain[name].states for name, finding in case.items())

    def read(spoiled: bytes) -> list[dict[str, Any]]:
        return parse_evidence(spoiled, Path("fuzzed.evid"), domain)

    content = b"2\n2 0 1 1 2\n3 0 0 2 1 3 0\n"
    assert every_case(read, content, [b" ", b"\n", b"0", b"1", b"2", b"3"], check) > 0


def check_project(project: Project) -> None:
    assert isinstance(project, Project)
    content = project_bytes(project)  # what was read can be saved and read again
    assert project_bytes(project_from_bytes(content)) == content


def test_a_broken_project_file_gives_a_sentence_or_a_whole_project() -> None:
    content = project_bytes(full_project(rows=8, variables=3))
    every_case(project_from_bytes, content, [b"PK\x01\x02", b"PK\x03\x04"], check_project)


@pytest.mark.slow
def test_a_whole_zip_of_broken_members_gives_a_sentence_or_a_whole_project() -> None:
    """Damage that the checksums of the zip do not see."""
    with zipfile.ZipFile(io.BytesIO(project_bytes(full_project(rows=8, variables=3)))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(members)
    chance = random.Random(7)

    def read(spoiled: bytes) -> Project:
        name = chance.choice(names)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for member, content in members.items():
                hurt = damaged(content, JSON_TOKENS + COMMON, chance)
                archive.writestr(member, hurt if member == name else content)
        return project_from_bytes(stream.getvalue(), left_out=chance.choice([None, []]))

    assert every_case(read, b"", [b""], check_project) > 0


@pytest.mark.parametrize("ending", [".json", ".txt", ".csv"])
def test_a_broken_file_of_rules_gives_a_sentence_or_rules(tmp_path, ending) -> None:
    rules = Knowledge(
        frozenset({("a", "b"), ("b", "c")}),
        frozenset({("c", "a")}),
        (("a",), ("b", "c")),
        frozenset({1}),
    )
    path = tmp_path / f"rules{ending}"
    write_knowledge(path, rules)
    content = path.read_bytes()

    def read(spoiled: bytes) -> Knowledge:
        return parse_knowledge(spoiled, path)

    def check(value: Knowledge) -> None:
        assert isinstance(value, Knowledge)
        assert all(isinstance(clash, str) for clash in value.contradictions())

    assert every_case(read, content, RULE_TOKENS + JSON_TOKENS, check) > 0
