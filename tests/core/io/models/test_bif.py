"""BIF 0.15: its traps, its errors, and the networks of the repositories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.io.models.bif import parse, render
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.core.io.odd_networks import same_network
from tests.strategies import small_networks

PATH = Path("asia.bif")

HEAD = """network asia { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable xray { type discrete [ 3 ] { clear, dim, dark }; }
variable cough { type discrete [ 2 ] { yes, no }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( xray ) { table 0.7, 0.2, 0.1; }
"""
TABLE = """probability ( cough | smoke, xray ) {
  (yes, clear) 0.1, 0.9;
  (no, clear) 0.2, 0.8;
  (yes, dim) 0.3, 0.7;
  (no, dim) 0.4, 0.6;
  (yes, dark) 0.5, 0.5;
  (no, dark) 0.6, 0.4;
}
"""


def read(text: str) -> ModelFile:
    return parse(text.encode(), PATH)


def network(text: str) -> BayesianNetwork:
    model = read(text).model
    assert isinstance(model, BayesianNetwork)
    return model


def cough(body: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return network(f"{HEAD}probability ( cough | smoke, xray ) {{ {body} }}").table("cough")


def test_rows_are_found_by_the_states_they_name_not_by_their_order() -> None:
    table = network(HEAD + TABLE).table("cough")
    assert table[..., 0].tolist() == [[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]]
    lines = TABLE.splitlines()
    shuffled = "\n".join([lines[0], *reversed(lines[1:-1]), lines[-1]])
    assert np.array_equal(network(HEAD + shuffled).table("cough"), table)


def test_parents_in_another_order_than_the_variables_give_the_same_table() -> None:
    turned = "probability ( cough | xray, smoke ) {" + "".join(
        f"({xray}, {smoke}) {p}, {1 - p:.1f};"
        for xray, smoke, p in [
            ("clear", "yes", 0.1),
            ("clear", "no", 0.2),
            ("dim", "yes", 0.3),
            ("dim", "no", 0.4),
            ("dark", "yes", 0.5),
            ("dark", "no", 0.6),
        ]
    )
    assert same_network(network(HEAD + TABLE), network(HEAD + turned + "}"))


def test_commas_and_bars_are_blanks_and_comments_are_skipped() -> None:
    loose = (
        TABLE.replace(",", " ")
        .replace("smoke  xray", "smoke, | xray")
        .replace("0.1  0.9", "0.1 /* a */ 0.9 // b\n")
        .replace("(no  clear)", "// (no clear) 1 0;\n (no clear)")
    )
    assert same_network(network(HEAD + TABLE), network("// head\n/* more\n * */" + HEAD + loose))


def test_text_between_the_blocks_is_skipped_and_reported() -> None:
    text = HEAD + 'This variable is odd: a 5" pipe; probability unknown.\n' + TABLE
    file = read(text)
    assert same_network(network(HEAD + TABLE), file.model)
    assert file.warnings == ("Text outside of the blocks was left out (line 7).",)


def test_a_star_stands_for_any_state_and_later_rows_overwrite_it() -> None:
    table = cough("(*, *) 0.5, 0.5; (*, dim) 0.3, 0.7; (no, dim) 0.25, 0.75;")
    assert table[..., 0].tolist() == [[0.5, 0.3, 0.5], [0.5, 0.25, 0.5]]


@pytest.mark.parametrize(
    "body", ["default 0.5, 0.5; (no, dim) 0.25, 0.75;", "(no, dim) 0.25, 0.75; default 0.5, 0.5;"]
)
def test_a_default_fills_what_no_row_names(body: str) -> None:
    assert cough(body)[..., 0].tolist() == [[0.5, 0.5, 0.5], [0.5, 0.25, 0.5]]


def test_a_table_in_one_run_varies_the_variable_itself_slowest() -> None:
    """As JavaBayes writes it: all numbers of the first state come first."""
    table = cough("table 0.1 0.3 0.5 0.2 0.4 0.6 0.9 0.7 0.5 0.8 0.6 0.4;")
    assert np.array_equal(table, network(HEAD + TABLE).table("cough"))


def test_a_table_in_one_run_the_other_way_round_is_recognised_by_its_sums() -> None:
    text = (
        HEAD + "probability ( cough | smoke, xray ) "
        "{ table 0.1 0.9 0.3 0.7 0.5 0.5 0.2 0.8 0.4 0.6 0.6 0.4; }"
    )
    file = read(text)
    assert same_network(network(HEAD + TABLE), file.model)
    assert "Line 7: the table of cough lists its own states fastest" in file.warnings[0]


def test_a_file_in_the_manner_of_javabayes_is_read() -> None:
    """No bar, no commas, names in quotes, positions in quoted properties."""
    file = read(
        """// Bayesian Network in the Interchange Format
        network "Dog-Problem" { //2 variables and 2 probability distributions
            property "credal-set constant-density-bounded 1.1" ;
        }
        variable "light on" { //2 values
            type discrete[2] { "true" "false" };
            property "position = (218, 195)" ;
        }
        variable "family-out" { //2 values
            type discrete[2] { "true" "false" };
            property "position = (112, 69)" ;
            property "observed true" ;
        }
        probability ( "light on" "family-out" ) { //2 variable(s) and 4 values
            table 0.6 0.05 0.4 0.95 ;
        }
        probability ( "family-out" ) { //1 variable(s) and 2 values
            table 0.15 0.85 ;
        }"""
    )
    assert file.title == "Dog-Problem"
    assert file.model.table("light on").tolist() == [[0.6, 0.4], [0.05, 0.95]]
    assert file.layout == {"light on": (218.0, 195.0), "family-out": (112.0, 69.0)}
    assert file.properties.network == ("credal-set constant-density-bounded 1.1",)
    assert file.properties.variables == {"family-out": ("observed true",)}
    assert file.warnings == ()


def test_names_from_the_wild_are_plain_words() -> None:
    text = (
        "variable 1a.b?c-d%e { type discrete [ 3 ] { 0, 10, Asy/Patch }; }"
        "probability ( 1a.b?c-d%e ) { table 1, 0, 0; }"
    )
    file = read(text)
    assert file.model.domain["1a.b?c-d%e"].states == ("0", "10", "Asy/Patch")
    content, lost = render(file, PATH)
    assert lost == ()
    assert b'"' not in content


def test_probability_blocks_may_come_before_the_variables() -> None:
    assert same_network(network(HEAD + TABLE), network(TABLE + HEAD))


def test_a_row_that_misses_one_is_normalised_and_reported() -> None:
    file = read(HEAD + TABLE.replace("(no, dim) 0.4, 0.6", "(no, dim) 0.5, 0.4"))
    assert file.warnings == (
        "asia.bif, line 11: the row (no, dim) of cough sums to 0.9. "
        "Loaded and normalised; check the table.",
    )
    assert file.model.table("cough")[1, 1].tolist() == pytest.approx([5 / 9, 4 / 9], abs=1e-15)


def test_many_wrong_rows_are_counted_after_twenty() -> None:
    rows = "".join(f"variable v{i} {{ type discrete [2] {{ a, b }}; }}" for i in range(25))
    rows += "".join(f"probability ( v{i} ) {{ table 1, 1; }}" for i in range(25))
    warnings = read(rows).warnings
    assert len(warnings) == 21
    assert warnings[-1] == "5 more rows were normalised."


def test_rounded_rows_share_one_remark() -> None:
    third = "0.3333333, 0.3333333, 0.3333333"
    file = read(HEAD.replace("0.7, 0.2, 0.1", third) + TABLE)
    assert file.warnings == ("1 row misses 1 by rounding, at most 1e-07; normalised.",)
    assert file.model.table("xray").sum() == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (HEAD + TABLE.replace("(no, dim)", "(no, grey)"), 11, 3, "No state of xray is called"),
        (HEAD + TABLE.replace("0.4, 0.6", "0.4, -0.6"), 11, 18, "-0.6 is below 0"),
        (HEAD + TABLE.replace("0.4, 0.6", "0.4, o.6"), 11, 18, "found “o.6”"),
        (HEAD + TABLE.replace("0.4, 0.6", "0.4, nan"), 11, 18, "found “nan”"),
        (HEAD + TABLE.replace("0.4, 0.6", "0.4, 1_0"), 11, 18, "found “1_0”"),
        (HEAD + TABLE.replace("0.4, 0.6", "0.4, 0.3, 0.3"), 11, 3, "has 3 numbers instead of 2"),
        (HEAD + TABLE.replace("(no, dim)", "(no)"), 11, 3, "names 1 states, but there are 2"),
        (
            HEAD + TABLE.replace("(no, dim)", "(yes, dim)"),
            11,
            3,
            "(yes, dim) of cough occurs twice",
        ),
        (HEAD + TABLE.replace("  (no, dim) 0.4, 0.6;\n", ""), 7, 1, "lacks the row (no, dim)"),
        (HEAD + TABLE.replace("0.4, 0.6", "0, 0"), 11, None, "sums to 0"),
        (HEAD + TABLE.replace("0.4, 0.6;", "0.4, 0.6"), 12, 3, "expected a number or “;”"),
        (HEAD + TABLE.replace("smoke, xray", "smoke, fog"), 7, 30, "No variable is called “fog”"),
        (HEAD + TABLE.replace("smoke, xray", "smoke, smoke"), 7, 30, "smoke is named twice"),
        (HEAD + TABLE + TABLE, 15, 1, "two tables of cough"),
        (HEAD + HEAD, 8, 1, "two variables called smoke"),
        (HEAD.replace("[ 3 ]", "[ 4 ]") + TABLE, 3, 33, "should have 4 states, but 3"),
        (HEAD.replace("dim, dark", "dim, dim") + TABLE, 3, 1, "state “dim” twice"),
        (HEAD.replace("discrete [ 3 ]", "continuous [ 3 ]") + TABLE, 3, 22, "of type continuous"),
        (HEAD + TABLE[:60], 8, 23, "found the end of the file"),
        (HEAD + "/* " + TABLE, 7, 1, "comment that begins here has no end"),
        (HEAD + "variable x { property a", 7, 14, "has no “;” at its end"),
        (HEAD, None, None, "no table of cough"),
        ("", None, None, "holds no variables"),
    ],
)
def test_an_error_names_line_and_column(
    text: str, line: int | None, column: int | None, message: str
) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text)
    assert message in refused.value.reason
    assert (refused.value.line, refused.value.column) == (line, column)


def test_a_cycle_is_refused_with_its_path() -> None:
    text = (
        HEAD.replace("probability ( smoke ) { table 0.5, 0.5; }", "")
        + TABLE
        + "probability ( smoke | cough ) { default 0.5, 0.5; }"
    )
    with pytest.raises(ModelFileError, match="would close a cycle"):
        read(text)


def test_a_short_file_cannot_ask_for_more_memory_than_there_is() -> None:
    names = [f"v{i}" for i in range(40)]
    text = "".join(f"variable {name} {{ type discrete [2] {{ a, b }}; }}" for name in names)
    text += f"probability ( v0 | {', '.join(names[1:])} ) {{ default 0.5, 0.5; }}"
    with pytest.raises(ModelFileError, match="Remove parents or merge states"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 100_000,
        '"' * 200_001,
        '"\\' * 100_000,
        "network x { property " + '"' * 100_001,
        "probability ( " * 50_000,
        "variable x { type discrete [ 2 ] { " + "a " * 100_000,
        "/" * 200_000,
        "{" * 200_000,
    ],
)
def test_no_text_keeps_the_reader_busy_for_long(text: str) -> None:
    """Each of these takes hours where a scanner starts over at every character."""
    with pytest.raises(ModelFileError):
        read(text)


NETWORKS = ("alarm", "andes", "asia", "cancer", "child", "earthquake", "hailfinder", "insurance")
NETWORKS += ("link", "munin1", "survey", "water", "win95pts")
PACKED = ("barley", "diabetes", "mildew", "pathfinder")


def path_of(shared: Path, name: str) -> Path:
    return shared / "data/networks" / (f"{name}.bif.gz" if name in PACKED else f"{name}.bif")


@pytest.mark.parametrize("name", [*NETWORKS, *PACKED])
def test_a_network_of_the_repositories_comes_back_bit_for_bit(shared, tmp_path, name) -> None:
    file = read_model(path_of(shared, name))
    assert not [warning for warning in file.warnings if "by rounding" not in warning]
    for ending in (".bif", ".xml", ".json"):
        assert write_model(tmp_path / f"again{ending}", file) == ()
        again = read_model(tmp_path / f"again{ending}")
        assert same_network(file.model, again.model)
        assert again.warnings == ()


def test_the_sizes_of_well_known_networks_are_right(shared) -> None:
    """Nodes, edges and free parameters as the Bayesian network repository lists them."""
    listed = {
        "asia": (8, 8, 18),
        "cancer": (5, 4, 10),
        "alarm": (37, 46, 509),
        "insurance": (27, 52, 1008),
        "hailfinder": (56, 66, 2656),
        "win95pts": (76, 112, 574),
        "andes": (223, 338, 1157),
        "barley": (48, 84, 114_005),
        "mildew": (35, 46, 540_150),
    }
    for name, sizes in listed.items():
        model = read_model(path_of(shared, name)).model
        assert isinstance(model, BayesianNetwork)
        result = len(model.domain), len(model.edges), model.representation_size()
        assert result == sizes, name


def test_a_worked_number_of_asia(shared) -> None:
    model = read_model(path_of(shared, "asia")).model
    assert model.table("lung")[model.domain["smoke"].code("yes")].tolist() == [0.1, 0.9]


@pytest.mark.parametrize("name", ["alarm", "asia", "hailfinder", "insurance", "water", "survey"])
@pytest.mark.parametrize("ending", [".bif", ".xml"])
def test_another_library_reads_what_is_written(shared, tmp_path, name, ending) -> None:
    """pyAgrum keeps single precision, hence the tolerance."""
    gum = pytest.importorskip("pyagrum")
    model = read_model(path_of(shared, name)).model
    path = tmp_path / f"again{'.bifxml' if ending == '.xml' else ending}"
    write_model(path, ModelFile(model, layout={model.domain.names[0]: (10.0, 20.5)}))
    other = gum.loadBN(str(path))
    compare(model, other)


@pytest.mark.parametrize("name", ["alarm", "asia", "hailfinder", "insurance"])
@pytest.mark.parametrize("ending", [".bif", ".bifxml"])
def test_what_another_library_writes_is_read(shared, tmp_path, name, ending) -> None:
    gum = pytest.importorskip("pyagrum")
    other = gum.loadBN(str(path_of(shared, name)))
    path = tmp_path / f"theirs{ending}"
    gum.saveBN(other, str(path))
    file = read_model(path)
    assert file.title == ""
    assert isinstance(file.model, BayesianNetwork)
    compare(file.model, other)


@given(network=small_networks(min_cardinality=2))
@settings(max_examples=20)
def test_another_library_reads_random_networks(tmp_path_factory, network) -> None:
    gum = pytest.importorskip("pyagrum")
    path = tmp_path_factory.mktemp("bif") / "random.bif"
    write_model(path, network)
    compare(network, gum.loadBN(str(path)))


def compare(model: BayesianNetwork, other) -> None:
    assert other.size() == len(model.domain)
    for variable in model.domain:
        assert other.variable(variable.name).labels() == variable.states
        parents = model.dag.parents(variable.name)
        assert {other.variable(p).name() for p in other.parents(variable.name)} == {*parents}
        table = other.cpt(variable.name)
        # pyAgrum's axes are its names reversed.
        axes = list(reversed(table.names))
        order = [axes.index(name) for name in (*parents, variable.name)]
        theirs = np.asarray(table.toarray()).transpose(order)
        assert np.allclose(theirs, model.table(variable.name), atol=1e-6)
