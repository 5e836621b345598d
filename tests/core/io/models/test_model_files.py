"""Model files of every format, by their ending."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import FileError, ModelFileError
from pgmstudio.core.io.models.files import (
    MODEL_FORMATS,
    Holds,
    ModelFile,
    is_model_path,
    known_endings,
    read_model,
    write_model,
)
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from tests.core.io.odd_networks import odd_files, same_network
from tests.strategies import random_network, random_tree

NATIVE = MODEL_FORMATS[0].name
FORMATS = pytest.mark.parametrize(
    "known",
    [known for known in MODEL_FORMATS if known.holds is Holds.EVERYTHING],
    ids=lambda known: known.name,
)
# Netica's files hold comments and counts of cases, those of MSBN nothing of the kind.
KEEPING = pytest.mark.parametrize(
    "known",
    [
        k
        for k in MODEL_FORMATS
        if k.holds is Holds.EVERYTHING and k.name not in ("Netica DNET", "MSBN DSC")
    ],
    ids=lambda known: known.name,
)


@FORMATS
@given(file=odd_files())
@settings(max_examples=60)
def test_a_network_with_odd_names_comes_back_bit_for_bit(known, file) -> None:
    path = Path(f"odd{known.endings[0]}")
    content, _ = known.renderer()(file, path)
    again = known.parser()(content, path)
    assert same_network(file.model, again.model)
    assert again.title == ("" if file.title == "unknown" and known.name != NATIVE else file.title)
    assert dict(again.layout) == dict(file.layout)
    assert again.warnings == ()


@KEEPING
@given(file=odd_files())
@settings(max_examples=60)
def test_writing_what_was_read_gives_the_same_bytes(known, file) -> None:
    path = Path(f"odd{known.endings[0]}")
    content, _ = known.renderer()(file, path)
    assert known.renderer()(known.parser()(content, path), path)[0] == content


@KEEPING
@given(file=odd_files())
@settings(max_examples=60)
def test_properties_that_mean_nothing_here_are_kept(known, file) -> None:
    path = Path(f"odd{known.endings[0]}")
    content, _ = known.renderer()(file, path)
    saved = known.parser()(content, path).properties
    assert saved == file.properties


@pytest.mark.parametrize("ending", known_endings())
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_every_ending_is_written_and_read_also_packed(tmp_path, ending, packed) -> None:
    network = random_network(np.random.default_rng(3))
    path = tmp_path / f"model{ending}{packed}"
    known = next(known for known in MODEL_FORMATS if ending in known.endings)
    lost = write_model(path, ModelFile(network, title="Rain"))
    assert is_model_path(path)
    again = read_model(path)
    if known.holds is Holds.STRUCTURE:
        assert "cannot hold the tables" in lost[0]
        assert set(again.model.edges) == set(network.edges)
        assert "Fill the tables from data" in again.warnings[-1]
    elif known.holds is Holds.UNDIRECTED:
        assert "comes back as a Markov network" in lost[1]
        assert again.model.domain == network.domain
        assert again.title == "Rain"
    elif known.holds is Holds.DECISION_GRAPH:
        assert "comes back as a decision graph" in lost[0]
        assert again.model.domain == network.domain
        assert again.title == "Rain"
    else:
        assert lost == () or known.holds is Holds.TABLES
        assert same_network(network, again.model)
        assert again.title == "Rain"
    if packed:
        assert path.read_bytes()[:2] == b"\x1f\x8b"


def test_a_model_alone_can_be_written(tmp_path) -> None:
    network = random_network(np.random.default_rng(4))
    write_model(tmp_path / "m.json", network)
    assert same_network(network, read_model(tmp_path / "m.json").model)


def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path) -> None:
    with pytest.raises(ModelFileError, match=r"“\.doc” is not one of a model file.*\.bif"):
        read_model(tmp_path / "model.doc")
    with pytest.raises(ModelFileError, match="without an ending"):
        write_model(tmp_path / "model", random_network(np.random.default_rng(0)))


def test_files_of_other_programs_that_cannot_be_read_say_what_to_do(tmp_path) -> None:
    for name, message in (("a.neta", "as text"), ("a.oobn", "plain network"), ("a.dsl", ".xdsl")):
        (tmp_path / name).write_bytes(b"\x00")
        assert is_model_path(tmp_path / name)  # so that it is not taken for a table of data
        with pytest.raises(ModelFileError, match=message):
            read_model(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "is_model"),
    [
        ("dag {\n A -> B\n}", True),
        ("\n pdag{ A -- B }", True),
        ("[A][B|A]\n[C|A:B]\n", True),
        ("a b\n1 2\n", False),
        ("[A],b\n1,2\n", False),
        ("A -> B", False),  # rules about edges
    ],
)
def test_a_text_is_a_model_when_it_begins_like_one(tmp_path, text, is_model) -> None:
    path = tmp_path / "m.txt"
    path.write_text(text)
    assert is_model_path(path) is is_model
    if is_model:
        assert ("A", "B") in read_model(path).model.edges


def test_a_file_that_is_not_there_is_a_sentence(tmp_path) -> None:
    with pytest.raises(FileError, match=r"none\.bif: does not exist"):
        read_model(tmp_path / "none.bif")


def test_a_damaged_packed_file_is_a_sentence(tmp_path) -> None:
    path = tmp_path / "m.bif.gz"
    path.write_bytes(gzip.compress(b"network x {}")[:-6])
    with pytest.raises(ModelFileError, match="not a whole gzip file"):
        read_model(path)


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "1e-6")
    path = tmp_path / "m.bif.gz"
    path.write_bytes(gzip.compress(b" " * 2000))
    with pytest.raises(ModelFileError, match="when unpacked, the limit for reading"):
        read_model(path)


def test_a_text_in_an_older_encoding_is_read_with_a_remark(tmp_path) -> None:
    path = tmp_path / "m.bif"
    path.write_bytes(
        "variable Größe { type discrete [2] { groß, klein }; }"
        "probability ( Größe ) { table 0.5, 0.5; }".encode("cp1252")
    )
    file = read_model(path)
    assert file.model.domain["Größe"].states == ("groß", "klein")
    assert "not UTF-8" in file.warnings[0]


@pytest.mark.parametrize("ending", [".bif", ".xml", ".xdsl", ".net", ".dne", ".dot", ".gml"])
def test_what_a_format_cannot_hold_is_reported(tmp_path, ending) -> None:
    domain = Domain((Variable("size", ("small", "large"), is_ordinal=True),))
    network = BayesianNetwork.uniform(domain)
    file = ModelFile(network, notes="by hand", provenance={"seed": 7})
    lost = " ".join(write_model(tmp_path / f"m{ending}", file))
    for word in ("notes", "where the model comes from", "ordered (size)"):
        assert word in lost
    assert not read_model(tmp_path / f"m{ending}").model.domain["size"].is_ordinal


def test_a_tree_becomes_a_network_where_a_format_knows_no_trees(tmp_path) -> None:
    tree = random_tree(np.random.default_rng(5))
    lost = write_model(tmp_path / "t.bif", tree)
    assert "“Tree”" in lost[0]
    assert same_network(tree.as_bayesian_network, read_model(tmp_path / "t.bif").model)
    assert write_model(tmp_path / "t.json", tree) == ()
    again = read_model(tmp_path / "t.json").model
    assert isinstance(again, Tree)
    assert same_network(tree.as_bayesian_network, again.as_bayesian_network)


class Riddle:
    """A model in a language that no file holds."""

    kind = "riddle"
    domain = Domain(())

    def representation_size(self) -> int:
        return 0

    def effective_size(self) -> int:
        return 0


@pytest.mark.parametrize("ending", known_endings())
def test_a_language_that_a_format_cannot_hold_is_refused_and_nothing_written(
    tmp_path, ending
) -> None:
    with pytest.raises(ModelFileError, match="riddle"):
        write_model(tmp_path / f"m{ending}", Riddle())
    assert list(tmp_path.iterdir()) == []


def test_reading_a_json_model_loads_neither_numba_nor_xml(tmp_path) -> None:
    import subprocess
    import sys

    path = tmp_path / "m.json"
    write_model(path, random_network(np.random.default_rng(1)))
    code = (
        "import sys; from pgmstudio.core.io.models.files import read_model; "
        f"read_model({str(path)!r}); "
        "heavy = {'numba', 'polars', 'scipy', 'networkx', 'xml.parsers.expat', 'PySide6'}; "
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
