"""Every model language in the native file: it fits the schema and comes back to the last digit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.codec import codec_of, saved_kinds
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.core.learning.lecture_data import objects_network
from tests.decision_graphs import random_graph
from tests.labelled_dags import random_labelled
from tests.markov_networks import random_markov_network, random_structure
from tests.possibilistic_networks import random_possibilistic
from tests.strategies import random_classes, random_mixture, random_network, random_tree

PATH = Path("model.json")
SCHEMA = json.loads(
    (Path(__file__).parents[4] / "pgmstudio/core/io/schema/model.schema.json").read_text()
)

EXAMPLES: dict[str, Callable[[np.random.Generator], Any]] = {
    BayesianNetwork.kind: random_network,
    Tree.kind: random_tree,
    TreeMixture.kind: lambda rng: random_mixture(rng, is_visible=bool(rng.integers(2))),
    LatentClasses.kind: random_classes,
    DecisionGraph.kind: random_graph,
    LabelledDag.kind: lambda rng: random_labelled(rng, merges=0.7),
    MarkovNetwork.kind: lambda rng: random_markov_network(rng, random_structure(rng, [2, 3, 2, 2])),
    PossibilisticNetwork.kind: lambda rng: random_possibilistic(rng, 5),
    RelationalNetwork.kind: lambda rng: objects_network([(0, int(rng.integers(1, 3)))]),
}


def test_every_language_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(saved_kinds())


@pytest.mark.parametrize("kind", EXAMPLES)
@pytest.mark.parametrize("seed", range(3))
def test_a_model_fits_the_schema_and_comes_back(kind: str, seed: int) -> None:
    model = EXAMPLES[kind](np.random.default_rng(seed))
    content, lost = render(ModelFile(model, "Rain"), PATH)
    assert lost == ()
    jsonschema.validate(json.loads(content), SCHEMA)
    again = parse(content, PATH)
    assert again.model.kind == kind
    assert again.warnings == ()
    codec = codec_of(kind)
    assert codec is not None
    assert codec.encode(again.model) == codec.encode(model)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_whatever_is_missing_is_reported_with_its_place(kind: str) -> None:
    """Take out every entry below structure and parameters, one at a time."""
    model = EXAMPLES[kind](np.random.default_rng(1))
    content, _ = render(ModelFile(model), PATH)
    document = json.loads(content)
    tried = 0
    for part in ("structure", "parameters"):
        for key in document[part]:
            if key == "choice":
                continue  # without it another document
            spoiled = json.loads(content)
            del spoiled[part][key]
            with pytest.raises(ModelFileError, match=rf"{part}.*{key}"):
                parse(json.dumps(spoiled).encode(), PATH)
            tried += 1
    assert tried


def test_a_class_without_a_row_is_reported() -> None:
    model = random_labelled(np.random.default_rng(3), merges=0.0)
    document = json.loads(render(ModelFile(model), PATH)[0])
    child = next(name for name in model.domain.names if model.dag.parents(name))
    document["structure"]["classes"][child][0] = 99
    with pytest.raises(ModelFileError, match=f"parents of {child} has no row"):
        parse(json.dumps(document).encode(), PATH)


def test_an_edge_to_nowhere_is_reported() -> None:
    graph = random_graph(np.random.default_rng(4))
    document = json.loads(render(ModelFile(graph), PATH)[0])
    name = next(iter(document["structure"]["successors"]))
    document["structure"]["successors"][name][0][0] = 99
    with pytest.raises(ModelFileError, match=f"node that {name} does not have"):
        parse(json.dumps(document).encode(), PATH)
