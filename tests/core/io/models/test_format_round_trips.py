"""Every format with tables: what is written and read again answers the same questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.io.models.files import MODEL_FORMATS, Holds, ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.sessions import open_session
from tests.core.io.odd_networks import same_network
from tests.strategies import random_network, small_networks

OTHERS = (Holds.STRUCTURE, Holds.DECISION_GRAPH, Holds.UNDIRECTED)
ENDINGS = [k.endings[0] for k in MODEL_FORMATS if k.holds not in OTHERS]
# All of these become equal once blanks and symbols are underscores.
LOSSLESS = ("a b", "a_b", "a-b", "a_b_2", "1", "_1", "x1", "ä b", "node", "data")


def marginals(network: BayesianNetwork) -> dict[str, np.ndarray]:
    session = open_session(network)
    return {name: session.belief(name).values for name in network.domain.names}


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_that_look_similar_stay_apart(tmp_path, ending) -> None:
    network = random_network(np.random.default_rng(21), len(LOSSLESS))
    domain = Domain(
        tuple(
            Variable(name, ("0", "1.5", "a b", "a_b")[: variable.cardinality])
            for name, variable in zip(LOSSLESS, network.domain, strict=True)
        )
    )
    network = network.with_domain(domain)
    path = tmp_path / f"model{ending}"
    write_model(path, network)
    again = read_model(path).model
    assert same_network(network, again)
    before, after = marginals(network), marginals(again)
    assert all(np.abs(before[name] - after[name]).max() < 1e-12 for name in LOSSLESS)


@given(network=small_networks(min_cardinality=2), data=st.data())
@settings(max_examples=25)
def test_a_walk_through_several_formats_keeps_the_model(tmp_path_factory, network, data) -> None:
    folder = tmp_path_factory.mktemp("walk")
    file = ModelFile(network, title="Walk", layout={"X0": (12.0, 34.5)})
    endings = data.draw(st.lists(st.sampled_from(ENDINGS), min_size=2, max_size=5))
    for step, ending in enumerate(endings):
        path = folder / f"{step}{ending}"
        write_model(path, file)
        file = read_model(path)
    assert same_network(network, file.model)
    assert file.title == "Walk"
    assert file.layout == {"X0": (12.0, 34.5)}


@pytest.mark.parametrize("ending", [".xdsl", ".net", ".dne", ".uai"])
@pytest.mark.parametrize("name", ["alarm", "hailfinder", "insurance", "win95pts", "munin1"])
def test_a_network_of_the_repositories_comes_back_bit_for_bit(
    shared, tmp_path, ending, name
) -> None:
    file = read_model(shared / f"data/networks/{name}.bif")
    write_model(tmp_path / f"m{ending}", file)
    again = read_model(tmp_path / f"m{ending}")
    assert same_network(file.model, again.model)
    assert again.warnings == ()


# A second reader. pyAgrum keeps single precision, hence the tolerance. Its XDSL and UAI list
# tables with the first parent fastest, against both formats, so that what we write can be compared
# where nodes have one parent; what it writes is read in its own order.


def compare(model: BayesianNetwork, other, called=lambda name: name) -> None:
    assert other.size() == len(model.domain)
    for variable in model.domain:
        names = [called(name) for name in (*model.dag.parents(variable.name), variable.name)]
        table = other.cpt(names[-1])
        axes = list(reversed(table.names))  # pyAgrum's axes are its names reversed
        assert sorted(axes) == sorted(names)
        theirs = np.asarray(table.toarray()).transpose([axes.index(name) for name in names])
        assert np.allclose(theirs, model.table(variable.name), atol=1e-6)


@pytest.mark.parametrize(("ending", "parents"), [(".net", 3), (".xdsl", 1), (".uai", 1)])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=12)
def test_another_library_reads_what_is_written(tmp_path_factory, ending, parents, seed) -> None:
    gum = pytest.importorskip("pyagrum")
    network = random_network(np.random.default_rng(seed), max_parents=parents)
    path = tmp_path_factory.mktemp("gum") / f"m{ending}"
    write_model(path, ModelFile(network, title="Rain", layout={"X0": (10.0, -20.5)}))
    number = (lambda name: name[1:]) if ending == ".uai" else (lambda name: name)
    compare(network, gum.loadBN(str(path)), number)


@pytest.mark.parametrize("ending", [".net", ".xdsl", ".uai"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=12)
def test_what_another_library_writes_is_read(tmp_path_factory, ending, seed) -> None:
    gum = pytest.importorskip("pyagrum")
    folder = tmp_path_factory.mktemp("gum")
    network = random_network(np.random.default_rng(seed), max_parents=3)
    write_model(folder / "m.bif", network)
    other = gum.loadBN(str(folder / "m.bif"))
    gum.saveBN(other, str(folder / f"theirs{ending}"))
    file = read_model(folder / f"theirs{ending}")
    assert set(file.model.domain.names) == set(network.domain.names)
    compare(file.model, other)
    many = any(len(parents) > 1 for parents in network.dag.parent_indices)
    if ending != ".net" and many:
        assert any("first parent fastest" in warning for warning in file.warnings)


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_models_give_equal_bytes(tmp_path, ending) -> None:
    for name in ("one", "two"):
        file = ModelFile(random_network(np.random.default_rng(9)), layout={"X0": (1.0, 2.0)})
        write_model(tmp_path / f"{name}{ending}", file)
    one, two = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("ending", [".xdsl", ".net", ".dne", ".uai", ".json"])
def test_titles_of_nodes_come_back(tmp_path: Path, ending: str) -> None:
    file = ModelFile(random_network(np.random.default_rng(1)), titles={"X1": "Rain, <heavy>"})
    write_model(tmp_path / f"m{ending}", file)
    assert read_model(tmp_path / f"m{ending}").titles == {"X1": "Rain, <heavy>"}


def test_titles_of_nodes_are_reported_where_a_format_cannot_hold_them(tmp_path) -> None:
    file = ModelFile(random_network(np.random.default_rng(1)), titles={"X1": "Rain"})
    for ending in (".bif", ".xml"):
        assert any("titles" in text for text in write_model(tmp_path / f"m{ending}", file))
