"""Netica's DNET-1: files in the manner of Netica, its traps and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.netica_dnet import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.core.io.odd_networks import same_network

PATH = Path("umbrella.dne")

NETICA = """// ~->[DNET-1]->~

// File created by Someone using Netica 6.05 on Jun 03, 2023 at 03:09:37 UTC.

bnet Umbrella {
autoupdate = TRUE;
whenchanged = 1535042350;
comment = "A day out";

visual V1 {
    defdispform = BELIEFBARS;
    nodefont = font {shape= "Arial"; size= 9;};
    NodeSet Node {BuiltIn = 1; Color = 0x00e1e1e1;};
    drawingbounds = (3114, 1310);
    };

node Weather {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (sunshine, rain, snow);
    statetitles = (, "heavy rain", );
    parents = ();
    probs =
        // sunshine     rain         snow
          (0.6,         0.3,         0.1);
    title = "Weather of the day";
    visual V1 {
        center = (276, 90);
        height = 1;
        };
    };

node Temperature {
    kind = NATURE;
    discrete = FALSE;
    chance = CHANCE;
    levels = (-10, 0, 25);
    parents = (Weather);
    probs =
        // -10 to 0     0 to 25       // Weather
         ((0.1,         0.9),         // sunshine
          (0.3,         0.7),         // rain
          (1,           @imposs));    // snow
    numcases =
        // Weather
         (5,            // sunshine
          6,
          7);
    };

node Forecast {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (good, bad);
    parents = (Temperature, Weather);
    // flat, as older versions write it
    probs = (0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.5, 0.6, 0.4);
    };

node Sledge {
    kind = NATURE;
    discrete = TRUE;
    chance = DETERMIN;
    states = (take, leave);
    parents = (Weather);
    functable = (leave, leave, #0);
    };

node TITLE1 {
    kind = CONSTANT;
    discrete = FALSE;
    value = UNDEF;
    title = "About the day";
    };
ElimOrder = (Sledge, Forecast, Temperature, Weather);
};
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def test_a_file_in_the_manner_of_netica_is_read() -> None:
    file = read(NETICA)
    network = file.model
    assert isinstance(network, BayesianNetwork)
    assert file.title == "Umbrella"
    assert network.domain.names == ("Weather", "Temperature", "Forecast", "Sledge")
    assert network.domain["Weather"].states == ("sunshine", "rain", "snow")
    assert network.domain["Temperature"].states == ("-10 to 0", "0 to 25")
    assert file.titles == {"Weather": "Weather of the day"}
    assert file.layout == {"Weather": (276.0, 90.0)}
    assert network.table("Temperature")[2].tolist() == [1, 0]  # @imposs is 0
    message = " ".join(file.warnings)
    assert "Temperature is continuous" in message
    assert "constant TITLE1 was left out" in message


def test_the_last_parent_runs_faster_than_the_first() -> None:
    table = read(NETICA).model.table("Forecast")  # axes: Weather, Temperature, Forecast
    assert table[:, 0, 0].tolist() == [0.1, 0.2, 0.3]
    assert table[:, 1, 0].tolist() == [0.4, 0.5, 0.6]


def test_a_deterministic_node_becomes_a_table() -> None:
    assert read(NETICA).model.table("Sledge").tolist() == [[0, 1], [0, 1], [1, 0]]


def test_comments_and_counts_of_cases_come_back() -> None:
    file = read(NETICA)
    assert file.properties.tables["Temperature"] == ("numcases = (5.0, 6.0, 7.0)",)
    assert file.properties.network == ('comment = "A day out"',)
    again = parse(render(file, PATH)[0], PATH)
    assert same_network(file.model, again.model)
    assert again.properties == file.properties
    assert (again.title, again.titles, again.layout) == (file.title, file.titles, file.layout)


def test_long_and_odd_names_are_written_beside_their_own() -> None:
    long = "the very long name of a variable that Netica would not take"
    names = (long, long + " either", "x y", "x_y", "1")
    domain = Domain(tuple(Variable(name, ("1", 'say "x"', long)) for name in names))
    content, lost = render(ModelFile(BayesianNetwork.uniform(domain)), PATH)
    identifiers = [
        line.split()[1] for line in content.decode().splitlines() if line.startswith("node")
    ]
    assert all(len(word) <= 30 and word.isidentifier() for word in identifiers)
    assert len(set(identifiers)) == 5
    assert "written differently" in lost[-1]
    assert parse(content, PATH).model.domain == domain


def test_properties_and_titles_that_do_not_fit_are_reported() -> None:
    from pgmstudio.core.io.models.files import Properties

    domain = Domain.of({"a b": ("x", "y")})
    file = ModelFile(
        BayesianNetwork.uniform(domain),
        titles={"a b": "Title"},
        properties=Properties(("one",), {"a b": ("two",)}),
    )
    message = " ".join(render(file, PATH)[1])
    assert "titles of a b" in message
    assert "2 properties" in message


WEATHER, SLEDGE, FORECAST = (f"node {name} {{" for name in ("Weather", "Sledge", "Forecast"))


def line_of(passage: str) -> int:
    return NETICA[: NETICA.index(passage)].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("net { }", 1, "is it a DNET file"),
        (
            NETICA.replace("kind = NATURE", "kind = DECISION", 1),
            line_of(WEATHER),
            "decision",
        ),
        (NETICA.replace("kind = NATURE", "kind = UTILITY", 1), line_of(WEATHER), "utility"),
        (
            NETICA.replace("functable = (leave, leave, #0)", 'equation = "x"'),
            line_of(SLEDGE),
            "given by an equation",
        ),
        (NETICA.replace("leave, leave, #0", "leave, #7, #0"), line_of("functable"), "no state #7"),
        (
            NETICA.replace("leave, leave, #0", "leave, #0"),
            line_of(SLEDGE),
            "2 states instead of 3",
        ),
        (NETICA.replace("0.5, 0.5, 0.6", "0.5, o.5, 0.6"), line_of("probs = (0.1"), "“o.5”"),
        (NETICA.replace("0.5, 0.5, 0.6", "0.5, 0.6"), line_of("probs = (0.1"), "11 numbers"),
        (NETICA.replace("(Temperature, Weather)", "(, Weather)"), line_of(FORECAST), "nowhere"),
        (
            NETICA.replace("(Temperature, Weather)", "(Wether)"),
            line_of(FORECAST),
            "Did you mean",
        ),
        (NETICA.replace("states = (good, bad)", "x = (y)"), line_of(FORECAST), "has no states"),
        (
            NETICA.replace("node Sledge {", "node Sledge : Weather {"),
            line_of(SLEDGE),
            "inherits",
        ),
        ("// ~->[DNET-1]->~\nbnet X {\n};", None, "holds no nodes"),
        ("bnet X {\n" + "a b {" * 40, 2, "nested too deeply"),
    ],
)
def test_an_error_names_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line
