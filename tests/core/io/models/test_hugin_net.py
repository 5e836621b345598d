"""HUGIN NET: files in the manner of HUGIN and GeNIe, its traps and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.hugin_net import parse, render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.core.io.odd_networks import same_network

PATH = Path("chest.net")

HUGIN = """% Chest clinic, revision 3
net
{
    node_size = (80 40);
    HR_Grid_X = "10";
    HR_Desc = "A 100% made-up; \\"small\\" clinic";
}

node A
{
    label = "Visit to Asia?";
    position = (48 310);
    states = ("yes" "no");
    HR_Group = "0";
}

discrete node S
{
    label = "Smoker?";
    position = (202 310);
    states = ("never" "seldom" "often");
}

node L
{
    states = ("yes"
              "no");
    position = (130 200);
    label = "";
}

potential ( L | S A )   % parents against the order of the nodes
{
    data = ((( 0.1  0.9 )       % S=never   A=yes
             ( 0.01 0.99 ))     % S=never   A=no
            (( 0.2  0.8 )
             ( 0.02 0.98 ))
            (( 0.3  0.7 )
             ( 0.03 0.97 )));
    experience = (( 1 2 ) ( 3 4 ) ( 5 6 ));
}

potential ( A ) { data = ( 0.01 0.99 ); }
potential ( S | ) { data = ( 0.5 0.3 0.2 ); }
"""

GENIE = """/// Bayesian Network in the Hugin (.net) Format
/// Produced by Genie Software
/// Output Created Oct 26 15:50:51 2022
net
{
    node_size = (76 36);
}

node VisitToAsia
{
    label = "Visit To Asia?";
    position = (94 246);
    states = ("NoVisit"  "Visit");
}

node Tuberculosis
{
    label = "Tuberculosis?";
    position = (94 155);
    states = ("Absent"  "Present");
}

potential (VisitToAsia |)
{
    data = (0.99000000 0.01000000);
}

potential (Tuberculosis | VisitToAsia)
{
    data = ((0.99000000 0.01000000)
            (0.95000000 0.05000000));
}
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def test_a_file_in_the_manner_of_hugin_is_read() -> None:
    file = read(HUGIN)
    network = file.model
    assert isinstance(network, BayesianNetwork)
    assert network.domain["S"].states == ("never", "seldom", "often")
    assert file.titles == {"A": "Visit to Asia?", "S": "Smoker?"}
    assert file.properties.variables == {"A": ('HR_Group = "0"',)}
    assert file.properties.network[0] == "node_size = (80 40)"
    assert "100% made-up" in file.properties.network[2]  # a % in quotes is no comment
    assert file.warnings == ()


def test_the_last_parent_of_the_potential_runs_fastest() -> None:
    table = read(HUGIN).model.table("L")  # axes: A, S, L
    assert table[0, :, 0].tolist() == [0.1, 0.2, 0.3]
    assert table[1, :, 0].tolist() == [0.01, 0.02, 0.03]


def test_experience_follows_its_rows_when_the_parents_change_places() -> None:
    file = read(HUGIN)
    assert file.properties.tables["L"] == ("experience = (1.0 3.0 5.0 2.0 4.0 6.0)",)
    again = parse(render(file, PATH)[0], PATH)
    assert again.properties == file.properties
    assert again.layout == file.layout
    assert again.titles == file.titles
    assert same_network(file.model, again.model)


def test_a_file_in_the_manner_of_genie_is_read_and_stands_upright() -> None:
    """Positions count upwards: the parent, with the larger y, comes out above its child."""
    file = read(GENIE)
    assert file.layout["VisitToAsia"][1] < file.layout["Tuberculosis"][1]
    assert file.model.table("Tuberculosis").tolist() == [[0.99, 0.01], [0.95, 0.05]]


def test_positions_are_written_as_whole_numbers_from_the_lower_left_corner() -> None:
    domain = Domain.of({"a": ("x", "y"), "b": ("x", "y")})
    layout = {"a": (-20.0, 10.5), "b": (30.0, 200.0)}
    content, _ = render(ModelFile(BayesianNetwork.uniform(domain), layout=layout), PATH)
    assert b"position = (0 190);" in content
    assert b"position = (50 0);" in content
    assert parse(content, PATH).layout == layout


def test_names_and_keywords_are_written_beside_their_own() -> None:
    names = ("my size", "my_size", "9", "node", "potential", "ü")
    domain = Domain(tuple(Variable(name, ('say "x"', "1")) for name in names))
    content, lost = render(ModelFile(BayesianNetwork.uniform(domain)), PATH)
    assert "written differently" in lost[0]
    assert b"node node\n" not in content
    assert parse(content, PATH).model.domain == domain


def test_a_potential_without_numbers_is_uniform_and_reported() -> None:
    file = read(HUGIN.replace("{ data = ( 0.01 0.99 ); }", "{ }"))
    assert file.model.table("A").tolist() == [0.5, 0.5]
    assert "A has no numbers" in file.warnings[0]


def test_an_expression_beside_numbers_is_left_out_and_reported() -> None:
    model = '{ model_nodes = (); model_data = ("Distribution (1, 99)"); data = (0.01 0.99); }'
    file = read(HUGIN.replace("{ data = ( 0.01 0.99 ); }", model))
    assert file.model.table("A").tolist() == [0.01, 0.99]
    assert "expression of A" in file.warnings[0]


END = HUGIN.count("\n") + 1


def line_of(passage: str) -> int:
    """The line of HUGIN on which these passage stand."""
    return HUGIN[: HUGIN.index(passage)].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("class Clinic { }", 1, "without classes"),
        (HUGIN + "continuous node C { }", END, "C is a continuous node"),
        (HUGIN + "decision D { }", END, "D is a decision"),
        (HUGIN + "utility U { }", END, "U is a utility"),
        (HUGIN + "function F { }", END, "F is a function node"),
        (
            HUGIN.replace("{ data = ( 0.01 0.99 ); }", '{ model_data = ("x"); }'),
            line_of("potential ( A )"),
            "expression",
        ),
        (HUGIN.replace("( 0.02 0.98 )", "( 0.02 o.98 )"), line_of("0.02 0.98"), "found “o.98”"),
        (
            HUGIN.replace("( 0.02 0.98 )", "( 0.02 )"),
            line_of("data = ((("),
            "has 11 numbers instead of 12",
        ),
        (
            HUGIN.replace("( L | S A )", "( L | S B )"),
            line_of("( L | S A )"),
            "No variable is called “B”",
        ),
        (
            HUGIN.replace("( L | S A )", "( L S A )"),
            line_of("( L | S A )"),
            "expected “|” or “)” after L",
        ),
        (HUGIN.replace('("yes" "no");\n    HR', '("yes" "yes");\n    HR'), 9, "“yes” twice"),
        (HUGIN.replace('    states = ("yes" "no");\n    HR', "    HR"), 9, "has no states"),
        (HUGIN.replace('HR_Group = "0";', 'HR_Group = "0"'), 14, "has no “;” at its end"),
        (
            HUGIN.replace("potential ( A ) {", "potential ( L ) {"),
            line_of("potential ( A )"),
            "two tables of L",
        ),
        (HUGIN[: HUGIN.index("potential ( S")] + "potential ( S |", END - 1, "found the end"),
        ("bnet Clinic { }", 1, "expected “net”"),
        ("", None, "is it a HUGIN NET file"),
    ],
)
def test_an_error_names_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line


@pytest.mark.parametrize("text", ['"' * 100_001, "node A {" * 20_000, "net { a = " + "(" * 200_000])
def test_no_text_keeps_the_reader_busy_for_long(text: str) -> None:
    with pytest.raises(ModelFileError):
        read(text)


def test_numbers_come_back_bit_for_bit() -> None:
    domain = Domain.of({"a": ("x", "y", "z")})
    table = np.array([1 / 3, 1e-300, 2 / 3])
    network = BayesianNetwork.uniform(domain).with_table("a", table)
    again = parse(render(ModelFile(network), PATH)[0], PATH)
    assert same_network(network, again.model)
