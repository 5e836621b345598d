"""The native model file."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.codec import codec_of
from tests.core.io.odd_networks import odd_files
from tests.strategies import random_network, random_tree

PATH = Path("model.json")


def schema() -> dict[str, Any]:
    text = resources.files("pgmstudio.core.io").joinpath("schema/model.schema.json").read_text()
    return dict(json.loads(text))


def rain() -> dict[str, Any]:
    """Rain and what it does to the grass."""
    return {
        "schema": "pgmstudio-model",
        "version": 1,
        "language": "bayesian-network",
        "variables": [
            {"name": "rain", "states": ["no", "yes"]},
            {"name": "grass", "states": ["dry", "wet"]},
        ],
        "structure": {"parents": {"rain": [], "grass": ["rain"]}},
        "parameters": {
            "tables": {"rain": [[0.8, 0.2]], "grass": [[0.9, 0.1], [0.25, 0.75]]},
        },
    }


def read(document: Any) -> ModelFile:
    return parse(json.dumps(document).encode(), PATH)


@given(file=odd_files())
@settings(max_examples=60)
def test_what_is_written_fits_the_schema(file: ModelFile) -> None:
    content, lost = render(file, PATH)
    jsonschema.Draft202012Validator(schema()).validate(json.loads(content))
    assert lost == ()


def test_a_tree_fits_the_schema_and_a_tree_with_two_parents_does_not() -> None:
    content, _ = render(ModelFile(random_tree(np.random.default_rng(2), 6)), PATH)
    validator = jsonschema.Draft202012Validator(schema())
    validator.validate(json.loads(content))
    document = json.loads(content)
    document["structure"]["parents"]["X5"] = ["X0", "X1"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(document)


def test_the_schema_itself_is_one_and_refuses_other_documents() -> None:
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema())
    validator(schema()).validate(rain())
    for spoiled in ({**rain(), "schema": "other"}, {**rain(), "variables": "many"}):
        with pytest.raises(jsonschema.ValidationError):
            validator(schema()).validate(spoiled)


def test_everything_beside_the_model_comes_back() -> None:
    domain = Domain((Variable("size", ("small", "large"), is_ordinal=True),))
    file = ModelFile(
        BayesianNetwork.uniform(domain),
        title="Sizes",
        notes="# By hand",
        layout={"size": (0.1, -2.0)},
        provenance={"seed": 7, "learner": "bn.k2"},
    )
    again = parse(render(file, PATH)[0], PATH)
    assert again.model.domain == domain
    assert (again.title, again.notes, again.layout) == ("Sizes", "# By hand", {"size": (0.1, -2.0)})
    assert again.provenance == {"seed": 7, "learner": "bn.k2"}


def test_equal_models_give_equal_bytes() -> None:
    one, other = (random_network(np.random.default_rng(9)) for _ in range(2))
    assert render(ModelFile(one), PATH) == render(ModelFile(other), PATH)


def test_parents_may_stand_in_any_order() -> None:
    document = rain()
    document["variables"].append({"name": "roof", "states": ["dry", "wet", "gone"]})
    document["structure"]["parents"]["roof"] = ["grass", "rain"]  # against the domain's order
    rows = [[0.1, 0.2, 0.7], [0.2, 0.2, 0.6], [0.3, 0.2, 0.5], [0.4, 0.2, 0.4]]
    document["parameters"]["tables"]["roof"] = rows
    network = read(document).model
    assert isinstance(network, BayesianNetwork)
    assert network.dag.parents("roof") == ("rain", "grass")
    # grass = dry, rain = yes is the second row of the file.
    assert network.table("roof")[1, 0].tolist() == [0.2, 0.2, 0.6]


def test_a_row_that_misses_one_is_normalised_with_a_remark() -> None:
    document = rain()
    document["parameters"]["tables"]["grass"][1] = [0.5, 0.4]
    file = read(document)
    assert file.model.table("grass")[1].sum() == pytest.approx(1, abs=1e-15)
    assert file.warnings == (
        "model.json: the row (yes) of grass sums to 0.9. Loaded and normalised; check the table.",
    )


def test_entries_that_are_not_known_are_listed() -> None:
    assert "“colour”" in read({**rain(), "colour": "red"}).warnings[0]


def spoiled(*steps: Any, value: Any) -> dict[str, Any]:
    document = rain()
    executor: Any = document
    for step in steps[:-1]:
        executor = executor[step]
    executor[steps[-1]] = value
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "is not a pgmstudio-model file"),
        ({}, "is not a pgmstudio-model file"),
        (spoiled("version", value=2), "newer PGM Studio"),
        (spoiled("version", value="1"), "version: expected a whole number, found a text"),
        (spoiled("version", value=0), "no such version"),
        (spoiled("language", value="horoscope"), "“horoscope” is a model language"),
        (spoiled("variables", value={}), "variables: expected a list, found an object"),
        (spoiled("variables", 0, "states", value=[]), r"variables\[0\]: rain has no states"),
        (spoiled("variables", 1, "name", value="rain"), "Two variables are called “rain”"),
        (spoiled("variables", 1, "name", value=3), r"variables\[1\].name: expected a text"),
        (spoiled("variables", 0, "states", value=["\ud800"]), "half of a character"),
        (spoiled("structure", value=None), "structure: expected an object, found nothing"),
        (spoiled("structure", "parents", "rain", value=["fog"]), "no variable “fog”"),
        (spoiled("structure", "parents", "fog", value=[]), "parents.fog: there is no such"),
        (spoiled("structure", "parents", "rain", value=["rain"]), "or the variable itself"),
        (spoiled("parameters", "tables", "rain", value=[]), "has 0 rows instead of 1"),
        (spoiled("parameters", "tables", "rain", value=[[1]]), "a row of 2 numbers"),
        (
            spoiled("parameters", "tables", "rain", value=[["0.5", 0.5]]),
            r"tables.rain\[0\]\[0\]: expected a number, found a text",
        ),
        (spoiled("parameters", "tables", "rain", value=[[True, 0]]), "found true or false"),
        (spoiled("parameters", "tables", "rain", value=[[-0.5, 1.5]]), "no probability"),
        (spoiled("parameters", "tables", "rain", value=[[0, 0]]), "sums to 0"),
        (spoiled("parameters", "tables", "rain", value=[[10**400, 0]]), "sums to inf"),
        (spoiled("layout", value={"rain": [1]}), "layout.rain: expected two numbers, found 1"),
        (spoiled("layout", value={"rain": [10**400, 1]}), "too large"),
        (spoiled("provenance", value=3), "provenance: expected an object"),
    ],
)
def test_a_wrong_entry_is_named_by_its_place(document: Any, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read(document)


def test_a_cycle_is_refused_with_its_path() -> None:
    document = rain()
    document["structure"]["parents"]["rain"] = ["grass"]
    document["parameters"]["tables"]["rain"] = [[0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(ModelFileError, match="would close a cycle"):
        read(document)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [(b'{"schema":\n  ,}', 2, 3), (b"", 1, 1), (b'{"a": 1}\n}', 2, 1)],
)
def test_a_syntax_error_has_line_and_column(content: bytes, line: int, column: int) -> None:
    with pytest.raises(ModelFileError) as refused:
        parse(content, PATH)
    assert (refused.value.line, refused.value.column) == (line, column)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"schema": NaN}', "NaN is no number"),
        (b'{"a": 1, "a": 2}', "“a” occurs twice"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_json_that_no_model_needs_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        parse(content, PATH)


def test_a_short_file_cannot_ask_for_more_memory_than_there_is() -> None:
    names = [f"x{i}" for i in range(40)]
    document = {
        **rain(),
        "variables": [{"name": name, "states": ["a", "b"]} for name in names],
        "structure": {"parents": {name: [] for name in names} | {"x0": names[1:]}},
        "parameters": {"tables": {name: [[0.5, 0.5]] for name in names}},
    }
    with pytest.raises(ModelFileError, match="Remove parents or merge states"):
        read(document)


def test_every_codec_is_named_like_its_language() -> None:
    rng = np.random.default_rng(0)
    models = [random_network(rng), random_tree(rng)]
    for model in models:
        assert codec_of(model.kind) is not None
        content, _ = render(ModelFile(model), PATH)
        assert type(parse(content, PATH).model) is type(model)
