"""DSC: files in the manner of bnlearn's repository and of GeNIe, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.msbn_dsc import parse, render
from tests.core.io.odd_networks import same_network

PATH = Path("cancer.dsc")

BNLEARN = """belief network "unknown"
node Pollution {
  type : discrete [ 2 ] = { "low", "high" };
}
node Smoker {
  type : discrete [ 3 ] = { "never", "some", "much" };
}
node Cancer {
  type : discrete [ 2 ] = { "True", "False" };
}
probability ( Pollution ) {
   0.9, 0.1;
}
probability ( Smoker ) {
   0.3, 0.5, 0.2;
}
probability ( Cancer | Pollution, Smoker ) {
  (0, 0) : 0.03, 0.97;
  (1, 0) : 0.05, 0.95;
  (0, 1) : 0.001, 0.999;
  (1, 1) : 0.02, 0.98;
  (0, 2) : 0.1, 0.9;
  (1, 2) : 0.2, 0.8;
}
"""

GENIE = """belief network "Sub0"

node N2
{
    name : "Age";
    type : discrete[2] =
    {
        "S_0_72",
        "S_73_inf"
    };
    position : (207, 95);
}

node N3 /* a comment */
{
    name : "Gender";
    type : discrete[2] = { female, male };
    position : (361, 95);
}

probability(N2)
{
    0.25, 0.75;
}

probability(N3 | N2)
{
    default : 0.5, 0.5; // in the other row
    (1) : 0.6, 0.4;
}
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def test_rows_are_found_by_the_numbers_of_the_states_not_by_their_order() -> None:
    file = read(BNLEARN)
    assert file.title == ""
    table = file.model.table("Cancer")
    assert table[..., 0].tolist() == [[0.03, 0.001, 0.1], [0.05, 0.02, 0.2]]
    assert file.warnings == ()


def test_a_file_in_the_manner_of_genie_is_read_with_titles_and_places() -> None:
    file = read(GENIE)
    assert file.titles == {"N2": "Age", "N3": "Gender"}
    assert file.layout == {"N2": (207.0, 95.0), "N3": (361.0, 95.0)}
    assert file.model.table("N3").tolist() == [[0.5, 0.5], [0.6, 0.4]]
    again = parse(render(file, PATH)[0], PATH)
    assert same_network(file.model, again.model)
    assert (again.title, again.titles, again.layout) == (file.title, file.titles, file.layout)


def test_a_node_without_numbers_is_uniform_and_reported() -> None:
    file = read(BNLEARN.replace("   0.9, 0.1;\n", ""))
    assert file.model.table("Pollution").tolist() == [0.5, 0.5]
    assert "Pollution has no numbers" in file.warnings[0]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("network x { } variable y { }", 1, "expected"),
        ("", None, "is it a DSC file"),
        (BNLEARN.replace("[ 3 ]", "[ 2 ]"), 6, "should have 2 states, but 3"),
        (BNLEARN.replace("discrete [ 3 ]", "continuous [ 3 ]"), 6, "of type continuous"),
        (BNLEARN.replace("(0, 1) :", "(0, 7) :"), 20, "no state number 7"),
        (BNLEARN.replace("(0, 1) :", "(0) :"), 20, "names 1 states"),
        (BNLEARN.replace("(0, 1) :", "(0, 0) :"), 20, "occurs twice"),
        (BNLEARN.replace("(0, 1) :", "(0, x) :"), 20, "expected the number of a state"),
        (BNLEARN.replace("  (0, 1) : 0.001, 0.999;\n", ""), 17, "lacks 1 rows"),
        (BNLEARN.replace("0.001, 0.999", "0.001"), 20, "has 1 numbers instead of 2"),
        (BNLEARN.replace("0.001, 0.999", "0.001, -1"), 20, "at least 0"),
        (BNLEARN.replace("(0, 0) : 0.03", "0.03"), 18, "expected a row such as"),
        (BNLEARN.replace("Pollution, Smoker )", "Polution )"), 17, "Did you mean Pollution?"),
        (BNLEARN[:-2], 24, "no “}” at its end"),
        (GENIE.replace("default :", "function = max;"), 28, "causes that act alone"),
    ],
)
def test_an_error_names_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line
